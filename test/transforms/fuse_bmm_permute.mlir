// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A product stores its transposed result.
// CHECK: a run: 1 launches
#b_mk_kn_mn = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
func.func @main(%x: tensor<16x512x256xf16> {strata.name = "x"}, %y: tensor<16x256x384xf16> {strata.name = "y"})
    -> (tensor<16x384x512xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %y) {maps = #b_mk_kn_mn, zero_pad = false, origin = "matmul"} : (tensor<16x512x256xf16>, tensor<16x256x384xf16>) -> tensor<16x512x384xf16>
  %1 = "strata.transpose"(%0) {permutation = array<i64: 0, 2, 1>} : (tensor<16x512x384xf16>) -> tensor<16x384x512xf16>
  return %1 : tensor<16x384x512xf16>
}
