// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Products with one column, few columns or a short sum are kernels that read memory at its speed, not tiles that are
// mostly empty.
// CHECK: a run: 1 launches
#b_mk_kn_mn = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
func.func @main(%x: tensor<16x4096x256xf16> {strata.name = "x"}, %y: tensor<16x256x1xf16> {strata.name = "y"})
    -> (tensor<16x4096x1xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %y) {maps = #b_mk_kn_mn, zero_pad = false, origin = "matmul"} : (tensor<16x4096x256xf16>, tensor<16x256x1xf16>) -> tensor<16x4096x1xf16>
  return %0 : tensor<16x4096x1xf16>
}
