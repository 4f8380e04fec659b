"""The nodes of a model by name: in --explain, in the table of kernels, in plots. Kernels that are equal stay one, and no
byte of a library depends on what nodes are called."""
import pathlib
import sys
import xml.etree.ElementTree

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
    """Three layers that are one kernel each way: a product with its bias and activation, and a softmax's logarithm: a softmax
    in front of a product would be attention."""
    graph = Graph()
    x = graph.input("x", FLOAT, [8, 32])
    for i in range(3):
        weight = graph.constant(f"w{i}", np.random.default_rng(i).standard_normal((32, 32), np.float32))
        bias = graph.constant(f"b{i}", np.random.default_rng(9 + i).standard_normal(32, np.float32))
        name = f"{prefix}/layer.{i}/"
        x = graph.node("MatMul", [x, weight], name=name + "MatMul")
        x = graph.node("Add", [x, bias], name=name + "Add")
        x = graph.node("Relu", [x], name=name + "Relu")
        x = graph.node("LogSoftmax", [x], name=name + "LogSoftmax")
    graph.output(x, FLOAT, [8, 32])
    return graph


def explained():
    path = layers("/net").save("net.onnx")
    told = strata.strata(path, "--compile-to=affine", "--explain", "-o", "affine.mlir")
    check("equal kernels", told, "is /net/layer.0/MatMul, …/Add, …/Relu; last of 3: /net/layer.2/MatMul, …/Add, …/Relu",
          "is /net/layer.0/LogSoftmax; last of 3: /net/layer.2/LogSoftmax")
    table = strata.strata(path, "--num-iters=2")
    check("the table of kernels", table, "  nodes", "  /net/layer.0/LogSoftmax; last of 3: /net/layer.2/LogSoftmax",
          "of roofline", "roofline of this machine, measured with", "whole call")


def long_names():
    graph = Graph()
    x = graph.input("x", FLOAT, [64])
    for i in range(6):
        x = graph.node("Exp" if i % 2 else "Neg", [x], name="ü" * 40 + f"/node{i}")
    graph.output(x, FLOAT, [64])
    told = strata.strata(graph.save("long.onnx"), "--compile-to=affine", "--explain", "-o", "affine.mlir")
    check("long names", told, "ü" * 12 + "…" + "ü" * 9 + "/node0, …/node1, …/node2 and 3 more")


def drawn():
    """Layers that repeat are drawn once, with their times where it was run; Graphviz, where it is, takes the other."""
    path = layers("/net").save("net.onnx")
    strata.strata(path, "--plot=net.svg")
    picture = pathlib.Path("net.svg").read_text(encoding="utf-8")
    check("the picture", picture, "3 times</text>", "/net/layer.0/MatMul: contract</text>", "…/Relu: max</text>", "3 × ",
          " %</text>")
    check("is well formed", xml.etree.ElementTree.fromstring(picture).tag, "svg")
    check("one box a repeated call", str(picture.count("rx='5'")), "4")
    strata.strata(path, "--compile-to=affine", "-o", "affine.mlir", "--plot=net.dot")
    check("for Graphviz", pathlib.Path("net.dot").read_text(encoding="utf-8"), 'label="3 times"', "subgraph cluster_",
          '"/net/layer.0/LogSoftmax: ')


def large():
    """Five hundred nodes of which nothing repeats: a box each, none over another."""
    graph = Graph()
    x = graph.input("x", FLOAT, [1, 8])
    for i in range(250):
        columns = 8 + (i + 1) % 31
        weight = graph.constant(f"w{i}", np.ones((8 + i % 31, columns), np.float32))
        x = graph.node("Tanh", [graph.node("MatMul", [x, weight], name=f"m{i}")], name=f"t{i}")
    graph.output(x, FLOAT, [1, 8 + 250 % 31])
    strata.strata(graph.save("large.onnx"), "--compile-to=affine", "-o", "affine.mlir", "--plot=large.svg")
    root = xml.etree.ElementTree.parse("large.svg").getroot()
    boxes = [tuple(float(e.get(k)) for k in ("x", "y", "width", "height")) for e in root.iter()
             if e.tag.endswith("rect") and e.get("rx") == "5"]
    apart = all(a[0] + a[2] <= b[0] or b[0] + b[2] <= a[0] or a[1] + a[3] <= b[1] or b[1] + b[3] <= a[1]
                for i, a in enumerate(boxes) for b in boxes[:i])
    inside = all(x >= 0 and y >= 0 and x + w <= float(root.get("width")) and y + h <= float(root.get("height"))
                 for x, y, w, h in boxes)
    check("five hundred nodes", f"{len(boxes) > 30} {apart} {inside}", "True True True")


def bytes_of(prefix):
    path = layers(prefix).save("net.onnx")
    strata.strata(path, "--aot", "--aot-name=net", "--device=x86-64-v3", "-o", "out", "--save-temps=temps")
    return [file.read_bytes() for file in sorted(pathlib.Path("temps").glob("kernels*.o"))]


def same_bytes():
    global failures
    code = bytes_of("/net")
    good = code and code == bytes_of("another")
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} the same code")


if __name__ == "__main__":
    for cases in (explained, long_names, drawn, large, same_bytes):
        cases()
    sys.exit(1 if failures else 0)
