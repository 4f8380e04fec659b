// Trees on a cpu: a task is a window of rows, of which eight go down a tree at once; of the rows that are left each
// goes down eight trees at once.
// RUN: strata-opt %s --device=x86-64-v4 --strata-to-affine --affine-group --affine-schedule --affine-to-tile | FileCheck %s

// CHECK: strata.schedule = {kind = "trees", tile = array<i64: 16, 8>}
// CHECK: scf.forall (%{{.*}}) in (32) {
// CHECK: memref.alloc() {tile.scratch} : memref<16x1xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %c9
// CHECK:   scf.for %{{.*}} step %c8
// CHECK:     %{{.*}}:8 = scf.for %{{.*}} iter_args({{.*}}) -> (index, index, index, index, index, index, index, index) {
// CHECK-COUNT-8: arith.cmpf ole
// CHECK: scf.for
// CHECK:   %{{.*}}:8 = scf.for
// CHECK:   %{{.*}} = scf.for %{{.*}} iter_args({{.*}}) -> (index) {
func.func @main(%x: tensor<501x2xf32> {strata.name = "x"}) -> (tensor<501x1x1xf32> {strata.name = "y"}) {
  %nodes = "strata.constant"() {value = dense<[0, 4, 0, 1065353216, 0, 0, 0, 2143289344, 0, 4, 1, 2143289344, 1, 16, 0, 1065353216, 0, 12, 0, 2143289344, 0, 16, 1, 2143289344, 0, 28, 0, 1065353216, 0, 24, 0, 2143289344, 0, 28, 1, 2143289344, 1, 40, 0, 1065353216, 0, 36, 0, 2143289344, 0, 40, 1, 2143289344, 0, 52, 0, 1065353216, 0, 48, 0, 2143289344, 0, 52, 1, 2143289344, 1, 64, 0, 1065353216, 0, 60, 0, 2143289344, 0, 64, 1, 2143289344, 0, 76, 0, 1065353216, 0, 72, 0, 2143289344, 0, 76, 1, 2143289344, 1, 88, 0, 1065353216, 0, 84, 0, 2143289344, 0, 88, 1, 2143289344, 0, 100, 0, 1065353216, 0, 96, 0, 2143289344, 0, 100, 1, 2143289344]> : tensor<108xi32>} : () -> tensor<108xi32>
  %roots = "strata.constant"() {value = dense<[[[0, 1], [12, 1], [24, 1], [36, 1], [48, 1], [60, 1], [72, 1], [84, 1], [96, 1]]]> : tensor<1x9x2xi32>} : () -> tensor<1x9x2xi32>
  %values = "strata.constant"() {value = dense<[[2.0], [3.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %y = "strata.trees"(%x, %nodes, %roots, %values) {kind = "add"} : (tensor<501x2xf32>, tensor<108xi32>, tensor<1x9x2xi32>, tensor<2x1xf32>) -> tensor<501x1x1xf32>
  return %y : tensor<501x1x1xf32>
}
