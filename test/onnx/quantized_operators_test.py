"""com.microsoft's operators on quantised values, against formulas in f64."""
import os
import tempfile

import numpy as np

import onnx_file
import strata
from operator_cases import Case, check, refuses

RNG = np.random.default_rng(int(os.environ.get("STRATA_SEED", 3001)))


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def numbers(dtype, *shape):
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max + 1, shape).astype(dtype)


def scale(value):
    return np.array(value, np.float32)


def real(x, factor, zero):
    return (x.astype(np.float64) - float(zero)) * np.float64(factor)


def quantized(x, factor, zero):
    info = np.iinfo(zero.dtype)
    return np.clip(np.rint(x / np.float64(factor)) + float(zero), info.min, info.max).astype(zero.dtype)


def windows(x, kernel, strides, pads, include_pad):
    """Means of windows of [N, C, H, W]."""
    padded = np.pad(x, [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    ones = np.ones(x.shape) if not include_pad else None
    counts = np.pad(ones, [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])]) if not include_pad else \
        np.ones(padded.shape)
    views = [np.lib.stride_tricks.sliding_window_view(v, kernel, (2, 3))[:, :, ::strides[0], ::strides[1]].sum((-1, -2))
             for v in (padded, counts)]
    return views[0] / views[1]


def linear(dtype):
    z = lambda value: np.array(value - (128 if dtype == np.int8 else 0), dtype)
    x, y, column = numbers(dtype, 3, 5, 7), numbers(dtype, 3, 5, 7), numbers(dtype, 5, 1)
    a, b, c = scale(0.0313), scale(0.0717), scale(0.0519)  # no ratio that gives ties
    fixed = range(1, 3)
    case = lambda op, inputs, want, **more: Case(f"{op} {np.dtype(dtype).name}", op, inputs, [want], units=1, **more)
    rx, ry = real(x, a, z(120)), real(y, b, z(30))
    yield case("QLinearAdd", [x, a, z(120), y, b, z(30), c, z(100)], quantized(rx + ry, c, z(100)),
               fixed=(1, 2, 4, 5, 6, 7))
    yield case("QLinearAdd", [x, a, z(120), column, b, z(30), c, z(100)],
               quantized(rx + real(column, b, z(30)), c, z(100)))
    yield case("QLinearMul", [x, a, z(120), y, b, z(30), scale(0.517), z(100)], quantized(rx * ry, 0.517, z(100)), fixed=fixed)
    yield case("QLinearSigmoid", [x, a, z(120), scale(1 / 256), z(0)], quantized(1 / (1 + np.exp(-rx)), 1 / 256, z(0)),
               fixed=(1, 2, 3, 4))
    yield case("QLinearLeakyRelu", [x, a, z(120), a, z(100)], quantized(np.where(rx < 0, 0.3 * rx, rx), a, z(100)),
               alpha=0.3)
    shares = np.exp(rx - rx.max(-1, keepdims=True))
    yield case("QLinearSoftmax", [x, a, z(120), scale(1 / 256), z(0)],
               quantized(shares / shares.sum(-1, keepdims=True), 1 / 256, z(0)), axis=-1, opset=13)
    yield case("QLinearReduceMean", [x, a, z(120), scale(0.0217), z(10)], quantized(rx.mean((0, 2)), 0.0217, z(10)),
               axes=[0, 2], keepdims=0)
    flags = RNG.integers(0, 2, (5, 7)).astype(bool)
    yield case("QLinearWhere", [flags, x, a, z(120), y, b, z(30), c, z(50)],
               quantized(np.where(flags, rx, ry), c, z(50)))
    yield case("QLinearConcat", [c, z(100), x, a, z(120), column[None].repeat(3, 0), b, z(30)],
               quantized(np.concatenate([rx, real(column[None].repeat(3, 0), b, z(30))], 2), c, z(100)), axis=2,
               fixed=(0, 1))
    image = numbers(dtype, 2, 3, 9, 8)
    ri = real(image, a, z(120))
    yield case("QLinearGlobalAveragePool", [image, a, z(120), scale(0.0117), z(100)],
               quantized(ri.mean((2, 3), keepdims=True), 0.0117, z(100)))
    last = np.ascontiguousarray(image.transpose(0, 2, 3, 1))
    yield case("QLinearGlobalAveragePool", [last, a, z(120), scale(0.0117), z(100)],
               quantized(ri.mean((2, 3), keepdims=True).transpose(0, 2, 3, 1), 0.0117, z(100)), channels_last=1)
    yield case("QLinearAveragePool", [image, a, z(120), scale(0.0217), z(100)],
               quantized(windows(ri, (3, 2), (2, 1), (1, 1, 0, 1), False), 0.0217, z(100)), kernel_shape=[3, 2],
               strides=[2, 1], pads=[1, 1, 0, 1])
    yield case("QLinearAveragePool", [last, a, z(120), scale(0.0217), z(100)],
               quantized(windows(ri, (3, 2), (1, 1), (1, 0, 1, 1), True).transpose(0, 2, 3, 1), 0.0217, z(100)),
               kernel_shape=[3, 2], pads=[1, 0, 1, 1], channels_last=1, count_include_pad=1)


