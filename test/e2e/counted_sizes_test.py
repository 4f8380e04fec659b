"""Sizes that depend on data (docs/sizes.md): the operators that make them, and whatever reads such tensors, beside numpy,
on the cpu and on an emulated device: counts of 0, 1, the bound, and between. Each call is also made with every tensor
between pages that cannot be touched; the emulated device looks at its own memory."""
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np

import gpu
import guarded
import strata
from onnx_file import BOOL, FLOAT, INT64, Graph, data

ROWS, WIDTH = 13, 4
ASSUMED = 1024  # what a size is taken to be at most (docs/sizes.md)
DEVICES = {"cpu": [], "emulated": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"]}


def generator(case):
    return np.random.default_rng([strata.run_seed(), case])


def run(folder, graph, inputs, count, options):
    """A function of values of the inputs that gives |count| results of their true sizes; on the stand-in for a driver."""
    gpu.use_stand_in()
    graph.save(os.path.join(folder, "m.onnx"))
    done = subprocess.run([os.path.join(strata.BIN, "strata"), os.path.join(folder, "m.onnx"), "--aot", "--aot-name=m",
                           "-o", folder, *options], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    files = [os.path.join(folder, f"y{i}.npy") for i in range(count)]
    library, ways = os.path.join(folder, "libm.so"), itertools.cycle(guarded.CALLS)

    def call(*values):
        arguments = []
        for name, value in zip(inputs, values):
            np.save(os.path.join(folder, name + ".npy"), value)
            arguments.append(f"--input={name}={os.path.join(folder, name)}.npy")
        done = subprocess.run([os.path.join(strata.BIN, "strata-run"), library, *arguments,
                               *["--output=" + file for file in files]], capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        guarded.run(library, values, [next(ways)])
        return [np.load(file) for file in files]
    return call


def same(name, got, wanted):
    assert got.shape == wanted.shape, f"{name}: expected {wanted.shape}, got {got.shape}"
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5, err_msg=name)


# -- what reads a tensor of counted rows ------------------------------------------------------------------------------

def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True, initial=-1e9))
    return e / e.sum(axis=axis, keepdims=True)


def windows(x, reduce, fill):
    """Over three neighbouring columns."""
    wide = np.pad(x, ((0, 0), (1, 1)), constant_values=fill)
    return reduce(np.stack([wide[:, i:i + x.shape[1]] for i in range(3)]), axis=0)


def convolved(x, weight):
    wide = np.pad(x, ((0, 0), (1, 1)))
    return sum(weight[:, :, i] @ wide[:, i:i + x.shape[1]] for i in range(3))[None]


def summed_rows(y, places):
    result = np.zeros((WIDTH, WIDTH))
    np.add.at(result, places, y)
    return result


