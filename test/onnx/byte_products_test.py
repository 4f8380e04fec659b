"""Products and convolutions of quantised operands beside their integers: on cpus that multiply four bytes at once, and
on matrix instructions of bytes, they are sums of bytes, elsewhere of floats. Integer results are exact; floats are a few
roundings from exact, and what is rounded from them is the nearest integer but at ties. Of some the number of images, or
rows, is a size of the call. `byte_products_test.py SEED` tries others."""
import os
import sys
import tempfile

import numpy as np

import gpu
import strata
from onnx_file import ELEMENT_TYPES, FLOAT, Graph

SEED = int(sys.argv[1]) if len(sys.argv) > 1 else int(os.environ.get("STRATA_SEED", 0))
MODES = {
    "default": [],
    "exact": ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"],
    "emulated": ["--target=nvgpu", "--device=emulated"],
    "emulated_90": ["--target=nvgpu", "--device=emulated_90"],
}
# Of AMD's instructions, the first of signed bytes alone: one a run.
AMD = strata.drawn(["emulated_942", "emulated_1100"], 1)
MODES |= {device: ["--target=nvgpu", f"--device={device}"] for device in AMD}
HALF = {mode for mode in MODES if mode.startswith("emulated")}  # where what is no product of bytes is one of f16
NEAR = 1e-3  # of a tie: floats may fall on its other side
random = np.random.default_rng(SEED)

CONVOLUTIONS = [  # channels in, out, groups, image, kernel, strides, pads, dilations, type, zero point
    (3, 32, 1, (19, 23), (7, 7), (2, 2), (3, 3, 3, 3), (1, 1), np.int8, 2),
    (3, 8, 1, (9, 9), (3, 3), (1, 1), (1, 1, 1, 1), (1, 1), np.uint8, 255),
    (16, 37, 1, (11, 13), (3, 3), (1, 1), (1, 1, 1, 1), (1, 1), np.int8, -128),
    (16, 100, 1, (11, 13), (3, 3), (2, 1), (0, 1, 1, 0), (1, 2), np.int8, -77),
    (32, 64, 1, (7, 9), (1, 1), (1, 1), (0, 0, 0, 0), (1, 1), np.uint8, 0),
    (64, 17, 1, (5, 6), (1, 1), (2, 2), (0, 0, 0, 0), (1, 1), np.int8, 5),
    (24, 40, 2, (6, 7), (3, 3), (1, 1), (1, 1, 1, 1), (1, 1), np.uint8, 131),
    (6, 10, 1, (6, 7), (3, 2), (1, 1), (2, 1, 0, 1), (1, 1), np.int8, 127),
    (12, 12, 12, (6, 7), (3, 3), (1, 1), (1, 1, 1, 1), (1, 1), np.int8, -128),  # a channel each: no product of bytes
    (1, 5, 1, (6, 7), (3, 3), (1, 1), (1, 1, 1, 1), (1, 1), np.int8, -3),
]
PRODUCTS = [  # rows, sum, columns, type of the left operand and its zero point, of the right one
    (1, 64, 48, np.uint8, 128, np.int8, 0),
    (5, 256, 100, np.int8, -3, np.int8, 0),
    (33, 30, 17, np.uint8, 7, np.uint8, 128),
    (14, 3, 32, np.int8, 0, np.int8, 0),
    (14, 2, 32, np.int8, 9, np.int8, 0),
    (9, 20, 1, np.uint8, 255, np.int8, 0),
    (9, 20, 33, np.int8, 1, np.int8, 3),
    (3, 4, 5, np.uint8, 0, np.uint8, 4),
]


def bytes_of(dtype, shape):
    """Random ones, with both ends of the range among them; a whole row of the least and one of the greatest."""
    info = np.iinfo(dtype)
    values = random.integers(info.min, info.max, shape, endpoint=True).astype(dtype)
    rows = values.reshape(shape[0], -1)
    rows[0], rows[-1] = info.min, info.max
    return values