def products(dtype):
    name = np.dtype(dtype).name
    z = lambda value: np.array(value - (128 if dtype == np.int8 else 0), dtype)
    x, a, out = numbers(dtype, 6, 7), scale(0.05), scale(0.5)
    for transposed in (0, 1):
        for columns in (False, True):
            w = numbers(np.int8, 5, 7) if transposed else numbers(np.int8, 7, 5)
            b = np.abs(floats(5)) / 10 if columns else scale(0.02)
            zero = np.zeros(5, np.int8) if columns else np.array(3, np.int8)
            more = RNG.integers(-500, 500, 5).astype(np.int32)
            sums = (x.astype(np.int64) - z(120)) @ ((w.T if transposed else w).astype(np.int64) - zero) + more
            want = sums * (1.5 * np.float64(a) * b)
            inputs = [x, a, z(120), w, b, zero, more]
            Each = lambda *more, **kind: Case(f"QGemm {name} {transposed} {columns}", "QGemm", *more, transB=transposed,
                                              alpha=1.5, fixed=(1, 2, 3, 4, 5), **kind)
            yield Each(inputs, [want.astype(np.float32)])
            yield Each(inputs + [out, z(100)], [quantized(want, out, z(100))], units=1)
    rows, w, b = numbers(dtype, 2, 6, 16), numbers(np.int8, 16, 5), np.abs(floats(5)) / 10
    bias = floats(5)
    want = real(rows, a, z(120)) @ (w * np.float64(b))
    yield Case(f"MatMulIntegerToFloat {name}", "MatMulIntegerToFloat", [rows, w, a, b, z(120), None, bias],
               [(want + bias).astype(np.float32)], fixed=(1, 3))


def dynamic():
    for zero, bias in ((np.array(3, np.int8), None), (None, floats(5)), (numbers(np.int8, 5), floats(5))):
        x, w, b = floats(2, 6, 16), numbers(np.int8, 16, 5), np.abs(floats(5)) / 10
        least, greatest = min(0, x.min()), max(0, x.max())
        factor = np.float32((greatest - least) / np.float32(255))
        at = np.rint(np.clip(-least / factor, 0, 255))
        codes = np.clip(np.rint(x / factor) + at, 0, 255) - at
        want = codes @ (w - (0.0 if zero is None else zero.astype(np.float64))) * factor * b
        # A code that rounds to either side changes a result by a unit of the row times a weight.
        yield Case("DynamicQuantizeMatMul", "DynamicQuantizeMatMul", [x, w, b, zero, bias],
                   [(want + (0 if bias is None else bias)).astype(np.float32)], fixed=(1, 2, 3), tolerance=5e-3)


