"""ConvTranspose of one to three dims, with groups, strides above the kernel, dilations, padding of every kind, weights
known at compile time or not, and what may follow, against sums in f64; on cpu and on the emulated GPUs, and with batch
and sizes left open. And how many kernels it takes: a
product for each part of the phases, with all that follows in it, in one launch."""
import itertools
import re
import sys

import numpy as np

import gpu
import strata
from onnx_file import FLOAT, FLOAT16, Graph

RNG = np.random.default_rng(3)


def reference(x, w, bias, group, strides, dilations, low, out):
    """|out|: the size of the result; |low| is cut off in front."""
    n, channels = x.shape[:2]
    filters = w.shape[1]
    whole = [max(s * (i - 1) + d * (k - 1) + 1, l + o)
             for i, k, s, d, l, o in zip(x.shape[2:], w.shape[2:], strides, dilations, low, out)]
    y = np.zeros((n, group * filters, *whole))
    each = channels // group
    for kernel in itertools.product(*map(range, w.shape[2:])):
        for g in range(group):
            part = np.einsum("nc...,cf->nf...", x[:, g * each:(g + 1) * each].astype(np.float64),
                             w[(slice(g * each, (g + 1) * each), slice(None), *kernel)].astype(np.float64))
            at = tuple(slice(k * d, k * d + s * (i - 1) + 1, s)
                       for k, d, s, i in zip(kernel, dilations, strides, x.shape[2:]))
            y[(slice(None), slice(g * filters, (g + 1) * filters), *at)] += part
    y = y[(slice(None), slice(None), *(slice(l, l + o) for l, o in zip(low, out)))]
    return y if bias is None else y + bias.reshape(-1, *[1] * len(out))


