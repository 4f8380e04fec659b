"""What a graph computes, in float64, and how much of that an implementation may get wrong.

The reference is ONNX's own, node by node, with formulas here for what it lacks or computes in f32. The error model is
measured: the graph is evaluated again with every rounding that an implementation makes replaced by a random error of
ULPS units of the type, on the operands of what adds up or approximates and on the results that the type cannot
represent. How far the results move is what the graph's condition makes of roundings; integers and truth values that
move (a floor beside an integer, a comparison of near equals, an argmax between ties) are not decided by the graph and
are not compared.
"""
import functools
import math

import numpy as np
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from graph import OPSET, TYPES, dtype, is_float

ULPS = 8        # of error an operation may add: the fast arithmetic's 16 on either side
MARGIN = 4      # times the greatest move seen
# What moves elements or picks among them, and so rounds nothing.
EXACT = set("""Abs Neg Relu Identity Max Min Clip Where Transpose Reshape Flatten Squeeze Unsqueeze Slice Concat Split
Pad Gather GatherElements GatherND ScatterElements ScatterND Tile Expand OneHot DepthToSpace SpaceToDepth Trilu
ReverseSequence MaxPool GlobalMaxPool ReduceMax ReduceMin ArgMax ArgMin TopK Hardmax Equal Greater Less GreaterOrEqual
LessOrEqual IsNaN IsInf Floor Ceil Round Sign Not And Or Xor Shape Size ThresholdedRelu CenterCropPad EyeLike
ConstantOfShape Compress MaxUnpool""".split())
# What rounds its result once and nothing on the way.
ROUNDED_ONCE = {"Add", "Sub", "Mul", "Cast", "CastLike", "DequantizeLinear"}
# What adds numbers that are greater than its result: those are rounded.
ADDS = {"Gelu": lambda x, *_: x, "Resize": lambda x, *_: np.abs(x).max(initial=0), "LogSoftmax": lambda x: 1.0,
        "ReduceLogSumExp": lambda x, *_: 1 + np.abs(x).max(initial=0), "ReduceLogSum": lambda x, *_: 1.0}
EPSILON = {"f16": 2.0 ** -11, "f32": 2.0 ** -24, "f64": 2.0 ** -53}
TINY = {"f16": 2.0 ** -24, "f32": 2.0 ** -126, "f64": 2.0 ** -1000}


def _erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def _gelu(x, approximate="none"):
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
    return 0.5 * x * (1 + _erf(x / math.sqrt(2)))


def _normalized(x, axes, epsilon):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + epsilon)


def _lp_norm(x, axis=-1, p=2):
    return x / np.maximum((np.abs(x) ** p).sum(axis, keepdims=True) ** (1 / p), 1e-300)


def _layer_norm(x, scale, bias=0.0, axis=-1, epsilon=1e-5, **_):
    return _normalized(x, tuple(range(axis % x.ndim, x.ndim)), epsilon) * scale + bias


def _instance_norm(x, scale, bias, epsilon=1e-5):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return _normalized(x, tuple(range(2, x.ndim)), epsilon) * scale.reshape(shape) + bias.reshape(shape)


def _group_norm(x, scale, bias, num_groups, epsilon=1e-5, **_):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    groups = x.reshape(x.shape[0], num_groups, -1)
    return _normalized(groups, (2,), epsilon).reshape(x.shape) * scale.reshape(shape) + bias.reshape(shape)


def _along(parameter, x, axis):
    """A parameter of QuantizeLinear: one number, or one an index of an axis."""
    return parameter if np.ndim(parameter) == 0 else parameter.reshape([-1 if i == axis % x.ndim else 1
                                                                        for i in range(x.ndim)])


RANGES = {"i4": (-8, 7), "u4": (0, 15)}


def limits(kind):
    return RANGES.get(kind) or (np.iinfo(dtype(kind)).min, np.iinfo(dtype(kind)).max)


def _quantize(x, scale, zero=0, axis=1, kind="u8", **_):
    low, high = limits(kind)
    scaled = np.round(x / _along(scale, x, axis)) + _along(np.asarray(zero, np.float64), x, axis)
    return np.clip(np.nan_to_num(scaled, nan=0), low, high).astype(dtype(kind))


def _dequantize(x, scale, zero=0, axis=1, **_):
    return (x.astype(np.float64) - _along(np.asarray(zero, np.float64), x, axis)) * _along(scale, x, axis)


