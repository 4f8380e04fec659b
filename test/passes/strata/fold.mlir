// RUN: strata-opt %s --strata-fold --strata-dce | FileCheck %s
// RUN: strata-opt %s --strata-fold --strata-dce --disable-constant-folding | FileCheck %s --check-prefix=OFF

// CHECK-LABEL: @small
// CHECK-NEXT: value = dense<[4.000000e+00, 6.000000e+00]>
// CHECK-NEXT: return
// OFF-LABEL: @small
// OFF: strata.add
func.func @small() -> tensor<2xf32> {
  %0 = "strata.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %1 = "strata.constant"() {value = dense<[3.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %2 = "strata.add"(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// Splats fold at any size, elementwise and moved.
// CHECK-LABEL: @splats
// CHECK-NEXT: value = dense<6.000000e+00> : tensor<1000x2000xf32>
// CHECK-NEXT: return
func.func @splats() -> tensor<1000x2000xf32> {
  %0 = "strata.constant"() {value = dense<2.0> : tensor<2000x1000xf32>} : () -> tensor<2000x1000xf32>
  %1 = "strata.constant"() {value = dense<3.0> : tensor<1000x2000xf32>} : () -> tensor<1000x2000xf32>
  %2 = "strata.transpose"(%0) {permutation = array<i64: 1, 0>} : (tensor<2000x1000xf32>) -> tensor<1000x2000xf32>
  %3 = "strata.mul"(%2, %1) : (tensor<1000x2000xf32>, tensor<1000x2000xf32>) -> tensor<1000x2000xf32>
  return %3 : tensor<1000x2000xf32>
}

// Other values around a splat.
// CHECK-LABEL: @padded_splat
// CHECK: strata.pad
func.func @padded_splat() -> tensor<10000xf32> {
  %0 = "strata.constant"() {value = dense<2.0> : tensor<9999xf32>} : () -> tensor<9999xf32>
  %1 = "strata.pad"(%0) {low = array<i64: 1>, high = array<i64: 0>, value = 0.0 : f32} : (tensor<9999xf32>) -> tensor<10000xf32>
  return %1 : tensor<10000xf32>
}

// Weights are left to the preparation program, but another shape of the same bytes is the same constant.
// CHECK-LABEL: @weights
// CHECK: {data = "w"} : () -> tensor<64x128xf32>
// CHECK-NOT: strata.reshape
// CHECK: strata.neg
func.func @weights() -> tensor<64x128xf32> {
  %0 = "strata.constant"() {data = "w"} : () -> tensor<128x64xf32>
  %1 = "strata.reshape"(%0) : (tensor<128x64xf32>) -> tensor<64x128xf32>
  %2 = "strata.neg"(%1) : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}

// A bias is the same along some dims: that is kept, or found.
// CHECK-LABEL: @bias
// CHECK: %[[B:.*]] = "strata.constant"() {value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>}
// CHECK: "strata.broadcast"(%[[B]])
func.func @bias() -> tensor<2x3xf32> {
  %0 = "strata.constant"() {value = dense<[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Shape arithmetic folds through broadcasts of integers.
// CHECK-LABEL: @integers
// CHECK-NEXT: value = dense<3> : tensor<2xi64>
// CHECK-NEXT: return
func.func @integers() -> tensor<2xi64> {
  %0 = "strata.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %1 = "strata.broadcast"(%0) {map = affine_map<(a) -> ()>} : (tensor<i64>) -> tensor<2xi64>
  return %1 : tensor<2xi64>
}
