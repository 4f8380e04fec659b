"""Attention over keys and values of 8 bits, floats and integers, with scales of tensors, of heads and of tokens: one
kernel, and where its columns are cut one more, which read the bytes as they lie and store no wider copy; against NumPy in
double precision, on the emulated device that has asynchronous products. Heads and columns that are no multiple of a tile,
masks, keys of 8 bits beside values of 16, scales that f16 could not hold a weight times, NaN.

    byte_caches_test.py            some, others each run, and some of the stages that a kernel may have
    byte_caches_test.py NAME...    those
"""
import os
import re
import sys
import tempfile

import numpy as np

import gpu
import onnx_file
import strata

E4M3, E5M2, BFLOAT16 = 17, 19, 16
EPSILON = {"f16": 2.0 ** -10, "bf16": 2.0 ** -7}


def decoded(bits, exponents, mantissas):
    """All patterns of such a float without sign, |bits| of them; of e4m3 the last is NaN."""
    pattern = np.arange(1 << bits)
    exponent, mantissa = pattern >> mantissas, pattern & ((1 << mantissas) - 1)
    bias = (1 << (exponents - 1)) - 1
    return np.where(exponent == 0, mantissa * 2.0 ** (1 - bias - mantissas),
                    (1 + mantissa / (1 << mantissas)) * 2.0 ** (exponent - bias))


def signed(values):
    return np.concatenate([values, -values])


FORMATS = {  # element type of ONNX, NumPy's, the numbers that bytes are, bytes to draw from
    "e4m3": (E4M3, np.uint8, signed(np.append(decoded(7, 4, 3)[:127], np.nan)), [*range(127), *range(128, 255)]),
    "e5m2": (E5M2, np.uint8, signed(np.append(decoded(7, 5, 2)[:124], [np.inf, np.nan, np.nan, np.nan])),
             [*range(72), *range(128, 200)]),
    "i8": (onnx_file.INT8, np.int8, np.append(np.arange(128), np.arange(-128, 0)).astype(float), range(256)),
    "u8": (onnx_file.UINT8, np.uint8, np.arange(256).astype(float), range(256)),
}


class Cache:
    """Keys or values: |format| of FORMATS or "wide"; the scale is one of "number", "tensor", "head", "token"."""

    def __init__(self, random, format, scale, shape, size, kind):
        self.format, self.scale_kind = format, scale
        if format == "wide":
            self.bits = narrowed(random.standard_normal(shape), kind)
            self.values = widened(self.bits, kind)
            return
        _, dtype, table, choices = FORMATS[format]
        bytes_ = random.choice(np.asarray(choices, np.uint8), shape)
        self.bits, values = bytes_.view(dtype), table[bytes_]
        b, g, c, _ = shape
        scale_shape = {"number": (), "tensor": (1,), "head": (g, 1, 1), "token": (b, g, c, 1)}[scale]
        wanted = size / np.sqrt(np.mean(values ** 2))
        self.scale = narrowed(wanted * random.uniform(.5, 1, scale_shape), kind)
        self.values = values * widened(self.scale, kind)


def narrowed(x, kind):
    return strata.to_bf16(np.asarray(x, np.float32)) if kind == "bf16" else np.asarray(x, np.float16)


def widened(x, kind):
    return (strata.from_bf16(x) if kind == "bf16" else x).astype(np.float64)


def element(kind):
    return BFLOAT16 if kind == "bf16" else onnx_file.FLOAT16


