"""Attention over keys and values in pages of a cache that a block table finds, as exporters write it: pages gathered by
numbers, joined to columns, and read by attention. One kernel, and where its columns are cut one more: no launch gathers
the cache; against NumPy in double precision, on the emulated device that has asynchronous products. Pages that no table
names are NaN. Pages of 8 to 256 columns, as many as tiles are not multiples of, both orders of heads and rows in a page,
tables of 32 and 64 bits, numbers from the end, masks and lengths from a tensor, several queries, bytes with scales.

    paged_caches_test.py            some, others each run
    paged_caches_test.py NAME...    those
"""
import re

import numpy as np

import onnx_file
import strata
from byte_caches_test import EPSILON, FORMATS, attended, compiled, element, launches_of, narrowed, run, widened

SCALE = .25


class Cache:
    """Pages of keys or values, [pages, rows, heads, depth], of |format| of FORMATS or "wide"."""

    def __init__(self, random, format, used, shape, kind):
        self.format = format
        if format == "wide":
            values = np.full(shape, np.nan)
            values[used] = random.standard_normal((len(used), *shape[1:]))
            self.bits = narrowed(values, kind)
            self.values = widened(self.bits, kind)
            return
        _, dtype, table, choices = FORMATS[format]
        bytes_ = random.choice(np.asarray(choices, np.uint8), shape)
        self.bits = bytes_.view(dtype)
        self.scale = np.float16(1 / np.sqrt(np.mean(table[bytes_] ** 2)))
        self.values = table[bytes_] * np.float64(self.scale)


