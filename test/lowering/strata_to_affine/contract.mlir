// Matrix products and convolutions: parallel over the result, loops over the rest.
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[A:.*]]: memref<8x64xf16>, %[[B:.*]]: memref<64x32xf16>, %[[C:.*]]: memref<8x32xf32>
// CHECK: affine.parallel (%[[I:.*]], %[[J:.*]]) = (0, 0) to (8, 32)
// CHECK: %[[S:.*]] = affine.for %[[K:.*]] = 0 to 64 iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32)
// CHECK: affine.load %[[A]][%[[I]], %[[K]]]
// CHECK: arith.extf
// CHECK: affine.load %[[B]][%[[K]], %[[J]]]
// CHECK: arith.extf
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: %[[N:.*]] = arith.addf %[[ACC]], %[[P]]
// CHECK: affine.yield %[[N]]
// CHECK: affine.store %[[S]], %[[C]][%[[I]], %[[J]]]
// CHECK: strata.nest = "contract"
func.func @main(%a: tensor<8x64xf16>, %b: tensor<64x32xf16>) -> tensor<8x32xf32> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<8x64xf16>, tensor<64x32xf16>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----
// A padded convolution along one dim: the guard holds the two constraints that can fail, the weights have none.
// CHECK: #[[SET:.*]] = affine_set<(d0, d1, d2, d3, d4) : (d2 + d4 - 1 >= 0, -d2 - d4 + 10 >= 0)>
// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%[[N:.*]], %[[O:.*]], %[[W:.*]]) = (0, 0, 0) to (1, 4, 10)
// CHECK: affine.for %[[C:.*]] = 0 to 2
// CHECK: affine.for %[[X:.*]] = 0 to 3
// CHECK: affine.if #[[SET]]
// CHECK: affine.load %{{.*}}[0, %[[C]], %[[W]] + %[[X]] - 1]
// CHECK: affine.load %{{.*}}[%[[O]], %[[C]], %[[X]]]
func.func @main(%x: tensor<1x2x10xf32>, %w: tensor<4x2x3xf32>) -> tensor<1x4x10xf32> {
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(n, o, w, c, x) -> (n, c, w + x - 1)>, affine_map<(n, o, w, c, x) -> (o, c, x)>, affine_map<(n, o, w, c, x) -> (n, o, w)>], zero_pad = true, origin = "conv"} : (tensor<1x2x10xf32>, tensor<4x2x3xf32>) -> tensor<1x4x10xf32>
  return %0 : tensor<1x4x10xf32>
}

// -----
// Integers accumulate in the result's type. What is summed over a dim of size 1 is no sum.
// CHECK-LABEL: func.func @main
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.muli
// CHECK: arith.addi
// CHECK: strata.nest = "contract"
// CHECK-NOT: affine.for
// CHECK: arith.muli
// CHECK-NEXT: affine.store
func.func @main(%a: tensor<8x64xi8>, %b: tensor<64x32xi8>, %c: tensor<8x1xi32>, %d: tensor<1x32xi32>) -> (tensor<8x32xi32>, tensor<8x32xi32>) {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<8x64xi8>, tensor<64x32xi8>) -> tensor<8x32xi32>
  %1 = "strata.contract"(%c, %d) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<8x1xi32>, tensor<1x32xi32>) -> tensor<8x32xi32>
  return %0, %1 : tensor<8x32xi32>, tensor<8x32xi32>
}
