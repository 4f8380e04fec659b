"""The cases that are timed on a GPU: each a graph in the strata dialect and the same function for PyTorch and JAX.

Names, shapes and what each peer is given follow one list, so that figures can be compared between runs and machines.
bf16 unless the name says otherwise. Importing this needs neither PyTorch nor JAX.

    python3 cases.py [--group mem] [--only NAME ...] [--write FOLDER]     list the cases, or write their graphs
"""
import argparse
import fnmatch
import json
import math
import os

import groups
import products
from graph import Graph

SEED, COUNT = 1, 200  # of the random products

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
                     lambda j, a, d=dims: a.sum(d, dtype=j.numpy.float32),
                     reference=lambda t, a, d=dims: a.double().sum(d))


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


def copy():
    g = Graph(((2 ** 32,), "i8"))
    yield g.case("copy_4GiB", "mem", [g[0]], 0, 2 ** 33, lambda t, a: a.clone())


#===-- The list ------------------------------------------------------------------------------------------------------


def all_cases(seed=SEED, count=COUNT):
    """Every case, by name, in order."""
    makers = (copy, elementwise, rows, reductions, movement, products.gemm, products.fused, products.vit,
              products.attention, products.convolutions, groups.groups, lambda: products.random_products(seed, count),
              lambda: products.random_aligned(seed, count), lambda: products.random_convolutions(seed, count // 5))
    return {case.name: case for maker in makers for case in maker()}


def add_arguments(parser):
    """The options of all tools that choose among the cases."""
    parser.add_argument("--group", help="of mem, gemm, fused, vit, conv, group, random, random_aligned, random_conv; several "
                                        "with commas between")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="of them these cases; * and ? stand for any characters")
    parser.add_argument("--seed", type=int, help=f"of the random products ({SEED}, or what the folder was built with)")
    parser.add_argument("--count", type=int, help=f"of the random products ({COUNT})")


def chosen(options, folder=None):
    """The cases that were asked for; the random ones as |folder| was built with."""
    drawn = {"seed": SEED, "count": COUNT}
    path = os.path.join(folder or "", "random.json")
    if folder and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            drawn = json.load(file)
    drawn.update({key: getattr(options, key) for key in drawn if getattr(options, key) is not None})
    cases = all_cases(**drawn).values()
    if options.group:
        cases = [case for case in cases if case.group in options.group.split(",")]
    if options.only:
        cases = [case for case in cases if any(fnmatch.fnmatch(case.name, name) for name in options.only)]
    return list(cases), drawn


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--write", metavar="FOLDER", help="write NAME.mlir of each case")
    options = parser.parse_args()
    cases, drawn = chosen(options)
    print(f'random products: seed {drawn["seed"]}')
    for case in cases:
        print(f"{case.group:<8} {case.name:<44} {case.flops / 1e9:12.3f} GFLOP {case.bytes / 1e6:12.3f} MB")
        if options.write:
            os.makedirs(options.write, exist_ok=True)
            with open(os.path.join(options.write, case.name + ".mlir"), "w", encoding="utf-8") as file:
                file.write(case.text)


if __name__ == "__main__":
    main()
