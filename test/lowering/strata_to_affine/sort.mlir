// A merge sort of the positions, one task a row; the values are gathered at the end.
// RUN: strata-opt %s --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<3x6xf32>, %[[V:.*]]: memref<3x6xf32> {strata.output}, %[[P:.*]]: memref<3x6xi64>
// CHECK: %[[T:.*]] = memref.alloc() : memref<3x6xi64>
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (3)
// CHECK: memref.store %{{.*}}, %[[P]][%[[I]], %{{.*}}]
// CHECK: affine.for %{{.*}} = 0 to 3
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[T]]
// CHECK: memref.load %[[T]]
// CHECK: memref.store %{{.*}}, %[[P]]
// CHECK: memref.store %{{.*}}, %[[V]]
// CHECK: {strata.nest = "sort", strata.serial}
func.func @main(%x: tensor<3x6xf32>) -> (tensor<3x6xf32>, tensor<3x6xi64>) {
  %0:2 = "strata.sort"(%x) {axis = 1 : i64, descending = false, unsigned = false} : (tensor<3x6xf32>) -> (tensor<3x6xf32>, tensor<3x6xi64>)
  return %0#0, %0#1 : tensor<3x6xf32>, tensor<3x6xi64>
}
