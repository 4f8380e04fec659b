"""Attention as one kernel, on the emulated devices that have asynchronous products, multiply-adds alone and AMD's matrix
instructions, and as three: against NumPy in double precision, on random numbers. Lengths that are no multiple of any tile, masks of all kinds, rows without columns, scores of
large spread, operands that are slices of one buffer, results that are written transposed."""
import os
import sys

import numpy as np

import gpu
import strata
from level2 import Case, HalfCase, bits

random = np.random.default_rng(5)
# One for each case.
FRAGMENTS = ["emulated_942", "emulated_1100", "emulated_1201", "emulated_950", "emulated_90a"]
APART = "--polyblocks-disable-reduce-reduce-fusion"
LOWEST = np.finfo(np.float32).min
EPSILON = {"f16": 2.0 ** -10, "bf16": 2.0 ** -7, "f32": 2.0 ** -14}  # of a weight's rounding and a result's


def affine(dims, *results):
    return ", ".join(f"affine_map<({dims}) -> ({r})>" for r in results)


class Attention(HalfCase):
    """softmax(q k^T * scale + mask) v, written as a front end does."""

    def __init__(self, name, batch, heads, rows, columns, depth, kind="bf16", value=None, mask=None, spread=1,
                 packed=False, guard=False, scale=None, bias=False):
        self.sizes = batch, heads, rows, columns, depth, value or depth
        self.kind, self.mask, self.guard, self.bias = kind, mask, guard, bias
        self.scale = depth ** -0.5 if scale is None else scale
        self.eps = EPSILON[kind]
        q, k, v = (self.round(random.standard_normal(shape) * spread) for shape in self.shapes(packed))
        inputs = [self.pack(q, k, v)] if packed else [q, k, v]
        self.wide = [self.widen(x) for x in (q, k, v)]
        self.added, masks = self.make_mask()
        super().__init__(name, *inputs, *masks)
        self.graph(packed, len(inputs))

    def shapes(self, packed):
        b, h, s, c, d, e = self.sizes
        return [(b, s, h, d), (b, c, h, d), (b, c, h, e)] if packed else [(b, h, s, d), (b, h, c, d), (b, h, c, e)]

    def pack(self, *parts):
        b, _, s, _, _, _ = self.sizes
        x = np.concatenate([np.asarray(x).reshape(b, s, -1) for x in parts], axis=2)
        return bits(x, "bf16") if self.kind == "bf16" else x

    def make_mask(self):
        """What is added to the scores, and the inputs that say so."""
        b, _, s, c, _, _ = self.sizes
        if self.mask is None:
            return 0, []
        if self.mask == "columns":  # other lengths in each batch
            keep = np.arange(c) < random.integers(1, c + 1, (b, 1))
            added = np.where(keep, 0, -np.inf).astype(np.float32)
            return added.reshape(b, 1, 1, c), [added]
        keep = np.tri(s, c, c - s, dtype=bool)
        if self.mask.startswith("iota"):  # made of numbers of rows and columns
            return np.where(keep, 0, -np.inf), []
        if self.mask == "empty":  # some rows have no column at all
            keep[random.integers(0, s, 3)] = False
        if self.mask == "select":
            return np.where(keep, 0, -np.inf), [keep]
        if self.mask == "lowest":
            keep[random.integers(0, s, 3)] = False
        added = np.where(keep, 0, LOWEST if self.mask == "lowest" else -np.inf).astype(np.float32)
        return added, [added]

    def expected(self):
        q, k, v = self.wide
        if q.shape[1] != self.sizes[1] or q.shape[2] != self.sizes[2]:
            q, k, v = (x.transpose(0, 2, 1, 3) for x in (q, k, v))
        scores = np.einsum("bhid,bhjd->bhij", q, k) * np.float32(self.scale)
        with np.errstate(invalid="ignore"):
            if self.mask == "lowest":  # as f32 has it: what is added drowns
                scores = np.where(np.broadcast_to(self.added, scores.shape) < 0, LOWEST, scores)
            else:
                scores = scores + self.added
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            weights /= weights.sum(-1, keepdims=True)
        if self.guard:
            weights = np.where(np.isnan(weights), 0, weights)
        result = weights @ v + (1 if self.bias else 0)
        return result, self.eps * (weights @ np.abs(v) + np.abs(result)) + 1e-6

    def broadcast(self, name, like, results):
        return self.op("broadcast", [name], like, map=f"affine_map<(b, h, i, j) -> ({results})>")

    def masked(self, scores, like, first):
        name = f"%x{first}"
        if self.mask is None:
            return scores
        if self.mask.startswith("iota"):
            return self.causal(scores, like)
        if self.mask == "select":
            keep = self.broadcast(name, np.zeros(like.shape, bool), "i, j")
            return self.op("select", [keep, scores, self.splat(-np.inf, like)], like)
        return self.op("add", [scores, self.broadcast(name, like, "b, j" if self.mask == "columns" else "i, j")], like)

    def causal(self, scores, like):
        """Columns up to the row's number, counted from the end; chosen, or -inf added to the others."""
        numbers = np.zeros(like.shape, np.int32)
        rows, columns = (self.op("iota", [], numbers, axis=f"{axis} : i64") for axis in (2, 3))
        rows = self.op("add", [rows, self.splat(like.shape[3] - like.shape[2], numbers)], numbers)
        keep = np.zeros(like.shape, bool)
        nothing = self.splat(-np.inf, like)
        if self.mask == "iota":
            return self.op("select", [self.op("ge", [rows, columns], keep), scores, nothing], like)
        added = self.op("select", [self.op("gt", [columns, rows], keep), nothing, self.splat(0, like)], like)
        return self.op("add", [scores, added], like)

    def narrowed(self, x, *shape):
        return x if self.kind == "f32" else self.op("convert", [x], self.like(*shape))

    def splat(self, value, like):
        if np.isinf(value):
            text = "0xFF800000" if like.dtype == np.float32 else "0xFC00"
        else:
            text = str(value) if like.dtype == np.int32 else f"{value:e}"
        return self.op("constant", [], like, value=f"dense<{text}> : {self.type_of(like)}")

    @staticmethod
    def type_of(like):
        return f"tensor<{'x'.join(map(str, like.shape))}x{ {'float32': 'f32', 'float16': 'f16', 'int32': 'i32'}[like.dtype.name]}>"

    def operands(self, packed):
        if not packed:
            return ["%x0", "%x1", "%x2"]
        b, h, s, _, d, _ = self.sizes
        parts = self.op("reshape", ["%x0"], self.like(b, s, 3, h, d))
        out = []
        for i in range(3):
            part = self.op("slice", [parts], self.like(b, s, 1, h, d), starts=f"array<i64: 0, 0, {i}, 0, 0>",
                           steps="array<i64: 1, 1, 1, 1, 1>")
            out.append(self.op("reshape", [part], self.like(b, s, h, d)))
        return out

    def graph(self, packed, first_mask):
        b, h, s, c, d, e = self.sizes
        names = ["b, i, h, d", "b, j, h, d", "b, j, h, e", "b, i, h, e"] if packed else \
            ["b, h, i, d", "b, h, j, d", "b, h, j, e", "b, h, i, e"]
        q, k, v = self.operands(packed)
        like = np.zeros((b, h, s, c), np.float32)
        scores = self.op("contract", [q, k], like, zero_pad="false", origin='"matmul"',
                         maps=f"[{affine('b, h, i, j, d', names[0], names[1], 'b, h, i, j')}]")
        if self.scale != 1:
            scores = self.op("mul", [scores, self.splat(self.scale, like)], like)
        scores = self.masked(scores, like, first_mask)
        weights = self.op("softmax", [scores], like, axes="array<i64: 3>")
        if self.guard:
            nan = self.op("is_nan", [weights], like.astype(bool))
            weights = self.op("select", [nan, self.splat(0, like), weights], like)
        narrow = self.narrowed(weights, b, h, s, c)
        shape = (b, s, h, e) if packed else (b, h, s, e)
        dims = "b, i, h, e, j" if packed else "b, h, i, e, j"
        wide = np.zeros(shape, np.float32)
        y = self.op("contract", [narrow, v], wide, zero_pad="false", origin='"matmul"',
                    maps=f"[{affine(dims, 'b, h, i, j', names[2], names[3])}]")
        if self.bias:
            y = self.op("add", [y, self.splat(1, wide)], wide)
        y = self.narrowed(y, *shape)
        result, bound = self.expected()
        if packed:
            y = self.op("reshape", [y], self.like(b, s, h * e))
            result, bound = (x.transpose(0, 2, 1, 3).reshape(b, s, h * e) for x in (result, bound))
        self.bound = bound
        self.expected_result = result
        self.returns([y], self.like(*result.shape))


