"""Integers from the ends of int64 in every attribute and operand that says how many, where or how far: one error or a
library, never a crash, and nothing that the sanitizers object to. `hostile_integers_test.py all` tries more numbers."""
import os
import subprocess
import sys
import tempfile

import numpy as np

import onnx_file
import strata
from onnx_file import BOOL, FLOAT, INT64

LEAST, MOST = -2**63, 2**63 - 1
HOSTILE = [LEAST, MOST, MOST - 1, LEAST + 1, -2**31, 2**31 - 1, -1, 2**62]
# ints that stand for a hostile number: an attribute's, or an element of an operand
H = object()
IMAGE, MATRIX = [1, 4, 6, 6], [4, 6]
# operator: shapes or integer operands, attributes, opset
CASES = [
    ("Pad", [MATRIX, [H, 0, 0, 0]], {}, 18), ("Pad", [MATRIX, [0, 0, 0, H]], {}, 18),
    ("Pad", [MATRIX, [H, 1, H, 1]], {}, 18), ("Pad", [MATRIX, [H, 0, 0, 0]], {"mode": "reflect"}, 18),
    ("Pad", [MATRIX, [0, 0, H, 0]], {"mode": "wrap"}, 18), ("Pad", [MATRIX], {"pads": [0, H, 0, 0]}, 8),
    ("Slice", [MATRIX, [H], [4], [0], [1]], {}, 18), ("Slice", [MATRIX, [0], [H], [0], [1]], {}, 18),
    ("Slice", [MATRIX, [0], [4], [H], [1]], {}, 18), ("Slice", [MATRIX, [0], [MOST], [0], [H]], {}, 18),
    ("Slice", [MATRIX, [H], [H], [0], [H]], {}, 18), ("Shape", [MATRIX], {"start": H}, 18),
    ("Shape", [MATRIX], {"end": H}, 18), ("Reshape", [MATRIX, [H, 4]], {}, 18), ("Expand", [MATRIX, [H, 4, 6]], {}, 18),
    ("Tile", [MATRIX, [H, 1]], {}, 18), ("Tile", [MATRIX, [H, H]], {}, 18), ("ConstantOfShape", [[H, H]], {}, 18),
    ("CenterCropPad", [MATRIX, [H, 2]], {}, 18), ("DepthToSpace", [IMAGE], {"blocksize": H}, 18),
    ("SpaceToDepth", [IMAGE], {"blocksize": H}, 18), ("Transpose", [MATRIX], {"perm": [H, 0]}, 18),
    ("Flatten", [MATRIX], {"axis": H}, 18), ("Squeeze", [MATRIX, [H]], {}, 18), ("Unsqueeze", [MATRIX, [H]], {}, 18),
    ("Concat", [MATRIX, MATRIX], {"axis": H}, 18), ("Split", [MATRIX, [H, 2]], {}, 18),
    ("Split", [MATRIX], {"axis": H}, 18), ("Split", [MATRIX], {"num_outputs": H}, 18), ("Range", [0, H, 1], {}, 18),
    ("Range", [H, 5, 1], {}, 18), ("Range", [0, 5, H], {}, 18), ("Range", [H, 5, H], {}, 18),
    ("EyeLike", [MATRIX], {"k": H}, 18), ("Trilu", [MATRIX, H], {}, 18), ("OneHot", [[1, 2], H, [0, 1]], {}, 18),
    ("OneHot", [[1, 2], 3, [0, 1]], {"axis": H}, 18), ("Gather", [MATRIX, H], {}, 18),
    ("Gather", [MATRIX, [H, 1]], {}, 18), ("Gather", [MATRIX, [0]], {"axis": H}, 18),
    ("GatherElements", [MATRIX, [[H]]], {}, 18), ("GatherND", [MATRIX, [[H, 1]]], {}, 18),
    ("GatherND", [MATRIX, [[0]]], {"batch_dims": H}, 18),
    ("ReverseSequence", [MATRIX, [1, 2, 1, 2]], {"batch_axis": H, "time_axis": 1}, 18),
    ("ReverseSequence", [MATRIX, [1, 2, 1, 2]], {"batch_axis": H, "time_axis": H}, 18),
    ("ReduceSum", [MATRIX, [H]], {}, 18), ("ReduceMean", [MATRIX], {"axes": [H]}, 13),
    ("ArgMax", [MATRIX], {"axis": H}, 18), ("Softmax", [MATRIX], {"axis": H}, 18),
    ("Hardmax", [MATRIX], {"axis": H}, 11), ("CumSum", [MATRIX, H], {}, 18), ("TopK", [MATRIX, [H]], {}, 18),
    ("TopK", [MATRIX, [1]], {"axis": H}, 18), ("LpNormalization", [MATRIX], {"p": H}, 18),
    ("LpNormalization", [MATRIX], {"axis": H}, 18), ("LayerNormalization", [MATRIX, [6]], {"axis": H}, 18),
    ("GroupNormalization", [IMAGE, [4], [4]], {"num_groups": H}, 21), ("LRN", [IMAGE], {"size": H}, 18),
    ("Conv", [IMAGE, [4, 4, 3, 3]], {"pads": [H, 0, 0, 0]}, 18),
    ("Conv", [IMAGE, [4, 4, 3, 3]], {"strides": [H, 1]}, 18),
    ("Conv", [IMAGE, [4, 4, 3, 3]], {"dilations": [1, H]}, 18), ("Conv", [IMAGE, [4, 4, 3, 3]], {"group": H}, 18),
    ("Conv", [IMAGE, [4, 4, 3, 3]], {"kernel_shape": [H, 3]}, 18),
    ("ConvTranspose", [IMAGE, [4, 4, 3, 3]], {"output_shape": [H, 8]}, 18),
    ("ConvTranspose", [IMAGE, [4, 4, 3, 3]], {"output_padding": [H, 0]}, 18),
    ("ConvTranspose", [IMAGE, [4, 4, 3, 3]], {"strides": [H, 1], "output_shape": [H, 8]}, 18),
    ("ConvTranspose", [IMAGE, [4, 4, 3, 3]], {"group": H}, 18), ("AveragePool", [IMAGE], {"kernel_shape": [H, 3]}, 18),
    ("MaxPool", [IMAGE], {"kernel_shape": [2, 2], "strides": [H, 1]}, 18),
    ("MaxPool", [IMAGE], {"kernel_shape": [2, 2], "pads": [0, H, 0, 0]}, 18),
    ("LpPool", [IMAGE], {"kernel_shape": [2, 2], "p": H}, 18),
    ("MaxUnpool", [[1, 1, 2, 2], [[[[0, 3], [8, 11]]]], [1, 1, H, 4]], {"kernel_shape": [2, 2]}, 18),
    ("MaxUnpool", [[1, 1, 2, 2], [[[[0, 3], [8, 11]]]]], {"kernel_shape": [H, 2]}, 18),
    ("Col2Im", [[1, 4, 4], [H, 3], [2, 2]], {}, 18), ("Col2Im", [[1, 4, 4], [3, 3], [H, H]], {}, 18),
    ("Resize", [IMAGE, "", "", [1, 4, H, 6]], {}, 18), ("Resize", [IMAGE, "", "", [H, 6]], {"axes": [H, 3]}, 18),
    ("Resize", [IMAGE, "", "", [H, 6]], {"axes": [2, 3], "keep_aspect_ratio_policy": "not_smaller"}, 18),
    ("GridSample", [IMAGE, [1, 2, 2, 2]], {"align_corners": H}, 18), ("AffineGrid", [[1, 2, 3], [1, 1, H, 4]], {}, 20),
    ("RoiAlign", [IMAGE, [1, 4], [0]], {"output_height": H, "sampling_ratio": 2}, 16),
    ("RoiAlign", [IMAGE, [1, 4], [0]], {"sampling_ratio": H}, 16),
    ("RoiAlign", [IMAGE, [1, 4], [H]], {"sampling_ratio": 2}, 16), ("DFT", [[1, 8, 1], H], {}, 17),
    ("DFT", [[1, 8, 1]], {"axis": H}, 17), ("STFT", [[1, 16, 1], H, "", 4], {}, 17),
    ("STFT", [[1, 16, 1], 4, "", H], {}, 17), ("HannWindow", [H], {}, 17),
    ("MelWeightMatrix", [H, 8, 8000, 0.0, 4000.0], {}, 17),
    ("DequantizeLinear", [MATRIX, [1, 6]], {"axis": 0, "block_size": H}, 21),
    ("Gemm", [MATRIX, [6, 4]], {"transA": H}, 18), ("SplitToSequence", [MATRIX, H], {}, 18),
    ("Mod", [[1, H], [H, 1]], {}, 18), ("Div", [[H, 1], [-1, 0]], {}, 18), ("Abs", [[H]], {}, 18),
    ("Neg", [[H]], {}, 18), ("Sub", [[0, H], [H, LEAST]], {}, 18), ("Mul", [[H], [H]], {}, 18),
    ("Pow", [[H], [H]], {}, 18), ("Compress", [MATRIX, np.array([True])], {"axis": H}, 18),
    ("Cast", [MATRIX], {"to": H}, 18),
]


