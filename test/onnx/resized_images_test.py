"""Images resized by weighted sums or repetition, between convolutions and in front of a result, against sums in f64.
Their pixels are found by numbers in memory: on the cpu whole ones, all channels side by side, as convolutions want them."""
import re
import sys

import numpy as np

import gpu
import strata
from onnx_file import FLOAT, Builder

RNG = np.random.default_rng(8)


def places(size, out, mode):
    """For each element of the result the elements of the input and their weights (half pixels)."""
    at = (np.arange(out) + 0.5) * size / out - 0.5
    if mode == "nearest":
        return [(np.clip(np.ceil(at - 0.5).astype(int), 0, size - 1), np.ones(out))]
    low = np.floor(at).astype(int)
    return [(np.clip(low, 0, size - 1), 1 - (at - low)), (np.clip(low + 1, 0, size - 1), at - low)]


def resized(x, out, mode):
    for axis, n in enumerate(out):
        shape = [-1 if i == axis + 2 else 1 for i in range(x.ndim)]
        x = sum(np.take(x, at, axis + 2) * weight.reshape(shape)
                for at, weight in places(x.shape[axis + 2], n, mode)) if n != x.shape[axis + 2] else x
    return x


def convolved(x, w):
    k = w.shape[2]
    padded = np.pad(x, ((0, 0), (0, 0), *[(k // 2, k // 2)] * 2))
    return sum(np.einsum("nchw,fc->nfhw", padded[:, :, i:i + x.shape[2], j:j + x.shape[3]], w[:, :, i, j])
               for i in range(k) for j in range(k))


# batch, channels of the input, in the middle, of the result; sizes; mode; whether a convolution follows.
CASES = [(1, 3, 24, 17, (7, 9), (14, 18), "linear", True), (2, 5, 17, 3, (6, 5), (11, 17), "linear", True),
         (1, 3, 24, 0, (7, 9), (21, 27), "linear", False), (1, 3, 21, 0, (5, 6), (40, 48), "linear", False),
         (1, 4, 33, 8, (8, 9), (5, 13), "nearest", True), (2, 4, 16, 0, (8, 9), (5, 13), "nearest", False),
         (1, 4, 20, 9, (9, 8), (9, 20), "linear", True)]
MODES = {"cpu": [], "safe": ["--polyblocks-disable-unsafe-math-canonicalizations"],
         "emulated": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"]}


def build(case):
    """The model's file, its input and the result."""
    batch, first, middle, last, size, out, mode, follows = case
    x = RNG.standard_normal((batch, first, *size)).astype(np.float32)
    v = RNG.standard_normal((middle, first, 3, 3)).astype(np.float32)
    w = RNG.standard_normal((last, middle, 3, 3)).astype(np.float32)
    b = Builder(np.float32, x.shape, 18)
    y = b.Resize(b.Conv(b.x, b.number(v), pads=[1] * 4), "", "", b.sizes(batch, middle, *out), mode=mode,
                 nearest_mode="round_prefer_floor")
    expected = resized(convolved(x.astype(np.float64), v.astype(np.float64)), out, mode)
    if follows:
        y, expected = b.Conv(y, b.number(w), pads=[1] * 4), convolved(expected, w.astype(np.float64))
    b.graph.output(y, FLOAT, expected.shape)
    return b.graph.save("resized.onnx"), x, expected


def counts_scalar(path):
    """The kernels that are scalar code."""
    strata.strata(path, "--compile-to=affine", "-o", "resized.mlir")
    with open("resized.mlir", encoding="utf-8") as file:
        return len(re.findall(r'schedule = \{kind = "scalar"', file.read()))


def main():
    gpu.use_stand_in()
    failed = 0
    for case in CASES:
        path, x, expected = build(case)
        for mode, options in MODES.items():
            library, _ = strata.compile_library(path, ".", "resized", options)
            loaded = strata.Library(library)
            got, = loaded.run([x])
            loaded.close()
            error = np.abs(got - expected).max() / np.abs(expected).max()
            failed += not error < 1e-5
            print(f"{'ok  ' if error < 1e-5 else 'FAIL'} {mode} {case} {error:.1e}")
        n = counts_scalar(path)
        failed += case[-1] and n != 0
        print(f"{'FAIL' if case[-1] and n else 'ok  '} {case}: {n} scalar kernels")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