def behind(g, y, weight):
    """(name, value, what numpy makes of the rows; whether that is also of none)."""
    def ints(*values):
        name = f"c{g.n_values}"
        g.n_values += 1
        return g.constant(name, np.array(values, np.int64))

    def node(op, *operands, outputs=1, **attributes):
        return g.node(op, list(operands), outputs, **attributes)
    turned = node("Transpose", y, perm=[1, 0])
    image = node("Unsqueeze", turned, ints(0))
    ones = g.constant("ones", np.ones((3, WIDTH), np.float32))
    three = np.ones((3, WIDTH))
    count = node("Shape", y, end=1)
    place = node("ArgMax", y, axis=1, keepdims=1)
    table = g.constant("table", np.zeros((WIDTH, WIDTH), np.float32))
    outer = node("Sub", node("Unsqueeze", y, ints(0)), node("Unsqueeze", y, ints(1)))
    least = node("ReduceMin", node("Concat", count, ints(3), axis=0), keepdims=1)
    best, places = node("TopK", y, least, outputs=2, axis=0)
    padding = node("Concat", ints(0, 0), node("Sub", node("Shape", "x", end=1), count), ints(0), axis=0)
    scalar = node("Squeeze", count)
    last = ints(-1)
    number = {"zero": g.constant("zero", np.int64(0)), "one": g.constant("one", np.int64(1))}
    yield "relu", node("Relu", y), lambda y: np.maximum(y, 0), True
    yield "reshape", node("Reshape", y, last), lambda y: y.reshape(-1), True
    yield "turned", node("Reshape", turned, last), lambda y: y.T.reshape(-1), True
    yield "halves", node("Reshape", turned, ints(2, -1)), lambda y: y.T.reshape(2, -1), True
    yield "outer", node("Reshape", outer, ints(-1, WIDTH)), lambda y: (y[None] - y[:, None]).reshape(-1, WIDTH), True
    yield "sum", node("ReduceSum", y, ints(0), keepdims=0), lambda y: y.sum(axis=0), True
    yield "rows", node("ReduceSum", y, ints(1), keepdims=0), lambda y: y.sum(axis=1), True
    yield "all", node("ReduceSum", y, keepdims=0), lambda y: y.sum(), True
    yield "max", node("ReduceMax", y, axes=[0]), lambda y: y.max(axis=0, keepdims=True), False
    yield "min", node("ReduceMin", y, axes=[0]), lambda y: y.min(axis=0, keepdims=True), False
    yield "mean", node("ReduceMean", y, axes=[0]), lambda y: y.mean(axis=0, keepdims=True), False
    yield "argmax", node("ArgMax", y, axis=0), lambda y: y.argmax(axis=0)[None], False
    yield "last", node("ArgMax", node("Mul", y, table_zero(g)), axis=0, select_last_index=1), \
        lambda y: np.full((1, WIDTH), len(y) - 1), False
    yield "softmax", node("Softmax", y, axis=0), lambda y: softmax(y, 0), True
    yield "cumsum", node("CumSum", y, ints(0), reverse=1), lambda y: y[::-1].cumsum(axis=0)[::-1], True
    yield "gram", node("MatMul", turned, y), lambda y: y.T @ y, True
    yield "attention", node("MatMul", node("Softmax", node("MatMul", y, turned), axis=-1), y), \
        lambda y: softmax(y @ y.T, 1) @ y, True
    yield "concat", node("Concat", y, ones, y, axis=0), lambda y: np.concatenate([y, three, y]), True
    yield "joined", node("ReduceSum", node("Concat", y, ones, y, axis=0), ints(0), keepdims=0), \
        lambda y: 2 * y.sum(axis=0) + 3, True
    yield "part", node("Slice", y, ints(2), ints(5)), lambda y: y[2:5], True
    yield "end", node("Slice", y, ints(-2), ints(2**62)), lambda y: y[-2:], True
    yield "reverse", node("Slice", y, last, ints(-2**62), ints(0), last), lambda y: y[::-1], True
    yield "pad", node("Pad", y, ints(1, 0, 2, 0)), lambda y: np.pad(y, ((1, 2), (0, 0))), True
    yield "full", node("Pad", y, padding), lambda y: np.pad(y, ((0, ROWS - len(y)), (0, 0))), True
    yield "topk", best, lambda y: -np.sort(-y, axis=0)[:3], True
    yield "places", places, lambda y: np.argsort(-y, axis=0, kind="stable")[:3], True
    yield "scatter", node("ScatterND", table, place, y, reduction="add"), lambda y: summed_rows(y, y.argmax(axis=1)), True
    yield "size", node("Shape", y), lambda y: np.array(y.shape), True
    yield "range", node("Range", number["zero"], scalar, number["one"]), lambda y: np.arange(len(y)), True
    yield "expand", node("Expand", g.constant("row", np.arange(WIDTH, dtype=np.float32)), node("Shape", y)), \
        lambda y: np.broadcast_to(np.arange(WIDTH), y.shape), True
    yield "conv", node("Conv", image, g.constant("weight", weight), pads=[1, 1]), lambda y: convolved(y.T, weight), False
    turned_weight = g.constant("turned_weight", weight[:1].transpose(1, 0, 2))
    yield "transposed conv", node("ConvTranspose", image, turned_weight, strides=[3], output_padding=[1]), \
        lambda y: np.append(y @ weight[0], 0)[None, None], False  # one place more than each row has three of
    yield "pool", node("MaxPool", image, kernel_shape=[3], pads=[1, 1]), \
        lambda y: windows(y.T, np.max, -np.inf)[None], False


def table_zero(g):
    return g.constant("zeros", np.zeros(WIDTH, np.float32))


def check_consumers(options, is_open):
    random = generator(3)
    weight = random.standard_normal((2, WIDTH, 3)).astype(np.float32)
    g = Graph(opset=17)
    rows = "rows" if is_open else ROWS
    x, keep = g.input("x", FLOAT, [rows, WIDTH]), g.input("keep", BOOL, [rows])
    cases = list(behind(g, g.node("Compress", [x, keep], axis=0), weight))
    for _, value, _, _ in cases:
        g.parts.append(data(12, data(1, value)))
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["x", "keep"], len(cases), options)
        for count in (0, 1, ROWS, 2, int(random.integers(3, ROWS))):
            x = random.standard_normal((ROWS, WIDTH)).astype(np.float32)
            keep = np.isin(np.arange(ROWS), random.permutation(ROWS)[:count])
            for (name, _, wanted, takes_none), got in zip(cases, call(x, keep)):
                if count or takes_none:
                    same(f"{name}, {count} rows", got, np.asarray(wanted(x[keep].astype(np.float64))))


# -- what makes them --------------------------------------------------------------------------------------------------

