// Constants have no nest: globals, declared once whatever their uses, or numbers in the bodies of their readers.
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine | FileCheck %s

// CHECK: memref.global "private" @bias : memref<3xf32>
// CHECK-NOT: memref.global
// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]] = memref.get_global @bias : memref<3xf32>
// CHECK: affine.load %[[B]]
// CHECK: arith.constant 5.0
// CHECK-NOT: memref.get_global
// CHECK: affine.load %[[B]]
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "strata.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32> loc("bias")
  %1 = "strata.constant"() {value = dense<5.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %2 = "strata.add"(%x, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = "strata.add"(%2, %1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %4 = "strata.add"(%3, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %4 : tensor<3xf32>
}

// -----
// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%[[I:.*]], %[[J:.*]]) = (0, 0) to (2, 5)
// CHECK: arith.index_cast %[[J]] : index to i64
// CHECK: arith.sitofp %{{.*}} : i64 to f32
// CHECK: strata.nest = "iota"
func.func @main() -> tensor<2x5xf32> {
  %0 = "strata.iota"() {axis = 1 : i64} : () -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
