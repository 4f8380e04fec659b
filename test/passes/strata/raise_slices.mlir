// RUN: strata-opt %s --strata-simplify --strata-cse --strata-dce | FileCheck %s

#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Columns: those of the right operand, and of what is added.
// CHECK-LABEL: @columns
// CHECK-DAG: %[[W:.*]] = "strata.slice"(%arg1) {starts = array<i64: 0, 2>, steps = array<i64: 1, 1>} : (tensor<16x8xf32>) -> tensor<16x4xf32>
// CHECK-DAG: %[[P:.*]] = "strata.contract"(%arg0, %[[W]])
// CHECK-DAG: %[[B:.*]] = "strata.slice"(%arg2) {starts = array<i64: 2>, steps = array<i64: 1>} : (tensor<8xf32>) -> tensor<4xf32>
// CHECK: "strata.add"(%[[P]], %{{.*}}) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
// CHECK: return
func.func @columns(%x: tensor<6x16xf32>, %w: tensor<16x8xf32>, %b: tensor<8xf32>) -> tensor<6x4xf32> {
  %0 = "strata.contract"(%x, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (tensor<6x16xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  %1 = "strata.broadcast"(%b) {map = affine_map<(i, j) -> (j)>} : (tensor<8xf32>) -> tensor<6x8xf32>
  %2 = "strata.add"(%0, %1) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  %3 = "strata.slice"(%2) {starts = array<i64: 0, 2>, steps = array<i64: 1, 1>} : (tensor<6x8xf32>) -> tensor<6x4xf32>
  return %3 : tensor<6x4xf32>
}

// CHECK-LABEL: @rows
// CHECK: %[[X:.*]] = "strata.slice"(%arg0) {starts = array<i64: 3, 0>, steps = array<i64: 1, 1>} : (tensor<6x16xf32>) -> tensor<2x16xf32>
// CHECK: %[[P:.*]] = "strata.contract"(%[[X]], %arg1)
// CHECK: return %[[P]] : tensor<2x8xf32>
func.func @rows(%x: tensor<6x16xf32>, %w: tensor<16x8xf32>) -> tensor<2x8xf32> {
  %0 = "strata.contract"(%x, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (tensor<6x16xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 3, 0>, steps = array<i64: 1, 1>} : (tensor<6x8xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

// The whole is read, too.
// CHECK-LABEL: @read_whole
// CHECK: "strata.contract"(%arg0, %arg1)
// CHECK: "strata.slice"
func.func @read_whole(%x: tensor<6x16xf32>, %w: tensor<16x8xf32>) -> (tensor<6x8xf32>, tensor<2x8xf32>) {
  %0 = "strata.contract"(%x, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (tensor<6x16xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 3, 0>, steps = array<i64: 1, 1>} : (tensor<6x8xf32>) -> tensor<2x8xf32>
  return %0, %1 : tensor<6x8xf32>, tensor<2x8xf32>
}

// Pixels of a convolution are no dim of the image: padding would have to move. Its channels are cut.
#i = affine_map<(f, i, c, k) -> (c, i + k - 1)>
#f = affine_map<(f, i, c, k) -> (f, c, k)>
#o = affine_map<(f, i, c, k) -> (f, i)>
// CHECK-LABEL: @pixels
// CHECK: "strata.contract"(%arg0, %arg1)
// CHECK: "strata.slice"
func.func @pixels(%x: tensor<4x10xf32>, %w: tensor<8x4x3xf32>) -> tensor<8x5xf32> {
  %0 = "strata.contract"(%x, %w) {maps = [#i, #f, #o], zero_pad = true, origin = "conv"} : (tensor<4x10xf32>, tensor<8x4x3xf32>) -> tensor<8x10xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 0, 5>, steps = array<i64: 1, 1>} : (tensor<8x10xf32>) -> tensor<8x5xf32>
  return %1 : tensor<8x5xf32>
}
// CHECK-LABEL: @channels
// CHECK: %[[W:.*]] = "strata.slice"(%arg1)
// CHECK: "strata.contract"(%arg0, %[[W]])
// CHECK-NOT: "strata.slice"
func.func @channels(%x: tensor<4x10xf32>, %w: tensor<8x4x3xf32>) -> tensor<3x10xf32> {
  %0 = "strata.contract"(%x, %w) {maps = [#i, #f, #o], zero_pad = true, origin = "conv"} : (tensor<4x10xf32>, tensor<8x4x3xf32>) -> tensor<8x10xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 5, 0>, steps = array<i64: 1, 1>} : (tensor<8x10xf32>) -> tensor<3x10xf32>
  return %1 : tensor<3x10xf32>
}

// Without a product a slice stays a view of what is computed.
// CHECK-LABEL: @elementwise
// CHECK: "strata.exp"(%arg0)
// CHECK: "strata.slice"
func.func @elementwise(%x: tensor<6x16xf32>) -> tensor<2x16xf32> {
  %0 = "strata.exp"(%x) : (tensor<6x16xf32>) -> tensor<6x16xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 3, 0>, steps = array<i64: 1, 1>} : (tensor<6x16xf32>) -> tensor<2x16xf32>
  return %1 : tensor<2x16xf32>
}

// Turned around, all of it is there, but not in its order: the slice stays.
// CHECK-LABEL: @turned_around
// CHECK: %[[P:.*]] = "strata.contract"(%arg0, %arg1)
// CHECK: %[[R:.*]] = "strata.slice"(%[[P]]) {starts = array<i64: 5, 0>, steps = array<i64: -1, 1>}
// CHECK: return %[[R]]
func.func @turned_around(%x: tensor<6x16xf32>, %w: tensor<16x8xf32>) -> tensor<6x8xf32> {
  %0 = "strata.contract"(%x, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (tensor<6x16xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 5, 0>, steps = array<i64: -1, 1>} : (tensor<6x8xf32>) -> tensor<6x8xf32>
  return %1 : tensor<6x8xf32>
}
