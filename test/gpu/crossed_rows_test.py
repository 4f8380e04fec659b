"""Rows that add what lies across them: a block takes several rows at once. Norms and softmax of x + transpose(y), with
lengths and numbers of rows that fill neither vectors nor blocks, beside NumPy in f64; one kernel each, which says so.
Of many rows blocks carry out several tasks, each fetched while the one before is computed: by copies of threads, or in
bulk. Norms also of rows far from zero, and with an element far from the others, where variances from sums of squares
have no digits left."""
import re
import sys

import numpy as np

import gpu
import strata
from level2 import Case, i64s

random = np.random.default_rng(0)
TOLERANCE = {np.float32: 1e-5, np.float16: 4e-3}
EPSILON = 1e-5
SHAPES = [(64, 1024), (37, 250), (130, 96), (9, 2000), (3, 640)]
F32, F16 = TOLERANCE
MANY = [((2123, 1024), F32), ((4256, 520), F16), ((2124, 1000), F32), ((4250, 520), F16), ((2200, 130), F32),
        ((2128, 1024), F32), ((4300, 512), F32)]  # some rows no multiples of 16 bytes; the last two in squares
DEVICES = ("emulated", "emulated_90")  # copies of threads; in bulk


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def layer_norm(x, scale, bias):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + EPSILON) * scale + bias


def norm_softmax_norm(x, scale, bias):
    return layer_norm(softmax(layer_norm(x, scale, bias)) + x, scale, bias)


def apply(made, name, x, like, n_parameters=0):
    attrs = {"axes": i64s([1])} | ({"epsilon": f"{EPSILON:.17e} : f64"} if n_parameters else {})
    return made.op(name, [x] + [f"%x{2 + i}" for i in range(n_parameters)], like, **attrs)


def case(function, dtype, shape, shift=lambda x: None):
    parameters = [random.standard_normal(shape[1:]).astype(dtype) for _ in range(function.__code__.co_argcount - 1)]
    x, y = random.standard_normal(shape).astype(dtype), random.standard_normal(shape[::-1]).astype(dtype)
    shift(x)
    expected = function(x.astype(np.float64) + y.T, *(p.astype(np.float64) for p in parameters))
    made = Case(f"{function.__name__} {shape} {dtype.__name__}", x, y, *parameters)
    turned = made.op("transpose", ["%x1"], x, permutation=i64s([1, 0]))
    total = made.op("add", ["%x0", turned], x)
    if function is norm_softmax_norm:
        soft = apply(made, "softmax", apply(made, "layer_norm", total, x, 2), x)
        result = apply(made, "layer_norm", made.op("add", [soft, total], x), x, 2)
    else:
        result = apply(made, function.__name__, total, x, len(parameters))
    made.returns([result], expected.astype(dtype), tolerance=TOLERANCE[dtype])
    return made, expected


def far_from_zero(x):
    x += 100


def with_outliers(x):
    x[:, 0] += 1e4  # what the first warp's differences are from
    x[::2, 300] -= 1e3


def run(made, expected, name, device, in_turn):
    path = f"{name}.mlir"
    with open(path, "w", encoding="utf-8") as file:
        file.write(made.text())
    options = ["--target=nvgpu", f"--device={device}"]
    said = strata.strata(path, *options, "--explain", "--compile-to=affine", "-o", f"{name}.affine.mlir")
    schedules = re.findall(r'^schedule .*kind = "rows".*tile = array<i64: \d+, (\d+)>', said, re.M)
    library, _ = strata.compile_library(path, ".", name, options)
    got = gpu.Library(library).run(made.inputs)[0].astype(np.float64)
    error = np.abs(got - expected).max() / np.abs(expected).max()
    print(f"{made.name}, {schedules} rows a task: error {error:.1e}")
    return len(schedules) == 1 and error <= made.tolerance and ("blocks = " in said) == in_turn


def problems():
    """Arguments of case(), a device, and whether blocks carry out several tasks."""
    for function in (softmax, layer_norm):
        for i, shape in enumerate(SHAPES):
            yield (function, list(TOLERANCE)[i % 2], shape), DEVICES[1], False
        for shape, dtype in MANY:
            for device in DEVICES:
                yield (function, dtype, shape), device, True
    for shift in (far_from_zero, with_outliers):
        for shape in ((4300, 512), (2124, 1000)):
            yield (layer_norm, F32, shape, shift), DEVICES[1], True
    yield (norm_softmax_norm, F32, (6400, 512)), DEVICES[1], True


def main():
    gpu.use_stand_in()
    failed = 0
    for i, (made, device, is_many) in enumerate(strata.every(problems())):
        failed += not run(*case(*made), f"crossed_{i}", device, is_many)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
