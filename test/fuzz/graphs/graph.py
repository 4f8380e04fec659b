"""A graph: nodes over named values, each of an element type and with a value, so that it may be cut anywhere."""
import numpy as np

import onnx_file

# Our name of an element type: ONNX's number, NumPy's type of what is passed, significant bits, smallest normal number.
TYPES = {
    "f16": (10, np.float16), "f32": (1, np.float32), "f64": (11, np.float64),
    "i8": (3, np.int8), "u8": (2, np.uint8), "i16": (5, np.int16), "u16": (4, np.uint16), "i32": (6, np.int32),
    "u32": (12, np.uint32), "i64": (7, np.int64), "u64": (13, np.uint64), "b": (9, np.bool_),
    "i4": (22, np.int8), "u4": (21, np.uint8),
}
FLOATS = ("f16", "f32", "f64")
OPSET = 21


def number(kind):
    return TYPES[kind][0]


def dtype(kind):
    return np.dtype(TYPES[kind][1])


def is_float(kind):
    return kind in FLOATS


def packed(array, kind):
    """The bytes as a library or ONNX Runtime takes them."""
    array = np.asarray(array, dtype(kind), order="C")
    if kind not in ("i4", "u4"):
        return array
    flat = array.ravel().view(np.uint8) & 15
    flat = np.append(flat, np.zeros(flat.size % 2, np.uint8))
    return flat[0::2] | flat[1::2] << 4


def unpacked(content, kind, shape):
    """The inverse, from the bytes."""
    if kind not in ("i4", "u4"):
        return content.view(dtype(kind)).reshape(shape)
    flat = np.stack([content & 15, content >> 4], -1).ravel()[:int(np.prod(shape))].reshape(shape)
    return flat if kind == "u4" else (flat ^ 8).astype(np.int8) - 8


class Node:
    def __init__(self, op, inputs, outputs, attributes):
        self.op, self.inputs, self.outputs, self.attributes = op, inputs, outputs, attributes

    def __repr__(self):
        text = ", ".join(f"{key}={value!r}" for key, value in self.attributes.items())
        return f"{', '.join(self.outputs)} = {self.op}({', '.join(self.inputs)}) {text}"


class Graph:
    """|values| has the value of every name (floats as float64), |kinds| its element type."""

    def __init__(self):
        self.inputs, self.constants, self.nodes, self.outputs = [], [], [], []
        self.values, self.kinds = {}, {}
        self.options = []

    def add_value(self, name, kind, value):
        self.kinds[name], self.values[name] = kind, value

    def prune(self):
        """Drops what no output depends on."""
        needed, nodes = set(self.outputs), []
        for node in reversed(self.nodes):
            if needed.intersection(node.outputs):
                needed.update(node.inputs)
                nodes.append(node)
        self.nodes = nodes[::-1]
        self.inputs = [name for name in self.inputs if name in needed]
        self.constants = [name for name in self.constants if name in needed]

    def cut(self, outputs, new_inputs=()):
        """What computes |outputs| where |new_inputs| are given, and with each all results of its node."""
        new_inputs = list(new_inputs) + [name for node in self.nodes if set(node.outputs) & set(new_inputs)
                                         for name in node.outputs if name not in new_inputs]
        other = Graph()
        other.__dict__.update(self.__dict__)
        other.outputs = list(outputs)
        other.inputs = self.inputs + [name for name in dict.fromkeys(new_inputs) if name not in self.inputs]
        other.nodes = [node for node in self.nodes if not set(node.outputs) & set(new_inputs)]
        other.prune()
        return other

    def passed(self, name):
        """The value as it is passed to a library."""
        return self.values[name].astype(dtype(self.kinds[name]))

    def model(self, names=None):
        """The bytes of the ModelProto. A constant named c… is an initialiser, one named k… a node Constant. |names|:
        of the sizes of inputs that are left open; then those of results are as well."""
        names = names or {}
        writer = onnx_file.Graph(OPSET)
        for name in self.inputs:
            writer.input(name, number(self.kinds[name]), [names.get(size, size) for size in self.values[name].shape])
        for name in self.constants:
            if name.startswith("k"):
                writer.node("Constant", [], [name], value=self.passed(name))
            else:
                writer.constant(name, self.passed(name))
        for node in self.nodes:
            writer.node(node.op, node.inputs, node.outputs, **node.attributes)
        for name in self.outputs:
            shape = self.values[name].shape
            writer.output(name, number(self.kinds[name]), [""] * len(shape) if names else shape)
        return writer.model()

    def describe(self):
        lines = [f"{'input' if name in self.inputs else 'constant'} {name}: {self.kinds[name]}"
                 f"{list(self.values[name].shape)}" for name in self.inputs + self.constants]
        lines += [f"{node}  : {', '.join(f'{self.kinds[x]}{list(self.values[x].shape)}' for x in node.outputs if x)}"
                  for node in self.nodes]
        return "\n".join(lines + [f"outputs {', '.join(self.outputs)}", f"options {' '.join(self.options)}"])
