// RUN: strata-opt %s --split-input-file --strata-sink-views --strata-dce | FileCheck %s

#row = affine_map<()[s0] -> (1, s0)>
#rows = affine_map<()[s0] -> (1, s0, 2)>

// Masks and positions of the longest sequence, cut to the one at hand: what is made of them is made of the whole, in
// advance, and cut then. The table's dims are whole.
// CHECK-LABEL: @positions
// CHECK-NOT: "strata.gather"
// CHECK: %[[G:.*]] = "strata.constant"() {value = dense<{{\[}}{{\[}}[7.0{{.*}}, 7.5{{.*}}], [4.0{{.*}}, 4.5{{.*}}], [6.0{{.*}}, 6.5{{.*}}], [3.0{{.*}}, 3.5{{.*}}], [5.0{{.*}}, 5.5{{.*}}]]]> : tensor<1x5x2xf32>}
// CHECK-NOT: "strata.gather"
// CHECK: %[[S:.*]] = "strata.slice"(%[[G]]) {starts = array<i64: 0, 2, 0>, steps = array<i64: 1, 1, 1>}
// CHECK: "strata.add"(%arg0, %[[S]])
func.func @positions(%x: tensor<1x?x2xf32, #rows>) -> tensor<1x?x2xf32, #rows> attributes {strata.symbols = [{name = "length", min = 1, max = 3}]} {
  %p = "strata.constant"() {value = dense<[[4, 1, 3, 0, 2]]> : tensor<1x5xi64>} : () -> tensor<1x5xi64>
  %t = "strata.constant"() {value = dense<[[0.0, 0.5], [1.0, 1.5], [2.0, 2.5], [3.0, 3.5], [4.0, 4.5], [5.0, 5.5], [6.0, 6.5], [7.0, 7.5]]> : tensor<8x2xf32>} : () -> tensor<8x2xf32>
  %s = "strata.slice"(%p) {starts = array<i64: 0, 2>, steps = array<i64: 1, 1>} : (tensor<1x5xi64>) -> tensor<1x?xi64, #row>
  %c = "strata.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %b = "strata.broadcast"(%c) {map = affine_map<(i, j) -> ()>} : (tensor<i64>) -> tensor<1x?xi64, #row>
  %a = "strata.add"(%s, %b) : (tensor<1x?xi64, #row>, tensor<1x?xi64, #row>) -> tensor<1x?xi64, #row>
  %g = "strata.gather"(%t, %a) {axis = 0 : i64, batch_dims = 0 : i64} : (tensor<8x2xf32>, tensor<1x?xi64, #row>) -> tensor<1x?x2xf32, #rows>
  %y = "strata.add"(%x, %g) : (tensor<1x?x2xf32, #rows>, tensor<1x?x2xf32, #rows>) -> tensor<1x?x2xf32, #rows>
  return %y : tensor<1x?x2xf32, #rows>
}

// -----

#row = affine_map<()[s0] -> (1, s0)>

// Slices of other elements, of what is no constant, and of divisors, stay where they are.
// CHECK-LABEL: @stays
// CHECK-DAG: %[[S:.*]] = "strata.slice"(%{{.*}}) {starts = array<i64: 0, 0>
// CHECK-DAG: %[[R:.*]] = "strata.slice"(%{{.*}}) {starts = array<i64: 0, 1>
// CHECK: "strata.add"(%[[S]], %[[R]])
// CHECK: %[[X:.*]] = "strata.slice"(%arg0)
// CHECK: "strata.neg"(%[[X]])
// CHECK: "strata.div"(%{{.*}}, %[[R]])
func.func @stays(%x: tensor<1x9000xi64>) -> (tensor<1x?xi64, #row>, tensor<1x?xi64, #row>, tensor<1x?xi64, #row>) attributes {strata.symbols = [{name = "length", min = 1, max = 8999}]} {
  %p = "strata.constant"() {data = "positions"} : () -> tensor<1x9000xi64>
  %s = "strata.slice"(%p) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<1x9000xi64>) -> tensor<1x?xi64, #row>
  %r = "strata.slice"(%p) {starts = array<i64: 0, 1>, steps = array<i64: 1, 1>} : (tensor<1x9000xi64>) -> tensor<1x?xi64, #row>
  %a = "strata.add"(%s, %r) : (tensor<1x?xi64, #row>, tensor<1x?xi64, #row>) -> tensor<1x?xi64, #row>
  %u = "strata.slice"(%x) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<1x9000xi64>) -> tensor<1x?xi64, #row>
  %n = "strata.neg"(%u) : (tensor<1x?xi64, #row>) -> tensor<1x?xi64, #row>
  %c = "strata.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %b = "strata.broadcast"(%c) {map = affine_map<(i, j) -> ()>} : (tensor<i64>) -> tensor<1x?xi64, #row>
  %d = "strata.div"(%b, %r) : (tensor<1x?xi64, #row>, tensor<1x?xi64, #row>) -> tensor<1x?xi64, #row>
  return %a, %n, %d : tensor<1x?xi64, #row>, tensor<1x?xi64, #row>, tensor<1x?xi64, #row>
}
