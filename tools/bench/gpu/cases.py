"""The cases that are timed on a GPU: each a graph in the strata dialect and the same function for PyTorch and JAX.

Names, shapes and what each peer is given follow one list, so that figures can be compared between runs and machines.
bf16 unless the name says otherwise. Importing this needs neither PyTorch nor JAX.
"""
import collections
import math

# inputs: (shape, type) each. bytes, flops: what has to be moved and computed at least. group: which run it belongs to.
Case = collections.namedtuple("Case", "name group text inputs outputs flops bytes torch jax options")

BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i8": 1, "i32": 4, "i64": 8}


def tensor(shape, dtype):
    return "tensor<" + "".join(f"{size}x" for size in shape) + dtype + ">"


class Graph:
    """Writes func.func @main a value at a time."""

    def __init__(self, *inputs):
        self.inputs, self.lines, self.types = list(inputs), [], {}
        for i, (shape, dtype) in enumerate(inputs):
            self.types[f"%in{i}"] = (tuple(shape), dtype)

    def __getitem__(self, number):
        return f"%in{number}"

    def op(self, mnemonic, operands, shape, dtype, attributes=""):
        name = f"%{len(self.lines)}"
        self.types[name] = (tuple(shape), dtype)
        types = ", ".join(tensor(*self.types[operand]) for operand in operands)
        self.lines.append(f'  {name} = "strata.{mnemonic}"({", ".join(operands)}) {{{attributes}}} : ({types}) -> '
                          f'{tensor(shape, dtype)}')
        return name

    def like(self, mnemonic, *operands, attributes=""):
        """An op whose result has the type of its first operand."""
        return self.op(mnemonic, operands, *self.types[operands[0]], attributes=attributes)

    def splat(self, value, like):
        shape, dtype = self.types[like]
        name = f"%{len(self.lines)}"
        self.types[name] = (shape, dtype)
        self.lines.append(f'  {name} = "strata.constant"() {{value = dense<{value:e}> : {tensor(shape, dtype)}}} : () '
                          f'-> {tensor(shape, dtype)}')
        return name

    def broadcast(self, operand, shape, dims):
        """dims[i] is the dim of |shape| that dim i of the operand becomes."""
        names = ", ".join(f"d{i}" for i in range(len(shape)))
        kept = ", ".join(f"d{i}" for i in dims)
        return self.op("broadcast", [operand], shape, self.types[operand][1],
                       f"map = affine_map<({names}) -> ({kept})>")

    def convert(self, operand, dtype):
        return self.op("convert", [operand], self.types[operand][0], dtype)

    def text(self, *results):
        arguments = ", ".join(f'%in{i}: {tensor(*self.types[f"%in{i}"])} {{strata.name = "x{i}"}}'
                              for i in range(len(self.inputs)))
        types = [tensor(*self.types[result]) for result in results]
        named = ", ".join(f'{t} {{strata.name = "y{i}"}}' for i, t in enumerate(types))
        body = "\n".join(self.lines)
        return (f"func.func @main({arguments}) -> ({named}) {{\n{body}\n"
                f"  return {', '.join(results)} : {', '.join(types)}\n}}\n")

    def case(self, name, group, results, flops, moved, torch, jax=None, options=()):
        return Case(name, group, self.text(*results), self.inputs, [self.types[result] for result in results], flops,
                    moved, torch, jax, options)


#===-- Bound by memory -----------------------------------------------------------------------------------------------


