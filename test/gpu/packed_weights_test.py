"""Weights of few bits that a product on an emulated device with matrix instructions reads as they are stored: of
com.microsoft's MatMulNBits and of DequantizeLinear, with and without zero points, blocks of every kind, rows that tiles
hang over, by a warp group's instruction and by a warp's, of groups that share steps. Beside the product of the dequantised
weights in f64."""
import functools
import os
import re

import numpy as np

import gpu
import onnx_file
import strata

OPTIONS = ["--target=nvgpu", "--device=emulated_90"]
TOLERANCE = 5e-4  # of sums of f16 in f32, rounded once
UINT4, INT4 = 21, 22
DEEP_SCHEDULE = ('schedule {kernel} {device} {{kind = "contract", mma = "m16n8k16.f16", producers = 128 : i64, '
                 'swap = 1 : i64, blocks = {blocks} : i64, slots = 8 : i64, group = 512 : i64, threads = 512 : i64, '
                 'tile = array<i64: {columns}, 64, 64>, warps = array<i64: 4, 1>}}\n')


def deep_schedule(model, m, blocks, device="emulated_90"):
    """A file with the schedule of the product of |m| rows in which four groups share each tile's steps."""
    explained = strata.strata(model, "--compile-to=affine", "-o", "explained", *OPTIONS, "--explain")
    kernel = re.search(r"^product (k\d+): .* times$", explained, re.M).group(1)
    columns = min(n for n in (8, 16, 32) if n >= m)
    strata.write("schedule.txt", DEEP_SCHEDULE.format(kernel=kernel, device=device, blocks=blocks, columns=columns))
    return "--schedule=schedule.txt"


def tensor_of_bits(name, numbers, element, bits):
    """A TensorProto; those of 4 bits are two to a byte."""
    flat = numbers.reshape(-1).astype(np.uint8)
    if bits == 4 and flat.size % 2:
        flat = np.append(flat, np.uint8(0))
    raw = flat if bits == 8 else (flat[0::2] & 15) | (flat[1::2] & 15) << 4
    return (b"".join(onnx_file.number(1, size) for size in numbers.shape) + onnx_file.number(2, element) +
            onnx_file.data(8, name) + onnx_file.data(9, raw.tobytes()))


def nibbles(numbers):
    if numbers.shape[-1] % 2:
        numbers = np.concatenate([numbers, np.zeros_like(numbers[..., :1])], -1)
    return (numbers[..., 0::2] | numbers[..., 1::2] << 4).astype(np.uint8)


class Product:
    """x (m x k) times weights (n x k), transposed."""

    def __init__(self, name, generator, m, n, k):
        self.name, self.m, self.n, self.k = name, m, n, k
        self.blocks = 0  # of a schedule of groups that share steps; 0: what the model chooses
        self.graph = onnx_file.Graph(opset=21)
        self.x = generator.standard_normal((m, k)).astype(np.float16)
        self.graph.input("x", onnx_file.FLOAT16, [m, k])
        self.epilogue = generator.standard_normal(n).astype(np.float16)

    def run(self, product, weights, way):
        bias = self.graph.constant("bias", self.epilogue)
        self.graph.output(self.graph.node("Add", [product, bias]), onnx_file.FLOAT16, [self.m, self.n])
        self.graph.save(f"{self.name}.onnx")
        options = [deep_schedule(f"{self.name}.onnx", self.m, self.blocks)] if self.blocks else []
        explained = strata.strata(f"{self.name}.onnx", "--aot", "--aot-name", self.name, "-o", "out", *OPTIONS,
                                  "--explain", *options)
        assert way in explained, f"{self.name}: not {way}:\n{explained}"
        assert bool(self.blocks) <= ('mma = "m16n8k16.f16", producers' in explained), f"{self.name}:\n{explained}"
        library = gpu.Library(f"out/lib{self.name}.so")
        got = library.run([self.x])[0].astype(np.float64)
        library.unload()
        expected = self.x.astype(np.float64) @ weights.T + self.epilogue
        error = np.linalg.norm(got - expected) / np.linalg.norm(expected)
        print(f"{self.name} {self.m}x{self.n}x{self.k}: {error:.1e}")
        assert error <= TOLERANCE, f"{self.name}: {error:.2e}"


