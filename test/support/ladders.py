"""Networks of many small nodes, one kind after another: chains whose values are read twice, ladders, fans, and what
unrolled loops leave. ladder(kind, n) makes a graph of about |n| links, with inputs and the results in f64.

Every reference is computed link by link as the graph is built.
"""
import numpy as np

import onnx_file as onnx

F32, F16, I64, I32 = np.float32, np.float16, np.int64, np.int32
ROWS, COLUMNS = 4, 8


class Ladder:
    """A graph under construction; op() adds a node and keeps the value of its result beside it."""

    def __init__(self, opset=18):
        self.graph = onnx.Graph(opset)
        self.inputs, self.outputs, self.values, self.constants = [], [], {}, {}
        self.random = np.random.default_rng(1)

    def input(self, *shape, scale=1.0):
        name, value = f"x{len(self.inputs)}", (self.random.standard_normal(shape) * scale).astype(F32)
        self.inputs.append(value)
        self.values[name] = value.astype(np.float64)
        return self.graph.input(name, onnx.FLOAT, list(shape))

    def constant(self, array):
        """One initializer for all uses of the same bytes."""
        array = np.asarray(array)
        key = (array.tobytes(), array.dtype.str, array.shape)
        if key not in self.constants:
            self.constants[key] = self.graph.constant(f"c{len(self.constants)}", array)
            self.values[self.constants[key]] = array
        return self.constants[key]

    def op(self, op, operands, value, **attributes):
        name = self.graph.node(op, operands, **attributes)
        self.values[name] = value
        return name

    def ops(self, op, operands, values, **attributes):
        names = self.graph.node(op, operands, outputs=len(values), **attributes)
        names = names if isinstance(names, list) else [names]
        self.values.update(zip(names, values))
        return names

    def output(self, *names):
        for name in names:
            value = self.values[name]
            self.graph.output(name, onnx.FLOAT, list(value.shape))
            self.outputs.append(value)

    # -- one node ------------------------------------------------------------------------------------------------------

    def unary(self, op, x, f):
        return self.op(op, [x], f(self.values[x]))

    def tanh(self, x):
        return self.unary("Tanh", x, np.tanh)

    def sigmoid(self, x):
        return self.unary("Sigmoid", x, lambda v: 1 / (1 + np.exp(-v)))

    def binary(self, op, x, y, f):
        return self.op(op, [x, y], f(self.values[x], self.values[y]))

    def add(self, x, y):
        return self.binary("Add", x, y, np.add)

    def sub(self, x, y):
        return self.binary("Sub", x, y, np.subtract)

    def mul(self, x, y):
        return self.binary("Mul", x, y, np.multiply)

    def matmul(self, x, y):
        return self.binary("MatMul", x, y, np.matmul)

    def weights(self, *shape):
        return self.constant((self.random.standard_normal(shape) / 8).astype(F32))

    def mean(self, x):
        return self.op("ReduceMean", [x, self.constant(np.array([-1]))], self.values[x].mean(-1, keepdims=True))

    def slice(self, x, axis, start, stop):
        index = [slice(None)] * self.values[x].ndim
        index[axis] = slice(start, stop)
        names = [self.constant(np.array([i])) for i in (start, stop, axis)]
        return self.op("Slice", [x, *names], self.values[x][tuple(index)])

    def concat(self, names, axis):
        return self.op("Concat", names, np.concatenate([self.values[name] for name in names], axis), axis=axis)


KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


def chain(link):
    """The kind whose graph is |link| applied again and again to one value of [ROWS, COLUMNS]."""
    def build(ladder, n):
        value = ladder.input(ROWS, COLUMNS)
        for i in range(n):
            value = link(ladder, value, i)
        ladder.output(value)
    build.__name__ = link.__name__
    kind(build)
    return link


# -- Elementwise, each value read twice --------------------------------------------------------------------------------

@chain
def residual_tanh(l, v, i):
    return l.add(v, l.tanh(v))


@chain
def swish(l, v, i):
    return l.mul(v, l.sigmoid(v))


@chain
def doubling(l, v, i):
    return l.add(v, v)


@chain
def halving(l, v, i):
    half = l.mul(v, l.constant(F32(0.5)))
    return l.add(half, half)


