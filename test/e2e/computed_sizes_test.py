"""Sizes that exporters compute with floats, rounded as ONNX rounds them, beside numpy: factors that keep an image's
aspect, and images resized by them, on the cpu and on an emulated device."""
import numpy as np

import gpu
import strata
from counted_sizes_test import suppressed
from onnx_file import BOOL, DOUBLE, FLOAT, INT64, UINT8, Graph

TARGETS = {"cpu": [], "nvgpu": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"]}
F32 = np.float32


class Formulas:
    """Operators on numbers, as nodes of a graph."""

    def __init__(self, graph):
        self.graph = graph

    def number(self, value):
        name = f"n{self.graph.n_values}"
        self.graph.n_values += 1
        return self.graph.constant(name, value)

    def __getattr__(self, op):
        return lambda *operands, **attributes: self.graph.node(op, list(operands), **attributes)

    def size(self, axis, element_type):
        return self.Cast(self.Squeeze(self.Shape("x", start=axis, end=axis + 1)), to=element_type)


class Numbers:
    """The same, as numpy computes them."""

    def __init__(self, *sizes):
        self.sizes = sizes

    def number(self, value):
        return value

    def size(self, axis, element_type):
        return {FLOAT: F32, DOUBLE: np.float64}[element_type](self.sizes[axis])

    def Cast(self, x, to):
        return {FLOAT: F32, DOUBLE: np.float64, INT64: np.int64}[to](x)

    Reciprocal = staticmethod(lambda x: type(x)(1) / x)
    Add, Sub, Mul, Div = (staticmethod(f) for f in (np.add, np.subtract, np.multiply, np.divide))
    Min, Max, Floor, Ceil, Round = (staticmethod(f) for f in (np.minimum, np.maximum, np.floor, np.ceil, np.rint))
    Abs = staticmethod(np.abs)


def scale(f, kind=FLOAT):
    """What makes the shorter side 320, or the longer one 640, if that is less, by reciprocals."""
    h, w = f.size(0, kind), f.size(1, kind)
    one = F32 if kind == FLOAT else np.float64
    return f.Min(f.Mul(f.Reciprocal(f.Min(h, w)), f.number(one(320))),
                 f.Mul(f.Reciprocal(f.Max(h, w)), f.number(one(640))))


def quotient_scale(f):
    h, w = f.size(0, FLOAT), f.size(1, FLOAT)
    return f.Min(f.Div(f.number(F32(1333)), f.Max(h, w)), f.Div(f.number(F32(800)), f.Min(h, w)))


FORMULAS = {
    "reciprocals": lambda f: f.Floor(f.Mul(f.size(0, FLOAT), scale(f))),
    "the other side": lambda f: f.Floor(f.Mul(f.size(1, FLOAT), scale(f))),
    "in f64": lambda f: f.Floor(f.Mul(f.size(0, DOUBLE), scale(f, DOUBLE))),
    "f64 of an f32": lambda f: f.Floor(f.Mul(f.size(1, DOUBLE), f.Cast(scale(f), to=DOUBLE))),
    "rounded up from a half": lambda f: f.Cast(f.Add(f.Mul(f.size(0, FLOAT), quotient_scale(f)), f.number(F32(0.5))),
                                               to=INT64),
    "nearest": lambda f: f.Round(f.Mul(f.size(1, FLOAT), quotient_scale(f))),
    "a short factor": lambda f: f.Floor(f.Mul(f.size(0, FLOAT), f.number(F32(0.7)))),
    "a quotient": lambda f: f.Ceil(f.Div(f.size(1, FLOAT), f.number(F32(0.3)))),
    "what is left": lambda f: f.Floor(f.Sub(f.number(F32(641)), f.Min(f.Mul(f.size(1, FLOAT), f.number(F32(0.1))),
                                                                    f.number(F32(640))))),
    "not less": lambda f: f.Ceil(f.Max(f.Abs(f.Div(f.size(0, FLOAT), f.size(1, FLOAT))), f.number(F32(1.25)))),
}


def save_formulas():
    graph = Graph(opset=18)
    graph.input("x", UINT8, ["h", "w"])
    f = Formulas(graph)
    for i, formula in enumerate(FORMULAS.values()):
        count = f.Cast(formula(f), to=INT64)
        graph.output(graph.node("Range", [f.number(np.int64(0)), count, f.number(np.int64(1))]), INT64, [f"n{i}"])
    return graph.save("formulas.onnx")


def exact(h, w):
    """The first formula as real numbers would have it."""
    return h * 320 // min(h, w) if 2 * min(h, w) >= max(h, w) else h * 640 // max(h, w)


def check_formulas(random):
    path, _ = strata.compile_library(save_formulas(), ".", "formulas")
    library = strata.Library(path)
    decided = [(77, 220), (602, 35), (862, 1067), (920, 63)]  # f32 has another first size there than real numbers
    sizes = [(1, 1), (1, 3000), (3000, 1), (320, 320), (640, 320), (49, 98), (2999, 3000), *decided]
    sizes += [tuple(int(v) for v in random.integers(1, 1200, 2)) for _ in range(150)]
    for h, w in sizes:
        expected = [int(formula(Numbers(h, w))) for formula in FORMULAS.values()]
        got = library.run([np.zeros((h, w), np.uint8)], library.sizes_of([(h, w)]))
        for name, count, numbers in zip(FORMULAS, expected, got):
            assert np.array_equal(numbers, np.arange(count)), f"{name} of {h}, {w}: {len(numbers)}, not {count}"
        assert expected[0] != exact(h, w) or (h, w) not in decided, f"f32 does not decide the size of {h}, {w}"


def save_images(sizes):
    """An image resized by a factor, filled up to multiples of 32, and what a window makes of it."""
    graph = Graph(opset=18)
    graph.input("x", FLOAT, [1, 2, *sizes])
    f = Formulas(graph)
    # The axes of the formulas are those of the image.
    f.size = lambda axis, kind: Formulas.size(f, axis + 2, kind)
    sides = [f.Unsqueeze(f.Cast(f.Floor(f.Mul(f.size(i, FLOAT), scale(f))), to=INT64),
                         f.number(np.array([0], np.int64))) for i in range(2)]
    wanted = f.Concat(f.Shape("x", start=0, end=2), *sides, axis=0)
    image = f.Resize("x", "", "", wanted, mode="linear", coordinate_transformation_mode="half_pixel")
    full = [f.Cast(f.Mul(f.Ceil(f.Div(f.Cast(side, to=FLOAT), f.number(F32(32)))), f.number(F32(32))), to=INT64)
            for side in sides]
    zero = f.number(np.array([0], np.int64))
    padding = f.Concat(zero, zero, zero, zero, zero, zero, *[f.Sub(a, b) for a, b in zip(full, sides)], axis=0)
    graph.output(image, FLOAT, [1, 2, "a", "b"])
    padded = f.Pad(image, padding)
    graph.output(f.MaxPool(padded, kernel_shape=[4, 4], strides=[4, 4]), FLOAT, [1, 2, "c", "d"])
    graph.output(f.ReduceMean(padded, f.number(np.array([2, 3], np.int64))), FLOAT, [1, 2, 1, 1])
    return graph.save("images.onnx")


def resized(x, count, axis):
    """Linearly, by the places that pixels' middles have."""
    places = np.clip((np.arange(count) + 0.5) * x.shape[axis] / count - 0.5, 0, x.shape[axis] - 1)
    low = np.floor(places).astype(int)
    high = np.minimum(low + 1, x.shape[axis] - 1)
    weight = (places - low).reshape([-1 if i == axis else 1 for i in range(4)])
    return x.take(low, axis) * (1 - weight) + x.take(high, axis) * weight


def images(x):
    sizes = [int(FORMULAS[name](Numbers(*x.shape[2:]))) for name in ("reciprocals", "the other side")]
    y = resized(resized(x.astype(np.float64), sizes[0], 2), sizes[1], 3)
    padded = np.pad(y, ((0, 0), (0, 0), *[(0, -size % 32) for size in sizes]))
    blocks = padded.reshape(1, 2, padded.shape[2] // 4, 4, padded.shape[3] // 4, 4)
    return [y, blocks.max((3, 5)), padded.mean((2, 3), keepdims=True)]


def check_images(options, random, sizes):
    path, _ = strata.compile_library(save_images(["h", "w"]), ".", "images_" + ("nvgpu" if options else "cpu"), options)
    library = strata.Library(path)
    for h, w in sizes:
        x = random.standard_normal((1, 2, h, w)).astype(F32)
        for got, wanted in zip(library.run([x], library.sizes_of([x.shape])), images(x)):
            assert got.shape == wanted.shape, f"{h}, {w}: {got.shape}, not {wanted.shape}"
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4, err_msg=f"{h}, {w}")


# -- a detector in small ----------------------------------------------------------------------------------------------

CELL, SIDE, MOST, OVERLAP = 8, 24, 40, 0.3
# What the scores of an image of [0, 1) may err by: on each of two axes a weight, what is left to one, two products and
# their sum are rounded, each by half a unit of f32 at most.
SCORE_ERROR = 2 * 5 * 2.0 ** -25


def save_detector():
    """Of an image resized by a factor the brightest cells, boxes around them that overlap no brighter one, and what the
    image has in their middles, in the image's own places."""
    graph = Graph(opset=16)
    graph.input("x", FLOAT, [1, 1, "h", "w"])
    f = Formulas(graph)
    f.size = lambda axis, kind: Formulas.size(f, axis + 2, kind)
    zero, one, last = (f.number(np.array([value], np.int64)) for value in (0, 1, -1))
    sides = [f.Unsqueeze(f.Cast(f.Floor(f.Mul(f.size(i, FLOAT), scale(f))), to=INT64), zero) for i in range(2)]
    image = f.Resize("x", "", "", f.Concat(f.Shape("x", start=0, end=2), *sides, axis=0), mode="linear")
    cells = f.MaxPool(image, kernel_shape=[CELL, CELL], strides=[CELL, CELL])
    columns = f.Squeeze(f.Shape(cells, start=3, end=4), zero)
    count = f.Mul(f.Shape(cells, start=2, end=3), f.Shape(cells, start=3, end=4))
    least = f.ReduceMin(f.Concat(count, f.number(np.array([MOST], np.int64)), axis=0), keepdims=1)
    scores, places = f.graph.node("TopK", [f.Reshape(cells, last), least], 2, axis=0)
    place = [f.Cast(f.Div(places, columns), to=FLOAT), f.Cast(f.Mod(places, columns), to=FLOAT)]
    middles = [f.Unsqueeze(f.Add(f.Mul(p, f.number(F32(CELL))), f.number(F32(CELL / 2))), last) for p in place]
    half = f.number(F32(SIDE / 2))
    boxes = f.Concat(*[f.Sub(middle, half) for middle in middles], *[f.Add(middle, half) for middle in middles], axis=1)
    listed = f.NonMaxSuppression(f.Unsqueeze(boxes, zero), f.Unsqueeze(f.Unsqueeze(scores, zero), zero),
                                 f.number(np.array([MOST], np.int64)), f.number(np.array([OVERLAP], F32)))
    kept = f.Squeeze(f.Slice(listed, f.number(np.array([2], np.int64)), f.number(np.array([3], np.int64)), one), one)
    found = f.Gather(boxes, kept, axis=0)
    turned = f.Gather(found, f.number(np.array([1, 0, 3, 2], np.int64)), axis=1)
    image_of = f.Mul(kept, f.number(np.int64(0)))
    seen = f.RoiAlign(image, turned, image_of, output_height=1, output_width=1, sampling_ratio=1,
                      coordinate_transformation_mode="half_pixel")
    ratios = [f.Unsqueeze(f.Div(f.size(i, FLOAT), f.Cast(f.Squeeze(side, zero), to=FLOAT)), zero)
              for i, side in enumerate(sides)]
    graph.output(f.Mul(found, f.Concat(*ratios, *ratios, axis=0)), FLOAT, ["n", 4])
    graph.output(f.Gather(scores, kept, axis=0), FLOAT, ["n"])
    graph.output(f.Reshape(seen, last), FLOAT, ["n"])
    graph.output(f.Greater(f.Gather(scores, kept, axis=0), f.number(F32(1))), BOOL, ["n"])
    return graph.save("detector.onnx")


def detections(x):
    """What the model finds, and the least distance of two scores that decide it."""
    sizes = [int(FORMULAS[name](Numbers(*x.shape[2:]))) for name in ("reciprocals", "the other side")]
    y = resized(resized(x.astype(np.float64), sizes[0], 2), sizes[1], 3)[0, 0]
    rows, columns = sizes[0] // CELL, sizes[1] // CELL
    cells = y[:rows * CELL, :columns * CELL].reshape(rows, CELL, columns, CELL).max((1, 3)).reshape(-1)
    places = np.argsort(-cells, kind="stable")
    apart, places = -np.diff(cells[places[:MOST + 1]]).max(initial=-np.inf), places[:MOST]
    middles = np.stack([places // columns, places % columns], 1) * CELL + CELL / 2
    boxes = np.concatenate([middles - SIDE / 2, middles + SIDE / 2], 1)
    kept = suppressed(boxes[None], cells[places][None, None], MOST, OVERLAP, -np.inf)[:, 2]
    at = middles[kept].astype(int)
    # Half a pixel in front of a pixel's number: between four.
    seen = sum(y[at[:, 0] - i, at[:, 1] - j] for i in range(2) for j in range(2)) / 4
    ratios = np.array([size / new for size, new in zip(x.shape[2:], sizes)] * 2)
    return [boxes[kept] * ratios, cells[places][kept], seen, cells[places][kept] > 1], apart


def detectable(random, h, w):
    """An image whose scores have one order in f32 and in f64, with its detections: two of three have."""
    while True:
        x = random.random((1, 1, h, w)).astype(F32)
        wanted, apart = detections(x)
        if apart > 2 * SCORE_ERROR:
            return x, wanted


def check_detector(options, random, sizes):
    path, _ = strata.compile_library(save_detector(), ".", "detector_" + ("nvgpu" if options else "cpu"), options)
    library = strata.Library(path)
    names = [info.name.decode() for info in library.outputs]
    for h, w in sizes:
        x, wanted = detectable(random, h, w)
        got = dict(zip(names, library.run([x], library.sizes_of([x.shape]))))
        for name, right in zip(names, wanted):
            assert tuple(got[name + "_sizes"]) == right.shape, f"{h}, {w}: {got[name + '_sizes']}, not {right.shape}"
            np.testing.assert_allclose(got[name][:len(right)], right, rtol=1e-4, atol=1e-4, err_msg=f"{h}, {w}, {name}")


def main():
    gpu.use_stand_in()
    random = np.random.default_rng(strata.run_seed())
    check_formulas(random)
    sizes = [(320, 320), (49, 98), (333, 217)] + [tuple(int(v) for v in random.integers(20, 400, 2)) for _ in range(2)]
    check_images(TARGETS["cpu"], random, sizes)
    check_images(TARGETS["nvgpu"], random, sizes[1:])
    check_detector(TARGETS["cpu"], random, sizes)
    check_detector(TARGETS["nvgpu"], random, sizes)


if __name__ == "__main__":
    main()
