"""Gated products, silu(x W) * (x V), whose rows are a batch and a sequence of any size, on the emulated device: one
kernel of two products at all sizes, with variants for few rows, beside float64."""
import re

import numpy as np

import gpu
import strata
from onnx_file import FLOAT16, Graph

STEPS, COLUMNS = 128, 192
SIZES = [(1, 1), (1, 8), (3, 3), (8, 128), (5, 103)]


def compiled(weights):
    g = Graph(opset=18)
    x = g.input("x", FLOAT16, ["batch", "sequence", STEPS])
    gate, up = (g.node("MatMul", [x, g.constant(name, value)]) for name, value in weights.items())
    g.node("Mul", [g.node("Mul", [gate, g.node("Sigmoid", [gate])]), up], ["y"])
    g.output("y", FLOAT16, ["batch", "sequence", COLUMNS])
    g.save("gated.onnx")
    options = ["--target=nvgpu", "--device=emulated_90"]
    text = strata.strata("gated.onnx", *options, "--compile-to=affine", "-o", "-")
    kernel = re.search(r"func private @(k\d+)\(.*strata.variants = ", text)
    assert kernel, "no kernel with variants"
    body = text[kernel.start():].split("\n  }\n")[0]
    assert body.count('strata.nest = "contract"') == 2, "the products are no pair"
    return gpu.Library(strata.compile_library("gated.onnx", ".", "gated", options)[0])


def wanted(x, weights):
    """The results in f64, and how far off they may be: a sum of f32 rounds, or cuts off, at each of its steps at most
    2^-23 of what has been added up, and is rounded to f16, by 2^-11 of it or half of the least number; silu rises by at
    most 1.1; sigmoid and both products are rounded as well, each of at most twice the result."""
    half, least = 2.0**-11, 2.0**-25
    (gate, gate_off), (up, up_off) = (
        (x @ w, STEPS * 2.0**-23 * (abs(x) @ abs(w)) + half * abs(x @ w) + least)
        for w in (value.astype(np.float64) for value in weights.values()))
    silu = gate / (1 + np.exp(-gate))
    silu_off = 1.1 * gate_off + 2 * 2 * (half * abs(silu) + (1 + abs(gate)) * least)
    return silu * up, silu_off * (abs(up) + up_off) + abs(silu) * up_off + 2 * (half * abs(silu * up) + least)


def check(generator):
    weights = {name: (generator.standard_normal((STEPS, COLUMNS)) / 8).astype(np.float16) for name in ("w", "v")}
    library = compiled(weights)
    for size in SIZES + [tuple(int(n) for n in generator.integers(1, 40, 2)) for _ in range(4)]:
        x = generator.standard_normal((*size, STEPS)).astype(np.float16)
        (got,), (want, off) = library.run([x], library.sizes_of([x.shape])), wanted(x.astype(np.float64), weights)
        assert got.shape == want.shape, (size, got.shape)
        assert (abs(got - want) <= off).all(), (size, (abs(got - want) / off).max())
    library.unload()


gpu.report_drawn([("gated products of any rows", check)])
