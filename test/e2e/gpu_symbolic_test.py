"""The graphs of symbolic_test.py on the emulated device: what one library computes at every size is what the cpu's
libraries for each size do."""
import os
import sys
import tempfile

import gpu
import symbolic_test

TARGET = ["--target=nvgpu", "--device=emulated_90", "--mm-conv-precision-mode=fp32"]


def main():
    gpu.use_stand_in()
    wanted = sys.argv[1:] or list(symbolic_test.CASES)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted:
            try:
                symbolic_test.run_case(name, folder, TARGET)
                print("ok", name)
            except (AssertionError, RuntimeError) as error:
                failures += 1
                print("FAILED", name, str(error)[:600])
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