def check_non_zero(options, shape, dims):
    random = generator(4)
    g = Graph(opset=17)
    g.output(g.node("NonZero", [g.input("x", FLOAT, dims)]), INT64, [len(shape), "n"])
    with tempfile.TemporaryDirectory() as folder:
        call, elements = run(folder, g, ["x"], 1, options), int(np.prod(shape))
        for count in (0, 1, elements, int(random.integers(2, elements))):
            is_kept = np.isin(np.arange(elements), random.permutation(elements)[:count]).reshape(shape)
            x = (random.uniform(0.5, 1, shape) * is_kept).astype(np.float32)
            same(f"{count}", call(x)[0], np.array(np.nonzero(x)))


def check_compress_flat(options):
    random = generator(5)
    g = Graph(opset=17)
    x, keep = g.input("x", FLOAT, [7, 3]), g.input("keep", BOOL, [30])
    g.output(g.node("Compress", [x, keep]), FLOAT, ["n"])
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["x", "keep"], 1, options)
        for count in (0, 1, 30, int(random.integers(2, 30))):
            x = random.standard_normal((7, 3)).astype(np.float32)
            keep = np.isin(np.arange(30), random.permutation(30)[:count])
            same(f"{count}", call(x, keep)[0], x.reshape(-1)[keep[:21]])


def check_twice(options):
    """Rows of rows, as masks one behind the other select them."""
    random = generator(6)
    g = Graph(opset=17)
    x, keep = g.input("x", FLOAT, [ROWS, WIDTH]), g.input("keep", BOOL, [ROWS])
    y = g.node("Compress", [x, keep], axis=0)
    is_good = g.node("Greater", [g.node("ReduceSum", [y, g.constant("axes", np.array([1]))], keepdims=0),
                                 g.constant("zero", np.float32(0))])
    places = g.node("Transpose", [g.node("NonZero", [is_good])], perm=[1, 0])
    g.output(g.node("GatherND", [y, places]), FLOAT, ["n", WIDTH])
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["x", "keep"], 1, options)
        for part in (0, 1, 0.5, 0.2):
            x, keep = random.standard_normal((ROWS, WIDTH)).astype(np.float32), random.random(ROWS) < part
            y = x[keep]
            same(f"{part}", call(x, keep)[0], y[y.sum(axis=1) > 0])


# -- boxes ------------------------------------------------------------------------------------------------------------

def suppressed(boxes, scores, most, overlap, least):
    """(image, class, box) of what NonMaxSuppression keeps."""
    low, high = np.minimum(boxes[..., :2], boxes[..., 2:]), np.maximum(boxes[..., :2], boxes[..., 2:])
    area, kept = np.prod(high - low, axis=-1), []
    for b, c in np.ndindex(scores.shape[:2]):
        found = []
        for i in np.argsort(-scores[b, c], kind="stable"):
            common = np.prod(np.maximum(np.minimum(high[b], high[b, i]) - np.maximum(low[b], low[b, i]), 0), axis=-1)
            if scores[b, c, i] > least and len(found) < most and \
                    all(common[j] <= overlap * (area[b, i] + area[b, j] - common[j]) for j in found):
                found.append(i)
        kept += [(b, c, i) for i in found]
    return np.array(kept, np.int64).reshape(-1, 3)


def boxes_of(random, images, count):
    corner = random.random((images, count, 2)) * 10
    boxes = np.concatenate([corner, corner + random.random((images, count, 2)) * 4], axis=2).astype(np.float32)
    turned = random.random((images, count)) < 0.3
    boxes[turned] = boxes[turned][:, [2, 3, 0, 1]]
    return boxes


def check_boxes(options, dims, most):
    random = generator(8)
    g = Graph(opset=11)
    names = [g.input("boxes", FLOAT, dims[0]), g.input("scores", FLOAT, dims[1]),
             g.constant("most", np.array([most])), g.constant("overlap", np.array([0.3], np.float32)),
             g.input("least", FLOAT, [1])]
    g.output(g.node("NonMaxSuppression", names), INT64, ["n", 3])
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["boxes", "scores", "least"], 1, options)
        for least in (-1, 0.5, 0.95, 2):
            boxes, scores = boxes_of(random, 2, 21), random.random((2, 3, 21)).astype(np.float32)
            scores[0] = np.round(scores[0] * 4) / 4  # some are equal
            got = call(boxes, scores, np.array([least], np.float32))[0]
            same(f"{least}", got, suppressed(boxes.astype(np.float64), scores, most, 0.3, least))


