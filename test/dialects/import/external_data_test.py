"""Weights in other files: where they lie, and what is refused."""
import os
import sys

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT, INT64

WEIGHT = np.random.default_rng(5).standard_normal((4, 8)).astype(np.float32)
BIAS = np.arange(8, dtype=np.float32)
X = np.ones((2, 4), np.float32)
failures = 0


def report(name, good, text=""):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name} {text if not good else ''}")


def write(path, content):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def model(weight, bias, shape=WEIGHT.shape):
    """The path of x·w + b with each weight at (location, offset, length), the latter two optional."""
    graph = onnx_file.Graph()
    x = graph.input("x", FLOAT, X.shape)
    w = graph.external("w", FLOAT, shape, *weight)
    b = graph.external("b", FLOAT, BIAS.shape, *bias)
    graph.output(graph.node("Add", [graph.node("MatMul", [x, w]), b]), FLOAT, (2, 8))
    return graph.save("folder/model.onnx")


def expect(name, path):
    library, _ = strata.compile_library(path, ".", name.replace(" ", "_"), ["--opt-level=0"])
    got, = strata.Library(library).run([X])
    report(name, np.allclose(got, X @ WEIGHT + BIAS, rtol=1e-5), f"got {got}")


def expect_error(name, path, *texts):
    try:
        strata.strata(path, "--compile-to=import")
        report(name, False, "no error")
    except strata.CompileError as error:
        report(name, all(text in str(error) for text in ("folder/model.onnx", *texts)), str(error))


def places():
    both = b"\7" * 12 + BIAS.tobytes() + WEIGHT.tobytes()  # nothing but the elements is aligned
    write("folder/both.bin", both)
    write("folder/b.bin", BIAS.tobytes())
    write("folder/deep/er/w.bin", WEIGHT.tobytes())
    write("folder/..dots../w.bin", WEIGHT.tobytes())
    write("folder/long.bin", WEIGHT.tobytes() + b"more")
    start = 12 + BIAS.nbytes
    expect("one file", model(("both.bin", start, WEIGHT.nbytes), ("both.bin", 12, BIAS.nbytes)))
    expect("no length", model(("both.bin", start), ("both.bin", 12)))
    expect("no offset", model(("long.bin", None, WEIGHT.nbytes), ("b.bin",)))
    expect("a folder inside", model(("deep/er/w.bin",), ("./b.bin",)))
    expect("names with dots", model(("..dots../w.bin",), ("b.bin",)))


def outside():
    """Files that are there and hold what is asked for, but outside the model's folder."""
    write("w.bin", WEIGHT.tobytes())
    write("folder/deep/w.bin", WEIGHT.tobytes())
    for location in ("../w.bin", os.path.abspath("w.bin"), "deep/../../w.bin", "./../w.bin", "deep/..", "..", ""):
        expect_error(f"outside: '{location}'", model((location,), ("b.bin",)), "tensor 'w'", "inside the model's folder")


def refused():
    good = ("b.bin",)
    expect_error("a missing file", model(("missing.bin",), good), "tensor 'w'", "missing.bin", "No such file")
    expect_error("a folder", model(("deep",), good), "tensor 'w'", "not a regular file")
    expect_error("another length", model(("both.bin", 0, 64), good), "tensor 'w'", "needs 128 bytes", "length of 64")
    expect_error("an offset at the end", model(("deep/w.bin", 4), good), "tensor 'w'", "128 bytes at 4", "has 128")
    expect_error("an offset beyond the end", model(("deep/w.bin", 1000), good), "tensor 'w'", "at 1000")
    expect_error("an offset that overflows", model(("deep/w.bin", 2**63 - 1), good), "tensor 'w'")
    expect_error("an offset that is no number", model(("deep/w.bin", "0x10"), good), "tensor 'w'", "not a number")
    expect_error("a shape that overflows", model(("deep/w.bin",), good, (2**32, 2**32)), "tensor 'w'", "overflows")


def shape_operand():
    """What must be known while compiling may lie outside too."""
    write("folder/shape.bin", np.array([4, 2], np.int64).tobytes())
    graph = onnx_file.Graph()
    x = graph.input("x", FLOAT, X.shape)
    shape = graph.external("s", INT64, (2,), "shape.bin")
    graph.output(graph.node("Reshape", [x, shape]), FLOAT, (4, 2))
    text = strata.strata(graph.save("folder/shape.onnx"), "--compile-to=graph")
    report("an external shape", "-> (tensor<4x2xf32>" in text, text)


if __name__ == "__main__":
    places()
    outside()
    refused()
    shape_operand()
    sys.exit(1 if failures else 0)