def attention():
    heads, hidden = 4, 16
    split = lambda x: x.reshape(2, 5, heads, -1).swapaxes(1, 2)
    for columns in (False, True):
        x, w, bias = numbers(np.uint8, 2, 5, 10), numbers(np.int8, 10, 3 * hidden), floats(3 * hidden)
        b = (np.abs(floats(3 * hidden)) / 50) if columns else scale(0.01)
        past = floats(2, 2, heads, 3, hidden // heads)
        all_parts = real(x, 0.02, 120) @ (w.astype(np.float64) - 2) * b + bias
        q, k, v = (split(part) for part in np.split(all_parts, 3, -1))
        keys, values = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
        scores = q @ keys.swapaxes(2, 3) / np.sqrt(hidden // heads)
        scores += np.where(np.arange(8) <= np.arange(5)[:, None] + 3, 0, -10000)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        y = (shares / shares.sum(-1, keepdims=True)) @ values
        yield Case("QAttention", "QAttention",
                   [x, w, bias, scale(0.02), b, None, np.array(120, np.uint8), np.array(2, np.int8), past],
                   [y.swapaxes(1, 2).reshape(2, 5, hidden).astype(np.float32),
                    np.stack([keys, values]).astype(np.float32)], fixed=(1, 2, 3, 4, 6, 7), tolerance=2e-5,
                   num_heads=heads, unidirectional=1)


def packed(x, bits):
    per = 8 // bits
    x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -x.shape[-1] % per)]).reshape(*x.shape[:-1], -1, per)
    return sum(x[..., i].astype(np.uint8) << np.uint8(bits * i) for i in range(per)).astype(np.uint8)


def blocks():
    places = np.array([[0, 3, 8], [-1, 2, 40]], np.int64)
    inside = np.where(places < 9, places, 0)
    for bits in (8, 4, 2):
        for has_zeros in (False, True):
            codes, scales = RNG.integers(0, 1 << bits, (9, 40)).astype(np.uint8), floats(9, 3)
            zeros = RNG.integers(0, 1 << bits, (9, 3)).astype(np.uint8)
            zero = zeros.repeat(16, 1)[:, :40] if has_zeros else 1 << (bits - 1)
            table = (codes.astype(np.float64) - zero) * scales.repeat(16, 1)[:, :40]
            want = np.where((places < 9)[..., None], table[inside], 0).astype(np.float32)
            yield Case(f"GatherBlockQuantized {bits} {has_zeros}", "GatherBlockQuantized",
                       [packed(codes, bits), places, scales, packed(zeros, bits) if has_zeros else None], [want],
                       fixed=(0, 2, 3), bits=bits, block_size=16)


def wide_and_fused():
    for dtype in (np.int16, np.uint16):
        codes, factors, zeros = numbers(dtype, 3, 4), np.abs(floats(4)), RNG.integers(0, 300, 4).astype(dtype)
        yield Case("DequantizeLinear", "DequantizeLinear", [codes, factors, zeros],
                   [((codes.astype(np.float64) - zeros) * factors).astype(np.float32)], axis=1, tolerance=1e-6)
        x = 100 * floats(3, 4)
        factors = np.abs(floats(4)) / 100 + np.float32(0.001)
        info = np.iinfo(dtype)
        want = np.clip(np.rint(x / factors) + zeros, info.min, info.max).astype(dtype)
        yield Case("QuantizeLinear", "QuantizeLinear", [x, factors, zeros], [want], axis=1, units=1)
    x, w, b, more = floats(2, 4, 5), floats(6, 4, 1), floats(6), floats(2, 6, 5)
    plain = np.einsum("nct,fc->nft", x.astype(np.float64), w[..., 0]) + b[:, None]
    for name, values, f in (("Relu", None, lambda v: np.maximum(v, 0)), ("Tanh", None, np.tanh),
                            ("LeakyRelu", [0.2], lambda v: np.where(v < 0, 0.2 * v, v)),
                            ("Clip", [-0.3, 0.4], lambda v: np.clip(v, -0.3, 0.4)),
                            ("HardSigmoid", [0.3, 0.4], lambda v: np.clip(0.3 * v + 0.4, 0, 1))):
        given = {"activation_params": values} if values else {}
        yield Case(f"FusedConv {name}", "FusedConv", [x, w, b], [f(plain).astype(np.float32)], fixed=(1, 2), activation=name,
                   **given)
    yield Case("FusedConv sum", "FusedConv", [x, w, b, more], [np.maximum(plain + more, 0).astype(np.float32)],
               fixed=(1, 2), activation="Relu")
    a, c = floats(4, 9), floats(9, 5)
    product = 0.5 * (a.astype(np.float64) @ c)
    yield Case("FusedGemm", "FusedGemm", [a, c], [np.where(product < 0, 0.3 * product, product).astype(np.float32)],
               activation="LeakyRelu", activation_alpha=0.3, alpha=0.5)


