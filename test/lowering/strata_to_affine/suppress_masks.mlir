// On a GPU, of few classes, the boxes above the threshold are put in order, and each pair has a bit that says whether the
// better one covers the other; 64 boxes at a time are then chosen by their bits.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: {strata.nest = "suppress_collect", strata.serial}
// CHECK: affine.parallel (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (2, 5, 256)
// CHECK: scf.for
// CHECK: {strata.nest = "suppress_rank", strata.serial}
// CHECK: %[[MASKS:.*]] = memref.alloc() : memref<2x5x1024xi64>
// CHECK: affine.parallel (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (2, 5, 1024)
// CHECK: arith.divf
// CHECK: memref.store %{{.*}}, %[[MASKS]]
// CHECK: {strata.nest = "suppress_masks", strata.serial}
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (2, 5)
// CHECK: scf.if
// CHECK: memref.load %[[MASKS]]
// CHECK: arith.ori
// CHECK: {strata.lanes = 256 : i64}
// CHECK-COUNT-64: memref.load %[[MASKS]]
// CHECK: {strata.nest = "suppress", strata.serial}
// CHECK: {strata.nest = "suppress_place", strata.serial}
// CHECK: affine.parallel (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (2, 5, 3)
// CHECK: {strata.nest = "suppress_rows", strata.serial}
func.func @main(%x: tensor<2x4x200xf32> {strata.name = "x"}, %s: tensor<2x5x200xf32> {strata.name = "s"}, %t: tensor<f32> {strata.name = "t"}, %n: tensor<i64> {strata.name = "n"}) -> (tensor<30x3xi64> {strata.name = "y"}, tensor<i64> {strata.name = "c"}) {
  %y:2 = "strata.suppress"(%x, %s, %t, %t, %n) {room = array<i64: 3>} : (tensor<2x4x200xf32>, tensor<2x5x200xf32>, tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<30x3xi64>, tensor<i64>)
  return %y#0, %y#1 : tensor<30x3xi64>, tensor<i64>
}
