// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// So it is through reshapes and transposes between.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<2048x768xf16> {strata.name = "x"}, %w: tensor<256x256xf16> {strata.name = "w"})
    -> (tensor<2048x256xf16> {strata.name = "y"}) {
  %0 = "strata.reshape"(%x) : (tensor<2048x768xf16>) -> tensor<16x128x768xf16>
  %1 = "strata.slice"(%0) {starts = array<i64: 0, 0, 256>, steps = array<i64: 1, 1, 1>} : (tensor<16x128x768xf16>) -> tensor<16x128x256xf16>
  %2 = "strata.reshape"(%1) : (tensor<16x128x256xf16>) -> tensor<2048x256xf16>
  %3 = "strata.contract"(%2, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<2048x256xf16>, tensor<256x256xf16>) -> tensor<2048x256xf16>
  return %3 : tensor<2048x256xf16>
}
