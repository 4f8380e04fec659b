"""How a random graph grows: a function for each kind of op, which picks operands that suit it and adds its node.

A function gives up with Unsuitable where there is nothing to apply it to; what it has added by then stays.
"""
import numpy as np

from builder import Unsuitable
from evaluate import limits
from graph import FLOATS, is_float

SIGNED = ("i8", "i16", "i32", "i64")
INTEGERS = SIGNED + ("u8", "u16", "u32", "u64")
NUMBERS = FLOATS + INTEGERS
ANY = NUMBERS + ("b",)
# Attributes are f32; these are the same number in f64.
PARAMETERS = {"HardSigmoid": {"alpha": 0.25, "beta": 0.5}, "Selu": {"alpha": 1.5, "gamma": 1.25}}
KINDS = {}  # name: (function, weight)


def kind(weight=1.0, names=None):
    """Registers a function of (builder), or for each of |names| one of (builder, name)."""
    def register(function):
        for name in names or [function.__name__]:
            KINDS[name] = ((lambda b, f=function, n=name: f(b, n)) if names else function, weight)
        return function
    return register


# -- elementwise -----------------------------------------------------------------------------------------------------

@kind(0.35, ["Abs", "Neg", "Exp", "Sqrt", "Sin", "Cos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Erf", "Sigmoid",
            "Relu", "Elu", "Selu", "Softplus", "Softsign", "HardSigmoid", "HardSwish", "Mish", "Floor", "Ceil",
            "Round", "Sign", "Reciprocal", "Log", "Tan"])
def unary(b, op):
    x = b.pick(*FLOATS)
    if op in ("Abs", "Neg", "Sign") and b.chance(0.3):
        x = b.pick(*SIGNED)
    if op in ("Sqrt", "Log"):
        x = b.positive(x)
    b.add(op, [x], b.kind(x), **PARAMETERS.get(op, {}))


@kind(0.3, ["Asin", "Acos", "Atanh"])
def inverse(b, op):
    x = b.pick(*FLOATS)
    inside = b.add("Mul", [b.add("Sin", [x], b.kind(x)), b.scalar(b.kind(x), 0.9)], b.kind(x))
    b.add(op, [inside], b.kind(x))


@kind(0.2)
def Acosh(b):
    x = b.pick(*FLOATS)
    b.add("Acosh", [b.add("Add", [b.positive(x), b.scalar(b.kind(x), 1.0)], b.kind(x))], b.kind(x))


@kind(0.4, ["LeakyRelu", "ThresholdedRelu"])
def with_alpha(b, op):
    x = b.pick(*FLOATS)
    b.add(op, [x], b.kind(x), alpha=b.one_of(0.125, 0.5, 1.25))


@kind(0.3)
def Celu(b):
    x = b.pick("f32")
    b.add("Celu", [x], b.kind(x), alpha=b.one_of(1.0, 0.5))


@kind(0.4)
def Gelu(b):
    x = b.pick(*FLOATS)
    b.add("Gelu", [x], b.kind(x), **b.maybe(approximate="tanh"))


@kind(0.3)
def Shrink(b):
    x = b.pick(*FLOATS)
    b.add("Shrink", [x], b.kind(x), lambd=0.5, bias=b.one_of(0.0, 0.25))


@kind(0.6)
def Clip(b):
    x = b.pick(*NUMBERS)
    low, high = b.scalar(b.kind(x), b.one_of(0, 1)), b.scalar(b.kind(x), b.one_of(2, 6))
    b.add("Clip", [x, low, high] if b.chance(0.7) else [x, "", high] if b.chance(0.5) else [x, low], b.kind(x))


@kind(0.3, ["IsNaN", "IsInf"])
def asks(b, op):
    b.add(op, [b.pick(*FLOATS)], "b")


@kind(0.3)
def Not(b):
    b.add("Not", [b.pick("b")], "b")


@kind(0.2)
def BitwiseNot(b):
    x = b.pick(*INTEGERS)
    b.add("BitwiseNot", [x], b.kind(x))


@kind(1.6, ["Add", "Sub", "Mul"])
def arithmetic(b, op):
    x = b.pick(*NUMBERS)
    b.add(op, b.shuffled([x, b.partner(x)]), b.kind(x))


