"""Products that share nothing but a launch, on the emulated device: two to sixteen of unlike sizes, orders in memory,
epilogues and types; beside products that cannot be among them, and those that read their results."""
import os
import sys

import numpy as np

import gpu
import strata
from level2 import Case
from products_test import NN, NT, schedule

random = np.random.default_rng(23)
CONV = ("affine_map<(y, x, k, c) -> ({}y, {}x, c)>, affine_map<(y, x, k, c) -> (k, c)>, "
        "affine_map<(y, x, k, c) -> (y, x, k)>")


def values(dtype, *shape):
    return random.integers(-3, 4, shape).astype(dtype)  # sums are exact


class Graph:
    """A case and what it returns, as it grows."""

    def __init__(self, name):
        self.case, self.results, self.outputs = Case(name), [], []

    def input(self, array):
        name = f"%x{len(self.case.inputs)}"
        self.case.inputs.append(array)
        self.case.types[name] = Case("", array).types["%x0"]
        return name

    def product(self, m, n, k, order="nn", end="", dtype=np.float16, left=None):
        """x @ w, with |end|; |left| is a value and its array instead of an x of its own. Returns such a pair."""
        x = left[1] if left else values(dtype, m, k)
        w = values(dtype, k, n)
        names = [left[0] if left else self.input(x), self.input(np.ascontiguousarray(w.T) if order == "nt" else w)]
        out = (x.astype(np.float64) @ w.astype(np.float64)).astype(np.int32 if dtype == np.int8 else dtype)
        y = self.case.op("contract", names, out, maps=f"[{NT if order == 'nt' else NN}]", zero_pad="false",
                         origin='"matmul"')
        return self.ended(y, out, end)

    def ended(self, y, out, end):
        if end == "bias":
            bias = values(out.dtype, out.shape[-1])
            wide = self.case.op("broadcast", [self.input(bias)], out, map="affine_map<(i, j) -> (j)>")
            out = np.maximum(out + bias, 0).astype(out.dtype)
            y = self.case.op("relu", [self.case.op("add", [y, wide], out)], out)
        if end == "residual":
            other = values(out.dtype, *out.shape)
            out = (out + other).astype(out.dtype)
            y = self.case.op("add", [y, self.input(other)], out)
        if end == "floor":  # stands for what is much code
            bias = (random.integers(-6, 7, out.shape[-1]) / 4).astype(out.dtype)
            wide = self.case.op("broadcast", [self.input(bias)], out, map="affine_map<(i, j) -> (j)>")
            out = np.floor(out + bias).astype(out.dtype)
            y = self.case.op("floor", [self.case.op("add", [y, wide], out)], out)
            other = values(out.dtype, *out.shape)
            out = (out + other).astype(out.dtype)
            y = self.case.op("add", [y, self.input(other)], out)
        if end == "wide":
            out = out.astype(np.float32)
            y = self.case.op("convert", [y], out)
        return y, out

    def convolution(self, x, filters, step):
        """Of single pixels, every |step|-th along both dims."""
        w = values(np.float16, filters, x[1].shape[-1])
        out = (x[1][::step, ::step].astype(np.float64) @ w.T.astype(np.float64)).astype(np.float16)
        maps = CONV.format(*[f"{step} * " if step > 1 else ""] * 2)
        return self.case.op("contract", [x[0], self.input(w)], out, maps=f"[{maps}]", zero_pad="false",
                            origin='"conv"'), out

    def returns(self, *pairs):
        self.results += [name for name, _ in pairs]
        self.outputs += [out for _, out in pairs]

    def done(self):
        self.case.returns(self.results, *self.outputs)
        return self.case


def experts(n):
    """Rows, columns and steps of each its own, multiples of nothing but 16 bytes."""
    g = Graph(f"{n} experts")
    for i in range(n):
        g.returns(g.product(*[(133, 328, 136), (17, 72, 264), (70, 96, 72), (129, 200, 72), (40, 264, 200),
                              (64, 64, 64), (33, 136, 80), (96, 24, 520)][i]))
    return g.done()


def epilogues():
    g = Graph("epilogues")
    g.returns(g.product(150, 264, 200, "nn", "bias"), g.product(70, 136, 328, "nt", "residual"),
              g.product(33, 200, 72, "nn", "wide"), g.product(129, 72, 136, "nt"))
    return g.done()


def types():
    """Two of each type, in turn: those of f16 share a launch, those of i8, and those of f32, multiplied as tf32."""
    g = Graph("types")
    for m, n, k in ((100, 136, 144), (40, 208, 272)):
        g.returns(g.product(m, n, k, "nt"), g.product(m, n, k, "nt", dtype=np.float32),
                  g.product(m, n, k, "nt", dtype=np.int8))
    return g.done()


