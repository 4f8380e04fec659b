"""Every op at level 2: what strata-to-affine makes of it computes what NumPy computes."""
import sys

import numpy as np

from level2 import Case, from_bf16, i64s, pack_i4, run_cases, to_bf16

random = np.random.default_rng(1)
CASES = []


def new_case(name, *inputs):
    CASES.append(Case(name, *inputs))
    return CASES[-1]


def simple(name, mnemonic, inputs, output, tolerance=0, **attrs):
    case = new_case(name, *inputs)
    case.returns([case.op(mnemonic, [f"%x{i}" for i in range(len(inputs))], output, **attrs)], output,
                 tolerance=tolerance)


# -- elementwise ------------------------------------------------------------------------------------------------------

NUMBERS = np.array([0.0, -0.0, 1.5, -1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-40, 0.3, -77.7])


def elementwise():
    x = NUMBERS.astype(np.float32)
    y = np.roll(x, 3)
    with np.errstate(all="ignore"):
        for name, f in dict(neg=np.negative, abs=np.abs, ceil=np.ceil, floor=np.floor, trunc=np.trunc,
                            round_even=np.rint, is_nan=np.isnan, is_inf=np.isinf).items():
            simple(name, name, [x], f(x))
        for name, f in dict(add=np.add, sub=np.subtract, mul=np.multiply, min=np.minimum, max=np.maximum, eq=np.equal,
                            ne=np.not_equal, lt=np.less, le=np.less_equal, gt=np.greater,
                            ge=np.greater_equal).items():
            simple(name, name, [x, y], f(x, y))
        p = random.uniform(0.1, 0.9, 100).astype(np.float32)
        for name, f in dict(sqrt=np.sqrt, exp=np.exp, log=np.log, sin=np.sin, tanh=np.tanh, asin=np.arcsin,
                            expm1=np.expm1, log1p=np.log1p, atanh=np.arctanh).items():
            simple(name, name, [p], f(p), tolerance=1e-6)
        simple("div", "div", [p, p[::-1].copy()], p / p[::-1], tolerance=1e-6)
        simple("pow", "pow", [p, p[::-1].copy()], p ** p[::-1], tolerance=1e-6)
        h = NUMBERS.astype(np.float16)
        g = np.roll(h, 2)
        simple("add_f16", "add", [h, g], h + g)
        simple("mul_f16", "mul", [h, g], h * g)
        a = random.standard_normal(50).astype(np.float32)
        b = random.standard_normal(50).astype(np.float32)
        simple("add_bf16", "add", [to_bf16(a), to_bf16(b)], to_bf16(from_bf16(to_bf16(a)) + from_bf16(to_bf16(b))))
        simple("rank0", "add", [x[2].reshape(()), x[3].reshape(())], np.asarray(x[2] + x[3]))
    c = random.integers(0, 2, 14).astype(bool)
    simple("select", "select", [c, x, y], np.where(c, x, y))
    simple("and_bool", "and", [c, c[::-1].copy()], c & c[::-1])
    simple("not_bool", "not", [c], ~c)
    simple("empty", "add", [np.zeros((0, 4), np.float32)] * 2, np.zeros((0, 4), np.float32))


def divide(a, b, remainder):
    """Truncating division of wrapping integers; by zero it is 0."""
    info = np.iinfo(a.dtype)
    out = []
    for x, y in zip(a.tolist(), b.tolist()):
        q = 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        value = (0 if y == 0 else x - q * y) if remainder else q
        out.append((value - info.min) % (info.max - info.min + 1) + info.min)
    return np.array(out, a.dtype)


