// On a GPU, of many classes, the boxes above the threshold are counted and collected by lines, then the best one that is left is kept again
// and again, by loops over lanes; each row of the results has a point.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[COUNTS:.*]] = memref.alloc() : memref<2x40x256xi32>
// CHECK: affine.parallel (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (2, 40, 256)
// CHECK: memref.store %{{.*}}, %[[COUNTS]]
// CHECK: {strata.nest = "suppress_count", strata.serial}
// CHECK: %[[KEYS:.*]] = memref.alloc() : memref<2x40x4096xi64>
// CHECK: affine.parallel (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (2, 40, 256)
// CHECK: memref.load %[[COUNTS]]
// CHECK: memref.store %{{.*}}, %[[KEYS]]
// CHECK: {strata.nest = "suppress_collect", strata.serial}
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (2, 40)
// CHECK: scf.if
// CHECK: memref.load %[[KEYS]]
// CHECK: arith.divf
// CHECK: memref.store %{{.*}}, %[[KEYS]]
// CHECK: {strata.lanes = 1024 : i64}
// CHECK: {strata.nest = "suppress", strata.serial}
// CHECK: affine.parallel (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (2, 40, 3)
// CHECK: {strata.nest = "suppress_rows", strata.serial}
func.func @main(%x: tensor<2x4x4000xf32> {strata.name = "x"}, %s: tensor<2x40x4000xf32> {strata.name = "s"}, %t: tensor<f32> {strata.name = "t"}, %n: tensor<i64> {strata.name = "n"}) -> (tensor<240x3xi64> {strata.name = "y"}, tensor<i64> {strata.name = "c"}) {
  %y:2 = "strata.suppress"(%x, %s, %t, %t, %n) {room = array<i64: 3>} : (tensor<2x4x4000xf32>, tensor<2x40x4000xf32>, tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<240x3xi64>, tensor<i64>)
  return %y#0, %y#1 : tensor<240x3xi64>, tensor<i64>
}
