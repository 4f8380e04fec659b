"""Operators whose form changed from opset to opset: every form gives what NumPy computes.

One model an opset holds all its cases; each case is a result of the model."""
import sys

import numpy as np

import onnx_file
import strata

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((2, 3, 4)).astype(np.float32)
THIN = X.reshape(1, 2, 1, 3, 4)
IMAGE = RANDOM.standard_normal((1, 2, 3, 4)).astype(np.float32)
CHANNELS = [(RANDOM.random(2) + 0.5).astype(np.float32) for _ in range(4)]


def ints(*values):
    return np.array(values, np.int64)


def softmax(x, axes):
    power = np.exp(x - x.max(axis=axes, keepdims=True))
    return power / power.sum(axis=axes, keepdims=True)


def batch_norm(x, scale, bias, mean, variance):
    scale, bias, mean, variance = (v.reshape(-1, 1, 1) for v in (scale, bias, mean, variance))
    return scale * (x - mean) / np.sqrt(variance + 1e-5) + bias


class Model:
    """Operands are arrays: X, THIN, IMAGE and CHANNELS are inputs of the model, others are its constants."""

    def __init__(self, opset):
        self.opset, self.graph, self.names, self.feed, self.expected = opset, onnx_file.Graph(opset=opset), {}, [], []
        for i, array in enumerate([X, THIN, IMAGE, *CHANNELS]):
            self.names[id(array)] = self.graph.input(f"x{i}", onnx_file.FLOAT, array.shape)
            self.feed.append(array)

    def operand(self, array):
        if array is None:
            return ""
        return self.names.get(id(array)) or self.graph.constant(f"c{len(self.graph.parts)}", np.asarray(array))

    def case(self, op, operands, *expected, **attributes):
        outputs = [f"{op}_{len(self.expected) + i}" for i in range(len(expected))]
        self.graph.node(op, [self.operand(array) for array in operands], outputs=outputs, **attributes)
        for name, array in zip(outputs, expected):
            array = np.asarray(array)
            self.graph.output(name, onnx_file.ELEMENT_TYPES[array.dtype], array.shape)
            self.expected.append((name, array))

    def check(self):
        """The number of results that are wrong."""
        path = self.graph.save(f"opset{self.opset}.onnx")
        library, _ = strata.compile_library(path, ".", f"opset{self.opset}", ["--opt-level=0"])
        failed = 0
        for (name, expected), got in zip(self.expected, strata.Library(library).run(self.feed)):
            good = got.shape == expected.shape and np.allclose(got, expected, rtol=1e-5, atol=1e-6)
            failed += not good
            print(f"{'ok  ' if good else 'FAIL'} opset {self.opset} {name}" +
                  ("" if good else f"\n got {got.tolist()}\n expected {expected.tolist()}"))
        return failed


def shapes(model):
    """Sizes, axes, starts and the like: attributes that became operands."""
    opset, case = model.opset, model.case
    late = opset >= 13  # axes of Squeeze, Unsqueeze, ReduceSum, and the sizes of Split
    case("Squeeze", [THIN], THIN.reshape(2, 3, 4))
    for axes in ([0], [0, 2], [-5]):
        out = np.squeeze(THIN, tuple(axes))
        if late:
            case("Squeeze", [THIN, ints(*axes)], out)
        elif min(axes) >= 0 or opset >= 11:
            case("Squeeze", [THIN], out, axes=axes)
    out = np.expand_dims(X, (0, 3))
    case("Unsqueeze", [X, ints(0, 3)], out) if late else case("Unsqueeze", [X], out, axes=[0, 3])
    if opset < 5:
        case("Reshape", [X], X.reshape(2, 12), shape=[0, -1])
    else:
        case("Reshape", [X, ints(0, -1)], X.reshape(2, 12))
    parts = X[..., :1], X[..., 1:]
    if late:
        case("Split", [X, ints(1, 3)], *parts, axis=2)
    elif opset >= 2:
        case("Split", [X], *parts, axis=2, split=[1, 3])
    if opset >= 18:
        case("Split", [X], X[:, :2], X[:, 2:], axis=1, num_outputs=2)
        case("Split", [X], X[..., :2], X[..., 2:], axis=2, num_outputs=2)
    elif opset >= 2:
        case("Split", [X], X[..., :2], X[..., 2:], axis=2)
    if opset < 10:
        case("Slice", [X], X[:, 1:, :-1], starts=[1, 0], ends=[1000, -1], axes=[1, 2])
        case("Slice", [X], X[:1, 1:], starts=[0, 1], ends=[1, 3])
    else:
        case("Slice", [X, ints(1, 0), ints(1000, -1), ints(1, 2)], X[:, 1:, :-1])
        case("Slice", [X, ints(-1), ints(-1000), ints(1), ints(-2)], X[:, ::-2])
    if opset < 2:
        case("Pad", [X], np.pad(X, ((0, 0), (1, 0), (0, 2)), constant_values=3), paddings=[0, 1, 0, 0, 0, 2], value=3.0)
    elif opset < 11:
        case("Pad", [X], np.pad(X, ((0, 0), (1, 0), (0, 2)), constant_values=3), pads=[0, 1, 0, 0, 0, 2], value=3.0)
    else:
        case("Pad", [X, ints(0, 1, 0, 0, 0, 2), np.float32(3)],
             np.pad(X, ((0, 0), (1, 0), (0, 2)), constant_values=3))
    if opset >= 18:
        case("Pad", [X, ints(1, 2), None, ints(-1)], np.pad(X, ((0, 0), (0, 0), (1, 2))))


