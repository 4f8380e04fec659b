"""Compiles one model, runs it and compares it with the reference: run_model.py MODEL

Checked too: the compile's time and memory, and how many kernels a call launches. Without a build of its own in the
environment (STRATA_BIN) it uses build/bin. With STRATA_TARGET and STRATA_DEVICE, which the compiler reads as well, the
model runs on another target; on GPUs with default arithmetic, so that products of f32 are of f16 operands.
"""
import os
import sys
import tempfile

import numpy as np

import materialise
import strata

# The relative error that a model's arithmetic allows, over all sampled elements; 1e-5 unless said otherwise.
TOLERANCE = {"cnn_qdq_int8": 2e-2, "resnet50_fp16": 5e-3, "vit_b16_fp16": 5e-3}
ON_CPU = os.environ.get("STRATA_TARGET", "cpu") == "cpu"
DEFAULT_TOLERANCE = 1e-5 if ON_CPU else 2e-3
WORST = 5 * DEFAULT_TOLERANCE  # of one element, relative to the root mean square; for the models of DEFAULT_TOLERANCE

# Symbolic dimensions: the values to compile for.
DIMS = {"resnet50_fp16": [("N", 1), ("N", 3)], "vit_b16_fp16": [("N", 1), ("N", 3)]}

MOST_LAUNCHES = {"bert_base_s128": 12 * 10, "chain30": 1}

MOST_SECONDS = 10
MOST_SECONDS_FOR_GPU = 30
MOST_BYTES_BESIDE_WEIGHTS = 1 << 30

MODELS = os.environ.get("STRATA_MODELS", os.path.join(strata.BIN, "..", "models"))


def compare(model, outputs, expected, copies):
    """The samples of the reference are of a batch of one; with more copies every one must agree."""
    for k, output in enumerate(outputs):
        for copy in np.split(output.astype(np.float64), copies):
            shape, norm = expected[f"out{k}_shape"], expected[f"out{k}_norm"]
            assert list(copy.shape) == list(shape), f"output {k}: shape {copy.shape}, expected {shape}"
            got, want = copy.reshape(-1)[expected[f"out{k}_index"]], expected[f"out{k}_sample"].astype(np.float64)
            error = np.linalg.norm(got - want) / np.linalg.norm(want)
            worst = np.abs(got - want).max() / (norm / np.sqrt(copy.size))
            print(f"  output {k}: relative error {error:.2e}, worst element {worst:.2e} of the root mean square")
            assert error <= TOLERANCE.get(model, DEFAULT_TOLERANCE)
            assert worst <= WORST or model in TOLERANCE


def check_cost(graph, cost):
    weights = os.path.getsize(graph[: -len(".onnx")] + ".data")
    print(f"  compiled in {cost.processor_seconds:.1f} s of one core, {cost.peak_bytes / 2**20:.0f} MiB")
    if not strata.SANITIZED:
        assert cost.processor_seconds <= (MOST_SECONDS if ON_CPU else MOST_SECONDS_FOR_GPU)
        assert cost.peak_bytes <= weights + MOST_BYTES_BESIDE_WEIGHTS


def run(model, graph, dim, folder):
    options = [f"--dim={dim[0]}={dim[1]}"] if dim else []
    path, cost = strata.compile_library(graph, folder, options=options)
    check_cost(graph, cost)
    library = strata.Library(path)
    copies = dim[1] if dim else 1
    inputs = [np.concatenate([value] * copies) for value in materialise.inputs(model).values()]
    expected = np.load(os.path.join(materialise.HERE, model + ".expected.npz"))
    compare(model, library.run(inputs), expected, copies)
    print(f"  {len(library.launches)} launches of {len(library.kernels)} kernels")
    assert len(library.launches) <= MOST_LAUNCHES.get(model, len(library.launches))


def main(model):
    graph = materialise.materialise(model, MODELS)
    for dim in DIMS.get(model, [None]):
        print(model, f"{dim[0]} = {dim[1]}" if dim else "")
        with tempfile.TemporaryDirectory() as folder:
            run(model, graph, dim, folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: run_model.py MODEL")
    main(sys.argv[1])
