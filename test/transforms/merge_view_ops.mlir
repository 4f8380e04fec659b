// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Reshapes in a row are one, and none where they undo one another.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<2048x512xf16> {strata.name = "x"}, %w: tensor<512x512xf16> {strata.name = "w"})
    -> (tensor<2048x512xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<2048x512xf16>, tensor<512x512xf16>) -> tensor<2048x512xf16>
  %1 = "strata.reshape"(%0) : (tensor<2048x512xf16>) -> tensor<16x128x512xf16>
  %2 = "strata.reshape"(%1) : (tensor<16x128x512xf16>) -> tensor<16x128x8x64xf16>
  %3 = "strata.reshape"(%2) : (tensor<16x128x8x64xf16>) -> tensor<2048x512xf16>
  %4 = "strata.relu"(%3) : (tensor<2048x512xf16>) -> tensor<2048x512xf16>
  return %4 : tensor<2048x512xf16>
}
