"""Convolutions of images enlarged by repeating their elements, along one to three dims, with groups, padding, dilations
and strides, and what may follow, against sums in f64; once more with the images' sizes left open. And how many products they are on the cpu: one of the small image
for each phase of the result, with all that follows in it, in one launch; or one where that would save nothing."""
import itertools
import re
import sys

import numpy as np

import gpu
import strata
from onnx_file import DOUBLE, FLOAT, FLOAT16, Graph

RNG = np.random.default_rng(5)
TYPES = {np.float32: FLOAT, np.float16: FLOAT16, np.float64: DOUBLE}


def reference(x, w, bias, case):
    x, w = x.astype(np.float64), w.astype(np.float64)
    for axis, factor in enumerate(case.factors):
        x = np.repeat(x, factor, axis + 2)
    if case.between:
        x = np.maximum(x, 0)
    rank = len(case.factors)
    x = np.pad(x, [(0, 0), (0, 0), *zip(case.pads[:rank], case.pads[rank:])])
    out = [(n - d * (k - 1) - 1) // s + 1
           for n, d, k, s in zip(x.shape[2:], case.dilations, w.shape[2:], case.strides)]
    each, filters = w.shape[1], w.shape[0] // case.group
    y = np.zeros((x.shape[0], w.shape[0], *out))
    for tap in itertools.product(*map(range, w.shape[2:])):
        read = x[(..., *(slice(t * d, t * d + s * (o - 1) + 1, s)
                         for t, d, s, o in zip(tap, case.dilations, case.strides, out)))]
        for g in range(case.group):
            y[:, g * filters:(g + 1) * filters] += np.einsum(
                "nc...,fc->nf...", read[:, g * each:(g + 1) * each], w[(slice(g * filters, (g + 1) * filters), slice(None), *tap)])
    y = y + bias.reshape(-1, *[1] * rank)
    return np.maximum(y, 0) if case.relu else y


