// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Permutes that undo one another are gone, with elementwise ops between them as well.
// CHECK: a run: 1 launches
func.func @main(%x: tensor<8x128x64xf16> {strata.name = "x"}, %y: tensor<8x64x128xf16> {strata.name = "y"})
    -> (tensor<8x128x64xf16> {strata.name = "y"}) {
  %0 = "strata.transpose"(%x) {permutation = array<i64: 0, 2, 1>} : (tensor<8x128x64xf16>) -> tensor<8x64x128xf16>
  %1 = "strata.add"(%0, %y) : (tensor<8x64x128xf16>, tensor<8x64x128xf16>) -> tensor<8x64x128xf16>
  %2 = "strata.relu"(%1) : (tensor<8x64x128xf16>) -> tensor<8x64x128xf16>
  %3 = "strata.transpose"(%2) {permutation = array<i64: 0, 2, 1>} : (tensor<8x64x128xf16>) -> tensor<8x128x64xf16>
  return %3 : tensor<8x128x64xf16>
}
