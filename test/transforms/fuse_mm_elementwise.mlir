// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A product's bias, activation, scale and residual are computed where its sums are.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<2048x512xf16> {strata.name = "x"}, %w: tensor<512x1024xf16> {strata.name = "w"},
                %b: tensor<1024xf16> {strata.name = "b"}, %r: tensor<2048x1024xf16> {strata.name = "r"})
    -> (tensor<2048x1024xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<2048x512xf16>, tensor<512x1024xf16>) -> tensor<2048x1024xf16>
  %1 = "strata.broadcast"(%b) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<1024xf16>) -> tensor<2048x1024xf16>
  %2 = "strata.add"(%0, %1) : (tensor<2048x1024xf16>, tensor<2048x1024xf16>) -> tensor<2048x1024xf16>
  %3 = "strata.gelu"(%2) : (tensor<2048x1024xf16>) -> tensor<2048x1024xf16>
  %4 = "strata.add"(%3, %r) : (tensor<2048x1024xf16>, tensor<2048x1024xf16>) -> tensor<2048x1024xf16>
  return %4 : tensor<2048x1024xf16>
}
