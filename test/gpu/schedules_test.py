"""Every form that a kernel without contractions takes on a GPU, on the emulated device: long and short contiguous dims,
transpositions, rows of every length, results side by side, split reductions, scalar nests."""
import sys

import numpy as np

import gpu
import strata
from level2 import Case, i64s

random = np.random.default_rng(0)
TOLERANCE = {np.float32: 1e-5, np.float16: 2e-3}


def values(dtype, *shape):
    return random.standard_normal(shape).astype(dtype)


def single(name, mnemonic, inputs, expected, tolerance=0, **attrs):
    case = Case(name, *inputs)
    outputs = expected if isinstance(expected, tuple) else (expected,)
    names = case.op(mnemonic, [f"%x{i}" for i in range(len(inputs))], expected, **attrs)
    case.returns(names if isinstance(expected, tuple) else [names], *outputs, tolerance=tolerance)
    return case


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)).astype(x.dtype)


def rows(dtype):
    for shape in ((300, 768), (7, 5000), (5, 33), (3, 100001), (1000, 64), (2, 20000), (2, 131072), (3, 40008)):
        x = values(dtype, *shape)
        yield single(f"softmax {shape}", "softmax", [x], softmax(x), TOLERANCE[dtype], axes=i64s([1]))


def maps(dtype):
    for shape in ((100003,), (257, 1500), (1000, 7)):
        x = values(dtype, *shape)
        yield single(f"neg {shape}", "neg", [x], -x)
    for shape, order in (((700, 1000), (1, 0)), ((3, 130, 70), (0, 2, 1)), ((12, 900), (1, 0)), ((512, 1024), (1, 0)),
                         ((257, 131), (1, 0))):
        x = values(dtype, *shape)
        yield single(f"transpose {shape}", "transpose", [x], x.transpose(order).copy(), permutation=i64s(order))
    for shape in ((128, 256), (90, 203)):
        x, y = values(dtype, *shape), values(dtype, *shape[::-1])
        case = Case(f"sum with a transpose {shape}", x, y)
        turned = case.op("transpose", ["%x0"], x.T.copy(), permutation=i64s((1, 0)))
        total = case.op("add", [turned, "%x1"], x.T + y)
        case.returns([total], x.T + y, tolerance=TOLERANCE[dtype])
        yield case


def reductions(dtype):
    for shape, axes in (((20000, 64), (0,)), ((64, 8, 1000), (0, 2)), ((50, 40, 30), (1,)), ((99991,), (0,))):
        x = values(dtype, *shape)
        yield single(f"max {shape} {axes}", "reduce", [x], np.array(x.max(axes)), kind='"max"', axes=i64s(axes))
    x = random.integers(-4, 5, (20000, 48)).astype(dtype)
    total = np.array(x.sum(dtype=np.float64).astype(dtype))
    yield single("sum", "reduce", [x], total, kind='"add"', axes=i64s((0, 1)))


def scalars():
    x = random.integers(-9, 9, (50, 1000)).astype(np.float32)
    yield single("scan", "scan", [x], np.cumsum(x, 1), kind='"add"', axis="1 : i64", reverse="false",
                 exclusive="false")
    table, at = values(np.float32, 1000, 96), random.integers(0, 1000, 300)
    yield single("gather", "gather", [table, at], table[at], axis="0 : i64", batch_dims="0 : i64")
    x, updates = (random.integers(-9, 9, (n, 96)).astype(np.float32) for n in (100, 300))
    at, sums = random.integers(0, 100, 300), x.copy()
    np.add.at(sums, at, updates)
    yield single("scatter", "scatter", [x, at, updates], sums, kind='"add"')
    x = random.integers(-50, 50, (40, 300)).astype(np.float32)
    order = np.argsort(x, 1, kind="stable")
    yield single("sort", "sort", [x], (np.sort(x, 1), order), axis="1 : i64", descending="false", unsigned="false")
    yield single("arg_reduce", "arg_reduce", [x], x.argmax(1), kind='"max"', axis="1 : i64", select_last="false")


def run(case, index):
    path, name = f"case{index}.mlir", f"case{index}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(case.text())
    library, _ = strata.compile_library(path, ".", name, ["--target=nvgpu", "--device=emulated"])
    outputs = gpu.Library(library).run(case.inputs)
    for got, expected in zip(outputs, case.outputs):
        error = np.abs(got.reshape(expected.shape).astype(np.float64) - expected).max()
        most = case.tolerance * max(1, np.abs(expected).max())
        if not error <= most:
            print(f"{case.name} {expected.dtype}: error {error}, at most {most} expected")
            return False
    return True


def main():
    gpu.use_stand_in()
    cases = [case for dtype in TOLERANCE for kind in (rows, maps, reductions) for case in kind(dtype)]
    cases += scalars()
    return sum(not run(case, i) for i, case in enumerate(cases)) != 0


if __name__ == "__main__":
    sys.exit(main())
