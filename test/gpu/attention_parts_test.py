"""Attention of few rows over many columns, cut into parts of the columns that a kernel behind puts together: on the
emulated devices that have asynchronous products, multiply-adds alone and AMD's matrix instructions, against NumPy in
double precision. Columns that are no multiple of a tile, parts of different lengths, masks that leave whole parts
empty, scores of large spread; a column that is new, which no kernel puts behind the others."""
import os
import re
import sys

import numpy as np

import gpu
import strata
from attention_test import Attention, check
from level2 import HalfCase, bits

random = np.random.default_rng(int(os.environ.get("STRATA_SEED", "29")))
DEVICES = ["emulated_90", "emulated_fma", "emulated_942", "emulated_1201"]


class Parts(Attention):
    """Masks that leave few columns at one end, or none at all."""

    def make_mask(self):
        b, _, _, c, _, _ = self.sizes
        if self.mask not in ("short", "late", "none"):
            return super().make_mask()
        ends = {"short": random.integers(1, 40, (b, 1)), "late": random.integers(c - 40, c, (b, 1)),
                "none": np.array([[0]] + [[c]] * (b - 1))}[self.mask]
        keep = np.arange(c) >= ends if self.mask == "late" else np.arange(c) < ends
        self.kept, self.mask = self.mask, "columns"
        added = np.where(keep, 0, -np.inf).astype(np.float32)
        return added.reshape(b, 1, 1, c), [added]


class Joined(Parts):
    """Keys and values of which the last few are new: a concat of what was cached and what is computed."""

    def __init__(self, name, *args, new=1, **more):
        self.new = new
        super().__init__(name, *args, **more)

    def pack_parts(self, q, k, v):
        cut = self.sizes[3] - self.new
        parts = [x for whole in (k, v) for x in (whole[:, :, :cut], whole[:, :, cut:])]
        return [q, *(bits(np.ascontiguousarray(x), "bf16") if self.kind == "bf16" else np.ascontiguousarray(x)
                     for x in parts)]

    def graph(self, packed, first_mask):
        HalfCase.__init__(self, self.name, *self.pack_parts(*self.inputs[:3]), *self.inputs[3:])
        super().graph(packed, first_mask + 2)

    def operands(self, packed):
        b, h, _, c, d, e = self.sizes
        return ["%x0"] + [self.op("concat", [f"%x{i}", f"%x{i + 1}"], self.like(b, h, c, width), axis="2 : i64")
                          for i, width in ((1, d), (3, e))]


def cases():
    yield Parts("four", 1, 2, 4, 1000, 64, "f16")
    yield Parts("whole", 1, 1, 8, 1024, 128, "bf16")
    yield Parts("uneven", 2, 1, 3, 2111, 64, "bf16", value=40)
    yield Parts("one", 1, 2, 1, 1537, 128, "f16")
    yield Parts("sixteen", 1, 1, 16, 900, 256, "f16")
    yield Parts("small", 1, 1, 5, 777, 16, "bf16")
    yield Parts("spread", 1, 2, 4, 1300, 64, "f16", spread=5)
    yield Parts("short", 2, 1, 4, 1100, 64, "f16", mask="short")
    yield Parts("late", 2, 1, 4, 1100, 64, "bf16", mask="late")
    yield Parts("empty", 2, 1, 4, 1000, 64, "f16", mask="none")
    yield Parts("empty_guarded", 2, 1, 4, 1000, 64, "f16", mask="none", guard=True)
    yield Parts("added", 1, 2, 7, 950, 64, "bf16", mask="full", scale=1)
    yield Joined("joined", 1, 2, 4, 1024, 64, "f16")
    yield Joined("joined_uneven", 2, 1, 4, 1001, 128, "bf16", value=40)
    yield Joined("joined_one", 1, 2, 1, 801, 64, "f16")
    yield Joined("joined_spread", 2, 2, 3, 700, 64, "f16", spread=4)
    yield Joined("joined_whole", 40, 4, 4, 130, 64, "bf16")
    yield Joined("joined_two", 1, 2, 4, 600, 64, "f16", new=2)
    yield Joined("joined_masked", 2, 1, 4, 900, 64, "f16", mask="late")
    yield Joined("joined_new_hidden", 2, 1, 4, 901, 64, "bf16", mask="short")
    yield Joined("joined_select", 2, 2, 1, 802, 64, "f16", mask="select")
    yield Joined("joined_lowest", 1, 2, 3, 700, 128, "bf16", mask="lowest")
    yield Parts("lowest", 1, 2, 3, 700, 128, "bf16", mask="lowest")
    yield Joined("joined_empty", 2, 1, 4, 1001, 64, "f16", mask="none", guard=True)
    yield Joined("joined_afterwards", 1, 2, 4, 900, 64, "f16", bias=True)
    yield Parts("afterwards", 1, 2, 4, 1000, 64, "f16", bias=True)


def parts_of(case, device):
    """How many there are; of one new column nothing is put together."""
    with open("parts.mlir", "w", encoding="utf-8") as file:
        file.write(case.text())
    text = strata.strata("parts.mlir", "--explain", "--compile-to=affine", "-o", "parts.affine.mlir", "--target=nvgpu",
                         f"--device={device}")
    found = re.search(r"splits = (\d+)", text)
    with open("parts.affine.mlir", encoding="utf-8") as file:
        calls = len(re.findall(r"call @", file.read()))
    assert not found or getattr(case, "new", 0) != 1 or case.bias or calls == 2, f"{case.name}, {device}: {calls} kernels"
    return int(found.group(1)) if found else 0


def main():
    gpu.use_stand_in()
    failed, n_split, only = [], dict.fromkeys(DEVICES, 0), sys.argv[1:]
    for case in cases():
        if only and case.name not in only:
            continue
        for device in DEVICES:
            n_split[device] += parts_of(case, device) > 1
            if not check(case, [], 0, ".", device):
                failed.append((case.name, device))
    print("in parts:", n_split)
    if not only and not all(n_split.values()):
        failed.append(f"a device on which no case is in parts: {n_split}")
    if failed:
        print(*failed, sep="\n")
    return len(failed) != 0


if __name__ == "__main__":
    sys.exit(main())