def check_padded_boxes(options):
    """Of boxes by their middles, as exporters fill the list up to a size that is known: none, one, all and some."""
    random, count = generator(18), 15
    g = Graph(opset=10)
    boxes, scores = g.input("boxes", FLOAT, [1, count, 4]), g.input("scores", FLOAT, [1, 1, count])
    listed = g.node("NonMaxSuppression", [boxes, scores, g.constant("most", np.array([count])),
                                          g.input("overlap", FLOAT, [1]), g.constant("least", np.float32([0.5]))],
                    center_point_box=1)
    g.output(g.node("Slice", [g.node("Concat", [listed, g.constant("fill", np.full((count, 3), -1))], axis=0),
                              g.constant("zero", np.array([0])), g.constant("end", np.array([count]))]),
             INT64, [count, 3])
    g.output(listed, INT64, ["n", 3])
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["boxes", "scores", "overlap"], 2, options)
        for good, overlap in ((0, 0.3), (1, 0.3), (count, 1), (count, 0.3), (int(random.integers(2, count)), 0.3)):
            corners = boxes_of(random, 1, count)
            low, high = np.minimum(corners[..., :2], corners[..., 2:]), np.maximum(corners[..., :2], corners[..., 2:])
            middles = np.concatenate([(low + high) / 2, high - low], axis=2)
            scores = random.permuted(np.where(np.arange(count) < good, 0.6, 0.1)) + random.random(count) * 0.3
            scores = scores.astype(np.float32)[None, None]
            wanted = suppressed(corners.astype(np.float64), scores, count, overlap, 0.5)
            filled = np.concatenate([wanted, np.full((count - len(wanted), 3), -1)])
            for got, right in zip(call(middles, scores, np.float32([overlap])), [filled, wanted]):
                same(f"{good} boxes, {overlap}", got, right)


def check_counted_boxes(options):
    """Of boxes that a mask selects, those that are left."""
    random = generator(9)
    g = Graph(opset=11)
    boxes, scores = g.input("boxes", FLOAT, [24, 4]), g.input("scores", FLOAT, [24])
    good = g.node("Greater", [scores, g.constant("half", np.float32(0.5))])
    kept = [g.node("Compress", [x, good], axis=0) for x in (boxes, scores)]
    listed = g.node("NonMaxSuppression", [g.node("Unsqueeze", [kept[0]], axes=[0]),
                                          g.node("Unsqueeze", [kept[1]], axes=[0, 1]),
                                          g.constant("most", np.array([2**40])),
                                          g.constant("overlap", np.array([0.3], np.float32))])
    number = g.node("Gather", [listed, g.constant("two", np.int64(2))], axis=1)
    g.output(g.node("Gather", [kept[0], number], axis=0), FLOAT, ["n", 4])
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["boxes", "scores"], 1, options)
        for part in (0, 0.3, 1):
            boxes, scores = boxes_of(random, 1, 24), random.random((1, 1, 24)).astype(np.float32)
            scores[random.random((1, 1, 24)) >= part] = 0
            kept = suppressed(boxes.astype(np.float64), scores, 24, 0.3, 0.5)[:, 2]
            same(f"{part}", call(boxes[0], scores[0, 0])[0], boxes[0][kept])


# -- places and branches ----------------------------------------------------------------------------------------------

def check_slices(options):
    """Parts whose ends are inputs of the model, and what they are put together to."""
    random = generator(10)
    g = Graph(opset=17)
    x, start = g.input("x", FLOAT, [ROWS, WIDTH]), g.input("start", INT64, [1])
    zero, far, axis = (g.constant(name, np.array([value])) for name, value in
                       (("zero", 0), ("far", 2**62), ("axis", 0)))
    behind = g.node("Slice", [x, start, far, axis])
    window = g.node("Slice", [x, start, g.node("Add", [start, g.constant("three", np.array([3]))]), axis])
    third = g.node("Slice", [x, zero, start, axis, g.constant("step", np.array([3]))])
    whole = g.node("Concat", [g.node("Slice", [x, zero, start, axis]), g.node("Neg", [behind])], axis=0)
    results = [behind, g.node("ReduceSum", [behind, axis], keepdims=0), window, third, whole]
    for result in results:
        g.parts.append(data(12, data(1, result)))
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["x", "start"], len(results), options)
        for start in (0, 1, 5, ROWS - 2, ROWS, ROWS + 4, -1, -4, -ROWS - 3):
            x = random.standard_normal((ROWS, WIDTH)).astype(np.float32)
            at = min(max(start + ROWS if start < 0 else start, 0), ROWS)
            wanted = [x[start:], x[start:].sum(axis=0), np.array(x[start:][:3] if start >= 0 or start < -3 else x[:0]),
                      x[:at:3], np.concatenate([x[:at], -x[at:]])]
            if -ROWS - 3 <= start < -ROWS:
                wanted[2] = x[:max(start + 3 + ROWS, 0)]
            for i, (got, right) in enumerate(zip(call(x, np.array([start])), wanted)):
                same(f"{start}, result {i}", got, right)


