// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A permute that moves dims of size one only is a reshape.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<512x1x256xf16> {strata.name = "x"}, %w: tensor<256x256xf16> {strata.name = "w"})
    -> (tensor<512x256xf16> {strata.name = "y"}) {
  %0 = "strata.transpose"(%x) {permutation = array<i64: 1, 0, 2>} : (tensor<512x1x256xf16>) -> tensor<1x512x256xf16>
  %1 = "strata.reshape"(%0) : (tensor<1x512x256xf16>) -> tensor<512x256xf16>
  %2 = "strata.contract"(%1, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<512x256xf16>, tensor<256x256xf16>) -> tensor<512x256xf16>
  return %2 : tensor<512x256xf16>
}