class Grouped(Attention):
    """Several heads of queries to each of keys and values, a mask of rows and columns, weights that are never NaN."""

    def __init__(self, name, groups, times, rows, depth, kind="f16"):
        h, s, d = groups * times, rows, depth
        self.sizes, self.kind, self.mask, self.guard, self.bias = (1, h, s, s, d, d), kind, "full", True, False
        self.scale, self.eps = 1, EPSILON[kind]
        q, k, v = (self.round(random.standard_normal(shape) * depth ** -0.25)
                   for shape in [(1, s, h, d), (1, s, groups, d), (1, s, groups * d)])
        self.added, masks = self.make_mask()
        Case.__init__(self, name, q, k, v, *masks)
        k, v = (np.repeat(self.widen(x).reshape(1, s, groups, d), times, axis=2) for x in (k, v))
        self.wide = [x.transpose(0, 2, 1, 3) for x in (self.widen(q), k, v)]
        self.grouped_graph(groups, times, s, d)

    def grouped_graph(self, g, n, s, d):
        like = np.zeros((1, g, n, s, s), np.float32)
        maps = affine("b, g, n, i, j, d", f"b, i, g * {n} + n, d", "b, j, g, d", "b, g, n, i, j")
        scores = self.op("contract", ["%x0", "%x1"], like, zero_pad="false", origin='"matmul"', maps=f"[{maps}]")
        mask = self.op("broadcast", ["%x3"], like, map="affine_map<(b, g, n, i, j) -> (i, j)>")
        weights = self.op("softmax", [self.op("add", [scores, mask], like)], like, axes="array<i64: 4>")
        nan = self.op("is_nan", [weights], like.astype(bool))
        weights = self.op("select", [nan, self.splat(0, like), weights], like)
        narrow = self.narrowed(weights, 1, g, n, s, s)
        wide = np.zeros((1, s, g, n, d), np.float32)
        maps = affine("b, i, g, n, d, j", "b, g, n, i, j", f"b, j, g * {d} + d", "b, i, g, n, d")
        y = self.op("contract", [narrow, "%x2"], wide, zero_pad="false", origin='"matmul"', maps=f"[{maps}]")
        y = self.narrowed(y, 1, s, g, n, d)
        y = self.op("reshape", [y], self.like(1, s, g * n * d))
        self.expected_result, self.bound = (x.transpose(0, 2, 1, 3).reshape(1, s, -1) for x in self.expected())
        self.returns([y], self.like(*self.expected_result.shape))


