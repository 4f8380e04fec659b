// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Batched products with odd rows are loaded as they are.
// CHECK: a run: 1 launches
#b_mk_kn_mn = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
func.func @main(%x: tensor<16x197x64xf16> {strata.name = "x"}, %y: tensor<16x64x197xf16> {strata.name = "y"})
    -> (tensor<16x197x197xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %y) {maps = #b_mk_kn_mn, zero_pad = false, origin = "matmul"} : (tensor<16x197x64xf16>, tensor<16x64x197xf16>) -> tensor<16x197x197xf16>
  return %0 : tensor<16x197x197xf16>
}
