// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A split whose parts are concatenated again in order, slices side by side, concats of concats: none copies but the
// last.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<1024x512xf16> {strata.name = "x"}, %w: tensor<512x256xf16> {strata.name = "w"})
    -> (tensor<1024x256xf16> {strata.name = "y"}) {
  %0 = "strata.slice"(%x) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<1024x512xf16>) -> tensor<1024x256xf16>
  %1 = "strata.slice"(%x) {starts = array<i64: 0, 256>, steps = array<i64: 1, 1>} : (tensor<1024x512xf16>) -> tensor<1024x256xf16>
  %2 = "strata.concat"(%0, %1) {axis = 1 : i64} : (tensor<1024x256xf16>, tensor<1024x256xf16>) -> tensor<1024x512xf16>
  %3 = "strata.contract"(%2, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x512xf16>, tensor<512x256xf16>) -> tensor<1024x256xf16>
  return %3 : tensor<1024x256xf16>
}