def check_branches(options, is_counted):
    """An If whose branches give results of two sizes; |is_counted|: one of them is counted."""
    random = generator(11)
    g = Graph(opset=17)
    x, keep = g.input("x", FLOAT, [ROWS, WIDTH]), g.input("keep", BOOL, [ROWS])
    axis = g.constant("axis", np.array([0]))
    places = g.node("Squeeze", [g.node("NonZero", [keep]), axis])
    some = g.node("Greater", [g.node("ReduceSum", [g.node("Cast", [keep], to=INT64)], keepdims=0),
                              g.constant("few", np.int64(2))])
    then, other = Graph(), Graph()
    then.output(then.node("Gather", [x, places], ["chosen"]) if is_counted else then.node("Relu", [x], ["chosen"]),
                FLOAT, ["n", WIDTH])
    ends = [other.constant(name, np.array([value])) for name, value in (("begin", 1), ("end", 5))]
    other.output(other.node("Slice", [x, *ends], ["other"]), FLOAT, ["n", WIDTH])
    y = g.node("If", [some], then_branch=then, else_branch=other)
    results = [y, g.node("ReduceSum", [y, axis], keepdims=0)]
    for result in results:
        g.parts.append(data(12, data(1, result)))
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["x", "keep"], len(results), options)
        for count in (0, 1, 2, 3, ROWS):
            x = random.standard_normal((ROWS, WIDTH)).astype(np.float32)
            keep = np.isin(np.arange(ROWS), random.permutation(ROWS)[:count])
            wanted = x[1:5] if count <= 2 else x[keep] if is_counted else np.maximum(x, 0)
            for got, right in zip(call(x, keep), [wanted, wanted.sum(axis=0)]):
                same(f"{count}", got, right)


def check_loops(options):
    """A Loop each of whose iterations selects rows of its own, and reads those that were selected in front of it."""
    random, steps = generator(13), 7
    g = Graph(opset=17)
    x, limits = g.input("x", FLOAT, [steps, ROWS, WIDTH]), g.input("limits", FLOAT, [steps])
    keep, start = g.input("keep", BOOL, [ROWS]), g.input("start", FLOAT, [WIDTH])
    first, tenth = g.constant("first", np.array([0])), g.constant("tenth", np.float32(0.1))
    kept = g.node("Compress", [g.node("Gather", [x, g.constant("zero", np.int64(0))]), keep], axis=0)
    body = Graph()
    body.n_values = g.n_values  # names that the graph around it does not have
    i, _, state = (body.input(*value) for value in (("i", INT64, []), ("going", BOOL, []), ("state", FLOAT, [WIDTH])))
    now = body.node("Gather", [x, i])
    is_good = body.node("Greater", [body.node("ReduceSum", [now, body.constant("last", np.array([1]))], keepdims=0),
                                    body.node("Gather", [limits, i])])
    rows = body.node("Compress", [now, is_good], axis=0)
    total = body.node("ReduceSum", [rows, first], keepdims=0)
    behind = body.node("ReduceSum", [body.node("Mul", [kept, state]), first], keepdims=0)
    body.output(body.constant("on", np.array(True)), BOOL, [])
    body.output(body.node("Mul", [body.node("Add", [body.node("Add", [total, behind]), state]), tenth]), FLOAT, [WIDTH])
    body.output(body.node("ReduceSum", [body.node("Softmax", [rows], axis=1), first], keepdims=0), FLOAT, [WIDTH])
    body.output(body.node("Shape", [rows]), INT64, [2])
    results = g.node("Loop", [g.constant("steps", np.int64(steps)), "", start], 3, body=body)
    for result in results:
        g.parts.append(data(12, data(1, result)))
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["x", "limits", "keep", "start"], len(results), options)
        for limit, count in ((-1e9, 0), (1e9, 1), (0, 5), (0, ROWS)):
            x = random.standard_normal((steps, ROWS, WIDTH)).astype(np.float32)
            keep = np.isin(np.arange(ROWS), random.permutation(ROWS)[:count])
            start, limits = random.standard_normal(WIDTH).astype(np.float32), np.full(steps, limit, np.float32)
            limits[2], state, sums, shapes = np.sort(x[2].sum(axis=1))[-1] - 1e-4, start, [], []
            for now, least in zip(x, limits):
                rows = now[now.sum(axis=1) > least]
                sums.append(softmax(rows, 1).sum(axis=0))
                shapes.append(rows.shape)
                state = (rows.sum(axis=0) + (x[0][keep] * state).sum(axis=0) + state) * 0.1
            for got, right in zip(call(x, limits, keep, start), [state, np.array(sums), np.array(shapes)]):
                same(f"{limit} {count}", got, right)


# -- others -----------------------------------------------------------------------------------------------------------