def integers():
    for dtype in (np.int8, np.int32, np.int64):
        info, width = np.iinfo(dtype), np.iinfo(dtype).bits
        special = np.array([0, 1, -1, info.min, info.max, 7, -7, 3], dtype)
        a, b = (x.ravel().copy() for x in np.meshgrid(special, special))
        unsigned = np.dtype(dtype).str.replace("i", "u")
        ua, ub = a.view(unsigned), b.view(unsigned)
        simple(f"div_i{width}", "div", [a, b], divide(a, b, False))
        simple(f"rem_i{width}", "rem", [a, b], divide(a, b, True))
        simple(f"div_u{width}", "div_u", [ua, ub], divide(ua, ub, False))
        simple(f"rem_u{width}", "rem_u", [ua, ub], divide(ua, ub, True))
        simple(f"neg_i{width}", "neg", [a], -a)
        simple(f"abs_i{width}", "abs", [a], np.abs(a))
        simple(f"not_i{width}", "not", [a], ~a)
        simple(f"lt_u{width}", "lt_u", [ua, ub], ua < ub)
        simple(f"max_u{width}", "max_u", [ua, ub], np.maximum(ua, ub))
        s = random.integers(-3, 2 * width, a.size).astype(dtype)
        us = s.view(unsigned).astype(object)
        shl = [(int(x) << int(n)) % 2 ** width if n < width else 0 for x, n in zip(ua, us)]
        shr_u = [int(x) >> int(n) if n < width else 0 for x, n in zip(ua, us)]
        shr = [int(x) >> int(min(n, width - 1)) for x, n in zip(a, us)]
        simple(f"shl_i{width}", "shl", [a, s], np.array(shl, unsigned))
        simple(f"shr_u{width}", "shr_u", [a, s], np.array(shr_u, unsigned))
        simple(f"shr_i{width}", "shr", [a, s], np.array(shr, dtype))


def saturate(x, dtype):
    info = np.iinfo(dtype)
    return np.array([0 if np.isnan(v) else int(min(max(v, info.min - 1.0), info.max + 1.0)) for v in x.tolist()],
                    object).clip(info.min, info.max).astype(dtype)


def conversions():
    x = np.concatenate([NUMBERS, [127.5, 128, -128.9, -129, 255.9, 256, 2.0 ** 31, -2.0 ** 31, 2.0 ** 32, 2.0 ** 63,
                                  -2.0 ** 63, 2.0 ** 64, 65504, 65520, 1e-8, -0.9]])
    with np.errstate(all="ignore"):
        for source in (np.float64, np.float32, np.float16):
            v = x.astype(source)
            for target in (np.float64, np.float32, np.float16):
                simple(f"{source.__name__}_{target.__name__}", "convert", [v], v.astype(target))
            for target in (np.int8, np.int16, np.int32, np.int64):
                simple(f"{source.__name__}_{target.__name__}", "convert", [v], saturate(v.astype(np.float64), target))
            for target in (np.uint8, np.uint16, np.uint32, np.uint64):
                simple(f"{source.__name__}_{target.__name__}", "convert_to_u", [v],
                       saturate(v.astype(np.float64), target))
            simple(f"{source.__name__}_bool", "convert", [v], v != 0)
    narrow = np.concatenate([random.standard_normal(1000), [1 + 2.0 ** -11 + 2.0 ** -40, 1 + 2.0 ** -11]])
    simple("f64_f16_once", "convert", [narrow], narrow.astype(np.float16))
    i = np.array([0, 1, -1, 127, -128, 200, -200, 2 ** 31 - 1, -2 ** 31, 16777217, 33554435], np.int32)
    for target in (np.int8, np.int64, np.float64, np.float32):
        simple(f"i32_{target.__name__}", "convert", [i], i.astype(target))
    simple("i32_bool", "convert", [i], i != 0)
    simple("u32_f32", "convert_u", [i.view(np.uint32)], i.view(np.uint32).astype(np.float32))
    simple("u8_i32", "convert_u", [i.astype(np.uint8)], i.astype(np.uint8).astype(np.int32))
    simple("bool_f16", "convert", [i > 0], (i > 0).astype(np.float16))
    simple("bitcast", "bitcast", [i], i.view(np.float32))
    simple("bitcast_f16", "bitcast", [narrow.astype(np.float16)], narrow.astype(np.float16).view(np.int16))
    n = random.integers(-8, 8, (3, 5))
    simple("i4_i32", "convert", [pack_i4(n)], n.astype(np.int32))
    simple("u4_f32", "convert_u", [pack_i4(n)], (n & 15).astype(np.float32))
    simple("i32_i4", "convert", [n.astype(np.int32)], pack_i4(n))
    simple("f32_u4", "convert_to_u", [np.float32(n * 3)], pack_i4((n * 3).clip(0, 15)))


# -- reductions -------------------------------------------------------------------------------------------------------

