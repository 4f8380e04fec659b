"""Norms and softmax in the kernel of the product before them, on the emulated device that has asynchronous products,
and in kernels of their own: against NumPy in double precision. Rows of one tile and of a cluster's tiles, sizes that are
no multiple of any tile, means far from zero, sums that are results as well."""
import os
import re
import sys

import numpy as np

import gpu
import strata
from level2 import HalfCase, bits

random = np.random.default_rng(7)
OPTIONS = ["--target=nvgpu", "--device=emulated_90", "--fuse-norms"]
APART = "--polyblocks-disable-reduce-reduce-fusion"
EPSILON = {"f16": 2.0 ** -11, "bf16": 2.0 ** -8, "f32": 2.0 ** -24}  # of a result's rounding
SUMS = 2.0 ** -20                                 # of f32, over a row


class Normed(HalfCase):
    """norm(x W + bias + residual), written as a front end does."""

    def __init__(self, name, rows, columns, steps, norm="layer_norm", kind="bf16", crossed=True, residual=True,
                 stream=False, mean=0.0, batch=None, generator=random):
        self.sizes, self.kind, self.norm = (rows, columns, steps), kind, norm
        self.stream, self.batch = stream, batch
        m, n, k = self.sizes
        w = (k, n) if crossed else (n, k)
        shapes = [(m, k), w, (n,)] + [(m, n)] * residual + [(n,)] * {"layer_norm": 2, "rms_norm": 1, "softmax": 0}[norm]
        inputs = [self.round(generator.standard_normal(shape) * (k ** -0.5 if shape == w else 1) +
                             (mean if shape == (m, n) else 0)) for shape in shapes]
        wide = [self.widen(x) for x in inputs]
        if batch:
            inputs = [self.shaped(x) if x.shape[0] == m and x.ndim == 2 else x for x in inputs]
        super().__init__(name, *inputs)
        products = [wide[0], wide[1] if crossed else wide[1].T]
        self.total = products[0] @ products[1] + wide[2] + (wide[3] if residual else 0)
        self.size = np.abs(products[0]) @ np.abs(products[1]) + np.abs(wide[2]) + (np.abs(wide[3]) if residual else 0)
        self.expect(wide[3 + residual:])
        self.graph(crossed, residual)

    def shaped(self, x):
        x = x.reshape(self.batch, x.shape[0] // self.batch, x.shape[1])
        return bits(x, "bf16") if self.kind == "bf16" else x

    def expect(self, vectors):
        """What is right, and how far from it results may be: by a rounding, and by what sums in f32 lose."""
        x, eps = self.total, EPSILON[self.kind]
        if self.norm == "softmax":
            y = np.exp(x - x.max(-1, keepdims=True))
            y /= y.sum(-1, keepdims=True)
            self.expected, self.bound = y, y * (eps + SUMS * (1 + np.abs(x))) + 1e-7
            self.lost = 2 * y * np.abs(x).max(-1, keepdims=True)
            return
        centered = x - x.mean(-1, keepdims=True) if self.norm == "layer_norm" else x
        scale = 1 / np.sqrt((centered ** 2).mean(-1, keepdims=True) + 1e-5)
        y = centered * scale * vectors[0]
        self.lost = 2 * np.abs(vectors[0]) * scale * np.abs(x).max(-1, keepdims=True)
        self.expected = y + (vectors[1] if self.norm == "layer_norm" else 0)
        self.bound = np.abs(self.expected) * eps + SUMS * (self.lost + np.abs(y)) + 1e-7

    def graph(self, crossed, residual):
        m, n, _ = self.sizes
        rows = "b, m" if self.batch else "m"
        shape = (self.batch, m // self.batch, n) if self.batch else (m, n)
        maps = ", ".join(f"affine_map<({rows}, n, k) -> ({r})>"
                         for r in (f"{rows}, k", "k, n" if crossed else "n, k", f"{rows}, n"))
        wide = np.zeros(shape, np.float32)
        y = self.op("contract", ["%x0", "%x1"], wide, zero_pad="false", origin='"matmul"', maps=f"[{maps}]")
        y = self.op("convert", [y], self.like(*shape))
        bias = self.op("broadcast", ["%x2"], self.like(*shape), map=f"affine_map<({rows}, n) -> (n)>")
        y = self.op("add", [y, bias], self.like(*shape))
        if residual:
            y = self.op("add", [y, "%x3"], self.like(*shape))
        vectors = [f"%x{3 + residual + i}" for i in range({"layer_norm": 2, "rms_norm": 1, "softmax": 0}[self.norm])]
        attributes = {} if self.norm == "softmax" else {"epsilon": "1.0e-05 : f64"}
        z = self.op(self.norm, [y, *vectors], self.like(*shape), axes=f"array<i64: {len(shape) - 1}>", **attributes)
        results = [z, y] if self.stream else [z]
        self.returns(results, *[self.like(*shape)] * len(results))

    def wrong(self, results, launches):
        """Texts about results that are out of bounds. Two kernels round what one stores for the other."""
        bound = self.bound if launches == 1 else self.bound + self.lost * EPSILON[self.kind]
        wanted = [(self.expected, bound), (self.total, np.abs(self.total) * EPSILON[self.kind] + 1e-5)]
        return self.beyond(results, wanted)

    def beyond(self, results, wanted):
        """Texts about results that are further off than they may; |wanted|: what is expected of each, and by how much."""
        for i, (got, (want, bound)) in enumerate(zip(results, wanted)):
            got = self.widen(got).reshape(want.shape)
            off = ~(np.abs(got - want) <= bound)
            if off.any():
                at = tuple(int(j[0]) for j in np.nonzero(off))
                yield f"result {i}: {off.sum()} of {off.size} wrong, at {at}: {got[at]}, expected {want[at]}"


def schedule(case, rows, columns, swap, slots=2):
    """A line for --schedule. Two groups share rows where those are few; a block takes several tiles that are rows."""
    groups = 1 if columns <= 64 or (not swap and rows == 64 and columns < 192) else 2
    warps = "4, 2" if rows == 64 and groups == 2 and not swap else f"{4 * groups}, 1"
    row = -(-case.sizes[1] // columns)
    tasks = -(-case.sizes[0] // rows) * row
    keys = {"blocks": tasks if row > 1 else max(1, tasks // 2), "group": 128 * groups, "producers": 128,
            "slots": slots, "threads": 128 * groups}
    keys.update({"swap": 1} if swap else {}, **({"row": row} if row > 1 else {}))
    kind = "bf16" if case.kind == "bf16" else "f16"
    text = ", ".join(f"{key} = {value} : i64" for key, value in keys.items())
    return (f'schedule k0 emulated_90 {{{text}, kind = "contract", mma = "wgmma.{kind}", '
            f"tile = array<i64: {rows}, {columns}, 64>, warps = array<i64: {warps}>}}\n")


def cases():
    """With tiles to be tried beside the one that the model takes."""
    yield Normed("one_tile", 200, 96, 64), [(128, 96, False), (64, 128, True)]
    yield Normed("one_tile_f16", 130, 40, 104, kind="f16", residual=False), []
    yield Normed("few_rows", 20, 128, 256, crossed=False), []
    yield Normed("rms", 150, 256, 64, "rms_norm", "f16"), [(128, 128, False), (24, 128, True), (64, 256, False),
                                                            (40, 256, True)]
    yield Normed("softmax", 140, 200, 64, "softmax", "f16", residual=False), [(128, 128, False), (40, 128, True)]
    yield Normed("softmax_bf16", 70, 384, 128, "softmax", crossed=False), [(128, 192, False), (64, 256, True)]
    yield Normed("cluster", 150, 384, 128), [(128, 128, False), (128, 192, False), (40, 128, True), (72, 256, True)]
    yield Normed("cluster_f16", 257, 768, 64, kind="f16", crossed=False), [(128, 256, False), (104, 256, True),
                                                                            (64, 384, True), (96, 384, True),
                                                                            (64, 384, False)]
    yield Normed("wide", 100, 1024, 64), [(128, 256, False)]
    yield Normed("hangs", 140, 328, 64, mean=3.0), [(128, 128, False), (128, 192, False), (48, 256, True),
                                                    (64, 256, False)]
    yield Normed("far_mean", 130, 256, 64, mean=300.0), [(128, 128, False), (32, 128, True)]
    yield Normed("stream", 200, 384, 64, stream=True), [(128, 192, False), (64, 384, False), (32, 256, True)]
    yield Normed("stream_f16", 100, 320, 64, "rms_norm", "f16", stream=True), [(64, 160, False), (56, 128, True)]
    yield Normed("batches", 3 * 50, 256, 64, batch=3), [(128, 128, False), (32, 128, True)]


def explain(path, options):
    return strata.strata(path, "--explain", "--compile-to=affine", "-o", "affine.mlir", *OPTIONS, *options)


def check(case, options, want_launches):
    path = "norm.mlir"
    with open(path, "w", encoding="utf-8") as file:
        file.write(case.text())
    text = explain(path, options)
    launches = int(re.search(r"a run: (\d+) launches", text).group(1))
    library, _ = strata.compile_library(path, ".", f"norm_{case.name}", [*OPTIONS, *options])
    problems = list(case.wrong(gpu.Library(library).run(case.inputs), launches))
    os.remove(library)
    if want_launches and launches != want_launches:
        problems.append(f"{launches} launches, expected {want_launches}")
    for problem in problems:
        print(f"{case.name} {' '.join(options)}: {problem}")
    return not problems


def main():
    gpu.use_stand_in()
    good, only = True, sys.argv[1:]
    for case, tiles in cases() if only else strata.every(cases()):
        if only and case.name not in only:
            continue
        good &= check(case, [], 1)
        good &= check(case, [APART], 0)
        for rows, columns, swap in tiles:
            with open("norm.schedule", "w", encoding="utf-8") as file:
                file.write(schedule(case, rows, columns, swap))
            good &= check(case, ["--schedule=norm.schedule"], 1)
    return not good


if __name__ == "__main__":
    sys.exit(main())
