"""Speed of NonMaxSuppression on the cpu, beside ONNX Runtime.

    python3 -m venv venv
    venv/bin/pip install numpy onnxruntime
    PYTHONPATH=test/support venv/bin/python tools/bench/boxes.py [--threads 2] [NAME...]

8400 boxes and 80 classes, as YOLO's heads at 640 x 640 give, of which two in a hundred score above 0.25, half, or three
in four. Both run in this process with the same number of threads; figures are what a tenth of the interleaved runs stay
below. Results have to be the same.
"""
import argparse
import ctypes
import os
import tempfile
import time

import numpy as np

import strata
from onnx_file import FLOAT, INT64, Graph

BOXES, CLASSES, RUNS = 8400, 80, 60
LEAST = np.float32(0.25)
# The most results of a class, and the part of the scores that is above the threshold.
CASES = {"few of 100": (100, 0.02), "half of 100": (100, 0.5), "most of 100": (100, 0.75), "few of all": (BOXES, 0.02)}


def made_boxes(random):
    center, size = random.random((1, BOXES, 2)) * 640, random.random((1, BOXES, 2)) * 100 + 10
    return np.concatenate([center - size / 2, center + size / 2], axis=2).astype(np.float32)


def made_scores(random, part):
    shape = (1, CLASSES, BOXES)
    return np.where(random.random(shape) < part, LEAST + random.random(shape) * 0.7, 0.01).astype(np.float32)


def model(path, most):
    g = Graph(opset=11)
    names = [g.input("boxes", FLOAT, [1, BOXES, 4]), g.input("scores", FLOAT, [1, CLASSES, BOXES]),
             g.constant("most", np.array([most])), g.constant("overlap", np.array([0.45], np.float32)),
             g.constant("least", np.array([LEAST]))]
    g.output(g.node("NonMaxSuppression", names), INT64, ["n", 3])
    g.save(path)


def ours_of(path, folder, most, threads):
    os.environ["STRATA_NUM_THREADS"] = str(threads)
    compiled, _ = strata.compile_library(path, folder, "m", ["--device=native"])
    function = ctypes.CDLL(compiled).m
    found, sizes = np.zeros((CLASSES * most, 3), np.int64), np.zeros(2, np.int64)

    def run(*inputs):
        assert function(*(ctypes.c_void_p(a.ctypes.data) for a in (*inputs, found, sizes))) == 0
        return found[:sizes[0]]
    return run


def theirs_of(path, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda boxes, scores: session.run(None, {"boxes": boxes, "scores": scores})[0]


def bench(name, threads):
    most, part = CASES[name]
    random = np.random.default_rng(1)
    inputs = made_boxes(random), made_scores(random, part)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.onnx")
        model(path, most)
        runs = ours_of(path, folder, most, threads), theirs_of(path, threads)
        times = [[], []]
        for _ in range(RUNS):
            for run, own in zip(runs, times):
                begin = time.perf_counter()
                run(*inputs)
                own.append(time.perf_counter() - begin)
        got, want = (run(*inputs) for run in runs)
        assert np.array_equal(got, want), name
    mine, ort = (np.quantile(own, 0.1) * 1e3 for own in times)
    print(f"{name:12} {len(want):6} results: {mine:7.2f} ms, ONNX Runtime {ort:7.2f}, ratio {mine / ort:.2f}",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    for name in arguments.names or CASES:
        bench(name, arguments.threads)


if __name__ == "__main__":
    main()