def reductions():
    x = random.standard_normal((3, 4, 5)).astype(np.float32)
    for axes in ((0,), (1,), (2,), (0, 2), (0, 1, 2)):
        simple(f"sum{axes}", "reduce", [x], x.sum(axes), tolerance=1e-6, kind='"add"', axes=i64s(axes))
    nan = x.copy()
    nan[1, 2, 3] = np.nan
    simple("max", "reduce", [nan], nan.max(2), kind='"max"', axes=i64s([2]))
    simple("min", "reduce", [x], x.min(1), kind='"min"', axes=i64s([1]))
    simple("sum_empty", "reduce", [np.zeros((3, 0), np.float32)], np.zeros(3, np.float32), kind='"add"',
           axes=i64s([1]))
    simple("max_empty", "reduce", [np.zeros((3, 0), np.float32)], np.full(3, -np.inf, np.float32), kind='"max"',
           axes=i64s([1]))
    h = random.standard_normal((4, 300)).astype(np.float16)
    simple("sum_f16", "reduce", [h], h.astype(np.float32).sum(1).astype(np.float16), tolerance=1e-3, kind='"add"',
           axes=i64s([1]))
    i = random.integers(-100, 100, (6, 7)).astype(np.int8)
    simple("sum_i8", "reduce", [i], i.sum(1).astype(np.int8), kind='"add"', axes=i64s([1]))
    simple("max_u", "reduce", [i.view(np.uint8)], i.view(np.uint8).max(0), kind='"max_u"', axes=i64s([0]))
    simple("min_u", "reduce", [i.view(np.uint8)], i.view(np.uint8).min(0), kind='"min_u"', axes=i64s([0]))
    b = random.integers(0, 2, (6, 3)).astype(bool)
    simple("all", "reduce", [b], b.all(1), kind='"and"', axes=i64s([1]))
    simple("any", "reduce", [b], b.any(1), kind='"or"', axes=i64s([1]))


def arg_reductions():
    x = np.array([[1, 5, 5, 2], [np.nan, 1, np.nan, 3], [-np.inf] * 4, [4, 3, 2, 1]], np.float32)
    for kind, best in (("max", np.max), ("min", np.min)):
        for last in (False, True):
            for axis in (0, 1):
                rows = np.moveaxis(x, axis, 1)
                hits = [[i for i, v in enumerate(r) if v == best(r) or np.isnan(best(r)) and np.isnan(v)] for r in rows]
                simple(f"arg_{kind}_{last}_{axis}", "arg_reduce", [x],
                       np.array([h[-1 if last else 0] for h in hits], np.int64), kind=f'"{kind}"', axis=f"{axis} : i64",
                       select_last=str(last).lower())
    u = np.array([[1, 255, 7]], np.uint8)
    simple("arg_max_u", "arg_reduce", [u], np.array([1]), kind='"max_u"', axis="1 : i64", select_last="false")


def scans():
    x = random.integers(-5, 5, (3, 4, 2)).astype(np.float32)
    for axis in range(3):
        for exclusive in (False, True):
            for reverse in (False, True):
                y = np.flip(x, axis) if reverse else x
                y = np.cumsum(y, axis, dtype=np.float32) - (y if exclusive else 0)
                y = np.ascontiguousarray(np.flip(y, axis) if reverse else y)
                simple(f"cumsum_{axis}{exclusive}{reverse}", "scan", [x], y, kind='"add"', axis=f"{axis} : i64",
                       exclusive=str(exclusive).lower(), reverse=str(reverse).lower())
    v = random.integers(1, 3, 6).astype(np.int32)
    simple("cumprod", "scan", [v], np.cumprod(v, dtype=np.int32), kind='"mul"', axis="0 : i64", exclusive="false",
           reverse="false")


def sorts():
    for n in (1, 2, 3, 8, 13, 64, 100):
        for axis in (0, 1):
            for descending in (False, True):
                shape = (n, 3) if axis == 0 else (3, n)
                x = random.integers(-6, 6, shape).astype(np.float32)
                x[0, 0] = np.nan
                key = np.where(np.isnan(x), 100, x)
                order = np.argsort(-key if descending else key, axis, kind="stable").astype(np.int64)
                case = new_case(f"sort{n}{axis}{descending}", x)
                values = np.take_along_axis(x, order, axis)
                names = case.op("sort", ["%x0"], (values, order), axis=f"{axis} : i64",
                                descending=str(descending).lower(), unsigned="false")
                case.returns(names, values, order)
    u = random.integers(0, 256, 20).astype(np.uint8)
    case = new_case("sort_unsigned", u)
    order = np.argsort(u, kind="stable")
    names = case.op("sort", ["%x0"], (u[order], order), axis="0 : i64", descending="false", unsigned="true")
    case.returns(names[:1], u[order])


