// On a GPU blocks walk lines of known length by lanes: a line that is one of many, or short, as a whole; else its parts
// are combined, then those in front of each part, which the parts begin with; what fills no part is at the end.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%{{.*}}) = (0) to (7)
// CHECK: scf.for %{{.*}} iter_args
// CHECK: %[[N:.*]] = arith.addf %[[A:.*]], %{{.*}} : f32
// CHECK: memref.store %[[N]]
// CHECK: scf.yield %[[N]]
// CHECK: {strata.lanes = 1024 : i64}
// CHECK: {strata.lanes = 76 : i64}
// CHECK: {strata.nest = "scan", strata.serial}
// CHECK: %[[PARTS:.*]] = memref.alloc() : memref<2x19xi64>
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (2, 19)
// CHECK: memref.store %{{.*}}, %[[PARTS]]
// CHECK: {strata.nest = "scan_parts", strata.serial}
// CHECK: %[[BEFORE:.*]] = memref.alloc() : memref<2x20xi64>
// CHECK: affine.parallel (%{{.*}}) = (0) to (2)
// CHECK: memref.store %{{.*}}, %[[BEFORE]]
// CHECK: {strata.lanes = 19 : i64}
// CHECK: {strata.nest = "scan_before", strata.serial}
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (2, 19)
// CHECK: memref.load %[[BEFORE]]
// CHECK: {strata.nest = "scan", strata.serial}
// CHECK: affine.parallel (%{{.*}}) = (0) to (2)
// CHECK: memref.load %[[BEFORE]]
// CHECK: {strata.lanes = 544 : i64}
// CHECK: {strata.nest = "scan", strata.serial}
func.func @main(%x: tensor<7x1100xf32>, %n: tensor<2x20000xi64>) -> (tensor<7x1100xf32>, tensor<2x20000xi64>) {
  %0 = "strata.scan"(%x) {kind = "add", axis = 1 : i64, exclusive = false, reverse = false} : (tensor<7x1100xf32>) -> tensor<7x1100xf32>
  %1 = "strata.scan"(%n) {kind = "add", axis = 1 : i64, exclusive = true, reverse = false} : (tensor<2x20000xi64>) -> tensor<2x20000xi64>
  return %0, %1 : tensor<7x1100xf32>, tensor<2x20000xi64>
}
