"""Kernels that are no products and share a launch where sizes vary, on the emulated device: each has as many blocks as
its own sizes say, at sizes of which one has none, or a part of a block, too. Kernels of several kinds do, and those
that have variants, of which each size has its own."""
import re

import numpy as np

import gpu
import onnx_file
import strata

FLOAT, INT64 = 1, 7
FEW = 70     # at most of a size; so few rows have one schedule
MANY = 3000  # the same: more rows than the card has processors for at a time, for which there is another
WIDTH = 40
HEADS = 4


def softmax(x):
    shifted = np.exp(x - x.max(-1, keepdims=True, initial=-np.inf))
    return shifted / shifted.sum(-1, keepdims=True)


def rows(graph, x, y, _):
    """Groups of threads a row."""
    graph.node("Softmax", [x], ["p"], axis=-1)
    graph.node("Softmax", [y], ["q"], axis=-1)
    return (["p", "q"], [["n", WIDTH], ["m", WIDTH]]), lambda x, y, _: (softmax(x), softmax(y))


def copies(graph, x, y, _):
    """Inputs to their parts of two concats, a task a few numbers."""
    graph.node("Concat", [x, y], ["p"], axis=0)
    graph.node("Concat", [y, x, y], ["q"], axis=0)
    return ((["p", "q"], [["n + m", WIDTH], ["n + 2*m", WIDTH]]),
            lambda x, y, _: (np.concatenate([x, y]), np.concatenate([y, x, y])))


def gathers(graph, x, y, index):
    """A task a number."""
    graph.node("Gather", [x, index], ["p"], axis=1)
    graph.node("Gather", [y, index], ["q"], axis=1)
    return (["p", "q"], [["n", "k"], ["m", "k"]]), lambda x, y, index: (x[:, index], y[:, index])


def caches(graph, x, y, index):
    """Softmax of rows, and rows as they are, behind those of caches: parts of one buffer, of several kinds."""
    split = graph.constant("split", np.array([-1, HEADS, WIDTH // HEADS]))
    for new, result in ((graph.node("Softmax", [x], axis=-1), "q"), (x, "r")):
        parts = [graph.node("Transpose", [graph.node("Reshape", [part, split])], perm=[1, 0, 2]) for part in (y, new)]
        graph.node("Concat", parts, [result], axis=1)
    return ((["q", "r"], [[HEADS, "m + n", WIDTH // HEADS]] * 2),
            lambda x, y, _: (grown(y, softmax(x)), grown(y, x)))


def grown(past, new):
    return np.concatenate([past, new]).reshape(-1, HEADS, WIDTH // HEADS).transpose(1, 0, 2)


def compiled(make, most):
    """The library, and what a call is to give of its inputs: x of up to |most| rows."""
    graph, name = onnx_file.Graph(opset=18), f"{make.__name__}_{most}"
    x, y = graph.input("x", FLOAT, ["n", WIDTH]), graph.input("y", FLOAT, ["m", WIDTH])
    index = graph.input("index", INT64, ["k"])
    (results, shapes), wanted = make(graph, x, y, index)
    for result, shape in zip(results, shapes):
        graph.output(result, FLOAT, shape)
    graph.node("Abs", [index], ["used"])
    graph.output("used", INT64, ["k"])
    graph.save(f"{name}.onnx")
    options = ["--target=nvgpu", "--device=emulated_90", f"--dim=n=0..{most}",
               *(f"--dim={symbol}=0..{FEW}" for symbol in "mk")]
    text = strata.strata(f"{name}.onnx", *options, "--compile-to=tile", "-o", "-")
    launches = re.findall(r"func private @k\d+(?:_k\d+)+\(.*", text)
    assert launches, "no launch is shared"
    assert most == FEW or re.search(r"strata.variants = \[@\w+_v1\]", launches[0]), "no variants"
    return gpu.Library(strata.compile_library(f"{name}.onnx", ".", name, options)[0]), wanted


def check(make, most, generator):
    library, wanted = compiled(make, most)
    sizes = [(1, 1, 1), (most, 0, 3), (0, FEW, 3), (0, 0, 1), (1, FEW, 0), (most, FEW, FEW)]
    drawn = generator.integers(0, [most + 1, FEW + 1, FEW + 1], (6, 3))
    for each in sizes + [tuple(map(int, row)) for row in drawn]:
        x, y = (generator.standard_normal((size, WIDTH)).astype(np.float32) for size in each[:2])
        index = generator.integers(0, WIDTH, each[2])
        got = library.run([x, y, index], library.sizes_of([x.shape, y.shape, index.shape]))
        for one, want in zip(got, [*wanted(x.astype(np.float64), y.astype(np.float64), index), index]):
            assert one.shape == want.shape, (each, one.shape)
            # exp and a sum of 40 numbers in f32
            assert np.allclose(one, want, rtol=1e-5, atol=1e-7), (each, np.abs(one - want).max())
    library.unload()


CASES = [(rows, FEW), (copies, FEW), (gathers, FEW), (caches, FEW), (rows, MANY)]
gpu.report_drawn([(f"{make.__name__} to {most}", lambda generator, make=make, most=most: check(make, most, generator))
                  for make, most in CASES])
