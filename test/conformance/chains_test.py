"""Ops together, fused and not: random graphs whose every result is exact (wrapping integers, and floats that stay small
whole numbers), and the patterns that models are made of."""
import numpy as np

import formats
import suite
import values

REAL = formats.REAL
MOST_ELEMENTS = 6000
LARGEST = 8  # of a float that an op takes: sums of MOST_ELEMENTS of them and their products are exact in f32
SIZES = [1, 2, 3, 5, 7, 8, 16, 17, 33, 65]


# -- random graphs ----------------------------------------------------------------------------------------------------

class Graph:
    """A trace: values by number, each with its op, its operands and what NumPy says it is."""

    def __init__(self, t, rng):
        self.t, self.rng = t, rng
        self.steps = []  # (op or None for an input, type, operands, array, attrs)

    def add(self, op, operands, array, type_name=None, **attrs):
        type_name = type_name or self.t
        self.steps.append((op, type_name, operands, np.array(array, formats.carrier(type_name), order="C"), attrs))
        return len(self.steps) - 1

    def input(self, shape, type_name=None):
        array = self.rng.integers(-4, 5, shape).astype(formats.carrier(type_name or self.t))
        return self.add(None, [], array, type_name)

    def array(self, value):
        return self.steps[value][3]

    def small(self, value):
        """Floats are kept to whole numbers up to LARGEST, so that all that is computed from them is exact."""
        x = self.array(value)
        if not formats.is_float(self.t) or np.all(np.abs(x) <= LARGEST):
            return value
        bounds = [self.add("constant", [], np.full(x.shape, bound, x.dtype)) for bound in (-LARGEST, LARGEST)]
        value = self.add("max", [value, bounds[0]], np.maximum(x, -LARGEST))
        return self.add("min", [value, bounds[1]], np.minimum(self.array(value), LARGEST))

    def case(self, name):
        used = {operand for step in self.steps for operand in step[2]}
        returned = [i for i, step in enumerate(self.steps)
                    if step[0] not in (None, "constant") and (i not in used or self.rng.random() < 0.15)]

        def case(module):
            emitted = []
            for op, t, operands, array, attrs in self.steps:
                if op is None:
                    emitted.append(module.input(t, array))
                elif op == "constant":
                    emitted.append(module.constant(t, array))
                else:
                    emitted.append(module.op(op, [emitted[i] for i in operands], t, array.shape, **attrs))
            for i in returned:
                module.output(emitted[i], suite.Exactly(self.array(i), signed_zero=False), name, self.t)
        return case


def _pick(g, condition=lambda x: True):
    """A small value of the graph's type, late ones preferred; None if there is none."""
    found = [i for i, step in enumerate(g.steps) if step[1] == g.t and step[0] != "constant" and condition(step[3])]
    return g.small(found[-1 - min(g.rng.geometric(0.4) - 1, len(found) - 1)]) if found else None


def unary(g):
    x = _pick(g)
    op = g.rng.choice(["neg", "abs"])
    g.add(op, [x], {"neg": np.negative, "abs": np.abs}[op](g.array(x)))


def _broadcast(g, x, shape, dims):
    """dims: the dim of the result for each dim of x, None where x has size 1 and it does not matter."""
    names = [f"d{i}" for i in range(len(shape))]
    text = f"({', '.join(names)}) -> ({', '.join('0' if d is None else names[d] for d in dims)})"
    points = np.indices(shape)
    at = tuple(np.zeros(shape, int) if d is None else points[d] for d in dims)
    array = g.array(x)[at] if dims else np.full(shape, g.array(x))
    return g.add("broadcast", [x], array, map=text)


def _right_aligned(g, x, shape):
    """x broadcast to a shape as NumPy does."""
    array = g.array(x)
    first = len(shape) - array.ndim
    return _broadcast(g, x, shape, [None if n == 1 else first + i for i, n in enumerate(array.shape)])


