// RUN: strata-opt %s --strata-simplify --strata-dce | FileCheck %s

// CHECK: #[[COLUMNS:.*]] = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: @nothing
// CHECK-NEXT: return %arg0
func.func @nothing(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = "strata.transpose"(%x) {permutation = array<i64: 0, 1>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = "strata.reshape"(%0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = "strata.slice"(%1) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = "strata.pad"(%2) {low = array<i64: 0, 0>, high = array<i64: 0, 0>, value = 0.0 : f32} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %4 = "strata.broadcast"(%3) {map = affine_map<(a, b) -> (a, b)>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %4 : tensor<4x6xf32>
}

// CHECK-LABEL: @back_and_forth
// CHECK-NEXT: return %arg0
func.func @back_and_forth(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = "strata.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = "strata.transpose"(%0) {permutation = array<i64: 1, 0>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %2 = "strata.reshape"(%1) : (tensor<4x6xf32>) -> tensor<24xf32>
  %3 = "strata.reshape"(%2) : (tensor<24xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// CHECK-LABEL: @transposes
// CHECK-NEXT: "strata.transpose"(%arg0) {permutation = array<i64: 2, 1, 0>}
// CHECK-NEXT: return
func.func @transposes(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %0 = "strata.transpose"(%x) {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %1 = "strata.transpose"(%0) {permutation = array<i64: 2, 0, 1>} : (tensor<3x2x4xf32>) -> tensor<4x3x2xf32>
  return %1 : tensor<4x3x2xf32>
}

// Only a size 1 moves.
// CHECK-LABEL: @transpose_ones
// CHECK-NEXT: "strata.reshape"(%arg0) : (tensor<2x1x4xf32>) -> tensor<2x4x1xf32>
func.func @transpose_ones(%x: tensor<2x1x4xf32>) -> tensor<2x4x1xf32> {
  %0 = "strata.transpose"(%x) {permutation = array<i64: 0, 2, 1>} : (tensor<2x1x4xf32>) -> tensor<2x4x1xf32>
  return %0 : tensor<2x4x1xf32>
}

// CHECK-LABEL: @transposed_broadcast
// CHECK-NEXT: "strata.broadcast"(%arg0) {map = #[[COLUMNS]]} : (tensor<4xf32>) -> tensor<4x2xf32>
func.func @transposed_broadcast(%x: tensor<4xf32>) -> tensor<4x2xf32> {
  %0 = "strata.broadcast"(%x) {map = affine_map<(a, b) -> (b)>} : (tensor<4xf32>) -> tensor<2x4xf32>
  %1 = "strata.transpose"(%0) {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// The dims that are broadcast alike may be merged, and those that are not.
// CHECK-LABEL: @reshaped_broadcast
// CHECK-NEXT: %[[X:.*]] = "strata.reshape"(%arg0) : (tensor<2x4xf32>) -> tensor<8xf32>
// CHECK-NEXT: "strata.broadcast"(%[[X]]) {{.*}} : (tensor<8xf32>) -> tensor<15x8xf32>
func.func @reshaped_broadcast(%x: tensor<2x4xf32>) -> tensor<15x8xf32> {
  %0 = "strata.broadcast"(%x) {map = affine_map<(a, b, c, d) -> (c, d)>} : (tensor<2x4xf32>) -> tensor<3x5x2x4xf32>
  %1 = "strata.reshape"(%0) : (tensor<3x5x2x4xf32>) -> tensor<15x8xf32>
  return %1 : tensor<15x8xf32>
}

// A dim that is broadcast cannot be merged with one that is not.
// CHECK-LABEL: @mixed
// CHECK: strata.broadcast
// CHECK: strata.reshape
func.func @mixed(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = "strata.broadcast"(%x) {map = affine_map<(a, b) -> (b)>} : (tensor<4xf32>) -> tensor<2x4xf32>
  %1 = "strata.reshape"(%0) : (tensor<2x4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @broadcast_of_views
// CHECK-NEXT: "strata.broadcast"(%arg0) {{.*}} : (tensor<2x4xf32>) -> tensor<4x2x3xf32>
func.func @broadcast_of_views(%x: tensor<2x4xf32>) -> tensor<4x2x3xf32> {
  %0 = "strata.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %1 = "strata.reshape"(%0) : (tensor<4x2xf32>) -> tensor<4x2x1xf32>
  %2 = "strata.broadcast"(%1) {map = affine_map<(a, b, c) -> (a, b, 0)>} : (tensor<4x2x1xf32>) -> tensor<4x2x3xf32>
  return %2 : tensor<4x2x3xf32>
}

// CHECK-LABEL: @slices
// CHECK-NEXT: "strata.slice"(%arg0) {starts = array<i64: 5>, steps = array<i64: 4>} : (tensor<20xf32>) -> tensor<3xf32>
func.func @slices(%x: tensor<20xf32>) -> tensor<3xf32> {
  %0 = "strata.slice"(%x) {starts = array<i64: 3>, steps = array<i64: 2>} : (tensor<20xf32>) -> tensor<8xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 1>, steps = array<i64: 2>} : (tensor<8xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// CHECK-LABEL: @slice_of_concat
// CHECK-NEXT: "strata.slice"(%arg1) {starts = array<i64: 1>, steps = array<i64: 1>} : (tensor<6xf32>) -> tensor<2xf32>
func.func @slice_of_concat(%x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<2xf32> {
  %0 = "strata.concat"(%x, %y) {axis = 0 : i64} : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 5>, steps = array<i64: 1>} : (tensor<10xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: @slice_across_concat
// CHECK: strata.concat
// CHECK: strata.slice
func.func @slice_across_concat(%x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<4xf32> {
  %0 = "strata.concat"(%x, %y) {axis = 0 : i64} : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 2>, steps = array<i64: 1>} : (tensor<10xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Split and joined again.
// CHECK-LABEL: @concat_of_slices
// CHECK-NEXT: return %arg0
func.func @concat_of_slices(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = "strata.slice"(%x) {starts = array<i64: 0>, steps = array<i64: 1>} : (tensor<6xf32>) -> tensor<2xf32>
  %1 = "strata.slice"(%x) {starts = array<i64: 2>, steps = array<i64: 1>} : (tensor<6xf32>) -> tensor<4xf32>
  %2 = "strata.concat"(%0, %1) {axis = 0 : i64} : (tensor<2xf32>, tensor<4xf32>) -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// CHECK-LABEL: @pads
// CHECK-NEXT: "strata.pad"(%arg0) {high = array<i64: 3>, low = array<i64: 1>, value = 0.000000e+00 : f32}
// CHECK-NEXT: return
func.func @pads(%x: tensor<6xf32>) -> tensor<10xf32> {
  %0 = "strata.pad"(%x) {low = array<i64: 1>, high = array<i64: 1>, value = 0.0 : f32} : (tensor<6xf32>) -> tensor<8xf32>
  %1 = "strata.pad"(%0) {low = array<i64: 0>, high = array<i64: 2>, value = 0.0 : f32} : (tensor<8xf32>) -> tensor<10xf32>
  return %1 : tensor<10xf32>
}

// Constant indices at equal distances are a slice.
// CHECK-LABEL: @gather
// CHECK-NEXT: %[[S:.*]] = "strata.slice"(%arg0) {starts = array<i64: 0, 3>, steps = array<i64: 1, 1>}
// CHECK-NEXT: "strata.reshape"(%[[S]]) : (tensor<2x1xf32>) -> tensor<2xf32>
func.func @gather(%x: tensor<2x5xf32>) -> tensor<2xf32> {
  %0 = "strata.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %1 = "strata.gather"(%x, %0) {axis = 1 : i64, batch_dims = 0 : i64} : (tensor<2x5xf32>, tensor<i64>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: @real_gather
// CHECK: strata.gather
func.func @real_gather(%x: tensor<5xf32>) -> tensor<3xf32> {
  %0 = "strata.constant"() {value = dense<[0, 1, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
  %1 = "strata.gather"(%x, %0) {axis = 0 : i64, batch_dims = 0 : i64} : (tensor<5xf32>, tensor<3xi64>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
