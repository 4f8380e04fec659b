"""Whole models in the default precision on the emulated device, as libraries that only enqueue: results, and launches.
And where there is an assembler, that no kernel of any model spills registers on an H200.

The larger models take minutes on the emulated device; they run on real GPUs.
"""
import glob
import os
import shutil

import gpu
import materialise
import run_model
import strata

# Model: the relative error over all sampled elements, and the most launches: decoder_step's products of a matrix and one
# vector take two each, so that they fill an H200: 126 us a call instead of 1004; its caches are converted where they are
# read.
MODELS = {"chain30": (1e-5, 1), "decoder_step": (2e-3, 38), "mobilenet_v3_small": (2e-3, 70),
          "cnn_qdq_int8": (2e-2, 20)}
OPTIONS = ["--target=nvgpu", "--device=emulated", "--on-gpu-tensors", "--user-device-memory"]


def graph_of(model):
    return materialise.materialise(model, os.environ.get("STRATA_MODELS", os.path.join(strata.BIN, "..", "models")))


def check(model, most_error, most_launches):
    graph = graph_of(model)
    library = gpu.Library(strata.compile_library(graph, "out", model, OPTIONS)[0])
    outputs = library.run(list(materialise.inputs(model).values()))
    library.unload()
    for k, error in enumerate(materialise.relative_errors(model, outputs)):
        print(f"{model}: output {k}: relative error {error:.2e}")
        assert error <= most_error
    print(f"{model}: {len(library.launches)} launches")
    assert len(library.launches) <= most_launches


def check_spills(model):
    sizes = [f"--dim={name}={size}" for name, size in run_model.DIMS.get(model, [])[:1]]
    text = strata.strata(graph_of(model), *sizes, "--target=nvgpu", "--device=sm_90a", "--resource-usage", "--aot",
                         f"--aot-name={model}", "-o", "spills")
    shutil.rmtree("spills")  # weights and all
    kernels = strata.kernel_rows(text)
    spilling = [" ".join(kernel.values()) for kernel in kernels if int(kernel["spills"])]
    print(f"{model}: {len(kernels)} kernels, {len(spilling)} with spills")
    assert kernels and not spilling, spilling


def main():
    gpu.use_stand_in()
    for model, (most_error, most_launches) in MODELS.items():
        check(model, most_error, most_launches)
    if strata.has_ptxas():
        for path in sorted(glob.glob(os.path.join(materialise.HERE, "*.onnx"))):
            check_spills(os.path.splitext(os.path.basename(path))[0])


if __name__ == "__main__":
    main()
