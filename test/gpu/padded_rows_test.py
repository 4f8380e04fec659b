"""Intermediates whose rows are padded to 16 bytes, on the emulated device: products that write and read them, softmax
between products, in bulk on both sides; what lies in the padding is never seen. Attention is to be three kernels here.
And results whose rows are several dims."""
import os
import sys

import numpy as np

import gpu
import strata
from level2 import Case

random = np.random.default_rng(11)
SCORES = ("affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>, "
          "affine_map<(b, i, j, k) -> (b, i, j)>")
VALUES = ("affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>, "
          "affine_map<(b, i, j, k) -> (b, i, j)>")
WINDOW = ("affine_map<(n, p, q, f, r, c) -> (n, p + r, q, c)>, affine_map<(n, p, q, f, r, c) -> (r, c, f)>, "
          "affine_map<(n, p, q, f, r, c) -> (n, p, q, f)>")
# Lengths of a sequence: rows of 394, 66, 260 and 258 bytes, the first with a tail in the last of several steps.
LENGTHS = [197, 33, 130, 129]
BATCH, DEPTH = 2, 64
SLOTS, STEP = 3, 64


def values(*shape):
    return random.integers(-1, 2, shape).astype(np.float16)


def contract(case, maps, operands, out):
    return case.op("contract", operands, out, maps=f"[{maps}]", zero_pad="false", origin='"matmul"')


def chain(length):
    """Two products and what is between them, elementwise: all sums are exact."""
    q, k, v = values(BATCH, length, DEPTH), values(BATCH, length, DEPTH), values(BATCH, length, DEPTH)
    case = Case(f"chain {length}", q, k, v)
    scores = np.einsum("bik,bjk->bij", q.astype(np.float64), k.astype(np.float64)).clip(0, 6)
    expected = np.einsum("bik,bkj->bij", scores, v.astype(np.float64))
    scores = scores.astype(np.float16)
    s = case.op("relu", [contract(case, SCORES, ["%x0", "%x1"], scores)], scores)
    six = case.constant(np.full((1,), 6, np.float16))
    six = case.op("broadcast", [six], scores, map="affine_map<(b, i, j) -> (0)>")
    s = case.op("min", [s, six], scores)
    y = contract(case, VALUES, [s, "%x2"], expected.astype(np.float16))
    case.returns([y], expected.astype(np.float16))
    return case


def attention(length):
    q, k, v = (random.standard_normal((BATCH, length, DEPTH)).astype(np.float16) for _ in range(3))
    case = Case(f"attention {length}", q / np.float16(8), k, v)
    scores = np.einsum("bik,bjk->bij", case.inputs[0].astype(np.float64), k.astype(np.float64))
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    expected = np.einsum("bik,bkj->bij", weights, v.astype(np.float64))
    like = scores.astype(np.float16)
    s = case.op("softmax", [contract(case, SCORES, ["%x0", "%x1"], like)], like, axes="array<i64: 2>")
    case.returns([contract(case, VALUES, [s, "%x2"], expected.astype(np.float16))], expected.astype(np.float16),
                 tolerance=4e-3)
    return case


def convolution(length):
    """A window along one of two dims: rows of the result are the digits of one number, and leave in boxes of it."""
    x, w = values(BATCH, length + 2, 16, DEPTH), values(3, DEPTH, DEPTH)
    case = Case(f"convolution {length}", x, w)
    wide, filters = x.astype(np.float64), w.astype(np.float64)
    y = sum(np.einsum("npqc,cf->npqf", wide[:, r:r + length], filters[r]) for r in range(3))
    case.returns([contract(case, WINDOW, ["%x0", "%x1"], y.astype(np.float16))], y.astype(np.float16))
    return case


def schedule(kernel, columns):
    return (f'schedule {kernel} emulated_90 {{kind = "contract", threads = 128, group = 128, '
            f'tile = array<i64: 64, {columns}, {STEP}>, warps = array<i64: 4, 1>, mma = "wgmma.f16", producers = 128, '
            f"slots = {SLOTS}, blocks = 2}}")


def maps_of(path, options, folder):
    """How many maps the products have: two operands and the result each, and what is left of a reduction at its end, if
    it is longer than the slots hold."""
    level4 = os.path.join(folder, "padded.gpu.mlir")
    strata.strata(path, "--compile-to=gpu", "-o", level4, *options)
    with open(level4, encoding="utf-8") as file:
        text = file.read()
    return text[text.index("module @kernels"):].count("swizzle = 128")


def run(case, kernels, want_maps=6, folder="."):
    path, lines = os.path.join(folder, "padded.mlir"), os.path.join(folder, "padded.schedule")
    with open(path, "w", encoding="utf-8") as file:
        file.write(case.text())
    with open(lines, "w", encoding="utf-8") as file:
        file.write("".join(schedule(kernel, 64) + "\n" for kernel in kernels))
    options = ["--target=nvgpu", "--device=emulated_90", f"--schedule={lines}",
               "--polyblocks-disable-unsafe-math-canonicalizations"]
    n_maps = maps_of(path, options, folder)
    library, _ = strata.compile_library(path, folder, case.name.replace(" ", ""), options)
    got = gpu.Library(library).run(case.inputs)[0].astype(np.float64)
    os.remove(library)
    error = np.abs(got.reshape(case.outputs[0].shape) - case.outputs[0].astype(np.float64)).max()
    if n_maps != want_maps or not error <= case.tolerance:
        print(f"{case.name}: {n_maps} maps, expected {want_maps}; error {error}, bound {case.tolerance}")
        return False
    return True


def main():
    gpu.use_stand_in()
    failed = [case.name for length in LENGTHS
              for case, kernels in ((chain(length), ["k0", "k1"]), (attention(length), ["k0", "k2"]))
              if not run(case, kernels, 6 + (length > SLOTS * STEP))]
    return len(failed) != 0 or not run(convolution(9), ["k0"], 3)


if __name__ == "__main__":
    sys.exit(main())
