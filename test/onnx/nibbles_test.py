"""Elements of 4 bits, two to a byte, written by loops over shapes whose rows begin in the middle of a byte, on every
processor that is there and on the emulated GPU."""
import os
import tempfile

import numpy as np

import gpu
import onnx_file
import strata

MODES = [[f"--device={name}"] for name in ("x86-64-v2", "x86-64-v3", "x86-64-v4")]
MODES += [[], ["--target=nvgpu", "--device=emulated"]]
TYPES = {"u4": (21, 0, 15), "i4": (22, -8, 7)}
SHAPES = [(20, 16, 6), (7, 9), (3, 5, 11), (4, 33), (1001,)]
SCALE = 0.25


def graph_of(shape, kind):
    graph = onnx_file.Graph(21)
    graph.input("x", onnx_file.FLOAT, shape)
    graph.constant("scale", np.float32(SCALE))
    graph.node("QuantizeLinear", ["x", "scale"], ["y"], output_dtype=TYPES[kind][0])
    graph.output("y", TYPES[kind][0], shape)
    return graph


def unpacked(content, count, kind):
    values = np.stack([content & 15, content >> 4], -1).ravel()[:count].astype(np.int64)
    return np.where(values > TYPES[kind][2], values - 16, values)


def check(shape, kind, options, folder):
    model = graph_of(shape, kind).save(os.path.join(folder, "model.onnx"))
    path, _ = strata.compile_library(model, folder, "m", options)
    library = strata.Library(path)
    count = int(np.prod(shape))
    values = np.random.default_rng(count).integers(-24, 24, count)
    try:
        got = unpacked(library.run([((values + 0.25) * SCALE).astype(np.float32).reshape(shape)])[0], count, kind)
    except RuntimeError as error:  # a processor without what the code needs
        assert "this processor lacks" in str(error), error
        return
    wrong = np.flatnonzero(got != np.clip(values, *TYPES[kind][1:]))
    assert not wrong.size, f"{shape} {kind} {options}: element {wrong[0]} is {got[wrong[0]]}, of {values[wrong[0]]}"


if __name__ == "__main__":
    gpu.use_stand_in()
    for each in SHAPES:
        for name in TYPES:
            for chosen in MODES:
                with tempfile.TemporaryDirectory() as directory:
                    check(each, name, chosen, directory)
