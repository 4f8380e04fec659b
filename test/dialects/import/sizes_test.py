"""Models with symbolic dimensions: what becomes of names, equal sizes and shape arithmetic; and each graph, imported
with symbols that get their numbers afterwards, must compute what it does imported with numbers."""
import ctypes
import re
import sys

import numpy as np

import strata
from onnx_file import FLOAT, INT64, Graph, data, number

RNG = np.random.default_rng(26)
failures = 0


def check(name, good, why=""):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name}" + ("" if good else f"\n  {why}"))


class Model:
    """A graph being built: inputs with their shapes, numbers and names alike; sizes are looked up when it runs."""

    def __init__(self, opset=18):
        self.graph, self.inputs, self.n = Graph(opset=opset), [], 0

    def input(self, *shape, kind=FLOAT, high=4):
        name = f"x{len(self.inputs)}"
        self.inputs.append((name, shape, kind, high))
        return self.graph.input(name, kind, list(shape))

    def constant(self, value, dtype=np.float32):
        self.n += 1
        return self.graph.constant(f"c{self.n}", np.array(value, dtype))

    def sizes(self, *value):
        return self.constant(value, np.int64)

    def output(self, value, kind=FLOAT):
        self.graph.parts.append(data(12, data(1, value) + data(2, data(1, number(1, kind)))))

    def __getattr__(self, op):
        return lambda *operands, **attributes: self.graph.node(op, list(operands), **attributes)

    def size(self, x, axis):
        return self.Gather(self.Shape(x), self.sizes(axis), axis=0)

    def data(self, sizes):
        def value(size):
            return size if isinstance(size, int) else eval(size, {}, dict(sizes))  # pylint: disable=eval-used
        for _, shape, kind, high in self.inputs:
            shape = [value(size) for size in shape]
            yield (RNG.integers(0, high, shape) if kind == INT64 else
                   RNG.standard_normal(shape).astype(np.float32))


def symbols_of(text):
    """name -> (min, max, op) of strata.symbols."""
    found = {}
    for entry in re.findall(r"\{[^{}]*\bmultiple = [^{}]*\}", text):
        def number(key, entry=entry):
            return int(re.search(rf"\b{key} = (-?\d+)", entry).group(1))
        op = re.search(r'\bop = "(\w+)"', entry)
        found[re.search(r'name = "([^"]*)"', entry).group(1)] = (number("min"), number("max"), op and op.group(1))
    return found


def results(path, data, *options):
    library, _ = strata.compile_library(path, ".", "sized", ["--mlir-disable-fast-math", *options])
    loaded = strata.Library(library)
    outputs = [np.array(x) for x in loaded.run(list(data))]
    loaded.close()
    return outputs


def same(name, model, sets, symbols=None, derived=(), options=()):
    """|symbols|: the independent ones that must be left, with ranges if they have them; |derived|: how many ops."""
    path = model.graph.save("sized.onnx")
    try:
        strata.strata(path, "--compile-to=graph", *options)
        strata.strata(path, "--compile-to=import", "-o", "sized.mlir", *options)
    except strata.CompileError as error:
        check(name, False, str(error))
        return
    with open("sized.mlir", encoding="utf-8") as file:
        found = symbols_of(file.read())
    given = {key: value[:2] for key, value in found.items() if not value[2]}
    if symbols is not None:
        wanted = {key: given.get(key) if value is None else value for key, value in symbols.items()}
        check(f"{name}: symbols", wanted == given, f"expected {wanted}, got {given}")
    check(f"{name}: derived", sorted(value[2] for value in found.values() if value[2]) == sorted(derived), str(found))
    for sizes in sets:
        data = list(model.data(sizes))
        got = results("sized.mlir", data, *[f"--dim={key}={sizes[key]}" for key in given])
        numbers = [f"--dim={key}={value}" for key, value in sizes.items()]
        wanted = results(path, data, *numbers)
        good = all(a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-5) for a, b in zip(got, wanted))
        check(f"{name} at {sizes}", good and len(got) == len(wanted))


# -- names ------------------------------------------------------------------------------------------------------------

