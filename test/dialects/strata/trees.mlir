// Decision trees round-trip.
// RUN: strata-opt %s | FileCheck %s

// CHECK: "strata.trees"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {kind = "add"} : (tensor<10x2xf32>, tensor<12xi32>, tensor<1x1x2xi32>, tensor<2x1xf32>) -> tensor<10x1x1xf32>
func.func @main(%x: tensor<10x2xf32> {strata.name = "x"}) -> (tensor<10x1x1xf32> {strata.name = "y"}) {
  %nodes = "strata.constant"() {value = dense<[1, 4, 0, 1065353216, 0, 0, 0, 2143289344, 0, 4, 1, 2143289344]> : tensor<12xi32>} : () -> tensor<12xi32>
  %roots = "strata.constant"() {value = dense<[[[0, 1]]]> : tensor<1x1x2xi32>} : () -> tensor<1x1x2xi32>
  %values = "strata.constant"() {value = dense<[[2.0], [3.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %y = "strata.trees"(%x, %nodes, %roots, %values) {kind = "add"} : (tensor<10x2xf32>, tensor<12xi32>, tensor<1x1x2xi32>, tensor<2x1xf32>) -> tensor<10x1x1xf32>
  return %y : tensor<10x1x1xf32>
}
