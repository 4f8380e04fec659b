"""Attention in other forms, one kernel each: masks chosen among scores that are rounded before, of rows without a column
too, and once more behind the softmax; no softmax between the products; tokens that are pixels, in several dims. On the
emulated devices that have asynchronous products, multiply-adds alone and AMD's matrix instructions, and apart, against
NumPy in double precision."""
import sys

import numpy as np

import gpu
import strata
from attention_test import EPSILON, FRAGMENTS, affine, check
from level2 import HalfCase

random = np.random.default_rng(11)
APART = ["--polyblocks-disable-reduce-reduce-fusion"]
EXACT = ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"]
FUNCTIONS = {"none": lambda x: x, "relu": lambda x: np.maximum(x, 0), "silu": lambda x: x / (1 + np.exp(-x)),
             "tanh": np.tanh, "sigmoid": lambda x: 1 / (1 + np.exp(-x))}


class Form(HalfCase):
    """Dims of rows and of columns are lists: several of pixels. |low|: what is chosen where the mask says no, among
    scores of 16 bits; |function|: of the scores, in place of a softmax."""

    def __init__(self, name, batch, rows, columns, depth, kind="f16", value=None, low=None, swap=False, function=None,
                 causal=False, bias=False, after=False):
        self.kind, self.eps, self.low, self.function = kind, EPSILON[kind], low, function
        self.rows, self.columns, self.depth, self.value = list(rows), list(columns), depth, value or depth
        self.batch, self.swap, self.causal, self.after, self.scale = batch, swap, causal, after, depth ** -0.5
        q, k, v = (self.round(random.standard_normal((batch, *shape))) for shape in
                   ([*rows, depth], [*columns, depth], [*columns, self.value]))
        self.wide = [self.widen(x) for x in (q, k, v)]
        n_rows, n_columns = int(np.prod(rows)), int(np.prod(columns))
        self.sizes = (batch, 1, n_rows, n_columns)
        self.keep = random.random((n_rows, n_columns)) < .7
        self.keep[random.integers(0, n_rows, 3)] = False  # rows that see nothing
        if causal:
            self.keep = np.tri(n_rows, n_columns, n_columns - n_rows, dtype=bool)
        self.added = self.round(random.standard_normal((n_rows, n_columns))) if bias else None
        more = ([~self.keep if swap else self.keep] if low is not None else []) + ([self.added] if bias else [])
        super().__init__(name, q, k, v, *more)
        self.graph()

    def expected(self):
        q, k, v = (x.reshape(self.batch, -1, x.shape[-1]) for x in self.wide)
        scores = np.einsum("bid,bjd->bij", q, k) * self.scale
        if self.added is not None:
            scores = scores + self.widen(self.added)
        if self.low is not None and self.function is None:
            scores = np.where(self.keep, scores, self.low)
        if self.function is None:
            with np.errstate(invalid="ignore"):
                weights = np.exp(scores - scores.max(-1, keepdims=True))
                weights /= weights.sum(-1, keepdims=True)
            weights = np.where(self.keep, weights, 0) if self.after else weights
        else:
            weights = FUNCTIONS[self.function](scores)
            if self.low is not None or self.causal:
                weights = np.where(self.keep, weights, 0)
        result = weights @ v
        # Scores, weights and results are rounded, or not.
        near = np.abs(weights) if self.function is None else np.abs(weights) + np.abs(scores)
        return result, 4 * self.eps * (near @ np.abs(v) + np.abs(result)) + 1e-6

    def splat(self, value, like):
        name = {np.dtype(np.float32): "f32", np.dtype(np.int32): "i32"}.get(like.dtype, self.kind)
        number = str(value) if name == "i32" else f"{value:e}"
        if np.isinf(value):
            number = "0xFC00" if name == "f16" else "0xFF80"
        return self.op("constant", [], like,
                       value=f"dense<{number}> : tensor<{'x'.join(map(str, like.shape))}x{name}>")

    def elementwise(self, x, like):
        if self.function == "relu":
            return self.op("max", [x, self.splat(0, like)], like)
        if self.function in ("silu", "sigmoid"):
            y = self.op("sigmoid", [x], like)
            return self.op("mul", [x, y], like) if self.function == "silu" else y
        return self.op("tanh", [x], like) if self.function == "tanh" else x

    def chosen(self, x, low, like):
        dims = ", ".join(f"d{i}" for i in range(like.ndim))
        mask = self.op("reshape", ["%x3"], np.zeros((*self.rows, *self.columns), bool))
        mask = self.op("broadcast", [mask], np.zeros(like.shape, bool),
                       map=f"affine_map<({dims}) -> ({', '.join(f'd{i}' for i in range(1, like.ndim))})>")
        operands = [mask, self.splat(low, like), x] if self.swap else [mask, x, self.splat(low, like)]
        return self.op("select", operands, like)

    def lower_triangle(self, x, like):
        """Of one dim of rows and one of columns: the mask is made of their numbers, as 1 or 0, and multiplied."""
        numbers, n = np.zeros(like.shape, np.int32), self.sizes[3] - self.sizes[2]
        rows, columns = (self.op("iota", [], numbers, axis=f"{axis} : i64") for axis in (1, 2))
        rows = self.op("add", [rows, self.splat(n, numbers)], numbers)
        keep = self.op("ge", [rows, columns], np.zeros(like.shape, bool))
        return self.op("mul", [x, self.op("convert", [keep], like)], like)

    def graph(self):
        r = [f"i{n}" for n in range(len(self.rows))]
        c = [f"j{n}" for n in range(len(self.columns))]
        row, column = ", ".join(r), ", ".join(c)
        narrow, wide = self.like(self.batch, *self.rows, *self.columns), np.zeros((self.batch, *self.rows, *self.columns),
                                                                                 np.float32)
        scores = self.op("contract", ["%x0", "%x1"], narrow, zero_pad="false", origin='"matmul"',
                         maps=f"[{affine(f'b, {row}, {column}, d', f'b, {row}, d', f'b, {column}, d', f'b, {row}, {column}')}]")
        scores = self.op("mul", [scores, self.splat(self.scale, narrow)], narrow)
        if self.added is not None:
            dims = ", ".join(f"d{i}" for i in range(narrow.ndim))
            added = self.op("reshape", [f"%x{len(self.inputs) - 1}"], self.like(*self.rows, *self.columns))
            added = self.op("broadcast", [added], narrow,
                            map=f"affine_map<({dims}) -> ({', '.join(f'd{i}' for i in range(1, narrow.ndim))})>")
            scores = self.op("add", [scores, added], narrow)
        if self.function is None:
            scores = self.chosen(scores, self.low, narrow) if self.low is not None else scores
            scores = self.op("convert", [scores], wide)
            axes = ", ".join(str(1 + len(r) + n) for n in range(len(c)))
            weights = self.op("convert", [self.op("softmax", [scores], wide, axes=f"array<i64: {axes}>")], narrow)
            weights = self.chosen(weights, 0, narrow) if self.after else weights
        else:
            weights = self.elementwise(scores, narrow)
            weights = self.chosen(weights, 0, narrow) if self.low is not None else weights
            weights = self.lower_triangle(weights, narrow) if self.causal else weights
        y = self.like(self.batch, *self.rows, self.value)
        result = self.op("contract", [weights, "%x2"], y, zero_pad="false", origin='"matmul"',
                         maps=f"[{affine(f'b, {row}, e, {column}', f'b, {row}, {column}', f'b, {column}, e', f'b, {row}, e')}]")
        expected, bound = self.expected()
        self.expected_result, self.bound = expected.reshape(y.shape), bound.reshape(y.shape)
        self.returns([result], self.like(*y.shape))


