// RUN: strata-opt %s --split-input-file --pipeline=strata-split-sinks,strata-dce | FileCheck %s
// RUN: strata-opt %s --split-input-file --mlir-disable-fast-math --pipeline=strata-split-sinks,strata-dce | FileCheck %s --check-prefix=EXACT

// A sink beside the scores, whose share is cut off; the rows are shifted by their maximum before, and the softmax is f32.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[X:.*]] = "strata.convert"(%arg0) : (tensor<2x4x8xf16>) -> tensor<2x4x8xf32>
// CHECK-DAG: %[[S:.*]] = "strata.convert"(%arg1) : (tensor<2x4x1xf16>) -> tensor<2x4x1xf32>
// CHECK: %[[P:.*]] = "strata.softmax_with_sink"(%[[X]], %[[S]]) {axes = array<i64: 2>}
// CHECK: "strata.convert"(%[[P]]) : (tensor<2x4x8xf32>) -> tensor<2x4x8xf16>
// CHECK-NOT: strata.slice
// EXACT: "strata.softmax"
// EXACT: "strata.slice"
func.func @main(%x: tensor<2x4x8xf16> {strata.name = "x"}, %s: tensor<2x4x1xf16> {strata.name = "s"}) -> (tensor<2x4x8xf16> {strata.name = "y"}) {
  %0 = "strata.concat"(%x, %s) {axis = 2 : i64} : (tensor<2x4x8xf16>, tensor<2x4x1xf16>) -> tensor<2x4x9xf16>
  %1 = "strata.reduce"(%0) {axes = array<i64: 2>, kind = "max"} : (tensor<2x4x9xf16>) -> tensor<2x4xf16>
  %2 = "strata.broadcast"(%1) {map = affine_map<(b, i, j) -> (b, i)>} : (tensor<2x4xf16>) -> tensor<2x4x9xf16>
  %3 = "strata.sub"(%0, %2) : (tensor<2x4x9xf16>, tensor<2x4x9xf16>) -> tensor<2x4x9xf16>
  %4 = "strata.convert"(%3) : (tensor<2x4x9xf16>) -> tensor<2x4x9xf32>
  %5 = "strata.softmax"(%4) {axes = array<i64: 2>} : (tensor<2x4x9xf32>) -> tensor<2x4x9xf32>
  %6 = "strata.convert"(%5) : (tensor<2x4x9xf32>) -> tensor<2x4x9xf16>
  %7 = "strata.slice"(%6) {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<2x4x9xf16>) -> tensor<2x4x8xf16>
  return %7 : tensor<2x4x8xf16>
}

// -----

// What is cut off is not the sink alone.
// CHECK-LABEL: func.func @main
// CHECK: "strata.softmax"
// CHECK: "strata.slice"
func.func @main(%x: tensor<4x8xf32> {strata.name = "x"}, %s: tensor<4x1xf32> {strata.name = "s"}) -> (tensor<4x7xf32> {strata.name = "y"}) {
  %0 = "strata.concat"(%x, %s) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x9xf32>
  %1 = "strata.softmax"(%0) {axes = array<i64: 1>} : (tensor<4x9xf32>) -> tensor<4x9xf32>
  %2 = "strata.slice"(%1) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<4x9xf32>) -> tensor<4x7xf32>
  return %2 : tensor<4x7xf32>
}

// -----

// Somebody else reads the sink's share.
// CHECK-LABEL: func.func @main
// CHECK: "strata.softmax"(%
func.func @main(%x: tensor<4x8xf32> {strata.name = "x"}, %s: tensor<4x1xf32> {strata.name = "s"}) -> (tensor<4x8xf32> {strata.name = "y"}, tensor<4x9xf32> {strata.name = "z"}) {
  %0 = "strata.concat"(%x, %s) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x9xf32>
  %1 = "strata.softmax"(%0) {axes = array<i64: 1>} : (tensor<4x9xf32>) -> tensor<4x9xf32>
  %2 = "strata.slice"(%1) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<4x9xf32>) -> tensor<4x8xf32>
  return %2, %1 : tensor<4x8xf32>, tensor<4x9xf32>
}
