"""Whole models with their batch, and the length of their sequences, left open, beside ONNX Runtime:

    venv/bin/python test/models/open_sizes.py MODEL.onnx [--length 128] [--batches 1,2,7] [--lengths 1,17,128]

A model that was exported for batch 1 and one length is rewritten: the first dim of its inputs is `batch`, those of
the size --length are `length`; what Reshape and Expand have as constants of these is taken from the shape of the first
input, and constants that are as long are cut to the length of a call. Needs onnx and onnxruntime (PyPI) and numpy.
"""
import argparse
import os
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import strata  # noqa: E402


class Opener:
    def __init__(self, model, length):
        self.model, self.graph, self.length, self.new = model, model.graph, length, []
        self.constants = {tensor.name: tensor for tensor in self.graph.initializer}
        self.constants |= {node.output[0]: node.attribute[0].t for node in self.graph.node if node.op_type == "Constant"
                           and node.attribute[0].name == "value"}
        self.inputs = [value for value in self.graph.input if value.name not in self.constants]

    def node(self, op, inputs, **attributes):
        name = f"open_{len(self.new)}"
        self.new.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def numbers(self, *values):
        return self.node("Constant", [], value=numpy_helper.from_array(np.array(values, np.int64)))

    def open_inputs(self):
        """A size each, of batch and length, as values."""
        found, shape = {}, self.node("Shape", [self.inputs[0].name])
        for value in self.inputs:
            for axis, dim in enumerate(value.type.tensor_type.shape.dim):
                name = "batch" if axis == 0 and dim.dim_value == 1 else "length" if dim.dim_value == self.length else None
                if name:
                    dim.dim_param = name
                if name and value is self.inputs[0]:
                    found.setdefault(name, self.node("Gather", [shape, self.numbers(axis)], axis=0))
        return found

    def open_shape(self, constant, sizes):
        """A constant that is a shape, with sizes of the call; a first size that is a multiple of the batch is left open."""
        parts, numbers = [], numpy_helper.to_array(constant).tolist()
        for i, number in enumerate(numbers):
            if number == self.length and "length" in sizes:
                parts.append(sizes["length"])
            elif i == 0 and number == 1 and "batch" in sizes:
                parts.append(sizes["batch"])
            else:
                parts.append(self.numbers(-1 if i == 0 and -1 not in numbers else number))
        return self.node("Concat", parts, axis=0)

    def rewrite(self):
        sizes, cut = self.open_inputs(), {}
        kept = [node for node in self.graph.node if node.op_type != "Constant"]
        for name, tensor in self.constants.items():
            axes = [i for i, size in enumerate(tensor.dims) if size == self.length and "length" in sizes]
            if axes and len(tensor.dims) > 1 and tensor.dims[0] in (1, self.length):
                n = len(axes)
                ends = self.node("Concat", [sizes["length"]] * n, axis=0)
                cut[name] = self.node("Slice", [name, self.numbers(*[0] * n), ends, self.numbers(*axes)])
        for node in kept:
            for i, name in enumerate(node.input):
                node.input[i] = cut.get(name, name)
            if node.op_type in ("Reshape", "Expand") and node.input[1] in self.constants:
                node.input[1] = self.open_shape(self.constants[node.input[1]], sizes)
        made = [node for node in self.graph.node if node.op_type == "Constant"]
        for value in self.graph.output:
            value.type.tensor_type.ClearField("shape")
        del self.graph.node[:], self.graph.value_info[:]
        self.graph.node.extend(made + self.new + kept)
        return self.model


def feeds(model, opener, sizes, rng):
    for value in opener.inputs:
        tensor = value.type.tensor_type
        shape = [sizes[dim.dim_param] if dim.dim_param else dim.dim_value for dim in tensor.shape.dim]
        kind = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        yield value.name, (rng.integers(0, 100, shape) if kind.kind in "iu" else rng.standard_normal(shape)).astype(kind)


def difference(got, wanted):
    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    return np.linalg.norm(got - wanted) / (np.linalg.norm(wanted) + 1e-30) if got.shape == wanted.shape else np.inf


def main(arguments):
    model = onnx.load(arguments.model, load_external_data=False)
    opener, bad = Opener(model, arguments.length), 0
    folder = os.path.dirname(os.path.abspath(arguments.model))
    path = os.path.join(folder, f".open_{os.getpid()}.onnx")  # beside its weights
    try:
        onnx.save(opener.rewrite(), path)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        with tempfile.TemporaryDirectory() as out:
            library = strata.Library(strata.compile_library(path, out, "opened")[0])
            lengths = arguments.lengths if any(dim.dim_param == "length" for value in opener.inputs
                                               for dim in value.type.tensor_type.shape.dim) else [0]
            for sizes in [{"batch": b, "length": s} for b in arguments.batches for s in lengths]:
                inputs = dict(feeds(model, opener, sizes, np.random.default_rng(1)))
                got = library.run(list(inputs.values()), library.sizes_of([x.shape for x in inputs.values()]))
                error = max(map(difference, got, session.run(None, inputs)))
                bad += not error < arguments.error
                print(f"{os.path.basename(arguments.model)} {sizes}: {error:.1e}", flush=True)
    finally:
        os.remove(path)
    return bad


def numbers(text):
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--length", type=int, default=-1)
    parser.add_argument("--batches", type=numbers, default=[1, 2, 7])
    parser.add_argument("--lengths", type=numbers, default=[1, 17, 128])
    parser.add_argument("--error", type=float, default=1e-4)
    sys.exit(min(main(parser.parse_args()), 100))
