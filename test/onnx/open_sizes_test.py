"""The stored random graphs with sizes of their inputs left open, at the sizes that they have results for: what is refused
is refused cleanly, what is compiled is right, between guard pages. Which graphs and which sizes: a new seed each run,
STRATA_SEED repeats one, STRATA_GRAPHS says how many. fuzz/graphs makes other graphs, --modes varies.
"""
import os
import re
import sys
import tempfile

import numpy as np

import guarded
import onnx_file
import stored_graphs
import stored_graphs_test
import strata

COUNT = int(os.environ.get("STRATA_GRAPHS", 25))
GRAPH, INPUT, OUTPUT, TYPE, TENSOR, SHAPE, DIM, VALUE = 7, 11, 12, 2, 1, 2, 1, 1


# -- models -----------------------------------------------------------------------------------------------------------

def read_varint(content, at):
    value = shift = 0
    while True:
        value |= (content[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if content[at - 1] < 128:
            return value, at


def fields(content):
    """(number, bytes as written, what is in it) of a message."""
    at = 0
    while at < len(content):
        begin = at
        key, at = read_varint(content, at)
        if key & 7 == 2:
            size, at = read_varint(content, at)
            value, at = content[at:at + size], at + size
        elif key & 7 == 0:
            value, at = read_varint(content, at)
        else:
            value, at = None, at + (4 if key & 7 == 5 else 8)
        yield key >> 3, content[begin:at], value


def change(content, path, edit):
    """The message with edit(value) in the place of what the path of fields leads to."""
    return b"".join(onnx_file.data(path[0], edit(value) if len(path) == 1 else change(value, path[1:], edit))
                    if number == path[0] else written for number, written, value in fields(content))


def open_model(content, names):
    def open_dim(dim):
        size = next((value for number, _, value in fields(dim) if number == VALUE), 0)
        return onnx_file.data(2, names[size]) if size in names else dim

    content = change(content, (GRAPH, INPUT, TYPE, TENSOR, SHAPE, DIM), open_dim)
    return change(content, (GRAPH, OUTPUT, TYPE, TENSOR, SHAPE, DIM), lambda dim: b"") if names else content


def input_shapes(content):
    shapes = []

    def note(shape):
        shapes.append(tuple(next((value for number, _, value in fields(dim) if number == VALUE), 0)
                            for number, _, dim in fields(shape) if number == DIM))
        return shape

    change(content, (GRAPH, INPUT, TYPE, TENSOR, SHAPE), note)
    return shapes


# -- libraries --------------------------------------------------------------------------------------------------------

def is_refused(error):
    """Whether it is what a model of open sizes may be told: the compiler has no fault."""
    return error.status == 1 and not re.search("internal|after phase", str(error))


class Refused(Exception):
    pass


def problem_with(stored, names, folder):
    """What is wrong with a graph of these open sizes, or None."""
    path, content = os.path.join(folder, "model.onnx"), stored.parts["model"].tobytes()
    with open(path, "wb") as file:
        file.write(open_model(content, names))
    try:
        path = strata.compile_library(path, folder, "m", stored.about["options"])[0]
    except strata.CompileError as error:
        if names and is_refused(error):
            raise Refused from error
        return str(error)
    library, shapes = strata.Library(path), input_shapes(content)
    try:
        sizes = library.sizes_of(shapes)
        arrays = [np.zeros(shape, strata.DTYPES[info.dtype]) for shape, info in zip(shapes, library.inputs)]
        counts = [(a.size + 1) // 2 if info.dtype in strata.HALF_BYTES else a.nbytes
                  for a, info in zip(arrays, library.inputs)]
        inputs = [part if info.dtype in strata.HALF_BYTES else part.view(a.dtype).reshape(a.shape)
                  for part, a, info in zip(stored.take("inputs", counts), arrays, library.inputs)]
        return difference(stored, library, sizes, guarded.run(path, inputs, guarded.CALLS, sizes))
    except guarded.Problem as problem:
        # A size that meets another is that size, also where it was 1 and stretched (docs/sizes.md).
        if names and re.search(r"bytes, expected|call failed: m: .* expected", str(problem)):
            raise Refused from problem
        return str(problem)
    finally:
        library.close()


def difference(stored, library, sizes, results):
    outputs = [(info, library.outputs[i].dims() if sizes is None else library.output_shape(i, sizes))
               for i, info in enumerate(library.outputs)]
    values = stored.take("values", library.output_bytes(sizes))
    exponents = stored.take("errors", [int(np.prod(shape)) for _, shape in outputs])
    for (info, shape), got, value, exponent in zip(outputs, results, values, exponents):
        count = int(np.prod(shape))
        got, value = (stored_graphs_test.elements(x, info, count) for x in (got, value))
        wrong = np.flatnonzero(stored_graphs_test.is_wrong(got, value, exponent))
        if wrong.size:
            return f"{info.name.decode()}: element {wrong[0]} is {got[wrong[0]]}, expected {value[wrong[0]]}"
    return None


def check(stored, rng):
    """What is wrong, or None, with as many sizes left open as are accepted; how many those are."""
    sizes = sorted({n for shape in input_shapes(stored.parts["model"].tobytes()) for n in shape if n > 1})
    names = {n: f"n{n}" for n in rng.permutation(sizes).tolist() if rng.random() < 0.8}
    while True:
        with tempfile.TemporaryDirectory() as folder:
            try:
                return problem_with(stored, names, folder), names
            except Refused:
                names.popitem()


def main():
    rng, graphs = np.random.default_rng(strata.run_seed()), stored_graphs.load()
    failed = n_open = 0
    for k in rng.permutation(len(graphs))[:COUNT].tolist():
        problem, names = check(graphs[k], rng)
        n_open += len(names)
        failed += problem is not None
        if problem:
            print(f"FAIL graph {k} (seed {graphs[k].about['seed']}), {', '.join(names.values())} open: {problem}")
    print(f"{COUNT - failed} of {COUNT} graphs, {n_open} sizes open")
    sys.exit(1 if failed or not n_open else 0)


if __name__ == "__main__":
    main()
