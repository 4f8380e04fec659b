"""linalg on tensors, with arith, math, tensor and scf: every operation of ops.def against NumPy in f64."""
import math
import os
import re
import sys
import tempfile

import numpy as np

import strata
from mlir_module import Module, Value, problem, refused, type_of

RANDOM = np.random.default_rng(int(os.environ.get("STRATA_SEED", "0")))


def floats(*shape, dtype=np.float32):
    return RANDOM.standard_normal(shape).astype(dtype)


def ints(low, high, *shape, dtype=np.int32):
    return RANDOM.integers(low, high, shape).astype(dtype)


#===-- Structured operations, by their maps -------------------------------------------------------------------------


def loops(sizes, ins, out, *arrays, combine=lambda *x: math.prod(x), reduce=np.sum):
    """Element by element: |ins| and |out| are maps, "n h*2+k c", of the loops |sizes|."""
    grids = dict(zip(sizes, np.ogrid[tuple(slice(0, n) for n in sizes.values())]))
    names = list(sizes)
    wide = [a.astype(np.float64 if a.dtype.kind == "f" else np.int64) for a in arrays]
    elements = [a[tuple(eval(e, {}, grids) for e in m.split())] for a, m in zip(wide, ins)]
    full = np.broadcast_to(combine(*elements), tuple(sizes.values()))
    summed = tuple(i for i, name in enumerate(names) if name not in out.split())
    result = reduce(full, axis=summed) if summed else full
    left = [name for name in names if name in out.split()]
    return np.transpose(result, [left.index(name) for name in out.split()])


def shape_of(sizes, map_):
    return tuple(int(eval(e, {}, {k: v - 1 for k, v in sizes.items()})) + 1 for e in map_.split())


def empty(m, array):
    return m.op(f"tensor.empty() : {type_of(array)}", type_of(array))


def filled(m, array, value=0):
    element = re.sub(r".*x|tensor<|>", "", type_of(array))
    number = f"{value:e}" if element.startswith("f") else str(value)
    scalar = m.op(f"arith.constant {number} : {element}", element)
    out = empty(m, array)
    return m.op(f"linalg.fill ins({scalar} : {element}) outs({out} : {out.type}) -> {out.type}", out.type)


def named(m, name, ins, out, attributes=""):
    types = ", ".join(value.type for value in ins)
    return m.op(f"{name} {attributes} ins({', '.join(ins)} : {types}) outs({out} : {out.type}) -> {out.type}", out.type)


CONVOLUTIONS = {
    "conv_1d": ("w k", ["w+k", "k"], "w"),
    "conv_2d": ("h w y x", ["h+y w+x", "y x"], "h w"),
    "conv_3d": ("d h w z y x", ["d+z h+y w+x", "z y x"], "d h w"),
    "conv_1d_ncw_fcw": ("n f w c k", ["n c w*S+k*D", "f c k"], "n f w"),
    "conv_1d_nwc_wcf": ("n w f k c", ["n w*S+k*D c", "k c f"], "n w f"),
    "conv_2d_nchw_fchw": ("n f h w c y x", ["n c h*S+y*D w*S+x*D", "f c y x"], "n f h w"),
    "conv_2d_nhwc_hwcf": ("n h w f y x c", ["n h*S+y*D w*S+x*D c", "y x c f"], "n h w f"),
    "conv_2d_nhwc_fhwc": ("n h w f y x c", ["n h*S+y*D w*S+x*D c", "f y x c"], "n h w f"),
    "conv_2d_ngchw_fgchw": ("n g f h w c y x", ["n g c h*S+y*D w*S+x*D", "f g c y x"], "n g f h w"),
    "conv_2d_ngchw_gfchw": ("n g f h w c y x", ["n g c h*S+y*D w*S+x*D", "g f c y x"], "n g f h w"),
    "conv_2d_nhwgc_gfhwc": ("n h w g f y x c", ["n h*S+y*D w*S+x*D g c", "g f y x c"], "n h w g f"),
    "conv_3d_ncdhw_fcdhw": ("n f d h w c z y x", ["n c d*S+z*D h*S+y*D w*S+x*D", "f c z y x"], "n f d h w"),
    "conv_3d_ndhwc_dhwcf": ("n d h w f z y x c", ["n d*S+z*D h*S+y*D w*S+x*D c", "z y x c f"], "n d h w f"),
    "depthwise_conv_1d_ncw_cw": ("n w c k", ["n c w*S+k*D", "c k"], "n c w"),
    "depthwise_conv_1d_nwc_wc": ("n w c k", ["n w*S+k*D c", "k c"], "n w c"),
    "depthwise_conv_1d_nwc_wcm": ("n w c m k", ["n w*S+k*D c", "k c m"], "n w c m"),
    "depthwise_conv_2d_nchw_chw": ("n h w c y x", ["n c h*S+y*D w*S+x*D", "c y x"], "n c h w"),
    "depthwise_conv_2d_nhwc_hwc": ("n h w c y x", ["n h*S+y*D w*S+x*D c", "y x c"], "n h w c"),
    "depthwise_conv_2d_nhwc_hwcm": ("n h w c m y x", ["n h*S+y*D w*S+x*D c", "y x c m"], "n h w c m"),
    "depthwise_conv_3d_ncdhw_cdhw": ("n d h w z y x c", ["n c d*S+z*D h*S+y*D w*S+x*D", "c z y x"], "n c d h w"),
    "depthwise_conv_3d_ndhwc_dhwc": ("n d h w z y x c", ["n d*S+z*D h*S+y*D w*S+x*D c", "z y x c"], "n d h w c"),
    "depthwise_conv_3d_ndhwc_dhwcm": ("n d h w m z y x c", ["n d*S+z*D h*S+y*D w*S+x*D c", "z y x c m"], "n d h w c m"),
}
SIZES = {"n": 2, "g": 2, "f": 3, "c": 4, "m": 3, "d": 3, "h": 4, "w": 5, "z": 2, "y": 3, "x": 2, "k": 3}


def windows(name, stride, dilation):
    order, ins, out = CONVOLUTIONS.get(name) or POOLING[name]
    ins = [i.replace("S", str(stride)).replace("D", str(dilation)) for i in ins]
    dims = sum(any(k in e for k in "zyxk") for e in ins[0].split())
    vector = f"dense<%d> : tensor<{dims}xi64>"
    has = "S" in "".join((CONVOLUTIONS.get(name) or POOLING[name])[1])
    return ({key: SIZES[key] for key in order.split()}, ins, out,
            f"{{strides = {vector % stride}, dilations = {vector % dilation}}}" if has else "")


