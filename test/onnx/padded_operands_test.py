"""Products whose operands are padded along a batch dim: an operand that is read at one place of a dim, and is padding
at all others, depends on that dim all the same."""
import itertools
import os
import tempfile

import numpy as np

import gpu
import onnx_file
import strata

MODES = {"cpu": [], "emulated": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"]}
ROWS, SHARED, COLUMNS, BATCH = 19, 5, 21, 3
PICKED = 2  # the matrix that is padded


def padded(graph, name, at, rows_before):
    """One of the value's matrices at place |at| of the batch, after rows of zeros."""
    bounds = [graph.constant(f"{name}_{i}", np.array([i], np.int64)) for i in (PICKED, PICKED + 1, 0)]
    matrix = graph.node("Slice", [name] + bounds)
    pads = graph.constant(name + "_pads", np.array([at, rows_before, 0, BATCH - 1 - at, 0, 0], np.int64))
    return graph.node("Pad", [matrix, pads])


def case(left, right):
    """The graph, its inputs and the product. |left| and |right|: the place in the batch of an operand that is padded
    and transposed, None: it is neither."""
    random = np.random.default_rng(3)
    graph, inputs, operands, names = onnx_file.Graph(18), [], [], []
    for name, at, shape in (("a", left, (ROWS, SHARED)), ("b", right, (SHARED, COLUMNS))):
        own = (BATCH,) + shape if at is None else (PICKED + 2, shape[1] - 1, shape[0])
        value = random.uniform(-1, 1, own).astype(np.float32)
        graph.input(name, onnx_file.FLOAT, own)
        is_plain = at is None
        names.append(name if is_plain else graph.node("Transpose", [padded(graph, name, at, 1)], perm=[0, 2, 1]))
        inputs.append(value)
        if not is_plain:
            value = np.pad(value[PICKED:PICKED + 1], [(at, BATCH - 1 - at), (1, 0), (0, 0)]).transpose(0, 2, 1)
        operands.append(value.astype(np.float64))
    graph.output(graph.node("MatMul", names), onnx_file.FLOAT, (BATCH, ROWS, COLUMNS))
    return graph, inputs, operands[0] @ operands[1]


def check(mode, left, right, folder):
    graph, inputs, expected = case(left, right)
    path, _ = strata.compile_library(graph.save(os.path.join(folder, "model.onnx")), folder, "m", MODES[mode])
    library = strata.Library(path)
    error = np.abs(library.run(inputs)[0] - expected).max()
    assert error <= 1e-5, f"{mode}, {left} {right}: {error}"
    library.close()


if __name__ == "__main__":
    gpu.use_stand_in()
    for mode in MODES:
        for left, right in itertools.product((None, 0, 1), (None, 0, 2)):
            with tempfile.TemporaryDirectory() as folder:
                check(mode, left, right, folder)
