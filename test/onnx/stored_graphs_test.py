"""A hundred random graphs with the results that ONNX Runtime and a float64 reference agreed on: between guard pages, on
cpu in fast and exact arithmetic, and every third on the emulated GPU. test/fuzz/graphs makes and tries others.
"""
import concurrent.futures
import os
import sys
import tempfile

import numpy as np

import gpu
import guarded
import strata
import stored_graphs
from stored_graphs import EXACT, NOT_COMPARED

MODES = {"cpu": [], "exact": ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"],
         "gpu": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"]}
GPU_EVERY = 3


def compile_graph(stored, mode, folder):
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(stored.parts["model"].tobytes())
    options = MODES[mode] + [option for option in stored.about["options"] if mode != "gpu" or "device" not in option]
    return strata.compile_library(path, folder, "m", options)[0]


def is_wrong(got, value, exponent):
    """Which elements are."""
    tolerance = np.where(exponent == EXACT, 0, np.ldexp(1.0, exponent.astype(np.int32)))
    with np.errstate(invalid="ignore"):
        if value.dtype.kind == "f":
            bad = ~(np.abs(got.astype(np.float64) - value.astype(np.float64)) <= tolerance)
        else:
            bad = got != value
    return bad & (exponent != NOT_COMPARED)


def elements(content, info, count):
    """The numbers of an output, so many of i4 and u4, one for each half of a byte."""
    if info.dtype in strata.HALF_BYTES:
        return np.stack([content & 15, content >> 4], -1).ravel()[:count]
    return content.view(np.uint8 if strata.DTYPES[info.dtype] is np.bool_ else strata.DTYPES[info.dtype])


def problem_of(stored, path, mode):
    """What is wrong with a graph's library, or None."""
    library = strata.Library(path)
    try:
        results = guarded.run(path, stored.take("inputs", [info.size for info in library.inputs]),
                              guarded.CALLS[:1] if mode == "gpu" else guarded.CALLS)
        return difference(stored, library.outputs, results)
    except guarded.Problem as problem:
        return str(problem)
    finally:
        library.close()


def difference(stored, outputs, results):
    """Which element is wrong, or None."""
    values = stored.take("values", [info.size for info in outputs])
    exponents = stored.take("errors", [int(np.prod(info.dims())) for info in outputs])
    for info, got, value, exponent in zip(outputs, results, values, exponents):
        count = int(np.prod(info.dims()))
        got, value = elements(got, info, count), elements(value, info, count)
        wrong = np.flatnonzero(is_wrong(got, value, exponent))
        if wrong.size:
            return f"{info.name.decode()}: element {wrong[0]} is {got[wrong[0]]}, expected {value[wrong[0]]}"
    return None


def main():
    gpu.use_stand_in()
    graphs = stored_graphs.load()
    cases = [(k, mode) for k in range(len(graphs)) for mode in MODES if mode != "gpu" or k % GPU_EVERY == 0]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folders = [os.path.join(folder, f"{k}-{mode}") for k, mode in cases]
        for each in folders:
            os.mkdir(each)
        paths = [pool.submit(compile_graph, graphs[k], mode, where) for (k, mode), where in zip(cases, folders)]
        concurrent.futures.wait(paths)  # no child of ours is started beside them
        for (k, mode), path in zip(cases, paths):
            problem = str(path.exception() or problem_of(graphs[k], path.result(), mode) or "")
            if problem:
                print(f"FAIL graph {k} (seed {graphs[k].about['seed']}) {mode}: {problem}")
                failed += 1
    print(f"{len(cases) - failed} of {len(cases)} passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