def cases():
    yield Attention("plain", 1, 2, 256, 256, 64)
    yield Attention("one", 2, 3, 1, 100, 64)
    yield Attention("one_masked", 2, 5, 1, 77, 40, "f16", mask="columns")
    yield Attention("one_values", 1, 70, 1, 130, 72, "bf16", value=32)
    yield Attention("one_afterwards", 3, 4, 1, 65, 64, "f16", bias=True)
    for length, depth, kind in [(17, 16, "f16"), (100, 32, "bf16"), (197, 64, "f16"), (256, 128, "bf16"),
                                (100, 80, "f16"), (130, 96, "bf16"), (65, 112, "f16"), (197, 48, "bf16"),
                                (100, 24, "f16"), (197, 40, "bf16"), (130, 72, "f16"), (77, 88, "bf16"), (65, 8, "f16")]:
        yield Attention(f"length_{length}_{depth}", 2, 2, length, length, depth, kind)
    yield Attention("long", 1, 2, 100, 420, 64, "f16")
    yield Attention("more_rows", 1, 2, 300, 50, 32, "bf16")
    yield Attention("values", 1, 2, 70, 90, 64, "bf16", value=32)
    yield Attention("wide_values", 1, 2, 70, 77, 40, "f16", value=104)
    yield Attention("few_keys", 2, 2, 256, 77, 40, "f16")
    yield Attention("packed", 2, 3, 197, 197, 64, "f16", packed=True)
    yield Attention("packed_40", 2, 3, 130, 130, 40, "bf16", packed=True)
    yield Attention("packed_72_masked", 1, 2, 197, 197, 72, "f16", packed=True, mask="columns")
    yield Attention("packed_bf16", 2, 2, 100, 100, 32, "bf16", packed=True)
    yield Attention("spread", 1, 2, 197, 197, 64, "bf16", spread=5)
    yield Attention("spread_f16", 1, 2, 100, 300, 64, "f16", spread=5, mask="columns")
    yield Attention("columns", 3, 2, 128, 128, 64, "f16", mask="columns")
    yield Attention("columns_packed", 2, 2, 197, 197, 32, "bf16", mask="columns", packed=True)
    yield Attention("causal", 1, 2, 197, 197, 64, "bf16", mask="full")
    yield Attention("causal_select", 1, 2, 197, 197, 64, "f16", mask="select")
    yield Attention("causal_iota", 1, 2, 197, 197, 64, "bf16", mask="iota")
    yield Attention("causal_added", 1, 3, 256, 256, 64, "f16", mask="iota_added")
    yield Attention("causal_long", 2, 2, 384, 384, 64, "bf16", mask="iota")
    yield Attention("causal_more_columns", 1, 2, 100, 260, 64, "bf16", mask="iota", packed=False)
    yield Attention("causal_more_rows", 1, 2, 200, 130, 32, "f16", mask="iota", guard=True)
    yield Attention("causal_masked_scale", 1, 2, 130, 130, 64, "f16", mask="iota", scale=1, packed=True)
    yield Attention("empty_rows", 1, 2, 130, 130, 32, "bf16", mask="empty")
    yield Attention("empty_rows_guarded", 1, 2, 130, 130, 32, "f16", mask="empty", guard=True)
    yield Attention("lowest", 1, 2, 130, 130, 64, "f16", mask="lowest", guard=True)
    yield Attention("unscaled", 1, 2, 100, 100, 64, "bf16", scale=1, guard=True)
    yield Grouped("grouped", 2, 4, 130, 64)
    yield Attention("afterwards", 1, 2, 100, 100, 64, "f16", bias=True)


