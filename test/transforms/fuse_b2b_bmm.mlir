// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Two products with an activation between are one kernel: the scores stay in registers.
// CHECK: a run: 1 launches
#b_mk_nk_mn = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
#b_mk_kn_mn = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
func.func @main(%q: tensor<64x256x64xf16> {strata.name = "q"}, %k: tensor<64x256x64xf16> {strata.name = "k"},
                %v: tensor<64x256x64xf16> {strata.name = "v"})
    -> (tensor<64x256x64xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%q, %k) {maps = #b_mk_nk_mn, zero_pad = false, origin = "matmul"} : (tensor<64x256x64xf16>, tensor<64x256x64xf16>) -> tensor<64x256x256xf16>
  %1 = "strata.constant"() {value = dense<0.125> : tensor<64x256x256xf16>} : () -> tensor<64x256x256xf16>
  %2 = "strata.mul"(%0, %1) : (tensor<64x256x256xf16>, tensor<64x256x256xf16>) -> tensor<64x256x256xf16>
  %3 = "strata.silu"(%2) : (tensor<64x256x256xf16>) -> tensor<64x256x256xf16>
  %4 = "strata.contract"(%3, %v) {maps = #b_mk_kn_mn, zero_pad = false, origin = "matmul"} : (tensor<64x256x256xf16>, tensor<64x256x64xf16>) -> tensor<64x256x64xf16>
  return %4 : tensor<64x256x64xf16>
}
