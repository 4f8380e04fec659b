// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu -o %t
// RUN: FileCheck %s --input-file=%t/strata_mlir_artifact.gpu.mlir

// Heads of 40 side by side in a row of 80: for the copy engine each is a row of its own, behind whose end there is
// nothing. Values need no end: there are 40 of them.
// CHECK: strata.maps = [{box = array<i64: 64, 1, 64, 1>, buffer = 0 : i64, sizes = array<i64: 40, 2, 128, 2>,
// CHECK-SAME: {box = array<i64: 64, 1, 128, 1>, buffer = 1 : i64, sizes = array<i64: 40, 2, 128, 2>,
// CHECK-SAME: {box = array<i64: 64, 128, 1>, buffer = 2 : i64, sizes = array<i64: 80, 128, 2>,
func.func @main(%q: tensor<2x128x80xf16> {strata.name = "q"}, %k: tensor<2x128x80xf16> {strata.name = "k"}, %v: tensor<2x128x80xf16> {strata.name = "v"}) -> (tensor<2x128x80xf16> {strata.name = "y"}) {
  %q1 = "strata.reshape"(%q) : (tensor<2x128x80xf16>) -> tensor<2x128x2x40xf16>
  %k1 = "strata.reshape"(%k) : (tensor<2x128x80xf16>) -> tensor<2x128x2x40xf16>
  %v1 = "strata.reshape"(%v) : (tensor<2x128x80xf16>) -> tensor<2x128x2x40xf16>
  %s = "strata.contract"(%q1, %k1) {maps = [affine_map<(b, h, i, j, d) -> (b, i, h, d)>, affine_map<(b, h, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], zero_pad = false, origin = "matmul"} : (tensor<2x128x2x40xf16>, tensor<2x128x2x40xf16>) -> tensor<2x2x128x128xf16>
  %w = "strata.softmax"(%s) {axes = array<i64: 3>} : (tensor<2x2x128x128xf16>) -> tensor<2x2x128x128xf16>
  %y = "strata.contract"(%w, %v1) {maps = [affine_map<(b, i, h, e, j) -> (b, h, i, j)>, affine_map<(b, i, h, e, j) -> (b, j, h, e)>, affine_map<(b, i, h, e, j) -> (b, i, h, e)>], zero_pad = false, origin = "matmul"} : (tensor<2x2x128x128xf16>, tensor<2x128x2x40xf16>) -> tensor<2x128x2x40xf16>
  %y1 = "strata.reshape"(%y) : (tensor<2x128x2x40xf16>) -> tensor<2x128x80xf16>
  return %y1 : tensor<2x128x80xf16>
}
