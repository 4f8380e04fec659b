"""No factor is distributed over a difference: integers at the zero point are zero, and all others one rounding from
exact, in every mode and on every target, wherever the zero points come from. `zero_point_test.py SEED` tries others."""
import sys

import numpy as np

import gpu
import strata
from onnx_file import ELEMENT_TYPES, FLOAT, Graph

MODES = {
    "default": [],
    "exact": ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"],
    "emulated": ["--target=nvgpu", "--device=emulated"],
    "emulated_90": ["--target=nvgpu", "--device=emulated_90"],
}
random = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
PER_PLACE = [1, 77, 128, 200, 255], [0.1, 0.013, 0.7, 1e-3, 3.3]
CASES = [  # element type, zero points, scales, shape, axis or block
    (np.uint8, 77, 0.013, (3, 7, 5), {}),
    (np.uint8, 7, 0.0377, (5, 77), {}),
    (np.uint8, 6, 0.0605998226, (5, 77), {}),
    (np.uint8, 128, 1 / 3, (131,), {}),
    (np.int8, 3, 0.0371, (3, 7, 5), {}),
    (np.int8, -128, 0.1, (3, 7, 5), {}),
    (np.uint8, 255, 1e-3, (3, 7, 5), {}),
    (np.uint8, *PER_PLACE, (3, 7, 5), {"axis": 2}),
    (np.uint8, *PER_PLACE, (3, 5, 19), {"axis": 1}),
    (np.uint8, *PER_PLACE, (5, 131), {"axis": 0}),
    (np.uint8, [PER_PLACE[0]] * 3, [PER_PLACE[1]] * 3, (3, 10), {"axis": 1, "block_size": 2}),
    (np.int16, -30001, 0.0371, (3, 7, 5), {}),
    (np.uint16, 65535, 0.0371, (3, 7, 5), {}),
    (np.int8, 0, 0.1, (3, 7, 5), {}),
]


def more_cases(count):
    for _ in range(count):
        dtype = random.choice([np.uint8, np.int8, np.uint16, np.int16])
        shape = tuple(int(size) for size in random.integers(1, 40, random.integers(1, 4)))
        axis = int(random.integers(len(shape)))
        own = [(), (shape[axis],)][random.integers(2)]
        info = np.iinfo(dtype)
        zero = random.integers(info.min, info.max, own, endpoint=True)
        yield dtype, zero, np.exp(random.uniform(-8, 2, own)), shape, {"axis": axis} if own else {}


def widen(values, shape, axis=0, block_size=1):
    """One for each element of |shape|."""
    if values.ndim == 0:
        return values
    if values.ndim > 1:
        return np.repeat(values, block_size, axis)
    return values.reshape([-1 if i == axis else 1 for i in range(len(shape))])


def integers(dtype, zero, scale, shape, place):
    """All integers, among them both ends, and zero points where they fit."""
    info = np.iinfo(dtype)
    x = random.integers(info.min, info.max, shape, endpoint=True).astype(dtype)
    x.flat[0], x.flat[-1] = info.min, info.max
    at_zero = random.random(shape) < 0.3
    return np.where(at_zero, widen(zero, shape, **place), x).astype(dtype)


def check_dequantize(cases):
    """Zero points and scales that are constants, and that are inputs."""
    graph, feed, expected = Graph(21), [], []
    for i, (dtype, zero, scale, shape, place) in enumerate(cases):
        zero, scale = np.array(zero).astype(dtype), np.array(scale, np.float32)
        x = integers(dtype, zero, scale, shape, place)
        feed.append(x), graph.input(f"x{i}", ELEMENT_TYPES[x.dtype], shape)
        difference = x.astype(np.int64) - widen(zero, shape, **place).astype(np.int64)
        want = (difference * widen(scale, shape, **place).astype(np.float64)).astype(np.float32)
        for kind in ("constant", "input"):
            names = [f"{kind}_scale{i}", f"{kind}_zero{i}"]
            for name, value in zip(names, (scale, zero)):
                if kind == "constant":
                    graph.constant(name, value)
                else:
                    feed.append(value), graph.input(name, ELEMENT_TYPES[value.dtype], value.shape)
            graph.output(graph.node("DequantizeLinear", [f"x{i}", *names], **place), FLOAT, shape)
            expected.append(want)
    check("DequantizeLinear", graph, feed, expected, 0)


def check_differences(cases):
    """(x - constant) * constant of floats, whose difference is rounded too."""
    graph, feed, expected = Graph(21), [], []
    for i, (_, zero, scale, shape, place) in enumerate(cases):
        zero, scale = np.array(zero, np.float32), np.array(scale, np.float32)
        x = (random.integers(-1000, 1000, shape) / 8).astype(np.float32)
        x = np.where(random.random(shape) < 0.3, widen(zero, shape, **place), x).astype(np.float32)
        feed.append(x), graph.input(f"x{i}", FLOAT, shape)
        graph.constant(f"zero{i}", widen(zero, shape, **place)), graph.constant(f"scale{i}", widen(scale, shape, **place))
        graph.output(graph.node("Mul", [graph.node("Sub", [f"x{i}", f"zero{i}"]), f"scale{i}"]), FLOAT, shape)
        expected.append((x.astype(np.float64) - widen(zero, shape, **place)) * widen(scale, shape, **place))
    check("differences", graph, feed, expected, 2.0 ** -23)


def check(what, graph, feed, expected, tolerance):
    graph.save("zero_point.onnx")
    for mode, options in MODES.items():
        path, _ = strata.compile_library("zero_point.onnx", ".", f"zero_point_{what}_{mode}", options)
        for i, (got, want) in enumerate(zip(strata.Library(path).run(feed), expected)):
            error = np.abs(got - want)
            assert (error <= np.abs(want) * tolerance).all(), f"{what}, {mode}, result {i}: {error.max()} off"


if __name__ == "__main__":
    gpu.use_stand_in()
    cases = CASES + list(more_cases(12))
    check_dequantize(cases)
    check_differences(cases)
