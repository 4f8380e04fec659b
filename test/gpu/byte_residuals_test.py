"""Quantised residual sums behind pipelined products, as int8 networks have them: sums of bytes are rounded to bytes, the
other summand's bytes come through the ring and results go through the staging memory."""
import os
import tempfile

import numpy as np

import gpu
import strata
from onnx_file import ELEMENT_TYPES, Graph

OPTIONS = ["--target=nvgpu", "--device=emulated_90", "--on-gpu-tensors", "--user-device-memory", "--explain"]
NEAR = 1e-3  # of a tie: floats may fall on its other side
random = np.random.default_rng(strata.run_seed())

CASES = [  # rows, sum, columns; (type, zero point) of the rounded sums, the result and the other summand; tile
    (305, 64, 256, (np.uint8, 137), (np.uint8, 0), (np.uint8, 0), "128, 128, 128>, warps = array<i64: 8, 1>"),
    (305, 64, 256, (np.uint8, 12), (np.int8, -3), (np.int8, -7), "128, 128, 128>, warps = array<i64: 4, 1>"),
    (131, 96, 176, (np.int8, 0), (np.uint8, 7), (np.int8, -1), "128, 96, 128>"),
    (70, 256, 128, (np.int8, -128), (np.int8, 0), (np.uint8, 128), "64, 128, 128>"),
    (70, 64, 64, (np.uint8, 255), (np.int8, 127), (np.uint8, 3), "64, 64, 128>"),
]
SCALES = {"x": 0.02, "w": 0.004, "sum": 0.0466, "other": 0.0131, "result": 0.0301}


def bytes_of(dtype, shape):
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, shape, endpoint=True).astype(dtype)


def model(rows, depth, columns, rounded, result, other, weight, bias):
    graph, count = Graph(21), iter(range(100))

    def constant(value, dtype):
        name = f"c{next(count)}"
        return graph.constant(name, np.array(value, dtype)) or name

    def linear(op, name, what, dtype, zero):
        return graph.node(op, [name, constant(SCALES[what], np.float32), constant(zero, dtype)])

    graph.input("x", ELEMENT_TYPES[np.dtype(np.uint8)], (rows, depth))
    graph.input("r", ELEMENT_TYPES[np.dtype(other[0])], (rows, columns))
    w = graph.node("Transpose", [linear("DequantizeLinear", constant(weight, np.int8), "w", np.int8, 0)])
    y = graph.node("MatMul", [linear("DequantizeLinear", "x", "x", np.uint8, 0), w])
    y = linear("QuantizeLinear", graph.node("Add", [y, constant(bias, np.float32)]), "sum", *rounded)
    y = linear("DequantizeLinear", y, "sum", *rounded)
    y = graph.node("Add", [y, linear("DequantizeLinear", "r", "other", *other)])
    graph.output(linear("QuantizeLinear", y, "result", *result), ELEMENT_TYPES[np.dtype(result[0])], (rows, columns))
    return graph


def rounded_to(value, dtype, zero):
    """The bytes, and where |value| is nearly a tie."""
    info = np.iinfo(dtype)
    return (np.clip(np.rint(value) + zero, info.min, info.max),
            np.abs(np.abs(value - np.floor(value)) - 0.5) < NEAR)


def check(rows, depth, columns, rounded, result, other, tile):
    scale = {name: float(np.float32(value)) for name, value in SCALES.items()}
    weight, bias = bytes_of(np.int8, (columns, depth)), random.uniform(-2, 2, columns).astype(np.float32)
    x, r = bytes_of(np.uint8, (rows, depth)), bytes_of(other[0], (rows, columns))
    with tempfile.TemporaryDirectory() as folder:
        path = model(rows, depth, columns, rounded, result, other, weight, bias).save(os.path.join(folder, "m.onnx"))
        chosen = os.path.join(folder, "schedules.txt")
        with open(chosen, "w") as file:
            file.write("candidates k0 emulated_90\n")
        text = strata.strata(path, "--aot", "--aot-name=all", "-o", folder, *OPTIONS, f"--schedule={chosen}")
        lines = [line for line in text.splitlines()
                 if line.startswith("candidate") and "wgmma" in line and f"<i64: {tile}" in line and "swap" not in line]
        with open(chosen, "w") as file:
            file.write(lines[0].split("#")[0].replace("candidate", "schedule", 1) + "\n")
        built, _ = strata.compile_library(path, folder, "one", [*OPTIONS, f"--schedule={chosen}"])
        got = gpu.Library(built).run([x, r])[0]
    sums = (x.astype(np.float64) @ weight.T.astype(np.float64)) * scale["x"] * scale["w"] + bias
    q, near = rounded_to(sums / scale["sum"], *rounded)
    total = (q - rounded[1]) * scale["sum"] + (r.astype(np.float64) - other[1]) * scale["other"]
    want, near_result = rounded_to(total / scale["result"], *result)
    wrong = (got != want) & ~near & ~near_result
    assert not wrong.any(), f"{rows}x{depth}x{columns}, {tile}: {wrong.sum()} of {wrong.size} differ"
    assert (np.abs(got.astype(np.int64) - want) <= 2).all() and np.unique(got).size > 20


gpu.use_stand_in()
strata.report([(f"{case[0]}x{case[1]}x{case[2]}", lambda case=case: check(*case)) for case in CASES])