def elementwise():
    rows, columns = 16384, 8192
    shape, count = (rows, columns), 2 * rows * columns
    g = Graph((shape, "bf16"), (shape, "bf16"))
    yield g.case("add_16384x8192", "mem", [g.like("add", g[0], g[1])], 0, 3 * count, lambda t, a, b: a + b,
                 lambda j, a, b: a + b)
    g = Graph((shape, "bf16"))
    yield g.case("gelu_16384x8192", "mem", [g.like("gelu", g[0])], 0, 2 * count,
                 lambda t, a: t.nn.functional.gelu(a), lambda j, a: j.nn.gelu(a, approximate=False))
    g = Graph((shape, "bf16"), (shape, "bf16"), ((columns,), "bf16"))
    shifted = g.like("add", g[0], g.broadcast(g[2], shape, [1]))
    yield g.case("bias_gelu_dropoutless_residual_16384x8192", "mem", [g.like("add", g.like("gelu", shifted), g[1])], 0,
                 3 * count, lambda t, a, b, bias: t.nn.functional.gelu(a + bias) + b,
                 lambda j, a, b, bias: j.nn.gelu(a + bias, approximate=False) + b)
    g = Graph((shape, "bf16"), (shape, "bf16"))
    v = g.like("add", g.like("mul", g[0], g[1]), g.splat(0.5, g[0]))
    v = g.like("add", g.like("mul", g.like("sigmoid", g.like("tanh", v)), g[1]), g[0])
    v = g.like("relu", v)
    v = g.like("mul", g.like("mul", v, v), g.splat(0.1, v))
    yield g.case("chain8_16384x8192", "mem", [v], 0, 3 * count,
                 lambda t, a, b: t.tanh(a * b + 0.5).sigmoid().mul(b).add(a).relu().square().mul(0.1),
                 lambda j, a, b: j.numpy.square(j.nn.relu(j.nn.sigmoid(j.numpy.tanh(a * b + 0.5)) * b + a)) * 0.1)


def jax_layer_norm(j, a, g, b):
    f = a.astype(j.numpy.float32)
    return ((f - f.mean(-1, keepdims=True)) * j.lax.rsqrt(f.var(-1, keepdims=True) + 1e-5)).astype(a.dtype) * g + b


def jax_rms_norm(j, a, g):
    f = a.astype(j.numpy.float32)
    return (f * j.lax.rsqrt((f * f).mean(-1, keepdims=True) + 1e-5)).astype(a.dtype) * g


def rows():
    for r, c in [(16384, 8192), (4096, 1024), (65536, 512), (256, 131072)]:
        moved = 4 * r * c
        axes = "axes = array<i64: 1>"
        g = Graph(((r, c), "bf16"))
        yield g.case(f"softmax_{r}x{c}", "mem", [g.like("softmax", g[0], attributes=axes)], 0, moved,
                     lambda t, a: t.softmax(a, -1),
                     lambda j, a: j.nn.softmax(a.astype(j.numpy.float32), -1).astype(a.dtype))
        g = Graph(((r, c), "bf16"), ((c,), "bf16"), ((c,), "bf16"))
        norm = g.like("layer_norm", g[0], g[1], g[2], attributes=axes + ", epsilon = 1.0e-05 : f64")
        yield g.case(f"layernorm_{r}x{c}", "mem", [norm], 0, moved,
                     lambda t, a, s, b: t.nn.functional.layer_norm(a, (a.shape[-1],), s, b), jax_layer_norm)
        g = Graph(((r, c), "bf16"), ((c,), "bf16"))
        norm = g.like("rms_norm", g[0], g[1], attributes=axes + ", epsilon = 1.0e-05 : f64")
        yield g.case(f"rmsnorm_{r}x{c}", "mem", [norm], 0, moved,
                     lambda t, a, s: t.nn.functional.rms_norm(a, (a.shape[-1],), s, eps=1e-5), jax_rms_norm)


def reductions():
    rows_, columns = 16384, 8192
    for name, axes, shape in [("rowsum", [1], (rows_,)), ("colsum", [0], (columns,)), ("fullsum", [0, 1], ())]:
        g = Graph(((rows_, columns), "bf16"))
        attributes = f'axes = array<i64: {", ".join(map(str, axes))}>, kind = "add"'
        result = g.op("reduce", [g.convert(g[0], "f32")], shape, "f32", attributes)
        dims = tuple(axes)
        yield g.case(f"{name}_16384x8192", "mem", [result], 0, 2 * rows_ * columns,
                     lambda t, a, d=dims: a.sum(d, dtype=t.float32),
                     lambda j, a, d=dims: a.sum(d, dtype=j.numpy.float32))


