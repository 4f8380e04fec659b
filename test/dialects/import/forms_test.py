"""Ordinary forms of operators: results that nothing reads, loops that end by their condition, axes from the end, reductions
of integers, what opsets 23 to 28 added to old operators."""
import sys

import numpy as np

import onnx_file
import strata
from onnx_file import BOOL, FLOAT, FLOAT16, INT64, Graph

failures = 0
X = np.linspace(-2, 3, 24, dtype=np.float32).reshape(2, 3, 4)
IMAGE = np.linspace(-1, 2, 2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)


def report(name, good, text=""):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name} {text if not good else ''}")


class Model:
    """Nodes of many cases in one graph."""

    def __init__(self, opset):
        self.graph, self.opset = Graph(opset=opset), opset
        self.feed, self.expected = [], []

    def operand(self, array, constant=False):
        name = f"in{len(self.feed)}_{self.graph.n_values}"
        self.graph.n_values += 1
        if constant:
            return self.graph.constant(name, array)
        self.feed.append(array)
        return self.graph.input(name, onnx_file.ELEMENT_TYPES[array.dtype], array.shape)

    def result(self, name, value, expected):
        expected = np.asarray(expected)
        self.graph.output(value, onnx_file.ELEMENT_TYPES[expected.dtype], expected.shape)
        self.expected.append((name, expected))

    def check(self):
        path = self.graph.save(f"forms{self.opset}.onnx")
        library, _ = strata.compile_library(path, ".", f"forms{self.opset}", ["--opt-level=0"])
        for (name, want), got in zip(self.expected, strata.Library(library).run(self.feed)):
            good = got.shape == want.shape and np.allclose(got.astype(np.float64), want, rtol=2e-3, atol=1e-5)
            report(f"opset {self.opset} {name}", good, f"\ngot {got.tolist()}\nexpected {want.tolist()}")


def statistics():
    """Five results of BatchNormalization mean training before opset 14, even where nothing reads them."""
    model = Model(9)
    scale, bias, mean, var = (np.float32(v) for v in ([1, 2, 3], [0, 1, 2], [.1, .2, .3], [1, 2, .5]))
    names = [model.operand(v, True) for v in (scale, bias, mean, var)]
    x = model.operand(IMAGE)
    own = [IMAGE.mean((0, 2, 3)), IMAGE.var((0, 2, 3))]
    line = (-1, 1, 1)

    def norm(m, v):
        return (IMAGE - m.reshape(line)) / np.sqrt(v.reshape(line) + 1e-5) * scale.reshape(line) + bias.reshape(line)

    model.result("one result", model.graph.node("BatchNormalization", [x, *names]), norm(mean, var))
    results = model.graph.node("BatchNormalization", [x, *names], 5)
    model.result("five results, of which one is read", results[0], norm(*own))
    results = model.graph.node("BatchNormalization", [x, *names], 5)
    model.result("the new mean", results[1], mean * 0.9 + own[0] * 0.1)
    model.check()


def unread():
    model = Model(17)
    x = model.operand(X)
    model.result("Dropout", model.graph.node("Dropout", [x], 2)[0], X)
    model.result("LayerNormalization", model.graph.node("LayerNormalization", [x, model.operand(np.ones(4, np.float32), True)], 3)[0],
                 (X - X.mean(-1, keepdims=True)) / np.sqrt(X.var(-1, keepdims=True) + 1e-5))
    image = model.operand(IMAGE)
    model.result("MaxPool", model.graph.node("MaxPool", [image], 2, kernel_shape=[4, 5])[0], IMAGE.max((2, 3), keepdims=True))
    model.result("Split", model.graph.node("Split", [x], 2, axis=2)[1], X[..., 2:])
    model.result("TopK", model.graph.node("TopK", [x, model.operand(np.array([1]), True)], 2)[1], np.full((2, 3, 1), 3))
    model.check()


def reductions():
    model = Model(18)
    for dtype in (np.int32, np.int64):
        values = np.arange(1, 25, dtype=dtype).reshape(2, 3, 4)
        x, axes = model.operand(values), model.operand(np.array([-1, 0]), True)
        for op, expected in (("ReduceLogSum", np.log(values.sum((0, 2)))), ("ReduceL2", np.sqrt((values**2.0).sum((0, 2)))),
                             ("ReduceLogSumExp", np.log(np.exp(values.astype(np.float64)).sum((0, 2)))),
                             ("ReduceMean", values.mean((0, 2)))):
            model.result(f"{op} of {dtype.__name__}", model.graph.node(op, [x, axes], keepdims=0), expected.astype(dtype))
    model.result("Transpose from the end", model.graph.node("Transpose", [model.operand(X)], perm=[-1, 0, -2]),
                 X.transpose(2, 0, 1))
    model.check()