def odd_between():
    """One whose operands do not come in bulk has a ring and blocks of its own."""
    g = Graph("odd between")
    g.returns(g.product(130, 264, 264), g.product(90, 75, 261), g.product(65, 136, 136))
    return g.done()


def odd():
    """None comes in bulk: by itself the first would have its rows staged."""
    g = Graph("odd")
    g.returns(g.product(300, 264, 511, "nn", "bias"), g.product(290, 75, 257), g.product(65, 133, 129, "nt", "bias"))
    return g.done()


def chains():
    """Two branches of two products each, the second of which reads what the first has made."""
    g = Graph("chains")
    heads = [g.product(100, 136, 72, "nn", "bias"), g.product(40, 72, 264)]
    tails = [g.product(100, 200, 136, left=heads[0]), g.product(40, 328, 72, left=heads[1])]
    g.returns(*heads, *tails)
    return g.done()


def shortcut():
    """A convolution of every pixel beside one of every fourth."""
    g = Graph("shortcut")
    image = values(np.float16, 14, 12, 128)
    x = g.input(image), image
    g.returns(g.convolution(x, 72, 1), g.convolution(x, 264, 2))
    return g.done()


def twins(n, beside):
    """Products that differ in their buffers alone, the code of whose results all share; with |beside| one that is unlike
    them in front and one behind."""
    g = Graph(f"{n} twins" + ", others beside them" * beside)
    image = values(np.float16, 150, 200)
    x = g.input(image), image
    if beside:
        g.returns(g.product(150, 136, 200, "nn", "floor", left=x))
    for i in range(n):
        g.returns(g.product(150, 264, 200, "nn", "floor", left=x if i % 2 or beside else None))
    if beside:
        g.returns(g.product(150, 72, 200, "nn", "floor", left=x))
    return g.done()


def readers(n):
    """Of one value, so many that results have no maps."""
    g = Graph(f"{n} readers")
    image = values(np.float16, 150, 136)
    x = g.input(image), image
    for i in range(n):
        g.returns(g.product(150, 40 + 8 * (i % 3), 136, "nt" if i % 4 == 1 else "nn", "bias" if i % 2 else "", left=x))
    return g.done()


def pieces(n, width):
    """Products of neighbouring columns of one value, |width| each."""
    g = Graph(f"{n} pieces of {width}")
    image = values(np.float16, 150, n * width)
    x = g.input(image)
    for i in range(n):
        part = image[:, i * width:(i + 1) * width]
        name = g.case.op("slice", [x], part, starts=f"array<i64: 0, {i * width}>", steps="array<i64: 1, 1>")
        g.returns(g.product(150, 72, width, left=(name, part)))
    return g.done()


# Tiles of the largest product and so of all: rows, columns, warp groups, swapped, blocks, teams.
TILES = [(128, 96, 2, 0, 2), (64, 128, 1, 0, 5), (16, 64, 1, 1, 4), (64, 192, 1, 0, 3, 2)]


def cases():
    """Each with the launches it has, and the tile of its largest product; empty: what the model chooses."""
    for n in (2, 5, 8):
        yield experts(n), 1, ""
    for tile in TILES:
        yield experts(8), 2 if tile[1] == 96 else 1, schedule("f16", (133, 328), *tile)
        yield epilogues(), 1, schedule("f16", (150, 264), *tile)
        yield twins(3, False), 1, schedule("f16", (150, 264), *tile)
    for n, beside in ((2, False), (4, True)):
        yield twins(n, beside), 1, ""
    yield epilogues(), 1, ""
    yield types(), 3, ""
    yield odd_between(), 1, ""
    yield chains(), 2, ""
    yield shortcut(), 1, ""
    yield odd(), 1, ""
    yield readers(9), 1, ""
    yield readers(16), 1, ""
    yield pieces(16, 64), 1, ""
    yield pieces(12, 128), 1, ""
    yield pieces(16, 40), 2, ""  # of which each has a map of its own


def run(case, n_launches, line, index):
    name = f"together{index}"
    path = gpu.compile_case(case, name, line)
    library = gpu.Library(path)
    got = library.run(case.inputs)
    failed = [i for i, (value, out) in enumerate(zip(got, case.outputs)) if (value.reshape(out.shape) != out).any()]
    if failed:
        print(f"{case.name} {line}: results {failed} are wrong")
    if len(library.launches) != n_launches:
        print(f"{case.name} {line}: {len(library.launches)} launches, expected {n_launches}")
        failed.append(name)
    os.remove(path)
    return not failed


def main():
    gpu.use_stand_in()
    return sum(not run(*case, i) for i, case in enumerate(strata.every(cases()))) != 0


if __name__ == "__main__":
    sys.exit(main())
