"""Products whose blocks have equal shares of all tiles' steps, on the emulated device with matrix instructions that read
shared memory, where a flag that nobody has set to zero, or a wait for a block that has not run, is a fault: any number
of blocks, so that a tile is one block's, two's or many's, and a block has many tiles or a part of one; every type, every
way that operands come into shared memory, epilogues, batches. Beside float64."""
import itertools

import numpy as np

import gpu
from level2 import Case, bits, from_bf16, to_bf16

random = np.random.default_rng(11)
NUMBERS = itertools.count()
STEP = {"bf16": 64, "f16": 64, "f32": 32, "i8": 128}
MMA = {"bf16": "wgmma.bf16", "f16": "wgmma.f16", "f32": "wgmma.tf32", "i8": "wgmma.s8"}
TOLERANCE = {"bf16": 4e-3, "f16": 5e-4, "f32": 1e-3, "i8": 0}


def drawn(shape, kind):
    if kind == "i8":
        return random.integers(-8, 9, shape).astype(np.int8)
    x = random.standard_normal(shape)
    return to_bf16(x) if kind == "bf16" else x.astype(np.float16 if kind == "f16" else np.float32)


def wide(x, kind):
    return (from_bf16(x) if kind == "bf16" else x).astype(np.float64)


def like(shape, kind):
    return bits(np.zeros(shape, np.uint16), "bf16") if kind == "bf16" else np.zeros(shape, np.float16)


def product(m, n, k, kind, letters, batch, residual, constant):
    """x y, where a bias and a residual are wanted max(x y + bias, 0) + residual, and what is right; y perhaps a constant."""
    front = (batch,) if batch else ()
    x = drawn(front + ((m, k) if letters[0] == "n" else (k, m)), kind)
    y = drawn(front + ((k, n) if letters[1] == "n" else (n, k)), kind)
    more = [drawn((n,), kind), drawn(front + (m, n), kind)] if residual else []
    case = Case("stream", x, *([] if constant else [y]), *more)
    left, right = wide(x, kind), wide(y, kind)
    left, right = left if letters[0] == "n" else left.swapaxes(-1, -2), right if letters[1] == "n" else right.swapaxes(-1, -2)
    b = "b, " if batch else ""
    maps = ", ".join(f"affine_map<({b}m, n, k) -> ({b}{part})>" for part in
                     ("m, k" if letters[0] == "n" else "k, m", "k, n" if letters[1] == "n" else "n, k", "m, n"))
    sums = np.zeros(front + (m, n), np.int32 if kind == "i8" else np.float32)
    y_name, bias_name, residual_name = (case.constant(y), "%x1", "%x2") if constant else ("%x1", "%x2", "%x3")
    z = case.op("contract", ["%x0", y_name], sums, zero_pad="false", origin='"matmul"', maps=f"[{maps}]")
    expected, result = left @ right, sums
    if kind in ("bf16", "f16"):
        result = like(sums.shape, kind)
        z = case.op("convert", [z], result)
    if residual:
        bias = case.op("broadcast", [bias_name], result, map=f"affine_map<({b}m, n) -> (n)>")
        z = case.op("add", [z, bias], result)
        z = case.op("relu", [z], result)
        z = case.op("add", [z, residual_name], result)
        expected = np.maximum(expected + wide(more[0], kind), 0) + wide(more[1], kind)
    case.returns([z], result)
    return case, expected


def check(m, n, k, kind, tile, blocks, letters="nt", swap=False, batch=0, residual=False, constant=False):
    case, expected = product(m, n, k, kind, letters, batch, residual, constant)
    rows, columns = tile
    groups = 2 if (columns if swap else rows) >= 128 else 1
    keys = {"blocks": blocks, "group": 128 * groups, "producers": 128, "slots": 3, "stream": 1, "threads": 128 * groups,
            **({"swap": 1} if swap else {})}
    text = ", ".join(f"{key} = {value} : i64" for key, value in keys.items())
    name = f"stream{next(NUMBERS)}"
    options = ["--mm-conv-precision-mode=tf32"] if kind == "f32" else []
    library = gpu.Library(gpu.compile_case(
        case, name, f'schedule k0 emulated_90 {{{text}, kind = "contract", mma = "{MMA[kind]}", '
        f"tile = array<i64: {rows}, {columns}, {STEP[kind]}>, warps = array<i64: {4 * groups}, 1>}}",
        options + ["--on-gpu-tensors", "--user-device-memory"]))
    tiles = -(-m // rows) * -(-n // columns) * max(batch, 1)
    what = (f"{m}x{n}x{k} {letters} {kind}{f' {batch} times' if batch else ''}, {tiles} tiles of {-(-k // STEP[kind])} "
            f"steps in {blocks} blocks{', swapped' if swap else ''}{', an epilogue' if residual else ''}")
    names = [kernel.contents.name.decode() for kernel in
             (library.description.kernels[i] for i in range(library.description.n_kernels))]
    assert any(kernel.endswith("_flags") for kernel in names), f"{what}: {names}"
    for _ in range(2):  # flags are as the last run has left them
        got = wide(library.run(case.inputs)[0], kind).reshape(expected.shape)
        error = np.linalg.norm(got - expected) / np.linalg.norm(expected)
        print(f"{what}: {error:.1e}")
        assert error <= TOLERANCE[kind], f"{what}: {error:.2e}"
    library.unload()


def main():
    gpu.use_stand_in()
    # a tile of 8 steps and three of them: 24 steps in all, evenly and unevenly
    for blocks in (1, 2, 3, 4, 5, 6):
        check(150, 60, 512, "f16", (64, 64), blocks)
    check(64, 64, 2048, "f16", (64, 64), 4)  # one tile of four blocks
    check(200, 200, 1000, "bf16", (128, 64), 7, residual=True)
    check(200, 200, 1000, "bf16", (128, 64), 7, residual=True, letters="tn")
    check(70, 130, 640, "f16", (64, 64), 5, batch=3)
    check(40, 300, 700, "f16", (48, 64), 9, letters="nn", swap=True, residual=True)
    check(100, 100, 1280, "i8", (64, 64), 5)
    for letters in ("nn", "nt", "tn", "tt"):  # threads take an operand across the reduction from shared memory
        check(100, 136, 520, "f32", (64, 64), 7, letters=letters)
        check(100, 136, 520, "f32", (64, 64), 7, letters=letters, swap=True)
    for blocks in (3, 5):  # whose first steps come before the wait, a block's at any step of a tile
        check(150, 60, 512, "f16", (64, 64), blocks, constant=True)
    check(200, 200, 1000, "f16", (128, 64), 7, residual=True, constant=True)
    check(40, 304, 704, "f16", (48, 64), 9, letters="nn", swap=True, residual=True, constant=True)
    check(100, 101, 515, "f16", (64, 64), 6, letters="nn")  # rows that begin anywhere come through registers


if __name__ == "__main__":
    main()
