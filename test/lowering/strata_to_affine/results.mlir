// Function results are computed into their buffers; what cannot be is copied.
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<6xf32> {strata.name = "x", strata.unsigned}, %[[Y0:.*]]: memref<2x3xf32> {strata.name = "y", strata.output}, %[[Y1:.*]]: memref<6xf32> {strata.output}, %[[Y2:.*]]: memref<6xf32> {strata.output}, %[[Y3:.*]]: memref<3xf32> {strata.output}, %[[Y4:.*]]: memref<6xf32> {strata.output}
// The producer stores through the reshape.
// CHECK: affine.store %{{.*}}, %[[Y0]][%[[I:.*]] floordiv 3, %[[I]] mod 3]
// CHECK: strata.nest = "exp"
// A second time, an input, a slice of another and a constant are copies.
// CHECK: affine.load %[[Y0]]
// CHECK: affine.store %{{.*}}, %[[Y1]]
// CHECK: strata.nest = "copy"
// CHECK: affine.load %[[X]]
// CHECK: affine.store %{{.*}}, %[[Y2]]
// CHECK: affine.load %[[Y0]]
// CHECK: affine.store %{{.*}}, %[[Y3]]
// CHECK: arith.constant 2.0
// CHECK: affine.store %{{.*}}, %[[Y4]]
// CHECK: return
func.func @main(%x: tensor<6xf32> {strata.name = "x", strata.unsigned}) -> (tensor<2x3xf32> {strata.name = "y"}, tensor<6xf32>, tensor<6xf32>, tensor<3xf32>, tensor<6xf32>) {
  %0 = "strata.exp"(%x) : (tensor<6xf32>) -> tensor<6xf32>
  %1 = "strata.reshape"(%0) : (tensor<6xf32>) -> tensor<2x3xf32>
  %2 = "strata.slice"(%0) {starts = array<i64: 0>, steps = array<i64: 2>} : (tensor<6xf32>) -> tensor<3xf32>
  %3 = "strata.constant"() {value = dense<2.0> : tensor<6xf32>} : () -> tensor<6xf32>
  return %1, %0, %x, %2, %3 : tensor<2x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<3xf32>, tensor<6xf32>
}
