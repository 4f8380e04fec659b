"""Attention as code of gfx942, gfx1100 and gfx1201, executed instruction by instruction: one kernel on matrix
instructions, or parts and their sum, right by NumPy in double precision, and nothing found. Sizes that fill no tile, heads
of 16 to 256, masks, grouped heads, no softmax. STRATA_ALL=1: gfx90a and gfx950 as well."""
import os
import sys

import numpy as np

import gpu
import strata

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
from attention_forms_test import Form  # noqa: E402
from attention_test import Attention, Grouped  # noqa: E402

DEVICES = {"gfx942": "0x942", "gfx1100": "0x1100", "gfx1201": "0x1201"}
MORE = {"gfx90a": "0x90a", "gfx950": "0x950"}
WAVE64 = ("gfx942", "gfx90a", "gfx950")  # whose registers hold results of a head of 256


def cases():
    yield Attention("plain", 1, 2, 40, 70, 64, "f16")
    yield Attention("causal", 1, 2, 70, 40, 40, "bf16", mask="iota")
    yield Attention("empty_rows", 1, 2, 33, 65, 128, "f16", mask="empty", guard=True)
    yield Attention("wide", 1, 1, 33, 65, 256, "f16")
    yield Attention("narrow", 2, 2, 70, 100, 16, "bf16", mask="columns")
    yield Attention("packed", 1, 2, 50, 50, 72, "f16", packed=True)
    yield Grouped("grouped", 1, 4, 66, 32)
    yield Form("silu", 2, [60], [77], 40, "bf16", value=64, function="silu")
    yield Form("chosen", 2, [50], [60], 40, "f16", low=-10000)


def check(case, device):
    path = strata.write(f"{case.name}.mlir", case.text())
    options = ["--target=amdgpu", f"--device={device}"]
    library = gpu.Library(strata.compile_library(path, ".", case.name, options)[0])
    n_launches = len(library.launches)
    got = case.widen(library.run(case.inputs)[0]).reshape(case.expected_result.shape)
    library.unload()
    both_nan = np.isnan(got) & np.isnan(case.expected_result)
    wrong = int((~((np.abs(got - case.expected_result) <= case.bound) | both_nan)).sum())
    # Few rows may be cut into parts of the columns, which a second kernel puts together; else it would be three kernels.
    is_one = n_launches <= 2 or (case.name == "wide" and device not in WAVE64)
    if wrong or not is_one:
        print(f"{case.name}, {device}: {n_launches} launches, {wrong} of {got.size} wrong", flush=True)
    return not wrong and is_one


def main():
    """Each device in a process of its own: the stand-in asks once which it is."""
    gpu.use_stand_in()
    if len(sys.argv) > 1:
        return sum([not check(case, sys.argv[1]) for case in cases()]) != 0
    devices = {**DEVICES, **(MORE if "STRATA_ALL" in os.environ else {})}
    chosen = list(devices.items())[:1 if strata.SANITIZED else None]
    return gpu.in_processes(__file__, {device: {"STRATA_TEST_DRIVER_ARCH": arch} for device, arch in chosen})


if __name__ == "__main__":
    sys.exit(main())
