// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A concat's operands are computed where it has them: products, norms, softmax each store their part.
// CHECK: a run: 2 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<2048x512xf16> {strata.name = "x"}, %w: tensor<512x256xf16> {strata.name = "w"},
                %y: tensor<2048x128xf16> {strata.name = "y"})
    -> (tensor<2048x384xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<2048x512xf16>, tensor<512x256xf16>) -> tensor<2048x256xf16>
  %1 = "strata.relu"(%0) : (tensor<2048x256xf16>) -> tensor<2048x256xf16>
  %2 = "strata.softmax"(%y) {axes = array<i64: 1>} : (tensor<2048x128xf16>) -> tensor<2048x128xf16>
  %3 = "strata.concat"(%1, %2) {axis = 1 : i64} : (tensor<2048x256xf16>, tensor<2048x128xf16>) -> tensor<2048x384xf16>
  return %3 : tensor<2048x384xf16>
}
