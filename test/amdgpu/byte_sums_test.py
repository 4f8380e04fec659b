"""Bytes that are multiplied, compared and added up, as AMD's machine code executed instruction by instruction: the least
of a number and a product, and the product once more. LLVM follows a sum of products for v_dot4 through operations that
are no sums (devices/gpu/devices.def)."""
import os
import sys

import numpy as np

import gpu
import strata

DEVICES = {"gfx942": "0x942", "gfx950": "0x950", "gfx1100": "0x1100", "gfx1201": "0x1201"}
KINDS = {"min": np.minimum, "max": np.maximum, "sub": np.subtract}
SHAPE = (17, 17)
GRAPH = """func.func @main(%s: tensor<33xi8> {{strata.name = "s"}}, %q: tensor<17x17xi8> {{strata.name = "q"}})
    -> (tensor<17x17xi8> {{strata.name = "y"}}) {{
  %0 = "strata.reduce"(%s) {{kind = "add", axes = array<i64: 0>}} : (tensor<33xi8>) -> (tensor<i8>)
  %1 = "strata.broadcast"(%0) {{map = affine_map<(d0, d1) -> ()>}} : (tensor<i8>) -> (tensor<17x17xi8>)
  %2 = "strata.mul"(%1, %q) : (tensor<17x17xi8>, tensor<17x17xi8>) -> (tensor<17x17xi8>)
  %3 = "strata.{kind}"(%q, %2) : (tensor<17x17xi8>, tensor<17x17xi8>) -> (tensor<17x17xi8>)
  %4 = "strata.add"(%3, %2) : (tensor<17x17xi8>, tensor<17x17xi8>) -> (tensor<17x17xi8>)
  return %4 : tensor<17x17xi8>
}}
"""


def check(kind, device):
    generator = strata.generator_of(f"{kind} {device}")
    s, q = (generator.integers(-128, 128, shape, np.int8) for shape in ((33,), SHAPE))
    product = q * np.add.reduce(s, dtype=np.int8)
    np.save("s.npy", s)
    np.save("q.npy", q)
    np.save("y.npy", KINDS[kind](q, product) + product)
    with open("bytes.mlir", "w", encoding="utf-8") as file:
        file.write(GRAPH.format(kind=kind))
    strata.strata("bytes.mlir", "--target=amdgpu", f"--device={device}", "--aot", "--aot-name=m", "-o", "out")
    strata.run(os.path.join(strata.BIN, "strata-run"), "out/libm.so", "--input=s.npy", "--input=q.npy",
               "--expect=y.npy",
               env={**os.environ, "STRATA_TEST_DRIVER_ARCH": DEVICES[device]})


if __name__ == "__main__":
    gpu.use_stand_in()
    sys.exit(strata.report([(f"{kind} {device}", lambda kind=kind, device=device: check(kind, device))
                            for kind in KINDS for device in DEVICES]))
