"""Composite ops: what their names mean, computed in longdouble. Their error is measured against the numbers that the
formula adds up, in the type that it is computed in."""
import numpy as np

import formats
import jagged_test
import reference
import suite
import tables
import values

REAL = formats.REAL
FLOATS = [t for t in tables.TYPES if formats.is_float(t)]  # small ones are computed in f32, like f16
INTEGERS = [t for t in tables.TYPES if formats.is_integer(t) and not tables.is_stored_only(t)]
ULPS = 16
TINY = REAL(2) ** -100  # exp(-x) overflows for results below; they become 0

SHAPES = [(), (7,), (3, 17), (2, 3, 65), (0, 4), (1000,)]


# -- elementwise: a function of x gives the exact result and its size (None: its own) ---------------------------------

def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _softplus(x):
    return np.where(x > 0, x + np.log1p(np.exp(-x)), np.log1p(np.exp(x)))


def _normal_distribution(x):
    return (1 + reference.erf(x / np.sqrt(REAL(2)))) / 2


def _gelu_tanh(x):
    inner = np.sqrt(2 / (REAL(np.pi) + REAL("1.2246467991473531772e-16"))) * (x + REAL("0.044715") * x**3)
    return x * (1 + np.tanh(inner)) / 2


def _linear_exponential(x, alpha, scale=1):
    return np.where(x < 0, alpha * np.expm1(x / scale), x)


UNARY = {
    "relu": lambda x: (np.where(np.isnan(x), x, np.maximum(x, 0)), None),
    "sigmoid": lambda x: (_sigmoid(x), np.maximum(_sigmoid(x), TINY)),
    "silu": lambda x: (x * _sigmoid(x), np.maximum(np.abs(x * _sigmoid(x)), TINY)),
    "softplus": lambda x: (_softplus(x), np.maximum(_softplus(x), TINY)),
    "softsign": lambda x: (x / (1 + np.abs(x)), None),
    "gelu": lambda x: (x * _normal_distribution(x), x),
    "gelu_tanh": lambda x: (_gelu_tanh(x), x),
    "mish": lambda x: (x * np.tanh(_softplus(x)), np.maximum(np.abs(x * np.tanh(_softplus(x))), TINY)),
    "leaky_relu": lambda x, alpha: (np.where(x < 0, alpha * x, x), None),
    "elu": lambda x, alpha: (_linear_exponential(x, alpha), None),
    "celu": lambda x, alpha: (_linear_exponential(x, alpha, alpha), None),
    "selu": lambda x, alpha, gamma: (gamma * _linear_exponential(x, alpha), None),
    "hard_sigmoid": lambda x, alpha, beta: (np.clip(alpha * x + beta, 0, 1), np.minimum(np.abs(alpha * x), 2) + 1),
    "hard_swish": lambda x: (x * np.clip(x / 6 + REAL(0.5), 0, 1), x),
    "thresholded_relu": lambda x, alpha: (np.where(x > alpha, x, 0), None),
    "sign": lambda x: (np.where(x == 0, x, np.sign(x)), None),
}
# With fast math GPUs give the exponential in 1 + e^-x a relative error of |x| 2^-24, up to |x| units: docs/gpu.md.
BESIDE_ONE = ("sigmoid", "silu") if suite.TARGET != "cpu" else ()
ATTRIBUTES = {"alpha": 0.75, "beta": 0.25, "gamma": 1.5}  # exact in every type

# -- of two operands --------------------------------------------------------------------------------------------------


def _floor_remainder(x, y):
    r = np.fmod(x, y)
    return np.where((r != 0) & (np.signbit(r) != np.signbit(y)), r + y, r)


BINARY = {
    "prelu": lambda x, slope: np.where(x < 0, slope * x, x),
    "mod": _floor_remainder,
}
INTEGER = {  # of Python's numbers
    "relu": lambda x: max(x, 0),
    "sign": lambda x: (x > 0) - (x < 0),
    "prelu": lambda x, slope: slope * x if x < 0 else x,
    "mod": lambda x, y: x % y if y else 0,
}


