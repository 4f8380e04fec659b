// pad is a guarded read. concat has no nest where its operands can be computed in place, else a copy each.
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine | FileCheck %s

// CHECK: #[[SET:.*]] = affine_set<(d0) : (d0 - 1 >= 0, -d0 + 4 >= 0)>
// CHECK-LABEL: func.func @main
// CHECK: affine.if #[[SET]](%[[I:.*]]) -> f32
// CHECK: affine.load %{{.*}}[%[[I]] - 1]
// CHECK: arith.constant 7.0
// CHECK: strata.nest = "pad"
func.func @main(%x: tensor<4xf32>) -> tensor<7xf32> {
  %0 = "strata.pad"(%x) {low = array<i64: 1>, high = array<i64: 2>, value = 7.0 : f32} : (tensor<4xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----
// Both operands are computed into the result, which is read from there.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %{{.*}}: memref<2x3xf32>, %[[Y:.*]]: memref<2x6xf32> {strata.output}, %[[Z:.*]]: memref<2x3xf32>
// CHECK-NOT: memref.alloc
// CHECK: affine.store %{{.*}}, %[[Y]][%{{.*}}, %{{.*}}]
// CHECK: strata.nest = "exp"
// CHECK: affine.store %{{.*}}, %[[Y]][%{{.*}}, %{{.*}} + 3]
// CHECK: strata.nest = "neg"
// CHECK: affine.load %[[Y]][%{{.*}}, %{{.*}} + 3]
// CHECK: affine.store %{{.*}}, %[[Z]]
// CHECK-NOT: "copy"
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x6xf32>, tensor<2x3xf32>) {
  %0 = "strata.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "strata.neg"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "strata.concat"(%0, %1) {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %3 = "strata.abs"(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2, %3 : tensor<2x6xf32>, tensor<2x3xf32>
}

// -----
// Appending to a cache: the new row comes through a reshape and a transpose and is still computed in place.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %{{.*}}: memref<1x32xf32>, %[[PAST:.*]]: memref<4x10x8xf32>, %[[Y:.*]]: memref<4x11x8xf32>
// CHECK: affine.parallel (%[[H:.*]], %{{.*}}, %[[D:.*]]) = (0, 0, 0) to (4, 1, 8)
// CHECK: affine.load %{{.*}}[0, %[[H]] * 8 + %[[D]]]
// CHECK: affine.store %{{.*}}, %[[Y]][%[[H]], 10, %[[D]]]
// CHECK: strata.nest = "exp"
// CHECK: affine.load %[[PAST]]
// CHECK: strata.nest = "copy"
// CHECK-NOT: "copy"
func.func @main(%x: tensor<1x32xf32>, %past: tensor<4x10x8xf32>) -> tensor<4x11x8xf32> {
  %0 = "strata.exp"(%x) : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %1 = "strata.reshape"(%0) : (tensor<1x32xf32>) -> tensor<1x4x8xf32>
  %2 = "strata.transpose"(%1) {permutation = array<i64: 1, 0, 2>} : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
  %3 = "strata.concat"(%past, %2) {axis = 1 : i64} : (tensor<4x10x8xf32>, tensor<4x1x8xf32>) -> tensor<4x11x8xf32>
  return %3 : tensor<4x11x8xf32>
}

// -----
// An operand would have to be copied and nothing asks for the result in a certain place: one nest reads both.
// CHECK: #[[FIRST:.*]] = affine_set<(d0) : (-d0 + 3 >= 0)>
// CHECK: #[[SECOND:.*]] = affine_set<(d0) : (d0 - 4 >= 0)>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<8xf32>,
// CHECK: strata.nest = "neg"
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (8)
// CHECK: %[[A:.*]] = affine.if #[[FIRST]](%[[I]]) -> f32
// CHECK: arith.constant 0.0
// CHECK: %[[B:.*]] = affine.if #[[SECOND]](%[[I]]) -> f32
// CHECK: affine.load %[[X]][%[[I]] - 4]
// CHECK: affine.yield %[[A]]
// CHECK: affine.store %[[B]]
// CHECK: strata.nest = "concat"
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "strata.slice"(%x) {starts = array<i64: 4>, steps = array<i64: 1>} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = "strata.slice"(%x) {starts = array<i64: 0>, steps = array<i64: 1>} : (tensor<8xf32>) -> tensor<4xf32>
  %2 = "strata.neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "strata.concat"(%2, %1) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %4 = "strata.mul"(%3, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}
