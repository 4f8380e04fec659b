"""A model's own functions: inlined, with their attributes, defaults, omitted operands and their own opset."""
import itertools
import sys

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT, Graph, Reference

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
NAMES = (f"library{i}" for i in itertools.count())  # a library is loaded once by its name
failures = 0


def body(opset=18, *nodes):
    graph = Graph(opset=opset)
    for op, inputs, outputs, attributes in nodes:
        graph.node(op, inputs, outputs, **attributes)
    return graph


def model(*functions, op="F", inputs=("x",), domain="own", outputs=("y",), shape=X.shape, **attributes):
    """The path of a model of one node, a call; each function is the arguments of Graph.function."""
    graph = Graph()
    graph.input("x", FLOAT, X.shape)
    for name, function_inputs, function_outputs, nodes, *others in functions:
        graph.function(name, domain, function_inputs, function_outputs, nodes, *others)
    graph.node(op, inputs, list(outputs), name="call", domain=domain, **attributes)
    for name in outputs:
        graph.output(name, FLOAT, shape)
    return graph.save("functions.onnx")


def report(name, good, text=""):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name} {text if not good else ''}")


def expect(name, path, *expected):
    library, _ = strata.compile_library(path, ".", next(NAMES), ["--opt-level=0"])
    got = strata.Library(library).run([X])
    good = all(g.shape == e.shape and np.allclose(g, e, rtol=1e-5) for g, e in zip(got, expected, strict=True))
    report(name, good, f"got {got}, expected {expected}")


def expect_error(name, path, *texts):
    try:
        strata.strata(path, "--compile-to=import")
        report(name, False, "no error")
    except strata.CompileError as error:
        report(name, all(text in str(error) for text in texts) and "internal" not in str(error), str(error))


def values():
    neg = ("Neg", ["a"], ["b"], {})
    expect("one node", model(("F", ["a"], ["b"], body(18, neg))), -X)
    two = body(18, neg, ("Exp", ["b"], ["x"], {}))  # names are the function's own, also where the model has them
    expect("two results", model(("F", ["a"], ["x", "b"], two), outputs=("y", "z")), np.exp(-X), -X)
    expect("fewer results", model(("F", ["a"], ["x", "b"], two)), np.exp(-X))
    clip = body(18, ("Clip", ["a", "low", "high"], ["b"], {}))
    expect("an omitted operand", model(("F", ["a", "low", "high"], ["b"], clip)), X)
    outer = body(18)
    outer.node("F", ["a"], ["t"], domain="own")
    outer.node("F", ["t"], ["b"], domain="own")
    expect("a function in a function",
           model(("F", ["a"], ["b"], body(18, ("Exp", ["a"], ["b"], {}))), ("G", ["a"], ["b"], outer), op="G"),
           np.exp(np.exp(X)))
    expect("a function in place of an operator",
           model(("Relu", ["a"], ["b"], body(18, neg)), op="Relu", domain="own"), -X)
    expect("an opset of its own", model(("F", ["a"], ["b"], body(6, ("Clip", ["a"], ["b"], {"max": 0.5})))),
           np.minimum(X, 0.5))


def attributes():
    leaky = body(18, ("LeakyRelu", ["a"], ["b"], {"alpha": Reference("slope", Reference.FLOAT)}))
    expect("an attribute", model(("F", ["a"], ["b"], leaky, ["slope"]), slope=0.5), np.where(X < 0, X / 2, X))
    expect("an attribute that is not given", model(("F", ["a"], ["b"], leaky, ["slope"])), np.where(X < 0, X / 100, X))
    defaulted = ("F", ["a"], ["b"], leaky, [], {"slope": 0.25})
    expect("its default", model(defaulted), np.where(X < 0, X / 4, X))
    expect("in place of its default", model(defaulted, slope=2.0), np.where(X < 0, X * 2, X))
    turn = body(18, ("Transpose", ["a"], ["b"], {"perm": Reference("order", Reference.INTS)}))
    expect("a list", model(("F", ["a"], ["b"], turn, ["order"]), shape=X.T.shape, order=[1, 0]), X.T)
    outer = body(18)
    outer.node("F", ["a"], ["b"], domain="own", slope=Reference("steep", Reference.FLOAT))
    expect("an attribute handed on",
           model(("F", ["a"], ["b"], leaky, ["slope"]), ("G", ["a"], ["b"], outer, ["steep"]), op="G", steep=3.0),
           np.where(X < 0, X * 3, X))


def errors():
    itself = body(18)
    itself.node("F", ["a"], ["b"], domain="own")
    expect_error("recursion", model(("F", ["a"], ["b"], itself)), "bodies inside each other")
    expect_error("a result that is not computed", model(("F", ["a"], ["c"], body(18, ("Neg", ["a"], ["b"], {})))),
                 "(node call)", "'F'", "'c'")
    expect_error("an operand of the caller's", model(("F", ["a"], ["b"], body(18, ("Neg", ["x"], ["b"], {})))),
                 "no value 'x'")
    bad = body(18)
    bad.node("Frobnicate", ["a"], ["b"], name="inner")
    expect_error("an unknown operator inside", model(("F", ["a"], ["b"], bad)), "(node inner)", "Frobnicate")
    expect_error("another domain", model(("F", ["a"], ["b"], body(18, ("Neg", ["a"], ["b"], {}))), op="H"),
                 "(node call)", "own.H")


if __name__ == "__main__":
    values()
    attributes()
    errors()
    sys.exit(1 if failures else 0)