def check(case, options, want_launches, folder, device="emulated_90"):
    path = os.path.join(folder, "attention.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(case.text())
    options = ["--target=nvgpu", f"--device={device}", *options]
    path, _ = strata.compile_library(path, folder, f"attention_{case.name}", options)
    library = gpu.Library(path)
    n_launches = len(library.launches)
    got = library.run(case.inputs)[0]
    os.remove(path)
    got = case.widen(got).reshape(case.expected_result.shape)
    with np.errstate(invalid="ignore"):
        wrong = ~((np.abs(got - case.expected_result) <= case.bound) |
                  (np.isnan(got) & np.isnan(case.expected_result)))
    if wrong.any() or (want_launches and n_launches != want_launches):
        at = tuple(int(i[0]) for i in np.nonzero(wrong)) if wrong.any() else ()
        print(f"{case.name} {' '.join(options[1:])}: {n_launches} launches, expected {want_launches}; {wrong.sum()} of "
              f"{wrong.size} wrong" + (f", at {at}: {got[at]}, expected {case.expected_result[at]}" if at else ""))
        return False
    return True


def check_fragments(case, number, folder):
    """On one of the devices with AMD's instructions; large heads do not fit the registers of all."""
    device = FRAGMENTS[number % len(FRAGMENTS)]
    is_kernel = case.sizes[2] > 1 and not (device == "emulated_1100" and max(case.sizes[4:]) > 64)
    return check(case, [], 1 if is_kernel else 0, folder, device)


def main():
    gpu.use_stand_in()
    failed, only = [], sys.argv[1:]
    for number, case in enumerate(cases() if only else strata.every(cases())):
        if only and case.name not in only:
            continue
        one_row = case.sizes[2] == 1
        if not all([check(case, [], 1, "."), check(case, [APART], 0, "."),
                    check(case, [], 0 if one_row else 1, ".", "emulated_fma"), check_fragments(case, number, ".")]):
            failed.append(case.name)
    return len(failed) != 0


if __name__ == "__main__":
    sys.exit(main())
