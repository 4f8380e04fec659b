// Ops on jagged tensors round-trip, are made of primitives that share the offsets' check and the map of rows, and lose
// conversions that undo one another.
// RUN: strata-opt %s | FileCheck %s --check-prefix=SAME
// RUN: strata-opt %s --strata-decompose --strata-cse --strata-dce | FileCheck %s

// SAME: "strata.make_jagged"(%{{.*}}, %{{.*}}) : (tensor<20x8xf32>, tensor<4xi32>) -> tensor<4xi64>
// SAME: "strata.jagged_expand"
// SAME: "strata.jagged_softmax"
// SAME: "strata.jagged_sum"
// SAME: "strata.jagged_mean"
// SAME: "strata.jagged_max"
// SAME: "strata.jagged_min"
// SAME: "strata.jagged_matmul"
// SAME: "strata.jagged_attention"(%{{.*}}) {causal = true, scale = 2.500000e-01 : f64}
// SAME: "strata.jagged_to_padded"(%{{.*}}) {value = 0.000000e+00 : f64}
// SAME: "strata.padded_to_jagged"

// One check, a clamp to the 20 rows and a running maximum; one map of rows.
// CHECK: %[[WIDE:.*]] = "strata.convert"(%arg1) : (tensor<4xi32>) -> tensor<4xi64>
// CHECK: "strata.max"(%[[WIDE]]
// CHECK: "strata.min"
// CHECK: %[[O:.*]] = "strata.scan"(%{{.*}}) {axis = 0 : i64, exclusive = false, kind = "max", reverse = false}
// CHECK: %[[MAP:.*]] = "strata.segment_rows"(%[[O]]) : (tensor<4xi64>) -> tensor<20xi64>
// CHECK: "strata.gather"(%arg2, %[[MAP]]) {axis = 0 : i64, batch_dims = 0 : i64}
// CHECK: "strata.segment_reduce"(%[[X:.*]], %[[O]]) {kind = "max"} : (tensor<20x8xf32>, tensor<4xi64>) -> tensor<3x8xf32>
// CHECK: "strata.segment_reduce"(%{{.*}}, %[[O]]) {kind = "add"}
// CHECK: "strata.segment_contract"(%{{.*}}, %arg3, %[[MAP]]) : (tensor<20x8xf32>, tensor<3x8x8xf32>, tensor<20xi64>)
// CHECK: "strata.segment_attention"(%{{.*}}, %[[MAP]], %[[O]], %[[O]]) {causal = true, scale = 2.500000e-01 : f64}
// CHECK-NOT: "strata.scan"
// CHECK-NOT: "strata.segment_rows"

// What is done element by element between the conversions is done to the rows: nothing has the padded shape.
// CHECK: %[[T:.*]] = "strata.tanh"(%[[SUM:.*]]) : (tensor<20x8xf32>)
// CHECK: "strata.broadcast"(%arg4) {map = #{{.*}}} : (tensor<8xf32>) -> tensor<20x8xf32>
// CHECK-NOT: tensor<3x16x8xf32>
// CHECK: return
func.func @main(%x: tensor<20x8xf32> {strata.name = "x"}, %o: tensor<4xi32> {strata.name = "o"},
                %d: tensor<3x8xf32> {strata.name = "d"}, %w: tensor<3x8x8xf32> {strata.name = "w"},
                %c: tensor<8xf32> {strata.name = "c"})
    -> (tensor<20x8xf32> {strata.name = "y"}, tensor<3x8xf32> {strata.name = "r"}) {
  %m = "strata.make_jagged"(%x, %o) : (tensor<20x8xf32>, tensor<4xi32>) -> tensor<4xi64>
  %e = "strata.jagged_expand"(%d, %m) : (tensor<3x8xf32>, tensor<4xi64>) -> tensor<20x8xf32>
  %a = "strata.add"(%x, %e) : (tensor<20x8xf32>, tensor<20x8xf32>) -> tensor<20x8xf32>
  %s = "strata.jagged_softmax"(%a, %o) : (tensor<20x8xf32>, tensor<4xi32>) -> tensor<20x8xf32>
  %0 = "strata.jagged_sum"(%s, %o) : (tensor<20x8xf32>, tensor<4xi32>) -> tensor<3x8xf32>
  %1 = "strata.jagged_mean"(%s, %m) : (tensor<20x8xf32>, tensor<4xi64>) -> tensor<3x8xf32>
  %2 = "strata.jagged_max"(%s, %m) : (tensor<20x8xf32>, tensor<4xi64>) -> tensor<3x8xf32>
  %3 = "strata.jagged_min"(%s, %m) : (tensor<20x8xf32>, tensor<4xi64>) -> tensor<3x8xf32>
  %4 = "strata.add"(%0, %1) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %5 = "strata.add"(%2, %3) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %r = "strata.add"(%4, %5) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %p = "strata.jagged_matmul"(%s, %w, %o) : (tensor<20x8xf32>, tensor<3x8x8xf32>, tensor<4xi32>) -> tensor<20x8xf32>
  %h = "strata.reshape"(%p) : (tensor<20x8xf32>) -> tensor<20x2x4xf32>
  %t = "strata.jagged_attention"(%h, %h, %h, %o, %m) {causal = true, scale = 0.25}
      : (tensor<20x2x4xf32>, tensor<20x2x4xf32>, tensor<20x2x4xf32>, tensor<4xi32>, tensor<4xi64>) -> tensor<20x2x4xf32>
  %f = "strata.reshape"(%t) : (tensor<20x2x4xf32>) -> tensor<20x8xf32>
  %q = "strata.jagged_to_padded"(%f, %m) {value = 0.0} : (tensor<20x8xf32>, tensor<4xi64>) -> tensor<3x16x8xf32>
  %u = "strata.tanh"(%q) : (tensor<3x16x8xf32>) -> tensor<3x16x8xf32>
  %b = "strata.broadcast"(%c) {map = affine_map<(i, j, k) -> (k)>} : (tensor<8xf32>) -> tensor<3x16x8xf32>
  %g = "strata.mul"(%u, %b) : (tensor<3x16x8xf32>, tensor<3x16x8xf32>) -> tensor<3x16x8xf32>
  %y = "strata.padded_to_jagged"(%g, %o) : (tensor<3x16x8xf32>, tensor<4xi32>) -> tensor<20x8xf32>
  return %y, %r : tensor<20x8xf32>, tensor<3x8xf32>
}