@kind
def fibonacci(l, n):
    a, b = l.input(ROWS, COLUMNS), l.input(ROWS, COLUMNS)
    for _ in range(n):
        a, b = b, l.add(a, b)
    l.output(b)


@kind
def fibonacci_tanh(l, n):
    a, b = l.input(ROWS, COLUMNS), l.input(ROWS, COLUMNS)
    for _ in range(n // 2):
        a, b = b, l.tanh(l.add(a, b))
    l.output(b)


@kind
def crossed(l, n):
    a, b = l.input(ROWS, COLUMNS), l.input(ROWS, COLUMNS)
    for _ in range(n // 4):
        a, b = l.tanh(l.add(a, b)), l.sigmoid(l.sub(a, b))
    l.output(a, b)


@chain
def where(l, v, i):
    limit = l.constant(F32(0.25))
    is_more = l.op("Greater", [v, limit], l.values[v] > l.values[limit])
    less, more = l.sub(v, limit), l.add(v, limit)
    return l.op("Where", [is_more, less, more], np.where(l.values[is_more], l.values[less], l.values[more]))


@chain
def clip(l, v, i):
    low, high = l.constant(F32(-1)), l.constant(F32(1))
    return l.op("Clip", [l.add(v, l.constant(F32(0.001))), low, high], np.clip(l.values[v] + np.float64(F32(0.001)), -1, 1))


@chain
def distinct_constants(l, v, i):
    return l.tanh(l.add(v, l.constant(F32(0.001 * (i + 1)))))


@chain
def distinct_vectors(l, v, i):
    return l.tanh(l.add(v, l.constant((np.arange(COLUMNS) * 0.001 * (i + 1)).astype(F32))))


# -- Types -------------------------------------------------------------------------------------------------------------

@chain
def casts(l, v, i):
    half = l.op("Cast", [l.tanh(v)], np.tanh(l.values[v]), to=onnx.FLOAT16)
    return l.op("Cast", [half], l.values[half], to=onnx.FLOAT)


@chain
def cast_rounding(l, v, i):
    whole = l.op("Cast", [v], np.trunc(l.values[v]), to=onnx.INT32)
    half = l.mul(l.op("Cast", [whole], l.values[whole], to=onnx.FLOAT), l.constant(F32(0.5)))
    return l.add(l.mul(v, l.constant(F32(0.25))), half)


@chain
def quantized(l, v, i):
    scale, zero = l.constant(F32(0.03125)), l.constant(np.int8(0))
    value = np.clip(np.rint(l.values[v] / 0.03125), -128, 127)
    q = l.op("QuantizeLinear", [v, scale, zero], value)
    d = l.op("DequantizeLinear", [q, scale, zero], value * 0.03125)
    return l.tanh(d)


# -- Views -------------------------------------------------------------------------------------------------------------

@chain
def transposes(l, v, i):
    t = l.op("Transpose", [l.add(v, l.constant(F32(0.5)))], (l.values[v] + 0.5).T, perm=[1, 0])
    shape = l.constant(np.array([ROWS, COLUMNS]))
    return l.tanh(l.op("Reshape", [t, shape], l.values[t].reshape(ROWS, COLUMNS)))


@chain
def reshapes(l, v, i):
    flat = l.op("Reshape", [v, l.constant(np.array([-1]))], l.values[v].reshape(-1))
    split = l.op("Reshape", [flat, l.constant(np.array([ROWS, 2, COLUMNS // 2]))], l.values[flat].reshape(ROWS, 2, -1))
    turned = l.op("Transpose", [split], l.values[split].transpose(0, 2, 1), perm=[0, 2, 1])
    return l.op("Reshape", [turned, l.constant(np.array([ROWS, COLUMNS]))], l.values[turned].reshape(ROWS, COLUMNS))


@chain
def broadcasts(l, v, i):
    return l.tanh(l.add(v, l.slice(v, 0, i % ROWS, i % ROWS + 1)))


@chain
def expands(l, v, i):
    row = l.slice(v, 0, 0, 1)
    wide = l.op("Expand", [row, l.constant(np.array([ROWS, COLUMNS]))], np.broadcast_to(l.values[row], (ROWS, COLUMNS)))
    return l.tanh(l.sub(v, wide))


@chain
def halves(l, v, i):
    a, b = l.slice(v, 1, 0, COLUMNS // 2), l.slice(v, 1, COLUMNS // 2, COLUMNS)
    return l.concat([b, l.tanh(a)], 1)


@chain
def splits(l, v, i):
    a, b = l.ops("Split", [v], np.split(l.values[v], 2, 1), axis=1, num_outputs=2)
    return l.concat([l.add(a, b), l.tanh(b)], 1)


@chain
def pads(l, v, i):
    padded = l.op("Pad", [l.tanh(v), l.constant(np.array([0, 1, 0, 0]))],
                  np.pad(np.tanh(l.values[v]), [(0, 0), (1, 0)]))
    return l.slice(padded, 1, 0, COLUMNS)


@kind
def padded(l, n):
    """Chains of cheap links, each behind the other's padding: what is read within bounds only."""
    v = l.input(ROWS, COLUMNS)
    for i in range(n // 2):
        v = l.mul(l.add(v, l.unary("Abs", v, np.abs)), l.constant(F32(0.5)))
        if i % 8 == 7:
            wide = l.op("Pad", [v, l.constant(np.array([0, 1, 0, 1]))], np.pad(l.values[v], [(0, 0), (1, 1)]))
            v = l.slice(wide, 1, 0, COLUMNS)
    l.output(v)


@chain
def tiles(l, v, i):
    row = l.slice(l.tanh(v), 0, 1, 2)
    tiled = l.op("Tile", [row, l.constant(np.array([ROWS, 1]))], np.tile(l.values[row], (ROWS, 1)))
    return l.add(v, tiled)


@chain
def gathers(l, v, i):
    index = l.constant(np.array([1, 0, 3, 2]))
    return l.tanh(l.op("Gather", [v, index], l.values[v][[1, 0, 3, 2]], axis=0))


@chain
def concats(l, v, i):
    wide = l.concat([l.slice(v, 1, 1, COLUMNS), l.slice(v, 1, 0, 1)], 1)
    return l.add(wide, l.constant(F32(0.125)))


@kind
def slices_of_one(l, n):
    x = l.input(n)
    pieces = [l.slice(x, 0, n - 1 - i, n - i) for i in range(n)]
    l.output(l.concat(pieces, 0))


@kind
def split_to_many(l, n):
    x = l.input(n)
    l.output(l.concat([l.tanh(y) for y in l.ops("Split", [x], np.split(l.values[x], n), axis=0, num_outputs=n)], 0))


@kind
def growing(l, n):
    """A concat of what is there and one row more: the last has 2 + n / 16 rows of 1."""
    v, step = l.input(1, 1), l.constant(F32(0.5))
    for i in range(n // 2):
        v = l.concat([v, l.mul(l.slice(v, 0, 0, 1), step)], 0) if i % 32 == 0 else l.add(v, l.tanh(v))
    l.output(v)


# -- Reductions --------------------------------------------------------------------------------------------------------

@chain
def centred(l, v, i):
    return l.tanh(l.sub(v, l.mean(v)))


@chain
def softmaxes(l, v, i):
    e = np.exp(l.values[v] - l.values[v].max(-1, keepdims=True))
    return l.add(v, l.op("Softmax", [v], e / e.sum(-1, keepdims=True), axis=-1))


@chain
def residual_norm(l, v, i):
    x, ones = l.values[v], l.constant(np.ones(COLUMNS, F32))
    y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    norm = l.op("LayerNormalization", [v, ones], y, axis=-1, epsilon=1e-5)
    return l.mul(l.add(v, norm), l.constant(F32(0.5)))


@chain
def row_and_column_sums(l, v, i):
    x = l.values[v]
    axis = i % 2
    total = l.op("ReduceSum", [v, l.constant(np.array([axis]))], x.sum(axis, keepdims=True))
    return l.tanh(l.sub(v, total))


@chain
def maxima(l, v, i):
    top = l.op("ReduceMax", [v, l.constant(np.array([0, 1]))], l.values[v].max((0, 1), keepdims=True))
    return l.sub(l.mul(v, l.constant(F32(0.5))), top)


@chain
def running_sums(l, v, i):
    return l.tanh(l.op("CumSum", [v, l.constant(I64(1))], l.values[v].cumsum(1)))


# -- Products ----------------------------------------------------------------------------------------------------------

@chain
def residual_matmul(l, v, i):
    if i == 0:
        l.shared = l.weights(COLUMNS, COLUMNS)
    return l.tanh(l.add(v, l.matmul(v, l.shared)))


@chain
def matmuls(l, v, i):
    return l.tanh(l.matmul(v, l.weights(COLUMNS, COLUMNS)))


@chain
def gemms(l, v, i):
    w, b = l.weights(COLUMNS, COLUMNS), l.weights(COLUMNS)
    value = l.values[v] @ l.values[w].T.astype(np.float64) + l.values[b]
    return l.tanh(l.op("Gemm", [v, w, b], value, transB=1))


@chain
def squares(l, v, i):
    turned = l.op("Transpose", [v], l.values[v].T, perm=[1, 0])
    return l.tanh(l.matmul(l.matmul(v, turned), v))


@kind
def convolutions(l, n):
    v, w = l.input(1, 2, 4, 4), l.weights(2, 2, 1, 1)
    for _ in range(n):
        value = np.einsum("oihw,bixy->boxy", l.values[w].astype(np.float64), l.values[v])
        v = l.tanh(l.add(v, l.op("Conv", [v, w], value)))
    l.output(v)


@kind
def poolings(l, n):
    v = l.input(1, 2, 4, 4)
    for _ in range(n):
        x = np.pad(l.values[v], [(0, 0), (0, 0), (1, 1), (1, 1)], constant_values=-np.inf)
        value = np.max([x[:, :, i:i + 4, j:j + 4] for i in range(3) for j in range(3)], 0)
        v = l.sub(l.op("MaxPool", [v], value, kernel_shape=[3, 3], pads=[1, 1, 1, 1]), l.mul(v, l.constant(F32(0.5))))
    l.output(v)


@chain
def attention(l, v, i):
    if i == 0:
        l.shared = [l.weights(COLUMNS, COLUMNS) for _ in range(3)]
    q, k, value = (l.matmul(v, w) for w in l.shared)
    scores = l.matmul(q, l.op("Transpose", [k], l.values[k].T, perm=[1, 0]))
    e = np.exp(l.values[scores] - l.values[scores].max(-1, keepdims=True))
    return l.tanh(l.add(v, l.matmul(l.op("Softmax", [scores], e / e.sum(-1, keepdims=True), axis=-1), value)))


# -- Fans --------------------------------------------------------------------------------------------------------------

@kind
def fan_of_sums(l, n):
    x = l.input(ROWS, COLUMNS)
    parts = [l.tanh(l.mul(x, l.constant(F32(1 + 0.001 * i)))) for i in range(n)]
    l.output(l.op("Sum", parts, np.sum([l.values[part] for part in parts], 0)))


@kind
def fan_of_products(l, n):
    x = l.input(ROWS, COLUMNS)
    l.output(l.concat([l.matmul(x, l.weights(COLUMNS, 2)) for i in range(n)], 1))


@kind
def tree(l, n):
    x = l.input(n, COLUMNS)
    parts = [l.slice(x, 0, i, i + 1) for i in range(n)]
    while len(parts) > 1:
        parts = [l.add(*parts[i:i + 2]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
    l.output(parts[0])


@kind
def many_outputs(l, n):
    x = l.input(ROWS, COLUMNS)
    l.output(*[l.tanh(l.add(x, l.constant(F32(0.001 * i)))) for i in range(n)])


@kind
def chain_of_outputs(l, n):
    v = l.input(ROWS, COLUMNS)
    for _ in range(n):
        v = l.tanh(v)
        l.output(v)


@kind
def many_inputs(l, n):
    v = l.input(ROWS, COLUMNS)
    for _ in range(n):
        v = l.tanh(l.add(v, l.input(ROWS, COLUMNS)))
    l.output(v)


@kind
def first_read_by_all(l, n):
    x = l.input(ROWS, COLUMNS)
    v = l.tanh(x)
    first = v
    for _ in range(n):
        v = l.tanh(l.add(v, first))
    l.output(v)


@kind
def last_reads_all(l, n):
    v = l.input(ROWS, COLUMNS)
    values = []
    for _ in range(n):
        v = l.tanh(v)
        values.append(v)
    l.output(l.concat(values, 0))


@kind
def separate_chains(l, n):
    ends = []
    for i in range(max(n // 100, 1)):
        v = l.input(ROWS, COLUMNS)
        for _ in range(min(n, 100)):
            v = l.add(v, l.tanh(v))
        ends.append(v)
    l.output(*ends)


# -- What is computed by the compiler ----------------------------------------------------------------------------------

@kind
def constants(l, n):
    """Arithmetic on constants, of a few elements, that is folded."""
    x, v = l.input(ROWS, COLUMNS), l.constant(np.arange(COLUMNS).astype(F32))
    for _ in range(n):
        v = l.mul(l.add(v, l.constant(F32(1))), l.constant(F32(0.5)))
    l.output(l.mul(x, v))


@kind
def shapes(l, n):
    """Arithmetic on a shape, as exporters leave it around every reshape."""
    v = l.input(ROWS, COLUMNS)
    zero, one = l.constant(np.array([0])), l.constant(np.array([1]))
    for _ in range(max(n // 8, 1)):
        shape = l.op("Shape", [v], np.array([ROWS, COLUMNS]))
        rows = l.op("Gather", [shape, zero], np.array([ROWS]), axis=0)
        columns = l.op("Gather", [shape, one], np.array([COLUMNS]), axis=0)
        count = l.mul(rows, columns)
        flat = l.op("Reshape", [v, count], l.values[v].reshape(-1))
        both = l.concat([l.op("Div", [count, columns], np.array([ROWS])), columns], 0)
        v = l.tanh(l.op("Reshape", [flat, both], l.values[flat].reshape(ROWS, COLUMNS)))
    l.output(v)


@kind
def identities(l, n):
    v = l.tanh(l.input(ROWS, COLUMNS))
    for _ in range(n):
        v = l.op("Identity", [v], l.values[v])
    l.output(v)


@kind
def negations(l, n):
    v = l.input(ROWS, COLUMNS)
    for _ in range(n):
        v = l.unary("Neg", v, np.negative)
    l.output(v)


@kind
def repeated(l, n):
    """The same expression again and again, and a sum of all."""
    x = l.input(ROWS, COLUMNS)
    v = l.tanh(x)
    for _ in range(n):
        v = l.add(v, l.tanh(x))
    l.output(v)


@kind
def unused(l, n):
    x = l.input(ROWS, COLUMNS)
    v = l.tanh(x)
    dead = v
    for _ in range(n):
        dead = l.add(dead, l.tanh(dead))
    l.output(v)


@kind
def loop(l, n):
    """A Loop of |n| iterations: v = tanh(v + x)."""
    v = l.input(ROWS, COLUMNS)
    body = onnx.Graph()
    body.input("i", onnx.INT64, [])
    body.input("go", onnx.BOOL, [])
    body.input("carried", onnx.FLOAT, [ROWS, COLUMNS])
    body.n_values = 10**9  # names that the graph around does not use
    body.output(body.node("Identity", ["go"]), onnx.BOOL, [])
    body.output(body.node("Tanh", [body.node("Add", ["carried", v])]), onnx.FLOAT, [ROWS, COLUMNS])
    value = l.values[v]
    for _ in range(n):
        value = np.tanh(value + l.values[v])
    l.output(l.op("Loop", [l.constant(I64(n)), "", v], value, body=body))


@kind
def scan(l, n):
    """A Scan over |n| rows: a running tanh."""
    state, rows = l.input(COLUMNS), l.input(n, COLUMNS)
    body = onnx.Graph()
    body.input("state", onnx.FLOAT, [COLUMNS])
    body.input("row", onnx.FLOAT, [COLUMNS])
    body.n_values = 10**9
    total = body.node("Tanh", [body.node("Add", ["state", "row"])])
    body.output(total, onnx.FLOAT, [COLUMNS])
    body.output(body.node("Identity", [total]), onnx.FLOAT, [COLUMNS])
    values, v = [], l.values[state]
    for row in l.values[rows]:
        v = np.tanh(v + row)
        values.append(v)
    l.output(*l.ops("Scan", [state, rows], [v, np.array(values)], body=body, num_scan_inputs=1))


def ladder(name, n):
    """The graph of a kind with about |n| links; its Ladder."""
    l = Ladder()
    with np.errstate(over="ignore", invalid="ignore"):
        KINDS[name](l, n)
    return l
