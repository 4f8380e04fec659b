"""What a model says of the sizes of its outputs: a number makes an input's open size that number, but a single label
beside open rows of probabilities, as converters of classifiers write, does not."""
import os
import tempfile

import numpy as np

import onnx_file
import strata


def library(label, probabilities, folder):
    graph = onnx_file.Graph(opset=18)
    x = graph.input("x", onnx_file.FLOAT, ["", 3])
    graph.output(graph.node("ArgMax", [x], axis=1, keepdims=0), onnx_file.INT64, label)
    graph.output(graph.node("Softmax", [x]), onnx_file.FLOAT, probabilities)
    return strata.Library(strata.compile_library(graph.save(os.path.join(folder, "m.onnx")), folder, "m")[0])


def shape_with(label, probabilities):
    with tempfile.TemporaryDirectory() as folder:
        net = library(label, probabilities, folder)
        x = np.random.default_rng(0).standard_normal((1 if net.inputs[0].dims()[0] == 1 else 7, 3), np.float32)
        labels, scores = net.run([x], net.sizes_of([x.shape]))
        net.close()
    assert np.array_equal(labels, x.argmax(1)) and np.allclose(scores.sum(1), 1), (labels, scores)
    return scores.shape


def main():
    assert shape_with([1], ["", 3]) == (7, 3)
    assert shape_with(["rows"], ["", 3]) == (7, 3)
    assert shape_with([1], [1, 3]) == (1, 3)
    try:
        shape_with([1], ["", 4])
    except strata.CompileError as error:
        assert "dimension 1 has size 4" in str(error), error
    else:
        raise AssertionError("a wrong size is accepted")


if __name__ == "__main__":
    main()