def windows():
    x = random.standard_normal((1, 2, 7, 9)).astype(np.float32)
    for strides, dilations, low, high in (((2, 2), (1, 1), (0, 0), (0, 0)), ((1, 2), (2, 1), (1, 1), (1, 0)),
                                          ((3, 1), (1, 3), (2, 0), (2, 1))):
        for kind, neutral, f in (("max", -np.inf, np.max), ("add", 0, np.sum)):
            padded = np.pad(x, [(0, 0), (0, 0)] + list(zip(low, high)), constant_values=neutral)
            view = np.lib.stride_tricks.sliding_window_view(padded, [(3 - 1) * d + 1 for d in dilations], (2, 3))
            view = view[:, :, ::strides[0], ::strides[1], ::dilations[0], ::dilations[1]]
            simple(f"pool_{kind}", "window", [x], f(view, (4, 5)), tolerance=1e-6, kind=f'"{kind}"',
                   window=i64s((1, 1, 3, 3)), strides=i64s((1, 1) + strides), dilations=i64s((1, 1) + dilations),
                   low=i64s((0, 0) + low), high=i64s((0, 0) + high))


# -- contractions -----------------------------------------------------------------------------------------------------

def maps(*texts):
    return "[" + ", ".join(f"affine_map<{text}>" for text in texts) + "]"


def contractions():
    a = random.standard_normal((4, 6)).astype(np.float32)
    b = random.standard_normal((6, 5)).astype(np.float32)
    mm = maps("(i, j, k) -> (i, k)", "(i, j, k) -> (k, j)", "(i, j, k) -> (i, j)")
    simple("matmul", "contract", [a, b], a @ b, tolerance=1e-6, maps=mm, zero_pad="false", origin='"matmul"')
    h, g = a.astype(np.float16), b.astype(np.float16)
    simple("matmul_f16", "contract", [h, g], (h.astype(np.float32) @ g.astype(np.float32)).astype(np.float16),
           tolerance=1e-3, maps=mm, zero_pad="false", origin='"matmul"')
    i = random.integers(-128, 128, (4, 6)).astype(np.int8)
    j = random.integers(-128, 128, (6, 5)).astype(np.int8)
    simple("matmul_i8", "contract", [i, j], i.astype(np.int32) @ j.astype(np.int32), maps=mm, zero_pad="false",
           origin='"matmul"')
    simple("dot", "contract", [a[0], b[:, 0].copy()], a[0] @ b[:, 0], tolerance=1e-6,
           maps=maps("(k) -> (k)", "(k) -> (k)", "(k) -> ()"), zero_pad="false", origin='""')
    simple("outer", "contract", [a[:, :1].copy(), b[:1]], a[:, :1] @ b[:1], maps=mm, zero_pad="false", origin='""')
    simple("matmul_empty", "contract", [a[:, :0].copy(), b[:0]], np.zeros((4, 5), np.float32), maps=mm,
           zero_pad="false", origin='""')
    x = random.standard_normal((1, 2, 6, 7)).astype(np.float32)
    w = random.standard_normal((3, 2, 3, 3)).astype(np.float32)
    p = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    v = np.lib.stride_tricks.sliding_window_view(p, (3, 3), (2, 3))[:, :, ::2, ::1]
    conv = np.einsum("nchwyx,ocyx->nohw", v, w)
    d = "(n, o, h, w, c, y, x)"
    simple("conv", "contract", [x, w], conv.astype(np.float32), tolerance=1e-5,
           maps=maps(f"{d} -> (n, c, h * 2 + y - 1, w + x - 1)", f"{d} -> (o, c, y, x)", f"{d} -> (n, o, h, w)"),
           zero_pad="true", origin='"conv"')


# -- movement ---------------------------------------------------------------------------------------------------------

