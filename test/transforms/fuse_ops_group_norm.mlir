// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A group norm, its scale and shift and the swish behind it are one kernel, or two where a group has more elements
// than some blocks can hold.
// CHECK: a run: 1 launches
func.func @main(%x: tensor<2x640x32x32xf16> {strata.name = "x"}, %g: tensor<640xf16> {strata.name = "g"},
                %b: tensor<640xf16> {strata.name = "b"})
    -> (tensor<2x640x32x32xf16> {strata.name = "y"}) {
  %0 = "strata.reshape"(%x) : (tensor<2x640x32x32xf16>) -> tensor<2x32x20480xf16>
  %1 = "strata.normalize"(%0) {axes = array<i64: 2>, epsilon = 1.0e-05 : f64} : (tensor<2x32x20480xf16>) -> tensor<2x32x20480xf16>
  %2 = "strata.reshape"(%1) : (tensor<2x32x20480xf16>) -> tensor<2x640x32x32xf16>
  %3 = "strata.broadcast"(%g) {map = affine_map<(n, c, h, w) -> (c)>} : (tensor<640xf16>) -> tensor<2x640x32x32xf16>
  %4 = "strata.mul"(%2, %3) : (tensor<2x640x32x32xf16>, tensor<2x640x32x32xf16>) -> tensor<2x640x32x32xf16>
  %5 = "strata.broadcast"(%b) {map = affine_map<(n, c, h, w) -> (c)>} : (tensor<640xf16>) -> tensor<2x640x32x32xf16>
  %6 = "strata.add"(%4, %5) : (tensor<2x640x32x32xf16>, tensor<2x640x32x32xf16>) -> tensor<2x640x32x32xf16>
  %7 = "strata.silu"(%6) : (tensor<2x640x32x32xf16>) -> tensor<2x640x32x32xf16>
  return %7 : tensor<2x640x32x32xf16>
}
