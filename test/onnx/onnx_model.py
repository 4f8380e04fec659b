"""Reads what a test must know of an ONNX model, without the onnx package: inputs, outputs, and who uses which value."""

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def varint(content, at):
    value = shift = 0
    while True:
        value |= (content[at] & 127) << shift
        shift += 7
        at += 1
        if content[at - 1] < 128:
            return value, at


def fields(content):
    """(number, value) of each field: an int, or bytes."""
    at = 0
    while at < len(content):
        key, at = varint(content, at)
        if key & 7 == VARINT:
            value, at = varint(content, at)
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(key & 7)
            if size is None:
                size, at = varint(content, at)
            value, at = content[at:at + size], at + size
        yield key >> 3, value


def all_of(content, number):
    return [value for field, value in fields(content) if field == number]


def one_of(content, number, otherwise=b""):
    values = all_of(content, number)
    return values[-1] if values else otherwise


def text_of(content, number):
    return one_of(content, number).decode()


class Node:
    def __init__(self, content):
        self.inputs = [name.decode() for name in all_of(content, 1)]
        self.op = text_of(content, 4)
        bodies = [one_of(attribute, 6) for attribute in all_of(content, 5)]
        self.body_nodes = [node for body in bodies if body for node in map(Node, all_of(body, 1))]

    def walk(self):
        yield self
        for node in self.body_nodes:
            yield from node.walk()


class Input:
    """A graph's input; |dims| are numbers or symbols, None where it is no tensor."""

    def __init__(self, content):
        self.name = text_of(content, 1)
        tensor = one_of(one_of(content, 2), 1, None)
        dims = all_of(one_of(tensor, 2), 1) if tensor is not None else []
        sizes = [one_of(dim, 1, None) for dim in dims]
        self.dims = None if tensor is None else [text_of(dim, 2) if size is None else size
                                                 for dim, size in zip(dims, sizes)]


class Model:
    def __init__(self, path):
        with open(path, "rb") as file:
            graph = one_of(file.read(), 7)
        self.nodes = [node for top in map(Node, all_of(graph, 1)) for node in top.walk()]
        self.inputs = [Input(content) for content in all_of(graph, 11)]
        self.n_outputs = len(all_of(graph, 12))

    def uses(self, name):
        """(op, operand) of every use of a value."""
        return [(node.op, i) for node in self.nodes for i, used in enumerate(node.inputs) if used == name]


def tensor_dims(path):
    """The shape of a TensorProto's file."""
    dims = []
    with open(path, "rb") as file:
        for value in all_of(file.read(), 1):
            if isinstance(value, int):
                dims.append(value)
            else:
                at = 0
                while at < len(value):
                    size, at = varint(value, at)
                    dims.append(size)
    return dims