def names():
    m = Model()
    past, new, mask = m.input("batch", "past", 4), m.input("batch", "seq", 4), m.input("batch", "past + seq", 4)
    m.output(m.Mul(m.Concat(past, new, axis=1), mask))
    same("a sum of names", m, [{"batch": 2, "past": 0, "seq": 3}, {"batch": 1, "past": 5, "seq": 1}],
         {"batch": None, "past": (0, 2**31 - 1), "seq": None})
    m = Model()
    x, y = m.input("2*n", 3), m.input("n", 2, 3)
    m.output(m.Add(x, m.Reshape(y, m.sizes(-1, 3))))
    same("a product", m, [{"n": 1}, {"n": 7}], {"n": None})
    m = Model()
    m.output(m.Relu(m.input("n", 3)))
    same("a range", m, [{"n": 8}, {"n": 64}], {"n": (8, 64)}, options=("--dim=n=8..64/8@16",))
    m = Model()
    x = m.input("n", 8)
    m.output(m.Reshape(m.Relu(x), m.sizes(-1, 2)))
    text = strata.strata(m.graph.save("sized.onnx"), "--compile-to=import", "--dim=n=8..64/8@16,32")
    check("multiple and likely sizes", "likely = [16, 32], max = 64 : i64, min = 8 : i64, multiple = 8" in text, text)
    # Chunks of 4 and those before them, one more, meet as many joined to as many: there is one chunk.
    m = Model()
    x = m.input("n", 6)
    missing = m.Mod(m.Sub(m.sizes(4), m.Mod(m.size(x, 0), m.sizes(4))), m.sizes(4))
    chunks = m.Reshape(m.Pad(x, m.Concat(m.sizes(0, 0), missing, m.sizes(0), axis=0)), m.sizes(-1, 4, 6))
    before = m.Concat(m.constant(np.zeros((1, 4, 6))), chunks, axis=0)
    m.output(m.Add(m.Concat(chunks, chunks, axis=0), before))
    same("a quotient that can be one number only", m, [{"n": 1}, {"n": 4}], {"n": (1, 4)})
    # Of windows too, in front of what says so and behind it.
    m = Model()
    x = m.input(2, 3, "n")
    first = m.AveragePool(x, kernel_shape=[1], strides=[2])
    said = m.Add(m.Concat(first, first, axis=2), m.Concat(first, m.constant(np.ones((2, 3, 1))), axis=2))
    again = m.MaxPool(m.Relu(x), kernel_shape=[1], strides=[2])
    m.output(m.Concat(said, m.Add(again, first), m.Mul(again, m.constant(np.ones((2, 3, 1)))), axis=2))
    same("windows of which there is one", m, [{"n": 1}, {"n": 2}], {"n": (1, 2)})


# -- equal sizes ------------------------------------------------------------------------------------------------------

def equal_sizes():
    m = Model()
    m.output(m.Add(m.input("a", 3), m.input("b", 3)))
    same("two that are added", m, [{"a": 4, "b": 4}], {"a": None})
    m = Model()
    m.output(m.Add(m.input("a", 3), m.constant(np.ones((5, 3)))))
    same("one that meets a number", m, [{"a": 5}], {})
    m = Model()
    m.output(m.MatMul(m.input(2, "k"), m.input("j", 3)))
    same("two that are contracted", m, [{"k": 6, "j": 6}], {"k": None})
    m = Model()
    m.output(m.Concat(m.input("a", "n"), m.input("b", "m"), axis=0))
    same("beside what is joined", m, [{"a": 1, "b": 2, "n": 3, "m": 3}], {"a": None, "n": None, "b": None})
    m = Model()
    table = m.constant(RNG.standard_normal((1, 16, 4)))
    x = m.input("n", "seq", 4)
    positions = m.Slice(table, m.sizes(0), m.size(x, 1), m.sizes(1))
    m.output(m.Add(x, positions))
    same("a part of a table bounds a size", m, [{"n": 2, "seq": 16}, {"n": 1, "seq": 3}],
         {"n": None, "seq": (1, 16)})
    m = Model()
    x, total = m.input("past + seq", 4), m.input("total", 4)
    m.output(m.Add(x, total))
    same("a name that is the sum", m, [{"past": 2, "seq": 1, "total": 3}], {"past": None, "seq": None})
    m = Model()
    m.output(m.Add(m.Reshape(m.input("a", 6), m.sizes(0, 2, 3)), m.Reshape(m.input("b", 2, 3), m.sizes(-1, 2, 3))))
    same("behind reshapes", m, [{"a": 4, "b": 4}], {"a": None})


# -- shape arithmetic -------------------------------------------------------------------------------------------------

