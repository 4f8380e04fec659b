"""A model with 2 GiB of external weights compiles in 4 GiB: no weight is held twice. All are packed for the kernels
and embedded in the library; the last lies behind the first 2 GiB of its file.

Writes 4.3 GiB beside the test and removes them again; the model itself is a sparse file.
"""
import os
import tempfile

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT

SIZE, LAYERS, ROWS = 8192, 8, 4
LAYER_BYTES = SIZE * SIZE * 4
WEIGHT_BYTES = LAYERS * LAYER_BYTES + SIZE * 4
MOST_BYTES = 4 << 30

# Each layer's matrix is zero but for one row, so that the file has holes and the result is easily told.
generator = np.random.default_rng(0)
AT = generator.integers(SIZE, size=LAYERS)
WEIGHTS = generator.standard_normal((LAYERS, SIZE)).astype(np.float32)
BIAS = generator.standard_normal(SIZE).astype(np.float32)


def write_model(folder):
    assert WEIGHT_BYTES > 2 << 30
    graph = onnx_file.Graph()
    value = graph.input("x", FLOAT, [ROWS, SIZE])
    with open(f"{folder}/model.data", "wb") as file:
        for i in range(LAYERS):
            file.seek(i * LAYER_BYTES + int(AT[i]) * SIZE * 4)
            file.write(WEIGHTS[i].tobytes())
            weight = graph.external(f"w{i}", FLOAT, [SIZE, SIZE], "model.data", i * LAYER_BYTES, LAYER_BYTES)
            value = graph.node("Tanh", [graph.node("MatMul", [value, weight])])
        file.seek(LAYERS * LAYER_BYTES)
        file.write(BIAS.tobytes())
    bias = graph.external("bias", FLOAT, [SIZE], "model.data", LAYERS * LAYER_BYTES, SIZE * 4)
    graph.output(graph.node("Add", [value, bias]), FLOAT, [ROWS, SIZE])
    return graph.save(f"{folder}/model.onnx")


def reference(x):
    for at, row in zip(AT, WEIGHTS.astype(np.float64)):
        x = np.tanh(np.outer(x[:, at], row))
    return x + BIAS


with tempfile.TemporaryDirectory(dir=".") as folder:
    path, cost = strata.compile_library(write_model(folder), folder)
    os.remove(f"{folder}/libmodel.a")
    assert os.path.getsize(path) >= WEIGHT_BYTES
    x = generator.standard_normal((ROWS, SIZE)).astype(np.float32)
    (got,) = strata.Library(path).run([x])
    error = np.abs(got - reference(x.astype(np.float64))).max()
    print(f"{WEIGHT_BYTES / 2**20:.0f} MiB of weights: compiled in {cost.peak_bytes / 2**20:.0f} MiB and "
          f"{cost.processor_seconds:.0f} s of one core; largest error {error:.1e}")
    assert error <= 1e-4
    assert cost.peak_bytes <= MOST_BYTES
