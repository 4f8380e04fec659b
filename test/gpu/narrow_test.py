"""What affine-narrow stores rounded gives the same bits as what is stored wide, on the emulated device: a graph whose
intermediates nobody sees against the same graph with those intermediates among its results, which keeps them wide."""
import os
import tempfile

import numpy as np

import gpu
import strata

OPTIONS = ["--target=nvgpu", "--device=emulated"]

# A convolution of f32, a window, and a product: by default, contractions on GPUs multiply f16.
GRAPH = """
#i = affine_map<(f, i, j, c, k, l) -> (c, i + k - 1, j + l - 1)>
#w = affine_map<(f, i, j, c, k, l) -> (f, c, k, l)>
#o = affine_map<(f, i, j, c, k, l) -> (f, i, j)>
#x = affine_map<(f, i, j, c) -> (c, i, j)>
#v = affine_map<(f, i, j, c) -> (f, c)>
#y = affine_map<(f, i, j, c) -> (f, i, j)>
func.func @main(%x: tensor<8x30x30xf32> {strata.name = "x"}, %w: tensor<16x8x3x3xf32> {strata.name = "w"},
                %v: tensor<24x16xf32> {strata.name = "v"}) -> (RESULTS) {
  %c = "strata.contract"(%x, %w) {maps = [#i, #w, #o], zero_pad = true, origin = "conv"}
       : (tensor<8x30x30xf32>, tensor<16x8x3x3xf32>) -> tensor<16x30x30xf32>
  %r = "strata.relu"(%c) : (tensor<16x30x30xf32>) -> tensor<16x30x30xf32>
  %m = "strata.window"(%r) {kind = "max", window = array<i64: 1, 3, 3>, strides = array<i64: 1, 2, 2>,
       dilations = array<i64: 1, 1, 1>, low = array<i64: 0, 1, 1>, high = array<i64: 0, 0, 0>}
       : (tensor<16x30x30xf32>) -> tensor<16x15x15xf32>
  %y = "strata.contract"(%m, %v) {maps = [#x, #v, #y], zero_pad = false, origin = "conv"}
       : (tensor<16x15x15xf32>, tensor<24x16xf32>) -> tensor<24x15x15xf32>
  return VALUES
}
"""
Y, R = 'tensor<24x15x15xf32> {strata.name = "y"}', 'tensor<16x30x30xf32> {strata.name = "r"}'
FORMS = {"narrow": (Y, "%y : tensor<24x15x15xf32>"),
         "wide": (f"{Y}, {R}", "%y, %r : tensor<24x15x15xf32>, tensor<16x30x30xf32>")}


def run(name, inputs, folder):
    path = os.path.join(folder, name + ".mlir")
    with open(path, "w") as file:
        file.write(GRAPH.replace("RESULTS", FORMS[name][0]).replace("VALUES", FORMS[name][1]))
    level2 = os.path.join(folder, name + ".affine.mlir")
    strata.strata(path, "--compile-to=affine", "-o", level2, *OPTIONS)
    with open(level2) as file:
        is_wide = "memref<16x30x30xf16>" not in file.read()
    assert is_wide == (name == "wide"), f"{name}: the window reads another type"
    library = gpu.Library(strata.compile_library(path, folder, name, OPTIONS)[0])
    outputs = library.run(inputs)
    library.unload()
    return outputs[0]


def main():
    gpu.use_stand_in()
    random = np.random.default_rng(0)
    inputs = [random.standard_normal(shape).astype(np.float32) for shape in ((8, 30, 30), (16, 8, 3, 3), (24, 16))]
    with tempfile.TemporaryDirectory() as folder:
        narrow, wide = run("narrow", inputs, folder), run("wide", inputs, folder)
    assert np.abs(narrow).max() > 1
    assert narrow.tobytes() == wide.tobytes(), np.abs(narrow - wide).max()


if __name__ == "__main__":
    main()
