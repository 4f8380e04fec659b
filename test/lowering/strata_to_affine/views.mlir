// Reshape, transpose, slice and broadcast are composed into the maps of their readers.
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine | FileCheck %s

// Splitting heads: (s, h * 64 + d) -> (h, s, d), and back, reads as a person would write it.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<128x768xf32>, %[[Y:.*]]: memref<12x128x64xf32>
// CHECK-NOT: memref.alloc
// CHECK: affine.parallel (%[[H:.*]], %[[S:.*]], %[[D:.*]]) = (0, 0, 0) to (12, 128, 64)
// CHECK: affine.load %[[X]][%[[S]], %[[H]] * 64 + %[[D]]]
// CHECK: affine.store %{{.*}}, %[[Y]][%[[H]], %[[S]], %[[D]]]
func.func @main(%x: tensor<128x768xf32>) -> tensor<12x128x64xf32> {
  %0 = "strata.reshape"(%x) : (tensor<128x768xf32>) -> tensor<128x12x64xf32>
  %1 = "strata.transpose"(%0) {permutation = array<i64: 1, 0, 2>} : (tensor<128x12x64xf32>) -> tensor<12x128x64xf32>
  %2 = "strata.exp"(%1) : (tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  return %2 : tensor<12x128x64xf32>
}

// -----
// CHECK-LABEL: func.func @main
// CHECK: affine.load %{{.*}}[%{{.*}} * -2 + 7]
// CHECK-NEXT: affine.load %{{.*}}[%{{.*}}]
func.func @main(%x: tensor<8xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = "strata.slice"(%x) {starts = array<i64: 7>, steps = array<i64: -2>} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = "strata.broadcast"(%0) {map = affine_map<(i, j) -> (i)>} : (tensor<4xf32>) -> tensor<4x4xf32>
  %2 = "strata.broadcast"(%b) {map = affine_map<(i, j) -> (j)>} : (tensor<4xf32>) -> tensor<4x4xf32>
  %3 = "strata.add"(%1, %2) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}
