// RUN: strata-opt %s --strata-fold --strata-simplify --strata-dce | FileCheck %s

// A splat of a symbolic shape is the broadcast of one element, and is treated as other splats are: 1 is not multiplied
// by, splats of splats are one, what is broadcast is computed before. The head dim of the scale is a number.
#x = affine_map<()[s0] -> (s0, 64)>
#m = affine_map<()[s0] -> (s0, 12, 64)>
module {
  func.func @main(%x: tensor<?x64xf32, #x> {strata.name = "x"}) -> (tensor<?x12x64xf32, #m> {strata.name = "y"})
      attributes {strata.symbols = [{name = "batch", min = 1}]} {
    // CHECK: %[[EIGHTH:.*]] = "strata.constant"() {value = dense<1.250000e-01>
    // CHECK: %[[SCALE:.*]] = "strata.broadcast"(%[[EIGHTH]])
    // CHECK-SAME: -> tensor<?x64xf32
    // CHECK-NOT: strata.dims
    // CHECK: %[[Y:.*]] = "strata.mul"(%arg0, %[[SCALE]])
    // CHECK: %[[R:.*]] = "strata.broadcast"(%[[Y]])
    // CHECK: return %[[R]]
    %dims = "strata.dims"() {values = affine_map<()[s0] -> (s0, 64)>} : () -> tensor<2xi64>
    %head = "strata.slice"(%dims) {starts = array<i64: 1>, steps = array<i64: 1>} : (tensor<2xi64>) -> tensor<1xi64>
    %f = "strata.convert"(%head) : (tensor<1xi64>) -> tensor<1xf32>
    %scale = "strata.rsqrt"(%f) : (tensor<1xf32>) -> tensor<1xf32>
    %scales = "strata.broadcast"(%scale) {map = affine_map<(d0, d1, d2) -> (0)>} : (tensor<1xf32>) -> tensor<?x12x64xf32, #m>
    %one = "strata.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %ones = "strata.broadcast"(%one) {map = affine_map<(d0, d1) -> ()>} : (tensor<f32>) -> tensor<?x64xf32, #x>
    %same = "strata.mul"(%x, %ones) : (tensor<?x64xf32, #x>, tensor<?x64xf32, #x>) -> tensor<?x64xf32, #x>
    %wide = "strata.broadcast"(%same) {map = affine_map<(d0, d1, d2) -> (d0, d2)>} : (tensor<?x64xf32, #x>) -> tensor<?x12x64xf32, #m>
    %y = "strata.mul"(%wide, %scales) : (tensor<?x12x64xf32, #m>, tensor<?x12x64xf32, #m>) -> tensor<?x12x64xf32, #m>
    return %y : tensor<?x12x64xf32, #m>
  }
}
