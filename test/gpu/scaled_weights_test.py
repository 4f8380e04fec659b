"""Products by weights that f16 cannot hold as they are, tiny ones and huge ones, are as right as by others under default
arithmetic (strata-scale-weights): on the emulated devices, against f64. Weights of a few elements and of many, some
channels alone, convolutions with groups and a scale behind them, weights replaced after loading."""
import os
import tempfile

import numpy as np

import gpu
import strata

MATMUL = """
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<MxKxf32> {strata.name = "x"}) -> (tensor<MxNxf32> {strata.name = "y"}) {
  %w = "strata.constant"() {value = dense<"WEIGHTS"> : tensor<KxNxf32>} : () -> tensor<KxNxf32>
  %e = "strata.exp"(%x) : (tensor<MxKxf32>) -> tensor<MxKxf32>
  %y = "strata.contract"(%e, %w) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"}
       : (tensor<MxKxf32>, tensor<KxNxf32>) -> tensor<MxNxf32>
  return %y : tensor<MxNxf32>
}
"""
# Two groups of channels, and a batch norm's scale behind them.
CONV = """
#i = affine_map<(g, f, i, j, c, k, l) -> (g, c, i + k - 1, j + l - 1)>
#f = affine_map<(g, f, i, j, c, k, l) -> (g, f, c, k, l)>
#o = affine_map<(g, f, i, j, c, k, l) -> (g, f, i, j)>
func.func @main(%x: tensor<2x16x9x9xf32> {strata.name = "x"}) -> (tensor<2x24x9x9xf32> {strata.name = "y"}) {
  %w = "strata.constant"() {value = dense<"WEIGHTS"> : tensor<2x24x16x3x3xf32>} : () -> tensor<2x24x16x3x3xf32>
  %s = "strata.constant"() {value = dense<"SCALES"> : tensor<2x24xf32>} : () -> tensor<2x24xf32>
  %e = "strata.exp"(%x) : (tensor<2x16x9x9xf32>) -> tensor<2x16x9x9xf32>
  %c = "strata.contract"(%e, %w) {maps = [#i, #f, #o], zero_pad = true, origin = "conv"}
       : (tensor<2x16x9x9xf32>, tensor<2x24x16x3x3xf32>) -> tensor<2x24x9x9xf32>
  %b = "strata.broadcast"(%s) {map = affine_map<(g, f, i, j) -> (g, f)>} : (tensor<2x24xf32>) -> tensor<2x24x9x9xf32>
  %y = "strata.mul"(%c, %b) : (tensor<2x24x9x9xf32>, tensor<2x24x9x9xf32>) -> tensor<2x24x9x9xf32>
  return %y : tensor<2x24x9x9xf32>
}
"""
BOUND = 1e-3  # of a channel, relative: one rounding of either operand


def text_of(array):
    return "0x" + array.astype("<f4").tobytes().hex().upper()


def library_of(text, device, folder, name):
    name = f"{name}_{device}"  # what is loaded of one name stays
    path = os.path.join(folder, name + ".mlir")
    with open(path, "w") as file:
        file.write(text)
    return gpu.Library(strata.compile_library(path, folder, name, ["--target=nvgpu", f"--device={device}"])[0])


def check(name, got, wanted, axes):
    error = np.sqrt(((got - wanted) ** 2).sum(axes) / (wanted ** 2).sum(axes)).max()
    print(f"{name}: {error:.1e}")
    assert error < BOUND, f"{name}: error {error}, of the worst channel"


def matmul(random, device, folder, sizes, scale, name):
    m, n, k = sizes
    x, w = random.standard_normal((m, k)), (random.standard_normal((k, n)) * scale).astype(np.float32)
    text = MATMUL.replace("WEIGHTS", text_of(w))
    for letter, size in zip("MNK", sizes):
        text = text.replace(f"<{letter}x", f"<{size}x").replace(f"x{letter}x", f"x{size}x")
    library = library_of(text, device, folder, name)
    x = x.astype(np.float32)
    got = library.run([x])[0].astype(np.float64)
    library.unload()
    check(f"{device} {name}", got, np.exp(x.astype(np.float64)) @ w, 0)


def conv(random, device, folder):
    x = random.standard_normal((2, 16, 9, 9)).astype(np.float32)
    w = random.standard_normal((2, 24, 16, 3, 3)).astype(np.float32)
    s = (10.0 ** random.integers(-9, 7, (2, 24))).astype(np.float32)
    library = library_of(CONV.replace("WEIGHTS", text_of(w)).replace("SCALES", text_of(s)), device, folder, "conv")
    got = library.run([x])[0].astype(np.float64)
    library.unload()
    padded = np.pad(np.exp(x.astype(np.float64)), ((0, 0), (0, 0), (1, 1), (1, 1)))
    wanted = sum(np.einsum("gcij,gfc->gfij", padded[:, :, k:k + 9, l:l + 9], w[:, :, :, k, l].astype(np.float64))
                 for k in range(3) for l in range(3)) * s[:, :, None, None]
    check(f"{device} conv", got, wanted, (2, 3))


def main():
    gpu.use_stand_in()
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        for device in ("emulated_90", "emulated"):
            matmul(random, device, folder, (48, 40, 64), 1e-7, "tiny")
            matmul(random, device, folder, (80, 96, 136), 1e-7, "tiny_large")
            matmul(random, device, folder, (48, 40, 64), 1e6, "huge")
            matmul(random, device, folder, (80, 96, 136), 10.0 ** random.integers(-20, 12, 96), "mixed")
            conv(random, device, folder)


if __name__ == "__main__":
    main()