def shape_arithmetic():
    m = Model()
    x = m.input("batch", "seq", 12)
    shape = m.Concat(m.size(x, 0), m.size(x, 1), m.sizes(3), m.sizes(-1), axis=0)
    heads = m.Transpose(m.Reshape(x, shape), perm=[0, 2, 1, 3])
    scores = m.MatMul(heads, m.Transpose(heads, perm=[0, 1, 3, 2]))
    mixed = m.Transpose(m.MatMul(m.Softmax(scores, axis=-1), heads), perm=[0, 2, 1, 3])
    m.output(m.Reshape(mixed, m.sizes(0, 0, -1)))
    same("heads of attention", m, [{"batch": 1, "seq": 1}, {"batch": 3, "seq": 17}], {"batch": None, "seq": None})
    m = Model()
    x = m.input("n", "seq", 3)
    n = m.Squeeze(m.size(x, 1), m.sizes(0))
    steps = m.Range(m.constant(0, np.int64), n, m.constant(1, np.int64))
    rows = m.Unsqueeze(steps, m.sizes(1))
    causal = m.Cast(m.LessOrEqual(m.Unsqueeze(steps, m.sizes(0)), rows), to=FLOAT)
    wide = m.Expand(m.Unsqueeze(causal, m.sizes(0)), m.Concat(m.size(x, 0), m.size(x, 1), m.size(x, 1), axis=0))
    m.output(m.MatMul(wide, x))
    same("a causal mask of ranges", m, [{"n": 2, "seq": 5}, {"n": 1, "seq": 1}], {"n": None, "seq": None})
    m = Model()
    x = m.input("n", 5)
    n, five = (m.Squeeze(m.size(x, axis), m.sizes(0)) for axis in range(2))
    one, two, values = m.constant(1, np.int64), m.constant(-2, np.int64), m.constant([0.5, 2])
    m.output(m.Range(n, m.Add(n, one), one), kind=INT64)
    m.output(m.Range(m.Sub(one, one), five, one), kind=INT64)
    m.output(m.Range(five, two, two), kind=INT64)
    m.output(m.OneHot(m.constant([0, 2, -1], np.int64), n, values))
    m.output(m.OneHot(m.constant([4, 7], np.int64), five, values))
    same("ranges and depths of sizes of which some are numbers", m, [{"n": 3}, {"n": 8}], {"n": None})
    m = Model()
    x = m.input("n", 4)
    shape = m.Shape(x)
    ones = m.ConstantOfShape(m.Shape(shape), value=np.array([1], np.int64))
    minus = m.Mul(ones, m.sizes(-1))
    filled = m.Where(m.Equal(shape, minus), ones, shape)
    m.output(m.Add(m.Expand(m.constant(2.5), filled), x))
    same("expand as torch writes it", m, [{"n": 3}], {"n": None})
    m = Model()
    x = m.input("n", "seq", 2)
    half = m.Div(m.size(x, 1), m.sizes(2))
    first = m.Slice(x, m.sizes(0), half, m.sizes(1))
    last = m.Slice(x, m.Sub(m.size(x, 1), half), m.sizes(2**62), m.sizes(1))
    m.output(m.Concat(m.Neg(last), first, axis=1))
    same("halves of a size", m, [{"n": 1, "seq": 6}, {"n": 2, "seq": 7}], {"n": None, "seq": None})
    m = Model()
    x = m.input("n", 2)
    padded = m.Mod(m.Sub(m.sizes(8), m.Mod(m.size(x, 0), m.sizes(8))), m.sizes(8))
    whole = m.Pad(x, m.Concat(m.sizes(0, 0), padded, m.sizes(0), axis=0))
    m.output(m.ReduceSum(m.Reshape(whole, m.sizes(-1, 8, 2)), m.sizes(1)))
    same("padded to a multiple", m, [{"n": 1}, {"n": 8}, {"n": 19}], {"n": None})
    m = Model()
    x = m.input("n", 3)
    short = m.Min(m.size(x, 0), m.sizes(4))
    m.output(m.Slice(x, m.sizes(0), short, m.sizes(0)))
    same("the lesser of a size and a number", m, [{"n": 3}, {"n": 9}], {"n": None}, ["min"])
    m = Model()
    x, y = m.input("a", 3), m.input("b", 3)
    longer = m.Max(m.size(x, 0), m.size(y, 0))
    m.output(m.Expand(m.constant([[1.5, 2, 3]]), m.Concat(longer, m.sizes(3), axis=0)))
    same("the greater of two", m, [{"a": 3, "b": 5}, {"a": 4, "b": 1}], {"a": None, "b": None}, ["max"])
    m = Model()
    x = m.input("n", "c")
    even = m.Squeeze(m.Greater(m.size(m.Shape(x), 0), m.sizes(0)), m.sizes(0))
    one, two = Graph(name="one"), Graph(name="two")
    one.node("Relu", [x], ["one_y"])
    one.output("one_y", FLOAT, ["n", "c"])
    two.node("Transpose", [x], ["two_y"])
    two.output("two_y", FLOAT, ["c", "n"])
    m.output(m.If(even, then_branch=one, else_branch=two))
    same("a branch that ranks decide", m, [{"n": 2, "c": 3}], {"n": None, "c": None})


