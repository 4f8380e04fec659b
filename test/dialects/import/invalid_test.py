"""Models that ONNX's rules forbid are errors that name file, node, what was expected and what was found; what the rules
leave open is taken."""
import sys

import numpy as np

import onnx_file
import strata
from onnx_file import BOOL, DOUBLE, FLOAT, FLOAT16, INT64, Graph

failures = 0


def report(name, good, text=""):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name} {text if not good else ''}")


def f32(*shape):
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def ints(*values):
    return np.array(values, np.int64)


def single(op, inputs, opset=18, n_outputs=1, **attributes):
    """A model of one node; arrays are constants, (type, shape) inputs, "" is left out."""
    graph = Graph(opset=opset)
    names = []
    for i, value in enumerate(inputs):
        if isinstance(value, np.ndarray):
            names.append(graph.constant(f"c{i}", value))
        else:
            names.append(graph.input(f"x{i}", *value) if value else "")
    outputs = graph.node(op, names, [f"y{i}" for i in range(n_outputs)], name="culprit", **attributes)
    graph.parts.append(onnx_file.data(12, onnx_file.data(1, outputs[0] if n_outputs > 1 else outputs)))
    return graph


def expect_error(name, graph, *pieces, options=()):
    path = graph.save("invalid.onnx")
    try:
        strata.strata(path, "--compile-to=import", *options)
        error = "no error"
    except strata.CompileError as caught:
        error = str(caught) if caught.status == 1 else f"status {caught.status}"
    report(name, all(piece in error for piece in (path, *pieces)), error.strip())


def expect_right(name, graph, *pieces, options=()):
    try:
        text = strata.strata(graph.save("valid.onnx"), "--compile-to=import", *options)
    except strata.CompileError as error:
        text = str(error)
    report(name, all(piece in text for piece in ("func.func @main", *pieces)), text.strip())


X = (FLOAT, [2, 3, 4])
IMAGE = (FLOAT, [1, 4, 8, 8])


def axes_given_twice():
    for op in ("ReduceMax", "Squeeze", "Unsqueeze"):
        expect_error(f"{op}: an axis twice", single(op, [(FLOAT, [1, 1, 2]), ints(0, 0)]), "(node culprit)", "twice")
    expect_error("an axis twice, once from the end", single("ReduceMax", [X, ints(1, -2)]), "axis 1 is given twice")
    expect_error("Transpose", single("Transpose", [X], perm=[0, 1, 1]), "(node culprit)", "twice")
    expect_error("Transpose, too few", single("Transpose", [X], perm=[0, 1]), "expected 3 integers, got 2")
    expect_error("Slice", single("Slice", [X, ints(0, 0), ints(1, 1), ints(1, 1)]), "twice")
    expect_error("Pad", single("Pad", [X, ints(1, 1, 0, 0), "", ints(1, 1)]), "twice")
    expect_error("Resize", single("Resize", [X, "", np.float32([2, 2])], axes=[1, 1]), "twice")
    crop = {"coordinate_transformation_mode": "tf_crop_and_resize", "mode": "linear"}
    expect_error("region", single("Resize", [X, (FLOAT, []), "", ints(2, 3, 4)], **crop), "roi", "one dimension")
    expect_error("region", single("Resize", [X, (FLOAT, [4]), "", ints(2, 3, 4)], **crop), "expected 6 numbers, got 4")
    expect_error("depth", single("OneHot", [(INT64, [5]), (INT64, [2]), f32(2)]), "a positive depth and two values")
    expect_error("parts", single("Split", [X, (INT64, [3])], n_outputs=2), "expected 2 sizes, got 3")
    expect_error("range", single("Range", [(INT64, [2]), (INT64, []), (INT64, [])]), "2 elements")
    expect_error("CenterCropPad", single("CenterCropPad", [X, ints(2, 2)], axes=[1, 1]), "twice")


def windows():
    weight = f32(4, 4, 3, 3)
    for op in ("Conv", "ConvTranspose"):
        expect_error(f"{op}: kernel_shape", single(op, [IMAGE, weight], kernel_shape=[3, 2]), "'kernel_shape'", "2", "3")
        expect_error(f"{op}: pads and auto_pad", single(op, [IMAGE, weight], auto_pad="SAME_UPPER", pads=[1, 1, 1, 1]),
                     "'pads'", "'auto_pad'", "SAME_UPPER")
        expect_right(f"{op}: pads of 0 and auto_pad", single(op, [IMAGE, weight], auto_pad="SAME_UPPER", pads=[0] * 4),
                     "tensor<1x4x8x8xf32>")
        expect_error(f"{op}: bias", single(op, [IMAGE, weight, f32(1)]), "operand 2 ('c2')", "expected 4, got 1")
    expect_error("MaxPool: pads and auto_pad",
                 single("MaxPool", [IMAGE], kernel_shape=[2, 2], auto_pad="VALID", pads=[0, 1, 0, 0]), "'auto_pad'")
    expect_error("ConvTranspose: output_padding", single("ConvTranspose", [IMAGE, weight], output_padding=[1, 0]),
                 "output padding")