def movement():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    simple("transpose", "transpose", [x], x.transpose(2, 0, 1).copy(), permutation=i64s((2, 0, 1)))
    simple("reshape", "reshape", [x], x.reshape(4, 6))
    simple("slice", "slice", [x], x[1:, ::2, ::-1].copy(), starts=i64s((1, 0, 3)), steps=i64s((1, 2, -1)))
    simple("broadcast", "broadcast", [x[0, :1]], np.broadcast_to(x[0, :1], (5, 3, 4)).copy()[:, :, :],
           map="affine_map<(a, b, c) -> (0, c)>")
    b = random.integers(0, 2, (2, 3)).astype(bool)
    simple("pad_bool", "pad", [b], np.pad(b, ((1, 0), (0, 2)), constant_values=True), low=i64s((1, 0)),
           high=i64s((0, 2)), value="true")
    simple("pad", "pad", [x], np.pad(x, ((0, 1), (2, 0), (1, 1)), constant_values=7), low=i64s((0, 2, 1)),
           high=i64s((1, 0, 1)), value="7.0 : f32")
    simple("pad_empty", "pad", [x[:, :0].copy()], np.full((2, 3, 4), 2, np.float32), low=i64s((0, 1, 0)),
           high=i64s((0, 2, 0)), value="2.0 : f32")
    case = new_case("views", x)
    t = case.op("transpose", ["%x0"], y := x.transpose(1, 0, 2).copy(), permutation=i64s((1, 0, 2)))
    t = case.op("reshape", [t], y := y.reshape(6, 4))
    t = case.op("transpose", [t], y := y.T.copy(), permutation=i64s((1, 0)))
    t = case.op("slice", [t], y := y[::-1, 1:6:2].copy(), starts=i64s((3, 1)), steps=i64s((-1, 2)))
    t = case.op("reshape", [t], y := y.reshape(2, 3, 2))
    t = case.op("neg", [t], y := -y)
    t = case.op("transpose", [t], y := y.transpose(2, 1, 0).copy(), permutation=i64s((2, 1, 0)))
    case.returns([t], y)
    nibbles = random.integers(-8, 8, (3, 5))
    simple("transpose_i4", "transpose", [pack_i4(nibbles)], pack_i4(nibbles.T), permutation=i64s((1, 0)))


def concats():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = np.arange(8, dtype=np.float32).reshape(2, 4)
    simple("concat_inputs", "concat", [x, y], np.concatenate([x, y], 1), axis="1 : i64")
    case = new_case("concat_in_place", x, y)
    n, a = case.op("neg", ["%x0"], x), case.op("add", ["%x1", "%x1"], y)
    c = case.op("concat", [n, a], z := np.concatenate([-x, y + y], 1), axis="1 : i64")
    d = case.op("concat", [c, n], z2 := np.concatenate([z, -x], 1), axis="1 : i64")
    s = case.op("mul", [c, c], z * z)
    case.returns([c, d, s, c, n, "%x0"], z, z2, z * z, z, -x, x)
    case = new_case("concat_twice", x)
    n = case.op("neg", ["%x0"], x)
    case.returns([case.op("concat", [n, n], np.concatenate([-x, -x]), axis="0 : i64")], np.concatenate([-x, -x]))
    case = new_case("rotate_half", x8 := random.standard_normal((3, 8)).astype(np.float32))
    a = case.op("slice", ["%x0"], x8[:, :4], starts=i64s((0, 0)), steps=i64s((1, 1)))
    b = case.op("slice", ["%x0"], x8[:, 4:], starts=i64s((0, 4)), steps=i64s((1, 1)))
    c = case.op("concat", [case.op("neg", [b], x8[:, 4:]), a], y8 := np.concatenate([-x8[:, 4:], x8[:, :4]], 1),
                axis="1 : i64")
    case.returns([case.op("mul", [c, "%x0"], x8)], y8 * x8)
    case = new_case("concat_bool", x > 2, y > 3)
    s = case.constant(np.ones((2, 2), bool))
    c = case.op("concat", ["%x0", "%x1"], np.concatenate([x > 2, y > 3], 1), axis="1 : i64")
    d = case.op("concat", ["%x0", s], e := np.concatenate([x > 2, np.ones((2, 2), bool)], 1), axis="1 : i64")
    f = np.concatenate([x > 2, y > 3], 1)
    case.returns([case.op("not", [c], f), case.op("not", [d], e)], ~f, ~e)
    k = np.arange(32, dtype=np.float32).reshape(1, 32)
    past = np.arange(80, dtype=np.float32).reshape(4, 10, 2, 1)[:, :, :, 0].copy()
    case = new_case("kv_cache", k[:, :8].copy(), past)
    n = case.op("neg", ["%x0"], k[:, :8])
    r = case.op("reshape", [n], np.zeros((1, 4, 2), np.float32))
    t = case.op("transpose", [r], np.zeros((4, 1, 2), np.float32), permutation=i64s((1, 0, 2)))
    z = np.concatenate([past, -k[:, :8].reshape(4, 1, 2)], 1)
    case.returns([case.op("concat", ["%x1", t], z, axis="1 : i64"), n], z, -k[:, :8])
    case = new_case("heads", x4 := random.standard_normal((3, 8)).astype(np.float32))
    n = case.op("neg", ["%x0"], x4)
    r = case.op("reshape", [n], np.zeros((3, 2, 4), np.float32))
    t = case.op("transpose", [r], h := -x4.reshape(3, 2, 4).transpose(1, 0, 2).copy(), permutation=i64s((1, 0, 2)))
    e = case.op("add", [n, n], x4)
    case.returns([t, e], h, -x4 - x4)
    nib = random.integers(-8, 8, (2, 3))
    simple("concat_i4", "concat", [pack_i4(nib), pack_i4(nib[:, :2])],
           pack_i4(np.concatenate([nib, nib[:, :2]], 1)), axis="1 : i64")


