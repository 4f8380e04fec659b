// RUN: strata-opt %s --split-input-file --pipeline=strata-split-concat,strata-cse,strata-dce | FileCheck %s

// What is computed from three parts that are there is computed from each, up to what is stored; a constant and an input
// beside it are cut alike.
// CHECK-LABEL: func.func @main(%arg0
// CHECK: "strata.tanh"(%arg0)
// CHECK: "strata.tanh"(%arg1)
// CHECK: "strata.tanh"(%arg2)
// CHECK: "strata.slice"(%arg3) {{.*}}starts = array<i64: 0, 0>
// CHECK: "strata.add"({{.*}}) : (tensor<4x3xf32>
// CHECK: "strata.slice"(%arg3) {{.*}}starts = array<i64: 0, 3>
// CHECK: "strata.add"({{.*}}) : (tensor<4x5xf32>
// CHECK: "strata.slice"(%arg3) {{.*}}starts = array<i64: 0, 8>
// CHECK: %[[A:.*]] = "strata.add"({{.*}}) : (tensor<4x2xf32>
// CHECK-NOT: strata.add
// CHECK: return
func.func @main(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>, %c: tensor<4x2xf32>, %w: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %0 = "strata.concat"(%a, %b) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  %1 = "strata.concat"(%0, %c) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
  %2 = "strata.tanh"(%1) : (tensor<4x10xf32>) -> tensor<4x10xf32>
  %3 = "strata.add"(%2, %w) : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
  return %3 : tensor<4x10xf32>
}

// -----

// Not of two parts, nor where a reduction follows, nor beside what is computed, nor where others read the concat.
// CHECK-LABEL: func.func @main(%arg0
// CHECK: %[[TWO:.*]] = "strata.concat"
// CHECK: "strata.tanh"(%[[TWO]])
// CHECK: %[[ROWS:.*]] = "strata.concat"({{.*}}) {{.*}} -> tensor<4x10xf32>
// CHECK: "strata.exp"(%[[ROWS]])
// CHECK: "strata.reduce"
// CHECK: "strata.sqrt"({{.*}}tensor<4x10xf32>
// CHECK: %[[READ:.*]] = "strata.concat"({{.*}}) {{.*}} -> tensor<4x10xf32>
// CHECK: %[[BESIDE:.*]] = "strata.concat"({{.*}}) {{.*}} -> tensor<4x10xf32>
// CHECK: "strata.add"(%[[BESIDE]]
// CHECK: "strata.neg"(%[[READ]])
func.func @main(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>, %c: tensor<4x2xf32>, %w: tensor<4x10xf32>)
    -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x10xf32>) {
  %0 = "strata.concat"(%a, %b) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  %1 = "strata.tanh"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "strata.concat"(%b, %a) {axis = 1 : i64} : (tensor<4x5xf32>, tensor<4x3xf32>) -> tensor<4x8xf32>
  %3 = "strata.concat"(%2, %c) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
  %4 = "strata.exp"(%3) : (tensor<4x10xf32>) -> tensor<4x10xf32>
  %5 = "strata.reduce"(%4) {kind = "add", axes = array<i64: 1>} : (tensor<4x10xf32>) -> tensor<4xf32>
  %6 = "strata.sqrt"(%w) : (tensor<4x10xf32>) -> tensor<4x10xf32>
  %7 = "strata.concat"(%c, %2) {axis = 1 : i64} : (tensor<4x2xf32>, tensor<4x8xf32>) -> tensor<4x10xf32>
  %8 = "strata.concat"(%a, %c) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<4x5xf32>
  %9 = "strata.concat"(%8, %b) {axis = 1 : i64} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x10xf32>
  %10 = "strata.add"(%9, %6) : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
  %11 = "strata.neg"(%7) : (tensor<4x10xf32>) -> tensor<4x10xf32>
  return %1, %5, %10, %11, %7 : tensor<4x8xf32>, tensor<4xf32>, tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x10xf32>
}
