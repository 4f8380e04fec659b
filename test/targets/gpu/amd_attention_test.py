"""Attention for every GPU of AMD's: one kernel that uses the matrix instruction of its type, no register is spilled, and no
thread has memory of its own. Some each run (strata.drawn)."""
import os
import re
import sys
import tempfile

import numpy as np

import strata
from amd_products_test import DEVICES, LLVM, operand
from level2 import Case

SIZES = 4, 16, 512  # batches, heads, rows and columns
HEADS = 64, 128
# MFMA of 16 x 16, whose scores are a left operand as they lie; of WMMA there is one shape.
MFMA = {"f16": "v_mfma_f32_16x16x16_f16", "bf16": "v_mfma_f32_16x16x16_bf16"}
INSTRUCTIONS = {**DEVICES, "gfx942": MFMA, "gfx9-4-generic": MFMA,
                "gfx90a": {"f16": "v_mfma_f32_16x16x16f16", "bf16": "v_mfma_f32_16x16x16bf16_1k"},
                "gfx950": {"f16": "v_mfma_f32_16x16x32_f16", "bf16": "v_mfma_f32_16x16x32_bf16"}}
MAPS = ("b, h, i, d", "b, h, j, d", "b, h, i, j")


def contract(case, left, right, out, dims, maps):
    maps = ", ".join(f"affine_map<({dims}) -> ({results})>" for results in maps)
    return case.op("contract", [left, right], out, maps=f"[{maps}]", zero_pad="false", origin='"matmul"')


def attention(kind, head):
    batches, heads, rows = SIZES
    x, wide = operand(kind, batches, heads, rows, head), np.zeros((batches, heads, rows, rows), np.float32)
    case = Case(f"attention {kind} {head}", x, x, x)
    scores = contract(case, "%x0", "%x1", wide, "b, h, i, j, d", MAPS)
    weights = case.op("softmax", [scores], wide, axes="array<i64: 3>")
    weights = case.op("convert", [weights], operand(kind, batches, heads, rows, rows))
    result = contract(case, weights, "%x2", np.zeros((batches, heads, rows, head), np.float32), "b, h, i, d, j",
                      (MAPS[2], MAPS[1], MAPS[0]))
    case.returns([case.op("convert", [result], x)], x)
    return case.text()


def check(device, kind, head, instruction):
    with tempfile.TemporaryDirectory() as folder:
        model = strata.write(os.path.join(folder, "attention.mlir"), attention(kind, head))
        told = strata.strata(model, "--aot", "--aot-name=m", "-o", folder, "--target=amdgpu", f"--device={device}",
                             f"--save-temps={folder}", "--explain")
        code = os.path.join(folder, device + ".hsaco")
        isa = strata.run(os.path.join(LLVM, "llvm-objdump"), "-d", code)
        notes = strata.run(os.path.join(LLVM, "llvm-readelf"), "--notes", code)
    what = f"{device} {kind} {head}"
    assert "a run: 1 launches" in told, f"{what}: several kernels"
    assert len(re.findall(rf"\b{instruction}\b", isa)) >= 8, f"{what}: no {instruction}"
    assert "scratch_" not in isa and set(re.findall(r"private_segment_fixed_size: (\d+)", notes)) == {"0"}, what
    assert set(re.findall(r"gpr_spill_count: +(\d+)", notes)) == {"0"}, f"{what}: spills"


def main():
    cases = [(device, kind, head, instructions[kind]) for device, instructions in INSTRUCTIONS.items()
             for kind in ("f16", "bf16") for head in HEADS]
    for case in strata.drawn(cases, 6):
        print(*case[:3], flush=True)
        check(*case)


if __name__ == "__main__":
    sys.exit(main())
