// RUN: strata-opt %s --strata-dce | FileCheck %s

// A whole chain goes in one walk.
// CHECK-LABEL: @unused
// CHECK-NEXT: return %arg0
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "strata.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "strata.softmax"(%0) {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// One result of two is used.
// CHECK-LABEL: @half_used
// CHECK: strata.sort
func.func @half_used(%x: tensor<4xf32>) -> tensor<4xi64> {
  %0:2 = "strata.sort"(%x) {axis = 0 : i64, descending = false, unsigned = false} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return %0#1 : tensor<4xi64>
}

// Nothing is known of ops of other dialects.
// CHECK-LABEL: @other_dialect
// CHECK: tensor.empty
func.func @other_dialect() {
  %0 = tensor.empty() : tensor<4xf32>
  return
}