def _dynamic_quantize(x, **_):
    low, high = min(0.0, x.min()), max(0.0, x.max())
    scale = (high - low) / 255 or 1.0
    zero = np.clip(np.round(-low / scale), 0, 255)
    return np.clip(np.round(x / scale) + zero, 0, 255).astype(np.uint8), np.float64(scale), np.uint8(zero)


def _cast(x, kind, **_):
    if is_float(kind):
        return x.astype(np.float64)  # apply_moved rounds
    return x != 0 if kind == "b" else x.astype(dtype(kind))


def _windows(x, kernel_shape, strides, pads, dilations, fill):
    """The elements under each place of a window, as the last dim."""
    n = len(kernel_shape)
    padded = np.pad(x, [(0, 0), (0, 0)] + list(zip(pads[:n], pads[n:])), constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel_shape, dilations)]
    view = np.lib.stride_tricks.sliding_window_view(padded, reach, tuple(range(2, 2 + n)))
    view = view[(slice(None),) * 2 + tuple(slice(None, None, s) for s in strides) +
                tuple(slice(None, None, d) for d in dilations)]
    return view.reshape(view.shape[:2 + n] + (-1,))


def _max_pool(x, kernel_shape, strides, pads, dilations, **_):
    windows = _windows(x, kernel_shape, strides, pads, dilations, -np.inf)
    places = _windows(np.arange(x.size).reshape(x.shape), kernel_shape, strides, pads, dilations, 0)
    best = windows.argmax(-1)[..., None]
    return np.take_along_axis(windows, best, -1)[..., 0], np.take_along_axis(places, best, -1)[..., 0]


def _average_pool(x, kernel_shape, strides, pads, count_include_pad=0):
    ones = [1] * len(kernel_shape)
    sums = _windows(x, kernel_shape, strides, pads, ones, 0).sum(-1)
    return sums / _windows(np.ones_like(x), kernel_shape, strides, pads, ones, count_include_pad).sum(-1)


def _lp_pool(x, kernel_shape, strides, pads, p=2):
    windows = _windows(x, kernel_shape, strides, pads, [1] * len(kernel_shape), 0)
    return (np.abs(windows) ** p).sum(-1) ** (1 / p)