def arithmetic(model):
    opset, case = model.opset, model.case
    if opset < 11:
        case("Clip", [X], np.clip(X, -0.5, 0.25), min=-0.5, max=0.25)
        case("Clip", [X], np.minimum(X, 0.25), max=0.25)
    else:
        case("Clip", [X, np.float32(-0.5), np.float32(0.25)], np.clip(X, -0.5, 0.25))
        case("Clip", [X, None, np.float32(0.25)], np.minimum(X, 0.25))
        case("Clip", [X, np.float32(-0.5)], np.maximum(X, -0.5))
    middle, bias = np.arange(3, dtype=np.float32), np.float32([1, 2, 3])
    if opset < 7:
        case("Add", [X, middle], X + middle[:, None], broadcast=1, axis=1)
        case("Mul", [X, X[0, 0]], X * X[0, 0], broadcast=1)
        case("Gemm", [X[0], X[1].T, bias], X[0] @ X[1].T + bias, broadcast=1)
    else:
        case("Add", [X, middle[:, None]], X + middle[:, None])
        case("Gemm", [X[0], X[1], bias], X[0] @ X[1].T + bias, transB=1)
    case("Gemm", [X[0], X[1].T, np.ones((3, 3), np.float32)], X[0] @ X[1].T + 1)


def reductions(model):
    opset, case = model.opset, model.case
    # Before opset 13 the axes from the given one on are one.
    case("Softmax", [X], softmax(X, (1, 2) if opset < 13 else 1), axis=1)
    case("Softmax", [X], softmax(X, (1, 2) if opset < 13 else 2))
    case("LogSoftmax", [X], np.log(softmax(X, (1, 2) if opset < 13 else 1)), axis=1)
    flat = X.reshape(2, 12)
    hardmax = (flat == flat.max(1, keepdims=True)).reshape(X.shape) if opset < 13 else X == X.max(1, keepdims=True)
    case("Hardmax", [X], hardmax.astype(np.float32), axis=1)
    out = X.sum(1, keepdims=True)
    case("ReduceSum", [X], out, axes=[1]) if opset < 13 else case("ReduceSum", [X, ints(1)], out)
    out = X.max((0, 2))
    if opset < 18:
        case("ReduceMax", [X], out, axes=[0, 2], keepdims=0)
    else:
        case("ReduceMax", [X, ints(0, 2)], out, keepdims=0)
        case("ReduceMax", [X], X, noop_with_empty_axes=1)
    case("ReduceMean", [X], X.mean(keepdims=True))
    order = np.argsort(-X, axis=1, kind="stable")[:, :2]
    values = np.take_along_axis(X, order, 1)
    if opset < 10:
        case("TopK", [X], values, order, axis=1, k=2)
    else:
        case("TopK", [X, ints(2)], values, order, axis=1)


def layers(model):
    opset, case = model.opset, model.case
    old = {"is_test": 1} if opset < 7 else {}
    spatial = {"spatial": 1} if opset < 9 else {}
    case("BatchNormalization", [IMAGE, *CHANNELS], batch_norm(IMAGE, *CHANNELS), **old, **spatial)
    case("Dropout", [X], X, **old)
    if opset < 12:
        case("Dropout", [X], X, np.ones(X.shape, bool if opset >= 10 else np.float32), ratio=0.25, **old)
    else:
        case("Dropout", [X, np.float32(0.25), np.bool_(False)], X, np.ones(X.shape, bool))
        case("Dropout", [X, np.float32(0), np.bool_(True)], X)
    twice = IMAGE.repeat(2, axis=2).repeat(3, axis=3)
    scales = np.float32([1, 1, 2, 3])
    if 7 <= opset < 9:
        case("Upsample", [IMAGE], twice, scales=[1.0, 1.0, 2.0, 3.0])
    elif opset == 9:
        case("Upsample", [IMAGE, scales], twice)
    elif opset == 10:
        case("Resize", [IMAGE, scales], twice)
    elif opset > 10:
        case("Resize", [IMAGE, None, scales], twice, coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        case("Resize", [IMAGE, None, None, ints(1, 2, 6, 12)], twice)
    if opset >= 9:
        case("ConstantOfShape", [ints(2, 3)], np.full((2, 3), 7, np.int64), value=ints(7))


def refused(opset, op, operands, text, **attributes):
    """A form that is not supported says so; 1 if it does not."""
    model = Model(opset)
    model.case(op, operands, X, name="culprit", **attributes)
    try:
        strata.strata(model.graph.save("refused.onnx"), "--compile-to=import")
        error = "no error"
    except strata.CompileError as caught:
        error = str(caught)
    good = "(node culprit)" in error and text in error
    print(f"{'ok  ' if good else 'FAIL'} opset {opset} {op} is refused: {error.strip()}")
    return not good


def main():
    failed = 0
    for opset in (1, 2, 5, 6, 7, 9, 10, 11, 12, 13, 18, 22, 23, 24, 25, 28):
        model = Model(opset)
        for cases in (shapes, arithmetic, reductions, layers):
            cases(model)
        failed += model.check()
    failed += refused(6, "BatchNormalization", [IMAGE, *CHANNELS], "spatial = 0", is_test=1, spatial=0)
    failed += refused(6, "Upsample", [IMAGE], "before opset 7", mode="nearest", height_scale=2.0, width_scale=3.0)
    failed += refused(5, "Cast", [X], "before opset 6", to="INT64")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
