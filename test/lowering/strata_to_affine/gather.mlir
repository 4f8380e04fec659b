// The index is loaded, clamped and used in a memref.load; the other coordinates are affine.
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<100x8xf32>, %[[N:.*]]: memref<4xi64>, %[[Y:.*]]: memref<4x8xf32>
// CHECK: affine.parallel (%[[I:.*]], %[[J:.*]]) = (0, 0) to (4, 8)
// CHECK: %[[V:.*]] = affine.load %[[N]][%[[I]]]
// CHECK: %[[L:.*]] = arith.maxsi %[[V]], %{{.*}} : i64
// CHECK: %[[C:.*]] = arith.minsi %[[L]], %{{.*}} : i64
// CHECK: %[[K:.*]] = arith.index_cast %[[C]] : i64 to index
// CHECK: memref.load %[[X]][%[[K]], %[[J]]]
// CHECK: affine.store %{{.*}}, %[[Y]][%[[I]], %[[J]]]
// CHECK: strata.nest = "gather"
func.func @main(%x: tensor<100x8xf32>, %n: tensor<4xi64>) -> tensor<4x8xf32> {
  %0 = "strata.gather"(%x, %n) {axis = 0 : i64, batch_dims = 0 : i64} : (tensor<100x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
