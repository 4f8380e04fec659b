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

// -----

// What mends indices that count from the end is done where they are read, for each of two gathers; what something else
// reads has a nest.
// CHECK-LABEL: func.func @main
// CHECK-NOT: strata.nest = "lt"
// CHECK: affine.parallel
// CHECK: %[[N:.*]] = affine.load %arg1[%[[I:.*]]]
// CHECK: arith.cmpi slt
// CHECK: arith.addi
// CHECK: arith.select
// CHECK: arith.maxsi
// CHECK: memref.load %arg0
// CHECK: strata.nest = "gather"
// CHECK: arith.select
// CHECK: strata.nest = "gather"
// CHECK: strata.nest = "mul"
// CHECK: %[[M:.*]] = affine.load %{{.*}}[%[[J:.*]]] : memref<4xi64>
// CHECK-NEXT: arith.constant
// CHECK-NEXT: arith.maxsi %[[M]]
// CHECK: strata.nest = "gather"
func.func @main(%x: tensor<100x8xf32> {strata.name = "x"}, %n: tensor<4xi64> {strata.name = "n"})
    -> (tensor<4x8xf32> {strata.name = "y"}, tensor<4x8xf32> {strata.name = "z"}, tensor<4x8xf32> {strata.name = "v"}, tensor<4xi64> {strata.name = "w"}) {
  %zero = "strata.constant"() {value = dense<0> : tensor<4xi64>} : () -> tensor<4xi64>
  %size = "strata.constant"() {value = dense<100> : tensor<4xi64>} : () -> tensor<4xi64>
  %lt = "strata.lt"(%n, %zero) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  %add = "strata.add"(%n, %size) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %i = "strata.select"(%lt, %add, %n) : (tensor<4xi1>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %0 = "strata.gather"(%x, %i) {axis = 0 : i64, batch_dims = 0 : i64} : (tensor<100x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  %1 = "strata.gather"(%x, %i) {axis = 0 : i64, batch_dims = 0 : i64} : (tensor<100x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  %j = "strata.mul"(%n, %n) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %2 = "strata.gather"(%x, %j) {axis = 0 : i64, batch_dims = 0 : i64} : (tensor<100x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  return %0, %1, %2, %j : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xi64>
}
