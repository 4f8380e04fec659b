// A serial loop along the axis that stores as it goes.
// RUN: strata-opt %s --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<3x5xf32>, %[[Y:.*]]: memref<3x5xf32> {strata.output}, %[[Z:.*]]: memref<3x5xf32>
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (3)
// CHECK: affine.for %[[K:.*]] = 0 to 5 iter_args(%[[A:.*]] = %{{.*}}) -> (f32)
// CHECK: %[[E:.*]] = affine.load %[[X]][%[[I]], %[[K]]]
// CHECK: %[[N:.*]] = arith.addf %[[A]], %[[E]]
// CHECK: affine.store %[[N]], %[[Y]][%[[I]], %[[K]]]
// CHECK: affine.yield %[[N]]
// CHECK: {strata.nest = "scan", strata.serial}
// Exclusive stores before it adds; reverse runs from the end.
// CHECK: affine.for %[[K:.*]] = 0 to 5 iter_args(%[[A:.*]] = %{{.*}}) -> (f32)
// CHECK: affine.load %[[X]][%{{.*}}, -%[[K]] + 4]
// CHECK: affine.store %[[A]], %[[Z]][%{{.*}}, -%[[K]] + 4]
func.func @main(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = "strata.scan"(%x) {kind = "add", axis = 1 : i64, exclusive = false, reverse = false} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = "strata.scan"(%x) {kind = "add", axis = 1 : i64, exclusive = true, reverse = true} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xf32>
}
