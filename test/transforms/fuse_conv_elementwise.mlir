// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A convolution's bias, residual and activation are computed where its sums are.
// CHECK: a run: 1 launches
#conv = [affine_map<(b, y, x, o, u, v, i) -> (b, y + u - 1, x + v - 1, i)>, affine_map<(b, y, x, o, u, v, i) -> (u, v, i, o)>, affine_map<(b, y, x, o, u, v, i) -> (b, y, x, o)>]
func.func @main(%x: tensor<8x28x28x64xf16> {strata.name = "x"}, %w: tensor<3x3x64x64xf16> {strata.name = "w"},
                %b: tensor<64xf16> {strata.name = "b"}, %r: tensor<8x28x28x64xf16> {strata.name = "r"})
    -> (tensor<8x28x28x64xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = #conv, zero_pad = true, origin = "conv"} : (tensor<8x28x28x64xf16>, tensor<3x3x64x64xf16>) -> tensor<8x28x28x64xf16>
  %1 = "strata.broadcast"(%b) {map = affine_map<(d0, d1, d2, d3) -> (d3)>} : (tensor<64xf16>) -> tensor<8x28x28x64xf16>
  %2 = "strata.add"(%0, %1) : (tensor<8x28x28x64xf16>, tensor<8x28x28x64xf16>) -> tensor<8x28x28x64xf16>
  %3 = "strata.add"(%2, %r) : (tensor<8x28x28x64xf16>, tensor<8x28x28x64xf16>) -> tensor<8x28x28x64xf16>
  %4 = "strata.relu"(%3) : (tensor<8x28x28x64xf16>) -> tensor<8x28x28x64xf16>
  return %4 : tensor<8x28x28x64xf16>
}
