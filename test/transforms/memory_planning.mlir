// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Intermediates that are not needed at the same time share memory: the pool is as large as the two that are.
// CHECK: a run: 3 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<1024x1024xf16> {strata.name = "x"}, %w: tensor<1024x1024xf16> {strata.name = "w"})
    -> (tensor<1024x1024xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %1 = "strata.contract"(%0, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %2 = "strata.contract"(%1, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  return %2 : tensor<1024x1024xf16>
}
