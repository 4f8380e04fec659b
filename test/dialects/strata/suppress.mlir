// Boxes that do not overlap round-trip.
// RUN: strata-opt %s | FileCheck %s

// CHECK: "strata.suppress"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {room = array<i64: 3>} : (tensor<2x4x7xf32>, tensor<2x5x7xf32>, tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<30x3xi64>, tensor<i64>)
func.func @main(%x: tensor<2x4x7xf32> {strata.name = "x"}, %s: tensor<2x5x7xf32> {strata.name = "s"}, %t: tensor<f32> {strata.name = "t"}, %n: tensor<i64> {strata.name = "n"}) -> (tensor<30x3xi64> {strata.name = "y"}, tensor<i64> {strata.name = "c"}) {
  %y:2 = "strata.suppress"(%x, %s, %t, %t, %n) {room = array<i64: 3>} : (tensor<2x4x7xf32>, tensor<2x5x7xf32>, tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<30x3xi64>, tensor<i64>)
  return %y#0, %y#1 : tensor<30x3xi64>, tensor<i64>
}
