"""Rows that shared memory holds: norms and softmax of one block and of clusters, in lengths that fill no vector, beside
NumPy in f64; every kernel with the schedule that the test gives."""
import re
import sys

import numpy as np

import gpu
import strata
from level2 import Case, i64s

random = np.random.default_rng(0)
TOLERANCE = {np.float32: 1e-5, np.float16: 4e-3}
EPSILON = 1e-5

# Rows, length; threads and group of the schedule: a block, then clusters of 4 and 8.
ROWS = [((300, 8000), 256, 256), ((140, 5003), 512, 512), ((133, 40000), 512, 2048), ((133, 36360), 256, 2048)]


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def layer_norm(x, scale, bias):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + EPSILON) * scale + bias


def rms_norm(x, scale):
    return x / np.sqrt((x * x).mean(1, keepdims=True) + EPSILON) * scale


def case(function, dtype, shape):
    n_inputs = function.__code__.co_argcount
    inputs = [random.standard_normal(shape if i == 0 else shape[1:]).astype(dtype) for i in range(n_inputs)]
    expected = function(*(x.astype(np.float64) for x in inputs))
    made = Case(f"{function.__name__} {shape} {dtype.__name__}", *inputs)
    attrs = {"axes": i64s([1])} | ({"epsilon": f"{EPSILON:.17e} : f64"} if n_inputs > 1 else {})
    name = made.op(function.__name__, [f"%x{i}" for i in range(n_inputs)], expected.astype(dtype), **attrs)
    made.returns([name], expected.astype(dtype), tolerance=TOLERANCE[dtype])
    return made, expected


def run(made, expected, name, threads, group):
    path, schedule = f"{name}.mlir", f"{name}.schedule"
    with open(path, "w", encoding="utf-8") as file:
        file.write(made.text())
    options = ["--target=nvgpu", "--device=emulated_90"]
    said = strata.strata(path, *options, "--explain", "--compile-to=affine", "-o", f"{name}.affine.mlir")
    chosen = re.search(r"^schedule \S+ \S+ \{.*\}", said, re.M).group()
    chosen = re.sub(r"\b(group|threads) = \d+", lambda m: f"{m[1]} = {group if m[1] == 'group' else threads}", chosen)
    with open(schedule, "w", encoding="utf-8") as file:
        file.write(chosen if "slots" in chosen else chosen.replace("{", "{slots = 1 : i64, "))
    library, _ = strata.compile_library(path, ".", name, [*options, f"--schedule={schedule}"])
    got = gpu.Library(library).run(made.inputs)[0].astype(np.float64)
    error = np.abs(got - expected).max() / np.abs(expected).max()
    print(f"{made.name}, {threads} threads, group {group}: error {error:.1e}")
    return error <= made.tolerance


def main():
    gpu.use_stand_in()
    failed = 0
    for function in (softmax, layer_norm, rms_norm):
        for i, (shape, threads, group) in enumerate(ROWS):
            dtype = list(TOLERANCE)[i % 2]
            failed += not run(*case(function, dtype, shape), f"{function.__name__}_{i}", threads, group)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