def matmul_nbits(generator, name, m, n, k, bits, block, zeros, way="packed", deep=0):
    case, blocks = Product(name, generator, m, n, k), -(-k // block)
    case.blocks = deep
    numbers = generator.integers(0, 1 << bits, (n, blocks * block), dtype=np.uint8)
    scales = (generator.random((n, blocks)) * 0.1 + 0.01).astype(np.float16)
    zero = generator.integers(0, 1 << bits, (n, blocks), dtype=np.uint8)
    inputs = ["x", case.graph.constant("b", (numbers if bits == 8 else nibbles(numbers)).reshape(n, blocks, -1)),
              case.graph.constant("s", scales)]
    if zeros:
        inputs.append(case.graph.constant("z", zero if bits == 8 else nibbles(zero)))
    product = case.graph.node("MatMulNBits", inputs, domain="com.microsoft", K=k, N=n, bits=bits, block_size=block)
    offset = np.repeat(zero, block, 1).astype(float) if zeros else 1 << (bits - 1)
    weights = ((numbers.astype(float) - offset) * np.repeat(scales, block, 1).astype(np.float64))[:, :k]
    case.run(product, weights.astype(np.float16).astype(np.float64), way)


def dequantize(generator, name, m, n, k, bits, signed, per, zeros=False, turned=False, way="packed"):
    """|per|: "tensor", "column" or the steps of a block; |turned|: the weights are stored with the columns last."""
    case, element = Product(name, generator, m, n, k), {(4, True): INT4, (4, False): UINT4, (8, True): onnx_file.INT8,
                                                        (8, False): onnx_file.UINT8}[bits, signed]
    least = -(1 << (bits - 1)) if signed else 0
    shape = {"tensor": (), "column": (n,)}.get(per, (n, k // per if isinstance(per, int) else 1))
    numbers = generator.integers(least, least + (1 << bits), (n, k))
    scales = (generator.random(shape) * 0.1 + 0.01).astype(np.float16)
    zero = generator.integers(least, least + (1 << bits), shape)
    stored = (lambda a: a.T if a.ndim == 2 else a) if turned else lambda a: a
    for part, array in (("w", numbers), ("z", zero)) if zeros else (("w", numbers),):
        case.graph.parts.append(onnx_file.data(5, tensor_of_bits(part, np.ascontiguousarray(stored(np.asarray(array))),
                                                                 element, bits)))
    case.graph.constant("s", np.ascontiguousarray(stored(scales)))
    attributes = {} if per == "tensor" else {"axis": int(turned)} if per == "column" else \
        {"axis": int(not turned), "block_size": per}
    product = case.graph.node("DequantizeLinear", ["w", "s"] + ["z"] * zeros, **attributes)
    if not turned:
        product = case.graph.node("Transpose", [product], perm=[1, 0])
    wide = (lambda a: np.repeat(a, per, 1)) if isinstance(per, int) else \
        (lambda a: a.reshape(n, 1)) if per == "column" else lambda a: a
    weights = (numbers - (wide(zero) if zeros else 0)) * wide(scales).astype(np.float64)
    case.run(case.graph.node("MatMul", ["x", product]), weights.astype(np.float16).astype(np.float64), way)


def count_operations():
    """What the loop that multiplies spends on a weight of 4 bits: two operations a pair put it under an exponent, which
    the assembler makes one of, one takes the zero point off, one scales; shifts and splats besides."""
    matmul_nbits(np.random.default_rng(0), "counted", 16, 272, 1088, 4, 32, True)
    strata.strata("counted.onnx", "--compile-to=gpu", "-o", "gpu", *OPTIONS)
    files = [os.path.join("gpu", name) for name in os.listdir("gpu") if name.endswith(".mlir")]
    with open(files[0], encoding="utf-8") as file:
        text = file.read()
    loops = re.findall(r"tile.barrier_wait(?:(?!tile.barrier_wait).)*?tile.mma_commit", text, re.S)
    assert loops, "no loop that multiplies"
    part = loops[0]
    weights = 8 * len(re.findall(r"tile.mma_registers", part))
    count = {op: len(re.findall(rf"\b{op}\b.*(?:i32|vector<2xf16>)", part))
             for op in ("arith.andi", "arith.ori", "arith.shrui", "arith.addf", "math.fma", "arith.mulf")}
    print(f"operations on {weights} weights: {count}")
    assert weights and count["arith.andi"] == count["arith.ori"] == weights // 2, count
    assert count["arith.addf"] + count["math.fma"] == count["arith.mulf"] == weights // 2, count
    assert count["arith.shrui"] <= weights // 4, count  # equal ones, of two pairs each, become one


def count_instructions():
    """The same of what a warp's instruction multiplies, in NVIDIA's: of eight weights a shift, four of logic, an addition
    or multiply-add and a multiplication for each pair."""
    model = "multiplied.onnx"  # of 16 rows, 4 bits, one zero point
    schedule = deep_schedule(model, 16, 5, "sm_90a")
    strata.strata(model, "--aot", "--aot-name", "multiplied", "-o", "out", "--target=nvgpu", "--device=sm_90a",
                  "--save-temps=temps", schedule)
    with open("temps/sm_90a.s", encoding="utf-8") as file:
        kernels = [part for part in file.read().split(".entry")[1:] if "mma.sync" in part]
    assert len(kernels) == 1, "no kernel that multiplies"
    count = {op: len(re.findall(rf"\b{re.escape(op)}", kernels[0]))
             for op in ("mma.sync", "lop3.b32", "fma.rn.f16x2", "add.rn.f16x2", "mul.rn.f16x2")}
    weights = 8 * count["mma.sync"] // 2  # of a thread, by 16 columns
    print(f"instructions on {weights} weights: {count}")
    assert weights and count["lop3.b32"] == count["mul.rn.f16x2"] == weights // 2, count
    assert count["add.rn.f16x2"] + count["fma.rn.f16x2"] == weights // 2, count


def cases():
    generator = strata.generator_of("cases")
    number = 0

    def name():
        nonlocal number
        number += 1
        return f"packed{number}"

    for m in (1, 5, 16, 33, 128):
        yield functools.partial(matmul_nbits, generator, name(), m, 272, 1088, 4, 32, m % 2 == 0)
    for bits in (4, 8):
        for block in (16, 32, 64, 128, 256):
            for zeros in (False, True):
                yield functools.partial(matmul_nbits, generator, name(), 3, 208, 832, bits, block, zeros)
    for n, k in ((200, 832), (208, 800)):  # no whole tiles of columns, nor of steps
        yield functools.partial(matmul_nbits, generator, name(), 7, n, k, 4, 32, True, way="apart")
    for signed in (False, True):
        for bits in (4, 8):
            for per in ("tensor", "column", 32, 128):
                for turned in (False, True):
                    yield functools.partial(dequantize, generator, name(), 4, 256, 640, bits, signed, per,
                                            zeros=turned != signed, turned=turned,
                                            way="" if per == "tensor" else "packed")

    for m in (1, 9, 32):
        for bits, block, zeros in ((4, 32, True), (4, 128, False), (8, 16, True), (8, 256, False)):
            yield functools.partial(matmul_nbits, generator, name(), m, 272, 1024, bits, block, zeros,
                                    deep=2 if zeros else 5)


def main():
    gpu.use_stand_in()
    for case in strata.every(cases()):
        case()
    count_operations()
    matmul_nbits(np.random.default_rng(0), "multiplied", 16, 272, 1024, 4, 32, False, deep=5)
    count_instructions()


if __name__ == "__main__":
    main()
