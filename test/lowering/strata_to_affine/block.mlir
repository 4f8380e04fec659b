// Rows in digits times nibbles: a block's sums in integers, one a digit, inside the sum over blocks. A strip that is a view
// is copied first.
// RUN: strata-opt %s --strata-to-affine | FileCheck %s

// CHECK: affine.parallel {{.*}} to (2, 3, 16) {
// CHECK: } {strata.nest = "pack"}
// CHECK: affine.parallel (%[[T:.*]], %[[M:.*]], %[[L:.*]]) = (0, 0, 0) to (2, 5, 16) {
// CHECK:   affine.for %[[B:.*]] = 0 to 3 iter_args(%{{.*}} = %{{.*}}) -> (f32) {
// CHECK:     %[[I:.*]]:2 = affine.for %[[W:.*]] = 0 to 4 iter_args({{.*}}) -> (i32, i32) {
// CHECK:       %[[WORD:.*]] = affine.load %{{.*}}[%[[T]], %[[B]], %[[W]], %[[L]]] : memref<2x3x4x16xi32>
// CHECK:       arith.shrui %[[WORD]]
// CHECK:       affine.load %{{.*}}[0, %[[M]], %[[B]], %[[W]]] : memref<2x5x3x8xi32>
// CHECK:       arith.muli %{{.*}} {strata.quads, strata.small_quads} : i32
// CHECK:       affine.load %{{.*}}[0, %[[M]], %[[B]], %[[W]] + 4] : memref<2x5x3x8xi32>
// CHECK:       affine.load %{{.*}}[1, %[[M]], %[[B]], %[[W]]] : memref<2x5x3x8xi32>
// CHECK:     arith.sitofp %[[I]]#0 : i32 to f32
// CHECK:     arith.uitofp %{{.*}} : i8 to f32
// CHECK:   affine.store %{{.*}}, %{{.*}}[%[[M]], %[[T]] * 16 + %[[L]]] : memref<5x32xf32>
// CHECK: } {strata.nest = "block_contract", strata.serial}
func.func @main(%x: tensor<2x5x3x8xi32> {strata.name = "x"}, %s: tensor<5x3xf32> {strata.name = "s"}, %t: tensor<5x3xf32> {strata.name = "t"}, %w: tensor<2x3x4x16xi32> {strata.name = "w"}, %f: tensor<2x16x3xf32> {strata.name = "f"}, %z: tensor<2x3x16xi8> {strata.name = "z"}) -> (tensor<5x32xf32> {strata.name = "y"}) {
  %0 = "strata.transpose"(%f) {permutation = array<i64: 0, 2, 1>} : (tensor<2x16x3xf32>) -> tensor<2x3x16xf32>
  %1 = "strata.block_contract"(%x, %s, %t, %w, %0, %z) : (tensor<2x5x3x8xi32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<2x3x4x16xi32>, tensor<2x3x16xf32>, tensor<2x3x16xi8>) -> tensor<5x32xf32>
  return %1 : tensor<5x32xf32>
}
