"""A dequantised zero point is 0, and what lies beside it is precise, in every mode and on every target: the factor is
not distributed over the difference."""
import os
import tempfile

import numpy as np

import gpu
import onnx_file
import strata

MODES = {"default": [], "exact": ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"],
         "emulated": ["--target=nvgpu", "--device=emulated"]}
ROWS, COLUMNS = 5, 77  # no multiple of a vector
SCALES = [0.0377, 0.0605998226, 1 / 3, 0.1]


def case(scale, zero):
    """A model whose results are x dequantised, and a sum with a constant times a constant; and both in float64."""
    x = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS).astype(np.uint8)
    y = (np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS) / 8).astype(np.float32)
    graph = onnx_file.Graph(21)
    graph.input("x", onnx_file.UINT8, x.shape)
    graph.input("y", onnx_file.FLOAT, y.shape)
    graph.constant("scale", np.float32(scale))
    graph.constant("zero", np.uint8(zero))
    graph.constant("shift", np.float32(zero))
    graph.node("DequantizeLinear", ["x", "scale", "zero"], ["dequantised"])
    graph.node("Sub", ["y", "shift"], ["difference"])
    graph.node("Mul", ["difference", "scale"], ["product"])
    for name in ("dequantised", "product"):
        graph.output(name, onnx_file.FLOAT, x.shape)
    scale = np.float64(np.float32(scale))
    return graph, [x, y], [(x.astype(np.float64) - zero) * scale, (y.astype(np.float64) - zero) * scale]


def check(mode, scale, zero, folder):
    graph, inputs, expected = case(scale, zero)
    path, _ = strata.compile_library(graph.save(os.path.join(folder, "model.onnx")), folder, "m", MODES[mode])
    library = strata.Library(path)
    for got, want in zip(library.run(inputs), expected):
        error = np.abs(got - want)
        assert (error <= np.abs(want) * 2.0 ** -23).all(), f"{mode}, scale {scale}, zero point {zero}: {error.max()}"
    library.close()


if __name__ == "__main__":
    gpu.use_stand_in()
    for mode in MODES:
        for scale, zero in zip(SCALES, (7, 6, 128, 41)):
            with tempfile.TemporaryDirectory() as folder:
                check(mode, scale, zero, folder)