def float_case(name, t, operands):
    row = tables.COMPOSITES[name]
    attrs = {key: ATTRIBUTES[key] for key in row.attrs}

    def case(module):
        wide = np.broadcast_arrays(*(x.astype(REAL) for x in operands))
        exact, size = UNARY[name](*wide, **{k: REAL(v) for k, v in attrs.items()}) if name in UNARY \
            else (BINARY[name](*wide), None)
        value = module.op(name, [module.input(t, x) for x in operands], t, exact.shape, **attrs)
        grows = name in BESIDE_ONE and module.fast and tables.math_type(t) == "f32"
        ulps = ULPS + np.where(np.isfinite(wide[0]), np.maximum(-wide[0], 0), 0) if grows else ULPS
        module.output(value, suite.Within(t, exact, ulps, size, inputs=wide, signed_zero=False), name)
    return case


def integer_case(name, t, operands):
    def case(module):
        wide = np.broadcast_arrays(*operands)
        exact = [INTEGER[name](*numbers) for numbers in zip(*(x.ravel().tolist() for x in wide))]
        exact = formats.wrap(t, np.array(exact, object)).reshape(wide[0].shape)
        value = module.op(name, [module.input(t, x) for x in operands], t, exact.shape)
        module.output(value, suite.Exactly(exact, wide), name)
    return case


def elementwise(t):
    make_case, names = (float_case, [*UNARY, *BINARY]) if formats.is_float(t) else (integer_case, INTEGER)

    def make(rng):
        cases = []
        for name in names:
            n = len(tables.COMPOSITES[name].operands)
            everything = values.every(t) if formats.width(t) <= 16 else values.sample(t, rng, 500)
            cases.append(make_case(name, t, (everything,) if n == 1 else values.pairs(t, rng, 300)))
            shape = SHAPES[rng.integers(len(SHAPES))]
            few = [rng.choice(everything, shape) for _ in range(n)]
            cases.append(make_case(name, t, few))
            if n == 2:
                cases.append(make_case(name, t, [rng.choice(everything, (5, 3, 17)), rng.choice(everything, (3, 1))]))
        return cases
    return make


# -- along axes -------------------------------------------------------------------------------------------------------

ROWS = [((7, 17), (1,)), ((3, 5, 65), (1, 2)), ((257,), (0,)), ((2, 1000), (1,)), ((5, 1), (1,)), ((3, 7, 4), (1,)),
        ((100, 9), (0,)), ((2, 2, 3, 33), (3,)), ((0, 5), (1,))]
EPSILON = 1e-5


def _exp_of_difference(x, axes):
    difference = x - x.max(axes, keepdims=True, initial=-np.inf)
    return difference, np.exp(difference)


def _softmax(x, axes, module_ulps):
    difference, e = _exp_of_difference(x, axes)
    return e / e.sum(axes, keepdims=True), None, module_ulps + np.abs(difference).max(initial=0)


def _log_softmax(x, axes, module_ulps):
    difference, e = _exp_of_difference(x, axes)
    log = np.log(e.sum(axes, keepdims=True))
    return difference - log, np.abs(difference) + log + 1, module_ulps


def _normalized(x, axes):
    """(x - mean) / deviation, and its size before the subtraction."""
    mean = x.mean(axes, keepdims=True) if x.size else x
    inverse = 1 / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + REAL(EPSILON)) if x.size else x
    return (x - mean) * inverse, (np.abs(x).max(axes, keepdims=True, initial=0) + np.abs(x)) * inverse


def _rms(x, axes):
    return x / np.sqrt((x * x).mean(axes, keepdims=True) + REAL(EPSILON)) if x.size else x


def row_case(name, t, x, axes, rng):
    """Scale and bias have the shape of the axes."""
    row = tables.COMPOSITES[name]
    trailing = x.shape[min(axes):] if len(row.operands) > 1 else ()
    others = [values.ordinary(t, rng, trailing) for _ in row.operands[1:]]

    def case(module):
        wide, (scale, bias) = x.astype(REAL), ([o.astype(REAL) for o in others] + [REAL(1), REAL(0)])[:2] \
            if len(others) != 1 else (others[0].astype(REAL), REAL(0))
        ulps = ULPS + int(np.prod([x.shape[a] for a in axes])) / 2
        if name == "softmax":
            exact, size, ulps = _softmax(wide, axes, ulps)
        elif name == "log_softmax":
            exact, size, ulps = _log_softmax(wide, axes, ulps)
        elif name == "rms_norm":
            exact, size = _rms(wide, axes) * scale, None
        else:
            exact, size = _normalized(wide, axes)
            exact, size = exact * scale + bias, size * np.abs(scale) + np.abs(bias)
        attrs = {"axes": axes} | ({"epsilon": EPSILON} if "epsilon" in row.attrs else {})
        value = module.op(name, [module.input(t, o) for o in [x] + others], t, x.shape, **attrs)
        module.output(value, suite.Within(t, exact, ulps, size, signed_zero=False), name)
    return case


