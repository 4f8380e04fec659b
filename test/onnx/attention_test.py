"""Attention, rotary embeddings, norms of sums and products with weights of few bits, of ONNX and of com.microsoft:
against formulas in f64, with sizes as numbers, with names for batch and lengths, and in 16 bits.

    attention_test.py            all
    attention_test.py PATTERN    the cases whose names match
"""
import os
import re
import sys
import tempfile

import numpy as np

import onnx_file
import strata
from casts_test import FLOAT8, to_f8

RNG = np.random.default_rng(2611)
MICROSOFT = "com.microsoft"
CASES = []


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


class Case:
    """|inputs|: arrays, None where an operand is left out; |want|: results, None where one is not compared; of masked
    arrays what is not masked is. Those in
    |fixed| are weights, results in |wide| and inputs in |kept| stay f32; |opset| is that of the default domain; |named|:
    whether sizes may vary. Inputs and results in |float8|, two lists, are bits of such floats."""

    def __init__(self, name, op, inputs, want, domain="", opset=23, fixed=(), tolerance=1e-5, wide=(), kept=(),
                 named=True, float8=((), ()), **attributes):
        self.name, self.op, self.domain, self.opset, self.fixed, self.wide = name, op, domain, opset, fixed, wide
        self.kept, self.named, self.float8 = kept, named, float8
        self.inputs, self.want, self.tolerance, self.attributes = inputs, want, tolerance, attributes
        CASES.append(self)

    def open_axes(self, rank):
        """Batch and lengths, if not 1: what varies of an input of so many dimensions."""
        if rank == 5:
            return (1, 3) if self.op == "Attention" else (0, 1)
        return (0, 2) if rank == 4 else (0, 1)

    def add(self, graph, prefix, symbolic, half):
        """Adds the case to |graph|, its values' names with |prefix|."""
        operands = []
        for i, value in enumerate(self.inputs):
            name = "" if value is None else f"{prefix}x{i}"
            operands.append(name)
            if value is None:
                continue
            value = narrow(value) if half and i not in self.kept else value
            shape = [f"{prefix}d{i}_{k}" if symbolic and size > 1 and k in self.open_axes(value.ndim) else size
                     for k, size in enumerate(value.shape)]
            if i in self.fixed:
                graph.constant(name, value)
            else:
                graph.input(name, FLOAT8 if i in self.float8[0] else onnx_file.ELEMENT_TYPES[value.dtype], shape)
        while not operands[-1]:
            operands.pop()
        names = [f"{prefix}y{i}" if value is not None else "" for i, value in enumerate(self.want)]
        graph.node(self.op, operands, names, domain=self.domain, **self.attributes)
        for i, value in enumerate(self.want):
            if value is not None:
                value = np.asanyarray(value)
                element = (FLOAT8 if i in self.float8[1] else
                           onnx_file.ELEMENT_TYPES[value.dtype] if value.dtype.kind != "f" else
                           onnx_file.FLOAT16 if half and i not in self.wide else onnx_file.FLOAT)
                graph.output(names[i], element, [f"{names[i]}_{k}" for k in range(value.ndim)])

    def given(self, half):
        """The inputs, in order."""
        return [narrow(value) if half and i not in self.kept else value for i, value in enumerate(self.inputs)
                if value is not None and i not in self.fixed]

    def expected(self):
        return [value for value in self.want if value is not None]


def narrow(value):
    return value.astype(np.float16) if value.dtype == np.float32 else value


# -- formulas ---------------------------------------------------------------------------------------------------------

