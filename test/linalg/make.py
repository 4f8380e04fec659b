"""Makes Inputs/iree.mlir and iree.npz: an ONNX model as IREE's compiler writes it in linalg on tensors, with inputs and what
ONNX Runtime computes of it.

    python3 -m venv venv && venv/bin/pip install iree-base-compiler onnx onnxruntime numpy
    venv/bin/python test/linalg/make.py        # its bin folder has iree-import-onnx and iree-opt
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
PIPELINE = "builtin.module(torch-onnx-to-torch-backend-pipeline, torch-backend-to-linalg-on-tensors-backend-pipeline)"
random = np.random.default_rng(0)


def weights(name, *shape):
    return numpy_helper.from_array((random.standard_normal(shape) / 3).astype(np.float32), name)


def model():
    node, value = helper.make_node, helper.make_tensor_value_info
    nodes = [node("Conv", ["x", "w1", "b1"], ["a"], pads=[1, 1, 1, 1], strides=[2, 2]), node("Relu", ["a"], ["b"]),
             node("Conv", ["b", "w2"], ["c"], pads=[1, 1, 1, 1], group=8), node("Clip", ["c", "low", "high"], ["d"]),
             node("MaxPool", ["d"], ["e"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
             node("AveragePool", ["e"], ["f"], kernel_shape=[2, 2], strides=[1, 1]), node("Flatten", ["f"], ["g"]),
             node("Gemm", ["g", "w3", "b3"], ["h"], transB=1), node("Softmax", ["h"], ["scores"]),
             node("ReduceMean", ["d", "axes"], ["means"], keepdims=1),
             node("LayerNormalization", ["h", "scale", "bias"], ["n"]), node("Gelu", ["n"], ["gelu"]),
             node("Gather", ["table", "index"], ["rows"], axis=0),
             node("Transpose", ["rows"], ["turned"], perm=[1, 0, 2]), node("Concat", ["rows", "rows"], ["joined"], axis=1),
             node("ArgMax", ["h"], ["best"], axis=1, keepdims=0)]
    inputs = [value("x", TensorProto.FLOAT, [2, 3, 16, 16]), value("index", TensorProto.INT64, [2, 5])]
    outputs = [value(name, TensorProto.INT64 if name == "best" else TensorProto.FLOAT, shape)
               for name, shape in (("scores", [2, 6]), ("means", [2, 8, 1, 1]), ("gelu", [2, 6]), ("turned", [5, 2, 4]),
                                   ("joined", [2, 10, 4]), ("best", [2]))]
    constants = [weights("w1", 8, 3, 3, 3), weights("b1", 8), weights("w2", 8, 1, 3, 3), weights("w3", 6, 72), weights("b3", 6),
                 weights("scale", 6), weights("bias", 6), weights("table", 9, 4), numpy_helper.from_array(np.float32(0), "low"),
                 numpy_helper.from_array(np.float32(1), "high"), numpy_helper.from_array(np.array([2, 3]), "axes")]
    graph = helper.make_graph(nodes, "net", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def main():
    inputs = {"x": random.standard_normal((2, 3, 16, 16)).astype(np.float32), "index": random.integers(0, 9, (2, 5))}
    tools = os.path.dirname(sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        path, torch = os.path.join(folder, "net.onnx"), os.path.join(folder, "net.torch.mlir")
        onnx.save(model(), path)
        subprocess.run([f"{tools}/iree-import-onnx", path, "--opset-version", "20", "-o", torch], check=True)
        subprocess.run([f"{tools}/iree-opt", torch, f"--pass-pipeline={PIPELINE}", "-o", f"{HERE}/iree.mlir"], check=True)
        results = onnxruntime.InferenceSession(path).run(None, inputs)
    arrays = {f"in{i}": value for i, value in enumerate(inputs.values())}
    np.savez_compressed(f"{HERE}/iree.npz", **arrays, **{f"out{i}": value for i, value in enumerate(results)})


if __name__ == "__main__":
    main()
