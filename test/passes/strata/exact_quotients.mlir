// RUN: strata-opt %s --strata-exact-quotients --strata-simplify --split-input-file | FileCheck %s

// Through views, signs, sums and clips to a rounding; a power of two has an exact reciprocal all the same.
// CHECK-LABEL: func.func @main
// CHECK: "strata.div_exact"(%arg0, %arg1)
// CHECK: "strata.mul"(%arg0, {{.*}}
// CHECK-NOT: "strata.div"
func.func @main(%x: tensor<8xf32>, %d: tensor<8xf32>) -> (tensor<8x1xf32>, tensor<8xi32>) {
  %c = "strata.constant"() {value = dense<7.0> : tensor<8x1xf32>} : () -> tensor<8x1xf32>
  %e = "strata.constant"() {value = dense<4.0> : tensor<8xf32>} : () -> tensor<8xf32>
  %0 = "strata.div"(%x, %d) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = "strata.reshape"(%0) : (tensor<8xf32>) -> tensor<8x1xf32>
  %2 = "strata.neg"(%1) : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %3 = "strata.add"(%2, %c) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
  %4 = "strata.min"(%3, %c) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
  %5 = "strata.floor"(%4) : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %6 = "strata.div"(%x, %e) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %7 = "strata.convert"(%6) : (tensor<8xf32>) -> tensor<8xi32>
  return %5, %7 : tensor<8x1xf32>, tensor<8xi32>
}

// -----

// What only its sign is asked for, and what goes through a function, may be a product.
// CHECK-LABEL: func.func @main
// CHECK-NOT: "strata.div
func.func @main(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xf32>) {
  %c = "strata.constant"() {value = dense<3.0> : tensor<8xf32>} : () -> tensor<8xf32>
  %zero = "strata.constant"() {value = dense<0.0> : tensor<8xf32>} : () -> tensor<8xf32>
  %0 = "strata.div"(%x, %c) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = "strata.lt"(%0, %zero) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %2 = "strata.exp"(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = "strata.floor"(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %3 : tensor<8xi1>, tensor<8xf32>
}

// -----

// A scale that is a quotient itself, of what is rounded after a division by it; not what is divided.
// CHECK-LABEL: func.func @main
// CHECK: %[[SCALE:.*]] = "strata.div_exact"(%arg1,
// CHECK: %[[X:.*]] = "strata.mul"(%arg0,
// CHECK: "strata.div_exact"(%[[X]], %[[SCALE]])
func.func @main(%x: tensor<8xf32>, %range: tensor<8xf32>) -> tensor<8xf32> {
  %c = "strata.constant"() {value = dense<255.0> : tensor<8xf32>} : () -> tensor<8xf32>
  %0 = "strata.div"(%range, %c) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = "strata.div"(%x, %c) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = "strata.div"(%1, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = "strata.round_even"(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
