"""MLIR bytecode with flipped bits is read or refused: no crash of its reader, no damage it does to memory and no loop
without an end gets through. STRATA_FUZZ_FLIPS=1000 tries more, STRATA_FUZZ_SEED=7 others."""
import os
import random
import subprocess
import sys

import strata

FLIPS = int(os.environ.get("STRATA_FUZZ_FLIPS", 30 if strata.SANITIZED else 60))
SEED = int(os.environ.get("STRATA_FUZZ_SEED", 0))
TIMEOUT = 120
MODULE = """
func.func @main(%x: tensor<8x32xf32> {strata.name = "x"}, %b: tensor<32xf32> {strata.name = "b"})
    -> (tensor<8x32xf32> {strata.name = "y"}) {
  %0 = "strata.broadcast"(%b) {map = affine_map<(i, j) -> (j)>} : (tensor<32xf32>) -> tensor<8x32xf32>
  %1 = "strata.add"(%x, %0) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %2 = "strata.constant"() {value = dense<2.0> : tensor<8x32xf32>} : () -> tensor<8x32xf32>
  %3 = "strata.mul"(%1, %2) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %3 : tensor<8x32xf32>
}
"""


def read(path):
    """The exit status, and what the compiler printed: the module as text, or why not."""
    try:
        done = subprocess.run([os.path.join(strata.BIN, "strata"), path, "--compile-to=import"], capture_output=True,
                              text=True, errors="replace", timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return "hang", ""
    return done.returncode, done.stdout if done.returncode == 0 else done.stderr


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    return path


def flipped(content, rng):
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        changed[rng.randrange(4, len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def is_refused(error):
    return "internal" not in error and all(line.startswith("strata: error: ") for line in error.splitlines())


def main():
    text = write("module.mlir", MODULE.encode())
    strata.strata(text, "--compile-to=import", "-o", "module.mlirbc")
    assert read("module.mlirbc") == read(text), "bytecode is not read as the text is"
    with open("module.mlirbc", "rb") as file:
        content = file.read()
    rng = random.Random(SEED)
    refused = bad = 0
    for i in range(FLIPS):
        status, said = read(write("flipped.mlirbc", flipped(content, rng)))
        good = status == 0 or (status == 1 and is_refused(said))
        refused += status == 1
        bad += not good
        if not good:
            print(f"FAIL {i}: {status} {said[:300]!r}")
            os.rename("flipped.mlirbc", f"bad_{i}.mlirbc")
    print(f"{FLIPS} flips, {refused} refused, {bad} bad")
    assert 0 < refused < FLIPS
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