def split(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def join(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def attend(q, k, v, scale=None, bias=0.0, allowed=True, softcap=0.0, sink=None):
    """Scores, probabilities and result; a row without a key is 0."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.swapaxes(-1, -2) * (scale or q.shape[-1] ** -0.5)
    raw = scores
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    scores = np.where(allowed, scores + bias, -np.inf)
    most = scores.max(-1, keepdims=True)
    if sink is not None:
        sink = np.asarray(sink, np.float64).reshape(-1, 1, 1)
        most = np.maximum(most, sink)
    most = np.where(np.isfinite(most), most, 0)
    e = np.exp(scores - most)
    total = e.sum(-1, keepdims=True) + (np.exp(sink - most) if sink is not None else 0)
    share = e / np.where(total == 0, 1, total)
    return raw, share, share @ v


def rotate(x, cos, sin, interleaved=False):
    """x: [batch, length, heads, size]; cos, sin: [batch, length, pairs]."""
    pairs = cos.shape[-1]
    cos, sin = cos[:, :, None].astype(np.float64), sin[:, :, None].astype(np.float64)
    out = x.astype(np.float64).copy()
    first, second = (slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)) if interleaved else (slice(pairs), slice(pairs, 2 * pairs))
    a, b = x[..., first].astype(np.float64), x[..., second].astype(np.float64)
    out[..., first], out[..., second] = a * cos - b * sin, a * sin + b * cos
    return out


def normal(x, scale, bias=None, epsilon=1e-5, simple=False, axes=-1):
    x = x.astype(np.float64)
    center = x if simple else x - x.mean(axes, keepdims=True)
    y = center / np.sqrt((center * center).mean(axes, keepdims=True) + epsilon) * scale
    return y if bias is None else y + bias


def band(queries, keys, offset):
    return np.arange(keys)[None] <= np.arange(queries)[:, None] + offset


# -- ONNX -------------------------------------------------------------------------------------------------------------

def onnx_attention():
    q, k, v = floats(2, 6, 5, 8), floats(2, 3, 7, 8), floats(2, 3, 7, 4)
    raw, share, y = attend(q, k, v)
    Case("attention 4d", "Attention", [q, k, v], [y])
    Case("attention scores", "Attention", [q, k, v], [y, None, None, raw])
    Case("attention probabilities", "Attention", [q, k, v], [y, None, None, share], qk_matmul_output_mode=3)
    mask = RNG.random((5, 7)) < 0.6
    mask[2] = False  # a query without a key
    Case("attention boolean mask", "Attention", [q, k, v, mask], [attend(q, k, v, allowed=mask)[2]])
    bias = floats(2, 1, 5, 7)
    bias[1, 0, 3] = -np.inf
    Case("attention float mask", "Attention", [q, k, v, bias], [attend(q, k, v, bias=bias, softcap=2.0)[2]], softcap=2.0)
    past_k, past_v = floats(2, 3, 4, 8), floats(2, 3, 4, 4)
    keys, values = np.concatenate([past_k, k], 2), np.concatenate([past_v, v], 2)
    y = attend(q, keys, values, 0.3, allowed=band(5, 11, 4))[2]
    Case("attention past causal", "Attention", [q, k, v, None, past_k, past_v], [y, keys, values], is_causal=1, scale=0.3)
    flat = [join(x) for x in (q, k, v)]
    Case("attention 3d", "Attention", flat, [join(attend(q, k, v)[2])], q_num_heads=6, kv_num_heads=3)
    counts = np.array([7, 3], np.int64)
    seen = np.arange(7) < counts[:, None, None, None]
    Case("attention counts", "Attention", [q, k, v, None, None, None, counts], [attend(q, k, v, allowed=seen)[2]], opset=24)
    near = seen & (np.arange(7) <= np.arange(5)[:, None] + (counts - 5)[:, None, None, None])
    Case("attention counts causal", "Attention", [q, k, v, None, None, None, counts],
         [attend(q, k, v, allowed=near)[2]], opset=24, is_causal=1)
    window = band(5, 7, 0) & ~band(5, 7, -3)
    Case("attention window", "Attention", [q, k, v], [attend(q, k, v, allowed=window)[2]], opset=25, is_causal=1,
         left_window_size=2)


def rotary():
    x, cos, sin = floats(2, 3, 5, 8), floats(9, 4), floats(9, 4)
    places = RNG.integers(0, 9, (2, 5))
    for interleaved in (0, 1):
        y = rotate(x.swapaxes(1, 2), cos[places], sin[places], interleaved).swapaxes(1, 2)
        Case(f"rotary 4d {interleaved}", "RotaryEmbedding", [x, cos, sin, places], [y], interleaved=interleaved, fixed=(1, 2))
        Case(f"rotary rows {interleaved}", "RotaryEmbedding", [join(x), cos[places], sin[places]], [join(y)], num_heads=3,
             interleaved=interleaved)
    part = rotate(x.swapaxes(1, 2), cos[places][..., :2], sin[places][..., :2]).swapaxes(1, 2)
    Case("rotary part", "RotaryEmbedding", [x, cos[:, :2].copy(), sin[:, :2].copy(), places], [part], fixed=(1, 2),
         rotary_embedding_dim=4)
    follow = rotate(x.swapaxes(1, 2), *(np.stack([t[2:7]] * 2) for t in (cos, sin)))
    rows = x.swapaxes(1, 2).reshape(2, 5, -1).copy()
    Case("rotary from a place on", "RotaryEmbedding", [rows, np.array([2]), cos, sin], [follow.reshape(2, 5, -1)],
         domain=MICROSOFT, fixed=(2, 3))
    y = rotate(x.swapaxes(1, 2), cos[places], sin[places], True).swapaxes(1, 2)
    Case("rotary microsoft", "RotaryEmbedding", [x, places, cos, sin], [y], domain=MICROSOFT, interleaved=1, fixed=(2, 3))


def cache():
    old, new, at = floats(3, 2, 7, 4), floats(3, 2, 3, 4), np.array([0, 4, 2])
    linear, circular = old.copy(), old.copy()
    turned = np.array([5, 6, 1])
    for i in range(3):
        linear[i, :, at[i]:at[i] + 3] = new[i]
        for k in range(3):
            circular[i, :, (turned[i] + k) % 7] = new[i, :, k]
    Case("scatter", "TensorScatter", [old, new, at], [linear], opset=24)
    Case("scatter circular", "TensorScatter", [old, new, turned], [circular], opset=24, mode="circular")
    begin = old.copy()
    begin[:, :, :3] = new
    Case("scatter at 0", "TensorScatter", [old, new], [begin], opset=24, axis=2)


# -- norms ------------------------------------------------------------------------------------------------------------

def norms():
    x, skip, scale, bias, more = floats(2, 5, 24), floats(2, 5, 24), floats(24), floats(24), floats(24)
    Case("rms", "RMSNormalization", [x, scale], [normal(x, scale, simple=True)], fixed=(1,))
    wide = floats(5, 24)
    Case("rms of two axes", "RMSNormalization", [x, wide], [normal(x, wide, simple=True, axes=(1, 2))], axis=1, fixed=(1,))
    inverse = 1 / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + 1e-3)
    Case("simplified", "SimplifiedLayerNormalization", [x, scale], [normal(x, scale, epsilon=1e-3, simple=True), inverse],
         opset=18, epsilon=1e-3, fixed=(1,), wide=(1,))
    for simple in (False, True):
        op = "SkipSimplifiedLayerNormalization" if simple else "SkipLayerNormalization"
        y = normal(x + skip, scale, epsilon=1e-5, simple=simple)
        Case(f"{op} alone", op, [x, skip, scale], [y], domain=MICROSOFT, epsilon=1e-5)
        total = x + skip + more
        y = normal(total, scale, None if simple else bias, 1e-5, simple)
        inputs = [x, skip, scale, more] if simple else [x, skip, scale, bias, more]
        Case(op, op, inputs, [y, None, None, total], domain=MICROSOFT, epsilon=1e-5, fixed=(2, 3, 4))
    row = skip[:1]
    Case("skip of one batch entry", "SkipLayerNormalization", [x, row, scale, bias], [normal(x + row, scale, bias, 1e-12)],
         domain=MICROSOFT, fixed=(2, 3))
    words, places, kinds = floats(11, 24), floats(9, 24), floats(2, 24)
    ids, segments = RNG.integers(0, 11, (2, 5)).astype(np.int32), RNG.integers(0, 2, (2, 5)).astype(np.int32)
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], np.int32)
    total = words[ids] + places[:5] + kinds[segments]
    Case("embedding", "EmbedLayerNormalization", [ids, segments, words, places, kinds, scale, bias, mask],
         [normal(total, scale, bias, 1e-12), mask.sum(-1).astype(np.int32), total], domain=MICROSOFT,
         fixed=(2, 3, 4, 5, 6))
    at = RNG.integers(0, 9, (1, 5)).astype(np.int32)
    Case("embedding of places", "EmbedLayerNormalization", [ids, None, words, places, None, scale, bias, None, at],
         [normal(words[ids] + places[at], scale, bias, 1e-12), np.zeros(2, np.int32)], domain=MICROSOFT,
         fixed=(2, 3, 5, 6))


def gelus():
    x, bias = floats(3, 5, 8), floats(8)
    erf = np.vectorize(__import__("math").erf)

    def gelu(x):
        return 0.5 * x * (1 + erf(x.astype(np.float64) / np.sqrt(2)))

    def fast(x):
        x = x.astype(np.float64)
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
    Case("gelu", "Gelu", [x], [gelu(x)], domain=MICROSOFT)
    Case("gelu of a sum", "BiasGelu", [x, bias], [gelu(x + bias)], domain=MICROSOFT)
    Case("fast gelu", "FastGelu", [x], [fast(x)], domain=MICROSOFT)
    Case("fast gelu of a sum", "FastGelu", [x, bias], [fast(x + bias)], domain=MICROSOFT, fixed=(1,))
    Case("quick gelu", "QuickGelu", [x], [x / (1 + np.exp(-1.702 * x.astype(np.float64)))], domain=MICROSOFT)
    Case("swish", "Swish", [x], [x / (1 + np.exp(-0.5 * x.astype(np.float64)))], opset=24, alpha=0.5)
    for alpha in (1.0, 1.7):
        gate, value = floats(3, 5, 7), floats(3, 5, 7)
        want = gate / (1 + np.exp(-alpha * gate.astype(np.float64))) * value
        Case(f"swiglu {alpha}", "SwiGLU", [gate, value], [want], opset=28, alpha=alpha)
    a, b = floats(2, 5, 3), floats(2, 4, 5)
    Case("fused product", "FusedMatMul", [a, b], [0.5 * a.swapaxes(1, 2).astype(np.float64) @ b.swapaxes(1, 2)],
         domain=MICROSOFT, transA=1, transB=1, alpha=0.5)
    a, b = floats(3, 2, 5), floats(2, 5, 4)  # a: [rows, batch, sums]
    Case("fused product of batches", "FusedMatMul", [a, b], [a.swapaxes(0, 1).astype(np.float64) @ b], domain=MICROSOFT,
         transBatchA=1)


# -- com.microsoft ----------------------------------------------------------------------------------------------------

def filtered(mask, filter_value=-10000.0):
    return np.where(mask, 0.0, filter_value)


def microsoft_attention():
    batch, length, heads, size = 2, 5, 3, 4
    x, w, b = floats(batch, length, 7), floats(7, 36) / 2, floats(36)
    q, k, v = (split(part, heads) for part in np.split(x.astype(np.float64) @ w + b, 3, -1))
    fixed = (1, 2)
    Case("packed", "Attention", [x, w, b], [join(attend(q, k, v)[2])], domain=MICROSOFT, fixed=fixed, num_heads=heads)
    ends = np.array([5, 2], np.int32)
    seen = np.arange(length) < ends[:, None, None, None]
    Case("packed ends", "Attention", [x, w, b, ends], [join(attend(q, k, v, bias=filtered(seen))[2])], domain=MICROSOFT,
         fixed=fixed, num_heads=heads)
    begins = np.array([1, 0], np.int32)
    seen = seen & (np.arange(length) >= begins[:, None, None, None])
    Case("packed ends and beginnings", "Attention", [x, w, b, np.concatenate([ends, begins])],
         [join(attend(q, k, v, bias=filtered(seen))[2])], domain=MICROSOFT, fixed=(1, 2, 3), named=False, num_heads=heads)
    mask = np.array([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1]], np.int32)
    bias = filtered(mask[:, None, None] > 0, -1e5)
    Case("packed mask", "Attention", [x, w, b, mask], [join(attend(q, k, v, bias=bias)[2])], domain=MICROSOFT, fixed=fixed,
         num_heads=heads, mask_filter_value=-1e5)
    full = RNG.integers(0, 2, (batch, length, length)).astype(np.int32)
    full[:, :2, :2] = 0  # queries that only later keys would be left to
    filter_value = -16.0  # small: what such queries see is rounded where it is added
    y = attend(q, k, v, 0.7, filtered(full[:, None] > 0, filter_value), band(length, length, 0))[2]
    Case("packed causal", "Attention", [x, w, b, full], [join(y)], domain=MICROSOFT, fixed=fixed, num_heads=heads,
         unidirectional=1, scale=0.7, mask_filter_value=filter_value)
    past = floats(2, batch, heads, 6, size)
    keys, values = (np.concatenate([past[i], new], 2) for i, new in enumerate((k, v)))
    y = attend(q, keys, values, allowed=band(length, 11, 6))[2]
    Case("packed past", "Attention", [x, w, b, None, past], [join(y), np.stack([keys, values])], domain=MICROSOFT,
         fixed=fixed, num_heads=heads, unidirectional=1)
    w = floats(7, 30) / 2
    q, k, v = (split(part, heads) for part in np.split(x.astype(np.float64) @ w, [12, 24], -1))
    more = floats(1, heads, length, length)
    Case("packed widths", "Attention", [x, w, None, None, None, more], [join(attend(q, k, v, bias=more)[2])],
         domain=MICROSOFT, fixed=(1,), num_heads=heads, qkv_hidden_sizes=[12, 12, 6])


def multi_head():
    heads = 3
    q, k, v = floats(2, 5, 12), floats(2, 7, 12), floats(2, 7, 6)
    parts = [split(x, heads) for x in (q, k, v)]
    Case("heads", "MultiHeadAttention", [q, k, v], [join(attend(*parts)[2])], domain=MICROSOFT, num_heads=heads)
    b, mask = floats(30), np.array([[1, 0, 1, 1, 0, 1, 1], [0, 1, 1, 0, 1, 0, 1]], np.int32)
    with_bias = [split(x + y, heads) for x, y in zip((q, k, v), np.split(b, [12, 24]))]
    more = floats(2, 1, 5, 7)
    y = attend(*with_bias, bias=more + filtered(mask[:, None, None] > 0))[2]
    Case("heads with all", "MultiHeadAttention", [q, k, v, b, mask, more], [join(y)], domain=MICROSOFT, num_heads=heads,
         fixed=(3,))
    packed = floats(2, 5, heads, 3, 4)
    y = attend(*(packed[:, :, :, i].swapaxes(1, 2) for i in range(3)))[2]
    Case("heads packed", "MultiHeadAttention", [packed], [join(y)], domain=MICROSOFT, num_heads=heads)
    packed = floats(2, 7, heads, 2, 4)
    y = attend(parts[0], *(packed[:, :, :, i].swapaxes(1, 2) for i in range(2)))[2]
    Case("heads packed in part", "MultiHeadAttention", [q, packed], [join(y)], domain=MICROSOFT, num_heads=heads)
    Case("heads of another", "MultiHeadAttention", [q, *parts[1:]], [join(attend(*parts)[2])], domain=MICROSOFT,
         num_heads=heads)
    past_k, past_v = floats(2, heads, 6, 4), floats(2, heads, 6, 2)
    keys, values = np.concatenate([past_k, parts[1]], 2), np.concatenate([past_v, parts[2]], 2)
    Case("heads past", "MultiHeadAttention", [q, k, v, None, None, None, past_k, past_v],
         [join(attend(parts[0], keys, values)[2]), keys, values], domain=MICROSOFT, num_heads=heads)
    raw, _, y = attend(*parts, bias=more)
    Case("heads scores", "MultiHeadAttention", [q, k, v, None, None, more], [join(y), None, None, raw + more],
         domain=MICROSOFT, num_heads=heads)
    q, k, v, begin = floats(2, 3, 12), floats(2, 3, 12), floats(2, 3, 6), 4
    past_k, past_v = floats(2, heads, 9, 4), floats(2, heads, 9, 2)
    keys, values = past_k.copy(), past_v.copy()
    keys[:, :, begin:begin + 3], values[:, :, begin:begin + 3] = split(k, heads), split(v, heads)
    for causal in (0, 1):  # of room for nine keys seven are there
        seen = band(3, 9, begin) if causal else np.arange(9) < begin + 3
        Case(f"heads past with room {causal}", "MultiHeadAttention",
             [q, k, v, None, None, None, past_k, past_v, np.array([begin], np.int32)],
             [join(attend(split(q, heads), keys, values, allowed=seen)[2]), keys, values], domain=MICROSOFT,
             num_heads=heads, unidirectional=causal)
    mask, ends = np.array([[1, 0, 1, 1, 0, 1, 1], [0, 1, 1, 0, 1, 0, 1]], np.int32), np.array([6, 7], np.int32)
    full, more = RNG.integers(0, 2, (2, 3, 7)).astype(np.int32), floats(1, heads, 3, 7)

    def masked(name, mask, seen, more, causal):
        """|seen|: by the mask, of the seven keys that there are."""
        bias = np.zeros((2, heads, 3, 9))
        bias[..., :7] = (0 if seen is None else filtered(seen)) + (0 if more is None else more)
        allowed = band(3, 9, begin) if causal else np.arange(9) < begin + 3
        y = attend(split(q, heads), keys, values, bias=bias, allowed=allowed)[2]
        Case(f"heads past with room, {name}", "MultiHeadAttention",
             [q, k, v, None, mask, more, past_k, past_v, np.array([begin], np.int32)], [join(y), keys, values],
             domain=MICROSOFT, num_heads=heads, unidirectional=causal)
    masked("mask", mask, mask[:, None, None] > 0, None, 0)
    masked("full mask and bias", full, full[:, None] > 0, more, 1)
    masked("ends", ends, np.arange(7) < ends[:, None, None, None], more, 0)
    masked("bias", None, None, more[:, :1], 1)
    q, k, v = floats(2, 1, 12), floats(2, 1, 12), floats(2, 1, 6)  # the first token: a mask of one key
    keys, values = past_k.copy(), past_v.copy()
    keys[:, :, :1], values[:, :, :1] = split(k, heads), split(v, heads)
    Case("heads past with room, first", "MultiHeadAttention",
         [q, k, v, None, np.ones((2, 1), np.int32), None, past_k, past_v, np.array([0], np.int32)],
         [join(attend(split(q, heads), keys, values, allowed=np.arange(9) < 1)[2]), keys, values], domain=MICROSOFT,
         num_heads=heads)


class Bytes:
    """A cache of i8."""
    float8, per_byte, bits = ((), ()), 1, 8

    def drawn(self, shape):
        return RNG.integers(-9, 9, shape).astype(np.int8)

    def stored(self, x):
        return np.clip(np.rint(x), -128, 127).astype(np.int8)

    def numbers(self, x):
        return x.astype(np.float64)


class Whole(Bytes):
    """A cache that is not quantised."""
    bits = 0

    def drawn(self, shape):
        return floats(*shape)

    def stored(self, x):
        return x


class Nibbles(Bytes):
    """Two numbers from -8 to 7 a byte, the first in the low bits, 8 more than it is."""
    per_byte, bits = 2, 4

    def drawn(self, shape):
        return RNG.integers(0, 256, shape).astype(np.uint8)

    def stored(self, x):
        codes = (np.clip(np.rint(x), -8, 7) + 8).astype(np.uint8)
        return codes[..., 0::2] | codes[..., 1::2] << 4

    def numbers(self, x):
        return np.stack([x & 15, x >> 4], -1).reshape(*x.shape[:-1], -1) - 8.0


class Floats8(Bytes):
    """float8_e4m3fn."""
    float8 = ((3, 4), (1, 2))

    def __init__(self):
        part, exponent = np.arange(128) % 8, np.arange(128) // 8
        self.table = np.where(exponent == 0, part / 8 * 2.0 ** -6, (1 + part / 8) * 2.0 ** (exponent - 7))[:127]

    def drawn(self, shape):
        return RNG.integers(0, 80, shape).astype(np.uint8) | RNG.integers(0, 2, shape).astype(np.uint8) << 7

    def stored(self, x):
        x = to_f8(x)
        return np.searchsorted(self.table, np.abs(x)).astype(np.uint8) | np.signbit(x).astype(np.uint8) << 7

    def numbers(self, x):
        return np.where(x < 128, 1, -1) * self.table[x & 127]


def group_query():
    heads, groups, size, room = 4, 2, 16, 20
    cos, sin = floats(room, 8), floats(room, 8)

    def case(name, batch, new, old, used, packed=False, window=-1, rotated=True, sink=None, softcap=0.0, norms=False,
             counts=None, scales=(None, None), kind=None, **more):
        """|used|: keys of each batch entry with the new ones, of which |counts| are meant; |old|: room in the past, a
        cache of |kind| and with |scales| if these are given."""
        q, k, v = floats(batch, new, heads * size), floats(batch, new, groups * size), floats(batch, new, groups * size)
        past_k, past_v = (floats(batch, groups, old, size) if old else None for _ in range(2))
        if kind:
            q, k, v = (np.round(16 * x) / 16 for x in (q, k, v))  # exact in 16 bits, too: bytes are the same
            v[0, 0, :2] = -100, 100  # beyond the bytes
            past_k, past_v = (kind.drawn((batch, groups, old, size // kind.per_byte)) for _ in range(2))
        used = np.array(used)
        begin, total = np.maximum(used - (new if counts is None else counts), 0), int(used.max())
        length = max(total, old)
        apart = [x.reshape(batch, new, -1, size).astype(np.float64) for x in (q, k, v)]
        weights = [floats(size), floats(size)] if norms else [None, None]
        if norms:
            apart[:2] = [normal(x, w, epsilon=1e-6, simple=True) for x, w in zip(apart, weights)]
        places = begin[:, None] + np.arange(new)
        if rotated:
            apart[:2] = [rotate(x, cos[places], sin[places], more.get("rotary_interleaved", 0)) for x in apart[:2]]
        present = []
        for past, x, scale in zip((past_k, past_v), apart[1:], scales):
            x = kind.stored(x / scale.reshape(-1, scale.size // groups or 1)) if kind else x
            full = np.zeros((batch, groups, length, x.shape[-1]), x.dtype)
            if old:  # what is behind the new keys stays
                full[:, :, :old] = past
            for i in range(batch):
                full[i, :, begin[i]:begin[i] + new] = x[i].swapaxes(0, 1)
            present.append(full)
        last = places[:, None, :, None]
        seen = (np.arange(length) <= last) & ((np.arange(length) > last - window) if window > 0 else True)
        read = [kind.numbers(x) * scale.reshape(-1, 1, scale.size // groups or 1) if kind else x
                for x, scale in zip(present, scales)]
        raw, share, y = attend(apart[0].swapaxes(1, 2), *read, allowed=seen, sink=sink, softcap=softcap)
        scores = [None, np.where(seen, softcap * np.tanh(raw / softcap) if softcap else raw, 0), share]
        scores = [scores[which][..., :total]] if (which := more.get("qk_output", 0)) else []
        inputs = [np.concatenate([q, k, v], -1), None, None] if packed else [q, k, v]
        inputs += [past_k, past_v, (used - 1).astype(np.int32), np.array(total, np.int32)]
        inputs += [cos, sin] if rotated else [None, None]
        inputs += [None, None, sink, *scales, *weights, None if counts is None else np.array(counts, np.int32)]
        Case(name, "GroupQueryAttention", inputs, [join(y), *present, *scores], domain=MICROSOFT, fixed=(6, 7, 8, 11, 14, 15),
             kept=(12, 13), float8=kind.float8 if kind else ((), ()), num_heads=heads, kv_num_heads=groups, do_rotary=int(rotated), local_window_size=window,
             softcap=softcap, **more)
    case("group first", 2, 5, 0, [5, 5])
    case("group packed", 2, 1, 6, [7, 7], packed=True)
    case("group of several lengths", 3, 1, 9, [4, 9, 7], rotary_interleaved=1)
    case("group in a long buffer", 2, 1, 14, [5, 8])
    case("group window", 1, 4, 7, [11], window=3, packed=True)
    case("group capped", 1, 3, 4, [7], rotated=False, softcap=1.5)
    case("group sink", 2, 2, 3, [5, 5], rotated=False, sink=floats(heads))
    case("group norms", 2, 1, 3, [4, 4], norms=True)
    case("group scores", 2, 3, 9, [7, 4], window=2, softcap=1.5, qk_output=1)
    case("group probabilities", 1, 3, 4, [7], sink=floats(heads), qk_output=2)
    case("group chunks", 3, 4, 14, [9, 3, 5], counts=[4, 2, 0])
    one, each = np.array([1 / 8], np.float32), (1 / 2 ** RNG.integers(2, 5, groups * size)).astype(np.float32)
    for scaled, scale in (("PER_TENSOR", one), ("PER_CHANNEL", each)):
        for name, kind in (("bytes", Bytes()), ("nibbles", Nibbles()), ("float8", Floats8())):
            case(f"group {name} {scaled}", 2, 2, 9, [7, 4], rotated=False, scales=(scale, scale), kind=kind,
                 k_quant_type=scaled, v_quant_type=scaled, kv_cache_bit_width=kind.bits)


def recent():
    heads, groups, size = 4, 2, 16

    def case(name, window, room, used, counts=None, new=1, biased=False, kind=None):
        """Of |used| tokens in each batch entry the last ones are in a cache of |room| places, |new| of them or |counts|
        since this step; what lies behind the last is anything."""
        batch, used, at_once = len(used), np.array(used), room - window + 1
        counts_ = np.full(batch, new) if counts is None else np.array(counts)
        begin, total = used - counts_, int(used.max())
        q, k, v = (floats(batch, new, count * size) for count in (heads, groups, groups))
        scale = np.array([1 / 8], np.float32) if kind else np.array(1.0)
        if kind:
            q, k, v = (np.round(16 * x) / 16 for x in (q, k, v))
        kind = kind or Whole()
        pasts = [kind.drawn((batch, groups, room, size)) for _ in range(2)]
        presents = [np.ma.masked_all((batch, groups, room, size), past.dtype) for past in pasts]
        bias = floats(1, heads, new, total) if biased else None
        y = np.ma.masked_all((batch, new, heads * size))
        first = lambda count: max(count - window, 0) // at_once * at_once
        for b in range(batch):
            before, behind, rows = first(begin[b]), first(used[b]), counts_[b]
            every = []
            for past, present, x in zip(pasts, presents, (k, v)):
                own = kind.stored(split(x[b:b + 1, :rows] / scale, groups)[0])
                tokens = np.concatenate([np.zeros((groups, before, size), past.dtype), past[b, :, :begin[b] - before], own], 1)
                present[b, :, :used[b] - behind] = tokens[:, behind:]
                every.append(kind.numbers(tokens)[None] * scale)
            last, token = begin[b] + np.arange(rows)[:, None], np.arange(used[b])
            more = bias[:, :, :rows, :used[b]] if biased else 0.0
            y[b, :rows] = join(attend(split(q[b:b + 1, :rows], heads), *every, bias=more,
                                      allowed=(token <= last) & (token > last - window))[2])[0]
        inputs = [q, k, v, *pasts, (used - 1).astype(np.int32), np.array(total, np.int32), *[None] * 3, bias, None]
        quantized = kind.bits == 8
        inputs += [scale, scale] if quantized else [None, None]
        inputs += [None, None, None if counts is None else np.array(counts, np.int32)]
        more = {"k_quant_type": "PER_TENSOR", "v_quant_type": "PER_TENSOR"} if quantized else {}
        Case(name, "GroupQueryAttention", inputs, [y, *presents], domain=MICROSOFT, kept=(12, 13), num_heads=heads,
             kv_num_heads=groups, local_window_size=window, sliding_window_cache=1, fixed=(12, 13), **more)
    case("recent step", 4, 6, [3, 6, 7, 13])
    case("recent step, as many places as the window", 5, 5, [4, 5, 19])
    case("recent chunks", 3, 7, [5, 9, 20], counts=[5, 1, 4], new=5, biased=True)
    case("recent, more than there are places", 2, 4, [19], new=11, biased=True)
    case("recent bytes", 4, 6, [9, 14, 11], kind=Bytes())


def paged():
    heads, groups, size = 4, 2, 16

    def case(name, lengths, past, page=8, pages=3, packed=False, window=-1, rotated=False, softcap=0.0, more=0, **other):
        """Sequences of |lengths| new tokens after |past|; |more| tokens are of none."""
        batch, tokens = len(lengths), sum(lengths) + more
        ends = np.concatenate([[0], np.cumsum(lengths)])
        table = RNG.permutation(batch * pages + 2)[:batch * pages].reshape(batch, pages).astype(np.int32)
        caches = [floats(batch * pages + 2, page, groups, size) for _ in range(2)]
        q, k, v = floats(tokens, heads * size), floats(tokens, groups * size), floats(tokens, groups * size)
        cos, sin = floats(page * pages, size // 2), floats(page * pages, size // 2)
        apart = [x.reshape(1, tokens, -1, size).astype(np.float64) for x in (q, k, v)]
        place = np.zeros(tokens, int)
        for b in range(batch):
            place[ends[b]:ends[b + 1]] = past[b] + np.arange(lengths[b])
        if rotated:
            apart[:2] = [rotate(x, cos[place][None], sin[place][None], other.get("rotary_interleaved", 0)) for x in apart[:2]]
        new, y = [cache.astype(np.float64) for cache in caches], np.zeros((tokens, heads * size))
        for b in range(batch):
            for t in range(ends[b], ends[b + 1]):
                for cache, x in zip(new, apart[1:]):
                    cache[table[b, place[t] // page], place[t] % page] = x[0, t]
        column = np.arange(page * pages)
        for b in range(batch):
            rows, last = slice(ends[b], ends[b + 1]), place[ends[b]:ends[b + 1], None]
            seen = (column <= last) & ((column > last - window) if window > 0 else True)
            keys, values = (cache[table[b]].reshape(1, -1, groups, size).swapaxes(1, 2) for cache in new)
            if lengths[b]:
                y[rows] = join(attend(apart[0][:, rows].swapaxes(1, 2), keys, values, allowed=seen, softcap=softcap)[2])[0]
        inputs = [np.concatenate([q, k, v], -1), None, None] if packed else [q, k, v]
        inputs += [*caches, ends.astype(np.int32), np.array(past, np.int32), table, *([cos, sin] if rotated else [])]
        Case(name, "PagedAttention", inputs, [y if not more else None, *new], domain=MICROSOFT, num_heads=heads,
             kv_num_heads=groups, local_window_size=window, softcap=softcap, do_rotary=int(rotated), named=False, **other)
    case("paged step", [1, 1, 1], [5, 17, 0])
    case("paged step rotated", [1, 1], [7, 8], packed=True, rotated=True)
    case("paged as many tokens as sequences", [2, 0, 1], [3, 9, 15])
    case("paged prompt", [5, 7], [0, 0], rotated=True, rotary_interleaved=1)
    case("paged chunks", [3, 1, 6], [4, 20, 9], page=16, packed=True)
    case("paged window", [4, 2], [10, 3], window=5, softcap=2.0)
    case("paged padding", [2, 3], [1, 6], more=3)


def few_bits():
    def case(name, bits, block, rows, columns, zero=None, bias=False, fixed=True):
        blocks, levels = -(-columns // block), 1 << bits
        numbers = RNG.integers(0, levels, (rows, blocks * block))
        per_byte = 8 // bits
        packed = sum(numbers.reshape(rows, -1, per_byte)[..., i] << bits * i for i in range(per_byte)).astype(np.uint8)
        scales = (np.abs(floats(rows, blocks)) + 0.1) / levels
        zeros, operand = np.full((rows, blocks), levels // 2), None
        if zero == "packed":
            zeros = RNG.integers(0, levels, (rows, blocks))
            padded = np.zeros((rows, -(-blocks // per_byte) * per_byte), np.int64)
            padded[:, :blocks] = zeros
            operand = sum(padded.reshape(rows, -1, per_byte)[..., i] << bits * i for i in range(per_byte)).astype(np.uint8)
        elif zero == "floats":
            zeros = operand = np.abs(floats(rows, blocks)) * levels / 4
        weights = ((numbers.reshape(rows, blocks, block) - zeros[..., None]) * scales[..., None].astype(np.float64))
        x = floats(2, 3, columns)
        y = x.astype(np.float64) @ weights.reshape(rows, -1)[:, :columns].T
        more = floats(rows) if bias else None
        Case(name, "MatMulNBits", [x, packed.reshape(rows, blocks, -1), scales, operand, None, more],
             [y + more if bias else y], domain=MICROSOFT, fixed=(1, 2, 3, 5) if fixed else (2, 3, 5), tolerance=2e-5,
             K=columns, N=rows, bits=bits, block_size=block)
    case("4 bits", 4, 32, 48, 64)
    case("4 bits, zero points", 4, 16, 10, 48, "packed", True)
    case("4 bits, float zero points", 4, 32, 6, 64, "floats")
    case("4 bits, part of a block", 4, 32, 9, 50, "packed")
    case("4 bits, many", 4, 32, 96, 128)
    case("4 bits of an input", 4, 16, 5, 32, fixed=False)
    case("8 bits", 8, 32, 12, 64, "packed")
    case("2 bits", 2, 16, 12, 80, "packed")


# -- running ----------------------------------------------------------------------------------------------------------

def run(library, inputs, folder):
    """What strata-run gives, which finds the sizes in its inputs."""
    options = []
    for i, value in enumerate(inputs):
        np.save(f"{folder}/i{i}.npy", value)
        options.append(f"--input={folder}/i{i}.npy")
    loaded = strata.Library(library)
    names = [info.name.decode() for info in loaded.outputs]
    loaded.close()
    outputs = [f"--output={name}={folder}/{name}.npy" for name in names]
    strata.run(os.path.join(strata.BIN, "strata-run"), library, *options, *outputs)
    return [np.load(f"{folder}/{name}.npy") for name in names]


def differs(got, want, tolerance):
    got, known, want = np.asarray(got, np.float64), ~np.ma.getmaskarray(want), np.ma.filled(want, 0).astype(np.float64)
    if got.shape != want.shape:
        return f"shape {got.shape}, expected {want.shape}"
    got, want = got[known], want[known]
    scale = np.sqrt(np.mean(want[np.isfinite(want)] ** 2)) if want.size else 0
    with np.errstate(invalid="ignore"):
        bad = ~((np.abs(got - want) <= tolerance * (scale + np.abs(want))) | (got == want))
    at = np.flatnonzero(bad)
    return f"element {at[0]} is {got.ravel()[at[0]]}, expected {want.ravel()[at[0]]}" if at.size else ""


def check(cases, symbolic, half):
    """Compiles and runs |cases| as one model; the problem of each, by name."""
    graph, inputs, wanted = onnx_file.Graph(opset=max(case.opset for case in cases)), [], []
    for k, case in enumerate(cases):
        case.add(graph, f"c{k}_", symbolic, half)
        inputs += case.given(half)
        wanted += [(case, value) for value in case.expected()]
    with tempfile.TemporaryDirectory() as folder:
        library, _ = strata.compile_library(graph.save(os.path.join(folder, "model.onnx")), folder, "m")
        results = run(library, inputs, folder)
    problems = {case.name: "" for case in cases}
    for got, (case, want) in zip(results, wanted):
        tolerance = 0 if np.asarray(want).dtype.kind in "iu" else 8e-3 if half else case.tolerance
        problems[case.name] += differs(got, want, tolerance)
    return problems


def other_keys():
    """Keys behind a causal edge score -inf where a query sees one for certain, by which kernels leave out whole blocks of
    them, else the least number. The problem of each form, by name."""
    flat, causal = ["batch", 5, 8], {"is_causal": 1, "q_num_heads": 2, "kv_num_heads": 2}
    forms = {"alone": ("Attention", "", [flat] * 3, causal, True),
             "with a mask": ("Attention", "", [flat] * 3 + [[5, 5]], causal, False),
             "unidirectional": ("MultiHeadAttention", MICROSOFT, [flat] * 3, {"num_heads": 2, "unidirectional": 1}, True)}
    problems = {}
    for name, (op, domain, shapes, attributes, is_infinite) in forms.items():
        graph = onnx_file.Graph(opset=23)
        inputs = [graph.input(f"x{i}", onnx_file.FLOAT, shape) for i, shape in enumerate(shapes)]
        graph.output(graph.node(op, inputs, ["y"], domain=domain, **attributes), onnx_file.FLOAT, flat)
        with tempfile.TemporaryDirectory() as folder:
            path = graph.save(os.path.join(folder, "model.onnx"))
            found = "dense<0xFF800000> : tensor<f32>" in strata.strata(path, "--compile-to=import")
        problems[f"keys behind the edge, {name}"] = "" if found == is_infinite else "another score than expected"
    return problems


def main():
    pattern, failures = sys.argv[1] if len(sys.argv) > 1 else "", 0
    for make in (onnx_attention, rotary, cache, norms, gelus, microsoft_attention, multi_head, group_query, recent,
                 paged, few_bits):
        first = len(CASES)
        make()
        for symbolic, half in ((False, False), (True, False), (True, True)):
            cases = [case for case in CASES[first:] if re.search(pattern, case.name) and (case.named or not symbolic)]
            form = ("names" if symbolic else "numbers") + (", f16" if half else "")
            for name, text in (check(cases, symbolic, half) if cases else {}).items():
                failures += bool(text)
                print(f"{'FAIL' if text else 'ok  '} {name} ({form}){': ' + text if text else ''}")
    for name, text in other_keys().items():
        failures += bool(text)
        print(f"{'FAIL' if text else 'ok  '} {name}{': ' + text if text else ''}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
