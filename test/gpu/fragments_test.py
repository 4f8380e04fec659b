"""Products on the matrix instructions of AMD's GPUs, on emulated devices whose warps have their lanes, and their fragments
as mma.def says: every instruction, operands contiguous along the reduction and across it, tiles of every kind that hang
over every edge, warps that share one. The driver looks whether lanes that are to hold copies do.

    python3 fragments_test.py 942 f16 nt         # cases by parts of their names
"""
import itertools
import os
import sys

import numpy as np

import gpu
import strata
from level2 import Case, bits, from_bf16, to_bf16

random = np.random.default_rng(11)
ORDERS = {"n": ("i, k", "k, j"), "t": ("k, i", "j, k")}
# Of each device lanes of a warp and its instructions by the type of their operands.
DEVICES = {
    "emulated_90a": (64, {"f16": "mfma.16x16x16.f16", "bf16": "mfma.16x16x16.bf16", "s8": "mfma.16x16x16.s8",
                          "f32": "mfma.16x16x4.f32", "f64": "mfma.16x16x4.f64"}),
    "emulated_942": (64, {"f16": "mfma.16x16x16.f16", "bf16": "mfma.16x16x16.bf16", "s8": "mfma.16x16x32.s8",
                          "e4m3fnuz": "mfma.16x16x32.e4m3fnuz", "e5m2fnuz": "mfma.16x16x32.e5m2fnuz",
                          "tf32": "mfma.16x16x8.tf32", "f32": "mfma.16x16x4.f32", "f64": "mfma.16x16x4.f64"}),
    "emulated_950": (64, {"f16": "mfma.16x16x32.f16", "bf16": "mfma.16x16x32.bf16", "s8": "mfma.16x16x64.s8",
                          "e4m3": "mfma.16x16x32.e4m3", "e5m2": "mfma.16x16x32.e5m2"}),
    "emulated_1100": (32, {"f16": "wmma.f16", "bf16": "wmma.bf16", "s8": "wmma.s8"}),
    "emulated_1201": (32, {"f16": "wmma12.f16", "bf16": "wmma12.bf16", "s8": "wmma12.s8", "e4m3": "wmma12.e4m3",
                           "e5m2": "wmma12.e5m2"}),
}
# Those of another shape, for the same types; of its own choice a device takes the last.
OTHERS = {
    "emulated_90a": {"f16": ["mfma.32x32x8.f16"], "bf16": ["mfma.32x32x8.bf16"], "s8": ["mfma.32x32x8.s8"],
                     "f32": ["mfma.32x32x2.f32"]},
    "emulated_942": {"f16": ["mfma.32x32x8.f16"], "bf16": ["mfma.32x32x8.bf16"], "s8": ["mfma.32x32x16.s8"],
                     "e4m3fnuz": ["mfma.32x32x16.e4m3fnuz"], "e5m2fnuz": ["mfma.32x32x16.e5m2fnuz"],
                     "tf32": ["mfma.32x32x4.tf32"], "f32": ["mfma.32x32x2.f32"]},
    "emulated_950": {"f16": ["mfma.32x32x16.f16"], "bf16": ["mfma.32x32x16.bf16"], "s8": ["mfma.32x32x32.s8"],
                     "e4m3": ["mfma.16x16x128.e4m3", "mfma.32x32x64.e4m3"],
                     "e5m2": ["mfma.16x16x128.e5m2", "mfma.32x32x64.e5m2"], "f32": ["mfma.32x32x2.f32"]},
}
BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "f32": 4, "f64": 8, "s8": 1, "e4m3": 1, "e5m2": 1, "e4m3fnuz": 1,
         "e5m2fnuz": 1}
F8 = {"e4m3": ("f8E4M3FN", [0xC4, 0xC0, 0xB8, 0, 0x38, 0x40, 0x44]),
      "e5m2": ("f8E5M2", [0xC2, 0xC0, 0xBC, 0, 0x3C, 0x40, 0x42]),
      "e4m3fnuz": ("f8E4M3FNUZ", [0xCC, 0xC8, 0xC0, 0, 0x40, 0x48, 0x4C]),
      "e5m2fnuz": ("f8E5M2FNUZ", [0xC6, 0xC4, 0xC0, 0, 0x40, 0x44, 0x46])}
# Rows, columns, warps along both, warps that share a tile, bytes of a step.
TILES = [(128, 128, 2, 4, 1, 64), (128, 64, 2, 2, 1, 64), (64, 64, 2, 2, 1, 128), (128, 32, 4, 1, 1, 128),
         (32, 32, 1, 1, 1, 128), (32, 64, 1, 2, 1, 128), (64, 64, 2, 2, 2, 128), (32, 32, 1, 1, 4, 256),
         (128, 256, 2, 4, 1, 64), (256, 128, 4, 2, 1, 64)]
LARGE = 128 * 128  # of larger tiles warps of 32 lanes have no room for the fragments
EVERY_TYPE = (4, 7)  # of the tiles, those that every type has
OTHER_TILES = (2, 4)  # those that instructions of another shape have
EVERY_TILE = ("emulated_942", "emulated_1100")  # of the devices, those that have all of them
CHIPLETS = ("emulated_942", "emulated_950")  # of the devices, those that have several


