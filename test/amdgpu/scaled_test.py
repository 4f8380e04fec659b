"""Products of floats of 8 bits (and of 4, which are read as these) with scales of float8e8m0 for blocks of 32, from
ONNX's DequantizeLinear: code of gfx950, whose matrix instructions take the scales, executed; and of gfx942 and gfx1201,
which multiply what they make. By f64: products and their scales are exact, but for scales that are no powers of two
where what they make is rounded to f16."""
import functools
import os
import re
import sys

import numpy as np

import gpu
import onnx_file
import strata
from f8_test import LLVM, value_of

DEVICES = {"gfx950": "0x950", "gfx942": "0x942", "gfx1201": "0x1201"}
EMULATED = "emulated_950"
INSTRUCTIONS = {"gfx950": r"v_mfma_scale_f32_\d+x\d+x\d+_f8f6f4", "gfx942": "v_mfma_f32_.*_f16",
                "gfx1201": "v_wmma_f32.*_f16"}
# Of one scale for all of the reduction, which comes behind the product.
WHOLE = {"gfx950": "v_mfma_f32_.*(f8f6f4|bf8_bf8)", "gfx942": "v_mfma_f32_.*_f16", "gfx1201": "v_wmma_f32.*_bf8_bf8"}
E4M3, E5M2, E2M1, E8M0 = 17, 19, 23, 24  # of onnx.TensorProto
KINDS = {E4M3: "f8E4M3FN", E5M2: "f8E5M2"}
FOUR_BITS = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
BLOCK = 32
ULP = 2.0 ** -23
HALF_ULP = 2.0 ** -11  # of f16

# name: type, rows of x, columns, steps, dims in front of x's, where the weights' blocks are, and what else there is.
CASES = {
    "plain": (E4M3, 64, 64, 256, (), "kn", ""),
    "hanging over": (E4M3, 45, 52, 96, (), "kn", "bias"),
    "turned": (E5M2, 64, 48, 160, (), "nk", "scale"),
    "batched": (E4M3, 20, 64, 128, (3,), "kn", "scale"),
    "one block": (E5M2, 33, 200, 32, (), "kn", ""),
    "rows' scales": (E4M3, 32, 64, 128, (), "nk", "row scales"),
    "weights first": (E4M3, 40, 48, 128, (), "first", ""),
    "pair": (E4M3, 64, 64, 192, (), "kn", "pair"),
    "four bits": (E2M1, 64, 64, 128, (), "kn", ""),
    "many": (E4M3, 256, 256, 512, (), "nk", "bias"),
}


def initializer(name, dtype, shape, raw):
    return onnx_file.data(5, b"".join(onnx_file.number(1, size) for size in shape) + onnx_file.number(2, dtype) +
                          onnx_file.data(8, name) + onnx_file.data(9, raw))


@functools.lru_cache(None)
def table(kind):
    return np.array([value_of(code, kind) for code in range(256)])


def codes(rng, kind, shape):
    """Those of sizes up to 8."""
    values = table(kind)
    return rng.choice(np.flatnonzero(np.abs(np.nan_to_num(values, nan=99.0)) <= 8), shape).astype(np.uint8)