def check_unique(options, is_sorted):
    random = generator(12)
    g = Graph(opset=17)
    x, keep = g.input("x", FLOAT, [ROWS]), g.input("keep", BOOL, [ROWS])
    results = []
    for value in (x, g.node("Compress", [x, keep], axis=0)):
        results += g.node("Unique", [value], 4, sorted=is_sorted)
    for result in results:
        g.parts.append(data(12, data(1, result)))
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["x", "keep"], len(results), options)
        for kinds, count in ((1, 1), (3, 7), (100, ROWS)):
            x = random.integers(0, kinds, ROWS).astype(np.float32)
            keep = np.isin(np.arange(ROWS), random.permutation(ROWS)[:count])
            wanted = []
            for value in (x, x[keep]):
                found, first, inverse, counts = np.unique(value, True, True, True)
                order = np.arange(len(found)) if is_sorted else np.argsort(first)
                wanted += [found[order], first[order], np.argsort(order)[inverse], counts[order]]
            for i, (got, right) in enumerate(zip(call(x, keep), wanted)):
                same(f"{kinds} kinds, result {i}", got, right)


def check_unique_rows(options, is_sorted):
    """Rows, columns, and rows that a mask selects: each distinct part once, in lexicographic order or as they come."""
    random = generator(14)
    g = Graph(opset=17)
    x, keep = g.input("x", INT64, [ROWS, 2, WIDTH]), g.input("keep", BOOL, [ROWS])
    axes = [(x, 0), (x, -1), (g.node("Compress", [x, keep], axis=0), 0)]
    results = [result for value, axis in axes for result in g.node("Unique", [value], 4, axis=axis, sorted=is_sorted)]
    for result in results:
        g.parts.append(data(12, data(1, result)))
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["x", "keep"], len(results), options)
        for kinds, count in ((1, 1), (3, 7), (2**40, ROWS)):
            x = random.integers(0, kinds, (ROWS, 2, 1)) * random.integers(0, 2, WIDTH) - kinds // 2
            keep = np.isin(np.arange(ROWS), random.permutation(ROWS)[:count])
            wanted = []
            for value, axis in ((x, 0), (x, 2), (x[keep], 0)):
                found, first, inverse, counts = np.unique(value, True, True, True, axis=axis)
                order = np.arange(len(first)) if is_sorted else np.argsort(first)
                wanted += [found.take(order, axis), first[order], np.argsort(order)[inverse.reshape(-1)], counts[order]]
            for i, (got, right) in enumerate(zip(call(x, keep), wanted)):
                same(f"{kinds} kinds of {count}, result {i}", got, right)


def check_ranges(options):
    """Numbers from where to where, and by which step, all of which are inputs."""
    random = generator(15)
    g = Graph(opset=17)
    kinds = {"i": (INT64, np.int64), "f": (FLOAT, np.float32)}
    inputs = [g.input(kind + end, element, []) for kind, (element, _) in kinds.items() for end in ("from", "to", "by")]
    results = [g.node("Range", inputs[i:i + 3], [name]) for i, name in ((0, "whole"), (3, "real"))]
    results.append(g.node("ReduceSum", [results[0]], keepdims=0))
    for result in results:
        g.parts.append(data(12, data(1, result)))
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, inputs, len(results), [*options, "--bound=whole=9", "--bound=real=12"])
        drawn = [(int(random.integers(-50, 50)), int(random.integers(-9, 9)) or 1, int(random.integers(0, 10)))
                 for _ in range(3)]
        for start, step, count in [(0, 1, 0), (3, 1, 1), (-7, 2, 9), (5, -3, 9), *drawn]:
            stop = start + step * count - int(random.integers(abs(step))) * (count > 0) * np.sign(step)
            values = [np.array(value, kind) for _, kind in kinds.values() for value in (start, stop, step)]
            values[3:] = [value * np.float32(0.5) for value in values[3:]]
            wanted = np.arange(start, stop, step)
            assert len(wanted) == count
            for got, right in zip(call(*values), [wanted, wanted * 0.5, wanted.sum()]):
                same(f"{start} {stop} {step}", got, right)
        refused("has 10 elements, room is for 9", "beyond the bound", call, *np.int64([0, 10, 1]),
                *np.float32([0, 1, 1]))


