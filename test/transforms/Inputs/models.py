"""ONNX models whose form is what a transform is about: models.py NAME FILE.onnx"""
import sys

import numpy as np
from onnx_file import FLOAT16, Graph


def weight(graph, name, *shape):
    return graph.constant(name, np.full(shape, 0.125, np.float16))


def toposort():
    """Nodes in the wrong order."""
    graph = Graph()
    x = graph.input("x", FLOAT16, [1024, 512])
    w = weight(graph, "w", 512, 512)
    graph.node("MatMul", [x, w], ["product"])
    graph.node("Relu", ["product"], ["y"])
    graph.nodes.reverse()
    graph.output("y", FLOAT16, [1024, 512])
    return graph


def bind_constants():
    """An input that --bind-constant makes a weight; what is done to it is done by the compiler."""
    graph = Graph()
    x, w = graph.input("x", FLOAT16, [1024, 512]), graph.input("w", FLOAT16, [256, 512])
    scaled = graph.node("Mul", [graph.node("Transpose", [w], perm=[1, 0]), graph.constant("s", np.float16(2))])
    graph.output(graph.node("MatMul", [x, scaled], ["y"]), FLOAT16, [1024, 256])
    return graph


def name_graph():
    """Names that are no names in C, and two that would be the same one."""
    graph = Graph()
    names = ["int", "a.b/c:0", "a_b_c_0", "é", "1"]
    total = graph.input(names[0], FLOAT16, [64])
    for name in names[1:]:
        total = graph.node("Add", [total, graph.input(name, FLOAT16, [64])])
    graph.output(graph.node("Relu", [total], ["y"]), FLOAT16, [64])
    return graph


def dedup_symbolic_name():
    """The same size under several names: of an input, and computed from it."""
    graph = Graph()
    x = graph.input("x", FLOAT16, ["N", "S", 256])
    product = graph.node("MatMul", [x, weight(graph, "w", 256, 256)])
    sizes = [graph.node("Gather", [graph.node("Shape", [x]), graph.constant(f"i{i}", np.array([i]))], axis=0)
             for i in range(2)]
    shape = graph.node("Concat", [*sizes, graph.constant("heads", np.array([4, 64]))], axis=0)
    heads = graph.node("Transpose", [graph.node("Reshape", [product, shape])], ["y"], perm=[0, 2, 1, 3])
    graph.output(heads, FLOAT16, ["N", 4, "S", 64])
    return graph


def mark_param_tensor():
    """Weights that are listed as inputs too, as old exporters do: they are weights, not parameters of the function."""
    graph = Graph(opset=8)
    x, w = graph.input("x", FLOAT16, [1024, 256]), graph.input("w", FLOAT16, [256, 256])
    weight(graph, "w", 256, 256)
    graph.output(graph.node("Relu", [graph.node("MatMul", [x, w])], ["y"]), FLOAT16, [1024, 256])
    return graph


MODELS = {function.__name__: function
          for function in (toposort, bind_constants, name_graph, dedup_symbolic_name, mark_param_tensor)}

if __name__ == "__main__":
    MODELS[sys.argv[1]]().save(sys.argv[2])