def movement():
    g = Graph(((16384, 8192), "bf16"))
    yield g.case("transpose_16384x8192", "mem",
                 [g.op("transpose", [g[0]], (8192, 16384), "bf16", "permutation = array<i64: 1, 0>")], 0,
                 4 * 16384 * 8192, lambda t, a: a.t().contiguous(), lambda j, a: a.T + 0)
    shape = (64, 1024, 16, 64)
    g = Graph((shape, "bf16"))
    yield g.case("permute0213_64x1024x16x64", "mem",
                 [g.op("transpose", [g[0]], (64, 16, 1024, 64), "bf16", "permutation = array<i64: 0, 2, 1, 3>")], 0,
                 4 * math.prod(shape), lambda t, a: a.permute(0, 2, 1, 3).contiguous(),
                 lambda j, a: a.transpose(0, 2, 1, 3) + 0)


#===-- Matrix products -----------------------------------------------------------------------------------------------

NN = "maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]"
BATCH_NN = ("maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, "
            "affine_map<(b, m, n, k) -> (b, m, n)>]")
ORIGIN = ', zero_pad = false, origin = "matmul"'

SHAPES = [(1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (4096, 768, 768),
          (4096, 3072, 768), (4096, 768, 3072), (1, 4096, 4096), (16, 4096, 4096), (16, 14336, 4096), (128, 4096, 4096),
          (128, 14336, 4096), (2048, 4096, 4096), (2048, 14336, 4096), (2048, 4096, 14336), (8192, 6144, 4096),
          (8192, 28672, 4096), (1000, 1000, 1000), (4095, 4097, 1025)]


def product(g, x, w, m, n, dtype):
    """x @ w, accumulated in f32 and rounded."""
    return g.convert(g.op("contract", [x, w], (m, n), "f32", NN + ORIGIN), dtype)


def gemm():
    for m, n, k in SHAPES:
        g = Graph(((m, k), "bf16"), ((k, n), "bf16"))
        yield g.case(f"gemm_bf16_nn_{m}x{n}x{k}", "gemm", [product(g, g[0], g[1], m, n, "bf16")], 2 * m * n * k,
                     2 * (m * k + k * n + m * n), lambda t, a, b: a @ b)
    for b, m, n, k in [(64, 512, 512, 64), (128, 128, 128, 128), (16, 1024, 1024, 1024)]:
        g = Graph(((b, m, k), "bf16"), ((b, k, n), "bf16"))
        result = g.convert(g.op("contract", [g[0], g[1]], (b, m, n), "f32", BATCH_NN + ORIGIN), "bf16")
        yield g.case(f"bmm_bf16_{b}x{m}x{n}x{k}", "gemm", [result], 2 * b * m * n * k,
                     2 * b * (m * k + k * n + m * n), lambda t, a, c: a @ c)


def fused():
    for m, n, k in [(4096, 3072, 768), (2048, 14336, 4096), (8192, 8192, 8192), (16, 14336, 4096)]:
        for activation in ("relu", "gelu"):
            g = Graph(((m, k), "bf16"), ((k, n), "bf16"), ((n,), "bf16"))
            total = g.like("add", product(g, g[0], g[1], m, n, "bf16"), g.broadcast(g[2], (m, n), [1]))
            yield g.case(f"gemm_bias_{activation}_{m}x{n}x{k}", "fused", [g.like(activation, total)], 2 * m * n * k,
                         2 * (m * k + k * n + m * n),
                         lambda t, x, w, b, f=activation: getattr(t.nn.functional, f)(x @ w + b))


def all_cases():
    """Every case, by name, in order."""
    makers = (elementwise, rows, reductions, movement, gemm, fused)
    return {case.name: case for maker in makers for case in maker()}