def movement():
    m = Model()
    x = m.input("n", 6, "w")
    parts = m.graph.node("Split", [x, m.sizes(2, 4)], 2, axis=1)
    m.output(m.Tile(parts[0], m.sizes(2, 1, 3)))
    m.output(m.Gather(x, m.constant(-1, np.int64), axis=2))
    m.output(m.Slice(x, m.sizes(-1), m.sizes(-2**62), m.sizes(2), m.sizes(-1)))
    m.output(m.Slice(x, m.sizes(-2), m.sizes(2**62), m.sizes(0)))
    same("split, tile, last and reversed", m, [{"n": 2, "w": 3}, {"n": 5, "w": 1}], {"n": None, "w": None}, ["max"])
    m = Model()
    x = m.input("n", "w")
    for mode in ("reflect", "edge"):
        m.output(m.Pad(x, m.sizes(0, 2, 1, 1), mode=mode))
    m.output(m.Trilu(x))
    m.output(m.CumSum(x, m.constant(1, np.int64)))
    m.output(m.Size(x), kind=INT64)
    same("paddings and triangles", m, [{"n": 3, "w": 4}, {"n": 7, "w": 5}], {"n": None, "w": None})
    m = Model()
    x, i, u = m.input("n", "w"), m.input("k", 1, kind=INT64, high=2), m.input("k", "w")
    m.output(m.ScatterND(x, i, u))
    m.output(m.GatherND(x, i))
    same("rows by numbers", m, [{"n": 3, "w": 4, "k": 1}, {"n": 2, "w": 1, "k": 2}], {"n": None, "w": None, "k": None})
    m = Model()
    x, i = m.input("n", "w"), m.input("n", 2, kind=INT64, high=1)
    m.output(m.GatherElements(x, i, axis=1))
    m.output(m.ScatterElements(x, i, m.Gather(x, m.constant([0, 0], np.int64), axis=1), axis=1))
    same("elements by numbers", m, [{"n": 3, "w": 4}, {"n": 2, "w": 1}], {"n": None, "w": None})


