"""Writes ONNX models without the onnx package: just enough of the protobuf wire format.

    graph = Graph(opset=18)
    x = graph.input("x", FLOAT, [2, "N"])
    y = graph.node("Relu", [x])
    graph.output(y, FLOAT, [2, "N"])
    graph.save("relu.onnx")
"""
import numpy as np

FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, UINT32, UINT64 = range(1, 14)
ELEMENT_TYPES = {
    np.dtype(np.float32): FLOAT, np.dtype(np.uint8): UINT8, np.dtype(np.int8): INT8, np.dtype(np.uint16): UINT16,
    np.dtype(np.int16): INT16, np.dtype(np.int32): INT32, np.dtype(np.int64): INT64, np.dtype(np.bool_): BOOL,
    np.dtype(np.float16): FLOAT16, np.dtype(np.float64): DOUBLE, np.dtype(np.uint32): UINT32,
    np.dtype(np.uint64): UINT64,
}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def single(field, value):
    return varint(field << 3 | 5) + np.float32(value).tobytes()


def tensor(name, array):
    """TensorProto with raw_data."""
    array = np.asarray(array, order="C")
    return (b"".join(number(1, size) for size in array.shape) + number(2, ELEMENT_TYPES[array.dtype]) +
            data(8, name) + data(9, array.tobytes()))


def external_tensor(name, element_type, shape, location, offset=None, length=None):
    entries = {"location": location, "offset": offset, "length": length}
    return (b"".join(number(1, size) for size in shape) + number(2, element_type) + data(8, name) +
            b"".join(data(13, data(1, key) + data(2, str(value))) for key, value in entries.items()
                     if value is not None) + number(14, 1))


def value_info(name, element_type, shape):
    dims = b"".join(data(1, data(2, size) if isinstance(size, str) else number(1, size)) for size in shape)
    return data(1, name) + data(2, data(1, number(1, element_type) + data(2, dims)))


class Reference:
    """In the body of a function: the value of an attribute of the function; |kind| is its AttributeType."""
    FLOAT, INT, STRING, TENSOR, GRAPH, FLOATS, INTS = range(1, 8)

    def __init__(self, name, kind):
        self.name, self.kind = name, kind


def attribute(name, value):
    head = data(1, name)
    if isinstance(value, Reference):
        return head + data(21, value.name) + number(20, value.kind)
    if isinstance(value, Graph):
        return head + data(6, value.encode()) + number(20, 5)
    if isinstance(value, np.ndarray):
        return head + data(5, tensor("", value)) + number(20, 4)
    if isinstance(value, str):
        return head + data(4, value) + number(20, 3)
    if isinstance(value, float):
        return head + single(2, value) + number(20, 1)
    if isinstance(value, int):
        return head + number(3, value) + number(20, 2)
    if value and all(isinstance(item, str) for item in value):
        return head + b"".join(data(9, item) for item in value) + number(20, 8)
    if all(isinstance(item, int) for item in value):
        return head + b"".join(number(8, item) for item in value) + number(20, 7)
    return head + b"".join(single(7, item) for item in value) + number(20, 6)


class Graph:
    def __init__(self, opset=18, name="graph"):
        self.opset = opset
        self.name = name
        self.parts = []
        self.nodes = []
        self.functions = []
        self.n_values = 0

    def input(self, name, element_type, shape):
        self.parts.append(data(11, value_info(name, element_type, shape)))
        return name

    def sequence_input(self, name, element_type):
        """A sequence of tensors, of a body."""
        self.parts.append(data(11, data(1, name) + data(2, data(4, data(1, data(1, number(1, element_type)))))))
        return name

    def output(self, name, element_type, shape):
        self.parts.append(data(12, value_info(name, element_type, shape)))

    def result(self, name):
        """An output of which the model says nothing."""
        self.parts.append(data(12, data(1, name)))

    def constant(self, name, array):
        self.parts.append(data(5, tensor(name, array)))
        return name

    def packed(self, name, element_type, shape, content):
        """A constant of two elements a byte."""
        self.parts.append(data(5, b"".join(number(1, size) for size in shape) + number(2, element_type) +
                               data(8, name) + data(9, content.tobytes())))
        return name

    def external(self, name, element_type, shape, location, offset=None, length=None):
        self.parts.append(data(5, external_tensor(name, element_type, shape, location, offset, length)))
        return name

    def node(self, op, inputs, outputs=1, name="", domain="", **attributes):
        """Adds a node; |outputs| is their number or their names. Returns the name, or the names, of its results."""
        if isinstance(outputs, int):
            outputs = [f"v{self.n_values + i}" for i in range(outputs)]
            self.n_values += len(outputs)
        self.nodes.append(b"".join(data(1, value) for value in inputs) +
                          b"".join(data(2, value) for value in outputs) + data(3, name or f"{op}_{outputs[0]}") +
                          data(4, op) + b"".join(data(5, attribute(*item)) for item in attributes.items()) +
                          (data(7, domain) if domain else b""))
        return outputs[0] if len(outputs) == 1 else outputs

    def function(self, name, domain, inputs, outputs, body, attributes=(), defaults=None):
        """Adds a function of the model: the nodes of |body|, a Graph. |attributes| are names without a default."""
        self.functions.append(data(1, name) + b"".join(data(4, value) for value in inputs) +
                              b"".join(data(5, value) for value in outputs) +
                              b"".join(data(6, value) for value in attributes) +
                              b"".join(data(7, node) for node in body.nodes) +
                              data(9, data(1, "") + number(2, body.opset)) + data(10, domain) +
                              b"".join(data(11, attribute(*item)) for item in (defaults or {}).items()))

    def encode(self):
        return b"".join(data(1, node) for node in self.nodes) + b"".join(self.parts) + data(2, self.name)

    def model(self):
        """The ModelProto."""
        return (number(1, 8) + data(7, self.encode()) + data(8, data(1, "") + number(2, self.opset)) +
                b"".join(data(25, function) for function in self.functions))

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self.model())
        return path


class Builder:
    """A graph with one input, of one element type; what a method gives is the name of a value."""

    def __init__(self, dtype, shape, opset):
        self.dtype, self.element = dtype, FLOAT16 if dtype == np.float16 else FLOAT
        self.graph = Graph(opset=opset)
        self.x = self.graph.input("x", self.element, shape)
        self.n_constants = 0

    def number(self, value, dtype=None):
        self.n_constants += 1
        return self.graph.constant(f"c{self.n_constants}", np.array(value, dtype or self.dtype))

    def sizes(self, *value):
        return self.number(value, np.int64)

    def __getattr__(self, op):
        return lambda *operands, **attributes: self.graph.node(op, list(operands), **attributes)