def binary(g):
    x = _pick(g)
    shape = g.array(x).shape

    def fits(y):
        return y.ndim <= len(shape) and all(a in (1, b) for a, b in zip(y.shape[::-1], shape[::-1]))
    y = _pick(g, fits)
    if g.array(y).shape != shape:
        y = _right_aligned(g, y, shape)
    op = g.rng.choice(["add", "sub", "mul", "min", "max"])
    result = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "min": np.minimum, "max": np.maximum}[op](
        g.array(x), g.array(y))
    g.add(op, [x, y] if g.rng.random() < 0.5 or op == "sub" else [y, x], result)


def select(g):
    x = _pick(g)
    y = _pick(g, lambda a: a.shape == g.array(x).shape)
    condition = g.add("lt", [x, y], g.array(x) < g.array(y), "i1")
    g.add("select", [condition, y, x], np.where(g.array(condition), g.array(y), g.array(x)))


def transpose(g):
    x = _pick(g, lambda a: a.ndim > 1)
    if x is not None:
        permutation = g.rng.permutation(g.array(x).ndim).tolist()
        g.add("transpose", [x], np.transpose(g.array(x), permutation), permutation=permutation)


def reshape(g):
    x = _pick(g)
    size, shape = g.array(x).size, []
    while size > 1 and len(shape) < 3:
        factor = int(g.rng.choice([d for d in range(1, size + 1) if size % d == 0]))
        shape.append(factor)
        size //= factor
    g.add("reshape", [x], g.array(x).reshape(shape + ([size] if size > 1 or not shape else [])))


def slice_(g):
    x = _pick(g, lambda a: a.ndim > 0)
    if x is None:
        return
    starts, steps, at = [], [], []
    for n in g.array(x).shape:
        step = int(g.rng.choice([1, 1, 1, 2, -1]))
        start, stop = sorted(g.rng.integers(0, n, 2).tolist())
        chosen = range(start, stop + 1, step) if step > 0 else range(stop, start - 1, step)
        starts.append(chosen[0])
        steps.append(step)
        at.append(np.array(chosen))
    g.add("slice", [x], g.array(x)[np.ix_(*at)], starts=starts, steps=steps)


def pad(g):
    x = _pick(g, lambda a: 0 < a.ndim and a.size < MOST_ELEMENTS / 4)
    if x is None:
        return
    low, high = (g.rng.integers(0, 3, g.array(x).ndim).tolist() for _ in range(2))
    number = "3.0" if formats.is_float(g.t) else "3"
    g.add("pad", [x], np.pad(g.array(x), list(zip(low, high)), constant_values=3), low=low, high=high,
          value=f"{number} : {g.t}")


def concat(g):
    x = _pick(g, lambda a: 0 < a.ndim and a.size < MOST_ELEMENTS / 2)
    if x is None:
        return
    shape, axis = g.array(x).shape, int(g.rng.integers(0, g.array(x).ndim))
    y = _pick(g, lambda a: a.ndim == len(shape) and a.size < MOST_ELEMENTS / 2
              and a.shape[:axis] + a.shape[axis + 1:] == shape[:axis] + shape[axis + 1:])
    g.add("concat", [x, y], np.concatenate([g.array(x), g.array(y)], axis), axis=axis)


def reduce(g):
    x = _pick(g, lambda a: a.ndim > 0)
    if x is None:
        return
    rank = g.array(x).ndim
    axes = sorted(g.rng.choice(rank, g.rng.integers(1, rank + 1), replace=False).tolist())
    kind = g.rng.choice(["add", "max", "min"])
    f = {"add": np.sum, "max": np.max, "min": np.min}[kind]
    keywords = {"dtype": g.array(x).dtype} if kind == "add" else {}
    value = g.small(g.add("reduce", [x], f(g.array(x), axis=tuple(axes), **keywords), kind=kind, axes=axes))
    if g.rng.random() < 0.6:  # and back, as softmax and norms do
        shape = g.array(x).shape
        kept = [d for d in range(rank) if d not in axes]
        g.add("sub", [x, _broadcast(g, value, shape, kept)], g.array(x) - g.array(len(g.steps) - 1))


