// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// What no result depends on is not computed: a branch that nobody reads, the parts of a split that are not used.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<1024x768xf16> {strata.name = "x"}, %w: tensor<256x256xf16> {strata.name = "w"})
    -> (tensor<1024x256xf16> {strata.name = "y"}) {
  %0 = "strata.slice"(%x) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<1024x768xf16>) -> tensor<1024x256xf16>
  %1 = "strata.slice"(%x) {starts = array<i64: 0, 256>, steps = array<i64: 1, 1>} : (tensor<1024x768xf16>) -> tensor<1024x256xf16>
  %2 = "strata.contract"(%1, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x256xf16>, tensor<256x256xf16>) -> tensor<1024x256xf16>
  %3 = "strata.exp"(%2) : (tensor<1024x256xf16>) -> tensor<1024x256xf16>
  %4 = "strata.contract"(%0, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x256xf16>, tensor<256x256xf16>) -> tensor<1024x256xf16>
  %5 = "strata.relu"(%4) : (tensor<1024x256xf16>) -> tensor<1024x256xf16>
  return %5 : tensor<1024x256xf16>
}