# -- data-dependent ---------------------------------------------------------------------------------------------------

def gathers():
    x = np.arange(60, dtype=np.float32).reshape(3, 5, 4)
    i = np.array([[4, 0], [2, 9]], np.int64)
    simple("gather", "gather", [x, i], x[:, i.clip(0, 4)], axis="1 : i64", batch_dims="0 : i64")
    small = np.array([-3, 1, 127], np.int8)
    simple("gather_i8", "gather", [x, small], x[small.clip(0, 2)], axis="0 : i64", batch_dims="0 : i64")
    b = np.array([[1, 0], [3, 3], [2, 4]], np.int32)
    simple("gather_batch", "gather", [x, b], np.stack([x[n][b[n]] for n in range(3)]), axis="1 : i64",
           batch_dims="1 : i64")
    case = new_case("gather_view", x, np.array([3, 1], np.int64))
    t = case.op("transpose", ["%x0"], x.transpose(2, 1, 0).copy(), permutation=i64s((2, 1, 0)))
    r = case.op("reshape", [t], x.transpose(2, 1, 0).reshape(4, 15))
    y = x.transpose(2, 1, 0).reshape(4, 15)[[3, 1]]
    case.returns([case.op("gather", [r, "%x1"], y, axis="0 : i64", batch_dims="0 : i64")], y)
    n = random.integers(-8, 8, (5, 3))
    simple("gather_i4", "gather", [pack_i4(n), np.array([4, 1], np.int64)], pack_i4(n[[4, 1]]), axis="0 : i64",
           batch_dims="0 : i64")


def scatters():
    x = np.arange(24, dtype=np.float32).reshape(6, 4)
    i = np.array([3, 0, 3, 9, -1], np.int64)
    u = random.integers(0, 9, (5, 4)).astype(np.float32)
    for kind, f in (("none", lambda a, b: b), ("add", np.add), ("max", np.maximum)):
        y = x.copy()
        for at, row in zip(i, u):
            if 0 <= at < 6:
                y[at] = f(y[at], row)
        simple(f"scatter_{kind}", "scatter", [x, i, u], y, kind=f'"{kind}"')
    v = np.arange(5, dtype=np.int32)
    y = v.copy()
    y[2] += 7
    simple("scatter_1d", "scatter", [v, np.array([2], np.int32), np.array([7], np.int32)], y, kind='"add"')
    n = random.integers(-8, 8, (4, 3))
    m = n.copy()
    m[2] = n[0]
    simple("scatter_i4", "scatter", [pack_i4(n), np.array([2], np.int64), pack_i4(n[:1])], pack_i4(m), kind='"none"')


def generated():
    case = new_case("iota")
    f = np.broadcast_to(np.arange(4, dtype=np.float32)[:, None], (4, 3)).copy()
    i = np.broadcast_to(np.arange(3, dtype=np.int8), (4, 3)).copy()
    case.returns([case.op("iota", [], f, axis="0 : i64"), case.op("iota", [], i, axis="1 : i64")], f, i)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    case = new_case("constants", x)
    c, s, t = case.constant(2 * x), case.constant(np.full((2, 3), 2.5, np.float32)), case.constant(x > 2)
    r = case.op("select", [t, c, s], x)
    case.returns([case.op("add", [r, "%x0"], x), c, s], np.where(x > 2, 2 * x, 2.5).astype(np.float32) + x, 2 * x,
                 np.full((2, 3), 2.5, np.float32))


def main():
    for make in (elementwise, integers, conversions, reductions, arg_reductions, scans, sorts, windows, contractions,
                 movement, concats, gathers, scatters, generated):
        make()
    return run_cases(CASES, "strata-to-affine") != 0


if __name__ == "__main__":
    sys.exit(main())