def scan(g):
    x = _pick(g, lambda a: a.ndim > 0)
    if x is not None:
        axis = int(g.rng.integers(0, g.array(x).ndim))
        g.add("scan", [x], np.cumsum(g.array(x), axis, dtype=g.array(x).dtype), kind="add", axis=axis,
              exclusive=False, reverse=False)


def window(g):
    x = _pick(g, lambda a: a.ndim > 1 and a.shape[-1] > 2)
    if x is None:
        return
    rank, strides = g.array(x).ndim, int(g.rng.integers(1, 3))
    padded = np.pad(g.array(x), [(0, 0)] * (rank - 1) + [(1, 1)],
                    constant_values=formats.bounds(g.t)[0] if not formats.is_float(g.t) else -np.inf)
    result = np.lib.stride_tricks.sliding_window_view(padded, 3, rank - 1)[..., ::strides, :].max(-1)
    ones = [1] * (rank - 1)
    g.add("window", [x], result, kind="max", window=ones + [3], strides=ones + [strides], dilations=ones + [1],
          low=[0] * (rank - 1) + [1], high=[0] * (rank - 1) + [1])


def gather(g):
    x = _pick(g, lambda a: a.ndim > 0 and a.size < MOST_ELEMENTS / 2)
    if x is None:
        return
    axis = int(g.rng.integers(0, g.array(x).ndim))
    indices = g.rng.integers(0, g.array(x).shape[axis], g.rng.choice(SIZES[:5]))
    at = g.add(None, [], indices, "i64")
    g.add("gather", [x, at], np.take(g.array(x), g.array(at), axis), axis=axis, batch_dims=0)


def contract(g):
    x = _pick(g, lambda a: a.ndim >= 2)
    if x is None:
        return
    shape = g.array(x).shape
    y = _pick(g, lambda a: a.ndim == 2 and a.shape[0] == shape[-1])
    if y is None:
        y = g.input((shape[-1], int(g.rng.choice(SIZES))))
    if int(np.prod(shape[:-1])) * g.array(y).shape[1] > MOST_ELEMENTS:
        return
    batch = [f"b{i}" for i in range(len(shape) - 1)]
    dims, lhs, result_dims = (", ".join(batch + last) for last in (["j", "k"], ["k"], ["j"]))
    maps = [f"({dims}) -> ({lhs})", f"({dims}) -> (k, j)", f"({dims}) -> ({result_dims})"]
    result = np.matmul(g.array(x), g.array(y))
    g.add("contract", [x, y], result, maps=maps, zero_pad=False, origin="matmul")


STEPS = [unary, binary, binary, binary, select, transpose, transpose, reshape, slice_, pad, concat, reduce, reduce,
         scan, window, gather, contract]


def random_graph(t, rng, n_steps, name):
    g = Graph(t, rng)
    for _ in range(3):
        g.input(rng.choice(SIZES, rng.integers(0, 4)).tolist())
    for _ in range(n_steps):
        if all(g.array(i).size <= MOST_ELEMENTS for i in range(len(g.steps))):
            rng.choice(STEPS)(g)
    return g.case(name)


def backwards(t):
    """Rows joined, made one dim and read from its end: what is left of the row number's sum is negative."""
    def graphs(rng):
        g = Graph(t, rng)
        x, y = (g.input((65, 5)) for _ in range(2))
        joined = g.add("concat", [x, y], np.concatenate([g.array(x), g.array(y)]), axis=0)
        flat = g.add("reshape", [joined], g.array(joined).reshape(650))
        g.add("slice", [flat], g.array(flat)[337:311:-1], starts=[337], steps=[-1])
        return [g.case("backwards")]
    return graphs


def random_graphs(t):
    return lambda rng: [random_graph(t, rng, 14, "random graph") for _ in range(6)]


# -- patterns of models -----------------------------------------------------------------------------------------------

