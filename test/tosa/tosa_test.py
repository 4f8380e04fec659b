"""TOSA: every operation of ops.def against the specification's arithmetic in NumPy."""
import math
import os
import sys

import numpy as np

import strata
from mlir_module import Module, Value, refused, type_of

RANDOM = np.random.default_rng(int(os.environ.get("STRATA_SEED", "0")))


def floats(*shape, dtype=np.float32):
    return RANDOM.standard_normal(shape).astype(dtype)


def ints(low, high, *shape, dtype=np.int32):
    return RANDOM.integers(low, high, shape).astype(dtype)


def f64(x):
    return x.astype(np.float64)


class Tosa(Module):
    def call(self, name, operands, want, attributes="", type_=None):
        """An operation in the generic form, whose result must be |want|."""
        type_ = type_ or type_of(want)
        value = self.op(f'"tosa.{name}"({", ".join(operands)}) {{{attributes}}} : ({", ".join(o.type for o in operands)}) -> '
                        f"{type_}", type_)
        self.result(value, want)
        return value

    def const(self, array):
        return self.constant(array, "tosa.const")

    def shape(self, *sizes):
        type_ = f"!tosa.shape<{len(sizes)}>"
        values = f"dense<{list(sizes)}>" if sizes else "dense<>"
        return self.op(f'"tosa.const_shape"() {{values = {values} : tensor<{len(sizes)}xindex>}} : () -> {type_}', type_)


def i64s(name, *values):
    return f"{name} = array<i64: {', '.join(map(str, values))}>"


erf = np.vectorize(math.erf)