@kind(0.9)
def Div(b):
    x = b.pick(*NUMBERS)
    if is_float(b.kind(x)):
        divisor = b.positive(b.partner(x)) if b.chance(0.7) else b.positive(x)
    else:
        divisor = b.constant(b.kind(x), b.broadcastable(x), low=1, high=9)
    b.add("Div", [x, divisor], b.kind(x))


@kind(0.5)
def Pow(b):
    x = b.pick(*FLOATS)
    if b.chance(0.6):
        b.add("Pow", [x, b.scalar(b.kind(x), b.one_of(2.0, 3.0, 1.0, 0.0))], b.kind(x))
    else:
        b.add("Pow", [b.positive(x), b.scalar(b.kind(x), b.one_of(0.5, -1.0, 1.5, -0.5))], b.kind(x))


@kind(0.6, ["Min", "Max", "Sum", "Mean"])
def variadic(b, op):
    x = b.pick(*(FLOATS if op in ("Sum", "Mean") else NUMBERS))
    b.add(op, b.shuffled([x] + [b.partner(x) for _ in range(b.below(3))]), b.kind(x))


@kind(0.4)
def Mod(b):
    if b.chance(0.4):
        x = b.pick("f32", "f64", "f16")
        b.add("Mod", [x, b.positive(b.partner(x))], b.kind(x), fmod=1)
    else:
        x = b.pick(*INTEGERS)
        b.add("Mod", [x, b.constant(b.kind(x), b.broadcastable(x), low=1, high=9)], b.kind(x), **b.maybe(fmod=1))


@kind(0.5, ["And", "Or", "Xor"])
def logical(b, op):
    x = b.pick("b")
    b.add(op, [x, b.partner(x)], "b")


@kind(0.3, ["BitwiseAnd", "BitwiseOr", "BitwiseXor"])
def bitwise(b, op):
    x = b.pick(*INTEGERS)
    b.add(op, [x, b.partner(x)], b.kind(x))


@kind(0.3)
def BitShift(b):
    x = b.pick("u8", "u32", "u64", "u16")
    b.add("BitShift", [x, b.constant(b.kind(x), b.broadcastable(x), low=0, high=8)], b.kind(x),
          direction=b.one_of("LEFT", "RIGHT"))


@kind(0.5, ["Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"])
def comparison(b, op):
    x = b.pick(*(ANY if op == "Equal" else NUMBERS))
    b.add(op, [x, b.partner(x)], "b")


@kind(1.2)
def Where(b):
    x = b.pick(*ANY)
    b.add("Where", [b.partner(x, "b")] + b.shuffled([x, b.partner(x)]), b.kind(x))


@kind(0.4)
def PRelu(b):
    x = b.pick(*FLOATS)
    b.add("PRelu", [x, b.constant(b.kind(x), b.broadcastable(x))], b.kind(x))


@kind(2.0)
def Cast(b):
    x = b.pick(*ANY)
    b.cast(x, b.one_of(*b.palette))


# -- reductions ------------------------------------------------------------------------------------------------------

@kind(0.6, ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum",
            "ReduceLogSumExp", "ReduceSumSquare"])
def reduction(b, op):
    only_floats = op in ("ReduceMean", "ReduceProd", "ReduceLogSum", "ReduceLogSumExp", "ReduceL1", "ReduceL2", "ReduceSumSquare")
    x = b.pick(*FLOATS, *(() if only_floats else ("i32", "i64", "i8", "u8") if op[-3:] in ("Max", "Min")
                          else ("i32", "i64")), min_rank=1)
    x = b.positive(x) if op == "ReduceLogSum" else x
    keepdims = b.below(2)
    if b.chance(0.15):
        b.add(op, [x], b.kind(x), keepdims=keepdims, **b.maybe(noop_with_empty_axes=1))
    else:
        b.add(op, [x, b.integers(b.some_axes(x))], b.kind(x), keepdims=keepdims)


@kind(0.7, ["ArgMax", "ArgMin"])
def picks_index(b, op):
    x = b.pick(*FLOATS, "i32", "i8", "u8", min_rank=1)
    b.add(op, [x], "i64", axis=b.axis(x), keepdims=b.below(2), select_last_index=b.below(2))


@kind(0.9)
def CumSum(b):
    x = b.pick(*FLOATS, "i32", "i64", min_rank=1)
    b.add("CumSum", [x, b.constant_of("i64", np.int64(b.axis(x)))], b.kind(x), exclusive=b.below(2), reverse=b.below(2))


