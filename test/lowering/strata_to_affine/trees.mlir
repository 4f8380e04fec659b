// A walk down each tree, as many steps as its root says.
// RUN: strata-opt %s --strata-to-affine | FileCheck %s

// CHECK: affine.parallel (%[[I:.*]], %[[J:.*]], %[[K:.*]]) = (0, 0, 0) to (10, 1, 1) {
// CHECK:   %[[ROOT:.*]] = arith.index_cast
// CHECK:   %[[STEPS:.*]] = arith.index_cast
// CHECK:   %[[LEAF:.*]] = scf.for %{{.*}} = %{{.*}} to %[[STEPS]] step %{{.*}} iter_args(%[[NODE:.*]] = %[[ROOT]]) -> (index) {
// CHECK:     %[[X:.*]] = memref.load %{{.*}}[%[[I]], %{{.*}}] : memref<10x2xf32>
// CHECK:     %[[BELOW:.*]] = arith.cmpf ole, %[[X]], %{{.*}} : f32
// CHECK:     arith.select %[[BELOW]], %{{.*}}, %{{.*}} : index
// CHECK:   arith.minui
// CHECK:   memref.load %{{.*}} : memref<2x1xf32>
// CHECK: } {strata.nest = "trees", strata.serial}
func.func @main(%x: tensor<10x2xf32> {strata.name = "x"}) -> (tensor<10x1x1xf32> {strata.name = "y"}) {
  %nodes = "strata.constant"() {value = dense<[1, 4, 0, 1065353216, 0, 0, 0, 2143289344, 0, 4, 1, 2143289344]> : tensor<12xi32>} : () -> tensor<12xi32>
  %roots = "strata.constant"() {value = dense<[[[0, 1]]]> : tensor<1x1x2xi32>} : () -> tensor<1x1x2xi32>
  %values = "strata.constant"() {value = dense<[[2.0], [3.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %y = "strata.trees"(%x, %nodes, %roots, %values) {kind = "add"} : (tensor<10x2xf32>, tensor<12xi32>, tensor<1x1x2xi32>, tensor<2x1xf32>) -> tensor<10x1x1xf32>
  return %y : tensor<10x1x1xf32>
}
