"""Whole models with their batch, and the length of their sequences, left open, beside ONNX Runtime:

    venv/bin/python test/models/open_sizes.py MODEL.onnx [--length 128] [--batches 1,2,7] [--lengths 1,17,128]
    venv/bin/python test/models/open_sizes.py MODEL.onnx [--length 128] --write FOLDER

A model that was exported for batch 1 and one length is rewritten: the first dim of its inputs is `batch`, those of
the size --length are `length`, of --length + 1 (a cache with what is new) `length + 1`; what Reshape and Expand have as
constants of these is taken from the shape of an input, and constants that are as long, of positions and masks, are made
as long as --longest and cut to the length of a call. --write keeps the model, with its weights. Needs onnx and
onnxruntime (PyPI) and numpy.
"""
import argparse
import os
import shutil
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper, reference

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import strata  # noqa: E402

FEW = 64  # elements of a constant that may be a shape


def is_outside(tensor):
    return tensor.data_location == onnx.TensorProto.EXTERNAL


def continued(table, axes, longest):
    """|table|, whose |axes| are positions, for |longest| of them: what is linear goes on, a mask by its diagonals, and what
    is neither, as weights drawn at random, is repeated."""
    length, at = table.shape[axes[0]], np.arange(longest)
    if table.dtype == np.bool_ and len(axes) == 2:
        offset = np.clip(at[:, None] - at[None], 1 - length, length - 1)
        rows = np.moveaxis(table, axes, (0, 1))[np.maximum(offset, 0), np.maximum(-offset, 0)]
        longer = np.moveaxis(rows, (0, 1), axes)
    else:
        first, second = (np.take(table, [i], axes[0]).astype(np.float64) for i in (0, 1))
        shape = [longest if axis == axes[0] else 1 for axis in range(table.ndim)]
        longer = (first + at.reshape(shape) * (second - first)).astype(table.dtype)
    old = longer[tuple(slice(length if axis in axes else None) for axis in range(table.ndim))]
    if old.shape == table.shape and np.allclose(old, table, rtol=1e-3):
        return longer
    for axis in axes:
        table = np.take(table, at % length, axis)
    return table


