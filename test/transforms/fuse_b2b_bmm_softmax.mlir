// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Attention is one kernel, with masks and head dims of any size.
// CHECK: a run: 1 launches
#b_mk_nk_mn = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
#b_mk_kn_mn = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
func.func @main(%q: tensor<32x512x40xf16> {strata.name = "q"}, %k: tensor<32x512x40xf16> {strata.name = "k"},
                %v: tensor<32x512x40xf16> {strata.name = "v"}, %m: tensor<512x512xi1> {strata.name = "m"})
    -> (tensor<32x512x40xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%q, %k) {maps = #b_mk_nk_mn, zero_pad = false, origin = "matmul"} : (tensor<32x512x40xf16>, tensor<32x512x40xf16>) -> tensor<32x512x512xf16>
  %1 = "strata.constant"() {value = dense<0.158> : tensor<32x512x512xf16>} : () -> tensor<32x512x512xf16>
  %2 = "strata.mul"(%0, %1) : (tensor<32x512x512xf16>, tensor<32x512x512xf16>) -> tensor<32x512x512xf16>
  %3 = "strata.broadcast"(%m) {map = affine_map<(b, m, n) -> (m, n)>} : (tensor<512x512xi1>) -> tensor<32x512x512xi1>
  %4 = "strata.constant"() {value = dense<-1.0e+04> : tensor<32x512x512xf16>} : () -> tensor<32x512x512xf16>
  %5 = "strata.select"(%3, %2, %4) : (tensor<32x512x512xi1>, tensor<32x512x512xf16>, tensor<32x512x512xf16>) -> tensor<32x512x512xf16>
  %6 = "strata.softmax"(%5) {axes = array<i64: 2>} : (tensor<32x512x512xf16>) -> tensor<32x512x512xf16>
  %7 = "strata.contract"(%6, %v) {maps = #b_mk_kn_mn, zero_pad = false, origin = "matmul"} : (tensor<32x512x512xf16>, tensor<32x512x40xf16>) -> tensor<32x512x40xf16>
  return %7 : tensor<32x512x40xf16>
}