def convolve(x, w, groups, strides, pads, dilations):
    """Of integers, in 64 bits."""
    x = np.pad(x.astype(np.int64), [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    channels, filters = w.shape[1], w.shape[0] // groups
    size = [(x.shape[2 + i] - (w.shape[2 + i] - 1) * dilations[i] - 1) // strides[i] + 1 for i in range(2)]
    y = np.zeros((x.shape[0], w.shape[0], *size), np.int64)
    for i, j in np.ndindex(w.shape[2:]):
        top, left = i * dilations[0], j * dilations[1]
        part = x[:, :, top:top + (size[0] - 1) * strides[0] + 1:strides[0],
                 left:left + (size[1] - 1) * strides[1] + 1:strides[1]]
        for g in range(groups):
            own = part[:, g * channels:(g + 1) * channels]
            y[:, g * filters:(g + 1) * filters] += np.einsum(
                "nchw,fc->nfhw", own, w[g * filters:(g + 1) * filters, :, i, j].astype(np.int64))
    return y


class Case:
    """Inputs and results of one library, whose products of dequantised values are products of bytes, or are not. The
    first dim of the first input, and of all results, may be a size of the call."""

    def __init__(self, are_bytes=True):
        self.graph, self.feed, self.checks, self.are_bytes = Graph(21), [], [], are_bytes
        self.is_open = random.integers(2) == 1

    def shape_of(self, value):
        return ["n", *value.shape[1:]] if self.is_open else value.shape

    def input(self, value):
        name = f"x{len(self.feed)}"
        shape = value.shape if self.feed else self.shape_of(value)
        self.feed.append(value)
        return self.graph.input(name, ELEMENT_TYPES[value.dtype], shape) or name

    def constant(self, value, dtype):
        name = f"c{len(self.feed)}_{len(self.checks)}_{random.integers(1 << 40)}"
        return self.graph.constant(name, np.array(value, dtype)) or name

    def exact(self, name, want, dtype):
        self.graph.output(name, ELEMENT_TYPES[np.dtype(dtype)], self.shape_of(want))
        self.checks.append(lambda got, half: np.array_equal(got, want[:len(got)].astype(dtype)))

    def real(self, name, want, scale):
        """|scale|: of the terms of its sums."""
        self.graph.output(name, FLOAT, self.shape_of(want))
        self.checks.append(lambda got, half: (np.abs(got - want[:len(got)]) <=
                                              (2**-10 if half else 2e-6) * (np.abs(want[:len(got)]) + scale)).all())

    def rounded(self, name, want, zero, dtype, near_half=NEAR):
        """The nearest integer to |want|, and the zero point; either where it is nearly a tie, |near_half| of products
        of f16."""
        info = np.iinfo(dtype)
        low, high, low_half, high_half = (np.clip(np.rint(want + d) + zero, info.min, info.max)
                                          for d in (-NEAR, NEAR, -near_half, near_half))
        self.graph.output(name, ELEMENT_TYPES[np.dtype(dtype)], self.shape_of(want))
        self.checks.append(lambda got, half: ((got >= (low_half if half else low)[:len(got)]) &
                                              (got <= (high_half if half else high)[:len(got)])).all())

    def run(self, what):
        with tempfile.TemporaryDirectory() as folder:
            path = self.graph.save(os.path.join(folder, "model.onnx"))
            for mode, options in MODES.items():
                library = strata.Library(strata.compile_library(path, folder, f"bytes_{mode}", options)[0])
                for n in {len(self.feed[0]), 1} if self.is_open else {len(self.feed[0])}:
                    results = library.run([self.feed[0][:n], *self.feed[1:]], [n] if self.is_open else None)
                    for i, (got, check) in enumerate(zip(results, self.checks)):
                        half = mode in HALF and not self.are_bytes
                        assert len(got) == n and check(got, half), \
                            f"{what}, {mode}, {n} of them{' of any number' * self.is_open}: result {i} is off (seed {SEED})"


def quantised(case, integers, scale, zero, axis=None):
    """(integers - zero) * scale, as a model says it."""
    names = [integers, case.constant(scale, np.float32), zero]
    return case.graph.node("DequantizeLinear", names, **({} if axis is None else {"axis": axis}))


def requantised(case, real, scale, zero, dtype):
    return case.graph.node("QuantizeLinear", [real, case.constant(scale, np.float32), case.constant(zero, dtype)])


def check_convolution(channels, filters, groups, image, kernel, strides, pads, dilations, dtype, zero):
    x, w = bytes_of(dtype, (2, channels, *image)), bytes_of(np.int8, (filters, channels // groups, *kernel))
    where = {"kernel_shape": list(kernel), "strides": list(strides), "pads": list(pads), "dilations": list(dilations),
             "group": groups}
    sums = convolve(x.astype(np.int64) - zero, w, groups, strides, pads, dilations)
    x_scale, w_scale = np.float32(0.013), random.uniform(0.001, 0.02, filters).astype(np.float32)
    y_scale = np.float32(max(np.abs(sums).max(), 1) * x_scale * w_scale.max() / 200)
    bias = random.uniform(-1, 1, filters).astype(np.float32) * y_scale * 20
    scales = x_scale * w_scale.astype(np.float64)[:, None, None]
    terms = (np.abs(x.astype(np.float64) - zero).max() * 128 * scales).max() * w[0].size
    case = Case(groups == 1 and channels >= 3)
    name, zero_name = case.input(x), case.constant(zero, dtype)
    weight = quantised(case, case.constant(w, np.int8), w_scale, case.constant(np.zeros(filters), np.int8), 0)
    real = case.graph.node("Conv", [quantised(case, name, x_scale, zero_name), weight,
                                    case.constant(bias, np.float32)], **where)
    want = sums * scales + bias[:, None, None].astype(np.float64)
    case.real(real, want, terms)
    relu = case.graph.node("Relu", [real])
    first = requantised(case, relu, y_scale, -128, np.int8)
    case.rounded(first, np.maximum(want, 0) / np.float64(y_scale), -128, np.int8, 2**-10 * 2 * terms / y_scale)
    case.exact(case.graph.node("ConvInteger", [name, case.constant(w, np.int8), zero_name], **where), sums, np.int32)
    flat = case.constant(w_scale[0], np.float32)
    linear = case.graph.node("QLinearConv", [name, case.constant(x_scale, np.float32), zero_name,
                                             case.constant(w, np.int8), flat, case.constant(0, np.int8),
                                             case.constant(y_scale, np.float32), case.constant(100, np.uint8)], **where)
    case.rounded(linear, sums * (np.float64(x_scale) * w_scale[0] / y_scale), 100, np.uint8)
    case.run(f"{channels} to {filters} channels, kernel {kernel}, zero point {zero}")


def check_product(rows, steps, columns, dtype, zero, right_dtype, right_zero):
    a, b = bytes_of(dtype, (rows, steps)), bytes_of(right_dtype, (steps, columns))
    sums = (a.astype(np.int64) - zero) @ (b.astype(np.int64) - right_zero)
    a_scale, b_scale = np.float32(0.021), np.float32(0.0037)
    scale, terms = np.float64(a_scale) * b_scale, np.float64(a_scale) * b_scale * 255 * 255 * steps
    case = Case(steps >= 3 and np.iinfo(right_dtype).max - right_zero == 127)
    left, zero_name = case.input(a), case.constant(zero, dtype)
    right = case.constant(b, right_dtype)
    right_zero_name = case.constant(right_zero, right_dtype)
    real = case.graph.node("MatMul", [quantised(case, left, a_scale, zero_name),
                                      quantised(case, right, b_scale, right_zero_name)])
    case.real(real, sums * scale, terms)
    case.exact(case.graph.node("MatMulInteger", [left, right, zero_name, right_zero_name]), sums, np.int32)
    computed = case.input(b)  # both operands are: its sums are not known before
    case.exact(case.graph.node("MatMulInteger", [left, computed, zero_name, right_zero_name]), sums, np.int32)
    case.run(f"{rows}x{steps}x{columns}, zero points {zero}, {right_zero}")


def check_network():
    """A block with a residual sum, as static quantisation leaves it: each value against those before it, as given."""
    case, scale = Case(), np.float32(0.05)
    x = bytes_of(np.int8, (1, 16, 9, 10))
    name = case.input(x)
    zero = case.constant(-128, np.int8)
    w = bytes_of(np.int8, (16, 16, 3, 3))
    where = {"kernel_shape": [3, 3], "pads": [1] * 4}
    sums = convolve(x.astype(np.int64) + 128, w, 1, (1, 1), (1,) * 4, (1, 1))
    w_scale = np.float32(300 / max(np.abs(sums).max(), 1))
    dequantised = quantised(case, name, scale, zero)
    real = case.graph.node("Conv", [dequantised, quantised(case, case.constant(w, np.int8), w_scale,
                                                           case.constant(0, np.int8))], **where)
    first = requantised(case, real, scale, -4, np.int8)
    one = np.clip(np.rint(sums * np.float64(w_scale)) - 4, -128, 127)
    ties = np.abs(np.abs(sums * np.float64(w_scale) % 1) - 0.5).min()
    total = case.graph.node("Relu", [case.graph.node(
        "Add", [quantised(case, first, scale, case.constant(-4, np.int8)), dequantised])])
    second = requantised(case, total, scale * np.float32(1.7), -128, np.int8)
    case.rounded(first, sums * np.float64(w_scale), -4, np.int8)
    if ties > NEAR:
        case.rounded(second, np.maximum(one + 4 + x.astype(np.float64) + 128, 0) / 1.7, -128, np.int8)
    pooled = case.graph.node("MaxPool", [quantised(case, second, scale, zero)], kernel_shape=[2, 2])
    case.graph.output(pooled, FLOAT, case.shape_of(np.empty((1, 16, 8, 9))))
    case.checks.append(lambda got, half: np.isfinite(got).all())
    case.run("a residual block")


if __name__ == "__main__":
    gpu.use_stand_in()
    for convolution in strata.every(CONVOLUTIONS):
        check_convolution(*convolution)
    for product in strata.every(PRODUCTS):
        check_product(*product)
    check_network()