class Pattern:
    """Ops on arrays in REAL, emitted as they are computed; the values carry their bounds as well as their numbers."""

    def __init__(self, module, t):
        self.module, self.t = module, t

    def input(self, array):
        return self.module.input(self.t, array), array.astype(REAL)

    def op(self, name, operands, numbers, **attrs):
        return self.module.op(name, [v for v, _ in operands], self.t, numbers.shape, **attrs), numbers

    def broadcast(self, x, shape, dims):
        names = [f"d{i}" for i in range(len(shape))]
        text = f"({', '.join(names)}) -> ({', '.join(names[d] for d in dims)})"
        numbers = np.broadcast_to(x[1].reshape([x[1].shape[dims.index(d)] if d in dims else 1
                                                for d in range(len(shape))]), shape)
        return self.op("broadcast", [x], numbers, map=text)

    def matmul(self, x, y, transposed=False):
        """[.., i, k] by [.., k, j] or, transposed, [.., j, k]."""
        batch = [f"b{i}" for i in range(x[1].ndim - 2)]
        dims = ", ".join(batch + ["i", "j", "k"])

        def of(*last):
            return f"({dims}) -> ({', '.join(batch + list(last))})"
        rhs = y[1].swapaxes(-1, -2) if transposed else y[1]
        return self.op("contract", [x, y], np.matmul(x[1], rhs), zero_pad=False, origin="matmul",
                       maps=[of("i", "k"), of("j", "k") if transposed else of("k", "j"), of("i", "j")])

    def transpose(self, x, permutation):
        return self.op("transpose", [x], np.transpose(x[1], permutation), permutation=permutation)

    def reshape(self, x, *shape):
        return self.op("reshape", [x], x[1].reshape(shape))

    def output(self, x, name, tolerance):
        """Relative to the greatest number, as the errors of intermediate values are."""
        size = np.full(x[1].shape, np.abs(x[1]).max(initial=0))
        if self.t != "f64" and formats.width(self.t) < 32:
            tolerance = tolerance / 4
            check = suite.Within(self.t, x[1], tolerance, size, self.t, signed_zero=False)
        else:
            check = suite.Within(self.t, x[1], tolerance, size, signed_zero=False)
        self.module.output(x[0], check, name)


def attention(p, rng, batch, heads, length, width):
    shape = (batch, length, heads * width)
    q, k, v = (p.transpose(p.reshape(p.input(values.ordinary(p.t, rng, shape)), batch, length, heads, width),
                           (0, 2, 1, 3)) for _ in range(3))
    scale = p.module.constant(p.t, np.full((batch, heads, length, length), 0.125, formats.carrier(p.t)))
    scores = p.matmul(q, k, transposed=True)
    scores = p.op("mul", [scores, (scale, None)], scores[1] * REAL(0.125))
    e = np.exp(scores[1] - scores[1].max(-1, keepdims=True))
    weights = p.op("softmax", [scores], e / e.sum(-1, keepdims=True), axes=(3,))
    mixed = p.transpose(p.matmul(weights, v), (0, 2, 1, 3))
    p.output(p.reshape(mixed, *shape), "attention", 256)


def feed_forward(p, rng, rows, width, inner):
    x = p.input(values.ordinary(p.t, rng, (rows, width)))
    scale, bias = (p.input(values.ordinary(p.t, rng, (width,))) for _ in range(2))
    centred = x[1] - x[1].mean(-1, keepdims=True)
    normal = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + REAL(1e-5)) * scale[1] + bias[1]
    y = p.op("layer_norm", [x, scale, bias], normal, axes=(1,), epsilon=1e-5)
    w1, w2 = (p.input(values.ordinary(p.t, rng, shape, 0.1)) for shape in ((width, inner), (inner, width)))
    b1 = p.input(values.ordinary(p.t, rng, (inner,)))
    y = p.matmul(y, w1)
    y = p.op("add", [y, p.broadcast(b1, (rows, inner), [1])], y[1] + b1[1])
    y = p.op("silu", [y], y[1] / (1 + np.exp(-y[1])))
    y = p.matmul(y, w2)
    p.output(p.op("add", [y, x], y[1] + x[1]), "feed forward", 256)