@kind(0.9)
def TopK(b):
    x = b.pick(*FLOATS, "i32", "i64", min_rank=1)
    axis = b.axis(x)
    k = 1 + b.below(max(b.shape(x)[axis], 1))
    b.add("TopK", [x, b.integers([k])], [b.kind(x), "i64"], axis=axis, largest=b.below(2), sorted=1)


@kind(1.0, ["Softmax", "LogSoftmax"])
def softmax(b, op):
    x = b.pick(*FLOATS, min_rank=1)
    b.add(op, [x], b.kind(x), axis=b.axis(x))


@kind(0.3)
def Hardmax(b):
    x = b.pick(*FLOATS, min_rank=1)
    b.add("Hardmax", [x], b.kind(x), axis=b.axis(x))


# -- norms -----------------------------------------------------------------------------------------------------------

@kind(0.9)
def LayerNormalization(b):
    x = b.pick(*FLOATS, min_rank=1)
    axis = b.below(len(b.shape(x)))
    shape = b.shape(x)[axis:]
    parameters = [b.constant(b.kind(x), shape) for _ in range(1 + b.below(2))]
    b.add("LayerNormalization", [x] + parameters, b.kind(x), axis=axis, epsilon=2.0 ** -7)


@kind(0.5, ["InstanceNormalization", "GroupNormalization"])
def channel_norm(b, op):
    x = b.images(min_rank=3)
    channels = b.shape(x)[1]
    parameters = [b.constant(b.kind(x), [channels]) for _ in range(2)]
    groups = {"num_groups": b.one_of(*[g for g in range(1, channels + 1) if channels % g == 0])}
    b.add(op, [x] + parameters, b.kind(x), epsilon=2.0 ** -7, **(groups if op[0] == "G" else {}))


@kind(0.5)
def BatchNormalization(b):
    x = b.images(min_rank=2)
    scale, bias, mean, variance = (b.constant(b.kind(x), b.shape(x)[1:2], low=low, high=2) for low in (-2, -2, -2, 0.5))
    b.add("BatchNormalization", [x, scale, bias, mean, variance], b.kind(x), epsilon=2.0 ** -7)


@kind(0.4)
def LpNormalization(b):
    x = b.pick(*FLOATS, min_rank=1)
    b.add("LpNormalization", [x], b.kind(x), axis=b.axis(x), p=1 + b.below(2))


@kind(0.3)
def MeanVarianceNormalization(b):
    x = b.images(min_rank=4)
    b.add("MeanVarianceNormalization", [x], b.kind(x), axes=b.one_of([0, 2, 3], [2, 3], [1, 2, 3]))


@kind(0.3)
def LRN(b):
    x = b.images(min_rank=4)
    b.add("LRN", [x], b.kind(x), size=b.one_of(1, 2, 3, 5), alpha=0.0625, beta=0.75, bias=1.0)


# -- products --------------------------------------------------------------------------------------------------------

@kind(2.2)
def MatMul(b):
    x = b.pick(*FLOATS, min_rank=1)
    n, k = b.size(), b.shape(x)[-1]
    batch = [size if b.chance(0.5) else 1 for size in b.shape(x)[:-2]] if b.chance(0.4) else []
    shape = [k] if b.chance(0.1) else batch + [k, n]
    w = b.constant(b.kind(x), shape) if b.chance(0.6) else b.input(b.kind(x), shape)
    b.add("MatMul", [x, w], b.kind(x))


@kind(0.6)
def product_with_itself(b):
    x = b.pick(*FLOATS, min_rank=2)
    order = list(range(len(b.shape(x))))
    order[-2:] = order[:-3:-1]
    b.add("MatMul", b.shuffled([x, b.add("Transpose", [x], b.kind(x), perm=order)]), b.kind(x))


@kind(1.2)
def Gemm(b):
    x = b.pick(*FLOATS, rank=2)
    across, turned, n = b.below(2), b.below(2), b.size()
    m, k = b.shape(x)[::-1] if across else b.shape(x)
    w = b.constant(b.kind(x), [n, k] if turned else [k, n])
    bias = [b.constant(b.kind(x), b.one_of([n], [1, n], [m, 1], [m, n], [1], []))] if b.chance(0.7) else []
    b.add("Gemm", [x, w] + bias, b.kind(x), transA=across, transB=turned, alpha=b.one_of(1.0, 0.5),
          beta=b.one_of(1.0, 2.0))