class Case:
    def __init__(self, name, keys="e4m3", values=None, scale="number", kind="f16", batch=1, heads=(8, 2), rows=1,
                 columns=512, depth=64, width=None, mask=False, tiny=False, flat=False, launches=2):
        self.name, self.kind, self.flat, self.launches = name, kind, flat, launches
        random = strata.generator_of(name)
        b, (h, g), s, c, d, e = batch, heads, rows, columns, depth, width or depth
        self.q = narrowed(random.standard_normal((b, h, s, d)), kind)
        self.k = Cache(random, keys, scale, (b, g, c, d), 1, kind)
        self.v = Cache(random, values or keys, scale, (b, g, c, e), 1e-3 if tiny else 1, kind)
        self.mask = None
        if mask:  # some columns of each batch, a length
            self.mask = np.broadcast_to((np.arange(c) < random.integers(1, c, (b, 1, 1, 1))), (b, 1, s, c)).copy()

    def graph(self):
        graph = onnx_file.Graph(opset=24)
        wide, inputs = element(self.kind), [self.q]
        b, h, _, d = self.q.shape
        operands = ["q"]
        if self.flat:  # heads side by side in a row, as a product leaves them
            graph.input("row", wide, [b, h * d])
            operands = [graph.node("Reshape", ["row", graph.constant("shape", np.array(self.q.shape, np.int64))])]
            inputs = [self.q.reshape(b, h * d)]
        else:
            graph.input("q", wide, self.q.shape)
        for name, cache in (("k", self.k), ("v", self.v)):
            inputs.append(cache.bits)
            if cache.format == "wide":
                operands.append(graph.input(name, wide, cache.bits.shape))
                continue
            graph.input(name, FORMATS[cache.format][0], cache.bits.shape)
            if cache.scale_kind == "number" and self.kind == "f16":
                scale = graph.constant(f"s{name}", cache.scale)
                operands.append(graph.node("DequantizeLinear", [name, scale]))
                continue
            inputs.append(cache.scale)
            graph.input(f"s{name}", wide, cache.scale.shape)
            operands.append(graph.node("Mul", [graph.node("Cast", [name], to=wide), f"s{name}"]))
        if self.mask is not None:
            operands.append(graph.input("mask", onnx_file.BOOL, self.mask.shape))
            inputs.append(self.mask)
        y = graph.node("Attention", operands)
        graph.output(y, wide, (*self.q.shape[:3], self.v.values.shape[3]))
        return graph, inputs

    def expected(self):
        groups = self.q.shape[1] // self.k.values.shape[1]
        q, k, v = widened(self.q, self.kind), *(np.repeat(x.values, groups, 1) for x in (self.k, self.v))
        scores = np.einsum("bhid,bhjd->bhij", q, k) * q.shape[3] ** -.5
        if self.mask is not None:
            scores = np.where(self.mask, scores, -np.inf)
        result, size = attended(scores, v)
        return result, EPSILON[self.kind] * size + 1e-9


CASES = {
    "plain": {},
    "e5m2": {"keys": "e5m2"},
    "i8": {"keys": "i8", "columns": 700, "depth": 128},
    "u8": {"keys": "u8", "scale": "tensor", "launches": 3},
    "bf16": {"kind": "bf16", "scale": "tensor", "columns": 1000},
    "bf16_i8": {"kind": "bf16", "keys": "i8", "scale": "head", "depth": 128},
    "bf16_e5m2": {"kind": "bf16", "keys": "e5m2", "scale": "head"},
    "bf16_u8": {"kind": "bf16", "keys": "u8", "scale": "token", "launches": 3},
    "heads": {"scale": "head", "batch": 3, "columns": 333},
    "tokens": {"scale": "token", "columns": 777, "depth": 128},
    "tokens_i8": {"scale": "token", "keys": "i8", "batch": 2, "columns": 450},
    "tokens_tiny": {"scale": "token", "keys": "i8", "tiny": True},
    "masked": {"scale": "head", "mask": True, "batch": 4, "columns": 600, "launches": 3},
    "masked_tokens": {"scale": "token", "keys": "i8", "mask": True, "batch": 2, "columns": 200},
    "large": {"depth": 256, "columns": 300, "scale": "tensor"},
    "small": {"depth": 16, "columns": 1025, "keys": "i8", "scale": "head"},
    "uneven": {"depth": 80, "width": 48, "columns": 401, "scale": "head"},
    "uneven_i8": {"depth": 48, "width": 112, "keys": "i8", "columns": 128},
    "each_head": {"heads": (6, 6), "columns": 640, "scale": "head"},
    "several": {"rows": 7, "heads": (4, 4), "columns": 500, "scale": "token"},
    "many": {"rows": 130, "heads": (4, 2), "columns": 320, "scale": "tensor", "launches": 1},
    "few_columns": {"columns": 32, "batch": 40, "scale": "head"},
    "keys_only": {"values": "wide", "scale": "head"},
    "values_only": {"keys": "wide", "values": "i8", "scale": "token"},
    "heads_side_by_side": {"flat": True, "batch": 2, "heads": (12, 3), "columns": 700},
    "wide_side_by_side": {"flat": True, "batch": 2, "keys": "wide", "columns": 1100, "mask": True, "launches": 3},
    "mixed": {"keys": "i8", "values": "e4m3", "scale": "head"},
}


def attended(scores, v, sink=None):
    """The values by the softmax of their scores, which has a sink or not, and how large the numbers are that make them."""
    most = scores.max(-1, keepdims=True) if sink is None else np.maximum(scores.max(-1, keepdims=True), sink)
    weights = np.exp(scores - most)
    weights /= weights.sum(-1, keepdims=True) + (0 if sink is None else np.exp(sink - most))
    result = weights @ v
    return result, weights @ np.abs(v) + np.abs(result)


