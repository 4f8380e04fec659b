"""Products whose operands lie across the reduction, which lanes of gfx1201 turn as they load them from memory
(global_load_tr_b128), as machine code executed instruction by instruction and on the emulated device: of 16 bits,
either operand or both, tiles of every kind, and the compiler's own choice. Right in every bit, nothing found; such
loads are there, and no elements are read one by one, where no tile hangs over, and nowhere else.

    python3 turned_test.py "f16 nn"         # cases by parts of their names
"""
import os
import re
import sys

import copies_test as copies
import strata
from copies_test import LLVM, fragments

DEVICES = {"gfx1201": {"STRATA_TEST_DRIVER_ARCH": "0x1201"}, "emulated_1201": {}}
KINDS = ("f16", "bf16")
ORDERS = ("nn", "tn", "tt")
# Rows, columns, warps along both, warps that share steps, bytes of a step: more rows than threads, and fewer.
TILES = [(128, 128, 2, 4, 1, 64), (64, 128, 2, 2, 1, 64), (64, 64, 2, 2, 1, 128), (128, 32, 4, 1, 1, 64),
         (64, 32, 2, 1, 1, 128), (32, 64, 1, 2, 1, 64), (64, 64, 2, 2, 2, 128), (32, 32, 1, 1, 4, 256),
         (32, 32, 1, 1, 1, 128)]


def cases():
    for number, tile in enumerate(TILES):
        for kind in KINDS:
            for i, order in enumerate(ORDERS):
                depth = (1 + (number + i) % 4) * tile[5] // fragments.BYTES[kind]
                hangs = (number + i) % 3 == 2
                yield kind, order, tile, tile[0] + 24 * hangs, 2 * tile[1] - 8 * hangs, depth + 16 * hangs
    for kind in KINDS:
        for order in ORDERS:
            yield kind, order, None, 256, 256, 192
            yield kind, order, None, 131, 133, 77


def name_of(kind, order, tile, m, n, k):
    return f"{kind} {order} {m}x{n}x{k} {'x'.join(map(str, tile or ()))}"


def check_code(device, tile, hangs):
    listing = strata.run(os.path.join(LLVM, "llvm-objdump"), "-d", os.path.join("temps", device + ".hsaco"))
    turned, elements = (len(re.findall(rf"\b{name}\b", listing)) for name in ("global_load_tr_b128", r"ds_load_u16\w*"))
    assert tile is None or (turned > 0) != hangs, f"{turned} loads that turn"
    assert tile is None or hangs or elements == 0, f"{elements} reads of elements"


def check(device, kind, order, tile, m, n, k):
    instruction = fragments.DEVICES["emulated_1201"][1][kind]
    line = fragments.schedule("emulated_1201", kind, tile, instruction) if tile else ""
    if copies.multiply(device, kind, order, m, n, k, line):
        check_code(device, tile, tile is not None and m % tile[0] != 0)


if __name__ == "__main__":
    sys.exit(copies.run(__file__, DEVICES, cases(), name_of, check, 10))
