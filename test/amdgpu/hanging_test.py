"""Values that hang over the layouts they are held in, as machine code executed instruction by instruction: turned
through LDS where threads are to have more rows than were loaded, and products of groups whose columns are no multiple of
a tile, whose result is read again in the kernel. Exact by NumPy, and nothing found, as LDS that nobody has written."""
import sys

import numpy as np

import gpu
import onnx_file
import strata
from onnx_file import FLOAT, INT8

DEVICES = {"gfx942": "0x942", "gfx1201": "0x1201"}
TURNED = [(22, 65), (13, 40), (5, 17), (67, 9), (3, 100)]
BATCH, GROUPS, CHANNELS, FILTERS, IMAGE = 2, 2, 12, 20, (6, 7)


def add_turned(graph, generator):
    """min(x, 8) turned, of floats and of bytes."""
    feed, wanted = [], []
    for rows, columns in TURNED:
        for kind, dtype in ((FLOAT, np.float32), (INT8, np.int8)):
            x = generator.integers(-20, 20, (rows, columns)).astype(dtype)
            name = graph.input(f"x{len(feed)}", kind, x.shape)
            least = graph.node("Min", [name, graph.constant(f"m{len(feed)}", np.array(8, dtype))])
            graph.output(graph.node("Transpose", [least], perm=[1, 0]), kind, (columns, rows))
            feed.append(x)
            wanted.append(np.minimum(x, 8).T)
    return feed, wanted


def add_groups(graph, generator):
    """A convolution of groups, and its result without what is negative: both are results of one kernel."""
    height, width = IMAGE
    x = generator.integers(-4, 5, (BATCH, GROUPS * CHANNELS, height, width)).astype(np.float32)
    w = generator.integers(-4, 5, (GROUPS * FILTERS, CHANNELS, 3, 3)).astype(np.float32)
    bias = generator.integers(-9, 10, GROUPS * FILTERS).astype(np.float32)
    operands = [graph.input("image", FLOAT, x.shape), graph.constant("w", w), graph.constant("bias", bias)]
    real = graph.node("Conv", operands, group=GROUPS, kernel_shape=[3, 3], pads=[1] * 4)
    shape = (BATCH, GROUPS * FILTERS, height, width)
    graph.output(real, FLOAT, shape)
    graph.output(graph.node("Relu", [real]), FLOAT, shape)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))).reshape(BATCH, GROUPS, CHANNELS, height + 2, width + 2)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (3, 4))
    sums = np.einsum("ngchwyx,gfcyx->ngfhw", windows, w.reshape(GROUPS, FILTERS, CHANNELS, 3, 3)).reshape(shape)
    want = sums + bias[:, None, None]
    return [x], [want, np.maximum(want, 0)]


def check(name, add, device):
    graph = onnx_file.Graph()
    feed, wanted = add(graph, strata.generator_of(name))
    path = graph.save(f"{name}.onnx")
    library = gpu.Library(strata.compile_library(path, device, name, ["--target=amdgpu", f"--device={device}"])[0])
    for i, (got, want) in enumerate(zip(library.run(feed), wanted)):
        assert np.array_equal(got, want), f"{name}, result {i} is off"
    library.unload()


def main():
    """Each device in a process of its own: the stand-in asks once which it is."""
    gpu.use_stand_in()
    if len(sys.argv) == 1:
        sys.exit(gpu.in_processes(__file__, {d: {"STRATA_TEST_DRIVER_ARCH": arch} for d, arch in DEVICES.items()}))
    device = sys.argv[1]
    strata.report((f"{name} {device}", lambda name=name, add=add: check(name, add, device))
                  for name, add in (("turned", add_turned), ("groups", add_groups)))


if __name__ == "__main__":
    main()