class Case:
    def __init__(self, name, keys="wide", values=None, kind="f16", batch=2, heads=(8, 2), rows=1, page=16, pages=9,
                 more=5, depth=64, heads_first=False, table="i32", from_end=False, mask=False, lengths=False, flat=False,
                 launches=2):
        self.name, self.kind, self.launches, self.heads_first, self.flat = name, kind, launches, heads_first, flat
        random = strata.generator_of(name)
        (h, g), s, d = heads, rows, depth
        n = batch * pages + more
        self.table = random.permutation(n)[:batch * pages].reshape(batch, pages)
        self.q = narrowed(random.standard_normal((batch, h, s, d)), kind)
        used = self.table.reshape(-1)
        self.k = Cache(random, keys, used, (n, page, g, d), kind)
        self.v = Cache(random, values or keys, used, (n, page, g, d), kind)
        self.table_type = table
        if from_end:
            self.table = np.where(random.integers(0, 2, self.table.shape), self.table - n, self.table)
        self.columns = page * pages
        self.mask = self.lengths = None
        if mask:
            self.mask = random.random((batch, 1, s, self.columns)) < .7
            self.mask[..., 0] = True
        if lengths:
            self.lengths = random.integers(1, self.columns + 1, batch)

    def cache(self, graph, name, cache, inputs):
        wide = element(self.kind)
        bits = cache.bits.transpose(0, 2, 1, 3) if self.heads_first else cache.bits
        inputs.append(np.ascontiguousarray(bits))
        graph.input(name, wide if cache.format == "wide" else FORMATS[cache.format][0], bits.shape)
        b, d = self.table.shape[0], bits.shape[3]
        x = graph.node("Gather", [name, "table"], axis=0)
        if cache.format != "wide":
            x = graph.node("DequantizeLinear", [x, graph.constant(f"s{name}", cache.scale)])
        if self.heads_first:
            x = graph.node("Transpose", [x], perm=[0, 2, 1, 3, 4])
            shape = [b, bits.shape[1], self.columns, d]
        else:
            shape = [b, self.columns, -1] if self.flat else [b, self.columns, bits.shape[2], d]
        x = graph.node("Reshape", [x, graph.constant(f"to_{name}", np.array(shape, np.int64))])
        return x if self.heads_first or self.flat else graph.node("Transpose", [x], perm=[0, 2, 1, 3])

    def graph(self):
        graph = onnx_file.Graph(opset=24)
        wide, (b, h, s, d) = element(self.kind), self.q.shape
        q = self.q.transpose(0, 2, 1, 3).reshape(b, s, h * d) if self.flat else self.q
        graph.input("q", wide, q.shape)
        graph.input("table", onnx_file.INT64 if self.table_type == "i64" else onnx_file.INT32, self.table.shape)
        inputs = [np.ascontiguousarray(q), self.table.astype(np.int64 if self.table_type == "i64" else np.int32)]
        operands = ["q", self.cache(graph, "k", self.k, inputs), self.cache(graph, "v", self.v, inputs)]
        if self.mask is not None:
            operands.append(graph.input("mask", onnx_file.BOOL, self.mask.shape))
            inputs.append(self.mask)
        if self.lengths is not None:
            graph.input("lengths", onnx_file.INT64, self.lengths.shape)
            operands += [""] * (6 - len(operands)) + ["lengths"]
            inputs.append(self.lengths.astype(np.int64))
        heads = {"q_num_heads": h, "kv_num_heads": self.k.values.shape[2]} if self.flat else {}
        graph.output(graph.node("Attention", operands, **heads), wide, q.shape)
        return graph, inputs

    def expected(self):
        b, h, _, d = self.q.shape
        g = self.k.values.shape[2]
        k, v = (np.repeat(x.values[self.table].reshape(b, self.columns, g, d).transpose(0, 2, 1, 3), h // g, 1)
                for x in (self.k, self.v))
        scores = np.einsum("bhid,bhjd->bhij", widened(self.q, self.kind), k) * d ** -.5
        if self.mask is not None:
            scores = np.where(self.mask, scores, -np.inf)
        if self.lengths is not None:
            scores = np.where(np.arange(self.columns) < self.lengths[:, None, None, None], scores, -np.inf)
        result, size = attended(scores, v)
        return result, EPSILON[self.kind] * size + 1e-9


CASES = {
    "plain": {},
    "bf16": {"kind": "bf16", "page": 32, "pages": 11},
    "pages_of_8": {"page": 8, "pages": 37},
    "pages_of_64": {"page": 64, "pages": 5, "depth": 128},
    "pages_of_128": {"page": 128, "pages": 3, "batch": 3},
    "pages_of_256": {"page": 256, "pages": 3, "heads": (6, 3)},
    "one_page": {"page": 128, "pages": 1},
    "odd_page": {"page": 48, "pages": 5},
    "heads_first": {"heads_first": True, "pages": 13},
    "heads_first_64": {"heads_first": True, "page": 64, "pages": 7, "depth": 80},
    "wide_table": {"table": "i64"},
    "from_end": {"from_end": True, "table": "i64", "page": 32},
    "masked": {"mask": True, "pages": 21, "launches": 3},
    "lengths": {"lengths": True, "pages": 30, "batch": 3, "launches": 3},
    "several": {"rows": 5, "page": 32, "pages": 10},
    "several_masked": {"rows": 3, "mask": True, "page": 64, "launches": 3},
    "many": {"rows": 70, "heads": (4, 2), "page": 64, "pages": 4, "launches": 1},
    "flat": {"flat": True, "page": 32, "pages": 12},
    "large": {"depth": 256, "page": 16, "pages": 10},
    "small": {"depth": 16, "page": 16, "pages": 40},
    "each_head": {"heads": (4, 4), "page": 64, "pages": 6},
    "many_sequences": {"batch": 40, "page": 16, "pages": 4},
    "e4m3": {"keys": "e4m3", "page": 32, "pages": 9, "depth": 128},
    "i8": {"keys": "i8", "page": 16, "pages": 17},
    "i8_masked": {"keys": "i8", "mask": True, "page": 128, "pages": 3, "launches": 3},
    "keys_only": {"keys": "e5m2", "values": "wide", "page": 64, "pages": 5},
}


def check(name, options, folder):
    case = Case(name, **options)
    graph, inputs = case.graph()
    library, text = compiled(graph, name, folder)
    launches = launches_of(text)
    assert not re.search(r", 1 nests \(gather\)", text), "a gather of its own"
    assert launches <= case.launches, f"{launches} launches"
    got = library.run(inputs)[0]
    library.unload()
    expected, bound = case.expected()
    got = widened(got, case.kind)
    if case.flat:
        b, h, s, d = case.q.shape
        got = got.reshape(b, s, h, d).transpose(0, 2, 1, 3)
    error = np.abs(got - expected) / bound
    assert np.all(error < 4), f"{np.nanmax(error)} times its bound, {np.isnan(error).sum()} NaN"


def operator(lengths, folder, page=16, pages=11, heads=(8, 2), depth=64, more=3):
    """PagedAttention of f16 over sequences of |lengths| new tokens: the caches are written, and what is read is NaN where
    no token is."""
    name, batch, tokens = f"operator_{'_'.join(map(str, lengths))}", len(lengths), sum(lengths)
    random, (h, g), n = strata.generator_of(name), heads, len(lengths) * pages + more
    past = np.array([random.integers(0, page * pages - length + 1) for length in lengths], np.int32)
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    table = random.permutation(n)[:batch * pages].reshape(batch, pages).astype(np.int32)
    rows = [random.standard_normal((tokens, count * depth)).astype(np.float16) for count in (h, g, g)]
    caches = [random.standard_normal((n, page, g, depth)).astype(np.float16) for _ in "kv"]
    for cache in caches:
        cache[np.setdiff1d(np.arange(n), table)] = np.nan
    graph = onnx_file.Graph(opset=21)
    operands, inputs = ["q", "k", "v", "kc", "vc", "ends", "past", "table"], [*rows, *caches, ends, past, table]
    for operand, x in zip(operands, inputs):
        graph.input(operand, onnx_file.FLOAT16 if x.dtype == np.float16 else onnx_file.INT32, x.shape)
    graph.node("PagedAttention", operands, ["y", "kn", "vn"], domain="com.microsoft", num_heads=h, kv_num_heads=g)
    for result, x in zip(("y", "kn", "vn"), (rows[0], *caches)):
        graph.output(result, onnx_file.FLOAT16, x.shape)
    library, text = compiled(graph, name, folder)
    assert re.search(r"nests \([^)]*gather gather[^)]* contract", text), "no kernel of attention reads the pages"
    got = [x.astype(np.float64) for x in library.run(inputs)]
    library.unload()
    new = [cache.astype(np.float64) for cache in caches]
    for b, length in enumerate(lengths):
        for i in range(length):
            place = past[b] + i
            for cache, x in zip(new, rows[1:]):
                cache[table[b, place // page], place % page] = x[ends[b] + i].reshape(g, depth)
    for cache, wanted in zip(got[1:], new):
        assert np.array_equal(cache, wanted, equal_nan=True), "the cache"
    for b, length in enumerate(lengths):
        k, v = (np.repeat(cache[table[b]].reshape(-1, g, depth), h // g, 1) for cache in new)
        for i in range(length):
            q, seen = rows[0][ends[b] + i].reshape(h, depth).astype(np.float64), past[b] + i + 1
            scores = np.einsum("hd,jhd->hj", q, k[:seen]) * depth ** -.5
            wanted, size = attended(scores[:, None], v[:seen].transpose(1, 0, 2))
            bound = EPSILON["f16"] * 4 * size + 1e-9
            error = np.abs(got[0][ends[b] + i].reshape(h, 1, depth) - wanted) / bound
            assert np.all(error < 1), f"sequence {b}, token {i}: {np.nanmax(error)} times its bound"


if __name__ == "__main__":
    run(CASES, check, 12, lambda folder: [
        ("operator, a step", lambda: operator([1, 1, 1], folder)),
        ("operator, chunks", lambda: operator([5, 1, 9], folder, page=32, pages=5))])