def convolution_block(p, rng, channels, outputs, size):
    x = p.input(values.ordinary(p.t, rng, (1, channels, size, size)))
    w = p.input(values.ordinary(p.t, rng, (outputs, channels, 3, 3), 0.2))
    view = np.lib.stride_tricks.sliding_window_view(np.pad(x[1], ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), (2, 3))
    d = "(n, o, h, w, c, y, x)"
    y = p.op("contract", [x, w], np.einsum("nchwyx,ocyx->nohw", view, w[1]), zero_pad=True, origin="conv",
             maps=(f"{d} -> (n, c, h + y - 1, w + x - 1)", f"{d} -> (o, c, y, x)", f"{d} -> (n, o, h, w)"))
    scale, bias, mean = (p.input(values.ordinary(p.t, rng, (outputs,))) for _ in range(3))
    variance = p.input(np.abs(values.ordinary(p.t, rng, (outputs,))) + formats.carrier(p.t)(0.5))
    lined_up = [v[1].reshape(-1, 1, 1) for v in (scale, bias, mean, variance)]
    y = p.op("batch_norm", [y, scale, bias, mean, variance],
             (y[1] - lined_up[2]) * lined_up[0] / np.sqrt(lined_up[3] + REAL(1e-5)) + lined_up[1], epsilon=1e-5)
    y = p.op("relu", [y], np.maximum(y[1], 0))
    ones = dict(dilations=(1,) * 4, low=(0, 0, 1, 1), high=(0, 0, 1, 1))
    padded = np.pad(y[1], ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    pooled = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[:, :, ::2, ::2].max((4, 5))
    p.output(p.op("window", [y], pooled, kind="max", window=(1, 1, 3, 3), strides=(1, 1, 2, 2), **ones),
             "convolution block", 256)


def cache_update(p, rng, heads, past, width):
    """A new row appended to what was computed before, in place of a copy."""
    old = p.input(values.ordinary(p.t, rng, (heads, past, width)))
    x = p.input(values.ordinary(p.t, rng, (1, heads * width)))
    w = p.input(values.ordinary(p.t, rng, (heads * width, heads * width), 0.1))
    new = p.transpose(p.reshape(p.matmul(x, w), 1, heads, width), (1, 0, 2))
    joined = p.op("concat", [old, new], np.concatenate([old[1], new[1]], 1), axis=1)
    q = p.transpose(p.reshape(x, 1, heads, width), (1, 0, 2))
    p.output(joined, "cache update", 64)
    p.output(p.matmul(q, joined, transposed=True), "cache update", 256)


PATTERNS = [(attention, (2, 3, 17, 8)), (attention, (1, 4, 64, 16)), (feed_forward, (7, 65, 100)),
            (feed_forward, (32, 64, 256)), (convolution_block, (5, 17, 13)), (convolution_block, (16, 32, 8)),
            (cache_update, (4, 9, 8))]


def pattern_case(pattern, t, arguments, seed):
    return lambda module: pattern(Pattern(module, t), np.random.default_rng(seed), *arguments)


def patterns(t):
    return lambda rng: [pattern_case(pattern, t, arguments, rng.integers(2**31)) for pattern, arguments in PATTERNS]


MODES = {"fused": suite.FUSED, "unfused": suite.UNFUSED, "strict": suite.STRICT,
         "no reduce fusion": ("--polyblocks-disable-reduce-reduce-fusion",),
         "no folding": ("--disable-constant-folding",)}
RANDOM_JOBS = 6


def jobs():
    for t in ("i32", "f32"):
        yield suite.Job(f"backwards {t}", backwards(t), MODES["fused"])
    for t in ("i32", "f32", "i8", "f64"):
        for i in range(RANDOM_JOBS):
            for mode in ("fused", "unfused"):
                yield suite.Job(f"random {t} {i} {mode}", random_graphs(t), MODES[mode] + suite.exact_products(t))
    for t in ("f32", "f16", "bf16", "f64"):
        for mode, options in MODES.items():
            yield suite.Job(f"patterns {t} {mode}", patterns(t), options + suite.exact_products(t))


if __name__ == "__main__":
    suite.main(jobs())
