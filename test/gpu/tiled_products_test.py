"""Products whose tiles the threads that multiply bring themselves, on the emulated device: matrix instructions of a warp of
every type, operands contiguous along the reduction and across it, copied or through registers, tiles of every kind that
hang over every edge, fewer steps than slots."""
import os
import sys

import numpy as np

import gpu
import strata
from level2 import Case, to_bf16, from_bf16

random = np.random.default_rng(5)
ORDERS = {"n": ("i, k", "k, j"), "t": ("k, i", "j, k")}
BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "s8": 1}
SHAPES = {"f16": "m16n8k16.f16", "bf16": "m16n8k16.bf16", "tf32": "m16n8k8.tf32", "s8": "m16n8k32.s8"}
# Rows, columns, warps along both, warps that share a tile, bytes of a step, slots.
TILES = [(128, 128, 2, 2, 1, 64, 4), (128, 256, 2, 4, 1, 64, 4), (256, 128, 4, 2, 1, 64, 3), (128, 128, 2, 2, 1, 128, 2),
         (128, 128, 2, 4, 1, 64, 3), (64, 64, 2, 2, 1, 128, 4), (128, 32, 4, 1, 1, 64, 2), (32, 32, 1, 1, 1, 128, 8),
         (32, 64, 1, 2, 1, 64, 4), (64, 64, 2, 2, 2, 128, 4), (32, 32, 1, 1, 8, 512, 2)]
EVERY_TYPE = (0, 9)  # of the tiles, those that every type has


def values(kind, *shape):
    numbers = random.integers(-3, 4, shape)  # sums are exact
    if kind == "bf16":
        return to_bf16(numbers.astype(np.float32))
    return numbers.astype({"f16": np.float16, "tf32": np.float32, "s8": np.int8}[kind])


def numbers(kind, array):
    return (from_bf16(array) if kind == "bf16" else np.asarray(array)).astype(np.float64)


def result(kind, exact):
    if kind == "bf16":
        return to_bf16(exact.astype(np.float32))
    return exact.astype({"f16": np.float16, "tf32": np.float32, "s8": np.int32}[kind])


def product(kind, order, m, n, k):
    x = values(kind, *((m, k) if order[0] == "n" else (k, m)))
    w = values(kind, *((k, n) if order[1] == "n" else (n, k)))
    left, right = (numbers(kind, a) if a_order == "n" else numbers(kind, a).T for a, a_order in zip((x, w), order))
    out = result(kind, left @ right)
    case = Case(f"{kind} {order} {m}x{n}x{k}", x, w)
    maps = ", ".join(f"affine_map<(i, j, k) -> ({dims})>" for dims in (ORDERS[order[0]][0], ORDERS[order[1]][1], "i, j"))
    case.returns([case.op("contract", ["%x0", "%x1"], out, maps=f"[{maps}]", zero_pad="false", origin='"matmul"')], out)
    return case


def schedule(kind, tile, slots):
    rows, columns, down, along, split, step, _ = tile
    threads = 32 * down * along * split
    return (f'schedule k0 emulated {{kind = "contract", threads = {threads}, group = {threads}, '
            f"tile = array<i64: {rows}, {columns}, {step // BYTES[kind]}>, warps = array<i64: {down}, {along}>, "
            f'mma = "{SHAPES[kind]}"' + (f", slots = {slots}}}" if slots else "}"))


def products():
    for number, tile in enumerate(TILES):
        for kind in BYTES if number in EVERY_TYPE else ("f16",):
            for order in ("nn", "nt", "tn", "tt"):
                for slots in (0,) if kind == "tf32" else (0, tile[6]):  # tf32 is rounded on its way
                    case = product(kind, order, tile[0] + 48, 2 * tile[1] - 16, 432)
                    yield case, schedule(kind, tile, slots), (tile, slots)
    for order in ("nn", "nt", "tn", "tt"):  # few steps, none of them whole, and rows that copies cannot take
        for m, n, k, slots in ((144, 136, 24, 4), (144, 136, 48, 4), (131, 133, 77, 0)):
            yield product("f16", order, m, n, k), schedule("f16", TILES[0], slots), (TILES[0], slots)


def run(case, line, index):
    options = ["--mm-conv-precision-mode=tf32"] if "tf32" in case.name else []
    library = gpu.compile_case(case, f"tiled{index}", line, options, device="emulated")
    got = gpu.Library(library).run(case.inputs)[0]
    expected = np.asarray(case.outputs[0])
    wrong = np.argwhere(np.asarray(got).reshape(expected.shape).view(expected.dtype) != expected)
    os.remove(library)
    return wrong


def main():
    """Cases by a part of their names: python3 tiled_products_test.py nn"""
    gpu.use_stand_in()
    failed = 0
    named = [(i, *product) for i, product in enumerate(products()) if all(word in product[0].name for word in sys.argv[1:])]
    for i, case, line, what in named if sys.argv[1:] else strata.every(named):
        wrong = run(case, line, i)
        if len(wrong):
            print(f"{case.name} {what}: {len(wrong)} wrong elements, the first at {wrong[0]}")
        failed += len(wrong) > 0
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