@kind(1.0)
def Einsum(b):
    x = b.pick(*FLOATS, min_rank=1, max_rank=4)
    shape, letters = list(b.shape(x)), "ijkl"[:len(b.shape(x))]
    other = [i for i in range(len(shape)) if b.chance(0.6)] or [len(shape) - 1]
    other = b.shuffled(other)
    y_letters, y_shape = "".join(letters[i] for i in other), [shape[i] for i in other]
    if b.chance(0.6):
        y_letters, y_shape = y_letters + "n", y_shape + [b.size()]
    seen = sorted(set(letters + y_letters))
    result = "".join(b.shuffled([letter for letter in seen if b.chance(0.6)]))
    y = b.constant(b.kind(x), y_shape) if b.chance(0.5) else b.input(b.kind(x), y_shape)
    b.add("Einsum", [x, y], b.kind(x), equation=f"{letters},{y_letters}->{result}")


@kind(0.5)
def MatMulInteger(b):
    x = b.pick("i8", "u8", min_rank=2)
    other = b.one_of("i8", "u8")
    y = b.constant(other, [b.shape(x)[-1], b.size()])
    zeros = [b.scalar(b.kind(x), 3), b.scalar(other, 1)][:b.below(3)]
    b.add("MatMulInteger", [x, y] + zeros, "i32")


# -- windows ---------------------------------------------------------------------------------------------------------

def window(b, x, largest=4, dilates=True):
    """kernel_shape, strides, dilations and pads that fit the image."""
    sizes = b.shape(x)[2:]
    kernel = [1 + b.below(min(largest, size)) for size in sizes]
    dilations = [1 + b.below(2) if dilates and (k - 1) * 2 + 1 <= size else 1 for k, size in zip(kernel, sizes)]
    pads = [b.below(k) if b.chance(0.5) else 0 for k in kernel + kernel]
    return kernel, [1 + b.below(3) for _ in sizes], dilations, pads