def elements():
    m = Tosa()
    x, y, z = floats(2, 3, 5), floats(2, 1, 5), (RANDOM.random((2, 3, 5)) + 0.5).astype(np.float32)
    i, j, s = ints(-100, 100, 2, 3, 5), ints(1, 20, 2, 1, 5), ints(0, 31, 2, 3, 5)
    p, q = x > 0, y > 0
    a, b, c, d, e, t, u, v = [m.input(value) for value in (x, y, z, i, j, s, p, q)]
    for name, want in {"abs": np.abs, "ceil": np.ceil, "cos": np.cos, "erf": erf, "exp": np.exp, "floor": np.floor,
                       "sin": np.sin, "tanh": np.tanh, "sigmoid": lambda w: 1 / (1 + np.exp(-w)),
                       "identity": lambda w: w}.items():
        m.call(name, [a], want(f64(x)).astype(np.float32))
    for name, want in {"log": np.log, "reciprocal": np.reciprocal, "rsqrt": lambda w: w**-0.5}.items():
        m.call(name, [c], want(f64(z)).astype(np.float32))
    for name, want in {"add": np.add, "sub": np.subtract, "maximum": np.maximum, "minimum": np.minimum}.items():
        m.call(name, [a, b], want(f64(x), y).astype(np.float32))
        m.call(name, [d, e], want(i, j))
    m.call("pow", [c, b], (f64(z)**y).astype(np.float32))
    m.call("intdiv", [d, e], np.trunc(i / j).astype(np.int32))
    nan = x.copy()
    nan[0, 0] = np.nan
    n = m.input(nan)
    for name, lost, kept in (("maximum", np.maximum, np.fmax), ("minimum", np.minimum, np.fmin)):
        m.call(name, [n, b], lost(nan, y))
        m.call(name, [n, b], kept(nan, y), "nan_mode = #tosa.nan_mode<IGNORE>")
    m.call("clamp", [n], np.clip(nan, -0.5, 1), "min_val = -0.5 : f32, max_val = 1.0 : f32")
    m.call("clamp", [n], np.clip(np.where(np.isnan(nan), -0.5, nan), -0.5, 1).astype(np.float32),
           "min_val = -0.5 : f32, max_val = 1.0 : f32, nan_mode = #tosa.nan_mode<IGNORE>")
    m.call("clamp", [m.input(i.astype(np.int8))], np.clip(i, -9, 50).astype(np.int8), "min_val = -9 : i8, max_val = 50 : i8")
    for name, want in {"bitwise_and": i & j, "bitwise_or": i | j, "bitwise_xor": i ^ j}.items():
        m.call(name, [d, e], want)
    m.call("bitwise_not", [d], ~i)
    for name, want in {"logical_and": p & q, "logical_or": p | q, "logical_xor": p ^ q}.items():
        m.call(name, [u, v], want)
    m.call("logical_not", [u], ~p)
    for name, want in {"equal": np.equal, "greater": np.greater, "greater_equal": np.greater_equal}.items():
        m.call(name, [a, b], want(x, y))
        m.call(name, [d, e], want(i, j))
    m.call("select", [u, a, b], np.where(p, x, y))
    m.call("logical_left_shift", [d, t], i << s)
    m.call("logical_right_shift", [d, t], (i.view(np.uint32) >> s.view(np.uint32)).view(np.int32))
    m.call("arithmetic_right_shift", [d, t], i >> s, "round = false")
    m.call("arithmetic_right_shift", [d, t], (i >> s) + np.where(s > 0, i >> np.maximum(s - 1, 0) & 1, 0).astype(np.int32),
           "round = true")
    m.call("clz", [d], np.vectorize(lambda w: 32 - (int(w) & 0xffffffff).bit_length())(i).astype(np.int32))
    zero, shift = m.const(np.zeros(1, np.int8)), m.const(np.array([5], np.int8))
    m.call("mul", [a, b, zero], (f64(x) * y).astype(np.float32))
    m.call("mul", [d, e, zero], i * j)
    wide, other = ints(-2**30, 2**30, 4, 3), ints(-2**12, 2**12, 4, 3)
    m.call("mul", [m.input(wide // 2**12), m.input(other), shift],
           ((wide // 2**12).astype(np.int64) * other + 16 >> 5).astype(np.int32))
    m.call("mul", [m.input(i.astype(np.int8)), m.input(j.astype(np.int8)), zero], i * j)
    m.call("negate", [a, m.const(np.zeros(1, np.float32)), m.const(np.zeros(1, np.float32))], -x)
    k = ints(-128, 128, 20, dtype=np.int8)
    m.call("negate", [m.input(k), m.const(np.array([3], np.int8)), m.const(np.array([-7], np.int8))],
           np.clip(-(k.astype(np.int32) - 3) - 7, -128, 127).astype(np.int8))
    m.call("add", [m.input(floats(2, 3).astype(np.float16)), m.input(np.ones((2, 3), np.float16))],
           (m.inputs[-2].astype(np.float64) + 1).astype(np.float16))
    m.check()


def casts():
    m = Tosa()
    x = np.array([-1e20, -2**31, -300.5, -129, -128.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 126.5, 127.5, 128, 300, 65535.5,
                  2**31, 1e20], np.float32)
    a = m.input(x)
    for dtype in (np.int8, np.int16, np.int32):
        info = np.iinfo(dtype)
        want = np.clip(np.round(f64(x)), info.min, info.max).astype(dtype)
        m.call("cast", [a], want)
        m.call("cast", [m.input(np.clip(x, -6e4, 6e4).astype(np.float16))],
               np.clip(np.round(f64(np.clip(x, -6e4, 6e4).astype(np.float16))), info.min, info.max).astype(dtype))
    i = ints(-2**31, 2**31 - 1, 9)
    b = m.input(i)
    m.call("cast", [b], i.astype(np.int8))
    m.call("cast", [b], i.astype(np.int16))
    m.call("cast", [b], i.astype(np.float32))
    m.call("cast", [b], i != 0)
    m.call("cast", [m.input(i > 0)], (i > 0).astype(np.int32))
    m.call("cast", [m.input(i > 0)], (i > 0).astype(np.int8))
    m.call("cast", [m.input(floats(9))], m.inputs[-1].astype(np.float16))
    m.call("cast", [m.input(floats(5).astype(np.float16))], m.inputs[-1].astype(np.float32))
    m.check()


def along_axes():
    m = Tosa()
    x, i, p = floats(3, 4, 5), ints(-9, 9, 3, 4, 5), RANDOM.random((3, 4, 5)) > 0.4
    a, b, c = m.input(x), m.input(i), m.input(p)
    for axis in range(3):
        attribute = f"axis = {axis} : i32"
        for name, fn in {"sum": np.sum, "product": np.prod, "max": np.max, "min": np.min}.items():
            m.call(f"reduce_{name}", [a], fn(f64(x), axis, keepdims=True).astype(np.float32), attribute)
            if name != "product":
                m.call(f"reduce_{name}", [b], fn(i, axis, keepdims=True).astype(np.int32), attribute)
        m.call("reduce_all", [c], p.all(axis, keepdims=True), attribute)
        m.call("reduce_any", [c], p.any(axis, keepdims=True), attribute)
        m.call("argmax", [a], x.argmax(axis).astype(np.int32), attribute)
        m.call("reverse", [a], np.flip(x, axis), attribute)
        m.call("concat", [a, a, m.input(x)], np.concatenate([x, x, x], axis), attribute)
    m.check()


def movement():
    m = Tosa()
    x, i = floats(2, 3, 4), ints(-9, 9, 2, 3, 4, dtype=np.int8)
    a, b = m.input(x), m.input(i)
    m.call("reshape", [a, m.shape(4, 6)], x.reshape(4, 6))
    m.call("reshape", [b, m.shape(24)], i.reshape(24))
    m.call("transpose", [a], x.transpose(2, 0, 1), "perms = array<i32: 2, 0, 1>")
    m.call("tile", [a, m.shape(1, 3, 2)], np.tile(x, (1, 3, 2)))
    m.call("slice", [a, m.shape(1, 0, 1), m.shape(1, 2, 3)], x[1:2, 0:2, 1:4])
    m.call("pad", [a, m.shape(0, 1, 2, 0, 1, 3), m.const(np.array([1.5], np.float32))],
           np.pad(x, ((0, 1), (2, 0), (1, 3)), constant_values=1.5))
    m.call("pad", [b, m.shape(1, 0, 0, 0, 0, 2), m.const(np.array([-7], np.int8))],
           np.pad(i, ((1, 0), (0, 0), (0, 2)), constant_values=-7))
    index = ints(0, 3, 2, 5)
    m.call("gather", [a, m.input(index)], np.stack([x[n, index[n]] for n in range(2)]))
    places, rows = np.array([[2, 0], [1, 2]], np.int32), floats(2, 2, 4)
    want = x.copy()
    for n in range(2):
        want[n, places[n]] = rows[n]
    m.call("scatter", [a, m.input(places), m.input(rows)], want)
    m.check()


def sizes():
    """Operations of sizes, of which a tensor is reshaped."""
    m = Tosa()
    x = floats(2, 3, 4)
    a = m.input(x)

    def shape(name, n, *operands, attributes=""):
        types = ", ".join(o.type for o in operands)
        return m.op(f'"tosa.{name}"({", ".join(operands)}) {{{attributes}}} : ({types}) -> !tosa.shape<{n}>', f"!tosa.shape<{n}>")

    height, width = [shape("dim", 1, a, attributes=f"axis = {k} : i32") for k in (1, 2)]  # 3, 4
    two, six = m.shape(2), m.shape(6)
    for first in (shape("add_shape", 1, height, height), shape("mul_shape", 1, two, height),
                  shape("sub_shape", 1, shape("mul_shape", 1, width, two), two),
                  shape("div_ceil_shape", 1, m.shape(11), two), shape("div_floor_shape", 1, m.shape(13), two),
                  shape("max_shape", 1, six, width), shape("min_shape", 1, six, m.shape(9)),
                  shape("mod_shape", 1, m.shape(13), m.shape(7))):
        m.call("reshape", [a, shape("concat_shape", 2, first, width)], x.reshape(6, 4))
    start, size = m.const(np.array([1], np.int32)), m.const(np.array([2], np.int32))
    m.call("reshape", [a, shape("slice_shape", 2, m.shape(9, 6, 4, 7), start, size)], x.reshape(6, 4))
    m.check()


#===-- Products, convolutions, pooling ------------------------------------------------------------------------------


def convolve(x, k, stride, dilation, pad, depthwise=False):
    """x [n, spatial..., c], k [o, spatial..., c] or, depthwise, [spatial..., c, m]; |pad| (before, after) a dim."""
    n = x.ndim - 2
    x = np.pad(x, ((0, 0), *pad, (0, 0)))
    sizes = k.shape[:n] if depthwise else k.shape[1:1 + n]
    out = [(x.shape[1 + i] - (sizes[i] - 1) * dilation[i] - 1) // stride[i] + 1 for i in range(n)]
    total = 0
    for at in np.ndindex(*sizes):
        cut = x[(slice(None), *[slice(at[i] * dilation[i], at[i] * dilation[i] + (out[i] - 1) * stride[i] + 1, stride[i])
                                for i in range(n)])]
        if depthwise:
            total = total + (cut[..., None] * k[at]).reshape(*cut.shape[:-1], -1)
        else:
            total = total + np.einsum("...c,oc->...o", cut, k[(slice(None), *at)])
    return total


def windows(stride, dilation, pad, acc):
    return ", ".join([i64s("pad", *[p for pair in pad for p in pair]), i64s("stride", *stride), i64s("dilation", *dilation),
                      f"acc_type = {acc}"])


def zeros(m, x, k, values=(0, 0)):
    return [m.const(np.array([v], a.dtype)) for v, a in zip(values, (x, k))]


def convolutions():
    m = Tosa()
    for stride, dilation, pad in (((1, 1), (1, 1), ((0, 0), (0, 0))), ((2, 1), (1, 2), ((1, 0), (2, 1))),
                                  ((2, 3), (1, 1), ((1, 1), (1, 2)))):
        shapes = {"conv2d": ((2, 8, 9, 3), (5, 3, 2, 3)), "depthwise_conv2d": ((2, 8, 9, 3), (3, 2, 3, 2)),
                  "conv3d": ((1, 4, 8, 9, 2), (3, 2, 3, 2, 2))}
        for name, (x_shape, k_shape) in shapes.items():
            s, d, p = stride, dilation, pad
            if name == "conv3d":
                s, d, p = (1, *s), (1, *d), ((1, 0), *p)
            depthwise = name.startswith("depth")
            channels = 6 if depthwise else k_shape[0]
            # sizes that the strides divide, as the specification has it
            sizes = [n for n in x_shape[1:-1]]
            kernel = k_shape[:2] if depthwise else k_shape[1:-1]
            for i in range(len(sizes)):
                while (sizes[i] - 1 + sum(p[i]) - (kernel[i] - 1) * d[i]) % s[i]:
                    sizes[i] += 1
            x_shape = (x_shape[0], *sizes, x_shape[-1])
            x, k, b = floats(*x_shape), floats(*k_shape), floats(channels)
            want = convolve(f64(x), f64(k), s, d, p, depthwise) + b
            m.call(name, [m.input(x), m.input(k), m.input(b), *zeros(m, x, k)], want.astype(np.float32),
                   windows(s, d, p, "f32"))
            x, k = ints(-128, 128, *x_shape, dtype=np.int8), ints(-128, 128, *k_shape, dtype=np.int8)
            b = ints(-999, 999, channels)
            for zero in ((0, 0), (5, 0), (-3, 4)):
                wide = [a.astype(np.int64) - z for a, z in zip((x, k), zero)]
                want = (convolve(*wide, s, d, p, depthwise) + b).astype(np.int32)
                m.call(name, [m.input(x), m.input(k), m.input(b), *zeros(m, x, k, zero)], want, windows(s, d, p, "i32"))
    x, k, b = ints(-2**15, 2**15, 1, 5, 5, 4, dtype=np.int16), ints(-128, 128, 2, 3, 3, 4, dtype=np.int8), ints(-9, 9, 2)
    y = m.op(f'"tosa.const"() {{values = dense<{list(b)}> : tensor<2xi48>}} : () -> tensor<2xi48>', "tensor<2xi48>")
    want = convolve(x.astype(np.int64), k.astype(np.int64), (1, 1), (1, 1), ((0, 0), (0, 0))) + b
    w = m.op(f'"tosa.conv2d"({", ".join([m.input(x), m.input(k), y, *zeros(m, x, k)])}) '
             f'{{{windows((1, 1), (1, 1), ((0, 0), (0, 0)), "i48")}}} : ({type_of(x)}, {type_of(k)}, {y.type}, tensor<1xi16>, '
             f"tensor<1xi8>) -> tensor<1x3x3x2xi48>", "tensor<1x3x3x2xi48>")
    one, shift = m.const(np.array([1 << 14], np.int16)), m.const(np.array([24], np.int8))
    wide = m.op('"tosa.const"() {values = dense<0> : tensor<1xi48>} : () -> tensor<1xi48>', "tensor<1xi48>")
    m.call("rescale", [w, one, shift, wide, m.const(np.zeros(1, np.int16))],
           np.clip(want * (1 << 14) + (1 << 23) >> 24, -2**15, 2**15 - 1).astype(np.int16),
           RESCALE.format("SINGLE_ROUND", "false", "false", "false", "false"))
    m.check()


def transposed_convolutions():
    m = Tosa()
    for stride, pad in (((1, 1), (0, 0, 0, 0)), ((2, 2), (0, 1, 1, 0)), ((3, 2), (-1, 0, -2, 1)), ((2, 1), (-1, -1, -1, 0))):
        x, k, b = floats(2, 4, 5, 3), floats(4, 3, 4, 3), floats(4)
        size = [(x.shape[1 + i] - 1) * stride[i] + pad[2 * i] + pad[2 * i + 1] + k.shape[1 + i] for i in range(2)]
        acc = {}
        for dtype in (np.float64, np.int64):
            values = (f64(x), f64(k)) if dtype == np.float64 else (np.round(x * 50).astype(np.int64), np.round(k * 50).astype(np.int64) - 3)
            full = np.zeros((2, *[n + 20 for n in size], 4), dtype)
            for iy, ix, ky, kx in np.ndindex(4, 5, 3, 4):
                full[:, 10 + iy * stride[0] + pad[0] + ky, 10 + ix * stride[1] + pad[2] + kx] += \
                    np.einsum("nc,oc->no", values[0][:, iy, ix], values[1][:, ky, kx])
            acc[dtype] = full[:, 10:10 + size[0], 10:10 + size[1]]
        attributes = f"{i64s('out_pad', *pad)}, {i64s('stride', *stride)}, acc_type = "
        m.call("transpose_conv2d", [m.input(x), m.input(k), m.input(b), *zeros(m, x, k)],
               (acc[np.float64] + b).astype(np.float32), attributes + "f32")
        x8, k8, b32 = np.round(x * 50).astype(np.int8), np.round(k * 50).astype(np.int8), ints(-99, 99, 4)
        if (np.abs(x * 50) < 127).all() and (np.abs(k * 50) < 127).all():
            m.call("transpose_conv2d", [m.input(x8), m.input(k8), m.input(b32), *zeros(m, x8, k8, (0, 3))],
                   (acc[np.int64] + b32).astype(np.int32), attributes + "i32")
    m.check()


def products():
    m = Tosa()
    a, b = floats(3, 5, 7), floats(3, 7, 4)
    m.call("matmul", [m.input(a), m.input(b), *zeros(m, a, b)], (f64(a) @ b).astype(np.float32))
    h, g = a.astype(np.float16), b.astype(np.float16)
    m.call("matmul", [m.input(h), m.input(g), *zeros(m, h, g)], (f64(h) @ f64(g)).astype(np.float32))
    a, b = ints(-128, 128, 3, 5, 7, dtype=np.int8), ints(-128, 128, 3, 7, 4, dtype=np.int8)
    for zero in ((0, 0), (3, -9)):
        m.call("matmul", [m.input(a), m.input(b), *zeros(m, a, b, zero)],
               (a.astype(np.int32) - zero[0]) @ (b.astype(np.int32) - zero[1]))
    m.check()


def pooled(x, kernel, stride, pad, reduce):
    rows = [(x.shape[1 + i] + sum(pad[i]) - kernel[i]) // stride[i] + 1 for i in range(2)]
    out = np.zeros((x.shape[0], *rows, x.shape[3]), x.dtype)
    for y, z in np.ndindex(*rows):
        cut = [slice(max(0, at * stride[i] - pad[i][0]), at * stride[i] - pad[i][0] + kernel[i]) for i, at in enumerate((y, z))]
        out[:, y, z] = reduce(x[:, cut[0], cut[1]])
    return out


def exact_mean(zero_in, zero_out):
    """The mean of integers by a multiplier and a shift."""
    def mean(cut):
        count = cut.shape[1] * cut.shape[2]
        k = 32 - (32 - (count - 1).bit_length())
        multiplier, shift = (((1 << 30) + 1) << k) // count, 30 + k
        total = (cut - zero_in).sum((1, 2))
        return np.clip((total * multiplier + (1 << shift - 1) >> shift) + zero_out, -128, 127)
    return mean


def pooling():
    m = Tosa()
    for kernel, stride, pad in (((2, 2), (2, 2), ((0, 0), (0, 0))), ((3, 3), (1, 2), ((1, 1), (1, 0))), ((1, 4), (1, 1), ((0, 0), (2, 1)))):
        attributes = ", ".join([i64s("kernel", *kernel), i64s("stride", *stride), i64s("pad", *[p for pair in pad for p in pair])])
        x, i = floats(2, 6, 8, 3), ints(-128, 128, 2, 6, 8, 3, dtype=np.int8)
        a, b = m.input(x), m.input(i)
        m.call("max_pool2d", [a], pooled(x, kernel, stride, pad, lambda c: c.max((1, 2))), attributes)
        m.call("max_pool2d", [b], pooled(i, kernel, stride, pad, lambda c: c.max((1, 2))), attributes)
        m.call("avg_pool2d", [a, *zeros(m, x, x)], pooled(f64(x), kernel, stride, pad, lambda c: c.mean((1, 2))).astype(np.float32),
               attributes + ", acc_type = f32")
        for zero in ((0, 0), (-5, 9)):
            want = pooled(i.astype(np.int64), kernel, stride, pad, exact_mean(*zero)).astype(np.int8)
            m.call("avg_pool2d", [b, *zeros(m, i, i, zero)], want, attributes + ", acc_type = i32")
    m.check()


#===-- Quantisation -------------------------------------------------------------------------------------------------

RESCALE = ("rounding_mode = #tosa.rounding_mode<{}>, scale32 = {}, per_channel = {}, input_unsigned = {}, output_unsigned = {}")


def scaled(value, multiplier, shift, is_double):
    """apply_scale_32 in Python's integers."""
    half = 1 << shift - 1
    if is_double and shift > 31:
        half += 1 << 30 if value >= 0 else -(1 << 30)
    return value * multiplier + half >> shift


def rescales():
    m = Tosa()
    x = ints(-2**20, 2**20, 4, 6)
    a = m.input(x)
    for mode in ("SINGLE_ROUND", "DOUBLE_ROUND"):
        for channels in (1, 6):
            multiplier, shift = ints(1 << 30, 2**31 - 1, channels), ints(30, 48, channels, dtype=np.int8)
            for dtype, zero in ((np.int8, -12), (np.int16, 0), (np.int32, 0)):
                info = np.iinfo(dtype)
                want = np.array([[np.clip(scaled(int(v), int(multiplier[c % channels]), int(shift[c % channels]), mode[0] == "D") + zero,
                                          info.min, info.max) for c, v in enumerate(row)] for row in x]).astype(dtype)
                m.call("rescale", [a, m.const(multiplier), m.const(shift), m.const(np.zeros(1, np.int32)), m.const(np.array([zero], dtype))],
                       want, RESCALE.format(mode, "true", "true" if channels > 1 else "false", "false", "false"))
    u = ints(0, 256, 4, 6, dtype=np.uint8).view(np.int8)  # whose bits are unsigned
    multiplier, shift = m.const(np.array([1 << 30], np.int32)), m.const(np.array([29], np.int8))
    wide = u.view(np.uint8).astype(np.int64)
    m.call("rescale", [m.input(u), multiplier, shift, m.const(np.array([100], np.int8)), m.const(np.array([3], np.int8))],
           np.clip((wide - 100) * 2 + 3, -128, 127).astype(np.int8), RESCALE.format("SINGLE_ROUND", "true", "false", "true", "false"))
    m.call("rescale", [m.input(u), multiplier, shift, m.const(np.array([-128], np.int8)), m.const(np.array([-1], np.int8))],
           np.clip((wide - 128) * 2 + 255, 0, 255).astype(np.uint8).view(np.int8), RESCALE.format("SINGLE_ROUND", "true", "false", "true", "true"))
    s = m.input(ints(40, 46, 4, 6, dtype=np.int8))
    k = m.input(ints(1 << 30, 2**31 - 1, 4, 6))
    for mode in ("SINGLE_ROUND", "DOUBLE_ROUND"):
        want = np.vectorize(lambda v, c, t: scaled(int(v), int(c), int(t), mode[0] == "D"))(x, m.inputs[-1], m.inputs[-2])
        m.call("apply_scale", [a, k, s], want.astype(np.int32), f"rounding_mode = #tosa.rounding_mode<{mode}>")
    m.check()


def tables():
    m = Tosa()
    x, table = ints(-128, 128, 5, 6, dtype=np.int8), ints(-128, 128, 256, dtype=np.int8)
    m.call("table", [m.input(x), m.const(table)], table[x.astype(int) + 128])
    x, table = ints(-2**15, 2**15, 5, 6, dtype=np.int16), ints(-2**15, 2**15, 513, dtype=np.int16)
    index, rest = (x.astype(int) >> 7) + 256, x.astype(int) & 127
    low = table[index].astype(int)
    m.call("table", [m.input(x), m.const(table)], ((low << 7) + (table[index + 1].astype(int) - low) * rest).astype(np.int32))
    m.check()


def resize(x, scale, offset, size, linear):
    out = np.zeros((x.shape[0], *size, x.shape[3]), np.float64)
    for y, z in np.ndindex(*size):
        at, low = [], []
        for i, place in enumerate((y, z)):
            n, d = scale[2 * i], scale[2 * i + 1]
            here = place * d + offset[i]
            low.append(here // n)
            at.append(here - low[-1] * n)
        clip = [lambda v, i=i: min(max(v, 0), x.shape[1 + i] - 1) for i in range(2)]
        if linear:
            weights = [(1 - at[i] / scale[2 * i], at[i] / scale[2 * i]) for i in range(2)]
            for p, q in np.ndindex(2, 2):
                out[:, y, z] += weights[0][p] * weights[1][q] * x[:, clip[0](low[0] + p), clip[1](low[1] + q)]
        else:
            place = [clip[i](low[i] + (2 * at[i] >= scale[2 * i])) for i in range(2)]
            out[:, y, z] = x[:, place[0], place[1]]
    return out


def resizing():
    m = Tosa()
    x, i = floats(2, 5, 7, 3), ints(-128, 128, 2, 5, 7, 3, dtype=np.int8)
    a, b = m.input(x), m.input(i)
    for scale, offset, border in (((4, 2, 4, 2), (0, 0), (0, 0)), ((4, 2, 6, 2), (-1, 2), (1, 2)), ((2, 4, 3, 3), (0, 0), (0, 0)),
                                  ((16, 4, 16, 8), (-3, -5), (5, 3))):
        fits, size = True, []
        for k in range(2):
            border_k = border[k]
            while ((x.shape[1 + k] - 1) * scale[2 * k] - offset[k] + border_k) % scale[2 * k + 1]:
                border_k += 1
            border = (*border[:k], border_k, *border[k + 1:])
            size.append(((x.shape[1 + k] - 1) * scale[2 * k] - offset[k] + border_k) // scale[2 * k + 1] + 1)
        del fits
        shapes = [m.shape(*scale), m.shape(*offset), m.shape(*border)]
        for mode in ("NEAREST_NEIGHBOR", "BILINEAR"):
            attributes = f"mode = #tosa.resize_mode<{mode}>"
            linear = mode[0] == "B"
            m.call("resize", [a, *shapes], resize(f64(x), scale, offset, size, linear).astype(np.float32), attributes)
            want = resize(f64(i), scale, offset, size, linear)
            want = np.round(want * scale[0] * scale[2]).astype(np.int32) if linear else want.astype(np.int8)
            m.call("resize", [b, *shapes], want, attributes)
    m.check()


def control():
    m = Tosa()
    x = floats(4)
    a, flag, n = m.input(x), m.input(np.bool_(False)), m.input(np.int32(5))
    t = a.type
    m.result(m.op(f"tosa.cond_if {flag} (%p = {a}, %q = {a}) : tensor<i1> ({t}, {t}) -> {t} {{ ^bb0(%p: {t}, %q: {t}): "
                  f"%r = tosa.exp %p : ({t}) -> {t} tosa.yield %r : {t} }} else {{ ^bb0(%p: {t}, %q: {t}): "
                  f"%r = tosa.add %p, %q : ({t}, {t}) -> {t} tosa.yield %r : {t} }}", t), 2 * x)
    zero = m.const(np.int32(0))
    one = m.const(np.int32(1))
    m.n += 1
    m.line(f"%v{m.n}:2 = tosa.while_loop (%i = {zero}, %s = {a}) : (tensor<i32>, {t}) -> (tensor<i32>, {t}) {{ "
           f"%c = tosa.greater {n}, %i : (tensor<i32>, tensor<i32>) -> tensor<i1> tosa.yield %c : tensor<i1> }} do {{ "
           f"^bb0(%i: tensor<i32>, %s: {t}): %j = tosa.add %i, {one} : (tensor<i32>, tensor<i32>) -> tensor<i32> "
           f"%u = tosa.add %s, {a} : ({t}, {t}) -> {t} tosa.yield %j, %u : tensor<i32>, {t} }}")
    m.result(Value(f"%v{m.n}#0", "tensor<i32>"), np.int32(5))
    m.result(Value(f"%v{m.n}#1", t), 6 * f64(x))
    m.check()


def open_sizes():
    """'?' for the batch, as TFLite's converters write it."""
    m = Tosa()
    k, b = floats(5, 3, 3, 2), floats(5)

    def data(n):
        x = floats(n, 6, 6, 2)
        y = np.maximum(convolve(f64(x), f64(k), (1, 1), (1, 1), ((1, 1), (1, 1))) + b, 0)
        pooled_ = pooled(y, (2, 2), (2, 2), ((0, 0), (0, 0)), lambda c: c.mean((1, 2)))
        return [x], [pooled_, np.concatenate([x, x], 3)]

    inputs, wanted = data(2)
    x = m.input(inputs[0], {0})
    y = m.op(f'"tosa.conv2d"({x}, {m.const(k)}, {m.const(b)}, {", ".join(zeros(m, k, k))}) '
             f'{{{windows((1, 1), (1, 1), ((1, 1), (1, 1)), "f32")}}} : ({x.type}, {type_of(k)}, tensor<5xf32>, tensor<1xf32>, '
             f"tensor<1xf32>) -> tensor<?x6x6x5xf32>", "tensor<?x6x6x5xf32>")
    y = m.op(f"tosa.clamp {y} {{min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32}} : ({y.type}) -> {y.type}", y.type)
    pool = ", ".join([i64s("kernel", 2, 2), i64s("stride", 2, 2), i64s("pad", 0, 0, 0, 0)])
    m.call("avg_pool2d", [y, *zeros(m, k, k)], wanted[0], pool + ", acc_type = f32", "tensor<?x3x3x5xf32>")
    m.call("concat", [x, x], wanted[1], "axis = 3 : i32", "tensor<?x6x6x4xf32>")
    m.check(others=[data(1), data(5)])


def fourier():
    """Of planes, whose sizes are powers of two; the inverse is not divided by the number of elements."""
    m = Tosa()
    for height, width in ((4, 8), (16, 2), (1, 4), (8, 1)):
        x, y = floats(2, height, width), floats(2, height, width)
        a, b = m.input(x), m.input(y)
        whole, half = a.type, type_of(x[:, :, :width // 2 + 1])
        z = f64(x) + 1j * y
        for call, type_, want in ((f"tosa.fft2d {a}, {b} {{inverse = false}} : ({whole}, {whole})", whole, np.fft.fft2(z)),
                                  (f"tosa.fft2d {a}, {b} {{inverse = true}} : ({whole}, {whole})", whole,
                                   np.fft.ifft2(z) * height * width),
                                  (f"tosa.rfft2d {a} : ({whole})", half, np.fft.rfft2(f64(x)))):
            pair = m.op(f"{call} -> ({type_}, {type_})", type_)
            m.lines[-1] = m.lines[-1].replace(f"{pair} =", f"{pair}:2 =")
            for part, wanted in enumerate((want.real, want.imag)):
                m.result(Value(f"{pair}#{part}", type_), wanted.astype(np.float32))
    m.check()


def quantised_types():
    """Tensors of !quant.uniform are their integers."""
    m = Tosa()
    i = ints(-128, 128, 4, 4, dtype=np.int8)
    a = m.input(i)
    t = "tensor<4x4x!quant.uniform<i8:f32, 1.0e-01:3>>"
    m.input_types[0] = t
    r = m.op(f'"tosa.reshape"({a}, {m.shape(2, 8)}) : ({t}, !tosa.shape<2>) -> tensor<2x8x!quant.uniform<i8:f32, 1.0e-01:3>>',
             "tensor<2x8x!quant.uniform<i8:f32, 1.0e-01:3>>")
    m.result(r, i.reshape(2, 8))
    m.check()


def every_operation_has_a_line():
    refused("""func.func @main(%x: tensor<4x?x8xf32>) -> tensor<4x?x5xf32> {
  %a, %b = tosa.rfft2d %x : (tensor<4x?x8xf32>) -> (tensor<4x?x5xf32>, tensor<4x?x5xf32>)
  %c = tosa.custom %x {operator_name = "op", domain_name = "us", implementation_attrs = ""} : (tensor<4x?x8xf32>) -> tensor<4x?x5xf32>
  %d = tosa.add %b, %c : (tensor<4x?x5xf32>, tensor<4x?x5xf32>) -> tensor<4x?x5xf32>
  return %d : tensor<4x?x5xf32>
}
""", "(node line 2): tosa.rfft2d is not supported: expected planes of known sizes", "(node line 3): tosa.custom is not supported")


def main():
    wanted = sys.argv[1:]
    cases = (elements, casts, along_axes, movement, sizes, convolutions, transposed_convolutions, products, pooling, rescales, tables,
             resizing, control, open_sizes, fourier, quantised_types, every_operation_has_a_line)
    strata.report([(run.__name__, run) for run in cases if not wanted or run.__name__ in wanted])


if __name__ == "__main__":
    main()