def check_parts(options):
    """Parts whose sizes are an input, of Split and as items of a sequence, and an item at a place that is one."""
    random = generator(16)
    g = Graph(opset=17)
    x, sizes, place = g.input("x", FLOAT, [ROWS, WIDTH]), g.input("sizes", INT64, [3]), g.input("place", INT64, [])
    parts = g.node("Split", [x, sizes], 3, axis=0)
    sequence = g.node("SplitToSequence", [x, sizes], axis=0)
    chosen = g.node("SequenceAt", [sequence, place])
    equal = g.node("SplitToSequence", [x, g.constant("each", np.int64(1))], axis=1)
    whole = g.node("Concat", [g.node("Neg", [parts[0]]), *parts[1:]], axis=0)
    axis = g.constant("axis", np.array([0]))
    results = [*parts, whole, g.node("SequenceAt", [sequence, g.constant("one", np.int64(1))]), chosen,
               g.node("ReduceSum", [chosen, axis], keepdims=0), g.node("SequenceAt", [equal, place])]
    for result in results:
        g.parts.append(data(12, data(1, result)))
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["x", "sizes", "place"], len(results), options)
        cuts = np.sort(random.integers(0, ROWS + 1, 2))
        for ends, at in (((0, 0), 0), ((1, 2), 1), ((ROWS, ROWS), -3), ((0, ROWS), -2), (cuts, 2), (cuts, -1)):
            x = random.standard_normal((ROWS, WIDTH)).astype(np.float32)
            own = np.split(x, ends)
            wanted = [*own, np.concatenate([-own[0], *own[1:]]), own[1], own[at], own[at].sum(axis=0), x[:, [at]]]
            for i, (got, right) in enumerate(zip(call(x, np.diff([0, *ends, ROWS]), np.array(at)), wanted)):
                same(f"{ends}, {at}, result {i}", got, right)


def check_numbers(options):
    """Operators that take a size as a number in data: Expand, Tile, ConstantOfShape, OneHot, Pad, TopK."""
    random, most = generator(17), 9
    g = Graph(opset=17)
    x, n, at = g.input("x", FLOAT, [ROWS, WIDTH]), g.input("n", INT64, [1]), g.input("at", INT64, [5])
    row = g.constant("row", np.arange(WIDTH, dtype=np.float32))
    zero, one, width = (g.constant(name, np.array([value])) for name, value in
                        (("zero", 0), ("one", 1), ("width", WIDTH)))
    shape = g.node("Concat", [n, width], ["shape"], axis=0)
    times = g.node("Concat", [n, one], ["times"], axis=0)
    pads = g.node("Concat", [n, zero, one, zero], ["pads"], axis=0)
    behind = g.node("Concat", [zero, zero, n, zero], ["behind"], axis=0)
    best = g.node("TopK", [x, n], 2, axis=0)
    hot = g.constant("hot", np.array([2, 3], np.float32))
    results = [g.node("Expand", [row, shape]), g.node("Tile", [x, times]), g.node("ConstantOfShape", [shape]),
               g.node("OneHot", [at, n, hot]), g.node("OneHot", [at, n, hot], axis=0), g.node("Pad", [x, pads]),
               g.node("Pad", [x, behind], mode="edge"), g.node("Pad", [x, pads], mode="reflect"), *best,
               g.node("ReduceSum", [best[0], zero], keepdims=0)]
    for result in results:
        g.parts.append(data(12, data(1, result)))
    bounds = [f"--bound={name}={most}" for name in ("n", "shape", "times", "pads", "behind")]
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, ["x", "n", "at"], len(results), [*options, *bounds])
        for count in (0, 1, most, int(random.integers(2, most))):
            x, at = random.standard_normal((ROWS, WIDTH)).astype(np.float32), random.integers(-most, most, 5)
            wrapped = np.where(at < 0, at + count, at)
            hot = np.where(wrapped[:, None] == np.arange(count), 3, 2)
            order = np.argsort(-x, axis=0, kind="stable")[:count]
            top = np.take_along_axis(x, order, 0)
            wanted = [np.broadcast_to(np.arange(WIDTH), (count, WIDTH)), np.tile(x, (count, 1)),
                      np.zeros((count, WIDTH)), hot, hot.T, np.pad(x, ((count, 1), (0, 0))),
                      np.pad(x, ((0, count), (0, 0)), mode="edge"),
                      np.pad(x, ((count, 1), (0, 0)), mode="reflect"), top, order, top.sum(axis=0)]
            for i, (got, right) in enumerate(zip(call(x, np.array([count]), at), wanted)):
                same(f"{count}, result {i}", got, right)


def check_regions(options):
    """RoiAlign of as many regions as a mask leaves, beside that of each."""
    random = generator(13)
    g = Graph(opset=16)
    inputs = [("x", FLOAT, [2, 3, 8, 9]), ("regions", FLOAT, [6, 4]), ("image", INT64, [6]), ("keep", BOOL, [6])]
    x, regions, image, keep = (g.input(*one) for one in inputs)
    chosen = [g.node("Compress", [value, keep], axis=0) for value in (regions, image)]
    results = []
    for samples in (0, 2):
        how = {"output_height": 3, "output_width": 2, "sampling_ratio": samples}
        results += [g.node("RoiAlign", [x, *chosen], **how), g.node("RoiAlign", [x, regions, image], **how)]
    for result in results:
        g.parts.append(data(12, data(1, result)))
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, g, [name for name, _, _ in inputs], len(results), options)
        for count in (0, 1, 4, 6):
            corner = random.random((6, 2)) * 4
            keep = np.isin(np.arange(6), random.permutation(6)[:count])
            got = call(random.standard_normal((2, 3, 8, 9)).astype(np.float32),
                       np.concatenate([corner, corner + 1 + random.random((6, 2)) * 3], axis=1).astype(np.float32),
                       random.integers(0, 2, 6), keep)
            for some, whole in zip(got[::2], got[1::2]):
                assert np.abs(whole).max() > 0.01
                same(f"{count}", some, whole[keep])


