"""com.microsoft's mixtures of experts, MoE and QMoE, attention of packed rows, and ONNX's LinearAttention, CausalConvWithState, CumProd and BitCast,
against formulas in f64."""
import os
import re
import tempfile

import numpy as np

import gpu
import onnx_file
import strata
from onnx_file import ELEMENT_TYPES
from operator_cases import Case, check, refuses

RNG = np.random.default_rng(int(os.environ.get("STRATA_SEED", 3002)))
EXPERTS, HIDDEN, INNER = 5, 32, 16


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0), "silu": lambda x: x * sigmoid(x), "identity": lambda x: x,
    "gelu": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))),
}


def experts(x, logits, first, second, third, k, activation, own=None):
    """|first|, |second|, |third|: weights and biases; |activation|: of what the first and the third give; |own|: shares that
    are not those of the softmax of |logits|."""
    rows, result = x.reshape(-1, x.shape[-1]).astype(np.float64), []
    shares = np.exp(logits.astype(np.float64) - logits.max(-1, keepdims=True))
    shares = shares / shares.sum(-1, keepdims=True)
    for row, score, share in zip(rows, shares, shares if own is None else own):
        chosen = np.argsort(-score, kind="stable")[:k]
        layer = lambda weights, e, v: weights[0][e].astype(np.float64) @ v + (0 if weights[1] is None else weights[1][e])
        given = share[chosen] / (share[chosen].sum() if k > 1 else 1)
        result.append(sum(w * layer(second, e, activation(layer(first, e, row), third and layer(third, e, row)))
                          for e, w in zip(chosen, given)))
    return np.array(result).reshape(x.shape).astype(np.float32)


def swiglu(alpha, beta, limit):
    def gated(gate, other):
        gate, other = np.minimum(gate, limit), np.clip(other, -limit, limit)
        return gate * sigmoid(alpha * gate) * (other + beta)
    return gated


def weights_of(rows, columns, bias=True):
    return floats(EXPERTS, rows, columns) / 4, floats(EXPERTS, rows) if bias else None


def mixtures():
    for tokens in (1, 7, 40):
        for name, f in ACTIVATIONS.items():
            k = 1 if name == "relu" else 2
            x, logits = floats(tokens, HIDDEN), floats(tokens, EXPERTS)
            first, second = weights_of(INNER, HIDDEN, name != "identity"), weights_of(HIDDEN, INNER)
            yield Case(f"MoE {name} {tokens}", "MoE", [x, logits, *first, *second],
                       [experts(x, logits, first, second, None, k, lambda v, _, f=f: f(v))], fixed=(2, 3, 4, 5),
                       activation_type=name, k=k, normalize_routing_weights=int(k > 1))
    gated = swiglu(1.7, 1.0, 1.0)
    for fusion in (0, 1, 2):
        x, logits = floats(2, 3, HIDDEN), floats(6, EXPERTS)
        first, second = weights_of(INNER * (2 if fusion else 1), HIDDEN), weights_of(HIDDEN, INNER)
        third = None if fusion else weights_of(INNER, HIDDEN)
        parts = {0: gated, 1: lambda v, _: gated(v[0::2], v[1::2]), 2: lambda v, _: gated(*np.split(v, 2))}[fusion]
        yield Case(f"MoE swiglu {fusion}", "MoE", [x, logits, *first, *second, *(third or ())],
                   [experts(x, logits, first, second, third, 2, parts)], fixed=range(2, 8), activation_type="swiglu", k=2,
                   normalize_routing_weights=1, swiglu_fusion=fusion, activation_alpha=1.7, activation_beta=1.0,
                   swiglu_limit=1.0)


def routings():
    """Experts without a token, one with all of them, and scores that are equal, of which the first experts are taken. Scores
    that are not lie 1/8 apart, more than any rounding."""
    random = strata.generator_of("routings")
    for tokens in (1, int(random.integers(2, 9)), 33):
        for what in ("drawn", "equal", "one"):
            n, k = int(random.integers(2, 71)), int(random.integers(1, 3))
            logits = np.array([random.permutation(n) for _ in range(tokens)], np.float32) / 8
            if what != "drawn":
                logits = np.zeros_like(logits) if what == "equal" else logits + 9 * (np.arange(n) == random.integers(n))
            x, logits = floats(tokens, HIDDEN), logits.astype(np.float32)
            first, second = [(floats(n, rows, columns) / 4, floats(n, rows)) for rows, columns in ((INNER, HIDDEN), (HIDDEN, INNER))]
            yield Case(f"MoE {what}, {tokens} tokens, {k} of {n} experts", "MoE", [x, logits, *first, *second],
                       [experts(x, logits, first, second, None, k, lambda v, _: ACTIVATIONS["silu"](v))], fixed=(2, 3, 4, 5),
                       activation_type="silu", k=k, normalize_routing_weights=int(k > 1))


