"""--bind-constant: an input of the model becomes a constant of the library."""
import sys

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT, INT64

X = np.arange(12, dtype=np.float32).reshape(3, 4)
failures = 0


def report(name, good, text=""):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name} {text if not good else ''}")


def model():
    """y = reshape(x, shape) + bias, of which shape must be known while compiling."""
    graph = onnx_file.Graph()
    x = graph.input("x", FLOAT, X.shape)
    shape = graph.input("shape", INT64, ["rank"])
    bias = graph.input("bias", FLOAT, [6])
    fixed = graph.input("fixed", FLOAT, [6])
    graph.constant("fixed", np.full(6, 100, np.float32))
    y = graph.node("Reshape", [x, shape], name="culprit")
    graph.output(graph.node("Add", [graph.node("Add", [y, bias]), fixed]), FLOAT, [2, 6])
    return graph.save("bind.onnx")


def write(name, array):
    if name.endswith(".npy"):
        np.save(name, array)
    else:
        with open(name, "wb") as file:
            file.write(onnx_file.tensor("any name", array))
    return name


def expect(name, feed, *bindings):
    arguments = [f"--bind-constant={binding}" for binding in bindings]
    library, _ = strata.compile_library(model(), ".", name.replace(" ", "_"), ["--opt-level=0", *arguments])
    library = strata.Library(library)
    names = [info.name.decode() for info in library.inputs]
    got, = library.run(feed.values())
    good = names == list(feed) and np.array_equal(got, X.reshape(2, 6) + np.arange(6) + 100)
    report(name, good, f"inputs {names}, got {got}")


def expect_error(name, *texts_and_bindings, options=()):
    *texts, bindings = texts_and_bindings
    arguments = [f"--bind-constant={binding}" for binding in bindings]
    try:
        strata.strata(model(), "--compile-to=import", *arguments, *options)
        report(name, False, "no error")
    except strata.CompileError as error:
        report(name, all(text in str(error) for text in ("bind.onnx", *texts)), str(error))


def values():
    bias = np.arange(6, dtype=np.float32)
    write("shape.npy", np.array([2, 6], np.int64))
    write("shape.pb", np.array([2, -1], np.int64))
    write("bias.npy", bias)
    write("bias.pb", bias)
    expect("one of npy", {"x": X, "bias": bias}, "shape=shape.npy")
    expect("one of pb", {"x": X, "bias": bias}, "shape=shape.pb")
    expect("two", {"x": X}, "shape=shape.pb", "bias=bias.npy")
    write("x.npy", X)
    expect("all", {}, "shape=shape.npy", "bias=bias.pb", "x=x.npy")
    write("fortran.npy", np.asfortranarray(X))
    expect("in column order", {}, "shape=shape.npy", "bias=bias.pb", "x=fortran.npy")


def refused():
    shape = "shape=shape.npy"
    expect_error("not bound", "(node culprit)", "Reshape", "'shape'", "--bind-constant", [], options=["--dim=rank=2"])
    expect_error("another name", "--bind-constant", "no input 'size'", ["size=shape.npy", shape])
    expect_error("a constant of the model", "--bind-constant fixed", "constant of the model", ["fixed=bias.npy", shape])
    expect_error("a missing file", "nothere.npy", "No such file", ["shape=nothere.npy"])
    expect_error("another suffix", "bind.onnx", "expected a .npy or .pb file", ["shape=bind.onnx"])
    write("int32.npy", np.array([2, 6], np.int32))
    expect_error("another type", "int32.npy", "input 'shape'", "INT64", "i32", ["shape=int32.npy"])
    write("long.npy", np.zeros(7, np.float32))
    expect_error("another size", "long.npy", "input 'bias'", "shapes", ["bias=long.npy", shape])
    write("square.npy", np.ones((2, 6), np.int64))
    expect_error("another rank", "square.npy", "input 'shape'", "shapes", ["shape=square.npy"])
    write("wrong.npy", np.array([5, 5], np.int64))
    expect_error("a value that does not fit", "(node culprit)", ["shape=wrong.npy"])
    with open("cut.npy", "wb") as file:
        file.write(open("shape.npy", "rb").read()[:-3])
    expect_error("a file cut short", "cut.npy", "16 bytes", "13", ["shape=cut.npy"])


if __name__ == "__main__":
    values()
    refused()
    sys.exit(1 if failures else 0)