def filled(value, number):
    if value is H:
        return number
    return [filled(item, number) for item in value] if isinstance(value, list) else value


def is_shape(op, place, value):
    """A float tensor of this shape is an input of the graph; all other operands are constants."""
    shapes = {"Conv": 2, "ConvTranspose": 2, "GroupNormalization": 3, "LayerNormalization": 2, "Gemm": 2,
              "GridSample": 2, "DequantizeLinear": 2, "Concat": 2, "RoiAlign": 2}
    plain = {"ConstantOfShape", "Range", "OneHot", "HannWindow", "MelWeightMatrix", "Mod", "Div", "Abs", "Neg",
             "Sub", "Mul", "Pow"}
    return isinstance(value, list) and op not in plain and place < shapes.get(op, 1)


def graph(case, number):
    op, operands, attributes, opset = case
    g = onnx_file.Graph(opset=opset)
    names = []
    for i, operand in enumerate(operands):
        if isinstance(operand, str):
            names.append("")
        elif is_shape(op, i, operand):
            names.append(g.input(f"x{i}", FLOAT, operand))
        else:
            array = np.array(filled(operand, number))
            if op == "MelWeightMatrix" and array.dtype == np.float64:
                array = array.astype(np.float32)
            names.append(g.constant(f"x{i}", array))
    results = 2 if op in ("TopK", "Split") else 1
    y = g.node(op, names, results, **{key: filled(value, number) for key, value in attributes.items()})
    g.output(y if results == 1 else y[0], BOOL if op == "IsInf" else FLOAT, ["n"])
    return g.save("hostile.onnx")


def problem(case, number):
    folder = tempfile.mkdtemp(dir=".")
    command = [os.path.join(strata.BIN, "strata"), graph(case, number), "--compile-to=import", "-o",
               os.path.join(folder, "imported.mlir")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, errors="replace", check=False)
    is_ours = not any(word in done.stderr for word in ("runtime error", "Sanitizer", "internal"))
    if not is_ours or done.returncode not in (0, 1):
        return f"{done.returncode} {done.stderr.strip()[:600]}"
    is_error = all(line.startswith("strata: error: ") for line in done.stderr.splitlines()) and done.stderr
    return "" if (done.returncode == 1) == bool(is_error) else f"{done.returncode} {done.stderr.strip()[:300]}"


failures = 0
numbers = HOSTILE if "all" in sys.argv else HOSTILE[:2] if strata.SANITIZED else HOSTILE[:1]
for case in CASES:
    for number in numbers:
        what = problem(case, number)
        failures += bool(what)
        if what:
            print(f"{case} with {number}: {what}", flush=True)
print(f"{len(CASES)} cases, {failures} failures")
sys.exit(bool(failures))
