"""Windows that reach beyond the image, of a batch that varies, read nothing outside it: models run between guard pages,
and compute what NumPy does. A kernel's number of tasks is then a size; what a task's number says of a row must be no
less than it is where the number is known."""
import itertools
import os
import tempfile

import numpy as np

import guarded
import onnx_file
import strata

SIZES = [(12, 3, 2), (16, 3, 2), (17, 4, 3)]  # of the image, the window and its steps
BATCHES = (1, 3, 5)


def weights(channels, *window):
    return np.random.default_rng(1).standard_normal((channels, channels, *window), np.float32)


def model(kind, size, window, step, channels, path):
    """A product over channels, scaled, and reduced over windows that begin at the image and end where they may: as
    TensorFlow pads, and ceil_mode. The product keeps the channels innermost."""
    graph = onnx_file.Graph(opset=18)
    x = graph.input("x", onnx_file.FLOAT, ["n", channels, size, size])
    gate = graph.input("gate", onnx_file.FLOAT, ["n", channels, 1, 1])
    product = graph.node("Conv", [x, graph.constant("w", weights(channels, 1, 1))])
    scaled = graph.node("Mul", [product, gate])
    high = (-(-(size - window) // step)) * step + window - size
    attributes = {"kernel_shape": [window] * 2, "strides": [step] * 2, "pads": [0, 0, high, high]}
    operands = [scaled] + ([graph.constant("w2", weights(channels, window, window))] if kind == "Conv" else [])
    y = graph.node(kind, operands, **attributes)
    z = graph.node("Conv", [y, graph.constant("w3", weights(channels, 1, 1))])
    graph.output(z, onnx_file.FLOAT, ["n", channels, "h", "w"])
    return graph.save(path)


def expected(kind, size, window, step, x, gate):
    product = weights(x.shape[1], 1, 1)[:, :, 0, 0].astype(np.float64)
    x = np.einsum("nchw,oc->nohw", x, product) * gate
    high = (-(-(size - window) // step)) * step + window - size
    empty = {"MaxPool": -np.inf, "AveragePool": np.nan, "Conv": 0}[kind]
    x = np.pad(x, ((0, 0), (0, 0), (0, high), (0, high)), constant_values=empty)
    windows = np.lib.stride_tricks.sliding_window_view(x, (window, window), (2, 3))[:, :, ::step, ::step]
    if kind == "Conv":
        y = np.einsum("nchwij,ocij->nohw", windows, weights(x.shape[1], window, window))
    else:
        y = windows.max((4, 5)) if kind == "MaxPool" else np.nanmean(windows, (4, 5))
    return np.einsum("nchw,oc->nohw", y, product)


def check(kind, size, window, step, channels, folder):
    path, _ = strata.compile_library(model(kind, size, window, step, channels, os.path.join(folder, "m.onnx")), folder, "m")
    rng = np.random.default_rng(0)
    for batch in BATCHES:
        x, gate = rng.standard_normal((batch, channels, size, size), np.float32), rng.random((batch, channels, 1, 1), np.float32)
        want = expected(kind, size, window, step, x, gate)
        got = guarded.run(path, [x, gate], guarded.CALLS)[0].view(np.float32).reshape(want.shape)
        np.testing.assert_allclose(got, want, atol=1e-5 * abs(want).max())


def run(kind, size, window, step, channels):
    with tempfile.TemporaryDirectory() as folder:
        check(kind, size, window, step, channels, folder)


def main():
    cases = itertools.product(("MaxPool", "AveragePool", "Conv"), SIZES, (64,))
    strata.report([(f"{kind}_{'_'.join(map(str, sizes))}_{channels}", lambda c=(kind, *sizes, channels): run(*c))
                   for kind, sizes, channels in cases])


if __name__ == "__main__":
    main()
