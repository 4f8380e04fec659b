// RUN: strata-opt %s --strata-widen --strata-cse --strata-dce --split-input-file | FileCheck %s

// A norm taken apart: the square and all that is made of the sum is f32, and the quotient is rounded. The sum itself
// overflows, so there is no f16 of it anywhere.
// CHECK-LABEL: func.func @main
// CHECK: %[[WIDE:.*]] = "strata.convert"(%arg0)
// CHECK: %[[SQUARE:.*]] = "strata.mul"(%[[WIDE]], %[[WIDE]]) : {{.*}} -> tensor<4x64xf32>
// CHECK: %[[SUM:.*]] = "strata.reduce"(%[[SQUARE]]) {{.*}} -> tensor<4xf32>
// CHECK: "strata.add"(%[[SUM]], {{.*}} -> tensor<4xf32>
// CHECK: %[[ROOT:.*]] = "strata.sqrt"{{.*}} -> tensor<4xf32>
// CHECK: %[[DIVISOR:.*]] = "strata.broadcast"(%[[ROOT]]) {{.*}} -> tensor<4x64xf32>
// CHECK: %[[QUOTIENT:.*]] = "strata.div"({{.*}}, %[[DIVISOR]]) {{.*}} -> tensor<4x64xf32>
// CHECK: %[[ROUNDED:.*]] = "strata.convert"(%[[QUOTIENT]]) {{.*}} -> tensor<4x64xf16>
// CHECK: "strata.mul"(%[[ROUNDED]], %arg0) {{.*}} -> tensor<4x64xf16>
func.func @main(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %e = "strata.constant"() {value = dense<1.0> : tensor<4xf16>} : () -> tensor<4xf16>
  %0 = "strata.mul"(%x, %x) : (tensor<4x64xf16>, tensor<4x64xf16>) -> tensor<4x64xf16>
  %1 = "strata.reduce"(%0) {kind = "add", axes = array<i64: 1>} : (tensor<4x64xf16>) -> tensor<4xf16>
  %2 = "strata.add"(%1, %e) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %3 = "strata.sqrt"(%2) : (tensor<4xf16>) -> tensor<4xf16>
  %4 = "strata.broadcast"(%3) {map = affine_map<(i, j) -> (i)>} : (tensor<4xf16>) -> tensor<4x64xf16>
  %5 = "strata.div"(%x, %4) : (tensor<4x64xf16>, tensor<4x64xf16>) -> tensor<4x64xf16>
  %6 = "strata.mul"(%5, %x) : (tensor<4x64xf16>, tensor<4x64xf16>) -> tensor<4x64xf16>
  return %6 : tensor<4x64xf16>
}

// -----

// What the front end computes in f32 goes on in f32 where it may leave the range: the square of a mean.
// CHECK-LABEL: func.func @main
// CHECK: %[[MEAN:.*]] = "strata.mul"({{.*}} -> tensor<4xf32>
// CHECK: %[[SQUARE:.*]] = "strata.mul"(%[[MEAN]], %[[MEAN]])
// CHECK: %[[ROUNDED:.*]] = "strata.convert"(%[[SQUARE]]) {{.*}} -> tensor<4xbf16>
// CHECK: return %[[ROUNDED]]
func.func @main(%x: tensor<4x64xbf16>) -> tensor<4xbf16> {
  %c = "strata.constant"() {value = dense<0.015625> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "strata.convert"(%x) {strata.implied} : (tensor<4x64xbf16>) -> tensor<4x64xf32>
  %1 = "strata.reduce"(%0) {kind = "add", axes = array<i64: 1>} : (tensor<4x64xf32>) -> tensor<4xf32>
  %2 = "strata.mul"(%1, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "strata.convert"(%2) {strata.implied} : (tensor<4xf32>) -> tensor<4xbf16>
  %4 = "strata.mul"(%3, %3) : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return %4 : tensor<4xbf16>
}

// -----

// Conversions that the model asks for stay, as do sums of which nothing is made, and terms that are results as well.
// CHECK-LABEL: func.func @main
// CHECK: %[[SQUARE:.*]] = "strata.mul"(%arg0, %arg0) {{.*}} -> tensor<4x64xf16>
// CHECK: "strata.reduce"(%[[SQUARE]]) {{.*}} -> tensor<4xf16>
// CHECK: %[[WIDE:.*]] = "strata.convert"(%[[SQUARE]])
// CHECK: %[[SUM:.*]] = "strata.reduce"(%[[WIDE]]) {{.*}} -> tensor<4xf32>
// CHECK: %[[ROUNDED:.*]] = "strata.convert"(%[[SUM]]) {{.*}} -> tensor<4xf16>
// CHECK: "strata.mul"(%[[ROUNDED]], %[[ROUNDED]]) {{.*}} -> tensor<4xf16>
func.func @main(%x: tensor<4x64xf16>) -> (tensor<4x64xf16>, tensor<4xf16>, tensor<4xf16>) {
  %0 = "strata.mul"(%x, %x) : (tensor<4x64xf16>, tensor<4x64xf16>) -> tensor<4x64xf16>
  %1 = "strata.reduce"(%0) {kind = "add", axes = array<i64: 1>} : (tensor<4x64xf16>) -> tensor<4xf16>
  %2 = "strata.convert"(%0) : (tensor<4x64xf16>) -> tensor<4x64xf32>
  %3 = "strata.reduce"(%2) {kind = "add", axes = array<i64: 1>} : (tensor<4x64xf32>) -> tensor<4xf32>
  %4 = "strata.convert"(%3) : (tensor<4xf32>) -> tensor<4xf16>
  %5 = "strata.mul"(%4, %4) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %0, %1, %5 : tensor<4x64xf16>, tensor<4xf16>, tensor<4xf16>
}
