// Parallel over the dims that stay, loops over those that go.
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<3x4x5xf32>, %[[Y:.*]]: memref<4xf32>
// CHECK: affine.parallel (%[[J:.*]]) = (0) to (4)
// CHECK: %[[Z:.*]] = arith.constant 0.0
// CHECK: %[[S:.*]] = affine.for %[[I:.*]] = 0 to 3 iter_args(%[[A:.*]] = %[[Z]]) -> (f32)
// CHECK: affine.for %[[K:.*]] = 0 to 5 iter_args(%[[B:.*]] = %[[A]]) -> (f32)
// CHECK: %[[E:.*]] = affine.load %[[X]][%[[I]], %[[J]], %[[K]]]
// CHECK: %[[N:.*]] = arith.addf %[[B]], %[[E]]
// CHECK: affine.yield %[[N]]
// CHECK: affine.store %[[S]], %[[Y]][%[[J]]]
func.func @main(%x: tensor<3x4x5xf32>) -> tensor<4xf32> {
  %0 = "strata.reduce"(%x) {kind = "add", axes = array<i64: 0, 2>} : (tensor<3x4x5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// A full reduction has one point; bf16 accumulates in f32.
// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%{{.*}}) = (0) to (1)
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: affine.for {{.*}} = 0 to 7 iter_args({{.*}}) -> (f32)
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.maximumf
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: affine.store %{{.*}}, %{{.*}}[] : memref<bf16>
func.func @main(%x: tensor<7xbf16>) -> tensor<bf16> {
  %0 = "strata.reduce"(%x) {kind = "max", axes = array<i64: 0>} : (tensor<7xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

// -----
// Of nothing it is the neutral element; along a dim of size 1 it is the element.
// CHECK-LABEL: func.func @main
// CHECK-NOT: affine.for
// CHECK: arith.constant 1 : i32
// CHECK-NOT: affine.for
// CHECK: return
func.func @main(%x: tensor<3x0xi32>, %y: tensor<3x1xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %0 = "strata.reduce"(%x) {kind = "mul", axes = array<i64: 1>} : (tensor<3x0xi32>) -> tensor<3xi32>
  %1 = "strata.reduce"(%y) {kind = "mul", axes = array<i64: 1>} : (tensor<3x1xi32>) -> tensor<3xi32>
  return %0, %1 : tensor<3xi32>, tensor<3xi32>
}
