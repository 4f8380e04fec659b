// Rows that are updated once: a task for each update and each part of its row.
// RUN: strata-opt %s --pipeline=strata-to-affine | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=strata-to-affine | FileCheck %s --check-prefix=GPU

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<10x128xf32>, %[[N:.*]]: memref<5xi32>, %[[U:.*]]: memref<5x128xf32>, %[[Y:.*]]: memref<10x128xf32>
// CHECK: strata.nest = "copy"
// CHECK: affine.parallel (%[[M:.*]], %[[B:.*]]) = (0, 0) to (5, 2)
// CHECK: affine.load %[[N]][%[[M]]]
// CHECK: scf.if
// CHECK: affine.for %[[J:.*]] = 0 to 64
// CHECK: affine.load %[[U]][%[[M]], %[[B]] * 64 + %[[J]]]
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK: {strata.nest = "scatter", strata.serial}
// GPU: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (5, 128)
func.func @main(%x: tensor<10x128xf32>, %n: tensor<5xi32>, %u: tensor<5x128xf32>) -> tensor<10x128xf32> {
  %0 = "strata.scatter"(%x, %n, %u) {kind = "distinct"} : (tensor<10x128xf32>, tensor<5xi32>, tensor<5x128xf32>) -> tensor<10x128xf32>
  return %0 : tensor<10x128xf32>
}
