// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Two products of one operand that meet in a gate are one kernel, which never stores either; so are the halves of
// one product with a packed weight.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<2048x512xf16> {strata.name = "x"}, %w: tensor<512x2048xf16> {strata.name = "w"},
                %b: tensor<2048xf16> {strata.name = "b"})
    -> (tensor<2048x1024xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<2048x512xf16>, tensor<512x2048xf16>) -> tensor<2048x2048xf16>
  %1 = "strata.broadcast"(%b) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<2048xf16>) -> tensor<2048x2048xf16>
  %2 = "strata.add"(%0, %1) : (tensor<2048x2048xf16>, tensor<2048x2048xf16>) -> tensor<2048x2048xf16>
  %3 = "strata.slice"(%2) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<2048x2048xf16>) -> tensor<2048x1024xf16>
  %4 = "strata.slice"(%2) {starts = array<i64: 0, 1024>, steps = array<i64: 1, 1>} : (tensor<2048x2048xf16>) -> tensor<2048x1024xf16>
  %5 = "strata.gelu"(%4) : (tensor<2048x1024xf16>) -> tensor<2048x1024xf16>
  %6 = "strata.mul"(%3, %5) : (tensor<2048x1024xf16>, tensor<2048x1024xf16>) -> tensor<2048x1024xf16>
  return %6 : tensor<2048x1024xf16>
}
