"""What a library carries of a model's weights: one copy of a layer's that the model uses several times, and of a
constant only the slice that something reads. Setting such a constant sets all that was made of it."""
import ctypes
import os

import numpy as np

import onnx_file
import strata

N, USES = 300, 6
random = np.random.default_rng(7)
W = random.standard_normal((N, N)).astype(np.float32) / 17
BIAS = random.standard_normal(N).astype(np.float32)
TABLE = random.standard_normal((900, N)).astype(np.float32)
OTHER = random.standard_normal((N, N)).astype(np.float32) / 17


def shared_layer(x, w):
    """Two kinds of kernels use the weights, so that equal calls and equal kernels both occur."""
    y = x.astype(np.float64)
    for i in range(USES):
        y = y @ w.astype(np.float64)
        y = np.maximum(y + BIAS, 0) if i % 2 else np.tanh(y)
    return y


def write_shared_layer(path):
    graph = onnx_file.Graph()
    y = graph.input("x", onnx_file.FLOAT, [5, N])
    graph.constant("w", W), graph.constant("bias", BIAS)
    for i in range(USES):
        y = graph.node("MatMul", [y, "w"])
        y = graph.node("Relu", [graph.node("Add", [y, "bias"])]) if i % 2 else graph.node("Tanh", [y])
    graph.output(y, onnx_file.FLOAT, [5, N])
    graph.save(path)


def write_slices(path):
    graph = onnx_file.Graph()
    graph.input("x", onnx_file.FLOAT, [3, N])
    graph.constant("table", TABLE)
    graph.constant("s", np.array([10])), graph.constant("e", np.array([13])), graph.constant("axis", np.array([0]))
    graph.constant("rows", np.array([7, 2, 899]))
    first = graph.node("Slice", ["table", "s", "e", "axis"])
    second = graph.node("Gather", ["table", "rows"], axis=0)
    graph.output(graph.node("Mul", [graph.node("Add", ["x", first]), second]), onnx_file.FLOAT, [3, N])
    graph.save(path)


def sliced(x, table):
    return (x.astype(np.float64) + table[10:13]) * table[[7, 2, 899]]


def set_constant(library, name, value):
    status = library.description.set_constant(name, np.ascontiguousarray(value).ctypes.data_as(ctypes.c_void_p), None)
    assert status == 0, library.description.error().decode()


def check(write, name, reference, constant, value, other, most_bytes):
    write(f"{name}.onnx")
    path, _ = strata.compile_library(f"{name}.onnx", ".", name=name)
    size = os.path.getsize(path)
    assert size <= most_bytes, f"{name}: {size} bytes, expected at most {most_bytes}"
    library = strata.Library(path)
    x = random.standard_normal(library.inputs[0].dims()).astype(np.float32)
    np.testing.assert_allclose(library.run([x])[0], reference(x, value), rtol=1e-4, atol=1e-4)
    set_constant(library, constant, other)
    np.testing.assert_allclose(library.run([x])[0], reference(x, other), rtol=1e-4, atol=1e-4)


RUNTIME = 200_000 # bytes of code and tables
check(write_shared_layer, "shared", shared_layer, b"w", W, OTHER, 1.3 * W.nbytes + RUNTIME)
check(write_slices, "slices", sliced, b"table", TABLE, np.flip(TABLE).copy(), 10 * N * 4 + RUNTIME)