def _lrn(x, size, alpha=1e-4, beta=0.75, bias=1.0):
    squares = np.zeros_like(x)
    for c in range(x.shape[1]):
        squares[:, c] = (x[:, max(0, c - (size - 1) // 2):c + size // 2 + 1] ** 2).sum(1)
    return x / (bias + alpha / size * squares) ** beta


def _integer_product(a, b, a_zero=0, b_zero=0):
    return np.matmul(a.astype(np.int32) - np.int32(a_zero), b.astype(np.int32) - np.int32(b_zero)).astype(np.int32)


OWN = {
    "Gelu": _gelu, "LayerNormalization": _layer_norm, "InstanceNormalization": _instance_norm,
    "GroupNormalization": _group_norm, "QuantizeLinear": _quantize, "DequantizeLinear": _dequantize,
    "DynamicQuantizeLinear": _dynamic_quantize, "Cast": _cast, "MatMulInteger": _integer_product,
    "MaxPool": _max_pool, "AveragePool": _average_pool, "LpPool": _lp_pool, "LRN": _lrn, "LpNormalization": _lp_norm,
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "Mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "Softplus": lambda x: np.logaddexp(x, 0),
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Erf": _erf,
    "Sum": lambda *x: functools.reduce(np.add, x),
    "Mean": lambda *x: functools.reduce(np.add, x) / len(x),
    "BitwiseNot": np.invert,
    "GlobalMaxPool": lambda x: x.max(tuple(range(2, x.ndim)), keepdims=True),
    "GlobalAveragePool": lambda x: x.mean(tuple(range(2, x.ndim)), keepdims=True),
}


@functools.lru_cache(maxsize=4096)
def _evaluator(encoded):
    from onnx import NodeProto
    return ReferenceEvaluator(NodeProto.FromString(encoded), opsets={"": OPSET})


def _by_onnx(node, operands):
    attributes = {key: numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value
                  for key, value in node.attributes.items()}
    proto = helper.make_node(node.op, node.inputs, node.outputs, **attributes)
    feeds = {name: value for name, value in zip(node.inputs, operands) if name}
    return _evaluator(proto.SerializeToString()).run(None, feeds)


def apply(node, operands, kinds):
    """The results' values. |kinds|: of the results; what is float is computed and given in float64."""
    with np.errstate(all="ignore"):
        if node.op in OWN:
            own_kind = {"kind": kinds[0]} if node.op in ("QuantizeLinear", "Cast") else {}
            results = OWN[node.op](*operands, **node.attributes, **own_kind)
        else:
            results = _by_onnx(node, operands)
    results = results if isinstance(results, (list, tuple)) else [results]
    return [np.asarray(result, np.float64 if is_float(kind) else dtype(kind)) for result, kind in zip(results, kinds)]


def _moved(value, kind, rng, ulps, where=True):
    with np.errstate(invalid="ignore"):
        size = np.abs(value) * EPSILON[kind] * ulps + TINY[kind]
        return np.where(where, value + size * rng.uniform(-1, 1, value.shape), value)


def _inexact(value, kind):
    with np.errstate(over="ignore"):
        return value != value.astype(dtype(kind)).astype(np.float64)


def _is_exact(node):
    return node.op in EXACT and node.attributes.get("reduction", "none") in ("none", "max", "min")


def apply_moved(node, operands, operand_kinds, kinds, rng, ulps=ULPS):
    """As apply(), with an implementation's errors."""
    if not _is_exact(node) and node.op not in ROUNDED_ONCE:
        n = 1 if node.op == "Resize" else len(operands)  # not the scales
        operands = [_moved(x, kind, rng, ulps) if x is not None and is_float(kind) else x
                    for x, kind in zip(operands[:n], operand_kinds)] + operands[n:]
    results = apply(node, operands, kinds)
    if _is_exact(node):
        return results
    if node.op in ADDS:
        summand = np.asarray(ADDS[node.op](*operands))
        results = [x + _moved(summand, kind, rng, ulps) - summand for x, kind in zip(results, kinds)]
    return [_moved(x, kind, rng, ulps, _inexact(x, kind) if node.op in ROUNDED_ONCE else True) if is_float(kind) else x
            for x, kind in zip(results, kinds)]


def run(graph, rng=None, ulps=ULPS):
    """The value of every name from the graph's inputs and constants; with |rng| one with errors."""
    values = {"": None}
    for name in graph.inputs + graph.constants:
        kind = graph.kinds[name]
        value = graph.passed(name)
        values[name] = value.astype(np.float64) if is_float(kind) else value
    for node in graph.nodes:
        operands = [values[name] for name in node.inputs]
        kinds = [graph.kinds.get(name, "i64") for name in node.outputs]
        if rng is None:
            results = apply(node, operands, kinds)
        else:
            operand_kinds = [graph.kinds.get(name, "i64") for name in node.inputs]
            results = apply_moved(node, operands, operand_kinds, kinds, rng, ulps)
        values.update(zip(node.outputs, results))
    return values


class Expected:
    """An output's value with what each element may be off; infinite: not compared."""

    def __init__(self, value, samples, kind):
        self.value, self.kind = value, kind
        if is_float(kind):
            with np.errstate(all="ignore"):
                moved = np.max([np.abs(sample - value) for sample in samples] or [np.zeros(value.shape)], 0)
            tolerance = MARGIN * moved + MARGIN * ULPS * EPSILON[kind] * np.abs(value) * (moved > 0)
            tolerance = np.maximum(tolerance, EPSILON[kind] * np.abs(value) + TINY[kind])
            self.tolerance = np.where(np.isfinite(tolerance) & np.isfinite(value), tolerance, np.inf)
        else:
            steady = np.all([sample == value for sample in samples] or [np.ones(value.shape, bool)], 0)
            self.tolerance = np.where(steady, 0.0, np.inf)

    def compared(self):
        """The part of the elements that is compared."""
        return float(np.mean(np.isfinite(self.tolerance))) if self.tolerance.size else 1.0

    def wrong(self, got, times=1.0):
        """Where |got| is wrong."""
        if is_float(self.kind):
            with np.errstate(all="ignore"):
                off = np.abs(got.astype(np.float64) - self.value)
            return ~(off <= times * self.tolerance) & np.isfinite(self.tolerance)
        return (got != self.value) & np.isfinite(self.tolerance)


def expected(graph, seed, n_samples, ulps=ULPS):
    """The Expected of each output."""
    values = run(graph)
    samples = [run(graph, np.random.Generator(np.random.PCG64((seed, i))), ulps) for i in range(n_samples)]
    return [Expected(values[name], [sample[name] for sample in samples], graph.kinds[name]) for name in graph.outputs]