def compiled(graph, name, folder, device="emulated_90", more=()):
    """The library and what the compiler says, with |more| options."""
    path = os.path.join(folder, f"{name}.onnx")
    graph.save(path)
    text = strata.strata(path, "--target=nvgpu", f"--device={device}", "--explain", "--aot", "--aot-name", name, "-o",
                         folder, *more)
    return gpu.Library(os.path.join(folder, f"lib{name}.so")), text


def launches_of(text):
    return int(re.search(r"a run: (\d+) launch", text).group(1))


def run(cases, check_case, most, more=None):
    """Draws |most| of the cases by name and what |more| makes of the folder, or takes what the command line names."""
    gpu.use_stand_in()
    with tempfile.TemporaryDirectory() as folder:
        names = sys.argv[1:] or strata.drawn(cases, most)
        chosen = [(name, lambda name=name: check_case(name, cases[name], folder)) for name in names]
        strata.report(chosen + (more(folder) if more and not sys.argv[1:] else []))


def check(name, options, folder):
    case = Case(name, **options)
    graph, inputs = case.graph()
    library, text = compiled(graph, name, folder)
    launches = launches_of(text)
    assert "one kernel" in text or "instead of" in text, "no attention"
    assert launches <= case.launches, f"{launches} launches"
    compare(case, library, inputs)


def compare(case, library, inputs):
    got = library.run(inputs)[0]
    library.unload()
    expected, bound = case.expected()
    error = np.abs(widened(got, case.kind) - expected) / bound
    assert np.all(error < 4), f"{np.nanmax(error)} times its bound, {np.isnan(error).sum()} NaN"


def stages(folder):
    """Two of the schedules that a kernel may have, with as many slots of bytes or fewer, a multiple of those of what they
    become. Some blocks have two tasks, whose stages follow those of the first."""
    case = Case("stages", batch=18, heads=(8, 8), columns=200, keys="i8", scale="head")
    graph, inputs = case.graph()
    schedule = os.path.join(folder, "stages.schedule")

    def ask(line):
        with open(schedule, "w", encoding="utf-8") as file:
            file.write(line)
        return compiled(graph, "stages", folder, more=[f"--schedule={schedule}"])

    library, text = ask("candidates k0 emulated_90\n")
    library.unload()
    lines = [line.split(" # ")[0].replace("candidate", "schedule", 1) for line in text.splitlines()
             if line.startswith("candidate k0") and "widened" in line and "splits" not in line]
    random = strata.generator_of("stages")
    for line in strata.drawn(lines, 2):
        most, each = (int(re.search(rf"{key} = (\d+)", line)[1]) for key in ("slots", "widened"))
        slots = int(random.choice([n for n in range(2, most + 1) if n % each == 0]))
        compare(case, ask(re.sub(r"slots = \d+", f"slots = {slots}", line) + "\n")[0], inputs)


def registers(folder):
    """Where there is an assembler, no thread keeps values in memory, of two of these heads; those above 192 want more
    registers than threads of two groups of wideners begin with, scales of tokens as many as the rows' operand has."""
    heads = [(16, "tensor"), (80, "tensor"), (128, "tensor"), (128, "token"), (192, "tensor"), (256, "tensor")]
    for depth, scale in strata.drawn(heads, 2) if strata.has_ptxas() else []:
        graph, _ = Case("registers", batch=4, columns=2048, depth=depth, scale=scale).graph()
        path = os.path.join(folder, "registers.onnx")
        graph.save(path)
        text = strata.strata(path, "--target=nvgpu", "--device=sm_90a", "--resource-usage", "--aot", "--aot-name",
                             "registers", "-o", folder)
        assert all(row["spills"] == "0" for row in strata.kernel_rows(text)), f"{depth} {scale}: {text}"


def nan(name, format, byte, folder):
    """A value that is NaN makes those results NaN that its column takes part in."""
    case = Case(name, keys=format, columns=64, heads=(4, 4))
    case.v.bits[0, 1, 5, 3] = byte
    graph, inputs = case.graph()
    library, _ = compiled(graph, name, folder)
    got = widened(library.run(inputs)[0], "f16")
    library.unload()
    wanted = np.zeros(got.shape, bool)
    wanted[0, 1, :, 3] = True
    assert np.array_equal(np.isnan(got), wanted), f"{np.argwhere(np.isnan(got))}"


if __name__ == "__main__":
    run(CASES, check, 10, lambda folder: [("stages", lambda: stages(folder)),
                                          ("registers", lambda: registers(folder)),
                                          ("nan_e4m3", lambda: nan("nan_e4m3", "e4m3", 0x7f, folder)),
                                          ("nan_e5m2", lambda: nan("nan_e5m2", "e5m2", 0xfe, folder))])
