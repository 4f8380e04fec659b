"""One network under every option that changes code: the results stay, the bytes do where they must."""
import filecmp
import os
import shutil

import numpy as np

import materialise
import strata

MODELS = os.environ.get("STRATA_MODELS", os.path.join(strata.BIN, "..", "models"))
# Options, and the largest relative difference from the result without them. They reorder sums and replace functions.
VARIANTS = {
    "--polyblocks-disable-affine-fusion": 1e-6,
    "--polyblocks-disable-reduce-reduce-fusion": 1e-6,
    "--polyblocks-disable-unsafe-math-canonicalizations": 1e-6,
    "--mlir-disable-fast-math": 2e-6,
    "--disable-constant-folding": 2e-6,
    "--opt-level=0": 1e-6,
    "--device=x86-64-v2": 2e-6,
    "--device=x86-64-v3": 2e-6,
    "--mm-conv-precision-mode=fp32": 1e-6,
    "--mm-conv-precision-mode=mixed_bf16_fp32": 5e-2,
    "--mm-conv-precision-mode=mixed_fp16_fp32": 5e-3,
    "--mm-conv-precision-mode=fp16": 5e-2,
    "--weights=file": 0,
    "--jobs=1": 0,
    "--threads=1": 0,
    "--alignment=64": 0,
}


def relative_error(got, want):
    return np.linalg.norm(got.astype(np.float64) - want) / np.linalg.norm(want.astype(np.float64))


def check_model(model):
    graph = materialise.materialise(model, MODELS)
    inputs = list(materialise.inputs(model).values())
    path, _ = strata.compile_library(graph, f"{model}/reference")
    reference = strata.Library(path)
    want = reference.run(inputs)
    for i, (option, bound) in enumerate(VARIANTS.items()):
        path, _ = strata.compile_library(graph, f"{model}/{i}", name=f"variant{i}", options=[option])
        library = strata.Library(path)
        error = max(relative_error(*pair) for pair in zip(library.run(inputs), want))
        shutil.rmtree(f"{model}/{i}")  # two copies of the weights each
        print(f"{model} {option}: {error:.1e}, {len(library.launches)} launches", flush=True)
        assert error <= bound
        if option == "--polyblocks-disable-affine-fusion":
            assert len(library.launches) > len(reference.launches)


def check_same_bytes(model):
    """The folder, the number of compiling threads and the time of day are not in the output."""
    graph = materialise.materialise(model, MODELS)
    for folder, jobs in (("first", 1), ("second", 4)):
        strata.compile_library(graph, f"{model}/{folder}", options=[f"--jobs={jobs}", "--weights=file"])
    same, different, _ = filecmp.cmpfiles(f"{model}/first", f"{model}/second", os.listdir(f"{model}/first"), False)
    print(f"{model}: same bytes in {sorted(same)}")
    assert not different, different


for name in ["mobilenet_v3_small"] if strata.SANITIZED else ["mobilenet_v3_small", "decoder_step"]:
    os.makedirs(name, exist_ok=True)
    check_model(name)
    check_same_bytes(name)
