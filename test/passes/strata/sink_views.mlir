// RUN: strata-opt %s --split-input-file --strata-sink-views --strata-dce | FileCheck %s

// CHECK-LABEL: @past_elementwise
// CHECK: %[[B:.*]] = "strata.broadcast"(%arg1) {{.*}} -> tensor<4x6xf32>
// CHECK: %[[A:.*]] = "strata.add"(%arg0, %[[B]]) : (tensor<4x6xf32>, tensor<4x6xf32>)
// CHECK: %[[E:.*]] = "strata.exp"(%[[A]])
// CHECK: "strata.reshape"(%[[E]]) : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
func.func @past_elementwise(%x: tensor<4x6xf32>, %b: tensor<4xf32>) -> tensor<4x2x3xf32> {
  %0 = "strata.reshape"(%x) : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  %1 = "strata.broadcast"(%b) {map = affine_map<(a, b, c) -> (a)>} : (tensor<4xf32>) -> tensor<4x2x3xf32>
  %2 = "strata.add"(%0, %1) : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  %3 = "strata.exp"(%2) : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  return %3 : tensor<4x2x3xf32>
}

// -----

// A residual cannot be seen from before the reshape.
// CHECK-LABEL: @not_past_a_value
// CHECK: strata.reshape
// CHECK: strata.add
func.func @not_past_a_value(%x: tensor<4x6xf32>, %y: tensor<4x2x3xf32>) -> tensor<4x2x3xf32> {
  %0 = "strata.reshape"(%x) : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  %1 = "strata.add"(%0, %y) : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// -----

// A bias over part of a dim that the reshape splits.
// CHECK-LABEL: @not_past_a_partial_bias
// CHECK: strata.reshape
// CHECK: strata.add
func.func @not_past_a_partial_bias(%x: tensor<4x6xf32>, %b: tensor<3xf32>) -> tensor<4x2x3xf32> {
  %0 = "strata.reshape"(%x) : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  %1 = "strata.broadcast"(%b) {map = affine_map<(a, b, c) -> (c)>} : (tensor<3xf32>) -> tensor<4x2x3xf32>
  %2 = "strata.add"(%0, %1) : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  return %2 : tensor<4x2x3xf32>
}

// -----

// The same view twice is one view of the sum.
// CHECK-LABEL: @same_views
// CHECK-NEXT: %[[A:.*]] = "strata.mul"(%arg0, %arg1)
// CHECK-NEXT: "strata.transpose"(%[[A]])
func.func @same_views(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = "strata.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = "strata.transpose"(%y) {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %2 = "strata.mul"(%0, %1) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// -----

// CHECK-LABEL: @past_reduce
// CHECK-NEXT: %[[S:.*]] = "strata.reduce"(%arg0) {axes = array<i64: 2, 3>, kind = "add"}
// CHECK-NEXT: return %[[S]] : tensor<2x3xf32>
func.func @past_reduce(%x: tensor<2x3x4x5xf32>) -> tensor<2x3xf32> {
  %0 = "strata.reshape"(%x) : (tensor<2x3x4x5xf32>) -> tensor<2x3x20xf32>
  %1 = "strata.reduce"(%0) {kind = "add", axes = array<i64: 2>} : (tensor<2x3x20xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: @past_reduce_in_order
// CHECK: %[[S:.*]] = "strata.reduce"(%arg0) {axes = array<i64: 1>, kind = "max"} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
// CHECK: "strata.transpose"(%[[S]]) {permutation = array<i64: 1, 0>}
func.func @past_reduce_in_order(%x: tensor<2x3x4xf32>) -> tensor<4x2xf32> {
  %0 = "strata.transpose"(%x) {permutation = array<i64: 2, 1, 0>} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %1 = "strata.reduce"(%0) {kind = "max", axes = array<i64: 1>} : (tensor<4x3x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// -----

// Half of a merged dim is summed up.
// CHECK-LABEL: @not_past_reduce
// CHECK: strata.reshape
// CHECK: strata.reduce
func.func @not_past_reduce(%x: tensor<12xf32>) -> tensor<3xf32> {
  %0 = "strata.reshape"(%x) : (tensor<12xf32>) -> tensor<3x4xf32>
  %1 = "strata.reduce"(%0) {kind = "add", axes = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

// One of three parts: a range of the unsplit dim.
// CHECK-LABEL: @past_slice
// CHECK-NEXT: %[[S:.*]] = "strata.slice"(%arg0) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<5x24xf32>) -> tensor<5x8xf32>
// CHECK-NEXT: "strata.reshape"(%[[S]])
func.func @past_slice(%x: tensor<5x24xf32>) -> tensor<1x5x8xf32> {
  %0 = "strata.reshape"(%x) : (tensor<5x24xf32>) -> tensor<5x3x8xf32>
  %1 = "strata.transpose"(%0) {permutation = array<i64: 1, 0, 2>} : (tensor<5x3x8xf32>) -> tensor<3x5x8xf32>
  %2 = "strata.slice"(%1) {starts = array<i64: 1, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<3x5x8xf32>) -> tensor<1x5x8xf32>
  return %2 : tensor<1x5x8xf32>
}

// -----

// Half of each of three parts is not.
// CHECK-LABEL: @not_past_slice
// CHECK: strata.reshape
// CHECK: strata.slice
func.func @not_past_slice(%x: tensor<24xf32>) -> tensor<3x4xf32> {
  %0 = "strata.reshape"(%x) : (tensor<24xf32>) -> tensor<3x8xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 0, 4>, steps = array<i64: 1, 1>} : (tensor<3x8xf32>) -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: @past_concat
// CHECK-NEXT: %[[C:.*]] = "strata.concat"(%arg0, %arg1) {axis = 0 : i64}
// CHECK-NEXT: "strata.transpose"(%[[C]])
func.func @past_concat(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<6x8xf32> {
  %0 = "strata.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = "strata.transpose"(%y) {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %2 = "strata.concat"(%0, %1) {axis = 1 : i64} : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
}

// -----

// Weights and what is computed from them: reshapes go the other way.
// CHECK-LABEL: @constants
// CHECK: %[[W:.*]] = "strata.reshape"(%{{.*}}) : (tensor<8x600xf32>) -> tensor<8x20x30xf32>
// CHECK: %[[N:.*]] = "strata.neg"(%[[W]])
// CHECK: "strata.add"(%arg0, %[[N]])
func.func @constants(%x: tensor<8x20x30xf32>) -> tensor<8x20x30xf32> {
  %w = "strata.constant"() {data = "w"} : () -> tensor<8x600xf32>
  %0 = "strata.neg"(%w) : (tensor<8x600xf32>) -> tensor<8x600xf32>
  %1 = "strata.reshape"(%0) : (tensor<8x600xf32>) -> tensor<8x20x30xf32>
  %2 = "strata.add"(%x, %1) : (tensor<8x20x30xf32>, tensor<8x20x30xf32>) -> tensor<8x20x30xf32>
  return %2 : tensor<8x20x30xf32>
}