def check_four_bit_floats():
    """Initializers of float4e2m1, whose values a table gives, dequantised in blocks."""
    values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    codes, factors = RNG.integers(0, 16, (5, 8)), floats(5, 2)
    codes[0] = np.arange(8)
    codes[1] = np.arange(8, 16)
    flat = codes.ravel().astype(np.uint8)
    raw = (flat[0::2] | flat[1::2] << 4).tobytes()
    graph = onnx_file.Graph(23)
    graph.parts.append(onnx_file.data(5, onnx_file.number(1, 5) + onnx_file.number(1, 8) + onnx_file.number(2, 23) +
                                      onnx_file.data(8, "w") + onnx_file.data(9, raw)))
    graph.node("DequantizeLinear", ["w", graph.input("s", onnx_file.FLOAT, [5, 2])], ["y"], axis=1, block_size=4)
    graph.output("y", onnx_file.FLOAT, [5, 8])
    with tempfile.TemporaryDirectory() as folder:
        path, _ = strata.compile_library(graph.save(os.path.join(folder, "m.onnx")), folder, "m")
        got = strata.Library(path).run([factors])[0]
    np.testing.assert_array_equal(got, np.float32(np.where(codes < 8, 1, -1) * values[codes % 8]) * factors.repeat(4, 1))


def initializer(name, dtype, shape, raw):
    return onnx_file.data(5, b"".join(onnx_file.number(1, size) for size in shape) + onnx_file.number(2, dtype) +
                          onnx_file.data(8, name) + onnx_file.data(9, raw))


def check_powers():
    """Scales of float8e8m0, every one of them: exponents alone, as of microscaling formats, for blocks of 32 floats of 8
    bits. Products with such numbers are exact; NaN is one."""
    codes = np.append(np.arange(256), RNG.integers(100, 150, 32)).astype(np.uint8).reshape(144, 2)
    small = RNG.integers(-7, 8, (144, 64))
    numbers = {-size: 0x80 | code for size, code in zip(range(8), (0, 0x38, 0x40, 0x44, 0x48, 0x4A, 0x4C, 0x4E))}
    raw = bytes(numbers[-abs(value)] & (0xFF if value < 0 else 0x7F) for value in small.ravel().tolist())
    with np.errstate(over="ignore"):
        powers = np.where(codes == 255, np.nan, np.ldexp(1.0, codes.astype(int) - 127)).repeat(32, 1)
        expected = (small * powers).astype(np.float32)
    graph = onnx_file.Graph(24)
    graph.parts += [initializer("w", 17, (144, 64), raw), initializer("s", 24, (144, 2), codes.tobytes())]
    graph.node("DequantizeLinear", ["w", "s"], ["y"], axis=1, block_size=32, output_dtype=onnx_file.FLOAT)
    graph.node("Add", ["y", graph.input("x", onnx_file.FLOAT, [1])], ["z"])
    graph.output("z", onnx_file.FLOAT, [144, 64])
    with tempfile.TemporaryDirectory() as folder:
        path, _ = strata.compile_library(graph.save(os.path.join(folder, "m.onnx")), folder, "m")
        got = strata.Library(path).run([np.zeros(1, np.float32)])[0]
    np.testing.assert_array_equal(got, expected)


def check_errors():
    x, s, z = numbers(np.uint8, 3, 4), scale(0.1), np.array(3, np.uint8)
    refuses("expected one number", "QLinearAdd", [x, floats(4), z, x, s, z, s, z])
    refuses("3 for each part", "QLinearConcat", [s, z, x, s, z, x], axis=0)
    refuses("scale and zero point", "QGemm", [x, s, z, x, s, z, None, s], transB=1)
    refuses("activation 'Sinus'", "FusedConv", [floats(1, 2, 5), floats(3, 2, 1)], activation="Sinus")
    refuses("power of 2", "GatherBlockQuantized", [x, np.array([0]), floats(3, 1)], block_size=12)
    refuses("axis 0", "GatherBlockQuantized", [x, np.array([0]), floats(3, 1)], block_size=16, gather_axis=1)


if __name__ == "__main__":
    check([case for dtype in (np.uint8, np.int8) for case in [*linear(dtype), *products(dtype)]])
    check([*dynamic(), *attention(), *blocks(), *wide_and_fused()])
    check_four_bit_floats()
    check_powers()
    check_errors()
