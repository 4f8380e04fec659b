"""Conformance of AMD's code: of each kind of kernel some types, compiled for a chip of each kind and executed instruction
by instruction, every wait, bound and access to LDS checked.

The whole suites run with the same environment by hand (docs/testing.md).
"""
import os
import subprocess
import sys

import gpu
import strata

DEVICES = {"gfx942": "0x942", "gfx950": "0x950", "gfx1100": "0x1100", "gfx1201": "0x1201"}
COMPOSITES = ("f16", "bf16", "f32", "f64")
ALL_NUMBERS = ("f32 fast", "f16 fast", "bf16 fast", "f64 strict")
SUITES = {
    "elementwise_test.py": "^(bf16|i8) shapes$|^convert (f16|i4|f8E4M3FNUZ) shapes$",
    "movement_test.py": "^movement (i1|i4)$",
    "reductions_test.py": " f32 strict$",
    "contractions_test.py": "^f32.f32.f32 fast$|^i8.i8.i8 |^f16.f16.f16 constant$"
                            "|^f8E4M3FN(UZ)?.f8E4M3FN(UZ)?.f32 products$",
}
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance")


def main():
    gpu.use_stand_in()
    failed = []
    devices = strata.drawn(DEVICES, 1 if strata.SANITIZED else 2)
    numbers, composites = ("|".join(strata.drawn(all_of, 1)) for all_of in (ALL_NUMBERS, COMPOSITES))
    suites = {**SUITES, "elementwise_test.py": f"{SUITES['elementwise_test.py']}|^({numbers})$",
              "composites_test.py": f"^composites ({composites}) fast$"}
    for device in devices:
        environment = {**os.environ, "STRATA_TARGET": "amdgpu", "STRATA_DEVICE": device,
                       "STRATA_TEST_DRIVER_ARCH": DEVICES[device]}
        for suite, jobs in suites.items():
            folder = os.path.abspath(os.path.join(device, suite))
            os.makedirs(folder, exist_ok=True)
            done = subprocess.run([sys.executable, os.path.join(FOLDER, suite), jobs], env=environment, cwd=folder,
                                  check=False)
            if done.returncode:
                failed.append(f"{device} {suite}")
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