class Case:
    def __init__(self, size, kernel, channels, filters, group=1, strides=None, dilations=None, pads=None, extra=None,
                 sizes=None, constant=True, batch=2, auto_pad=None, relu=False, dtype=np.float32):
        rank = len(size)
        self.x = RNG.standard_normal((batch, channels, *size)).astype(dtype)
        self.w = RNG.standard_normal((channels, filters, *kernel)).astype(dtype)
        self.bias = RNG.standard_normal(group * filters).astype(dtype) if constant else None
        self.constant, self.relu, self.type = constant, relu, FLOAT16 if dtype == np.float16 else FLOAT
        self.attributes = {"group": group}
        for name, value in (("strides", strides), ("dilations", dilations), ("pads", pads), ("output_padding", extra),
                            ("output_shape", sizes), ("auto_pad", auto_pad)):
            if value is not None:
                self.attributes[name] = value
        strides, dilations, extra = strides or [1] * rank, dilations or [1] * rank, extra or [0] * rank
        pads = pads or [0] * 2 * rank
        whole = [s * (i - 1) + e + d * (k - 1) + 1 for s, i, e, d, k in zip(strides, size, extra, dilations, kernel)]
        low, out = pads[:rank], [w - a - b for w, a, b in zip(whole, pads, pads[rank:])]
        if sizes or auto_pad:
            out = sizes or [i * s for i, s in zip(size, strides)]
            total = [max(w - o, 0) for w, o in zip(whole, out)]
            low = [t // 2 if auto_pad == "SAME_UPPER" else t - t // 2 for t in total]
        self.expected = reference(self.x, self.w, self.bias, group, strides, dilations, low, out)
        if relu:
            self.expected = np.maximum(self.expected, 0)
        self.tolerance = {"rtol": 1e-4, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-2, "atol": 1e-2}


def random_case(random):
    rank, group = int(random.choice([1, 2, 2, 3])), int(random.choice([1, 1, 1, 2, 3]))
    few = random.integers(1, 9, 2), random.choice([1, 16, 17, 24, 40], 2)
    channels, filters = (int(count) for count in few[random.choice(2)])
    size, kernel, strides = ([int(n) for n in random.integers(1, most, rank)] for most in (8, 6, 5))
    dilations = [int(n) for n in random.choice([1, 1, 1, 2, 3], rank)]
    span = [d * (k - 1) for d, k in zip(dilations, kernel)]
    extra = [int(random.integers(0, s)) for s in strides]
    pads = [int(random.integers(0, n + 1)) for n in span * 2]
    whole = [s * (i - 1) + n + 1 + e for s, i, n, e in zip(strides, size, span, extra)]
    if any(w - low - high < 1 for w, low, high in zip(whole, pads, pads[rank:])):
        pads = [0] * 2 * rank
    return Case(size, kernel, group * channels, filters, group, strides, dilations, pads, extra,
                constant=bool(random.random() < 0.8), relu=bool(random.random() < 0.5),
                dtype=np.float16 if random.random() < 0.2 else np.float32)


CASES = [
    Case([7], [3], 4, 2, group=2),
    Case([7], [1], 4, 2, group=2, strides=[2]),
    Case([5], [1], 3, 4, strides=[3]),
    Case([5], [1], 3, 4, strides=[3], pads=[1, 2]),
    Case([5], [1], 3, 4, strides=[3], extra=[2]),
    Case([5], [2], 6, 1, group=3, strides=[4], extra=[3]),
    Case([4, 5], [3, 3], 4, 2, group=2, strides=[2, 2], pads=[1, 1, 1, 1], extra=[1, 1]),
    Case([4, 5], [3, 2], 6, 3, group=3, dilations=[2, 3]),
    Case([4, 5], [3, 2], 6, 1, group=6, strides=[2, 1]),
    Case([4, 5], [3, 2], 8, 3, group=4, strides=[3, 2], dilations=[1, 2], pads=[1, 0, 2, 1], constant=False),
    Case([4, 5], [3, 3], 6, 3, group=2, batch=1, strides=[2, 2], constant=False),
    Case([4, 5], [4, 4], 4, 4, group=2, strides=[2, 2], sizes=[9, 10]),
    Case([4, 5], [3, 3], 4, 4, group=2, strides=[2, 2], auto_pad="SAME_UPPER"),
    Case([4, 5], [3, 3], 4, 4, strides=[2, 2], auto_pad="SAME_LOWER"),
    Case([4, 5], [1, 3], 2, 3, strides=[3, 2]),
    Case([3, 2, 4], [2, 1, 3], 4, 3, group=2, strides=[1, 2, 2], extra=[0, 1, 0]),
    Case([3, 2, 4], [1, 1, 1], 4, 3, strides=[2, 2, 2]),
    # The phases of a dim in one part, in two, and in one that multiplies zeros because vectors would be empty else.
    Case([6, 5], [2, 2], 16, 16, strides=[2, 2], relu=True),
    Case([6, 5], [4, 4], 16, 16, strides=[2, 2], pads=[1, 1, 1, 1], relu=True),
    Case([6, 5], [3, 3], 16, 16, strides=[2, 2], pads=[1, 1, 1, 1], extra=[1, 1], relu=True),
    Case([6, 5], [9, 9], 12, 1, strides=[4, 4], pads=[4, 4, 4, 4], extra=[3, 3], relu=True),
    Case([6, 5], [3, 3], 16, 16, strides=[2, 2], pads=[1, 1, 1, 1]),
    Case([6, 5], [4, 4], 16, 16, strides=[2, 2], pads=[1, 1, 1, 1], relu=True, dtype=np.float16),
    *[random_case(np.random.default_rng(seed)) for seed in range(16)],
]


TARGETS = {"cpu": [], "nvgpu": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"],
           "hopper": ["--target=nvgpu", "--device=emulated_90", "--mm-conv-precision-mode=fp32"], "open": []}

# Transposed convolutions of 16 channels with bias and relu: filters, kernel, stride, padding, and the products.
PRODUCTS = [(16, 2, 2, 0, 1), (16, 4, 2, 1, 4), (16, 3, 2, 1, 4), (3, 4, 2, 1, 1), (1, 9, 4, 4, 1), (16, 6, 3, 0, 1),
            (16, 1, 2, 0, 1)]


def opened(name, shape):
    """|shape| without all numbers but that of the channels."""
    return [size if axis == 1 else f"{name}.{axis}" for axis, size in enumerate(shape)]


def model(cases, is_open):
    """All |cases| in one model, and its inputs."""
    graph, feed = Graph(), []
    for i, case in enumerate(cases):
        x = graph.input(f"x{i}", case.type, opened(f"x{i}", case.x.shape) if is_open else case.x.shape)
        feed.append(case.x)
        if case.constant:
            operands = [x, graph.constant(f"w{i}", case.w), graph.constant(f"b{i}", case.bias)]
        else:
            operands = [x, graph.input(f"w{i}", case.type, case.w.shape)]
            feed.append(case.w)
        sums = graph.node("ConvTranspose", operands, [f"y{i}"], **case.attributes)
        shape = opened(f"y{i}", case.expected.shape) if is_open else case.expected.shape
        graph.output(graph.node("Relu", [sums]) if case.relu else sums, case.type, shape)
    return graph.save(f"conv_transpose{'_open' * is_open}.onnx"), feed


def count_kernels(filters, kernel, stride, padding, is_open=False):
    """The calls of kernels of a run and, of these, products; and the launches."""
    graph = Graph()
    operands = [graph.input("x", FLOAT, opened("x", [1, 16, 12, 12]) if is_open else [1, 16, 12, 12]),
                graph.constant("w", np.ones((16, filters, kernel, kernel), np.float32)),
                graph.constant("b", np.ones(filters, np.float32))]
    size = stride * 11 + kernel - 2 * padding
    extra = -size % stride
    y = graph.node("ConvTranspose", operands, strides=[stride] * 2, pads=[padding] * 4, output_padding=[extra] * 2)
    shape = [1, filters, size + extra, size + extra]
    graph.output(graph.node("Relu", [y]), FLOAT, opened("y", shape) if is_open else shape)
    told = strata.strata(graph.save("kernels.onnx"), "--compile-to=affine", "--explain", "-o", ".")
    calls = re.findall(r"^kernel \w+: (\d+) calls, \d+ nests \((\w+)", told, re.MULTILINE)
    return (sum(int(n) for n, _ in calls), sum(int(n) for n, nest in calls if nest == "contract"),
            int(re.search(r"a run: (\d+) launches", told)[1]))


def main():
    gpu.use_stand_in()
    failed, chosen = 0, strata.every(CASES)
    for target, options in TARGETS.items():
        is_open = target == "open"
        cases = [case for case in chosen if not is_open or "output_shape" not in case.attributes]
        path, feed = model(cases, is_open)
        library = strata.Library(strata.compile_library(path, ".", f"conv_transpose_{target}", options)[0])
        for case, got in zip(cases, library.run(feed, library.sizes_of([value.shape for value in feed]))):
            good = got.shape == case.expected.shape and np.allclose(got, case.expected, **case.tolerance)
            failed += not good
            print(f"{'ok  ' if good else 'FAIL'} {target} {case.x.shape} by {case.w.shape} {case.attributes}" +
                  ("" if good else f" got {got.shape}, expected {case.expected.shape}"))
    for *case, n in strata.every(PRODUCTS):
        got = count_kernels(*case)
        got_open = count_kernels(*case, is_open=True)[:2]
        failed += got != (n, n, 1) or got_open != (n, n)
        print(f"{'ok  ' if got == (n, n, 1) and got_open == (n, n) else 'FAIL'} {case}: kernels, products, launches {got}, "
              f"with open sizes {got_open}, {n} products")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
