// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A slice is read where it is, by a product or a norm.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<2048x768xf16> {strata.name = "x"}, %w: tensor<256x256xf16> {strata.name = "w"})
    -> (tensor<2048x256xf16> {strata.name = "y"}) {
  %0 = "strata.slice"(%x) {starts = array<i64: 0, 256>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x256xf16>
  %1 = "strata.contract"(%0, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<2048x256xf16>, tensor<256x256xf16>) -> tensor<2048x256xf16>
  return %1 : tensor<2048x256xf16>
}