def images():
    w = RNG.standard_normal((5, 3, 3, 3)).astype(np.float32)
    m = Model()
    x = m.input("n", 3, "h", "w")
    y = m.Conv(x, m.constant(w), strides=[2, 2], pads=[1, 1, 1, 1])
    y = m.MaxPool(y, kernel_shape=[2, 2], strides=[2, 2])
    m.output(y)
    m.output(m.AveragePool(x, kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
    m.output(m.AveragePool(x, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1))
    m.output(m.GlobalAveragePool(x))
    m.output(m.InstanceNormalization(x, m.constant([1, 2, 3]), m.constant([0, 1, 2])))
    m.output(m.ReduceMean(x, m.sizes(2, 3)))
    same("windows", m, [{"n": 1, "h": 3, "w": 4}, {"n": 3, "h": 17, "w": 9}],
         {"n": None, "h": (3, 2**31 - 1), "w": (3, 2**31 - 1)})
    m = Model()
    m.output(m.ConvTranspose(m.input("n", 5, "h", 4), m.constant(w), strides=[2, 2], pads=[1, 1, 1, 1],
                             output_padding=[1, 0]))
    m.output(m.ConvTranspose(m.input("n", 4, "h", 4), m.constant(w[:4]), dilations=[2, 1], strides=[3, 1],
                             auto_pad="SAME_UPPER"))
    same("transposed convolutions", m, [{"n": 1, "h": 1}, {"n": 2, "h": 6}], {"n": None, "h": None})
    for mode, coordinates in (("nearest", "asymmetric"), ("linear", "half_pixel"), ("linear", "align_corners"),
                              ("nearest", "pytorch_half_pixel")):
        m = Model()
        x = m.input("n", 2, "h", "w")
        attributes = {"mode": mode, "coordinate_transformation_mode": coordinates, "nearest_mode": "floor"}
        m.output(m.Resize(x, "", m.constant([1, 1, 2, 2.5]), **attributes))
        m.output(m.Resize(x, "", "", m.Concat(m.size(x, 0), m.sizes(2, 7), m.size(x, 2), axis=0), **attributes))
        same(f"resize {mode} {coordinates}", m, [{"n": 1, "h": 4, "w": 6}, {"n": 2, "h": 1, "w": 10}],
             {"n": None, "h": None, "w": None})


# -- what is said -----------------------------------------------------------------------------------------------------

# -- conditions -------------------------------------------------------------------------------------------------------

INVALID_SIZE, POISON = 11, 77


def refused(library, sizes, piece):
    """A call that must not begin."""
    shapes = [tuple(int(n) if n.isdigit() else 1 for n in library.description.shapes[i].decode().split(", "))
              for i in range(library.description.n_inputs + library.description.n_outputs)]
    arrays = [np.full(int(np.prod(shape)) + 64, POISON, np.float32) for shape in shapes]
    pointers = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
    status = library.description.run(pointers, library.dims(sizes), None, None)
    text = library.description.error().decode()
    check(f"refused: {piece}", status == INVALID_SIZE and piece in text, f"{status} {text}")
    check(f"untouched: {piece}", all((array == POISON).all() for array in arrays))


def holds(name, model, good, bad, symbols=None):
    """Of one library |good| sizes are right and each of |bad|, sizes and what is said of them, is refused."""
    path = model.graph.save("sized.onnx")
    compiled, _ = strata.compile_library(path, ".", "sized", ["--mlir-disable-fast-math"])
    library = strata.Library(compiled)
    names = [library.description.dims[i].decode() for i in range(library.description.n_dims)]
    infos = {names[i]: (info.contents.min, info.contents.max)
             for i, info in enumerate(library.description.dim_infos[:len(names)])}
    if symbols:
        check(f"{name}: symbols", all(infos[key] == value for key, value in symbols.items()), str(infos))
    calls = []
    for sizes in good:
        inputs = list(model.data(sizes))
        calls.append((sizes, inputs, [np.array(x) for x in library.run(inputs, [sizes[key] for key in names])]))
    for sizes, piece in bad:
        refused(library, [sizes[key] for key in names], piece)
    library.close()
    for sizes, inputs, got in calls:
        wanted = results(path, inputs, *[f"--dim={key}={value}" for key, value in sizes.items()])
        check(f"{name} at {sizes}", all(np.allclose(a, b, rtol=1e-5, atol=1e-5) for a, b in zip(got, wanted)))


def conditions():
    m = Model()
    m.output(m.Relu(m.Reshape(m.input("a", "b", "c"), m.sizes(30))))
    holds("a number of elements", m, [{"a": 2, "b": 3, "c": 5}, {"a": 30, "b": 1, "c": 1}],
          [({"a": 2, "b": 3, "c": 4}, "a * b * c is 24, expected 30, where a = 2"),
           ({"a": 2**31 - 1, "b": 2**31 - 1, "c": 2**31 - 1}, "beyond 2^63"), ({"a": 0, "b": 3, "c": 5}, "a is 0"),
           ({"a": -2, "b": -3, "c": 5}, "a is -2, expected 1 to"), ({"a": 2**31, "b": 3, "c": 5}, "a is 2147483648")])
    m = Model()
    m.output(m.Relu(m.Reshape(m.input("n", 5), m.sizes(-1, 3))))
    holds("a quotient with no rest", m, [{"n": 3}, {"n": 12}], [({"n": 4}, "expected 0, where n = 4")])
    m = Model()
    values, _ = m.graph.node("TopK", [m.input("n", 4), m.sizes(3)], 2, axis=0)
    m.output(values)
    holds("the first of a sorted axis", m, [{"n": 3}, {"n": 70}], [({"n": 2}, "n is 2, expected 3 to")],
          {"n": (3, 2**31 - 1)})
    m = Model()
    values, _ = m.graph.node("TopK", [m.Concat(m.input("n", 4), m.input("m", 4), axis=0), m.sizes(3)], 2, axis=0)
    m.output(values)
    holds("the first of two lengths", m, [{"n": 1, "m": 2}, {"n": 9, "m": 1}],
          [({"n": 1, "m": 1}, "is 2, expected at least 3, where n = 1, m = 1")])
    m = Model()
    joined = m.Concat(m.input(2, "n"), m.input(2, "m"), axis=1)
    m.output(m.MaxPool(m.Unsqueeze(joined, m.sizes(0)), kernel_shape=[5]))
    holds("a window", m, [{"n": 1, "m": 4}, {"n": 9, "m": 7}], [({"n": 1, "m": 3}, "expected at least")])
    m = Model()
    x, y = m.input(2, "n"), m.input(2, "m")
    m.output(m.MatMul(m.Concat(x, y, y, axis=1), m.constant(RNG.standard_normal((35, 3)))))
    holds("what is left of a number", m, [], [({"n": 1, "m": 18}, "m is 18, expected 1 to 17")])
    m = Model()
    m.output(m.ScatterND(m.input(9, 4), m.constant([[1], [7], [2]], np.int64), m.input("n", "m")))
    same("updates of rows that are known", m, [{"n": 3, "m": 4}], {})
    m = Model()
    m.output(m.ScatterND(m.input("a", 4), m.input("k", 1, kind=INT64, high=3), m.input("n", "m")))
    same("updates as many as indices", m, [{"a": 3, "k": 2, "n": 2, "m": 4}], {"a": None, "k": None})
    m = Model()
    m.output(m.ScatterElements(m.input(3, "a"), m.constant([[1, 0], [2, 2]], np.int64), m.input("n", "m"), axis=0))
    same("updates of elements that are known", m, [{"a": 5, "n": 2, "m": 2}], {"a": None})
    m = Model()
    m.output(m.Gather(m.input("past", 4), m.sizes(0, -1), axis=0))
    holds("what is read by index", m, [{"past": 1}, {"past": 5}], [({"past": 0}, "past is 0, expected 1 to")])


def said(name, graph, *pieces, options=()):
    try:
        text = "no error " + strata.strata(graph.save("sized.onnx"), "--compile-to=affine", *options)
    except strata.CompileError as error:
        text = str(error)
    check(name, all(piece in text for piece in pieces), text)


def errors():
    m = Model()
    x, y = m.input("n", 3), m.input("m", 4)
    m.output(m.Relu(x))
    m.output(m.Relu(y))
    said("sizes that vary on a GPU", m.graph, "no error", "strata.symbols", options=("--target=nvgpu",))
    said("likely sizes on a GPU", m.graph, "likely = [64, 1]", options=("--target=nvgpu",))
    said("sizes that vary on the cpu", m.graph, "no error", "strata.symbols")
    said("no size is planned for as 1", m.graph, "likely = [64, 1]")
    for value, piece in (("x", "expected a size"), ("-1", "expected a size"), ("3..2", "a range with a size in it"),
                         ("1..8/0", "behind '/'"), ("1..8@9", "behind '@'"), ("8@1", "expected a size"),
                         ("1..8,2", "MIN..MAX"), ("5..7/8", "a range with a size in it")):
        said(f"--dim n={value}", m.graph, f"--dim n={value}", piece, options=(f"--dim=n={value}",))
    said("an unknown name", m.graph, "no dimension 'k'", options=("--dim=k=1..3",))
    strata.strata(m.graph.save("sized.onnx"), "--compile-to=import", "--dim=n=2..4", "-o", "sized.mlir")
    for options, piece in ((["--dim=n=5"], "expected 2 to 4"), (["--dim=k=5"], "it has n, m"),
                           (["--dim=n=1..2"], "ranges need a model of another format")):
        try:
            text = strata.strata("sized.mlir", "--compile-to=import", *options)
        except strata.CompileError as error:
            text = str(error)
        check(f"numbers for symbols {options}", piece in text, text)
    m = Model()
    m.output(m.Add(m.input("n", 3), m.Concat(m.input("n", 3), m.constant(np.ones((1, 3))), axis=0)))
    said("sizes that differ always", m.graph, "do not broadcast")
    m = Model()
    m.output(m.Add(m.input("n", 3), m.input(8, 3)))
    said("a number outside the range", m.graph, "do not broadcast", options=("--dim=n=1..4",))


if __name__ == "__main__":
    for cases in (names, equal_sizes, shape_arithmetic, movement, images, conditions, errors):
        cases()
    sys.exit(1 if failures else 0)
