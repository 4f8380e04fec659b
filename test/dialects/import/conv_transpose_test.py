"""ConvTranspose of one to three dims, with groups, strides above the kernel, dilations, padding of every kind, and weights
known at compile time or not, against sums in f64; on cpu and on the emulated GPU."""
import itertools
import sys

import numpy as np

import gpu
import strata
from onnx_file import FLOAT, Graph

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
                 sizes=None, constant=True, batch=2, auto_pad=None):
        rank = len(size)
        self.x = RNG.standard_normal((batch, channels, *size)).astype(np.float32)
        self.w = RNG.standard_normal((channels, filters, *kernel)).astype(np.float32)
        self.bias = RNG.standard_normal(group * filters).astype(np.float32) if constant else None
        self.constant = constant
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
]


TARGETS = {"cpu": [], "nvgpu": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"]}


def model():
    """All cases in one model, and its inputs."""
    graph, feed = Graph(), []
    for i, case in enumerate(CASES):
        x = graph.input(f"x{i}", FLOAT, case.x.shape)
        feed.append(case.x)
        if case.constant:
            operands = [x, graph.constant(f"w{i}", case.w), graph.constant(f"b{i}", case.bias)]
        else:
            operands = [x, graph.input(f"w{i}", FLOAT, case.w.shape)]
            feed.append(case.w)
        graph.node("ConvTranspose", operands, [f"y{i}"], **case.attributes)
        graph.output(f"y{i}", FLOAT, case.expected.shape)
    return graph.save("conv_transpose.onnx"), feed


def main():
    gpu.use_stand_in()
    path, feed = model()
    failed = 0
    for target, options in TARGETS.items():
        library, _ = strata.compile_library(path, ".", f"conv_transpose_{target}", options)
        for case, got in zip(CASES, strata.Library(library).run(feed)):
            good = got.shape == case.expected.shape and np.allclose(got, case.expected, rtol=1e-4, atol=1e-5)
            failed += not good
            print(f"{'ok  ' if good else 'FAIL'} {target} {case.x.shape} by {case.w.shape} {case.attributes}" +
                  ("" if good else f" got {got.shape}, expected {case.expected.shape}"))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