def check_halves():
    """In f16 as cards of sm_90a do it: pipelined products, whose tables of experts' tiles are made in front."""
    random = strata.generator_of("halves")
    gpu.use_stand_in()
    tokens, n, k = int(random.choice([1, 5, 40])), int(random.integers(2, 17)), int(random.integers(1, 3))
    hidden, inner = int(random.choice([64, 56, 50])), 48  # of 50 no multiple of what the copy engine takes
    is_fused = bool(random.integers(2))
    half = lambda *shape: random.standard_normal(shape).astype(np.float16)
    x, second = half(tokens, hidden), half(n, hidden, inner) / np.float16(8)
    first, third = half(n, inner * (1 + is_fused), hidden) / np.float16(8), half(n, inner, hidden) / np.float16(8)
    logits = np.array([random.permutation(n) for _ in range(tokens)], np.float16) / 8
    parts = (lambda v, _: (v[0::2], v[1::2])) if is_fused else lambda v, other: (v, other)

    def gated(v, other):
        gate, factor = parts(v, other)
        return gate * sigmoid(gate) * factor

    mixed = lambda x, f, s, t, step: experts(x, logits, (f, None), (s, None), None if is_fused else (t, None), k, step)
    want = mixed(x, first, second, third, gated)
    graph = onnx_file.Graph(21)
    case = Case("MoE in f16", "MoE", [x, logits, first, None, second, *([] if is_fused else [None, third])],
                [want.astype(np.float16)], fixed=(2, 4, 6), activation_type="swiglu", k=k,
                normalize_routing_weights=int(k > 1), swiglu_fusion=int(is_fused))
    given = case.add(graph, "")
    with tempfile.TemporaryDirectory() as folder:
        path, _ = strata.compile_library(graph.save(os.path.join(folder, "m.onnx")), folder, "m",
                                         ["--target=nvgpu", "--device=emulated_90"])
        got = gpu.Library(path).run(given)[0].astype(np.float64)
    # To f16, 2^-11 of each, are rounded gate and other factor, whose product changes by at most 1.1 and 1 of |gate| |other|,
    # that product and what experts give of it; and the sum. Sums of at most 64 terms in f32 are 2^-18 of their terms off.
    wide = lambda v: np.abs(v).astype(np.float64)

    def product(v, other):
        gate, factor = parts(v, other)
        return wide(gate) * wide(factor)

    size = mixed(x, first, wide(second), third, product)
    terms = mixed(wide(x), wide(first), wide(second), wide(third), product)
    bound = 2.0 ** -11 * (5 * size + wide(want)) + 3 * 2.0 ** -18 * terms + 1e-6
    assert (np.abs(got - want) <= bound).all(), f"MoE in f16: {np.max(np.abs(got - want) / bound)} times its bound"


def check_launches():
    """A token's way to its experts and back is a launch each beside the experts' own three."""
    x, weights, back = np.zeros((1, 256), np.float16), np.zeros((8, 256, 256), np.float16), np.zeros((8, 256, 256), np.float16)
    graph = onnx_file.Graph(21)
    Case("MoE", "MoE", [x, x[:, :8], weights, None, back], [x], fixed=(2, 4), activation_type="silu", k=2,
         normalize_routing_weights=1).add(graph, "")
    with tempfile.TemporaryDirectory() as folder:
        model = graph.save(os.path.join(folder, "m.onnx"))
        for device in ("sm_90a", "emulated"):
            text = strata.strata(model, "--target=nvgpu", f"--device={device}", "--compile-to=affine", "--explain", "-o",
                                 os.path.join(folder, "m.mlir"))
            launches = int(re.search(r"a run: (\d+) launches", text)[1])
            assert launches == 5, f"{device}: {launches} launches"


def packed(x, bits):
    per = 8 // bits
    x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -x.shape[-1] % per)]).reshape(*x.shape[:-1], -1, per)
    return sum(x[..., i].astype(np.uint8) << np.uint8(bits * i) for i in range(per)).astype(np.uint8)


