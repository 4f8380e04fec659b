"""Products whose operands lie across the reduction, which gfx950 reads from LDS crossed (ds_read_b64_tr_b16, _b8), as
machine code executed instruction by instruction and on the emulated device: of 16 bits and of bytes, either operand or
both, tiles of every kind, of sizes that hang over every edge, and of the compiler's own choice. Right in every bit,
nothing found, and in the code there are such reads, and none of single elements. No reads meet bank conflicts, by the
emulated device's addresses (STRATA_TEST_DRIVER_BANKS).

    python3 crossed_test.py "f16 nn"         # cases by parts of their names
"""
import os
import re
import sys

import copies_test as copies
import strata
from copies_test import LLVM, fragments

DEVICES = {"gfx950": {"STRATA_TEST_DRIVER_ARCH": "0x950"}, "emulated_950": {"STRATA_TEST_DRIVER_BANKS": "1"}}
KINDS = ("f16", "bf16", "s8", "e4m3", "e5m2")
INSTRUCTIONS = [(kind, fragments.OTHERS["emulated_950"][kind][-1]) for kind in KINDS]
INSTRUCTIONS += [(kind, fragments.DEVICES["emulated_950"][1][kind]) for kind in ("f16", "bf16")]  # of 16 x 16
ORDERS = ("nn", "tn", "tt")
# As those of fragments_test: rows and columns of 32, 64, 128 and 256 elements lie in LDS in different ways.
TILES = [(128, 256, 2, 4, 1, 128), (256, 128, 4, 2, 1, 128), (128, 128, 2, 2, 1, 64), (64, 64, 2, 2, 1, 128),
         (64, 32, 2, 1, 1, 128), (32, 64, 1, 2, 1, 128), (64, 64, 2, 2, 2, 128), (32, 32, 1, 1, 4, 256)]


def cases():
    for number, tile in enumerate(TILES):
        for kind, instruction in INSTRUCTIONS:
            for i, order in enumerate(ORDERS):
                depth = (1 + (number + i) % 4) * tile[5] // fragments.BYTES[kind]
                hangs = (number + i) % 2
                yield kind, order, tile, instruction, tile[0] + 24 * hangs, 2 * tile[1] - 8 * hangs, depth + 16 * hangs
    for kind in KINDS:
        for order in ORDERS:
            yield kind, order, None, "chosen", 256, 256, 192
            yield kind, order, None, "chosen", 131, 133, 77


def name_of(kind, order, tile, instruction, m, n, k):
    return f"{kind} {order} {m}x{n}x{k} {instruction} {'x'.join(map(str, tile or ()))}"


def check_code(folder, device, kind, order, tile):
    listing = strata.run(os.path.join(LLVM, "llvm-objdump"), "-d", os.path.join(folder, device + ".hsaco"))
    bits = 8 * fragments.BYTES[kind]
    crossed, elements = (len(re.findall(rf"\b{name}\b", listing))
                         for name in (f"ds_read_b64_tr_b{bits}", rf"ds_read_u{bits}\w*"))
    assert tile is None or crossed > 0, "no reads that cross"
    assert tile is None or elements == 0, f"{elements} reads of elements"
    along = len(re.findall(r"\bds_read_b128\b", listing))
    assert tile is None or order != "tn" or tile[4] > 1 or along == 0, f"{along} reads along the reduction"


def check(device, kind, order, tile, instruction, m, n, k):
    line = fragments.schedule("emulated_950", kind, tile, instruction) if tile else ""
    if copies.multiply(device, kind, order, m, n, k, line):
        check_code("temps", device, kind, order, tile)


if __name__ == "__main__":
    sys.exit(copies.run(__file__, DEVICES, cases(), name_of, check, 16))