class Model:
    def __init__(self, name, rng):
        self.kind, self.m, self.n, self.k, self.batch, self.form, self.more = CASES[name]
        self.rng, self.graph, self.f8 = rng, onnx_file.Graph(24), E4M3 if self.kind == E2M1 else self.kind
        shape = [*self.batch, *((self.k, self.m) if self.form == "first" else (self.m, self.k))]
        self.x = codes(rng, KINDS[self.f8], shape)
        self.real = table(KINDS[self.f8])[self.x]
        source = self.graph.input("x", self.f8, shape)
        self.value, self.size = self.product(self.scaled_input(source, shape), "w")
        if self.more == "pair":
            other, size = self.product("xf", "v")
            self.value, self.size = self.join("Mul", (self.value, self.size), (other, size))
        if self.more == "bias":
            bias = rng.standard_normal(self.n).astype(np.float32)
            self.graph.constant("bias", bias)
            self.graph.node("Add", ["w.y", "bias"], ["z"])
            self.value, self.size = self.value + bias, self.size + np.abs(bias)
        last = {"pair": "both", "bias": "z"}.get(self.more, "w.y")
        self.graph.output(last, onnx_file.FLOAT, list(self.value.shape))

    def join(self, op, first, second):
        self.graph.node("Sigmoid", ["w.y"], ["gate"])
        self.graph.node(op, ["gate", "v.y"], ["both"])
        gate = 1 / (1 + np.exp(np.minimum(-first[0], 700)))
        return gate * second[0], gate * second[1] + np.abs(second[0]) * first[1]

    def scaled_input(self, source, shape):
        """x as f32, with a scale of its own or without."""
        factor = np.float32(0.75 if self.more == "scale" else 1)
        if self.more == "row scales":
            factor = self.rng.uniform(0.5, 2, shape[0]).astype(np.float32)
        self.graph.constant("sx", np.asarray(factor))
        self.graph.node("DequantizeLinear", [source, "sx"], ["xf"], axis=0)
        self.real = self.real * (factor[:, None] if factor.ndim else factor)
        return "xf"

    def product(self, x, name):
        """x times weights of that name: the exact sums, and those of their sizes."""
        along = 0 if self.form == "kn" else 1
        shape = {"kn": (self.k, self.n), "nk": (self.n, self.k), "first": (self.n, self.k)}[self.form]
        blocks = tuple(size // BLOCK if i == along else size for i, size in enumerate(shape))
        exponents = self.rng.integers(-3, 4, blocks)
        if self.kind == E2M1:
            own = self.rng.integers(0, 16, shape)
            real, flat = np.where(own < 8, 1, -1) * FOUR_BITS[own % 8], own.ravel().astype(np.uint8)
            raw = (flat[0::2] | flat[1::2] << 4).tobytes()
        else:
            own = codes(self.rng, KINDS[self.kind], shape)
            real, raw = table(KINDS[self.kind])[own], own.tobytes()
        self.graph.parts += [initializer(name, self.kind, shape, raw),
                             initializer(name + ".s", E8M0, blocks, (exponents + 127).astype(np.uint8).tobytes())]
        self.graph.node("DequantizeLinear", [name, name + ".s"], [name + ".f"], axis=along, block_size=BLOCK,
                        output_dtype=onnx_file.FLOAT)
        real, operands = real * np.ldexp(1.0, exponents).repeat(BLOCK, along), [x, name + ".f"]
        left, right = self.real, real
        if self.form == "nk":
            self.graph.node("Transpose", [name + ".f"], [name + ".t"], perm=[1, 0])
            operands, right = [x, name + ".t"], real.T
        if self.form == "first":
            operands, left, right = operands[::-1], real, self.real
        self.graph.node("MatMul", operands, [name + ".y"])
        return left @ right, np.abs(left) @ np.abs(right)


def check(name, device, rng):
    model = Model(name, rng)
    file = name.replace(" ", "_").replace("'", "")
    is_emulated = device == EMULATED
    options = [f"--target={'nvgpu' if is_emulated else 'amdgpu'}", f"--device={device}", "--save-temps=temps"]
    library = gpu.Library(strata.compile_library(model.graph.save(file + ".onnx"), ".", file, options)[0])
    got = library.run([model.x])[0]
    library.unload()
    error = np.abs(got - model.value) / (model.size + 1e-30)
    is_rounded = "scale" in model.more and device in ("gfx942", "gfx1201")
    allowed = (model.k + 4) * ULP + is_rounded * HALF_ULP
    assert np.isfinite(got).all() and error.max() <= allowed, f"off by {error.max() / ULP:.1f} units"
    if not is_emulated:
        listing = strata.run(os.path.join(LLVM, "llvm-objdump"), "-d", os.path.join("temps", device + ".hsaco"))
        expected = INSTRUCTIONS[device] if model.k > BLOCK else WHOLE[device]
        assert re.search(expected, listing), f"no {expected}"
        assert "scratch_" not in listing, "memory of a thread's own"


def main():
    """Each device in a process of its own: the stand-in asks once which it is."""
    gpu.use_stand_in()
    if len(sys.argv) > 1:
        device = sys.argv[1]
        names = list(CASES) if device == "gfx950" or "STRATA_ALL" in os.environ else strata.drawn(list(CASES), 3)
        return strata.report([(f"{device} {name}", lambda name=name: check(
            name, device, strata.generator_of(f"{device} {name}"))) for name in names])
    environments = {device: {"STRATA_TEST_DRIVER_ARCH": arch} for device, arch in DEVICES.items()}
    return gpu.in_processes(__file__, {**environments, EMULATED: {}})


if __name__ == "__main__":
    sys.exit(main())
