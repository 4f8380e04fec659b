"""What a user has to give is said in one run, in words that can be pasted: inputs that must be known; and the
nodes that are not supported besides."""
import sys

import numpy as np

import strata
from onnx_file import BOOL, FLOAT, INT64, Graph

failures = 0


def errors_of(graph, *options, phase="import"):
    path = graph.save("missing.onnx")
    start = f"strata: error: {path}"
    try:
        return ["no error " + strata.strata(path, f"--compile-to={phase}", *options)]
    except strata.CompileError as error:
        return [line[len(start):].lstrip(": ") if line.startswith(start) else line for line in str(error).splitlines()]


def check(name, lines, *expected):
    """Each line must hold the pieces of its entry of |expected|, a tuple; a piece that begins with '!' must not be."""
    global failures
    good = len(lines) == len(expected) and all(
        all(piece[1:] not in line if piece.startswith("!") else piece in line for piece in pieces)
        for line, pieces in zip(lines, expected))
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name}" + ("" if good else "\n  " + "\n  ".join(lines)))


def sizes():
    graph = Graph()
    x = graph.input("x", FLOAT, ["batch", "past len + 1"])
    y = graph.input("y", FLOAT, ["it's", ""])
    z = graph.input("z", FLOAT, ["batch", "a=b"])
    for name in (x, y, z):
        graph.output(graph.node("Relu", [name]), FLOAT, ["n", "m"])
    given = [word for name in ("past len + 1", "it's", "y.1", "a=b") for word in ("--dim", f"{name}=3")]
    check("no size", errors_of(graph, "--target=nvgpu", phase="affine"), ("no error", "strata.symbols"))
    check("every size", errors_of(graph, "--target=nvgpu", "--dim", "batch=3", *given, phase="affine"),
          ("no error", "!strata.symbols"))
    check("a name that is near", errors_of(graph, "--dim", "bacth=3", *given),
          ("no dimension 'bacth'; did you mean 'batch'?",))


def nodes_behind_an_unknown_size():
    body = Graph(name="body")
    body.node("TfIdfVectorizer", ["x"], ["inner"], name="in_body")
    body.output("inner", FLOAT, [2])
    graph = Graph()
    x = graph.input("x", FLOAT, ["n"])
    go = graph.input("go", BOOL, ["n"])
    y = graph.node("Relu", [x])
    for i in range(3):
        y = graph.node("Frobnicate", [y], name=f"f{i}")
    graph.node("If", [go], ["chosen"], name="if", then_branch=body, else_branch=body)
    graph.node("ImageDecoder", [y], name="image")
    graph.output(y, FLOAT, ["n"])
    check("unsupported nodes behind an unknown size", errors_of(graph), ("(node f0)",), ("(node f1)",),
          ("(node f2)",), ("(node in_body)", "TfIdfVectorizer"), ("(node image)",),
          ("nodes that are not supported: 3 Frobnicate, 1 TfIdfVectorizer, 1 ImageDecoder",))


def reshape(shape):
    graph = Graph()
    x = graph.input("x", FLOAT, [2, 3])
    size = graph.input("the size", INT64, [2])
    graph.node("Reshape", [x, shape(graph, size)], ["y"], name="reshape")
    graph.output("y", FLOAT, [3, 2])
    return errors_of(graph)


def bindings():
    check("a shape that is an input", reshape(lambda graph, size: size),
          ("(node reshape)", "--bind-constant 'the size=FILE.npy'"))
    check("one behind a Reshape", reshape(lambda graph, size: graph.node("Reshape", [size, graph.constant(
        "two", np.array([2]))])), ("--bind-constant 'the size=FILE.npy'",))
    check("one that is computed", reshape(lambda graph, size: graph.node("Add", [size, size])),
          ("(node reshape)", "must be known", "!--bind-constant"))


def branches(condition):
    """An If whose branches have results of two ranks."""
    graph = Graph()
    graph.input("x", FLOAT, [2, 3])
    use = graph.input("use_cache", BOOL, [1])
    one, two = Graph(name="one"), Graph(name="two")
    one.node("Relu", ["x"], ["a"])
    one.output("a", FLOAT, [2, 3])
    two.node("Unsqueeze", ["x", two.constant("axes", np.array([0]))], ["b"])
    two.output("b", FLOAT, [1, 2, 3])
    graph.node("If", [condition(graph, use)], ["y"], name="if", then_branch=one, else_branch=two)
    graph.output("y", FLOAT, ["n", 3])
    return graph


def conditions():
    graph = branches(lambda graph, use: use)
    check("a condition that is an input", errors_of(graph), ("(node if)", "--bind-constant use_cache=FILE.npy"))
    np.save("use.npy", np.array([True]))
    strata.strata("missing.onnx", "--compile-to=import", "--bind-constant", "use_cache=use.npy")
    check("one that is computed", errors_of(branches(lambda graph, use: graph.node("Not", [use]))),
          ("(node if)", "!--bind-constant"))
    check("a name that is near", errors_of(graph, "--bind-constant=use_cahce=use.npy"),
          ("no input 'use_cahce'; did you mean 'use_cache'?",), ("(node if)",))


def tensors():
    graph = Graph()
    x = graph.input("tokens", FLOAT, [2])
    graph.output(graph.node("Relu", [x], ["logits"]), FLOAT, [2])
    check("an alias", errors_of(graph, "--compile-to=library", "--aot", "--alias=logit=tokens"),
          ("output", "did you mean 'logits'?"))
    check("an input", errors_of(graph, "--compile-to=library", "--input=tokesn=no.npy"),
          ("no input is called 'tokesn'; did you mean 'tokens'?",))


if __name__ == "__main__":
    for cases in (sizes, nodes_behind_an_unknown_size, bindings, conditions, tensors):
        cases()
    sys.exit(1 if failures else 0)