class Opener:
    def __init__(self, model, folder, length, longest, fixed):
        self.model, self.graph, self.folder, self.new = model, model.graph, folder, []
        self.fixed = fixed
        self.length, self.longest = length, longest
        self.constants = {tensor.name: tensor for tensor in self.graph.initializer}
        self.constants |= {node.output[0]: node.attribute[0].t for node in self.graph.node if node.op_type == "Constant"
                           and node.attribute[0].name == "value"}
        self.inputs = [value for value in self.graph.input if value.name not in self.constants]
        inferred = onnx.shape_inference.infer_shapes(model).graph
        self.shapes = {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
                       for value in [*inferred.value_info, *inferred.output, *model.graph.input]}
        self.folded, self.batch = self.fold(), {}

    def place(self, name, shape):
        """Where in a reshaped |shape| the batch of the value |name| is: in the dim that begins where it does; at the end of
        the one in front of that, if it is the last one, which are features."""
        old, (axis, inner) = self.shapes[name], self.batch[name]
        before, at = int(np.prod(old[:axis])) * inner, 0
        numbers = [int(np.prod(old)) // -int(np.prod(shape)) if number == -1 else number for number in shape]
        while at < len(numbers) - 1 and int(np.prod(numbers[:at])) < before:
            at += 1
        at -= at == len(numbers) - 1 and at > 0 and numbers[at] > 1
        return at, max(before // int(np.prod(numbers[:at])), 1)

    def follow(self, node):
        """The dim of the result of |node| that has the batch, and how many elements of it are in front of that; None: it has
        none."""
        name = next((name for name in node.input if name in self.batch), None)
        if name is None:
            return None
        (axis, inner), rank = self.batch[name], len(self.shapes.get(name, ()))
        attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        if node.op_type in ("Reshape", "Flatten"):
            shape = self.folded.get(node.input[1]) if len(node.input) > 1 else None
            return (0, 1) if shape is None else self.place(name, shape.tolist())
        if node.op_type == "Transpose":
            axis = list(attributes["perm"]).index(axis)
        elif node.op_type == "Gather" and name == node.input[0]:
            is_number = self.folded.get(node.input[1], np.zeros(1)).ndim == 0
            axis -= is_number and attributes.get("axis", 0) % rank < axis
        elif node.op_type == "Squeeze":
            axis -= sum(each % rank < axis for each in self.folded[node.input[1]].ravel().tolist())
        elif node.op_type == "Unsqueeze":
            axes = self.folded[node.input[1]].ravel().tolist()
            axes = [each % (rank + len(axes)) for each in axes]
            axis = [i for i in range(rank + len(axes)) if i not in axes][axis]
        else:
            axis += max(len(self.shapes.get(node.output[0], range(rank))) - rank, 0)
        return axis, inner

    def fold(self):
        """Values of a few integers that need no input."""
        known = {name: numpy_helper.to_array(tensor) for name, tensor in self.constants.items()
                 if not is_outside(tensor) and np.prod(tensor.dims) <= FEW and tensor.data_type == onnx.TensorProto.INT64}
        for node in self.graph.node:
            if node.op_type in ("Constant", "Concat") and all(name in known for name in node.input):
                opset = {entry.domain: entry.version for entry in self.model.opset_import}
                value = reference.ReferenceEvaluator(node, opsets=opset).run(None, {x: known[x] for x in node.input})[0]
                if np.asarray(value).dtype == np.int64:
                    known[node.output[0]] = np.asarray(value)
        return known

    def node(self, op, inputs, **attributes):
        name = f"open_{len(self.new)}"
        self.new.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def numbers(self, *values):
        return self.node("Constant", [], value=numpy_helper.from_array(np.array(values, np.int64)))

    def open_inputs(self):
        """A size each, of batch, length and one more, as values."""
        found = {}
        for value in self.inputs:
            for axis, dim in enumerate(value.type.tensor_type.shape.dim if value.name not in self.fixed else ()):
                name = dim.dim_param or ("batch" if axis == 0 and dim.dim_value == 1 else "")
                name = "batch" if name == "N" else "length" if dim.dim_value == self.length else name
                if not name:
                    continue
                if name == "batch" and not dim.dim_param:
                    self.batch[value.name] = axis, 1
                dim.dim_param = name
                if name not in found:
                    shape = self.node("Shape", [value.name])
                    found[name] = self.node("Gather", [shape, self.numbers(axis)], axis=0)
        if "length" in found:
            found["length + 1"] = self.node("Add", [found["length"], self.numbers(1)])
        return found

    def open_shape(self, node, sizes):
        """The constant shape of |node| with sizes of the call."""
        parts, of = [], self.shapes[node.input[0]]
        for i, number in enumerate(self.folded[node.input[1]].tolist()):
            if number == self.length and "length" in sizes:
                parts.append(sizes["length"])
            elif number == self.length + 1 and number in of and "length" in sizes:
                parts.append(sizes["length + 1"])
            elif i == self.batch.get(node.output[0], (None,))[0] and number != -1:
                parts.append(sizes["batch"] if number == 1 else self.node("Mul", [sizes["batch"], self.numbers(number)]))
            else:
                parts.append(self.numbers(number))
        return self.node("Concat", parts, axis=0)

    def open_tables(self, sizes):
        """Constants along the length, cut to that of a call: their new names."""
        cut = {}
        for name, tensor in self.constants.items():
            axes = [i for i, size in enumerate(tensor.dims) if size == self.length]
            if not axes or "length" not in sizes or len(tensor.dims) < 2 or tensor.dims[0] not in (1, self.length):
                continue
            table = continued(numpy_helper.to_array(tensor, self.folder if is_outside(tensor) else ""), axes, self.longest)
            tensor.CopyFrom(numpy_helper.from_array(table, name))
            ends = self.node("Concat", [sizes["length"]] * len(axes), axis=0)
            cut[name] = self.node("Slice", [name, self.numbers(*[0] * len(axes)), ends, self.numbers(*axes)])
        return cut

    def open_token(self, node, sizes):
        """Constants that are joined to each entry of the batch, as a token for the class, are there once for each."""
        axis = node.attribute[0].i
        for i, name in enumerate(node.input):
            tensor = self.constants.get(name)
            if tensor and axis > 0 and tensor.dims[0] == 1 and "batch" in sizes:
                ones = [self.numbers(1)] * (len(tensor.dims) - 1)
                node.input[i] = self.node("Expand", [name, self.node("Concat", [sizes["batch"], *ones], axis=0)])

    def rewrite(self):
        sizes = self.open_inputs()
        cut = self.open_tables(sizes)
        kept = [node for node in self.graph.node if node.op_type != "Constant"]
        for node in kept:
            batch = self.follow(node)
            self.batch |= {name: batch for name in node.output if batch is not None}
            for i, name in enumerate(node.input):
                node.input[i] = cut.get(name, name)
            if node.op_type in ("Reshape", "Expand") and node.input[1] in self.folded and node.input[0] in self.shapes:
                node.input[1] = self.open_shape(node, sizes)
            elif node.op_type == "Concat" and batch is not None:
                self.open_token(node, sizes)
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


def names(opener):
    return {dim.dim_param for value in opener.inputs for dim in value.type.tensor_type.shape.dim if dim.dim_param}


def compare(arguments, opener, path):
    """How many sets of sizes are wrong."""
    bad, options = 0, onnxruntime.SessionOptions()
    options.log_severity_level = 3  # nothing of unused initializers
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC  # more crash on f16's ViT
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    with tempfile.TemporaryDirectory() as out:
        library = strata.Library(strata.compile_library(path, out, "opened")[0])
        lengths = arguments.lengths if "length" in names(opener) else [0]
        for sizes in [{"batch": b, "length": s} for b in arguments.batches for s in lengths]:
            inputs = dict(feeds(opener.model, opener, sizes, np.random.default_rng(1)))
            got = library.run(list(inputs.values()), library.sizes_of([x.shape for x in inputs.values()]))
            error = max(map(difference, got, session.run(None, inputs)))
            bad += not error < arguments.error
            print(f"{os.path.basename(arguments.model)} {sizes}: {error:.1e}", flush=True)
    return bad


def write(model, source, arguments):
    """|model| with its weights beside it."""
    folder = arguments.write
    os.makedirs(folder, exist_ok=True)
    for location in sorted({entry.value for tensor in model.graph.initializer if is_outside(tensor)
                            for entry in tensor.external_data if entry.key == "location"}):
        if not os.path.exists(os.path.join(folder, location)):
            shutil.copyfile(os.path.join(source, location), os.path.join(folder, location))
    onnx.save(model, os.path.join(folder, os.path.basename(arguments.model)))


def main(arguments):
    folder = os.path.dirname(os.path.abspath(arguments.model))
    model = onnx.load(arguments.model, load_external_data=False)
    opener = Opener(model, folder, arguments.length, arguments.longest, arguments.fixed)
    opener.rewrite()
    assert names(opener), "no size of the inputs was opened"
    if arguments.write:
        write(model, folder, arguments)
        return 0
    path = os.path.join(folder, f".open_{os.getpid()}.onnx")  # beside its weights
    try:
        onnx.save(model, path)
        return compare(arguments, opener, path)
    finally:
        os.remove(path)


def numbers_of(text):
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--length", type=int, default=-1)
    parser.add_argument("--longest", type=int, default=512)
    parser.add_argument("--batches", type=numbers_of, default=[1, 2, 7])
    parser.add_argument("--lengths", type=numbers_of, default=[1, 17, 128, 511])
    parser.add_argument("--error", type=float, default=1e-4)
    parser.add_argument("--fixed", type=lambda text: text.split(","), default=[], help="inputs that stay as they are")
    parser.add_argument("--write", metavar="FOLDER")
    sys.exit(min(main(parser.parse_args()), 100))
