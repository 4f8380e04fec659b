"""--debug-info for NVIDIA's GPUs: the lines of NAME.mlir are in the assembly, and in what the assembler, if there is one,
makes of it, optimised as ever."""
import glob
import re
import sys

import strata

MODEL = """func.func @main(%x: tensor<64x1000xf32> {strata.name = "x"}) -> (tensor<64x1000xf32> {strata.name = "y"}) {
  %0 = "strata.softmax"(%x) {axes = array<i64: 1>} : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
  return %0 : tensor<64x1000xf32>
}
"""


def read(pattern):
    files = glob.glob(pattern)
    if not files:
        return None
    with open(files[0], "rb") as file:
        return file.read()


def check(kind):
    strata.compile_library("model.mlir", kind, "traced", ["--target=nvgpu", "--device=sm_90a", f"--debug-info={kind}",
                                                          f"--save-temps={kind}/temps"])
    assembly, cubin = read(f"{kind}/temps/sm_90a.s").decode(), read(f"{kind}/temps/sm_90a.cubin")
    has_lines = kind != "none"
    assert bool(re.search(r'\.file\s+1 "traced.mlir"', assembly)) == has_lines
    assert bool(re.search(r"^\s*\.loc\s+1 ", assembly, re.M)) == has_lines
    assert not re.search(r"^\.target.*debug", assembly, re.M), "the assembler optimises no such code"
    assert (read(f"{kind}/traced.mlir") is not None) == has_lines
    assert cubin is None or (b".debug_line" in cubin) == has_lines
    print(f"--debug-info={kind}: {'no assembler' if cubin is None else 'assembled'}")


def main():
    with open("model.mlir", "w", encoding="utf-8") as file:
        file.write(MODEL)
    for kind in ("none", "line", "full"):
        check(kind)


if __name__ == "__main__":
    sys.exit(main())