def lengths(g, step=1):
    """Numbers from 0 to a length that is an input, and their sum."""
    n = g.input("n", INT64, [1])
    count = g.node("Range", [g.constant("zero", np.int64(0)), g.node("Squeeze", [n], ["length"]),
                             g.constant("one", np.int64(step))])
    return count, g.node("ReduceSum", [g.node("Cast", [count], to=FLOAT)], keepdims=0)


def refused(text, what, function, *arguments):
    try:
        function(*arguments)
    except AssertionError as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"{what}: expected '{text}'")


def check_bound(options):
    """A length that is an input, with a bound that is given or assumed: as long as it says; more is an error."""
    for given, room in (["--bound=length=9"], 9), ([], ASSUMED):
        g = Graph(opset=17)
        for result in lengths(g):
            g.parts.append(data(12, data(1, result)))
        with tempfile.TemporaryDirectory() as folder:
            call = run(folder, g, ["n"], 2, [*options, *given])
            for n in (0, 1, 5, room):
                got = call(np.array([n]))
                same(f"{n}", got[0], np.arange(n))
                same(f"{n}", got[1], np.arange(n).sum())
            for n in (room + 1, 2**40):
                refused(f"has {n} elements, room is for {room}", "beyond the bound", call, np.array([n]))


def check_assumed(options):
    """No bound is assumed where no result would say that a length is beyond it."""
    def compile_it(build):
        g = Graph(opset=17)
        g.parts.append(data(12, data(1, build(g))))
        with tempfile.TemporaryDirectory() as folder:
            return run(folder, g, ["n"], 1, options)(np.array([7]))[0]

    def part(g):  # five at most
        five = g.constant("five", np.array([5]))
        return g.node("Slice", [lengths(g)[0], g.constant("none", np.array([0])), five])

    def plane(g):
        n = g.node("Mul", [g.input("n", INT64, [1]), g.constant("once", np.array([1]))], ["length"])
        return g.node("ConstantOfShape", [g.node("Concat", [n, n], ["length2"], axis=0)])

    refused("--bound length=N", "a sum alone", compile_it, lambda g: lengths(g)[1])
    refused("--bound length=N", "a part", compile_it, part)
    refused("--bound length=N", "each second one", compile_it, lambda g: lengths(g, 2)[0])
    refused("--bound length2=N", "two lengths", compile_it, plane)
    more = compile_it(lambda g: g.node("Concat", [lengths(g)[0], g.constant("end", np.array([3, 4]))], axis=0))
    same("with two more", more, np.array([*range(7), 3, 4]))


CASES = {
    "unique": lambda options: check_unique(options, 1),
    "unique_in_order": lambda options: check_unique(options, 0),
    "unique_rows": lambda options: check_unique_rows(options, 1),
    "unique_rows_in_order": lambda options: check_unique_rows(options, 0),
    "ranges": check_ranges,
    "parts": check_parts,
    "numbers": check_numbers,
    "regions": check_regions,
    "bound": check_bound,
    "assumed": check_assumed,
    "slices": check_slices,
    "branches": lambda options: check_branches(options, False),
    "branches_counted": lambda options: check_branches(options, True),
    "loops": check_loops,
    "boxes": lambda options: check_boxes(options, ([2, 21, 4], [2, 3, 21]), 5),
    "boxes_open": lambda options: check_boxes(options, (["images", "boxes", 4], ["images", 3, "boxes"]), 2**40),
    "boxes_counted": check_counted_boxes,
    "boxes_padded": check_padded_boxes,
    "consumers": lambda options: check_consumers(options, False),
    "consumers_open": lambda options: check_consumers(options, True),
    "non_zero": lambda options: check_non_zero(options, (5, 7), [5, 7]),
    "non_zero_open": lambda options: check_non_zero(options, (3, 4, 5), ["a", 4, "b"]),
    "compress_flat": check_compress_flat,
    "twice": check_twice,
}

if __name__ == "__main__":
    strata.report([(f"{name} {device}", lambda case=case, options=options: case(options))
                   for name, case in CASES.items() for device, options in DEVICES.items()
                   if not sys.argv[1:] or name in sys.argv[1:]])