@kind(2.0)
def Conv(b):
    x = b.images(min_rank=3)
    channels = b.shape(x)[1]
    groups = b.one_of(*[g for g in range(1, channels + 1) if channels % g == 0])
    filters = groups * (1 + b.below(6))
    kernel, strides, dilations, pads = window(b, x)
    w = b.constant(b.kind(x), [filters, channels // groups] + kernel)
    bias = [b.constant(b.kind(x), [filters])] if b.chance(0.6) else []
    place = {"auto_pad": b.one_of("SAME_UPPER", "SAME_LOWER", "VALID")} if b.chance(0.2) else {"pads": pads}
    if place.get("auto_pad", "")[:4] == "SAME":
        dilations = [1] * len(kernel)
    b.add("Conv", [x, w] + bias, b.kind(x), kernel_shape=kernel, strides=strides, dilations=dilations, group=groups,
          **place)


@kind(0.9)
def ConvTranspose(b):
    x = b.images(min_rank=3)
    channels, sizes = b.shape(x)[1], b.shape(x)[2:]
    groups = b.one_of(1, channels)
    kernel = [1 + b.below(4) for _ in sizes]
    strides = [1 + b.below(min(3, k)) for k in kernel]
    pads = [b.below((k + 1) // 2) for k in kernel + kernel]
    more = [b.below(s) for s in strides]
    w = b.constant(b.kind(x), [channels, 1 + b.below(4)] + kernel)
    b.add("ConvTranspose", [x, w], b.kind(x), kernel_shape=kernel, strides=strides, pads=pads, output_padding=more,
          group=groups)


@kind(1.2, ["MaxPool", "AveragePool", "LpPool"])
def pool(b, op):
    x = b.images(min_rank=3)
    kernel, strides, dilations, pads = window(b, x)
    attributes = {"kernel_shape": kernel, "strides": strides, "pads": pads}
    if op == "MaxPool":
        attributes["dilations"] = dilations
        b.add(op, [x], [b.kind(x), "i64"] if b.chance(0.3) else b.kind(x), **attributes)
    elif op == "AveragePool":
        b.add(op, [x], b.kind(x), count_include_pad=b.below(2), **attributes)
    else:
        b.add(op, [x], b.kind(x), p=1 + b.below(2), **attributes)


@kind(0.4, ["GlobalAveragePool", "GlobalMaxPool"])
def whole_pool(b, op):
    x = b.images(min_rank=3)
    b.add(op, [x], b.kind(x))


@kind(1.0)
def Resize(b):
    x = b.images(min_rank=3)
    modes = ["nearest", "linear", "cubic"][:3 if len(b.shape(x)) == 4 else 2]
    mode = "nearest" if b.kind(x) == "f64" else b.one_of(*modes)  # the reference's weights are f32
    attributes = {"mode": mode, "coordinate_transformation_mode": b.one_of("half_pixel", "asymmetric", "align_corners",
                                                                           "pytorch_half_pixel")}
    if mode == "nearest":
        attributes["nearest_mode"] = b.one_of("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    sizes = list(b.shape(x)[:2]) + [1 + b.below(2 * size + 1) for size in b.shape(x)[2:]]
    if b.chance(0.5):
        b.add("Resize", [x, "", "", b.integers(sizes)], b.kind(x), **attributes)
    else:
        scales = [1.0, 1.0] + [b.one_of(*([0.5] if size > 1 else []), 2.0, 1.5, 3.0) for size in b.shape(x)[2:]]
        b.add("Resize", [x, "", b.constant_of("f32", np.array(scales))], b.kind(x), **attributes)


@kind(0.4)
def DepthToSpace(b):
    x = b.images(rank=4, channels=lambda c: c % 4 == 0)
    b.add("DepthToSpace", [x], b.kind(x), blocksize=2, mode=b.one_of("DCR", "CRD"))


@kind(0.4)
def SpaceToDepth(b):
    x = b.pick(*FLOATS, rank=4, where=lambda shape: shape[2] % 2 == shape[3] % 2 == 0)
    b.add("SpaceToDepth", [x], b.kind(x), blocksize=2)


# -- movement --------------------------------------------------------------------------------------------------------

@kind(1.6)
def Transpose(b):
    x = b.pick(*ANY, min_rank=2)
    b.add("Transpose", [x], b.kind(x), perm=b.shuffled(range(len(b.shape(x)))))


@kind(1.6)
def Reshape(b):
    x = b.pick(*ANY)
    sizes = b.factors(int(np.prod(b.shape(x))))
    if b.chance(0.4) and sizes and 0 not in sizes:
        sizes[b.below(len(sizes))] = -1
    b.add("Reshape", [x, b.integers(sizes)], b.kind(x), **({"allowzero": 1} if 0 in sizes else {}))


@kind(0.4)
def Flatten(b):
    x = b.pick(*ANY, min_rank=1)
    b.add("Flatten", [x], b.kind(x), axis=b.below(len(b.shape(x)) + 1))


@kind(0.5)
def Unsqueeze(b):
    x = b.pick(*ANY, max_rank=4)
    b.add("Unsqueeze", [x, b.integers([b.below(2 * len(b.shape(x)) + 2) - len(b.shape(x)) - 1])], b.kind(x))


@kind(0.5)
def Squeeze(b):
    x = b.pick(*ANY, where=lambda shape: 1 in shape)
    b.add("Squeeze", [x, b.integers([b.one_of(*[i for i, size in enumerate(b.shape(x)) if size == 1])])], b.kind(x))


@kind(1.8)
def Slice(b):
    x = b.pick(*ANY, min_rank=1)
    axes = b.some_axes(x, negative=False)
    starts, ends, steps = [], [], []
    for axis in axes:
        size, step = b.shape(x)[axis], b.one_of(1, 1, 1, 2, 3, -1, -2)
        first = b.below(max(size, 1))
        starts.append(first if step > 0 else size - 1 - first)
        ends.append(b.one_of(size, 2 ** 40, first + 1 + b.below(max(size - first, 1))) if step > 0 else -2 ** 40)
        steps.append(step)
    b.add("Slice", [x] + [b.integers(v) for v in (starts, ends, axes, steps)], b.kind(x))


@kind(2.0)
def Concat(b):
    x = b.pick(*ANY, min_rank=1)
    axis, parts = b.axis(x), [x]
    for _ in range(1 + b.below(3)):
        shape = list(b.shape(x))
        shape[axis] = None
        parts.append(b.like(x, shape))
    b.add("Concat", b.shuffled(parts), b.kind(x), axis=axis)


@kind(1.2)
def Split(b):
    x = b.pick(*ANY, min_rank=1)
    axis = b.below(len(b.shape(x)))
    size = b.shape(x)[axis]
    if size < 2:
        raise Unsuitable
    first = 1 + b.below(size - 1)
    parts = [first, size - first] if b.chance(0.6) or size - first < 2 else [first, 1, size - first - 1]
    b.add("Split", [x, b.integers(parts)], [b.kind(x)] * len(parts), axis=axis)


@kind(1.2)
def Pad(b):
    x = b.pick(*FLOATS, "i32", "i64", "i8", "u8", "b", min_rank=1)
    shape, mode = b.shape(x), b.one_of("constant", "constant", "reflect", "edge", "wrap")
    if 0 in shape:
        raise Unsuitable
    mode = "constant" if b.kind(x) not in ("f32", "f64") else mode
    most = [min(3, size - 1 if mode == "reflect" else size) for size in shape]
    pads = [b.below(n + 1) if b.chance(0.5) else 0 for n in most + most]
    if mode == "constant" and b.chance(0.2):
        pads = [-1 if size > 2 and b.chance(0.3) else p for p, size in zip(pads, shape + shape)]
    value = [b.scalar(b.kind(x), 1)] if mode == "constant" and b.chance(0.6) else []
    b.add("Pad", [x, b.integers(pads)] + value, b.kind(x), mode=mode)


@kind(1.2)
def Gather(b):
    x = b.pick(*ANY, min_rank=1, max_rank=4)
    axis = b.axis(x)
    indices = b.indices(b.shape(x)[axis], b.one_of([], [3], [b.size()], [2, 3], [1]))
    b.add("Gather", [x, indices], b.kind(x), axis=axis)


@kind(0.7)
def GatherElements(b):
    x = b.pick(*ANY, min_rank=1)
    axis = b.axis(x)
    shape = [1 + b.below(size) if size else 0 for size in b.shape(x)]
    shape[axis] = b.size()
    b.add("GatherElements", [x, b.indices(b.shape(x)[axis], shape)], b.kind(x), axis=axis)


@kind(0.6)
def GatherND(b):
    x = b.pick(*ANY, min_rank=1, max_rank=4)
    depth = 1 + b.below(len(b.shape(x)))
    b.add("GatherND", [x, b.tuples(b.shape(x)[:depth], [b.size()])], b.kind(x))


@kind(0.8)
def ScatterElements(b):
    x = b.pick(*FLOATS, "i32", "i64", "i8", "u8", "b", min_rank=1)
    axis = b.below(len(b.shape(x)))
    shape = [1 + b.below(size) if size else 0 for size in b.shape(x)]
    how = b.one_of("none", "add", "max", "mul", "min") if b.kind(x) in ("f32", "f64", "i32", "i64") else "none"
    if how == "none":
        indices = b.distinct(b.shape(x)[axis], shape, axis)
    else:
        indices = b.indices(b.shape(x)[axis], shape)
    b.add("ScatterElements", [x, indices, b.like(x, shape)], b.kind(x), axis=axis,
          **({"reduction": how} if how != "none" else {}))


@kind(0.8)
def ScatterND(b):
    x = b.pick(*FLOATS, "i32", "i64", "i8", "u8", "b", min_rank=1, max_rank=4)
    depth = 1 + b.below(len(b.shape(x)))
    how = b.one_of("none", "add", "max", "mul", "min") if b.kind(x) in ("f32", "f64", "i32", "i64") else "none"
    if how == "none":
        places = b.distinct_tuples(b.shape(x)[:depth])
    else:
        places = b.tuples(b.shape(x)[:depth], [b.size()])
    updates = b.like(x, list(b.shape(places)[:-1]) + list(b.shape(x)[depth:]))
    b.add("ScatterND", [x, places, updates], b.kind(x), **({"reduction": how} if how != "none" else {}))


@kind(0.8)
def Tile(b):
    x = b.pick(*FLOATS, *SIGNED, "u8", "b", min_rank=1)
    b.add("Tile", [x, b.integers([b.one_of(1, 1, 2, 3) for _ in b.shape(x)])], b.kind(x))


@kind(0.8)
def Expand(b):
    x = b.pick(*ANY, max_rank=4)
    shape = [b.size() if size == 1 and b.chance(0.7) else size for size in b.shape(x)]
    b.add("Expand", [x, b.integers(([b.size()] if b.chance(0.3) else []) + shape)], b.kind(x))


@kind(0.5)
def OneHot(b):
    depth, result = 1 + b.below(9), b.one_of(*b.palette_of("f32", "i64", "i32", "f16"))
    x = b.indices(depth, b.one_of([b.size()], [2, 3]))
    axis = b.below(len(b.shape(x)) + 1)
    b.add("OneHot", [x, b.constant_of("i64", np.array(depth)), b.constant_of(result, np.array([0, 1]))], result,
          axis=axis)


@kind(0.5)
def Trilu(b):
    x = b.pick(*FLOATS, "i64", "b", min_rank=2)
    b.add("Trilu", [x, b.constant_of("i64", np.array(b.below(5) - 2))], b.kind(x), upper=b.below(2))


@kind(0.4)
def ReverseSequence(b):
    x = b.pick(*ANY, min_rank=2, where=lambda shape: 0 not in shape)
    rows, time = b.shape(x)[0], b.shape(x)[1]
    lengths = b.constant_of("i64", np.array([1 + b.below(time) for _ in range(rows)]))
    b.add("ReverseSequence", [x, lengths], b.kind(x), batch_axis=0, time_axis=1)


@kind(0.3)
def CenterCropPad(b):
    x = b.pick(*FLOATS, "i32", min_rank=1)
    b.add("CenterCropPad", [x, b.integers([b.size() for _ in b.shape(x)])], b.kind(x))


@kind(0.3)
def EyeLike(b):
    x = b.pick("f32", "i32", "i64", rank=2)
    b.add("EyeLike", [x], b.kind(x), k=b.below(4) - 2)


@kind(0.3)
def Compress(b):
    x = b.pick(*ANY, min_rank=1, where=lambda shape: 0 not in shape)
    axis = b.below(len(b.shape(x)))
    wanted = [b.chance(0.6) for _ in range(b.shape(x)[axis])]
    wanted[b.below(len(wanted))] = True
    b.add("Compress", [x, b.constant_of("b", np.array(wanted))], b.kind(x), axis=axis)


@kind(0.2)
def Shape(b):
    x = b.pick(*ANY, min_rank=1)
    b.add("Shape", [x], "i64")


@kind(0.3)
def Identity(b):
    x = b.pick(*ANY)
    b.add("Identity", [x], b.kind(x))


# -- quantisation ----------------------------------------------------------------------------------------------------

def scales(b, x, axis):
    kind = b.kind(x) if is_float(b.kind(x)) else b.one_of(*b.palette_of("f32"))
    shape = [] if axis is None else [b.shape(x)[axis]]
    return b.constant(kind, shape, low=0.02, high=0.1)


@kind(1.0)
def QuantizeLinear(b):
    x = b.pick("f32", "f16", min_rank=1)
    axis = b.below(len(b.shape(x))) if b.chance(0.4) else None
    result = b.one_of("i8", "u8", "i8", "u8", "i16", "u16", "i4", "u4")
    scale = scales(b, x, axis)
    attributes = {} if axis is None else {"axis": axis}
    if result in ("i4", "u4"):
        b.add("QuantizeLinear", [x, scale], result, output_dtype=22 if result == "i4" else 21, **attributes)
    else:
        low, high = limits(result)
        zero = b.constant(result, b.shape(scale), low=max(low, -9), high=min(high, 9))
        b.add("QuantizeLinear", [x, scale, zero], result, **attributes)


@kind(1.0)
def DequantizeLinear(b):
    x = b.pick("i8", "u8", "i16", "u16", "i32", "i4", "u4", min_rank=1)
    axis = b.below(len(b.shape(x))) if b.chance(0.4) else None
    scale = scales(b, x, axis)
    zero = [b.constant(b.kind(x), b.shape(scale), low=0, high=9)] if b.kind(x) in ("i8", "u8") and b.chance(0.7) else []
    b.add("DequantizeLinear", [x, scale] + zero, b.kind(scale), **({} if axis is None else {"axis": axis}))


@kind(0.4)
def DynamicQuantizeLinear(b):
    b.add("DynamicQuantizeLinear", [b.pick("f32", min_rank=1)], ["u8", "f32", "u8"])