def cases():
    for kind in ("f16", "bf16"):
        yield Form(f"chosen_{kind}", 2, [130], [200], 64, kind, low=-10000)
        yield Form(f"chosen_the_other_way_{kind}", 2, [200], [77], 40, kind, low=-10000, swap=True)
        for name in FUNCTIONS:
            yield Form(f"{name}_{kind}", 3, [130], [77], 40, kind, value=64, function=name)
    yield Form("lowest", 2, [100], [100], 64, low=-65504)
    yield Form("masked_twice", 2, [130], [130], 64, low=-65504, after=True)
    yield Form("masked_twice_infinite", 2, [130], [200], 40, "bf16", low=-np.inf, after=True)
    yield Form("silu_biased", 3, [256], [256], 64, function="silu", bias=True)
    yield Form("silu_chosen", 3, [130], [200], 64, function="silu", low=0)
    yield Form("silu_causal", 3, [200], [200], 64, function="silu", causal=True)
    yield Form("causal", 3, [256], [333], 72, "bf16", function="none", causal=True)
    yield Form("pixels", 2, [12, 12], [12, 12], 40)
    yield Form("pixels_7", 4, [7, 7], [7, 7], 32, bias=True, low=-100)
    yield Form("pixels_and_words", 2, [10, 20], [77], 40, "bf16")
    yield Form("pixels_relu", 3, [9, 10], [9, 10], 64, function="relu")


def main():
    gpu.use_stand_in()
    failed, only = [], sys.argv[1:]
    for number, case in enumerate(cases() if only else strata.every(cases())):
        if only and case.name not in only:
            continue
        on_fma = 0 if case.name == "causal" else 1  # too few rows for one kernel of multiply-adds
        if not all([check(case, [], 1, "."), check(case, [], on_fma, ".", "emulated_fma"),
                    check(case, [], 0, ".", FRAGMENTS[number % len(FRAGMENTS)]), check(case, APART, 0, "."),
                    check(case, EXACT, 0, ".")]):
            failed.append(case.name)
    return len(failed) != 0


if __name__ == "__main__":
    sys.exit(main())
