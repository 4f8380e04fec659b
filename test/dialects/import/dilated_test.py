"""Convolutions of few pixels with large dilations and padding, some of whose taps never or seldom read anything but
padding, against sums in f64; on cpu and on the emulated GPUs."""
import itertools
import sys

import numpy as np

import gpu
import strata
from onnx_file import FLOAT, Graph

RNG = np.random.default_rng(5)
TARGETS = {"cpu": [], "nvgpu": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"],
           "hopper": ["--target=nvgpu", "--device=emulated_90", "--mm-conv-precision-mode=fp32"]}

# Size of the input, kernel, strides, dilations, padding (low, then high), channels, filters.
CASES = [
    ([7, 7], [3, 3], [1, 1], [4, 4], [4, 4, 4, 4], 20, 33),
    ([7, 9], [3, 3], [1, 1], [6, 2], [6, 2, 6, 2], 16, 16),
    ([5, 5], [3, 3], [1, 1], [5, 9], [5, 9, 5, 9], 16, 8),  # all but one column of taps are padding
    ([5, 31], [3, 5], [1, 1], [3, 9], [3, 18, 3, 18], 17, 24),
    ([9, 9], [5, 3], [2, 3], [3, 4], [6, 4, 6, 4], 16, 16),
    ([4, 6], [3, 3], [3, 2], [7, 7], [7, 7, 9, 8], 8, 16),
    ([6, 6], [2, 2], [1, 1], [8, 1], [8, 0, 3, 1], 16, 16),
    ([3, 6, 7], [3, 3, 3], [1, 1, 1], [3, 2, 5], [3, 2, 5, 3, 2, 5], 16, 17),
    ([9], [4], [1], [5], [3, 12], 16, 20),
]


def reference(x, w, strides, dilations, pads):
    rank = len(strides)
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:])])
    out = [(n - d * (k - 1) - 1) // s + 1
           for n, k, s, d in zip(padded.shape[2:], w.shape[2:], strides, dilations)]
    y = np.zeros((x.shape[0], w.shape[0], *out))
    for tap in itertools.product(*map(range, w.shape[2:])):
        at = tuple(slice(t * d, t * d + s * (n - 1) + 1, s) for t, d, s, n in zip(tap, dilations, strides, out))
        y += np.einsum("nc...,fc->nf...", padded[(slice(None), slice(None), *at)], w[(slice(None), slice(None), *tap)])
    return y


def main():
    gpu.use_stand_in()
    graph, feed, expected = Graph(), [], []
    for i, (size, kernel, strides, dilations, pads, channels, filters) in enumerate(CASES):
        x = RNG.standard_normal((2, channels, *size)).astype(np.float32)
        w = RNG.standard_normal((filters, channels, *kernel)).astype(np.float32)
        expected.append(np.maximum(reference(np.maximum(x, 0), w, strides, dilations, pads), 0))
        feed.append(x)
        # A relu in front: channels lie as the convolution wants them.
        operands = [graph.node("Relu", [graph.input(f"x{i}", FLOAT, x.shape)]), graph.constant(f"w{i}", w)]
        y = graph.node("Conv", operands, strides=strides, dilations=dilations, pads=pads)
        graph.output(graph.node("Relu", [y]), FLOAT, expected[-1].shape)
    path, failed = graph.save("dilated.onnx"), 0
    for target, options in TARGETS.items():
        library, _ = strata.compile_library(path, ".", f"dilated_{target}", options)
        for case, value, got in zip(CASES, expected, strata.Library(library).run(feed)):
            good = np.allclose(got, value, rtol=1e-4, atol=1e-4)
            failed += not good
            print(f"{'ok  ' if good else 'FAIL'} {target} {case} off by {np.abs(got - value).max():.1e}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