def operands():
    expect_error("MatMul of f32 and f64", single("MatMul", [(FLOAT, [2, 3]), (DOUBLE, [3, 2])]), "operand 1 ('x1')",
                 "expected f32", "got f64")
    expect_error("Where of two types", single("Where", [(BOOL, [2]), (FLOAT, [2]), (INT64, [2])]), "operand 2", "i64")
    expect_error("indices of floats", single("Gather", [X, (FLOAT, [2])]), "operand 1", "i32 or i64", "got f32")
    expect_error("Concat of f16 and f32", single("Concat", [(FLOAT16, [2]), X, X], axis=0), "operand 1 ('x1')", "f16")
    expect_error("Gemm: C", single("Gemm", [(FLOAT, [2, 3]), (FLOAT, [3, 4]), f32(3)]), "operand 2 ('c2')", "2x4, got 3")
    expect_error("Gemm: C of three dimensions", single("Gemm", [(FLOAT, [2, 3]), (FLOAT, [3, 4]), f32(1, 2, 4)]), "1x2x4")
    expect_error("PRelu: slope", single("PRelu", [X, f32(5, 2, 3, 4)]), "operand 1", "2x3x4")
    expect_error("BatchNormalization: scale", single("BatchNormalization", [IMAGE, *[f32(1)] * 4]), "expected 4, got 1")
    expect_error("LayerNormalization: scale", single("LayerNormalization", [X, f32(2, 2, 3, 4)]), "operand 1")
    expect_error("DequantizeLinear: scale", single("DequantizeLinear", [(3, [2, 3]), f32(2)], axis=1), "expected 3, got 2")


def recurrent():
    def layer(op="LSTM", gates=4, w=None, r=None, bias=None, initial=None, **attributes):
        inputs = [(FLOAT, [5, 2, 3]), f32(1, gates * 4, 3) if w is None else w,
                  f32(1, gates * 4, 4) if r is None else r, "" if bias is None else bias, "",
                  "" if initial is None else initial]
        return single(op, inputs, **attributes)
    expect_right("a layer", layer(hidden_size=4))
    expect_error("hidden_size", layer(hidden_size=5), "'hidden_size'", "5", "4")
    expect_error("the weight", layer(w=f32(1, 16, 2), hidden_size=4), "operand 1", "expected 1x16x3, got 1x16x2")
    expect_error("the recurrence", layer(r=f32(1, 12, 4), hidden_size=4), "operand 2", "expected 1x16x4")
    expect_error("the bias", layer(bias=f32(1, 16)), "operand 3", "expected 1x32, got 1x16")
    expect_error("the state", layer(initial=f32(1, 3, 4)), "operand 5", "expected 1x2x4, got 1x3x4")
    expect_error("directions", layer(direction="bidirectional"), "operand 1", "expected 2x16x3")
    expect_error("a direction", layer(direction="backward"), "'direction'", "forward|reverse|bidirectional", "backward")
    wrong = layer("GRU", 3)
    wrong.nodes[0] += onnx_file.data(5, onnx_file.data(1, "activations") + onnx_file.data(9, "Sigmoid") +
                                     onnx_file.data(9, "Cosh") + onnx_file.number(20, 8))
    expect_error("an activation", wrong, "'activations'", "'Cosh'")


def outputs():
    def model(shape, element_type=FLOAT):
        graph = Graph()
        graph.node("Relu", [graph.input("x", FLOAT, [2, 3])], ["y"])
        graph.output("y", element_type, shape)
        return graph
    for shape in ([2, 3], ["N", 3], ["N", "N"], [-1, 3], [0, 3]):
        expect_right(f"an output of {shape}", model(shape))
    expect_error("a size", model([2, 4]), "output 'y'", "dimension 1 has size 4", "has 3")
    expect_error("a rank", model([2, 3, 1]), "output 'y'", "3 dimensions", "has 2")
    expect_error("a type", model([2, 3], DOUBLE), "output 'y'", "DOUBLE", "is f32")


