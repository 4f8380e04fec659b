// RUN: strata-opt %s --split-input-file --strata-sink-views --strata-dce | FileCheck %s

// What follows a concat of contracts, be it reshaped, is done to each part, with its part of what else is read.
// CHECK-LABEL: @phases
// CHECK-DAG: %[[P:.*]] = "strata.contract"(%arg0, %arg1)
// CHECK-DAG: %[[Q:.*]] = "strata.contract"(%arg0, %arg2)
// CHECK: "strata.slice"({{.*}}) {starts = array<i64: 0, 0, 0>
// CHECK: %[[S:.*]] = "strata.add"(%{{.*}}, %[[P]]) : (tensor<4x6x1xf32>
// CHECK: "strata.slice"({{.*}}) {starts = array<i64: 0, 0, 1>
// CHECK: %[[T:.*]] = "strata.add"(%{{.*}}, %[[Q]]) : (tensor<4x6x1xf32>
// CHECK-DAG: %[[E:.*]] = "strata.exp"(%[[S]])
// CHECK-DAG: %[[F:.*]] = "strata.exp"(%[[T]])
// CHECK-DAG: %[[G:.*]] = "strata.mul"(%[[S]], %[[E]])
// CHECK-DAG: %[[H:.*]] = "strata.mul"(%[[T]], %[[F]])
// CHECK: %[[C:.*]] = "strata.concat"(%[[G]], %[[H]]) {axis = 2 : i64}
// CHECK: %[[R:.*]] = "strata.reshape"(%[[C]])
// CHECK: return %[[R]] : tensor<4x12xf32>
func.func @phases(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x6xf32>, %y: tensor<4x12xf32>) -> tensor<4x12xf32> {
  %0 = "strata.contract"(%x, %v) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], origin = "matmul", zero_pad = false} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = "strata.contract"(%x, %w) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], origin = "matmul", zero_pad = false} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %2 = "strata.reshape"(%0) : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
  %3 = "strata.reshape"(%1) : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
  %4 = "strata.concat"(%2, %3) {axis = 2 : i64} : (tensor<4x6x1xf32>, tensor<4x6x1xf32>) -> tensor<4x6x2xf32>
  %5 = "strata.reshape"(%4) : (tensor<4x6x2xf32>) -> tensor<4x12xf32>
  %6 = "strata.add"(%y, %5) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
  %7 = "strata.exp"(%6) : (tensor<4x12xf32>) -> tensor<4x12xf32>
  %8 = "strata.mul"(%6, %7) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
  return %8 : tensor<4x12xf32>
}

// -----

// A part that no contract computes would be a kernel of its own.
// CHECK-LABEL: @not_past_an_input
// CHECK: %[[C:.*]] = "strata.concat"
// CHECK: "strata.exp"(%[[C]])
func.func @not_past_an_input(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x12xf32> {
  %0 = "strata.contract"(%x, %v) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], origin = "matmul", zero_pad = false} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = "strata.concat"(%0, %y) {axis = 1 : i64} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  %2 = "strata.exp"(%1) : (tensor<4x12xf32>) -> tensor<4x12xf32>
  return %2 : tensor<4x12xf32>
}

// -----

// A part that somebody else reads as it is has to be stored as it is.
// CHECK-LABEL: @not_past_other_readers
// CHECK: %[[C:.*]] = "strata.concat"
// CHECK: "strata.exp"(%[[C]])
func.func @not_past_other_readers(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x6xf32>) -> (tensor<4x12xf32>, tensor<4x6xf32>) {
  %0 = "strata.contract"(%x, %v) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], origin = "matmul", zero_pad = false} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = "strata.contract"(%x, %w) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], origin = "matmul", zero_pad = false} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %2 = "strata.concat"(%0, %1) {axis = 1 : i64} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  %3 = "strata.exp"(%2) : (tensor<4x12xf32>) -> tensor<4x12xf32>
  return %3, %0 : tensor<4x12xf32>, tensor<4x6xf32>
}
