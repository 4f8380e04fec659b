"""GridSample near and beyond the edges against a reference in f64: all modes, paddings and corners, images of one row too."""
import itertools

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT

MODES = ("nearest", "linear", "cubic")
A = -0.75


def keys(d):
    """The cubic kernel at a distance."""
    d = abs(d)
    if d <= 1:
        return ((A + 2) * d - (A + 3)) * d * d + 1
    return ((A * d - 5 * A) * d + 8 * A) * d - 4 * A if d < 2 else 0


def mirrored(x, size, corners):
    low, high = (0, size - 1) if corners else (-0.5, size - 0.5)
    while high > low and not low <= x <= high:
        x = 2 * low - x if x < low else 2 * high - x
    return x if high > low else 0


def taps(x, size, mode, padding, corners):
    """(index, weight) along one dim; an index of -1 is a zero."""
    x = (x + 1) / 2 * (size - 1) if corners else ((x + 1) * size - 1) / 2
    if mode == "nearest":
        x = np.rint(x)
    if padding == "border" and mode != "cubic":
        x = min(max(x, 0), size - 1)
    if padding == "reflection":
        x = mirrored(x, size, corners)
    first = np.floor(x)
    offsets = {"nearest": [0], "linear": [0, 1], "cubic": [-1, 0, 1, 2]}[mode]
    for k in offsets:
        at, distance = first + k, x - first - k
        weight = 1 if mode == "nearest" else 1 - abs(distance) if mode == "linear" else keys(distance)
        if padding == "border":
            at = min(max(at, 0), size - 1)
        if padding == "reflection":
            at = min(max(np.rint(mirrored(at, size, corners)), 0), size - 1)
        yield (int(at) if 0 <= at < size else -1), weight


def sample(x, grid, mode, padding, corners):
    result = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    for point in np.ndindex(*grid.shape[:-1]):
        place = grid[point].astype(np.float64)[::-1]  # the last spatial dim comes first
        dims = [list(taps(p, size, mode, padding, corners)) for p, size in zip(place, x.shape[2:])]
        for combination in itertools.product(*dims):
            if all(index >= 0 for index, _ in combination):
                element = x[(point[0], slice(None), *(index for index, _ in combination))]
                result[(point[0], slice(None), *point[1:])] += element * np.prod([weight for _, weight in combination])
    return result


def check(names, calls):
    """Of images and grids of the shapes that |calls| has; |names|: a library that takes all, whose sizes have these names."""
    generator = np.random.default_rng(5)
    shape, grid_shape = names or calls[0]
    g = onnx_file.Graph(opset=20)
    g.input("x", FLOAT, shape)
    g.input("grid", FLOAT, [*grid_shape, len(shape) - 2])
    cases = [case for case in itertools.product(MODES, ("zeros", "border", "reflection"), (0, 1))
             if len(shape) == 4 or case[0] != "cubic"]
    for mode, padding, corners in cases:
        y = g.node("GridSample", ["x", "grid"], mode=mode, padding_mode=padding, align_corners=corners)
        g.output(y, FLOAT, [*shape[:2], *grid_shape[1:]])
    path, _ = strata.compile_library(g.save("sample.onnx"), ".", "sample_" + "x".join(map(str, shape)))
    library = strata.Library(path)
    for shape, grid_shape in calls:
        x = generator.standard_normal(shape).astype(np.float32)
        grid = generator.uniform(-1.7, 1.7, (*grid_shape, len(shape) - 2)).astype(np.float32)
        for got, case in zip(library.run([x, grid], library.sizes_of([x.shape, grid.shape])), cases):
            expected = sample(x.astype(np.float64), grid, *case)
            np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4, err_msg=f"{shape}, {case}")


check(None, [([2, 3, 5, 7], [2, 6, 9])])
check(None, [([1, 2, 1, 4], [1, 5, 7])])
check(None, [([1, 2, 3, 4, 5], [1, 3, 4, 5])])
check((["n", 2, "h", "w"], ["n", "a", "b"]), [([2, 2, 5, 7], [2, 6, 9]), ([1, 2, 1, 4], [1, 5, 7]), ([3, 2, 6, 1], [3, 1, 2])])
print("passed")
