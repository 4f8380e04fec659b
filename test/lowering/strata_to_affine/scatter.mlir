// A copy, then the updates in order; a task does all updates of its columns.
// RUN: strata-opt %s --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<10x128xf32>, %[[N:.*]]: memref<5xi32>, %[[U:.*]]: memref<5x128xf32>, %[[Y:.*]]: memref<10x128xf32>
// CHECK: strata.nest = "copy"
// CHECK: affine.parallel (%[[B:.*]]) = (0) to (2)
// CHECK: affine.for %[[M:.*]] = 0 to 5
// CHECK: %[[V:.*]] = affine.load %[[N]][%[[M]]]
// CHECK: scf.if
// CHECK: affine.for %[[J:.*]] = 0 to 64
// CHECK: affine.load %[[U]][%[[M]], %[[B]] * 64 + %[[J]]]
// CHECK: memref.load %[[Y]]
// CHECK: arith.addf
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK: {strata.nest = "scatter", strata.serial}
func.func @main(%x: tensor<10x128xf32>, %n: tensor<5xi32>, %u: tensor<5x128xf32>) -> tensor<10x128xf32> {
  %0 = "strata.scatter"(%x, %n, %u) {kind = "add"} : (tensor<10x128xf32>, tensor<5xi32>, tensor<5x128xf32>) -> tensor<10x128xf32>
  return %0 : tensor<10x128xf32>
}
