"""Weights lie in a model's file at any address: the compiler reads numbers of every type at no multiple of their size,
to compute with them and to see how large they are. What finds such a read is the build with sanitizers."""
import numpy as np

import gpu
import strata
from onnx_file import ELEMENT_TYPES, FLOAT, Graph

TYPES = ("float32", "float64", "float16", "int64", "int32", "int16")
TARGETS = {"cpu": [], "nvgpu": ["--target=nvgpu", "--device=emulated"]}  # of f32 as f16: asks for magnitudes


def add_sums(graph, random):
    """Sums of constants, which are folded; the constants, and the results."""
    arrays, wanted = [], []
    for kind in TYPES:
        for i in range(8):
            pair = [random.integers(-50, 50, 16).astype(kind) for _ in range(2)]
            names = [graph.constant(f"{kind}_{i}_{j}" + i * "_", array) for j, array in enumerate(pair)]
            result = graph.node("Add", names)
            graph.output(graph.node("Neg", [result]), ELEMENT_TYPES[np.dtype(kind)], [16])
            arrays += pair
            wanted.append(-(pair[0] + pair[1]))
    return arrays, wanted


def add_products(graph, random):
    """Products, whose weights' magnitude is asked for where they are multiplied as f16; operand, weights and results."""
    x = random.integers(-3, 4, (16, 16)).astype(np.float32)
    name, arrays, wanted = graph.input("x", FLOAT, x.shape), [], []
    for i in range(8):
        w = random.integers(-3, 4, (16, 16)).astype(np.float32)
        graph.output(graph.node("MatMul", [name, graph.constant(f"w{i}" + i * "_", w)]), FLOAT, w.shape)
        arrays.append(w)
        wanted.append(x @ w)
    return x, arrays, wanted


def check(target, options):
    random, graph = strata.generator_of(target), Graph()
    sums, wanted = add_sums(graph, random)
    x, weights, products = add_products(graph, random)
    path = graph.save("unaligned.onnx")
    with open(path, "rb") as file:
        text = file.read()
    places = {text.find(array.tobytes()) % 8 for array in sums + weights}
    assert places >= set(range(1, 8)), f"constants lie at {places} only, of 8"
    library = strata.Library(strata.compile_library(path, ".", f"unaligned_{target}", options)[0])
    for got, want in zip(library.run([x]), wanted + products):
        assert np.array_equal(got, want), f"{target}: {got.dtype} is {got}, not {want}"


def main():
    gpu.use_stand_in()
    strata.report((target, lambda options=options, target=target: check(target, options))
                  for target, options in TARGETS.items())


if __name__ == "__main__":
    main()
