"""Conformance on the emulated device: of each kind of kernel the types that differ in how they are compiled.

The whole suites, as for the cpu, run with the same environment by hand (docs/testing.md); they take as long as the cpu's.
"""
import os
import subprocess
import sys

import gpu

SUITES = {
    "elementwise_test.py": "^(f32|bf16|i8|i1) shapes$|^f64 strict$|^f32 (strict|fast)$|^convert (f16|i4) shapes$",
    "movement_test.py": "^movement (f32|i1|i4)$",
    "reductions_test.py": " (f32|i32) strict$",
    "contractions_test.py": "^f32.f32.f32 fast$|^(i8.i8.i8|i4.i8.i32) |^f16.f16.f16 constant$",
    "chains_test.py": "^random i8 2 ",
    "composites_test.py": "^rows f32|^composites f16 fast$",
}
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance")


def main():
    gpu.use_stand_in()
    environment = {**os.environ, "STRATA_TARGET": "nvgpu", "STRATA_DEVICE": "emulated"}
    failed = []
    for suite, jobs in SUITES.items():
        folder = os.path.abspath(suite)
        os.makedirs(folder, exist_ok=True)
        command = [sys.executable, os.path.join(FOLDER, suite), jobs]
        done = subprocess.run(command, env=environment, cwd=folder, check=False)
        if done.returncode:
            failed.append(suite)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