def convolution(name):
    m = Module()
    for stride, dilation in ((1, 1), (2, 1), (1, 2), (3, 2)):
        sizes, ins, out, attributes = windows(name, stride, dilation)
        shapes = [list(shape_of(sizes, i)) for i in ins]
        shapes[0] = [n + (i % 2 and stride > 1) for i, n in enumerate(shapes[0])] if stride == 2 else shapes[0]
        x, k = floats(*shapes[0]), floats(*shapes[1])
        if stride == 2:  # elements at the end that no window reaches, which only batches and channels must not have
            plain = [i for i, e in enumerate(ins[0].split()) if len(e) == 1]
            x = x[tuple(slice(0, shape_of(sizes, ins[0])[i]) if i in plain else slice(None) for i in range(x.ndim))]
        want = loops(sizes, ins, out, x, k)
        init = floats(*want.shape)
        y = named(m, f"linalg.{name}", [m.input(x), m.input(k)], m.input(init), attributes)
        m.result(y, want + init)
        y = named(m, f"linalg.{name}", [m.input(x), m.input(k)], filled(m, init), attributes)
        m.result(y, want)
    sizes, ins, out, attributes = windows(name, 1, 1)
    x, k = ints(-128, 128, *shape_of(sizes, ins[0]), dtype=np.int8), ints(-128, 128, *shape_of(sizes, ins[1]), dtype=np.int8)
    want = loops(sizes, ins, out, x, k).astype(np.int32)
    m.result(named(m, f"linalg.{name}", [m.input(x), m.input(k)], filled(m, want), attributes), want)
    m.check()


QUANTIZED = ["conv_2d_nhwc_hwcf", "conv_2d_nhwc_fhwc", "conv_2d_nchw_fchw", "conv_2d_ngchw_gfchw", "conv_2d_nhwgc_gfhwc",
             "conv_3d_ndhwc_dhwcf", "depthwise_conv_2d_nhwc_hwc", "depthwise_conv_2d_nhwc_hwcm"]


def quantized_convolutions():
    m = Module()
    zeros = [m.op(f"arith.constant {z} : i32", "i32") for z in (3, -7)]
    for name in QUANTIZED:
        sizes, ins, out, attributes = windows(name, 2, 1)
        x = ints(-128, 128, *shape_of(sizes, ins[0]), dtype=np.int8)
        k = ints(-128, 128, *shape_of(sizes, ins[1]), dtype=np.int8)
        want = loops(sizes, ins, out, x.astype(np.int32) - 3, k.astype(np.int32) + 7).astype(np.int32)
        m.result(named(m, f"linalg.{name}_q", [m.input(x), m.input(k), *zeros], filled(m, want), attributes), want)
    a, b = ints(-128, 128, 3, 5, 7, dtype=np.int8), ints(-128, 128, 3, 7, 4, dtype=np.int8)
    want = np.matmul(a.astype(np.int32) - 3, b.astype(np.int32) + 7)
    m.result(named(m, "linalg.quantized_batch_matmul", [m.input(a), m.input(b), *zeros], filled(m, want)), want)
    m.result(named(m, "linalg.quantized_matmul", [m.input(a[0]), m.input(b[0]), *zeros], filled(m, want[0])), want[0])
    m.check()


POOLING = {}
for layout, spatial in (("nchw", 2), ("ncw", 1), ("ndhwc", 3), ("nhwc", 2), ("nwc", 1)):
    letters, inner = ("d", "h", "w")[3 - spatial:], ("z", "y", "x")[3 - spatial:]
    windows_ = " ".join(f"{a}*S+{b}*D" for a, b in zip(letters, inner))
    last = layout.endswith("c") and layout != "nchw"
    for kind in ("max", "sum") + (("min",) if last else ()):
        POOLING[f"pooling_{layout}_{kind}"] = (
            " ".join(["n", *(letters if last else ["c"] + list(letters)), *(["c"] if last else []), *inner]),
            [f"n {windows_} c" if last else f"n c {windows_}", " ".join(inner)],
            " ".join(["n", *letters, "c"] if last else ["n", "c", *letters]))


def pooling():
    m = Module()
    for name in POOLING:
        for stride, dilation in ((1, 1), (2, 1), (1, 2)):
            sizes, ins, out, attributes = windows(name, stride, dilation)
            x = floats(*shape_of(sizes, ins[0]))
            kind = name.rsplit("_", 1)[1]
            reduce = {"max": np.max, "min": np.min, "sum": np.sum}[kind]
            want = loops(sizes, ins[:1], out, x, reduce=reduce)
            window = empty(m, np.zeros(shape_of(sizes, ins[1]), np.float32))
            first = {"max": -1e30, "min": 1e30, "sum": 0}[kind]
            y = named(m, f"linalg.{name}", [m.input(x), window], filled(m, want.astype(np.float32), first), attributes)
            m.result(y, want)
    for name in ("pooling_nhwc_max", "pooling_nhwc_min", "pooling_nwc_max", "pooling_nwc_min"):
        sizes, ins, out, attributes = windows(name, 2, 1)
        x = ints(0, 256, *shape_of(sizes, ins[0]), dtype=np.uint8)
        want = loops(sizes, ins[:1], out, x, reduce=np.max if "max" in name else np.min).astype(np.uint8).view(np.int8)
        window = empty(m, np.zeros(shape_of(sizes, ins[1]), np.int8))
        first = filled(m, want, 0 if "max" in name else -1)
        m.result(named(m, f"linalg.{name}_unsigned", [m.input(x.view(np.int8)), window], first, attributes), want)
    m.check()


PRODUCTS = {
    "matmul": ("m n k", ["m k", "k n"], "m n"), "batch_matmul": ("b m n k", ["b m k", "b k n"], "b m n"),
    "matvec": ("m k", ["m k", "k"], "m"), "vecmat": ("n k", ["k", "k n"], "n"), "dot": ("k", ["k", "k"], ""),
    "batch_matvec": ("b m k", ["b m k", "b k"], "b m"), "batch_vecmat": ("b n k", ["b k", "b k n"], "b n"),
    "batch_reduce_matmul": ("b m n k", ["b m k", "b k n"], "m n"),
    "mmt4d": ("m n k p q r", ["m k p r", "n k q r"], "m n p q"),
    "batch_mmt4d": ("b m n k p q r", ["b m k p r", "b n k q r"], "b m n p q"),
}


def maps(sizes, *texts):
    names = ", ".join(sizes)
    return ", ".join(f"affine_map<({names}) -> ({', '.join(t.split())})>".replace("~", " ") for t in texts)


def products():
    m = Module()
    all_sizes = {"b": 3, "m": 5, "n": 6, "k": 7, "p": 2, "q": 3, "r": 4}
    for name, (order, ins, out) in PRODUCTS.items():
        sizes = {key: all_sizes[key] for key in order.split()}
        for dtype in (np.float32, np.int32):
            x, y = [(floats(*shape_of(sizes, i)) * 3).astype(dtype) for i in ins]
            want = loops(sizes, ins, out, x, y)
            init = (floats(*want.shape) * 3).astype(dtype)
            m.result(named(m, f"linalg.{name}", [m.input(x), m.input(y)], m.input(init)), want + init)
    for a in ("m k", "k m"):  # every transposed form
        for b in ("k n", "n k"):
            sizes = {key: all_sizes[key] for key in "mnk"}
            x, y = floats(*shape_of(sizes, a)), floats(*shape_of(sizes, b))
            want = loops(sizes, [a, b], "m n", x, y)
            attributes = f"indexing_maps = [{maps(sizes, a, b, 'm n')}]"
            init = filled(m, want.astype(np.float32))
            m.result(named(m, "linalg.matmul", [m.input(x), m.input(y)], init, attributes), want)
            sizes, a3, b3 = {"b": 3, **sizes}, "b " + a, "b " + b
            x, y = floats(*shape_of(sizes, a3)), floats(*shape_of(sizes, b3))
            want = loops(sizes, [a3, b3], "b m n", x, y)
            attributes = f"indexing_maps = [{maps(sizes, a3, b3, 'b m n')}]"
            init = filled(m, want.astype(np.float32))
            m.result(named(m, "linalg.batch_matmul", [m.input(x), m.input(y)], init, attributes), want)
            attributes = f"indexing_maps = [{maps(sizes, a3, b3, 'b m n')}]"
            m.result(named(m, "linalg.contract", [m.input(x), m.input(y)], init, attributes), want)
    a, b = floats(5, 7, dtype=np.float16), floats(7, 6, dtype=np.float16)
    want = a.astype(np.float64) @ b
    m.result(named(m, "linalg.matmul", [m.input(a), m.input(b)], filled(m, want.astype(np.float32))), want)
    a, b = ints(-128, 128, 5, 7, dtype=np.int8), ints(-128, 128, 7, 6, dtype=np.int8)
    want = a.astype(np.int32) @ b.astype(np.int32)
    m.result(named(m, "linalg.matmul", [m.input(a), m.input(b)], filled(m, want)), want)
    want = a.view(np.uint8).astype(np.int32) @ b.view(np.uint8).astype(np.int32)
    out = filled(m, want)
    m.result(m.op(f"linalg.matmul {{cast = #linalg.type_fn<cast_unsigned>}} ins({m.input(a)}, {m.input(b)} : {type_of(a)}, "
                  f"{type_of(b)}) outs({out} : {out.type}) -> {out.type}", out.type), want)
    m.check()


