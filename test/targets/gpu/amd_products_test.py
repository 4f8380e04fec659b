"""Products for every GPU of AMD's and every type that it multiplies: each uses the matrix instruction, whose name is in the
machine code, in a loop, no register is spilled, and no thread has memory of its own. Some each run (strata.drawn)."""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import strata
from level2 import Case, bits, to_bf16

LLVM = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
MFMA = {"f16": "v_mfma_f32_32x32x8_f16", "bf16": "v_mfma_f32_32x32x8_bf16", "s8": "v_mfma_i32_32x32x16_i8",
        "f32": "v_mfma_f32_32x32x2_f32", "f64": "v_mfma_f64_16x16x4_f64"}
WMMA = {"f16": "v_wmma_f32_16x16x16_f16", "bf16": "v_wmma_f32_16x16x16_bf16", "s8": "v_wmma_i32_16x16x16_iu8"}
F8 = {"e4m3": "v_wmma_f32_16x16x16_fp8_fp8", "e5m2": "v_wmma_f32_16x16x16_bf8_bf8"}
F8_TYPES = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "e4m3fnuz": "f8E4M3FNUZ", "e5m2fnuz": "f8E5M2FNUZ"}
DEVICES = {
    "gfx90a": {"f16": "v_mfma_f32_32x32x8f16", "bf16": "v_mfma_f32_32x32x8bf16_1k", "s8": "v_mfma_i32_32x32x8i8",
               "f32": "v_mfma_f32_32x32x2f32", "f64": "v_mfma_f64_16x16x4f64"},
    "gfx942": {**MFMA, "tf32": "v_mfma_f32_32x32x4_xf32", "e4m3fnuz": "v_mfma_f32_32x32x16_fp8_fp8",
               "e5m2fnuz": "v_mfma_f32_32x32x16_bf8_bf8", "e4m3": MFMA["f16"]},
    "gfx950": {**MFMA, "f16": "v_mfma_f32_32x32x16_f16", "bf16": "v_mfma_f32_32x32x16_bf16",
               "s8": "v_mfma_i32_32x32x32_i8", "e4m3": "v_mfma_f32_32x32x64_f8f6f4",
               "e5m2": "v_mfma_f32_32x32x64_f8f6f4", "e4m3fnuz": "v_mfma_f32_32x32x16_f16"},
    "gfx9-4-generic": MFMA,
    **dict.fromkeys(["gfx1100", "gfx1101", "gfx1151", "gfx11-generic"], WMMA),
    **dict.fromkeys(["gfx1200", "gfx1201", "gfx12-generic"], {**WMMA, **F8}),
}
MODES = {"f32": "fp32", "tf32": "tf32"}
SIZE = 512
COPIES, MOST = 4, 64  # of a step: two in the loop, up to two behind it; matrix instructions of one


def operand(kind, *shape):
    if kind == "bf16":
        return to_bf16(np.zeros(shape, np.float32))
    if kind in F8_TYPES:
        return bits(np.zeros(shape, np.uint8), F8_TYPES[kind])
    types = {"f16": np.float16, "tf32": np.float32, "f32": np.float32, "f64": np.float64, "s8": np.int8}
    return np.zeros(shape, types[kind])


def product(kind, order):
    x, w = operand(kind, SIZE, SIZE), operand(kind, SIZE, SIZE)
    out = x if kind in ("f16", "bf16", "f64") else np.zeros((SIZE, SIZE), np.int32 if kind == "s8" else np.float32)
    case = Case(f"{kind} {order}", x, w)
    maps = ", ".join(f"affine_map<(i, j, k) -> ({dims})>" for dims in ("i, k", {"n": "k, j", "t": "j, k"}[order], "i, j"))
    y = case.op("contract", ["%x0", "%x1"], out, maps=f"[{maps}]", zero_pad="false", origin='"matmul"')
    case.returns([case.op("relu", [y], out)], out)
    return case.text()


def check(device, kind, order, instruction):
    with tempfile.TemporaryDirectory() as folder:
        model = strata.write(os.path.join(folder, "product.mlir"), product(kind, order))
        mode = [f"--mm-conv-precision-mode={MODES[kind]}"] if kind in MODES else []
        strata.strata(model, "--aot", "--aot-name=m", "-o", folder, "--target=amdgpu", f"--device={device}",
                      f"--save-temps={folder}", *mode)
        code = os.path.join(folder, device + ".hsaco")
        isa = strata.run(os.path.join(LLVM, "llvm-objdump"), "-d", code)
        notes = strata.run(os.path.join(LLVM, "llvm-readelf"), "--notes", code)
    assert re.search(rf"\b{instruction}\b", isa), f"{device} {kind} {order}: no {instruction}"
    assert isa.count(instruction) <= COPIES * MOST, f"{device} {kind} {order}: the loop is unrolled"
    assert "scratch_" not in isa and set(re.findall(r"private_segment_fixed_size: (\d+)", notes)) == {"0"}, device
    assert set(re.findall(r"gpr_spill_count: +(\d+)", notes)) == {"0"}, f"{device} {kind} {order}: spills"


def main():
    cases = [(device, kind, order, instruction) for device, instructions in DEVICES.items()
             for kind, instruction in instructions.items() for order in "nt"]
    for case in strata.drawn(cases, 16):
        print(*case[:3], flush=True)
        check(*case)


if __name__ == "__main__":
    sys.exit(main())