class Case:
    def __init__(self, size, factors, kernel, channels, filters, pads=None, group=1, dilations=None, strides=None,
                 batch=1, constant=True, relu=False, between=False, dtype=np.float32):
        rank = len(size)
        self.factors, self.group, self.relu, self.between, self.dtype = factors, group, relu, between, dtype
        self.pads = pads or [(k - 1) // 2 for k in kernel] + [k // 2 for k in kernel]
        self.dilations, self.strides, self.constant = dilations or [1] * rank, strides or [1] * rank, constant
        self.x = RNG.standard_normal((batch, channels, *size)).astype(dtype)
        self.w = RNG.standard_normal((filters, channels // group, *kernel)).astype(dtype)
        self.bias = RNG.standard_normal(filters).astype(dtype)
        self.expected = reference(self.x, self.w, self.bias, self)
        self.tolerance = 1e-2 if dtype == np.float16 else 1e-5

    def add_to(self, graph, i, is_open=False):
        """|is_open|: batch and sizes of the image are names."""
        shape, result = self.x.shape, self.expected.shape
        if is_open:
            shape, result = ([f"{name}{i}.{axis}" if axis != 1 else size for axis, size in enumerate(sizes)]
                             for name, sizes in (("x", shape), ("y", result)))
        x = graph.input(f"x{i}", TYPES[self.dtype], shape)
        scales = graph.constant(f"s{i}", np.array([1, 1, *self.factors], np.float32))
        enlarged = graph.node("Resize", [x, "", scales], mode="nearest", nearest_mode="floor",
                              coordinate_transformation_mode="asymmetric")
        if self.between:
            enlarged = graph.node("Relu", [enlarged])
        w = graph.constant(f"w{i}", self.w) if self.constant else graph.input(f"w{i}", TYPES[self.dtype], self.w.shape)
        y = graph.node("Conv", [enlarged, w, graph.constant(f"b{i}", self.bias)], group=self.group, pads=self.pads,
                       dilations=self.dilations, strides=self.strides)
        graph.output(graph.node("Relu", [y]) if self.relu else y, TYPES[self.dtype], result)
        return [self.x] if self.constant else [self.x, self.w]


def random_case(random):
    rank = int(random.choice([1, 2, 2, 2, 3]))
    group = int(random.choice([1, 1, 1, 2]))
    size, kernel = ([int(n) for n in random.integers(1, most, rank)] for most in (8, 6))
    factors = [int(n) for n in random.choice([1, 2, 2, 3, 4], rank)]
    dilations = [int(n) for n in random.choice([1, 1, 1, 2], rank)]
    pads = [int(random.integers(0, d * k + 1)) for k, d in zip(kernel, dilations)]
    highs = [max(d * (k - 1) - low, 0) for k, d, low in zip(kernel, dilations, pads)]  # of the size of the input
    return Case(size, factors, kernel, group * int(random.integers(1, 19)), group * int(random.integers(1, 35)),
                pads + highs, group, dilations, batch=int(random.integers(1, 3)), relu=bool(random.random() < 0.5),
                between=bool(random.random() < 0.3))


CASES = [
    Case([5, 7], [2, 2], [3, 3], 17, 33, relu=True),
    Case([5, 7], [2, 2], [3, 3], 17, 33, batch=2),
    Case([5, 7], [3, 2], [3, 3], 8, 16),
    Case([5, 7], [4, 4], [3, 3], 8, 16),
    Case([5, 7], [2, 1], [3, 3], 8, 16),
    Case([5, 7], [2, 2], [5, 5], 8, 3),
    Case([5, 7], [2, 2], [2, 4], 8, 16),
    Case([5, 7], [2, 2], [1, 3], 8, 16),
    Case([5, 7], [2, 2], [1, 1], 8, 16),
    Case([5, 7], [2, 2], [3, 3], 8, 16, pads=[0, 0, 0, 0]),
    Case([5, 7], [2, 2], [3, 3], 8, 16, pads=[2, 3, 0, 1]),
    Case([5, 7], [2, 2], [3, 3], 8, 16, pads=[2, 2, 2, 2], dilations=[2, 2]),
    Case([5, 7], [2, 2], [3, 3], 8, 16, strides=[2, 2]),
    Case([5, 7], [2, 2], [3, 3], 12, 12, group=3),
    Case([5, 7], [2, 2], [3, 3], 12, 12, group=12),
    Case([5, 7], [2, 2], [3, 3], 8, 16, constant=False),
    Case([5, 7], [2, 2], [3, 3], 8, 16, between=True),
    Case([5, 7], [2, 2], [3, 3], 8, 16, dtype=np.float16),
    Case([5, 7], [2, 2], [3, 3], 8, 16, dtype=np.float64),
    Case([9], [2], [3], 8, 16),
    Case([3, 4, 5], [2, 2, 2], [3, 3, 3], 6, 9),
    *[random_case(np.random.default_rng(seed)) for seed in range(20)],
]

MODES = {"cpu": [], "safe": ["--polyblocks-disable-unsafe-math-canonicalizations"],
         "emulated": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"]}

# A convolution of 16 channels with bias and relu: factors, kernel, type, options; products.
PRODUCTS = [([2, 2], [3, 3], np.float32, [], 4), ([3, 1], [3, 3], np.float32, [], 3), ([4, 4], [3, 3], np.float32, [], 9),
            ([5, 4], [3, 3], np.float32, [], 1), ([2, 2], [1, 1], np.float32, [], 1), ([2, 2], [3, 3], np.float16, [], 1),
            ([2, 2], [3, 3], np.float32, MODES["safe"], 1), ([2, 2], [3, 3], np.float32, ["--target=nvgpu", "--device=sm_90a"], 1)]


def count_products(factors, kernel, dtype, options, is_open):
    """The products of a run."""
    graph = Graph()
    Case([12, 11], factors, kernel, 16, 16, relu=True, dtype=dtype).add_to(graph, 0, is_open)
    told = strata.strata(graph.save("products.onnx"), "--compile-to=affine", "--explain", "-o", ".", *options)
    return sum(int(n) for n in re.findall(r"^kernel \w+: (\d+) calls, \d+ nests \(contract", told, re.MULTILINE))


def main():
    gpu.use_stand_in()
    failed = 0
    for mode, options in [*MODES.items(), ("open", [])]:
        graph = Graph()
        feed = [value for i, case in enumerate(CASES) for value in case.add_to(graph, i, mode == "open")]
        path = graph.save(f"upsampled_conv_{mode}.onnx")
        library = strata.Library(strata.compile_library(path, ".", f"upsampled_conv_{mode}", options)[0])
        for case, got in zip(CASES, library.run(feed, library.sizes_of([value.shape for value in feed]))):
            error = np.abs(got - case.expected).max() / np.abs(case.expected).max()
            good = got.shape == case.expected.shape and error <= case.tolerance
            failed += not good
            print(f"{'ok  ' if good else 'FAIL'} {mode} {case.x.shape} x {case.factors} by {case.w.shape} {error:.1e}")
    for is_open, (*case, n) in itertools.product((False, True), PRODUCTS):
        got = count_products(*case, is_open)
        failed += got != n
        print(f"{'ok  ' if got == n else 'FAIL'} {case} {'open' * is_open}: {got} products, expected {n}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