#===-- Elements -----------------------------------------------------------------------------------------------------

erf = np.vectorize(math.erf)


def rounded_away(x):
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


def named_elementwise():
    m = Module()
    x, y, z = floats(3, 5), floats(3, 5), RANDOM.random((3, 5)).astype(np.float32) + 0.5
    i, j = ints(-50, 50, 3, 5), ints(1, 9, 3, 5)
    a, b, c, d, e = m.input(x), m.input(y), m.input(z), m.input(i), m.input(j)
    out, int_out = empty(m, x), empty(m, i)
    wide = [v.astype(np.float64) for v in (x, y, z)]
    for name, want in {"abs": np.abs, "ceil": np.ceil, "erf": erf, "exp": np.exp, "floor": np.floor, "negf": np.negative,
                       "round": rounded_away, "square": np.square, "tanh": np.tanh}.items():
        m.result(named(m, f"linalg.{name}", [a], out), want(wide[0]))
    for name, want in {"log": np.log, "reciprocal": np.reciprocal, "rsqrt": lambda v: v**-0.5, "sqrt": np.sqrt}.items():
        m.result(named(m, f"linalg.{name}", [c], out), want(wide[2]))
    for name, want in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum,
                       "min": np.minimum}.items():
        m.result(named(m, f"linalg.{name}", [a, b], out), want(wide[0], wide[1]))
        if name != "div":
            m.result(named(m, f"linalg.{name}", [d, e], int_out), want(i, j))
    m.result(named(m, "linalg.div", [d, e], int_out), np.trunc(i / j).astype(np.int32))
    m.result(named(m, "linalg.div_unsigned", [d, e], int_out), (i.view(np.uint32) // j.view(np.uint32)).view(np.int32))
    m.result(named(m, "linalg.powf", [c, b], out), wide[2]**wide[1])
    m.result(named(m, "linalg.copy", [a], out), x)
    condition = m.input(x > 0)
    m.result(named(m, "linalg.select", [condition, a, b], out), np.where(x > 0, x, y))
    kind = "kind=#linalg.elementwise_kind<%s>"
    m.result(named(m, "linalg.elementwise", [a], out, kind % "exp"), np.exp(wide[0]))
    sizes = {"i": 3, "j": 5}
    row = m.input(y[0])
    attributes = f"{kind % 'add'} indexing_maps = [{maps(sizes, 'i j', 'j', 'i j')}]"
    m.result(named(m, "linalg.elementwise", [a, row], out, attributes), wide[0] + wide[1][0])
    m.result(m.op(f"linalg.map {{ arith.subf }} ins({a}, {b} : {a.type}, {b.type}) outs({out} : {out.type})", out.type),
             wide[0] - wide[1])
    wide_out = empty(m, np.zeros((5, 4, 3), np.float32))
    turned = empty(m, np.zeros((5, 3), np.float32))
    t = m.op(f"linalg.transpose ins({a} : {a.type}) outs({turned} : {turned.type}) permutation = [1, 0]", turned.type)
    m.result(t, x.T)
    m.result(m.op(f"linalg.broadcast ins({t} : {t.type}) outs({wide_out} : {wide_out.type}) dimensions = [1]",
                  wide_out.type), np.broadcast_to(x.T[:, None], (5, 4, 3)))
    m.result(m.op(f"linalg.softmax dimension(1) ins({a} : {a.type}) outs({out} : {out.type}) -> {out.type}", out.type),
             np.exp(wide[0]) / np.exp(wide[0]).sum(1, keepdims=True))
    m.check()


def arithmetic():
    """Operations of arith and math, on whole tensors, and the same in the body of a generic."""
    for in_body in (False, True):
        m = Module()
        x, y, z = floats(4, 5) * 3, floats(4, 5), (RANDOM.random((4, 5)) + 0.25).astype(np.float32)
        x[0, :3] = [2.5, -0.5, np.nan]
        unit, above = (z - 0.75).astype(np.float32), (z + 1).astype(np.float32)
        i, j, s = ints(-100, 100, 4, 5), ints(1, 50, 4, 5), ints(0, 31, 4, 5)
        i[0, 0] = j[0, 0]
        p, q, t = x > 0, y > 0, np.abs(i % 4)
        values = {"x": x, "y": y, "z": z, "u": unit, "v": above, "i": i, "j": j, "s": s, "p": p, "q": q, "t": t}
        args = {key: m.input(value) for key, value in values.items()}
        w = {key: value.astype(np.float64) if value.dtype == np.float32 else value for key, value in values.items()}
        u32 = {key: w[key].view(np.uint32) for key in "ijs"}

        def case(text, operands, want, attributes=""):
            types = [args[o].type for o in operands]
            want = np.asarray(want)
            if not in_body:
                result = type_of(want)
                m.result(m.op(f'"{text}"({", ".join(args[o] for o in operands)}) {attributes} : ({", ".join(types)}) -> '
                              f'{result}', result), want)
                return
            elements = [t[:-1].rsplit("x", 1)[1] for t in types]
            element = type_of(want)[:-1].rsplit("x", 1)[1]
            out = empty(m, want)
            names = ", ".join(f"%e{k}: {t}" for k, t in enumerate(elements + [element]))
            inner = ", ".join(f"%e{k}" for k in range(len(operands)))
            map_ = "affine_map<(d0, d1) -> (d0, d1)>"
            m.result(m.op(
                f'linalg.generic {{indexing_maps = [{", ".join([map_] * (len(operands) + 1))}], '
                f'iterator_types = ["parallel", "parallel"]}} ins({", ".join(args[o] for o in operands)} : '
                f'{", ".join(types)}) outs({out} : {out.type}) {{ ^bb0({names}):\n'
                f'    %r = "{text}"({inner}) {attributes} : ({", ".join(elements)}) -> {element}\n'
                f"    linalg.yield %r : {element} }} -> {out.type}", out.type), want)

        with np.errstate(invalid="ignore"):
            for name, want in {"addf": w["x"] + w["y"], "subf": w["x"] - w["y"], "mulf": w["x"] * w["y"],
                               "divf": w["x"] / w["y"], "remf": np.fmod(w["x"], w["y"]),
                               "maximumf": np.maximum(w["x"], w["y"]), "minimumf": np.minimum(w["x"], w["y"]),
                               "maxnumf": np.fmax(w["x"], w["y"]), "minnumf": np.fmin(w["x"], w["y"])}.items():
                case(f"arith.{name}", "xy", want.astype(np.float32) if name != "divf" else (x / y))
            case("arith.negf", "x", -x)
            for name, want in {"addi": i + j, "subi": i - j, "muli": i * j, "andi": i & j, "ori": i | j, "xori": i ^ j,
                               "maxsi": np.maximum(i, j), "minsi": np.minimum(i, j),
                               "divsi": np.trunc(i / j), "remsi": np.fmod(i, j), "floordivsi": i // j,
                               "ceildivsi": -(-i // j), "maxui": np.maximum(u32["i"], u32["j"]),
                               "minui": np.minimum(u32["i"], u32["j"]), "divui": u32["i"] // u32["j"],
                               "remui": u32["i"] % u32["j"],
                               "ceildivui": -(-u32["i"].astype(np.int64) // u32["j"])}.items():
                case(f"arith.{name}", "ij", np.asarray(want).astype(np.uint32).view(np.int32)
                     if want.dtype == np.uint32 or "ui" in name else want.astype(np.int32))
            for name, want in {"shli": i << s, "shrsi": i >> s, "shrui": (u32["i"] >> u32["s"]).view(np.int32)}.items():
                case(f"arith.{name}", "is", want)
            for name, want in {"addi": p ^ q, "muli": p & q, "andi": p & q, "ori": p | q, "xori": p ^ q, "maxsi": p & q,
                               "maxui": p | q, "minsi": p | q, "minui": p & q}.items():
                case(f"arith.{name}", "pq", want)
            unordered = np.isnan(x)
            floats_ = [np.zeros_like(p), x == y, x > y, x >= y, x < y, x <= y, (x != y) & ~unordered, ~unordered,
                       (x == y) | unordered, (x > y) | unordered, (x >= y) | unordered, (x < y) | unordered,
                       (x <= y) | unordered, (x != y) | unordered, unordered, np.ones_like(p)]
            for k, want in enumerate(floats_):
                case("arith.cmpf", "xy", want, f"{{predicate = {k} : i64}}")
            a, b = u32["i"], u32["j"]
            for k, want in enumerate([i == j, i != j, i < j, i <= j, i > j, i >= j, a < b, a <= b, a > b, a >= b]):
                case("arith.cmpi", "ij", want, f"{{predicate = {k} : i64}}")
            case("arith.cmpi", "pq", p < q, "{predicate = 6 : i64}")
            case("arith.cmpi", "pq", p > q, "{predicate = 2 : i64}")
            case("arith.select", "pxy", np.where(p, x, y))
            case("arith.extf", "y", y.astype(np.float64))
            case("arith.truncf", "y", y.astype(np.float16))
            case("arith.extsi", "i", i.astype(np.int64))
            case("arith.extui", "i", u32["i"].astype(np.int64))
            case("arith.extsi", "p", -p.astype(np.int32))
            case("arith.extui", "p", p.astype(np.int32))
            case("arith.trunci", "i", i.astype(np.int8))
            case("arith.trunci", "i", (i & 1).astype(bool))
            case("arith.sitofp", "i", i.astype(np.float32))
            case("arith.uitofp", "i", a.astype(np.float32))
            case("arith.fptosi", "y", np.trunc(y).astype(np.int32))
            case("arith.fptoui", "v", np.trunc(above).astype(np.int32))
            case("arith.bitcast", "i", i.view(np.float32))
            for name, want in {"absf": np.abs, "ceil": np.ceil, "floor": np.floor, "round": rounded_away,
                               "roundeven": np.round, "trunc": np.trunc, "cbrt": np.cbrt, "isnan": np.isnan,
                               "isinf": np.isinf, "isfinite": np.isfinite}.items():
                case(f"math.{name}", "x", want(w["x"]) if name.startswith("is") else want(w["x"]).astype(np.float32))
            for name, want in {"atan": np.arctan, "cos": np.cos, "sin": np.sin, "tan": np.tan, "tanh": np.tanh,
                               "cosh": np.cosh, "sinh": np.sinh, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1,
                               "erf": erf, "erfc": np.vectorize(math.erfc), "asinh": np.arcsinh}.items():
                case(f"math.{name}", "y", want(w["y"]).astype(np.float32))
            for name, want in {"log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt,
                               "rsqrt": lambda v: v**-0.5}.items():
                case(f"math.{name}", "z", want(w["z"]).astype(np.float32))
            for name, want in {"acos": np.arccos, "asin": np.arcsin, "atanh": np.arctanh}.items():
                case(f"math.{name}", "u", want(w["u"]).astype(np.float32))
            case("math.acosh", "v", np.arccosh(w["v"]).astype(np.float32))
            case("math.atan2", "yz", np.arctan2(w["y"], w["z"]).astype(np.float32))
            case("math.copysign", "zy", np.copysign(z, y))
            case("math.powf", "zy", (w["z"]**w["y"]).astype(np.float32))
            case("math.fma", "yzu", (w["y"] * w["z"] + w["u"]).astype(np.float32))
            case("math.clampf", "yuz", np.minimum(np.maximum(y, unit), z))
            case("math.absi", "i", np.abs(i))
            case("math.ctpop", "i", np.vectorize(lambda v: bin(v & 0xffffffff).count("1"))(i).astype(np.int32))
            case("math.ctlz", "i", np.vectorize(lambda v: 32 - (int(v) & 0xffffffff).bit_length())(i).astype(np.int32))
            case("math.cttz", "j", np.vectorize(lambda v: (int(v) & -int(v)).bit_length() - 1)(j).astype(np.int32))
            case("math.ipowi", "jt", j**t)
            case("math.fpowi", "vt", (w["v"]**t).astype(np.float32))
        if not in_body:
            for name, operands, wants in (
                    ("arith.addui_extended", "ij", [i + j, (a.astype(np.int64) + b >= 2**32)]),
                    ("arith.mulsi_extended", "ij", [i * j, (i.astype(np.int64) * j >> 32).astype(np.int32)]),
                    ("arith.mului_extended", "ij", [i * j, (a.astype(np.uint64) * b >> 32).astype(np.uint32).view(np.int32)]),
                    ("math.sincos", "y", [np.sin(w["y"]).astype(np.float32), np.cos(w["y"]).astype(np.float32)])):
                types = ", ".join(args[o].type for o in operands)
                m.n += 1
                m.line(f'%v{m.n}:2 = "{name}"({", ".join(args[o] for o in operands)}) : ({types}) -> '
                       f"({type_of(wants[0])}, {type_of(wants[1])})")
                for k in range(2):
                    m.result(Value(f"%v{m.n}#{k}", type_of(wants[k])), wants[k])
        m.check()


#===-- Generics -----------------------------------------------------------------------------------------------------


def generic(m, sizes, ins, outs, operands, inits, body):
    """|body| uses %i0, ... and %o0, ...; its last line gives what is yielded."""
    out_names = set(" ".join(outs).split())
    kinds = ", ".join('"parallel"' if name in out_names else '"reduction"' for name in sizes)
    elements = [re.sub(r".*x|tensor<|>", "", v.type) for v in operands + inits]
    names = [f"%i{k}" for k in range(len(operands))] + [f"%o{k}" for k in range(len(inits))]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, elements))
    ins_text = f"ins({', '.join(operands)} : {', '.join(v.type for v in operands)}) " if operands else ""
    types = ", ".join(v.type for v in inits)
    m.n += 1
    m.line(f"%v{m.n}{':' + str(len(inits)) if len(inits) > 1 else ''} = linalg.generic {{indexing_maps = "
           f"[{maps(sizes, *ins, *outs)}], iterator_types = [{kinds}]}} {ins_text}outs({', '.join(inits)} : {types}) {{\n"
           f"  ^bb0({arguments}):\n    " + "\n    ".join(body) + f"\n  }} -> {types if len(inits) == 1 else f'({types})'}")
    return [Value(f"%v{m.n}" + (f"#{k}" if len(inits) > 1 else ""), v.type) for k, v in enumerate(inits)]


def generics():
    m = Module()
    x, y = floats(4, 6), floats(6)
    wide = x.astype(np.float64)
    a, b = m.input(x), m.input(y)
    sizes = {"i": 4, "j": 6}
    # a transposed result, a row and a scalar outside the body
    two = m.op("arith.constant 2.0 : f32", "f32")
    r, = generic(m, sizes, ["i j", "j"], ["j i"], [a, b], [empty(m, x.T)],
                 [f"%p = arith.mulf %i0, {two} : f32", "%r = arith.addf %p, %i1 : f32", "linalg.yield %r : f32"])
    m.result(r, (2 * wide + y).T)
    # what the result was is read
    r, = generic(m, sizes, ["j"], ["i j"], [b], [a], ["%r = arith.subf %o0, %i0 : f32", "linalg.yield %r : f32"])
    m.result(r, wide - y)
    # nothing is read
    r, = generic(m, sizes, [], ["i j"], [], [empty(m, np.zeros((4, 6), np.int64))],
                 ["%a = linalg.index 0 : index", "%b = linalg.index 1 : index", "%c = arith.muli %a, %b : index",
                  "%r = arith.index_cast %c : index to i64", "linalg.yield %r : i64"])
    m.result(r, np.arange(4)[:, None] * np.arange(6))
    # reductions with all combiners, from what there is
    for op, fn, element in (("arith.addf", np.add, "f32"), ("arith.mulf", np.multiply, "f32"),
                            ("arith.maximumf", np.maximum, "f32"), ("arith.minnumf", np.minimum, "f32"),
                            ("arith.addi", np.add, "i32"), ("arith.muli", np.multiply, "i32"),
                            ("arith.maxsi", np.maximum, "i32"), ("arith.minsi", np.minimum, "i32"),
                            ("arith.andi", np.bitwise_and, "i32"), ("arith.ori", np.bitwise_or, "i32"),
                            ("arith.xori", np.bitwise_xor, "i32"), ("arith.maxui", np.maximum, "ui"),
                            ("arith.minui", np.minimum, "ui"), ("arith.andi", np.logical_and, "i1"),
                            ("arith.ori", np.logical_or, "i1"), ("arith.maxui", np.logical_or, "i1")):
        value = x if element == "f32" else ints(-99, 99, 4, 6) if element != "i1" else x > 0.8
        for init in (None, value[:, 0] if element == "i1" else (value[:, 0] + (1 if element != "f32" else 0.5)).astype(value.dtype)):
            neutral = {"arith.addf": 0, "arith.mulf": 1, "arith.maximumf": -3e38, "arith.minnumf": 3e38, "arith.addi": 0,
                       "arith.muli": 1, "arith.maxsi": -2**31, "arith.minsi": 2**31 - 1, "arith.andi": -1, "arith.ori": 0,
                       "arith.xori": 0, "arith.maxui": 0, "arith.minui": -1}[op]
            if init is None and element == "i1":
                continue
            first = filled(m, value[:, 0], neutral) if init is None else m.input(init)
            kind = "i32" if element == "ui" else element
            as_type = (lambda v: v.view(np.uint32)) if element == "ui" else (lambda v: v.astype(np.float64)) if kind == "f32" else (lambda v: v)
            want = fn.reduce(as_type(value), axis=1)
            want = want if init is None else fn(want, as_type(init))
            want = want.view(np.int32) if element == "ui" else want.astype(value.dtype)
            r, = generic(m, sizes, ["i j"], ["i"], [m.input(value)], [first],
                         [f"%r = {op} %o0, %i0 : {kind}", f"linalg.yield %r : {kind}"])
            m.result(r, want)
            if element not in ("i1", "ui"):
                first = filled(m, value[:, 0], neutral) if init is None else m.input(init)
                m.result(m.op(f"linalg.reduce {{ {op} }} ins({m.input(value)} : {type_of(value)}) outs({first} : "
                              f"{first.type}) dimensions = [1]", first.type), want)
    # dims of size 1 that are kept, sums of squares, of what is computed, over all loops
    r, = generic(m, sizes, ["i j"], ["i 0"], [a], [filled(m, x[:, :1])],
                 ["%s = arith.mulf %i0, %i0 : f32", "%r = arith.addf %s, %o0 : f32", "linalg.yield %r : f32"])
    m.result(r, (wide**2).sum(1, keepdims=True))
    r, = generic(m, sizes, ["i j", "j"], [""], [a, b], [filled(m, np.float32(0))],
                 ["%s = arith.subf %i0, %i1 : f32", "%t = math.absf %s : f32", "%r = arith.addf %o0, %t : f32",
                  "linalg.yield %r : f32"])
    m.result(r, np.abs(wide - y).sum())
    # a sum of what does not depend on the loop
    r, = generic(m, sizes, ["i j", "i"], ["i"], [a, m.input(x[:, 0])], [filled(m, x[:, 0])],
                 ["%r = arith.addf %o0, %i1 : f32", "linalg.yield %r : f32"])
    m.result(r, 6 * wide[:, 0])
    # several results at once
    r = generic(m, sizes, ["i j"], ["i", "i"], [a], [filled(m, x[:, 0]), filled(m, x[:, 0], -3e38)],
                ["%s = arith.addf %i0, %o0 : f32", "%t = arith.maximumf %i0, %o1 : f32", "linalg.yield %s, %t : f32, f32"])
    m.result(r[0], wide.sum(1))
    m.result(r[1], wide.max(1))
    # places of extremes, as torch-mlir writes them
    for predicate, op, fn, first in (("ogt", "maximumf", np.argmax, -3e38), ("olt", "minimumf", np.argmin, 3e38)):
        r = generic(m, sizes, ["i j"], ["i", "i"], [a], [filled(m, x[:, 0], first), filled(m, np.zeros(4, np.int64))],
                    ["%k = linalg.index 1 : index", "%l = arith.index_cast %k : index to i64",
                     f"%s = arith.{op} %i0, %o0 : f32", f"%c = arith.cmpf {predicate}, %i0, %o0 : f32",
                     "%t = arith.select %c, %l, %o1 : i64", "linalg.yield %s, %t : f32, i64"])
        m.result(r[0], wide.max(1) if predicate == "ogt" else wide.min(1))
        m.result(r[1], fn(wide, 1))
    # and as tosa-to-linalg does: the place first, and NaNs stay
    r = generic(m, sizes, ["i j"], ["i", "i"], [a], [filled(m, np.zeros(4, np.int32)), filled(m, x[:, 0], -3e38)],
                ["%k = linalg.index 1 : index", "%l = arith.index_cast %k : index to i32",
                 "%c = arith.cmpf ugt, %i0, %o1 : f32", "%n = arith.cmpf ord, %o1, %o1 : f32", "%d = arith.andi %c, %n : i1",
                 "%s = arith.select %d, %i0, %o1 : f32", "%t = arith.select %d, %l, %o0 : i32", "linalg.yield %t, %s : i32, f32"])
    m.result(r[0], wide.argmax(1).astype(np.int32))
    m.result(r[1], wide.max(1))
    # of integers, the last of those that are equal
    whole = ints(-3, 3, 4, 6)
    r = generic(m, sizes, ["i j"], ["i", "i"], [m.input(whole)], [filled(m, whole[:, 0], -2**31), filled(m, np.zeros(4, np.int64))],
                ["%k = linalg.index 1 : index", "%l = arith.index_cast %k : index to i64", "%c = arith.cmpi sge, %i0, %o0 : i32",
                 "%s = arith.maxsi %i0, %o0 : i32", "%t = arith.select %c, %l, %o1 : i64", "linalg.yield %s, %t : i32, i64"])
    m.result(r[0], whole.max(1))
    m.result(r[1], 5 - whole[:, ::-1].argmax(1))
    # an extreme by comparison
    r, = generic(m, sizes, ["i j"], ["j"], [a], [filled(m, y, -3e38)],
                 ["%c = arith.cmpf ogt, %i0, %o0 : f32", "%r = arith.select %c, %i0, %o0 : f32", "linalg.yield %r : f32"])
    m.result(r, wide.max(0))
    # products of three, and of what is computed first
    p, q = floats(4, 3), floats(3, 6)
    sizes3 = {"i": 4, "j": 6, "k": 3}
    r, = generic(m, sizes3, ["i k", "k j", "k"], ["i j"], [m.input(p), m.input(q), m.input(p[0])], [filled(m, x)],
                 ["%s = arith.mulf %i0, %i1 : f32", "%t = arith.mulf %s, %i2 : f32", "%r = arith.addf %o0, %t : f32",
                  "linalg.yield %r : f32"])
    m.result(r, np.einsum("ik,kj,k->ij", p.astype(np.float64), q, p[0]))
    r, = generic(m, sizes3, ["i k", "k j"], ["j i"], [m.input(p), m.input(q)], [filled(m, x.T)],
                 ["%e = math.exp %i0 : f32", "%s = arith.mulf %e, %i1 : f32", "%r = arith.addf %o0, %s : f32",
                  "linalg.yield %r : f32"])
    m.result(r, (np.exp(p.astype(np.float64)) @ q).T)
    # a diagonal, reversed, every second, a constant place, two dims that share a loop
    square = floats(4, 4)
    one = {"i": 4}
    r, = generic(m, one, ["i i"], ["i"], [m.input(square)], [empty(m, square[0])], ["linalg.yield %i0 : f32"])
    m.result(r, np.diagonal(square))
    r, = generic(m, one, ["i 2"], ["i"], [m.input(square)], [empty(m, square[0])], ["linalg.yield %i0 : f32"])
    m.result(r, square[:, 2])
    r, = generic(m, {"i": 3}, ["i*2+1", "5-i"], ["i"], [b, b], [empty(m, y[:3])],
                 ["%r = arith.subf %i0, %i1 : f32", "linalg.yield %r : f32"])
    m.result(r, y[1::2] - y[5:2:-1])
    r, = generic(m, {"i": 12}, ["i~floordiv~3", "i~mod~4"], ["i"], [m.input(square[0]), m.input(square[1])],
                 [empty(m, np.zeros(12, np.float32))], ["%r = arith.addf %i0, %i1 : f32", "linalg.yield %r : f32"])
    m.result(r, square[0][np.arange(12) // 3] + square[1][np.arange(12) % 4])
    # rows and elements of a table
    table, index = floats(9, 5), ints(0, 9, 3, 2, dtype=np.int64)
    t = m.input(table)
    r, = generic(m, {"i": 3, "j": 2, "k": 5}, ["i j"], ["i j k"], [m.input(index)],
                 [empty(m, np.zeros((3, 2, 5), np.float32))],
                 ["%n = arith.index_cast %i0 : i64 to index", "%k = linalg.index 2 : index",
                  f"%r = tensor.extract {t}[%n, %k] : {t.type}", "linalg.yield %r : f32"])
    m.result(r, table[index])
    r, = generic(m, {"i": 3, "j": 2}, ["i j"], ["i j"], [m.input(index)], [empty(m, np.zeros((3, 2), np.float32))],
                 ["%n = arith.index_cast %i0 : i64 to index", "%k = linalg.index 0 : index",
                  f"%r = tensor.extract {t}[%n, %k] : {t.type}", "linalg.yield %r : f32"])
    m.result(r, table[index, np.arange(3)[:, None]])
    # an extreme with a number, as ReLU is written: of a NaN it is one
    nan = x.copy()
    nan[0, 0] = np.nan
    for predicate, want in (("ugt", np.maximum(nan, 0)), ("ogt", np.where(nan > 0, nan, 0)), ("ult", np.minimum(nan, 0)),
                            ("oge", np.where(nan >= 0, nan, 0)), ("ule", np.minimum(nan, 0))):
        r, = generic(m, sizes, ["i j"], ["i j"], [m.input(nan)], [empty(m, x)],
                     ["%z = arith.constant 0.0 : f32", f"%c = arith.cmpf {predicate}, %i0, %z : f32",
                      "%r = arith.select %c, %i0, %z : f32", "linalg.yield %r : f32"])
        m.result(r, want)
    # a branch in a body
    r, = generic(m, sizes, ["i j"], ["i j"], [a], [empty(m, x)],
                 ["%z = arith.constant 0.0 : f32", "%c = arith.cmpf ogt, %i0, %z : f32",
                  "%r = scf.if %c -> f32 { %e = math.exp %i0 : f32 scf.yield %e : f32 } else { scf.yield %z : f32 }",
                  "linalg.yield %r : f32"])
    m.result(r, np.where(x > 0, np.exp(wide), 0))
    m.check()


def random_generics():
    """Contractions with random maps of two operands, and reductions."""
    m = Module()
    for _ in range(24):
        names = list("ijklm")[:RANDOM.integers(2, 6)]
        sizes = {n: int(RANDOM.integers(1, 6)) for n in names}
        subsets = [[n for n in names if RANDOM.random() < 0.7] for _ in range(2)]
        subsets[0] += [n for n in names if n not in subsets[0] + subsets[1]]
        out = [n for n in names if RANDOM.random() < 0.5]
        ins = [" ".join(RANDOM.permutation(s)) for s in subsets]
        out = " ".join(RANDOM.permutation(out)) if out else ""
        x, y = [floats(*shape_of(sizes, i)) for i in ins]
        want = loops(sizes, ins, out, x, y)
        if want.ndim == 0:
            want = np.asarray(want)
        r, = generic(m, sizes, ins, [out], [m.input(x), m.input(y)], [filled(m, want.astype(np.float32))],
                     ["%s = arith.mulf %i0, %i1 : f32", "%r = arith.addf %o0, %s : f32", "linalg.yield %r : f32"])
        m.result(r, want)
    m.check()


#===-- Tensors ------------------------------------------------------------------------------------------------------


def movement():
    m = Module()
    x, y = floats(4, 6), floats(2, 6)
    a, b = m.input(x), m.input(y)
    one, two = m.op("arith.constant 1 : index", "index"), m.op("arith.constant 2 : index", "index")
    n = m.input(np.int64(1))
    at = m.op(f"tensor.extract {n}[] : tensor<i64>", "i64")
    at = m.op(f"arith.index_cast {at} : i64 to index", "index")
    row = "tensor<6xf32>"
    m.result(m.op(f"tensor.extract_slice {a}[1, 0] [2, 6] [1, 1] : {a.type} to tensor<2x6xf32>", "tensor<2x6xf32>"), x[1:3])
    m.result(m.op(f"tensor.extract_slice {a}[0, 1] [2, 3] [2, 2] : {a.type} to tensor<2x3xf32>", "tensor<2x3xf32>"), x[::2, 1::2])
    m.result(m.op(f"tensor.extract_slice {a}[2, 0] [1, 6] [1, 1] : {a.type} to {row}", row), x[2])
    m.result(m.op(f"tensor.extract_slice {a}[{at}, 0] [1, 6] [1, 1] : {a.type} to {row}", row), x[1])
    put = x.copy()
    put[1:3] = y
    m.result(m.op(f"tensor.insert_slice {b} into {a}[1, 0] [2, 6] [1, 1] : {b.type} into {a.type}", a.type), put)
    m.result(m.op(f"tensor.insert_slice {b} into {a}[{at}, 0] [2, 6] [1, 1] : {b.type} into {a.type}", a.type), put)
    put = x.copy()
    put[::2, 1:5] = y[:, :4]
    part = m.op(f"tensor.extract_slice {b}[0, 0] [2, 4] [1, 1] : {b.type} to tensor<2x4xf32>", "tensor<2x4xf32>")
    m.result(m.op(f"tensor.insert_slice {part} into {a}[0, 1] [2, 4] [2, 1] : {part.type} into {a.type}", a.type), put)
    put = x.copy()
    put[3] = y[0]
    r = m.op(f"tensor.extract_slice {b}[0, 0] [1, 6] [1, 1] : {b.type} to {row}", row)
    m.result(m.op(f"tensor.insert_slice {r} into {a}[3, 0] [1, 6] [1, 1] : {row} into {a.type}", a.type), put)
    joined = m.op("tensor.empty() : tensor<6x6xf32>", "tensor<6x6xf32>")
    joined = m.op(f"tensor.insert_slice {a} into {joined}[0, 0] [4, 6] [1, 1] : {a.type} into {joined.type}", joined.type)
    m.result(m.op(f"tensor.insert_slice {b} into {joined}[4, 0] [2, 6] [1, 1] : {b.type} into {joined.type}", joined.type),
             np.concatenate([x, y]))
    m.result(m.op(f"tensor.concat dim(0) {a}, {b} : ({a.type}, {b.type}) -> tensor<6x6xf32>", "tensor<6x6xf32>"),
             np.concatenate([x, y]))
    m.result(m.op(f"tensor.expand_shape {a} [[0, 1], [2]] output_shape [2, 2, 6] : {a.type} into tensor<2x2x6xf32>",
                  "tensor<2x2x6xf32>"), x.reshape(2, 2, 6))
    m.result(m.op(f"tensor.collapse_shape {a} [[0, 1]] : {a.type} into tensor<24xf32>", "tensor<24xf32>"), x.reshape(-1))
    shape = m.constant(np.array([3, 8], np.int64))
    m.result(m.op(f"tensor.reshape {a}({shape}) : ({a.type}, tensor<2xi64>) -> tensor<3x8xf32>", "tensor<3x8xf32>"), x.reshape(3, 8))
    value = m.op("arith.constant 2.5 : f32", "f32")
    m.result(m.op(f"tensor.pad {a} low[1, 0] high[0, 2] {{ ^bb0(%p: index, %q: index): tensor.yield {value} : f32 }} : "
                  f"{a.type} to tensor<5x8xf32>", "tensor<5x8xf32>"), np.pad(x, ((1, 0), (0, 2)), constant_values=2.5))
    m.result(m.op(f"tensor.splat {value} : tensor<2x3xf32>", "tensor<2x3xf32>"), np.full((2, 3), 2.5))
    e = m.op(f"tensor.extract {a}[{at}, {two}] : {a.type}", "f32")
    m.result(m.op(f"tensor.from_elements {e}, {value} : tensor<2xf32>", "tensor<2xf32>"), np.array([x[1, 2], 2.5]))
    put = x.copy()
    put[1, 2] = 2.5
    m.result(m.op(f"tensor.insert {value} into {a}[{at}, {two}] : {a.type}", a.type), put)
    g = m.op(f"tensor.generate {{ ^bb0(%p: index, %q: index): %s = arith.addi %p, %q : index "
             f"%t = arith.index_cast %s : index to i32 tensor.yield %t : i32 }} : tensor<3x4xi32>", "tensor<3x4xi32>")
    m.result(g, np.arange(3)[:, None] + np.arange(4))
    m.result(m.op(f"tensor.bitcast {g} : tensor<3x4xi32> to tensor<3x4xui32>", "tensor<3x4xui32>"), np.arange(3)[:, None] + np.arange(4))
    d = m.op(f"tensor.dim {a}, {one} : {a.type}", "index")
    k = m.op(f"tensor.rank {a} : {a.type}", "index")
    d = m.op(f"affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 ceildiv 4)>({d})[{d}]", "index")
    d = m.op(f"affine.max affine_map<(d0) -> (d0, 7)>({d})", "index")
    m.result(m.op(f"tensor.from_elements {d}, {k} : tensor<2xindex>", "tensor<2xindex>"), np.array([20, 2]))
    m.check()


def control():
    m = Module()
    x = floats(4)
    a, flag, n = m.input(x), m.input(np.bool_(True)), m.input(np.int64(5))
    c = m.op(f"tensor.extract {flag}[] : tensor<i1>", "i1")
    m.result(m.op(f"scf.if {c} -> ({a.type}) {{ %p = math.exp {a} : {a.type} scf.yield %p : {a.type} }} else "
                  f"{{ scf.yield {a} : {a.type} }}", a.type), np.exp(x.astype(np.float64)))
    zero, one, two, nine = [m.op(f"arith.constant {k} : index", "index") for k in (0, 1, 2, 9)]
    m.result(m.op(f"scf.for %k = {one} to {nine} step {two} iter_args(%s = {a}) -> ({a.type}) {{ "
                  f"%i = arith.index_cast %k : index to i32 %f = arith.sitofp %i : i32 to f32 "
                  f"%t = tensor.splat %f : {a.type} %u = arith.addf %s, %t : {a.type} scf.yield %u : {a.type} }}", a.type),
             x + np.float64(1 + 3 + 5 + 7))
    limit = m.op(f"tensor.extract {n}[] : tensor<i64>", "i64")
    start = m.op("arith.constant 0 : i64", "i64")
    m.n += 1
    m.line(f"%v{m.n}:2 = scf.while (%i = {start}, %s = {a}) : (i64, {a.type}) -> (i64, {a.type}) {{ "
           f"%c = arith.cmpi slt, %i, {limit} : i64 scf.condition(%c) %i, %s : i64, {a.type} }} do {{ "
           f"^bb0(%i: i64, %s: {a.type}): %o = arith.constant 1 : i64 %j = arith.addi %i, %o : i64 "
           f"%t = arith.addf %s, {a} : {a.type} scf.yield %j, %t : i64, {a.type} }}")
    m.result(Value(f"%v{m.n}#1", a.type), 6 * x.astype(np.float64))
    m.top.append(f"func.func private @twice(%x: {a.type}) -> {a.type} {{ %y = arith.addf %x, %x : {a.type} return %y : {a.type} }}")
    m.result(m.op(f"func.call @twice({a}) : ({a.type}) -> {a.type}", a.type), 2 * x.astype(np.float64))
    m.check()


def open_sizes():
    """'?' in types: a batch and a length that vary."""
    m = Module()

    def data(n, s):
        x, w, b = floats(n, s, 8), floats(8, 5), floats(5)
        y = x.astype(np.float64).reshape(-1, 8) @ w + b
        e = np.exp(y - y.max(1, keepdims=True))
        return [x, w, b], [(e / e.sum(1, keepdims=True)).reshape(n, s, 5), x.transpose(1, 0, 2)]

    inputs, wanted = data(2, 3)
    x, w, b = m.input(inputs[0], {0, 1}), m.input(inputs[1]), m.input(inputs[2])
    c0, c1 = m.op("arith.constant 0 : index", "index"), m.op("arith.constant 1 : index", "index")
    zero, low = m.op("arith.constant 0.0 : f32", "f32"), m.op("arith.constant 0xFF800000 : f32", "f32")
    n, s = m.op(f"tensor.dim {x}, {c0} : {x.type}", "index"), m.op(f"tensor.dim {x}, {c1} : {x.type}", "index")
    flat = m.op(f"tensor.collapse_shape {x} [[0, 1], [2]] : {x.type} into tensor<?x8xf32>", "tensor<?x8xf32>")
    rows = m.op(f"arith.maxui {n}, {n} : index", "index")  # as torch-mlir writes the size of a batch
    rows = m.op(f"arith.muli {rows}, {s} : index", "index")
    t, r = "tensor<?x5xf32>", "tensor<?xf32>"
    out, row = m.op(f"tensor.empty({rows}) : {t}", t), m.op(f"tensor.empty({rows}) : {r}", r)
    y = named(m, "linalg.matmul", [flat, w], named(m, "linalg.fill", [Value(zero, "f32")], out))
    sizes = {"i": 0, "j": 0}
    y, = generic(m, sizes, ["i j", "j"], ["i j"], [y, b], [out], ["%r = arith.addf %i0, %i1 : f32", "linalg.yield %r : f32"])
    top, = generic(m, sizes, ["i j"], ["i"], [y], [named(m, "linalg.fill", [Value(low, "f32")], row)],
                   ["%r = arith.maximumf %i0, %o0 : f32", "linalg.yield %r : f32"])
    e, = generic(m, sizes, ["i j", "i"], ["i j"], [y, top], [out],
                 ["%d = arith.subf %i0, %i1 : f32", "%r = math.exp %d : f32", "linalg.yield %r : f32"])
    total, = generic(m, sizes, ["i j"], ["i"], [e], [named(m, "linalg.fill", [Value(zero, "f32")], row)],
                     ["%r = arith.addf %i0, %o0 : f32", "linalg.yield %r : f32"])
    p, = generic(m, sizes, ["i j", "i"], ["i j"], [e, total], [out],
                 ["%r = arith.divf %i0, %i1 : f32", "linalg.yield %r : f32"])
    m.result(m.op(f"tensor.expand_shape {p} [[0, 1], [2]] output_shape [{n}, {s}, 5] : {t} into tensor<?x?x5xf32>",
                  "tensor<?x?x5xf32>"), wanted[0])
    turned = m.op(f"tensor.empty({s}, {n}) : tensor<?x?x8xf32>", "tensor<?x?x8xf32>")
    m.result(m.op(f"linalg.transpose ins({x} : {x.type}) outs({turned} : {turned.type}) permutation = [1, 0, 2]", turned.type),
             wanted[1])
    m.check(others=[data(n, s) for n, s in ((1, 1), (5, 7), (3, 2))])


def exported():
    """An ONNX model as IREE's compiler writes it (make.py), against ONNX Runtime."""
    folder = os.path.join(strata.SOURCE, "test", "linalg", "Inputs")
    data = np.load(f"{folder}/iree.npz")
    with tempfile.TemporaryDirectory() as out:
        path, _ = strata.compile_library(f"{folder}/iree.mlir", out)
        library = strata.Library(path)
        results = library.run([data["in0"], data["in1"]])
        assert len(results) == 6
        for i, got in enumerate(results):
            assert not problem(got, data[f"out{i}"]), f"result {i}: {problem(got, data[f'out{i}'])}"
        library.close()


#===-- Errors -------------------------------------------------------------------------------------------------------


def every_operation_has_a_line():
    refused("""func.func @main(%x: tensor<4x4xf32>, %i: tensor<4x1xindex>) -> tensor<4x4xf32> {
  %p = tensor.empty() : tensor<2x2x2x2xf32>
  %a = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %p : tensor<4x4xf32> -> tensor<2x2x2x2xf32>
  %u = linalg.unpack %a inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %x : tensor<2x2x2x2xf32> -> tensor<4x4xf32>
  %g = tensor.gather %u[%i] gather_dims([0]) : (tensor<4x4xf32>, tensor<4x1xindex>) -> tensor<4x1x4xf32>
  %r = tensor.collapse_shape %g [[0, 1], [2]] : tensor<4x1x4xf32> into tensor<4x4xf32>
  %n = math.isnormal %r : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
""", "(node line 3): linalg.pack is not supported: layouts of tiles", "(node line 4): linalg.unpack", "(node line 5): tensor.gather",
            "(node line 7): math.isnormal")


def bodies_must_be_known():
    refused("""#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<4x4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.divf %b, %a : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
""", "(node line 4): linalg.generic is not supported: a body whose result 0 is neither")


def buffers_are_refused():
    refused("""func.func @main(%x: tensor<4xf32>, %o: memref<4xf32>) -> tensor<4xf32> {
  %r = arith.addf %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
""", "m.mlir: input 'arg1': expected a tensor of numbers")


def main():
    others = (quantized_convolutions, pooling, products, named_elementwise, arithmetic, generics, random_generics, movement,
              control, open_sizes, exported, every_operation_has_a_line, bodies_must_be_known, buffers_are_refused)
    wanted = sys.argv[1:]
    cases = [(name, lambda name=name: convolution(name)) for name in CONVOLUTIONS]
    cases += [(run.__name__, run) for run in others]
    strata.report([case for case in cases if not wanted or case[0] in wanted])


if __name__ == "__main__":
    main()
