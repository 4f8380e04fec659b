"""Matrix products and what is fused with them, and convolutions: cases for cases.py, each made by a function of its
sizes. Operands of a product are named by two letters, n as in the formula and t transposed: nt is [M, K] x [N, K]."""
import functools
import math
import random

from graph import BITS, Graph, affine, tensor

# What peers call each kind: the operands' type, the result's, what is summed up in, the compiler's option, and the
# precision that torch is asked for.
KINDS = {
    "bf16": ("bf16", "bf16", "f32", (), "high"),
    "fp16": ("f16", "f16", "f32", (), "high"),
    "tf32": ("f32", "f32", "f32", ("--mm-conv-precision-mode=tf32",), "high"),
    "fp32": ("f32", "f32", "f32", ("--mm-conv-precision-mode=fp32",), "highest"),
    "int8": ("i8", "i32", "i32", (), "high"),
    "fp8": ("f8E4M3FN", "bf16", "f32", (), "high"),
}

SHAPES = [(1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (4096, 768, 768),
          (4096, 3072, 768), (4096, 768, 3072), (1, 4096, 4096), (16, 4096, 4096), (16, 14336, 4096), (128, 4096, 4096),
          (128, 14336, 4096), (2048, 4096, 4096), (2048, 14336, 4096), (2048, 4096, 14336), (8192, 6144, 4096),
          (8192, 28672, 4096), (1000, 1000, 1000), (4095, 4097, 1025)]
LARGE = [(4096, 4096, 4096), (8192, 8192, 8192)]
BATCHED = [(64, 512, 512, 64), (128, 128, 128, 128), (16, 1024, 1024, 1024)]


#===-- Alone -----------------------------------------------------------------------------------------------------------


@functools.lru_cache
def one(t, device):
    """A scale that is made once: making it is no part of a product."""
    return t.ones((), device=device)


def torch_product(kind, letters, t, a, b):
    a, b = (a.t() if letters[0] == "t" else a), (b.t() if letters[1] == "t" else b)
    if kind == "int8":
        return t._int_mm(a, b)
    if kind == "fp8":
        scale = one(t, a.device)
        return t._scaled_mm(a, b, scale_a=scale, scale_b=scale, out_dtype=t.bfloat16)
    return a @ b


def jax_product(letters, j, a, b):
    return (a.T if letters[0] == "t" else a) @ (b.T if letters[1] == "t" else b)


def double_product(letters, t, a, b):
    return torch_product("double", letters, t, a.double(), b.double())


def product(kind, letters, m, n, k, name=None, group="gemm"):
    dtype, result, sums, options, precision = KINDS[kind]
    left, right = ("m, k", "k, m")[letters[0] == "t"], ("k, n", "n, k")[letters[1] == "t"]
    g = Graph(((k, m) if letters[0] == "t" else (m, k), dtype), ((n, k) if letters[1] == "t" else (k, n), dtype))
    value = g.contract(g[0], g[1], (m, n), result, affine("m, n, k", left, right, "m, n"), sums)
    moved = (BITS[dtype] * (m * k + k * n) + BITS[result] * m * n) // 8
    jax = functools.partial(jax_product, letters) if dtype[0] in "fb" and dtype[1] != "8" else None
    return g.case(name or f"gemm_{kind}_{letters}_{m}x{n}x{k}", group, [value], 2 * m * n * k, moved,
                  functools.partial(torch_product, kind, letters), jax, options,
                  functools.partial(double_product, letters), precision)


def batched(b, m, n, k):
    g = Graph(((b, m, k), "bf16"), ((b, k, n), "bf16"))
    value = g.contract(g[0], g[1], (b, m, n), "bf16", affine("b, m, n, k", "b, m, k", "b, k, n", "b, m, n"))
    return g.case(f"bmm_bf16_{b}x{m}x{n}x{k}", "gemm", [value], 2 * b * m * n * k, 2 * b * (m * k + k * n + m * n),
                  lambda t, a, c: a @ c, lambda j, a, c: a @ c)


def gemm():
    for n in (8192, 16384):
        yield product("bf16", "nn", n, n, n, f"mm_bf16_{n}")
    for letters in ("nn", "nt"):
        for shape in SHAPES:
            yield product("bf16", letters, *shape)
    for shape in LARGE:
        for kind in ("tf32", "fp32", "fp16"):
            yield product(kind, "nn", *shape)
            yield product(kind, "nt", *shape)
        for kind in ("int8", "fp8"):
            yield product(kind, "nt", *shape)  # the one form that cuBLAS has of these
    for sizes in BATCHED:
        yield batched(*sizes)


def drawn(draw, count, unit, group, prefix):
    """|count| products of sizes up to 8192 drawn evenly on a logarithmic scale, multiples of |unit|, in every
    transposition and three kinds."""
    for i in range(count):
        m, n, k = (unit * round(math.exp(draw.uniform(0, math.log(8192 // unit)))) for _ in range(3))
        kind, letters = draw.choice(("bf16", "fp16", "tf32")), draw.choice(("nn", "nt", "tn", "tt"))
        yield product(kind, letters, m, n, k, f"{prefix}{i:03}_{kind}_{letters}_{m}x{n}x{k}", group)


def random_products(seed, count):
    return drawn(random.Random(seed), count, 1, "random", "random")


def random_aligned(seed, count):
    return drawn(random.Random(f"aligned {seed}"), count, 8, "random_aligned", "aligned")


#===-- With what comes before and after --------------------------------------------------------------------------------

NN = affine("m, n, k", "m, k", "k, n", "m, n")


def mm(g, x, w, m, n):
    return g.contract(x, w, (m, n), "bf16", NN)


def with_activation(activation, m, n, k):
    g = Graph(((m, k), "bf16"), ((k, n), "bf16"), ((n,), "bf16"))
    total = g.add_along(mm(g, g[0], g[1], m, n), g[2])
    jax = {"relu": lambda j, x, w, b: j.nn.relu(x @ w + b),
           "gelu": lambda j, x, w, b: j.nn.gelu(x @ w + b, approximate=False)}[activation]
    return g.case(f"gemm_bias_{activation}_{m}x{n}x{k}", "fused", [g.like(activation, total)], 2 * m * n * k,
                  2 * (m * k + k * n + m * n), lambda t, x, w, b: getattr(t.nn.functional, activation)(x @ w + b), jax)


def of_transformer(m, n, k, end):
    """With bias and |end|, in f16 and weights [N, K]: a product of a transformer over images."""
    g = Graph(((m, k), "f16"), ((n, k), "f16", k ** -0.5), ((n,), "f16"), *[((m, n), "f16")] * (end == "residual"))
    total = g.add_along(g.contract(g[0], g[1], (m, n), "f16", affine("m, n, k", "m, k", "n, k", "m, n")), g[2])
    total = g.like("gelu", total) if end == "gelu" else g.like("add", total, g[3]) if end == "residual" else total

    def torch(t, x, w, b, *residual):
        y = t.nn.functional.linear(x, w, b)
        return t.nn.functional.gelu(y) if end == "gelu" else y + residual[0] if residual else y

    return g.case(f"vit_{end}_{m}x{n}x{k}", "vit", [total], 2 * m * n * k,
                  2 * (m * k + k * n + m * n * (1 + (end == "residual"))), torch)


def vit():
    """The products of vit_b16 at a batch of 32, whose 6304 rows are no multiple of any tile."""
    for n, k, end in [(768, 768, "residual"), (3072, 768, "gelu"), (768, 3072, "residual"), (2304, 768, "bias")]:
        yield of_transformer(32 * 197, n, k, end)


def jax_residual_norm(j, x, w, b, r, g, be):
    y = (x @ w + b + r).astype(j.numpy.float32)
    centered = y - y.mean(-1, keepdims=True)
    return (centered * j.lax.rsqrt((centered * centered).mean(-1, keepdims=True) + 1e-5)).astype(x.dtype) * g + be


def with_norm(m, n, k):
    g = Graph(((m, k), "bf16"), ((k, n), "bf16"), ((n,), "bf16"), ((m, n), "bf16"), ((n,), "bf16"), ((n,), "bf16"))
    total = g.like("add", g.add_along(mm(g, g[0], g[1], m, n), g[2]), g[3])
    return g.case(f"gemm_bias_res_ln_{m}x{n}x{k}", "fused", [g.layer_norm(total, g[4], g[5])], 2 * m * n * k,
                  2 * (m * k + k * n + 3 * m * n),
                  lambda t, x, w, b, r, s, be: t.nn.functional.layer_norm(x @ w + b + r, (n,), s, be),
                  jax_residual_norm)


def swiglu(m, d, f):
    g = Graph(((m, d), "bf16"), ((d, f), "bf16", d ** -0.5), ((d, f), "bf16", d ** -0.5), ((f, d), "bf16", f ** -0.5))
    gate, up = mm(g, g[0], g[1], m, f), mm(g, g[0], g[2], m, f)
    value = mm(g, g.like("mul", g.like("silu", gate), up), g[3], m, d)
    return g.case(f"swiglu_mlp_{m}x{d}x{f}", "fused", [value], 6 * m * d * f, 2 * (2 * m * d + 3 * d * f),
                  lambda t, x, a, b, c: (t.nn.functional.silu(x @ a) * (x @ b)) @ c,
                  lambda j, x, a, b, c: (j.nn.silu(x @ a) * (x @ b)) @ c)


def parallel(m, d):
    g = Graph(((m, d), "bf16"), *[((d, d), "bf16")] * 3)
    return g.case(f"parallel_qkv_{m}x{d}", "fused", [mm(g, g[0], g[i], m, d) for i in (1, 2, 3)], 6 * m * d * d,
                  2 * (4 * m * d + 3 * d * d), lambda t, x, q, k, v: (x @ q, x @ k, x @ v),
                  lambda j, x, q, k, v: (x @ q, x @ k, x @ v))


def naive_attention(b, h, s, d):
    """product - softmax - product written as plain ops."""
    g = Graph(*[((b * h, s, d), "bf16")] * 3)
    scores = g.contract(g[0], g[1], (b * h, s, s), "f32", affine("b, i, j, d", "b, i, d", "b, j, d", "b, i, j"))
    scaled = g.like("mul", scores, g.splat(d ** -0.5, scores))
    weights = g.convert(g.like("softmax", scaled, attributes="axes = array<i64: 2>"), "bf16")
    value = g.contract(weights, g[2], (b * h, s, d), "bf16", affine("b, i, d, j", "b, i, j", "b, j, d", "b, i, d"))
    return g.case(f"naive_attn_{b}x{h}x{s}x{d}", "fused", [value], 4 * b * h * s * s * d, 8 * b * h * s * d,
                  lambda t, q, k, v: t.softmax((q @ k.transpose(1, 2)).float() * d ** -0.5, -1).to(q.dtype) @ v,
                  lambda j, q, k, v: j.nn.softmax((q @ k.swapaxes(1, 2)).astype(j.numpy.float32) * d ** -0.5,
                                                  -1).astype(q.dtype) @ v,
                  reference=lambda t, q, k, v: t.softmax((q.double() @ k.double().transpose(1, 2)) * d ** -0.5,
                                                         -1) @ v.double())


def linear(g, x, weights, bias, size):
    """x @ weights^T + bias of a tensor [batch, sequence, inner]."""
    shape = (*g.types[x][0][:2], size)
    return g.add_along(g.contract(x, weights, shape, "bf16", affine("b, s, n, k", "b, s, k", "n, k", "b, s, n")), bias)


def self_attention(g, projected, b, s, d, h):
    """Of queries, keys and values side by side: [b, s, 3 * d] -> [b, s, d]."""
    parts = g.reshape(projected, (b, s, 3, h, d // h))
    q, k, v = (g.reshape(g.op("slice", [parts], (b, s, 1, h, d // h), "bf16",
                              f"starts = array<i64: 0, 0, {i}, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1>"),
                         (b, s, h, d // h)) for i in range(3))
    scores = g.contract(q, k, (b, h, s, s), "f32", affine("b, h, i, j, d", "b, i, h, d", "b, j, h, d", "b, h, i, j"))
    scores = g.like("mul", scores, g.splat((d // h) ** -0.5, scores))
    weights = g.convert(g.like("softmax", scores, attributes="axes = array<i64: 3>"), "bf16")
    value = g.contract(weights, v, (b, s, h, d // h), "bf16",
                       affine("b, i, h, d, j", "b, h, i, j", "b, j, h, d", "b, i, h, d"))
    return g.reshape(value, (b, s, d))


def torch_encoder(h, t, x, wi, bi, wo, bo, g1, b1, wu, bu, wd, bd, g2, b2):
    f, (b, s, d) = t.nn.functional, x.shape
    q, k, v = f.linear(x, wi, bi).reshape(b, s, 3, h, d // h).permute(2, 0, 3, 1, 4)
    attended = f.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, s, d)
    x = f.layer_norm(x + f.linear(attended, wo, bo), (d,), g1, b1)
    return f.layer_norm(x + f.linear(f.gelu(f.linear(x, wu, bu)), wd, bd), (d,), g2, b2)


def encoder(b, s, d, h):
    """A transformer's block, normalised behind each half."""
    def weights(rows, columns):
        return ((rows, columns), "bf16", columns ** -0.5), ((rows,), "bf16")

    norm = [((d,), "bf16")] * 2
    g = Graph(((b, s, d), "bf16"), *weights(3 * d, d), *weights(d, d), *norm, *weights(4 * d, d), *weights(d, 4 * d),
              *norm)
    x, wi, bi, wo, bo, g1, b1, wu, bu, wd, bd, g2, b2 = g
    attended = self_attention(g, linear(g, x, wi, bi, 3 * d), b, s, d, h)
    middle = g.layer_norm(g.like("add", x, linear(g, attended, wo, bo, d)), g1, b1)
    inner = g.like("gelu", linear(g, middle, wu, bu, 4 * d))
    value = g.layer_norm(g.like("add", middle, linear(g, inner, wd, bd, d)), g2, b2)
    return g.case(f"encoder_block_b{b}_s{s}_d{d}_h{h}", "fused", [value], b * s * 24 * d * d + 4 * b * s * s * d,
                  24 * d * d + 4 * b * s * d, functools.partial(torch_encoder, h))


def fused():
    for shape in [(4096, 3072, 768), (2048, 14336, 4096), (8192, 8192, 8192), (16, 14336, 4096)]:
        yield with_activation("relu", *shape)
        yield with_activation("gelu", *shape)
    yield with_norm(4096, 768, 3072)
    yield swiglu(2048, 4096, 14336)
    yield swiglu(16, 4096, 14336)
    yield parallel(4096, 768)
    yield naive_attention(8, 16, 2048, 128)
    for sizes in [(8, 512, 768, 12), (32, 128, 1024, 16), (1, 2048, 4096, 32)]:
        yield encoder(*sizes)


def plain_attention(b, h, s, d, causal=False):
    """What scaled_dot_product_attention stands for; a causal mask is made of the numbers of rows and columns."""
    g = Graph(*[((b, h, s, d), "bf16")] * 3)
    scores = g.contract(g[0], g[1], (b, h, s, s), "f32",
                        affine("b, h, i, j, d", "b, h, i, d", "b, h, j, d", "b, h, i, j"))
    scores = g.like("mul", scores, g.splat(d ** -0.5, scores))
    if causal:
        shape = (b, h, s, s)
        rows, columns = (g.op("iota", [], shape, "i32", f"axis = {axis} : i64") for axis in (2, 3))
        nothing = g.op("constant", [], shape, "f32", f"value = dense<0xFF800000> : {tensor(shape, 'f32')}")
        scores = g.op("select", [g.op("ge", [rows, columns], shape, "i1"), scores, nothing], shape, "f32")
    weights = g.convert(g.like("softmax", scores, attributes="axes = array<i64: 3>"), "bf16")
    value = g.contract(weights, g[2], (b, h, s, d), "bf16",
                       affine("b, h, i, d, j", "b, h, i, j", "b, h, j, d", "b, h, i, d"))

    def torch(t, q, k, v):
        return t.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    def reference(t, q, k, v):  # a batch at a time: scores in double are large
        return t.stack([torch(t, *(x[i].float() for x in (q, k, v))) for i in range(b)])

    return g.case(f"attn_b{b}_h{h}_s{s}_d{d}{'_causal' if causal else ''}", "attn", [value],
                  (2 if causal else 4) * b * h * s * s * d, 8 * b * h * s * d, torch, reference=reference)


def attention():
    for sizes in [(32, 16, 512, 64), (8, 16, 2048, 64), (8, 16, 2048, 128), (8, 16, 2048, 128, True),
                  (2, 16, 8192, 128), (2, 16, 8192, 128, True), (1, 16, 16384, 128, True), (2, 8, 8192, 256)]:
        yield plain_attention(*sizes)


#===-- Convolutions ----------------------------------------------------------------------------------------------------


def convolution(n, hw, c, k, r, stride):
    """With bias and relu, in f16, channels last as peers want it: images [n, h, w, c], filters [k, y, x, c]."""
    pad, out = r // 2, (hw + 2 * (r // 2) - r) // stride + 1
    g = Graph(((n, hw, hw, c), "f16"), ((k, r, r, c), "f16", (r * r * c) ** -0.5), ((k,), "f16"))
    maps = affine("n, h, w, k, y, x, c", f"n, h * {stride} + y - {pad}, w * {stride} + x - {pad}, c", "k, y, x, c",
                  "n, h, w, k")
    value = g.contract(g[0], g[1], (n, out, out, k), "f16", maps, padded=pad > 0, origin="conv")

    def torch(t, x, w, b):
        image = t.nn.functional.conv2d(x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2), b, stride=stride, padding=pad)
        return t.nn.functional.relu(image).permute(0, 2, 3, 1)

    def jax(j, x, w, b):
        image = j.lax.conv_general_dilated(x, w, (stride, stride), [(pad, pad)] * 2,
                                           dimension_numbers=("NHWC", "OHWI", "NHWC"))
        return j.nn.relu(image + b)

    return g.case(f"conv_bias_relu_n{n}_hw{hw}_c{c}_k{k}_r{r}_s{stride}", "conv",
                  [g.like("relu", g.add_along(value, g[2]))], 2 * n * out * out * k * c * r * r,
                  2 * (n * hw * hw * c + k * r * r * c + n * out * out * k), torch, jax)


def convolutions():
    for sizes in [(32, 56, 64, 64, 3, 1), (32, 56, 256, 64, 1, 1), (32, 28, 128, 128, 3, 1), (32, 28, 512, 128, 1, 1),
                  (32, 14, 256, 256, 3, 1), (32, 7, 512, 512, 3, 1), (32, 56, 128, 128, 3, 2), (32, 224, 3, 64, 7, 2),
                  (2, 64, 320, 320, 3, 1), (2, 128, 512, 512, 3, 1)]:
        yield convolution(*sizes)


def random_convolutions(seed, count):
    """Windows of one, three and five pixels over images of 7 to 112; channels are multiples of eight."""
    random_ = random.Random(f"convolutions {seed}")
    drawn_sizes = set()
    while len(drawn_sizes) < count:
        n, hw = random_.choice((1, 2, 4, 8, 16, 32)), random_.choice((7, 13, 14, 19, 28, 40, 56, 80, 112))
        c, k = (8 * round(2 ** random_.uniform(1, 6)) for _ in range(2))
        r, stride = random_.choice((1, 3, 3, 5)), random_.choice((1, 1, 2))
        if n * hw * hw * c * k * r * r < 2 ** 36:
            drawn_sizes.add((n, hw, c, k, r, stride))
    for sizes in sorted(drawn_sizes):
        case = convolution(*sizes)
        yield case._replace(group="random_conv")
