// Boxes that do not overlap: a task a class of an image selects those that score enough, orders them by a heap and keeps
// the best ones; then each class writes its rows behind those of the classes in front.
// RUN: strata-opt %s --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<2x4x7xf32>, %[[S:.*]]: memref<2x5x7xf32>, %[[T:.*]]: memref<f32>, %[[N:.*]]: memref<i64>, %[[Y:.*]]: memref<30x3xi64> {strata.output}, %[[C:.*]]: memref<i64>
// CHECK-DAG: %[[HEAP:.*]] = memref.alloc() : memref<2x5x7xi64>
// CHECK-DAG: %[[KEPT:.*]] = memref.alloc() : memref<2x5x5x35xf32>
// CHECK-DAG: %[[FOUND:.*]] = memref.alloc() : memref<2x5x3xi64>
// CHECK-DAG: %[[COUNTS:.*]] = memref.alloc() : memref<2x5xi64>
// CHECK: affine.parallel (%[[I:.*]], %[[K:.*]]) = (0, 0) to (2, 5)
// CHECK: %[[COUNT:.*]] = affine.for %[[B:.*]] = 0 to 7
// CHECK: affine.load %[[S]][%[[I]], %[[K]], %[[B]]]
// CHECK: memref.store %{{.*}}, %[[HEAP]]
// CHECK: arith.cmpf ogt
// CHECK: scf.for %{{.*}} to %[[COUNT]]
// CHECK: memref.store %{{.*}}, %[[HEAP]]
// CHECK: %[[LEFT:.*]] = scf.for %{{.*}} to %[[COUNT]]
// CHECK: scf.if
// CHECK: arith.divf
// CHECK: memref.store %{{.*}}, %[[FOUND]]
// CHECK: affine.store %{{.*}}, %[[COUNTS]][%[[I]], %[[K]]]
// CHECK: {strata.nest = "suppress", strata.serial}
// CHECK: affine.parallel
// CHECK: memref.load %[[COUNTS]]
// CHECK: memref.load %[[FOUND]]
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK: {strata.nest = "suppress_rows", strata.serial}
// CHECK: affine.store %{{.*}}, %[[C]]
// CHECK: {strata.nest = "suppress_count", strata.serial}
func.func @main(%x: tensor<2x4x7xf32>, %s: tensor<2x5x7xf32>, %t: tensor<f32>, %n: tensor<i64>) -> (tensor<30x3xi64>, tensor<i64>) {
  %y:2 = "strata.suppress"(%x, %s, %t, %t, %n) {room = array<i64: 3>} : (tensor<2x4x7xf32>, tensor<2x5x7xf32>, tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<30x3xi64>, tensor<i64>)
  return %y#0, %y#1 : tensor<30x3xi64>, tensor<i64>
}