def loop_body(limit):
    """i, state: goes on while i + 1 < limit; the state doubles, and is collected."""
    body = Graph(name="body")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.input("state", FLOAT, [2])
    body.constant("one", np.int64(1))
    body.constant("limit", np.int64(limit))
    body.node("Add", ["i", "one"], ["next"])
    body.node("Less", ["next", "limit"], ["on"])
    body.node("Add", ["state", "state"], ["doubled"])
    body.node("Identity", ["doubled"], ["seen"])
    for name, kind, shape in (("on", BOOL, []), ("doubled", FLOAT, [2]), ("seen", FLOAT, [2])):
        body.output(name, kind, shape)
    return body


def loops():
    model = Model(16)
    start = np.float32([1, -3])
    yes = model.operand(np.bool_(True), True)
    state, seen = model.graph.node("Loop", ["", yes, model.operand(start)], 2, body=loop_body(5))
    model.result("a loop without a count", state, start * 32)
    model.result("what it collects", seen, np.stack([start * 2**k for k in range(1, 6)]))
    state, _ = model.graph.node("Loop", ["", "", model.operand(start)], 2, body=loop_body(3))
    model.result("nor a condition", state, start * 8)
    model.check()
    refused("an endless loop", 18, "goes on after 4096", "it collects values", body=loop_body(1 << 40))


def refused(name, opset, *pieces, body):
    graph = Graph(opset=opset)
    yes = graph.constant("yes", np.bool_(True))
    _, seen = graph.node("Loop", ["", yes, graph.input("x", FLOAT, [2])], 2, name="culprit", body=body)
    graph.output(seen, FLOAT, ["n", 2])
    try:
        strata.strata(graph.save("refused.onnx"), "--compile-to=import")
        error = "no error"
    except strata.CompileError as caught:
        error = str(caught)
    report(name, all(piece in error for piece in ("(node culprit)", "Loop", *pieces)), error)


def new_forms():
    model = Model(28)
    space = np.arange(2 * 3 * 4 * 6, dtype=np.float32).reshape(2, 3, 4, 6)
    blocks = space.reshape(2, 3, 2, 2, 3, 2)
    x = model.operand(space)
    model.result("SpaceToDepth by columns", model.graph.node("SpaceToDepth", [x], blocksize=2, mode="CRD"),
                 blocks.transpose(0, 1, 3, 5, 2, 4).reshape(2, 12, 2, 3))
    model.result("SpaceToDepth by blocks", model.graph.node("SpaceToDepth", [x], blocksize=2, mode="DCR"),
                 blocks.transpose(0, 3, 5, 1, 2, 4).reshape(2, 12, 2, 3))
    small = np.array([-128, -7, 0, 5, 127], np.int8)
    model.result("DequantizeLinear to f16", model.graph.node(
        "DequantizeLinear", [model.operand(small), model.operand(np.float32(0.5), True)], output_dtype=FLOAT16),
        (small * 0.5).astype(np.float16))
    signed = np.array([-9, 9, -1], np.int32)
    for direction, expected in (("RIGHT", signed >> 1), ("LEFT", signed << 1)):
        model.result(f"BitShift {direction} of signed", model.graph.node(
            "BitShift", [model.operand(signed), model.operand(np.ones(3, np.int32))], direction=direction), expected)
    a, b = np.float32([5.5, -5.5, 5.5, -5.5]), np.float32([3, 3, -3, -3])
    model.result("Mod of floats", model.graph.node("Mod", [model.operand(a), model.operand(b)]), np.mod(a, b))
    ends = [model.operand(np.float16(v), True) for v in (0, 4096, 1)]
    model.result("a Range of f16", model.graph.node("Range", ends), np.arange(4096, dtype=np.float32).astype(np.float16))
    model.check()


if __name__ == "__main__":
    for cases in (statistics, unread, reductions, loops, new_forms):
        cases()
    sys.exit(1 if failures else 0)
