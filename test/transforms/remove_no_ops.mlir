// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Reshapes to the same shape, transposes that keep the order, whole slices, and casts to the type that is there
// already are nothing.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<1024x512xf16> {strata.name = "x"}, %w: tensor<512x512xf16> {strata.name = "w"})
    -> (tensor<1024x512xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x512xf16>, tensor<512x512xf16>) -> tensor<1024x512xf16>
  %1 = "strata.reshape"(%0) : (tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %2 = "strata.transpose"(%1) {permutation = array<i64: 0, 1>} : (tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %3 = "strata.slice"(%2) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %4 = "strata.convert"(%3) : (tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %5 = "strata.relu"(%4) : (tensor<1024x512xf16>) -> tensor<1024x512xf16>
  return %5 : tensor<1024x512xf16>
}