def few_bits():
    def layer(rows, columns, bits, block, has_zeros):
        """Operands weights, scales, zero points, and the weights that they mean."""
        codes = RNG.integers(0, 1 << bits, (EXPERTS, rows, columns)).astype(np.uint8)
        shape = (EXPERTS, rows, columns // block) if block else (EXPERTS, rows)
        scales = np.abs(floats(*shape)) / (8 << bits)
        zeros = RNG.integers(0, 1 << bits, shape).astype(np.uint8)
        wide = (lambda v: v.repeat(block, 2)) if block else (lambda v: v[..., None])
        means = (codes.astype(np.float64) - (wide(zeros) if has_zeros else 1 << (bits - 1))) * wide(scales)
        return packed(codes, bits), scales, packed(zeros, bits), means
    for bits in (2, 4, 8):
        for block, has_zeros in ((0, False), (0, True), (16, False), (16, True)):
            w1, s1, z1, m1 = layer(2 * INNER, HIDDEN, bits, block, has_zeros)
            w2, s2, z2, m2 = layer(HIDDEN, INNER, bits, block, has_zeros)
            x, logits, b1, b2 = floats(6, HIDDEN), floats(6, EXPERTS), floats(EXPERTS, 2 * INNER), floats(EXPERTS, HIDDEN)
            zeros = [None, None, None, z1, z2] if has_zeros else []
            f = swiglu(1, 0, np.inf)
            want = experts(x, logits, (m1, b1), (m2, b2), None, 2, lambda v, _: f(v[0::2], v[1::2]))
            yield Case(f"QMoE {bits} {block} {has_zeros}", "QMoE", [x, logits, w1, s1, b1, w2, s2, b2, *zeros], [want],
                       fixed=range(2, 14), activation_type="swiglu", k=2, normalize_routing_weights=1, swiglu_fusion=1,
                       expert_weight_bits=bits, **({"block_size": block} if block else {}))
    own = RNG.uniform(0.1, 1, (6, EXPERTS)).astype(np.float32)
    want = experts(x, logits, (m1, b1), (m2, b2), None, 2, lambda v, _: f(v[0::2], v[1::2]), own)
    yield Case("QMoE of a router's weights", "QMoE", [x, logits, w1, s1, b1, w2, s2, b2, None, None, None, z1, z2, None, own],
               [want], fixed=range(2, 14), activation_type="swiglu", k=2, normalize_routing_weights=1, swiglu_fusion=1,
               expert_weight_bits=bits, block_size=block)


def linear_attention(rule, q, k, v, past, decay, beta, heads, groups):
    batch, length = q.shape[:2]
    q, k, v = (x.reshape(batch, length, n, -1).astype(np.float64) for x, n in ((q, heads), (k, groups), (v, groups)))
    state = np.zeros((batch, groups, k.shape[-1], v.shape[-1])) if past is None else past.astype(np.float64)
    rows = []
    for t in range(length):
        new = v[:, t]
        if "gated" in rule:
            state = state * np.exp(decay.reshape(batch, length, groups, -1)[:, t, :, :, None].astype(np.float64))
        if "delta" in rule:
            new = (new - np.einsum("bhk,bhkv->bhv", k[:, t], state)) * beta[:, t, :, None]
        state = state + k[:, t, :, :, None] * new[:, :, None]
        rows.append(np.einsum("bhk,bhkv->bhv", q[:, t], state.repeat(heads // groups, 1)) / np.sqrt(q.shape[-1]))
    return [np.stack(rows, 1).reshape(batch, length, -1).astype(np.float32), state.astype(np.float32)]


def recurrences(domain):
    heads, groups, keys, values = 4, 2, 6, 5
    for length in (1, 3, 9):
        for rule in ("linear", "gated", "delta", "gated_delta"):
            past = floats(2, groups, keys, values) if length != 9 else None
            decay = -np.abs(floats(2, length, groups * (keys if length == 3 else 1))) if "gated" in rule else None
            beta = RNG.random((2, length, 1 if rule == "delta" else groups)).astype(np.float32) if "delta" in rule else None
            given = [floats(2, length, heads * keys), floats(2, length, groups * keys) / 2,
                     floats(2, length, groups * values), past, decay, beta]
            yield Case(f"LinearAttention {rule} {length}", "LinearAttention", given,
                       linear_attention(rule, *given, heads, groups), domain=domain, update_rule=rule, q_num_heads=heads,
                       kv_num_heads=groups, tolerance=3e-5)


def convolved(x, w, b, past, silu, dilation=1):
    state = (w.shape[2] - 1) * dilation
    past = np.zeros((*x.shape[:2], state), np.float32) if past is None else past
    whole, length = np.concatenate([past, x], 2).astype(np.float64), x.shape[2]
    y = sum(whole[:, :, i * dilation:i * dilation + length] * w[:, 0, i, None] for i in range(w.shape[2]))
    y = y if b is None else y + b[:, None]
    return [(y * sigmoid(y) if silu else y).astype(np.float32), whole[:, :, length:].astype(np.float32)]


def convolutions(domain):
    for length in (1, 7):
        for has_past in (False, True):
            given = [floats(2, 5, length), floats(5, 1, 4), floats(5) if has_past else None,
                     floats(2, 5, 3) if has_past else None]
            yield Case(f"CausalConvWithState {length} {has_past}", "CausalConvWithState", given,
                       convolved(*given, length == 7), fixed=(1, 2), domain=domain,
                       activation="silu" if length == 7 else "none")
    if not domain:
        return
    x, w, b, past = floats(2, 7, 5), floats(5, 1, 3), floats(5), floats(2, 4, 5)
    want = convolved(x.swapaxes(1, 2), w, b, past.swapaxes(1, 2), True, 2)
    yield Case("CausalConvWithState last", "CausalConvWithState", [x, w, b, past], [y.swapaxes(1, 2) for y in want],
               fixed=(1, 2), domain=domain, activation="swish", channels_last=1, dilation=2)


def products():
    for axis in (0, 1, -1):
        for reverse in (0, 1):
            for exclusive in (0, 1):
                x = floats(3, 7, 5)
                turned = (lambda v: np.flip(v, axis)) if reverse else (lambda v: v)
                y = np.cumprod(turned(x).astype(np.float64), axis)
                if exclusive:
                    y = np.roll(y, 1, axis)
                    y[tuple(0 if i == axis % 3 else slice(None) for i in range(3))] = 1
                yield Case(f"CumProd {axis} {reverse} {exclusive}", "CumProd", [x, np.array(axis, np.int64)],
                           [turned(y).astype(np.float32)], fixed=(1,), domain="", reverse=reverse, exclusive=exclusive)


def bit_casts():
    x = floats(3, 7)
    for value, kinds in ((x, (np.int32, np.uint32)), (x.view(np.int32), (np.float32, np.uint32)),
                         (x.astype(np.float16), (np.int16, np.uint16)), (x.astype(np.float16).view(np.uint16), (np.float16,)),
                         (x.astype(np.float64), (np.int64,)), (x.astype(np.float64).view(np.uint64), (np.float64, np.int64)),
                         (x > 0, (np.uint8, np.int8)), ((x > 0).view(np.uint8), (np.bool_,)),
                         (RNG.integers(-128, 128, (3, 7)).astype(np.int8), (np.uint8, np.int8))):
        for kind in kinds:
            yield Case(f"BitCast {value.dtype} {np.dtype(kind)}", "BitCast", [value], [value.view(kind)], domain="",
                       to=ELEMENT_TYPES[np.dtype(kind)], tolerance=0)


def packed_attention():
    heads, size, hidden = 2, 8, 16
    offsets, rows = np.array([0, 3, 4, 9], np.int32), 9
    places = np.zeros((3, 5), np.int32)

    def attend(q, k, v):
        result = np.zeros((rows, heads, v.shape[-1] // heads))
        for first, end in zip(offsets[:-1], offsets[1:]):
            for head in range(heads):
                part = [x[first:end].reshape(end - first, heads, -1)[:, head] for x in (q, k, v)]
                scores = np.exp(part[0] @ part[1].T / np.sqrt(size))
                result[first:end, head] = scores / scores.sum(-1, keepdims=True) @ part[2]
        return [result.reshape(rows, -1).astype(np.float32)]
    q, k, v, bias = floats(rows, hidden), floats(rows, hidden), floats(rows, 6), floats(38)
    moved = [x.astype(np.float64) + b for x, b in zip((q, k, v), np.split(bias, [16, 32]))]
    yield Case("PackedMultiHeadAttention", "PackedMultiHeadAttention", [q, k, v, bias, places, offsets], attend(*moved),
               fixed=(3,), num_heads=heads)
    packed_rows = floats(rows, heads, 3, size)
    yield Case("PackedMultiHeadAttention of one", "PackedMultiHeadAttention",
               [packed_rows, None, None, None, places, offsets],
               attend(*(packed_rows[:, :, i].reshape(rows, -1).astype(np.float64) for i in range(3))), num_heads=heads)
    x, w, bias = floats(rows, 10), floats(10, 38) / 3, floats(38)
    yield Case("PackedAttention", "PackedAttention", [x, w, bias, places, offsets],
               attend(*np.split(x.astype(np.float64) @ w + bias, [16, 32], -1)), fixed=(1, 2), num_heads=heads,
               qkv_hidden_sizes=[16, 16, 6])


def check_errors():
    x, logits, w1, w2 = floats(3, HIDDEN), floats(3, EXPERTS), floats(EXPERTS, 6, HIDDEN), floats(EXPERTS, HIDDEN, 6)
    refuses("the sparse mixer", "MoE", [x, logits, w1, None, w2], use_sparse_mixer=1)
    refuses("1 to 5 experts", "MoE", [x, logits, w1, None, w2], k=6)
    refuses("expected fc3", "MoE", [x, logits, w1, None, w2], activation_type="swiglu")
    refuses("the decay", "LinearAttention", [floats(1, 2, 8)] * 3, opset=27, domain="", q_num_heads=2, kv_num_heads=2)
    refuses("heads of keys that divide", "LinearAttention", [floats(1, 2, 6)] * 3, opset=27, domain="", q_num_heads=3,
            kv_num_heads=2, update_rule="linear")
    row, past, last = floats(1, 1, 32), floats(1, 2, 9, 16), np.array([3], np.int32)
    group = {"num_heads": 2, "kv_num_heads": 2}
    refuses("a cache of i8", "GroupQueryAttention", [row, row, row, past, past, last, last, *[None] * 5, row[0, 0, :1], row[0, 0, :1]],
            k_quant_type="PER_TENSOR", v_quant_type="PER_TENSOR", **group)
    refuses("a cache of u8", "GroupQueryAttention", [row, row, row, *[past.astype(np.int8)] * 2, last, last, *[None] * 5,
                                                     row[0, 0, :1], row[0, 0, :1]],
            k_quant_type="PER_TENSOR", v_quant_type="PER_TENSOR", kv_cache_bit_width=4, **group)
    refuses("expected a past and scales", "GroupQueryAttention", [row, row, row, past, past, last, last],
            k_quant_type="PER_TENSOR", v_quant_type="PER_TENSOR", **group)
    refuses("expected 1 numbers, got 2", "GroupQueryAttention", [row, row, row, past, past, np.array([3, 3], np.int32), last], **group)
    refuses("the type of the queries", "GroupQueryAttention", [row, row, row, *[past.astype(np.int8)] * 2, last, last], **group)
    refuses("expected a past, and causal", "GroupQueryAttention", [row, row, row, None, None, last, last, *[None] * 9, last],
            **group)
    windows = {"local_window_size": 10, "sliding_window_cache": 1, **group}
    refuses("the window's 10 tokens, got 9", "GroupQueryAttention", [row, row, row, past, past, last, last], **windows)
    refuses("causal attention and a local_window_size", "GroupQueryAttention", [row, row, row, None, None, last, last], **windows)
    refuses("masks of at most 9 keys, got 10", "MultiHeadAttention", [row, row, row, None, np.ones((1, 10), np.int32), None, past,
                                                                      past, last], num_heads=2)
    refuses("a past of 4 dimensions", "MultiHeadAttention", [row, row, row, None, None, None, row[0], row[0], last], num_heads=2)
    recent = np.zeros((1, 2, 10, 16), np.float32)
    refuses("scores of all keys", "GroupQueryAttention", [row, row, row, recent, recent, last, last], results=4, **windows)
    refuses("the bits of f32 as i16", "BitCast", [x], opset=26, domain="", to=ELEMENT_TYPES[np.dtype(np.int16)])
    refuses("more than one spatial", "CausalConvWithState", [floats(1, 2, 8), floats(2, 1, 3)], ndim=2)


if __name__ == "__main__":
    check([*mixtures(), *routings()])
    check_launches()
    check_halves()
    check([*few_bits()], modes=("cpu",))
    check([*packed_attention()])
    check([*recurrences(""), *convolutions(""), *products(), *bit_casts()], opset=27)
    check([*recurrences("com.microsoft"), *convolutions("com.microsoft")], modes=("cpu",))
    check_errors()
