"""The nodes of a model by name: in --explain, in the table of kernels, in plots. Kernels that are equal stay one, and no
byte of a library depends on what nodes are called."""
import pathlib
import sys

import numpy as np

import strata
from onnx_file import FLOAT, Graph

failures = 0


def check(name, text, *pieces):
    global failures
    missing = [piece for piece in pieces if piece not in text]
    failures += bool(missing)
    print(f"{'FAIL' if missing else 'ok  '} {name}", *([text, missing] if missing else []))


def layers(prefix):
    """Three layers that are one kernel each way: a product with its bias and activation, and a softmax."""
    graph = Graph()
    x = graph.input("x", FLOAT, [8, 32])
    for i in range(3):
        weight = graph.constant(f"w{i}", np.random.default_rng(i).standard_normal((32, 32), np.float32))
        bias = graph.constant(f"b{i}", np.random.default_rng(9 + i).standard_normal(32, np.float32))
        name = f"{prefix}/layer.{i}/"
        x = graph.node("MatMul", [x, weight], name=name + "MatMul")
        x = graph.node("Add", [x, bias], name=name + "Add")
        x = graph.node("Relu", [x], name=name + "Relu")
        x = graph.node("Softmax", [x], name=name + "Softmax")
    graph.output(x, FLOAT, [8, 32])
    return graph


def explained():
    path = layers("/net").save("net.onnx")
    told = strata.strata(path, "--compile-to=affine", "--explain", "-o", "affine.mlir")
    check("equal kernels", told, "is /net/layer.0/MatMul, …/Add, …/Relu; last of 3: /net/layer.2/MatMul, …/Add, …/Relu",
          "is /net/layer.0/Softmax; last of 3: /net/layer.2/Softmax")
    table = strata.strata(path, "--num-iters=2")
    check("the table of kernels", table, "  nodes", "  /net/layer.0/Softmax; last of 3: /net/layer.2/Softmax",
          "of roofline", "roofline of this machine, measured with", "whole call")


def long_names():
    graph = Graph()
    x = graph.input("x", FLOAT, [64])
    for i in range(6):
        x = graph.node("Exp" if i % 2 else "Neg", [x], name="ü" * 40 + f"/node{i}")
    graph.output(x, FLOAT, [64])
    told = strata.strata(graph.save("long.onnx"), "--compile-to=affine", "--explain", "-o", "affine.mlir")
    check("long names", told, "ü" * 12 + "…" + "ü" * 9 + "/node0, …/node1, …/node2 and 3 more")


def bytes_of(prefix):
    path = layers(prefix).save("net.onnx")
    strata.strata(path, "--aot", "--aot-name=net", "--device=x86-64-v3", "-o", "out")
    return pathlib.Path("out/libnet.so").read_bytes()


def same_bytes():
    global failures
    good = bytes_of("/net") == bytes_of("another")
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} the same bytes")


if __name__ == "__main__":
    for cases in (explained, long_names, same_bytes):
        cases()
    sys.exit(1 if failures else 0)
