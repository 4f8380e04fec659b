// RUN: strata-opt %s --strata-to-affine | FileCheck %s

// What integers of finite scale are is never NaN, and no comparison says so where they become bytes again. Of an input
// nobody knows, nor where the scale is infinite or products become so.

// CHECK-LABEL: func.func @main
// CHECK: strata.nest = "mul"
// CHECK-NOT: arith.cmpf oeq
// CHECK: strata.nest = "convert"
// CHECK: arith.cmpf oeq
// CHECK: strata.nest = "convert"
// CHECK: strata.nest = "mul"
// CHECK: arith.cmpf oeq
// CHECK: strata.nest = "convert"
// CHECK: strata.nest = "mul"
// CHECK: arith.cmpf oeq
// CHECK: strata.nest = "convert"
func.func @main(%q: tensor<4xi8> {strata.name = "q"}, %x: tensor<4xf32> {strata.name = "x"})
    -> (tensor<4xi8> {strata.name = "a"}, tensor<4xi8> {strata.name = "b"}, tensor<4xi8> {strata.name = "c"},
        tensor<4xi8> {strata.name = "d"}) {
  %scale = "strata.constant"() {value = dense<[0.5, 1.0, -2.0, 1.0e9]> : tensor<4xf32>} : () -> tensor<4xf32>
  %infinite = "strata.constant"() {value = dense<[0.5, 0x7F800000, 2.0, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %large = "strata.constant"() {value = dense<1.0e38> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "strata.convert"(%q) : (tensor<4xi8>) -> tensor<4xf32>
  %1 = "strata.mul"(%0, %scale) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "strata.convert"(%1) : (tensor<4xf32>) -> tensor<4xi8>
  %3 = "strata.convert"(%x) : (tensor<4xf32>) -> tensor<4xi8>
  %4 = "strata.mul"(%0, %infinite) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = "strata.convert"(%4) : (tensor<4xf32>) -> tensor<4xi8>
  %6 = "strata.mul"(%0, %large) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = "strata.convert"(%6) : (tensor<4xf32>) -> tensor<4xi8>
  return %2, %3, %5, %7 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}
