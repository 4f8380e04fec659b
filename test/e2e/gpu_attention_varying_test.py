"""Attention whose batch, queries and keys vary, one kernel each, on the emulated devices that have asynchronous products
and multiply-adds alone: one library for all sizes against numpy in double precision, at sizes below, at and beyond the
edges of tiles, and some that are drawn."""
import functools
import os

import numpy as np

import gpu
import strata

DEVICES = {"f16": ("emulated_90", "emulated_fma"), "bf16": ("emulated_90",), "f32": ("emulated_fma",)}
EPSILON = {"f16": 2.0 ** -10, "bf16": 2.0 ** -7, "f32": 2.0 ** -20}
CUT = 512
EDGES = [1, 17, 63, 64, 65, 128, 511]
FEW = len(EDGES) if "STRATA_ALL" in os.environ else 4
INFINITY = {"f16": "0xFC00", "bf16": "0xFF80", "f32": "0xFF800000"}


class Attention:
    """Of [batch, sequence, heads, depth], or [batch, sequence, heads * depth] where |flat|; |joined|: the result is
    [batch * sequence, heads * depth]. |across|: operands of [batch, heads, depth, sequence]. Queries are "sequence" or a
    number; keys are as many, or "keys", or what lies in a cache and the queries: "past + sequence". Masks: "causal", of
    the numbers of rows and columns; "padding", of how many keys each batch has; "added", scores of their own; "added_f32", the
    same where scores are f32; "cut", a part of what constants make of the longest sequence, CUT. |parts|: keys are cut
    into parts, of which short ones leave some empty, and another kernel puts them together."""

    def __init__(self, element="f16", heads=2, depth=64, keys="sequence", queries="sequence", batch="batch", mask="",
                 flat=False, groups=1, joined=False, across="", multiple=1, kernels=1, heads_first=False,
                 likely="16, 128", parts=False):
        self.heads_first, self.likely, self.parts = heads_first, likely, parts
        self.joined, self.across, self.multiple, self.kernels = joined, across, multiple, kernels
        self.element, self.heads, self.depth, self.mask, self.flat = element, heads, depth, mask, flat
        self.queries, self.batch, self.groups = queries, batch, groups
        self.past = keys == "past"
        self.keys = f"past + {queries}" if self.past else keys
        names = [batch, queries, "past" if self.past else keys]
        self.symbols = [name for i, name in enumerate(names) if isinstance(name, str) and name not in names[:i]]
        self.whole = (np.arange(CUT)[:, None] ^ np.arange(CUT)[::-1]).astype(np.float32)
        self.lines = []

    def sizes(self, generator):
        """Each with another of the edges, of which every case draws some, and one that is drawn."""
        for i in [*generator.choice(len(EDGES), FEW, replace=False), len(EDGES)]:
            most = 3000 if self.parts else 200
            edges = EDGES if i < len(EDGES) else generator.integers(2, most, len(EDGES))
            yield {name: int(generator.choice([1, 3])) if name == "batch" else
                   -(-int(edges[(i + 3 * j) % len(edges)]) // self.multiple) * self.multiple
                   for j, name in enumerate(self.symbols)}

    def number(self, dim, sizes):
        return eval(dim, {}, sizes) if isinstance(dim, str) else dim

    # The graph.

    def type(self, dims, element=None):
        element = element or self.element
        marks = "x".join("?" if isinstance(d, str) else str(d) for d in dims)
        if not any(isinstance(d, str) for d in dims):
            return f"tensor<{marks}x{element}>" if dims else f"tensor<{element}>"
        symbol = lambda part: f"s{self.symbols.index(part)}" if part in self.symbols else part
        if dims and " * " in str(dims[0]):
            return f"tensor<{marks}x{element}, affine_map<()[s0, s1] -> (s0 * s1, {dims[1]})>>"
        exprs = [" + ".join(sorted((symbol(part) for part in str(d).split(" + ")), reverse=not str(d).endswith("1")))
                 for d in dims]
        used = 1 + max(i for i, _ in enumerate(self.symbols) if any(f"s{i}" in e for e in exprs))
        return (f"tensor<{marks}x{element}, affine_map<()[{', '.join(f's{i}' for i in range(used))}] -> "
                f"({', '.join(exprs)})>>")

    def op(self, name, operands, dims, element=None, **attrs):
        result = f"%v{len(self.lines)}"
        attributes = ", ".join(f"{key} = {value}" for key, value in attrs.items())
        types = ", ".join(t for _, t in operands)
        self.lines.append(f'{result} = "strata.{name}"({", ".join(v for v, _ in operands)}) {{{attributes}}} : ({types}) '
                          f'-> {self.type(dims, element)}')
        return result, self.type(dims, element)

    def number_of(self, value, dims, element=None):
        kind = element or self.element
        scalar = self.op("constant", [], [], kind, value=f"dense<{value}> : tensor<{kind}>")
        return self.broadcast(scalar, dims, "", kind)

    def broadcast(self, value, dims, kept, element=None):
        return self.op("broadcast", [value], dims, element, map=f"affine_map<({'b, h, ' if len(dims) > 2 else ''}{'g, ' if len(dims) == 5 else ''}i, j) -> ({kept})>")

    def masked(self, scores, dims):
        if self.mask == "added_f32":
            added = self.broadcast(("%m", self.type([self.queries, self.keys], "f32")), dims, "i, j", "f32")
            return self.op("add", [self.op("convert", [scores], dims, "f32"), added], dims, "f32")
        if self.mask == "added":
            added = self.broadcast(("%m", self.type([self.queries, self.keys])), dims, "i, j")
            return self.op("add", [scores, added], dims)
        if self.mask == "cut":
            bits = self.stored(self.whole).tobytes().hex()
            whole = self.op("constant", [], [CUT, CUT], value=f'dense<"0x{bits}"> : tensor<{CUT}x{CUT}x{self.element}>')
            part = self.op("slice", [whole], [self.queries, self.keys], starts="array<i64: 0, 0>", steps="array<i64: 1, 1>")
            part = self.op("mul", [part, self.number_of("0.015625", [self.queries, self.keys])], [self.queries, self.keys])
            return self.op("add", [scores, self.broadcast(part, dims, "i, j")], dims)
        if not self.mask:
            return scores
        rows, columns = (self.op("iota", [], dims, "i32", axis=f"{axis} : i64") for axis in (2, 3))
        if self.mask == "padding":
            rows = self.broadcast(("%m", self.type([self.batch], "i32")), dims, "b", "i32")
            keep = self.op("lt", [columns, rows], dims, "i1")
        else:
            if self.past:
                past = self.op("dims", [], [1], "i64", values=f"affine_map<()[{', '.join(f's{i}' for i in range(len(self.symbols)))}] -> (s{self.symbols.index('past')})>")
                past = self.op("convert", [past], [1], "i32")
                rows = self.op("add", [rows, self.broadcast(past, dims, "0", "i32")], dims, "i32")
            keep = self.op("ge", [rows, columns], dims, "i1")
        return self.op("select", [keep, scores, self.number_of(INFINITY[self.element], dims)], dims)

    def text(self):
        self.lines = []
        heads = self.heads // self.groups
        group, groups = ("g, ", [self.groups]) if self.groups > 1 else ("", [])
        q, k = [self.batch, self.queries, heads, *groups, self.depth], [self.batch, self.keys, heads, self.depth]
        flat = lambda dims: dims[:2] + [dims[2] * dims[3]] if self.flat else dims
        laid = lambda name, dims: ([dims[0], *dims[2:], dims[1]] if name in self.across else
                                   [dims[0], dims[2], dims[1], dims[3]] if self.heads_first else flat(dims))
        inputs = [f"%{name}: {self.type(laid(name, dims))} {{strata.name = \"{name}\"}}"
                  for name, dims in zip("qkv", (q, k, k))]
        if self.mask in ("padding", "added", "added_f32"):
            dims, element = ([self.batch], "i32") if self.mask == "padding" else ([self.queries, self.keys], None)
            element = "f32" if self.mask == "added_f32" else element
            inputs.append(f'%m: {self.type(dims, element)} {{strata.name = "m"}}')
        given = {name: (f"%{name}", self.type(laid(name, dims))) for name, dims in zip("qkv", (q, k, k))}
        place = {name: "b, h, d, %s" if name in self.across else "b, h, %s, d" if self.heads_first else "b, %s, h, d"
                 for name in "qkv"}
        queries = "b, h, i, d" if self.heads_first else f"b, i, h, {group}d"
        if self.flat:
            given = {name: self.op("reshape", [given[name]], dims) for name, dims in zip("qkv", (q, k, k))}
        dims = [self.batch, heads, *groups, self.queries, self.keys]
        scores = self.op("contract", [given["q"], given["k"]], dims, zero_pad="false", origin='"matmul"', maps=(
            f"[affine_map<(b, h, {group}i, j, d) -> ({queries})>, "
            f"affine_map<(b, h, {group}i, j, d) -> ({place['k'] % 'j'})>, "
            f"affine_map<(b, h, {group}i, j, d) -> (b, h, {group}i, j)>]"))
        scores = self.op("mul", [scores, self.number_of(f"{self.depth ** -0.5:e}", dims)], dims)
        weights = self.op("softmax", [self.masked(scores, dims)], dims, "f32" if self.mask == "added_f32" else None,
                          axes=f"array<i64: {len(dims) - 1}>")
        if self.mask == "added_f32":
            weights = self.op("convert", [weights], dims)
        y = self.op("contract", [weights, given["v"]], q, zero_pad="false", origin='"matmul"', maps=(
            f"[affine_map<(b, i, h, {group}d, j) -> (b, h, {group}i, j)>, "
            f"affine_map<(b, i, h, {group}d, j) -> ({place['v'] % 'j'})>, "
            f"affine_map<(b, i, h, {group}d, j) -> (b, i, h, {group}d)>]"))
        y = self.op("reshape", [y], flat(q)) if self.flat else y
        if self.joined:
            y = self.op("reshape", [y], [f"{self.batch} * {self.queries}", self.heads * self.depth])
        symbols = ", ".join(f'{{name = "{n}", min = {0 if n == "past" else 1}, max = {CUT if self.mask == "cut" and n != "batch" else 100000}, multiple = '
                            f'{1 if n in ("batch", "past") else self.multiple}, likely = [{"1, 8" if n == "batch" else self.likely}]}}' for n in self.symbols)
        body = "\n  ".join(self.lines)
        return (f'func.func @main({", ".join(inputs)}) -> ({y[1]} {{strata.name = "y"}}) attributes {{strata.symbols = '
                f'[{symbols}]}} {{\n  {body}\n  return {y[0]} : {y[1]}\n}}\n')

    # Values.

    def stored(self, x):
        return strata.to_bf16(x) if self.element == "bf16" else x.astype({"f16": np.float16, "f32": np.float32}[self.element])

    def exact(self, x):
        return (strata.from_bf16(x) if self.element == "bf16" else x).astype(np.float64)

    def inputs(self, sizes, generator):
        b, n, m = (self.number(d, sizes) for d in (self.batch, self.queries, self.keys))
        draw = lambda *shape: self.stored(generator.standard_normal(shape).astype(np.float32))
        heads = self.heads // self.groups
        given = [draw(b, n, self.heads, self.depth), draw(b, m, heads, self.depth), draw(b, m, heads, self.depth)]
        if self.mask == "padding":
            given.append(generator.integers(1, m + 1, b).astype(np.int32))
        if self.mask == "added":
            given.append(draw(n, m))
        if self.mask == "added_f32":
            given.append(generator.standard_normal((n, m)).astype(np.float32))
        return given

    def wanted(self, given):
        q, k, v = (self.exact(x) for x in given[:3])
        k, v = (np.repeat(x, self.groups, 2) for x in (k, v))
        scores = np.einsum("bihd,bjhd->bhij", q, k) * self.depth ** -0.5
        n, m = scores.shape[2:]
        if self.mask == "causal":
            scores = np.where(np.tri(n, m, m - n, dtype=bool), scores, -np.inf)
        if self.mask == "padding":
            scores = np.where(np.arange(m) < given[3][:, None, None, None], scores, -np.inf)
        if self.mask == "added":
            scores = scores + self.exact(given[3])
        if self.mask == "cut":
            scores = scores + self.whole[:n, :m] / 64
        if self.mask == "added_f32":
            scores = scores + given[3]
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        across = np.ascontiguousarray(v.transpose(0, 2, 3, 1))  # sums along what is contiguous take a third of the time
        y, near = (np.einsum("bhij,bhdj->bihd", weights, x) for x in (across, np.abs(across)))
        return y, 4 * EPSILON[self.element] * (near + np.abs(y)) + 1e-6


CASES = {
    "self_f16": Attention(heads=12),
    "self_bf16": Attention("bf16", heads=1),
    "self_f32": Attention("f32"),
    "head_80": Attention(depth=80),
    "head_128": Attention("bf16", depth=128),
    "head_40_f32": Attention("f32", depth=40),
    "heads_first": Attention(heads=16, heads_first=True, likely="2048"),
    "heads_first_causal": Attention("bf16", depth=128, heads=3, heads_first=True, mask="causal", likely="384, 2048"),
    "long_added": Attention(depth=128, mask="added", likely="2048"),
    "flat": Attention(flat=True, heads=3),
    "flat_f32": Attention("f32", flat=True, heads=3, depth=40),
    "joined": Attention(flat=True, joined=True),
    "keys_across": Attention(across="k", multiple=8),
    "all_across": Attention(across="kv", multiple=8, mask="causal", depth=80),
    "across_anywhere": Attention(across="kv", kernels=3),  # rows that the copy engine does not take
    "causal": Attention(mask="causal"),
    "causal_bf16": Attention("bf16", mask="causal", depth=128, heads=1),
    "causal_f32": Attention("f32", mask="causal"),
    "causal_flat": Attention(mask="causal", flat=True, heads=3),
    "padding": Attention(mask="padding"),
    "padding_f32": Attention("f32", mask="padding"),
    "added": Attention(mask="added"),
    "added_f32": Attention(mask="added_f32", likely="128, 208"),
    "cut_f32": Attention("f32", mask="cut"),
    "cut": Attention(mask="cut", likely="128, 208"),
    "cross": Attention(keys="keys"),
    "cross_f32": Attention("f32", keys="keys", depth=80),
    "cross_known_keys": Attention(keys=77),
    "cross_known_queries": Attention(queries=64, keys="keys"),
    "batches": Attention(queries=100, keys=100),
    "one_batch": Attention(batch=1, mask="causal"),
    "past": Attention(keys="past", mask="causal"),
    "past_f32": Attention("f32", keys="past", mask="causal"),
    "step": Attention(keys="past", queries=1),
    "groups": Attention(heads=8, groups=4),
    "parts": Attention(batch=1, queries=1, keys="past", heads=8, groups=4, likely="4096", parts=True),
    "parts_padding": Attention("bf16", batch=2, queries=4, keys="keys", mask="padding", likely="2048", parts=True),
    "parts_added": Attention(batch=1, queries=5, keys="keys", mask="added", depth=128, likely="4096", parts=True),
    "parts_causal": Attention(batch=1, queries=3, keys="past", mask="causal", depth=40, likely="4096", parts=True),
    "parts_f32": Attention("f32", batch=1, queries=2, keys="keys", mask="added", likely="2048", parts=True),
}


def check(name, device, generator):
    case = CASES[name]
    path = strata.write(f"{name}.mlir", case.text())
    library = gpu.Library(strata.compile_library(path, "out", f"{name}_{device}", [
        "--target=nvgpu", f"--device={device}"])[0])
    kernels = {kernel.name.split(b"_v")[0] for kernel in library.kernels}  # and variants of them
    expected = (case.kernels if device == "emulated_90" else 1) + case.parts + (case.mask == "cut")  # one prepares
    assert len(kernels) == expected, f"{len(kernels)} kernels instead of {expected}"
    for sizes in case.sizes(generator):
        given = case.inputs(sizes, generator)
        wanted, bound = case.wanted(given)
        laid = [np.moveaxis(x, 1, 3) if name in case.across else
                x.swapaxes(1, 2) if case.heads_first and name != "m" else x for name, x in zip("qkvm", given)]
        got, = library.run(laid, [sizes[s] for s in case.symbols])
        wrong = ~(np.abs(case.exact(got.reshape(wanted.shape)) - wanted) <= bound)
        assert not wrong.any(), (f"{sizes}: {wrong.sum()} of {wrong.size} wrong, first at {np.argwhere(wrong)[0]}: "
                                 f"{case.exact(got.reshape(wanted.shape))[wrong][0]} instead of {wanted[wrong][0]}")
    library.unload()


def main():
    gpu.report_drawn((f"{name} {device}", functools.partial(check, name, device))
                     for name in strata.some(CASES) for device in DEVICES[CASES[name].element])


main()
