// RUN: strata-opt %s --strata-raise-contract --strata-dce | FileCheck %s

// CHECK: #[[LHS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[RHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK-LABEL: @matrix_product
// CHECK-NEXT: "strata.contract"(%arg0, %arg1) {maps = [#[[LHS]], #[[RHS]], #[[OUT]]], origin = "", zero_pad = false}
// CHECK-NEXT: return
func.func @matrix_product(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = "strata.broadcast"(%x) {map = affine_map<(i, k, j) -> (i, k)>} : (tensor<4x8xf32>) -> tensor<4x8x6xf32>
  %1 = "strata.broadcast"(%y) {map = affine_map<(i, k, j) -> (k, j)>} : (tensor<8x6xf32>) -> tensor<4x8x6xf32>
  %2 = "strata.mul"(%0, %1) : (tensor<4x8x6xf32>, tensor<4x8x6xf32>) -> tensor<4x8x6xf32>
  %3 = "strata.reduce"(%2) {kind = "add", axes = array<i64: 1>} : (tensor<4x8x6xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// Half precision sums up in single.
// CHECK-LABEL: @half
// CHECK-NEXT: %[[C:.*]] = "strata.contract"{{.*}} -> tensor<4x6xf32>
// CHECK-NEXT: "strata.convert"(%[[C]])
func.func @half(%x: tensor<4x8xf16>, %y: tensor<8x6xf16>) -> tensor<4x6xf16> {
  %0 = "strata.broadcast"(%x) {map = affine_map<(i, k, j) -> (i, k)>} : (tensor<4x8xf16>) -> tensor<4x8x6xf16>
  %1 = "strata.broadcast"(%y) {map = affine_map<(i, k, j) -> (k, j)>} : (tensor<8x6xf16>) -> tensor<4x8x6xf16>
  %2 = "strata.mul"(%0, %1) : (tensor<4x8x6xf16>, tensor<4x8x6xf16>) -> tensor<4x8x6xf16>
  %3 = "strata.reduce"(%2) {kind = "add", axes = array<i64: 1>} : (tensor<4x8x6xf16>) -> tensor<4x6xf16>
  return %3 : tensor<4x6xf16>
}

// Nothing is used twice in a sum of squares.
// CHECK-LABEL: @sum_of_squares
// CHECK: strata.reduce
func.func @sum_of_squares(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = "strata.mul"(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "strata.reduce"(%0) {kind = "add", axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Each element of the matrix is used once.
// CHECK-LABEL: @matrix_times_vector
// CHECK: strata.reduce
func.func @matrix_times_vector(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4xf32> {
  %0 = "strata.broadcast"(%y) {map = affine_map<(i, k) -> (k)>} : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = "strata.mul"(%x, %0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "strata.reduce"(%1) {kind = "add", axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: @greatest_product
// CHECK: strata.reduce
func.func @greatest_product(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = "strata.broadcast"(%x) {map = affine_map<(i, k, j) -> (i, k)>} : (tensor<4x8xf32>) -> tensor<4x8x6xf32>
  %1 = "strata.broadcast"(%y) {map = affine_map<(i, k, j) -> (k, j)>} : (tensor<8x6xf32>) -> tensor<4x8x6xf32>
  %2 = "strata.mul"(%0, %1) : (tensor<4x8x6xf32>, tensor<4x8x6xf32>) -> tensor<4x8x6xf32>
  %3 = "strata.reduce"(%2) {kind = "max", axes = array<i64: 1>} : (tensor<4x8x6xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// The products are needed for something else.
// CHECK-LABEL: @kept_products
// CHECK: strata.reduce
func.func @kept_products(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x8x6xf32>) {
  %0 = "strata.broadcast"(%x) {map = affine_map<(i, k, j) -> (i, k)>} : (tensor<4x8xf32>) -> tensor<4x8x6xf32>
  %1 = "strata.broadcast"(%y) {map = affine_map<(i, k, j) -> (k, j)>} : (tensor<8x6xf32>) -> tensor<4x8x6xf32>
  %2 = "strata.mul"(%0, %1) : (tensor<4x8x6xf32>, tensor<4x8x6xf32>) -> tensor<4x8x6xf32>
  %3 = "strata.reduce"(%2) {kind = "add", axes = array<i64: 1>} : (tensor<4x8x6xf32>) -> tensor<4x6xf32>
  return %3, %2 : tensor<4x6xf32>, tensor<4x8x6xf32>
}
