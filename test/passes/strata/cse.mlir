// RUN: strata-opt %s --strata-cse | FileCheck %s

// CHECK-LABEL: @equal_ops
// CHECK: %[[E:.*]] = "strata.exp"(%arg0)
// CHECK-NOT: strata.exp
// CHECK: "strata.add"(%[[E]], %[[E]])
func.func @equal_ops(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "strata.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "strata.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "strata.add"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A chain is found in one walk: operands are the kept ones when their users are looked at.
// CHECK-LABEL: @chain
// CHECK-COUNT-1: strata.exp
// CHECK-COUNT-1: strata.neg
// CHECK-NOT: strata.neg
func.func @chain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "strata.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "strata.neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "strata.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "strata.neg"(%2) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @different_attributes
// CHECK: axes = array<i64: 0>
// CHECK: axes = array<i64: 1>
func.func @different_attributes(%x: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "strata.reduce"(%x) {kind = "add", axes = array<i64: 0>} : (tensor<4x4xf32>) -> tensor<4xf32>
  %1 = "strata.reduce"(%x) {kind = "add", axes = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Only the result type tells these apart.
// CHECK-LABEL: @different_types
// CHECK: tensor<2x8xf32>
// CHECK: tensor<8x2xf32>
func.func @different_types(%x: tensor<4x4xf32>) -> (tensor<2x8xf32>, tensor<8x2xf32>) {
  %0 = "strata.reshape"(%x) : (tensor<4x4xf32>) -> tensor<2x8xf32>
  %1 = "strata.reshape"(%x) : (tensor<4x4xf32>) -> tensor<8x2xf32>
  return %0, %1 : tensor<2x8xf32>, tensor<8x2xf32>
}

// CHECK-LABEL: @other_operands
// CHECK: "strata.sub"(%arg0, %arg1)
// CHECK: "strata.sub"(%arg1, %arg0)
func.func @other_operands(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "strata.sub"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "strata.sub"(%y, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
