// Pooling: loops over the window, and a guard exactly where the padding can be read.
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine | FileCheck %s

// CHECK: #[[SET:.*]] = affine_set<(d0, d1, d2) : (d1 * 2 + d2 - 1 >= 0)>
// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%[[N:.*]], %[[I:.*]]) = (0, 0) to (2, 4)
// CHECK: affine.for %[[K:.*]] = 0 to 3
// CHECK: %[[E:.*]] = affine.if #[[SET]]
// CHECK: affine.load %{{.*}}[%[[N]], %[[I]] * 2 + %[[K]] - 1]
// CHECK: else
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: arith.maximumf %{{.*}}, %[[E]]
// CHECK: strata.nest = "window"
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %0 = "strata.window"(%x) {kind = "max", window = array<i64: 1, 3>, strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>, low = array<i64: 0, 1>, high = array<i64: 0, 0>} : (tensor<2x8xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----
// CHECK-LABEL: func.func @main
// CHECK-NOT: affine.if
// CHECK: affine.load %{{.*}}[%{{.*}}, %{{.*}} + %{{.*}} * 3]
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x2xf32> {
  %0 = "strata.window"(%x) {kind = "add", window = array<i64: 1, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 3>, low = array<i64: 0, 0>, high = array<i64: 0, 0>} : (tensor<2x8xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