def values(kind, *shape):
    """Small numbers, whose sums are exact, and what they are."""
    numbers = random.integers(-3, 4, shape)
    if kind == "bf16":
        return to_bf16(numbers.astype(np.float32)), numbers
    if kind in F8:
        return bits(np.array(F8[kind][1], np.uint8)[numbers + 3], F8[kind][0]), numbers
    types = {"f16": np.float16, "tf32": np.float32, "f32": np.float32, "f64": np.float64, "s8": np.int8}
    return numbers.astype(types[kind]), numbers


def result(kind, exact):
    if kind == "bf16":
        return to_bf16(exact.astype(np.float32))
    return exact.astype({"f16": np.float16, "f64": np.float64, "s8": np.int32}.get(kind, np.float32))


def product(device, kind, order, m, n, k):
    x, left = values(kind, *((m, k) if order[0] == "n" else (k, m)))
    w, right = values(kind, *((k, n) if order[1] == "n" else (n, k)))
    left, right = (a if a_order == "n" else a.T for a, a_order in zip((left, right), order))
    out = result(kind, left.astype(np.float64) @ right)
    case = Case(f"{device} {kind} {order} {m}x{n}x{k}", x, w)
    maps = ", ".join(f"affine_map<(i, j, k) -> ({dims})>" for dims in (ORDERS[order[0]][0], ORDERS[order[1]][1], "i, j"))
    case.returns([case.op("contract", ["%x0", "%x1"], out, maps=f"[{maps}]", zero_pad="false", origin='"matmul"')], out)
    return case


def schedule(device, kind, tile, instruction):
    rows, columns, down, along, split, step = tile
    threads = DEVICES[device][0] * down * along * split
    return (f'schedule k0 {device} {{kind = "contract", threads = {threads}, group = {threads}, '
            f"tile = array<i64: {rows}, {columns}, {step // BYTES[kind]}>, warps = array<i64: {down}, {along}>, "
            f'mma = "{instruction}"}}')


def products():
    for device, (lanes, kinds) in DEVICES.items():
        for number, tile in enumerate(TILES):
            if number not in EVERY_TYPE and device not in EVERY_TILE:
                continue
            if lanes == 32 and tile[0] * tile[1] > LARGE:
                continue
            for kind in kinds if number in EVERY_TYPE else ("f16",):
                for order in ("nn", "nt", "tn", "tt") if number == EVERY_TYPE[0] else ("nt",):
                    m, n = tile[0] + 24, 2 * tile[1] - 8
                    line = schedule(device, kind, tile, kinds[kind])
                    yield product(device, kind, order, m, n, 176), device, kind, line, tile
        for kind, others in OTHERS.get(device, {}).items():
            for instruction, tile, order in itertools.product(others, [TILES[i] for i in OTHER_TILES], ("nt", "tn")):
                case = product(device, kind, order, tile[0] + 24, 2 * tile[1] - 8, 176)
                case.name += " " + instruction
                yield case, device, kind, schedule(device, kind, tile, instruction), tile
        for kind in kinds:  # of a size of its own choice, rows that no vector is loaded from
            yield product(device, kind, "nt", 131, 133, 77), device, kind, "", None
        if device in CHIPLETS:  # blocks of several chiplets, of which the first ones have more
            yield product(device, "f16", "nt", 421, 390, 40), device, "f16", "", None


def precision(kind):
    modes = {"f32": "fp32", "tf32": "tf32"}
    return [f"--mm-conv-precision-mode={modes[kind]}"] if kind in modes else []


def run(case, device, kind, line, index):
    library = gpu.compile_case(case, f"fragments{index}", line, precision(kind), device=device)
    got = gpu.Library(library).run(case.inputs)[0]
    expected = np.asarray(case.outputs[0])
    wrong = np.argwhere(np.asarray(got).reshape(expected.shape).view(expected.dtype) != expected)
    os.remove(library)
    return wrong


def check_chosen():
    """Without a schedule each device takes its instruction."""
    for device, (_, kinds) in DEVICES.items():
        for kind, first in kinds.items():
            instruction = OTHERS.get(device, {}).get(kind, [first])[-1]
            case = product(device, kind, "nt", 256, 256, 256)
            with open("chosen.mlir", "w", encoding="utf-8") as file:
                file.write(case.text())
            said = strata.strata("chosen.mlir", "--target=nvgpu", f"--device={device}", *precision(kind), "--explain",
                              "--compile-to=tile", "-o", "chosen.tile.mlir")
            assert f'mma = "{instruction}"' in said, f"{case.name}: no {instruction}\n{said}"


def main():
    gpu.use_stand_in()
    failed = 0
    for i, (case, device, kind, line, tile) in enumerate(products() if sys.argv[1:] else strata.every(products())):
        if not all(word in case.name for word in sys.argv[1:]):
            continue
        wrong = run(case, device, kind, line, i)
        if len(wrong):
            print(f"{case.name} {tile}: {len(wrong)} wrong elements, the first at {wrong[0]}", flush=True)
        failed += len(wrong) > 0
    if not sys.argv[1:]:
        check_chosen()
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
