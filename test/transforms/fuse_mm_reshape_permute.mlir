// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A product stores through the reshape and permute behind it, with its bias.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<1024x768xf16> {strata.name = "x"}, %w: tensor<768x768xf16> {strata.name = "w"},
                %b: tensor<768xf16> {strata.name = "b"})
    -> (tensor<8x12x128x64xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x768xf16>, tensor<768x768xf16>) -> tensor<1024x768xf16>
  %1 = "strata.broadcast"(%b) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<768xf16>) -> tensor<1024x768xf16>
  %2 = "strata.add"(%0, %1) : (tensor<1024x768xf16>, tensor<1024x768xf16>) -> tensor<1024x768xf16>
  %3 = "strata.reshape"(%2) : (tensor<1024x768xf16>) -> tensor<8x128x12x64xf16>
  %4 = "strata.transpose"(%3) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<8x128x12x64xf16>) -> tensor<8x12x128x64xf16>
  return %4 : tensor<8x12x128x64xf16>
}
