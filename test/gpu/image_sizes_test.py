"""Convolutions of images whose number, height and width all vary, on the emulated device: rows of their
products are divided by sizes that vary. Each library is called at sizes drawn anew, among them images of one row or
column. Operands are small integers, so that sums are exact in any order."""
import os
import tempfile

import numpy as np

import gpu
import strata
from onnx_file import FLOAT, Graph

DEVICES = ["emulated", "emulated_90"]


def small(rng, *shape):
    return rng.integers(-3, 4, shape).astype(np.float32)


def convolve(x, w, strides, pads):
    x = np.pad(x.astype(np.int64), [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    size = [(x.shape[2 + i] - w.shape[2 + i]) // strides[i] + 1 for i in range(2)]
    y = np.zeros((x.shape[0], w.shape[0], *size), np.int64)
    for i, j in np.ndindex(w.shape[2:]):
        part = x[:, :, i:i + (size[0] - 1) * strides[0] + 1:strides[0], j:j + (size[1] - 1) * strides[1] + 1:strides[1]]
        y += np.einsum("nchw,fc->nfhw", part, w[:, :, i, j].astype(np.int64))
    return y


def sizes(rng):
    """Of some calls: few pixels, a row, a column, and more than a tile's."""
    yield 1, 1, 1
    yield 2, 1, int(rng.integers(2, 200))
    yield int(rng.integers(1, 4)), int(rng.integers(2, 200)), 1
    for _ in range(2):
        yield tuple(int(size) for size in rng.integers(1, 40, 3) // [10, 1, 1] + 1)


def check(rng, channels, filters, kernel, strides):
    graph, w, bias = Graph(21), small(rng, filters, channels, *kernel), small(rng, filters)
    pads = [size // 2 for size in kernel] * 2
    x = graph.input("x", FLOAT, ["n", channels, "h", "w"])
    for name, value in ("weight", w), ("bias", bias):
        graph.constant(name, value)
    y = graph.node("Conv", [x, "weight", "bias"], kernel_shape=list(kernel), strides=list(strides), pads=pads)
    graph.output(graph.node("Relu", [y]), FLOAT, ["n", filters, "p", "q"])
    with tempfile.TemporaryDirectory() as folder:
        path = graph.save(os.path.join(folder, "model.onnx"))
        for device in DEVICES:
            library = strata.Library(strata.compile_library(path, folder, device, ["--target=nvgpu",
                                                                                   f"--device={device}"])[0])
            for n, height, width in sizes(rng):
                image = small(rng, n, channels, height, width)
                got, = library.run([image], library.sizes_of([image.shape]))
                want = np.maximum(convolve(image, w, strides, pads) + bias[:, None, None].astype(np.int64), 0)
                assert np.array_equal(got, want), f"{device}, {image.shape}"


CASES = [(channels, filters, kernel, strides) for channels in (1, 3, 8, 13) for filters in (4, 24)
         for kernel in ((1, 1), (3, 3), (5, 3)) for strides in ((1, 1), (2, 2), (2, 1))]

if __name__ == "__main__":
    gpu.report_drawn([(f"{channels} to {filters} channels, {kernel[0]} x {kernel[1]} by {strides[0]}, {strides[1]}",
                       lambda rng, case=(channels, filters, kernel, strides): check(rng, *case))
                      for channels, filters, kernel, strides in strata.drawn(CASES, 3)])