def sink_case(t, shape, axes, rng):
    """A sink for each row, or one for all, below most of a row's numbers or above them."""
    x = values.ordinary(t, rng, shape, 4.0)
    rows = [1 if a in axes or rng.random() < 0.3 else n for a, n in enumerate(shape)]
    sink = values.ordinary(t, rng, rows, 4.0)

    def case(module):
        wide, least = x.astype(REAL), sink.astype(REAL)
        greatest = np.maximum(wide.max(axes, keepdims=True, initial=-np.inf), least)
        e, own = np.exp(wide - greatest), np.exp(least - greatest)
        exact = e / (e.sum(axes, keepdims=True) + own)
        furthest = max(np.abs(wide - greatest).max(initial=0), np.abs(least - greatest).max(initial=0))
        ulps = ULPS + int(np.prod([shape[a] for a in axes])) / 2 + furthest
        value = module.op("softmax_with_sink", [module.input(t, o) for o in (x, sink)], t, shape, axes=axes)
        module.output(value, suite.Within(t, exact, ulps, None, signed_zero=False), "softmax_with_sink")
    return case


def batch_norm_case(t, shape, rng):
    x = values.ordinary(t, rng, shape)
    scale, bias, mean, spread = (values.ordinary(t, rng, shape[1:2]) for _ in range(4))
    variance = np.abs(spread)

    def case(module):
        lined_up = [v.astype(REAL).reshape(shape[1:2] + (1,) * (len(shape) - 2)) for v in (scale, bias, mean, variance)]
        factor = lined_up[0] / np.sqrt(lined_up[3] + REAL(EPSILON))
        exact = (x.astype(REAL) - lined_up[2]) * factor + lined_up[1]
        size = (np.abs(x) + np.abs(lined_up[2])) * np.abs(factor) + np.abs(lined_up[1])
        operands = [module.input(t, o) for o in (x, scale, bias, mean, variance)]
        value = module.op("batch_norm", operands, t, shape, epsilon=EPSILON)
        module.output(value, suite.Within(t, exact, ULPS, size, signed_zero=False), "batch_norm")
    return case


ALONG_AXES = ["softmax", "log_softmax", "layer_norm", "rms_norm", "normalize"]


def along_axes(t):
    def make(rng):
        cases = [batch_norm_case(t, shape, rng) for shape in ((2, 17), (3, 5, 7), (1, 19, 6, 6), (0, 3, 2))]
        cases += [sink_case(t, shape, axes, rng) for shape, axes in ROWS]
        for name in ALONG_AXES:
            for shape, axes in ROWS:
                scaled = tables.COMPOSITES[name].operands[1:]
                if scaled and axes != tuple(range(min(axes), len(shape))):
                    continue  # scale and bias belong to the last dims
                cases.append(row_case(name, t, values.ordinary(t, rng, shape, 4.0), axes, rng))
        return cases
    return make


def jobs():
    for mode, options in (("strict", suite.STRICT), ("fast", suite.FAST), ("unfused", suite.UNFUSED)):
        for t in FLOATS:
            yield suite.Job(f"composites {t} {mode}", elementwise(t), options)
            yield suite.Job(f"rows {t} {mode}", along_axes(t), options)
    for t in INTEGERS:
        yield suite.Job(f"composites {t}", elementwise(t), suite.STRICT)
    yield suite.Job("rows f32 no reduce fusion", along_axes("f32"), ("--polyblocks-disable-reduce-reduce-fusion",))


COMPOSITES = list(UNARY) + list(BINARY) + ALONG_AXES + ["batch_norm", "softmax_with_sink"]

if __name__ == "__main__":
    suite.main(jobs(), [name for name in tables.COMPOSITES if name not in COMPOSITES and name not in jagged_test.COMPOSITES])
