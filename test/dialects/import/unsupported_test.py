"""Everything in a model that is not supported is one error: a line for each, once, with node, operator and reason."""
import sys

import numpy as np

import onnx_file
import strata
from onnx_file import BOOL, FLOAT, STRING, Graph

failures = 0


def errors_of(graph):
    """The lines of the error, without the prefix and the file's name."""
    path = graph.save("unsupported.onnx")
    start = f"strata: error: {path}"
    try:
        return ["no error " + strata.strata(path, "--compile-to=import")]
    except strata.CompileError as error:
        return [line[len(start):].lstrip(": ") if line.startswith(start) else line for line in str(error).splitlines()]


def check(name, graph, *expected):
    """Each line must hold the pieces of its entry of |expected|, a tuple."""
    global failures
    lines = errors_of(graph)
    good = len(lines) == len(expected) and all(all(piece in line for piece in pieces)
                                               for line, pieces in zip(lines, expected))
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name}" + ("" if good else "\n  " + "\n  ".join(lines)))


def of_every_kind():
    graph = Graph()
    x = graph.input("x", FLOAT, [2, 3])
    words = graph.input("words", STRING, [2])
    graph.node("Frobnicate", [x], name="unknown")
    graph.node("Relu", [x], name="foreign", domain="com.example")
    found = graph.node("TfIdfVectorizer", [x], name="found")
    graph.node("Relu", [found], name="after", outputs=["later"])
    graph.node("ImageDecoder", [x], name="image")
    graph.node("Det", [graph.constant("matrix", np.eye(5, dtype=np.float32))], name="form")
    graph.node("Reshape", [x, graph.node("Cast", [x], to=7)], name="dynamic")
    graph.node("StringConcat", [words, words], name="strings")
    graph.output("later", FLOAT, [2, 3])
    check("one of every kind", graph,
          ("input 'words'", "STRING"),
          ("(node unknown)", "Frobnicate", "unknown operator"),
          ("(node foreign)", "com.example.Relu", "unknown operator"),
          ("(node found)", "TfIdfVectorizer", "words and their counts"),
          ("(node image)", "ImageDecoder", "image files"),
          ("(node form)", "Det", "more than 4 rows"),
          ("(node dynamic)", "Reshape", "known at compile time"),
          ("(node strings)", "StringConcat", "strings"))


def inside():
    body = Graph(name="body")
    body.node("Frobnicate", ["x"], ["inner"], name="branch")
    body.output("inner", FLOAT, [2, 3])
    function = Graph()
    function.node("TfIdfVectorizer", ["a"], ["b"], name="deep")
    graph = Graph()
    x = graph.input("x", FLOAT, [2, 3])
    graph.function("F", "own", ["a"], ["b"], function)
    yes = graph.constant("yes", np.bool_(True))
    graph.node("If", [yes], ["y"], name="if", then_branch=body, else_branch=body)
    graph.node("F", [x], ["z"], name="call", domain="own")
    graph.node("F", ["z"], name="again", domain="own")
    graph.node("F", [x], name="and_again", domain="own")
    graph.output("y", FLOAT, [2, 3])
    check("in bodies and functions, once each", graph, ("(node branch)", "Frobnicate"), ("(node deep)", "TfIdfVectorizer"))


def repeated():
    body = Graph(name="body")
    body.input("i", onnx_file.INT64, [])
    body.input("go", BOOL, [])
    body.node("Identity", ["go"], ["on"])
    body.node("TfIdfVectorizer", ["x"], ["noise"], name="noisy")
    body.output("on", BOOL, [])
    body.output("noise", FLOAT, [2, 3])
    graph = Graph()
    graph.input("x", FLOAT, [2, 3])
    graph.node("Loop", [graph.constant("n", np.int64(5)), ""], ["y"], name="loop", body=body)
    graph.output("y", FLOAT, [5, 2, 3])
    check("in every iteration of a loop, once", graph, ("(node noisy)", "TfIdfVectorizer"))


def many():
    graph = Graph()
    x = graph.input("x", FLOAT, [2, 3])
    for i in range(300):
        x = graph.node("Relu", [graph.node(f"Op{i}", ["x"], name=f"n{i}")])
    graph.output(x, FLOAT, [2, 3])
    check("three hundred", graph, *((f"(node n{i})", f"Op{i}") for i in range(300)))


def wrong():
    """A wrong model ends the import at once: what follows could only be guessed."""
    graph = Graph()
    x = graph.input("x", FLOAT, [2, 3])
    graph.node("Transpose", [x], name="wrong", perm=[0, 5])
    graph.node("Frobnicate", [x], name="unknown")
    graph.output(x, FLOAT, [2, 3])
    check("a wrong model", graph, ("(node wrong)", "Transpose"))


if __name__ == "__main__":
    for cases in (of_every_kind, inside, repeated, many, wrong):
        cases()
    sys.exit(1 if failures else 0)