def twice():
    def model(**extra):
        graph = Graph()
        graph.input("x", FLOAT, [2, 3])
        graph.constant("w", f32(2, 3))
        graph.node("Add", ["x", "w"], ["y"], name="first")
        for kind in extra:
            if kind == "input":
                graph.input("x", FLOAT, [2, 3])
            if kind == "constant":
                graph.constant("w", f32(2, 3))
            if kind == "result":
                graph.node("Relu", ["x"], ["y"], name="second")
            if kind == "shadow":
                graph.node("Relu", ["x"], ["w"], name="second")
            if kind == "output":
                graph.output("y", FLOAT, [2, 3])
        graph.output("y", FLOAT, [2, 3])
        return graph
    expect_right("all once", model())
    expect_error("an input", model(input=1), "input 'x' is given twice")
    expect_error("a constant", model(constant=1), "value 'w' is defined twice")
    expect_error("a result", model(result=1), "(node second)", "value 'y' is defined twice")
    expect_error("a result and a constant", model(shadow=1), "(node second)", "value 'w' is defined twice")
    expect_error("an output", model(output=1), "output 'y' is given twice")
    graph = single("Softmax", [X], axis=1)
    graph.nodes[0] += onnx_file.data(5, onnx_file.attribute("axis", 2))
    expect_error("an attribute", graph, "attribute 'axis' is given twice")


def open_sizes():
    def model(shape, known=True):
        graph = Graph()
        if known:
            graph.input("x", FLOAT, shape)
        else:
            graph.parts.append(onnx_file.data(11, onnx_file.data(1, "x") +
                                              onnx_file.data(2, onnx_file.data(1, onnx_file.number(1, FLOAT)))))
        graph.node("Relu", ["x"], ["y"])
        graph.output("y", FLOAT, shape)
        return graph
    for size in (-1, 0, ""):
        expect_right(f"a size of {size!r}", model([size, 3]), "tensor<?x3xf32", 'name = "x.0"')
        expect_right(f"a size of {size!r}, given", model([size, 3]), "tensor<2x3xf32>", options=["--dim=x.0=2"])
        expect_right(f"a size of {size!r}, by shape", model([size, 3]), "tensor<2x3xf32>", options=["--shape=x=2x3"])
    expect_right("an empty input", model([0, 3]), "tensor<0x3xf32>", options=["--dim=x.0=0"])
    expect_error("no shape", model([], False), "input 'x'", "--shape x=")
    expect_right("no shape, open", model(["a", "b"], False), "tensor<2x?xf32", 'name = "x.1"', options=["--shape=x=2x?"])
    expect_right("no shape, given", model([2, 3], False), "tensor<2x3xf32>", options=["--shape=x=2x3"])
    expect_right("no shape, a scalar", model([], False), "tensor<f32>", options=["--shape=x=scalar"])
    expect_error("another size", model([2, 3]), "--shape x=2x4", "dimension 1 has size 3", options=["--shape=x=2x4"])
    expect_error("another rank", model([2, 3]), "--shape x=2", "expected 2 sizes, got 1", options=["--shape=x=2"])
    expect_error("no such input", model([2, 3]), "--shape", "no input 'z'", options=["--shape=z=2x3"])
    for text in ("2xx3", "2x", "x3", "2,3", "-2x3", "two"):
        expect_error(f"sizes {text}", model([2, 3], False), f"--shape x={text}", "with x between", options=[f"--shape=x={text}"])


def later_opsets():
    for opset in (23, 24, 25, 26, 27, 28):
        expect_right(f"opset {opset}", single("Relu", [X], opset=opset))
    expect_error("opset 29", single("Relu", [X], opset=29), "opset 29", "1 to 28")
    expect_error("a new operator", single("CumProd", [X], opset=26), "(node culprit)", "CumProd")
    expect_error("an attribute that is gone", single("ReduceMax", [X], opset=18, axes=[1]), "'axes'", "opset 18")
    expect_right("which was there", single("ReduceMax", [X], opset=13, axes=[1]))
    expect_error("one that came later", single("AveragePool", [IMAGE], opset=10, kernel_shape=[2, 2], dilations=[2, 2]),
                 "'dilations'", "opset 10")


def converted_in_part():
    """Graphs of a conversion to 16 bits that left out a cast."""
    expect_error("f16 by f32", single("Mul", [(FLOAT16, [2]), f32(2)]), "operand 1 ('c1')", "expected f16",
                 "operand 0 ('x0')", "got f32")
    expect_error("a scale of f32", single("InstanceNormalization", [(FLOAT16, [1, 2, 3]), f32(2), f32(2)]), "operand 1",
                 "expected f16")
    expect_right("f32 scales of a Resize of f16", single("Resize", [(FLOAT16, [1, 2]), "", np.float32([1, 2])]))


if __name__ == "__main__":
    for cases in (axes_given_twice, windows, operands, recurrent, outputs, twice, open_sizes, later_opsets,
                  converted_in_part):
        cases()
    sys.exit(1 if failures else 0)
