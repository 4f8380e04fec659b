// RUN: strata-opt %s --split-input-file --pipeline=strata-nest-concats,strata-dce | FileCheck %s

// The first values of a concat are what the one before joined, whatever halves they were built of.
// CHECK-LABEL: func.func @main(%arg0
// CHECK: %[[AB:.*]] = "strata.concat"(%arg0, %arg1)
// CHECK: %[[S:.*]] = "strata.tanh"(%[[AB]])
// CHECK: %[[ABC:.*]] = "strata.concat"(%[[AB]], %arg2)
// CHECK: %[[T:.*]] = "strata.tanh"(%[[ABC]])
// CHECK: %[[CD:.*]] = "strata.concat"(%[[ABC]], %arg3)
// CHECK-NOT: strata.concat
// CHECK: return %[[S]], %[[T]], %[[CD]]
func.func @main(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>, %c: tensor<4x2xf32>, %d: tensor<4x7xf32>) -> (tensor<4x8xf32>, tensor<4x10xf32>, tensor<4x17xf32>) {
  %0 = "strata.concat"(%a, %b) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  %s = "strata.tanh"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "strata.concat"(%0, %c) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
  %t = "strata.tanh"(%1) : (tensor<4x10xf32>) -> tensor<4x10xf32>
  %2 = "strata.concat"(%c, %d) {axis = 1 : i64} : (tensor<4x2xf32>, tensor<4x7xf32>) -> tensor<4x9xf32>
  %3 = "strata.concat"(%0, %2) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x9xf32>) -> tensor<4x17xf32>
  return %s, %t, %3 : tensor<4x8xf32>, tensor<4x10xf32>, tensor<4x17xf32>
}

// -----

// So are the last ones and those between. A concat is a part of one other: the next has its parts.
// CHECK-LABEL: func.func @main(%arg0
// CHECK: %[[BC:.*]] = "strata.concat"(%arg1, %arg2)
// CHECK: "strata.tanh"(%[[BC]])
// CHECK: %[[ABC:.*]] = "strata.concat"(%arg0, %[[BC]])
// CHECK: %[[FIRST:.*]] = "strata.concat"(%[[ABC]], %arg3)
// CHECK: %[[BC2:.*]] = "strata.concat"(%arg1, %arg2)
// CHECK: %[[SECOND:.*]] = "strata.concat"(%[[BC2]], %arg0)
// CHECK: return %{{.*}}, %[[FIRST]], %[[SECOND]]
func.func @main(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>, %c: tensor<4x2xf32>, %d: tensor<4x7xf32>) -> (tensor<4x7xf32>, tensor<4x17xf32>, tensor<4x10xf32>) {
  %0 = "strata.concat"(%b, %c) {axis = 1 : i64} : (tensor<4x5xf32>, tensor<4x2xf32>) -> tensor<4x7xf32>
  %s = "strata.tanh"(%0) : (tensor<4x7xf32>) -> tensor<4x7xf32>
  %1 = "strata.concat"(%a, %b) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  %2 = "strata.concat"(%c, %d) {axis = 1 : i64} : (tensor<4x2xf32>, tensor<4x7xf32>) -> tensor<4x9xf32>
  %3 = "strata.concat"(%1, %2) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x9xf32>) -> tensor<4x17xf32>
  %4 = "strata.concat"(%0, %a) {axis = 1 : i64} : (tensor<4x7xf32>, tensor<4x3xf32>) -> tensor<4x10xf32>
  return %s, %3, %4 : tensor<4x7xf32>, tensor<4x17xf32>, tensor<4x10xf32>
}

// -----

// What is stored at a place of its own is no part: a result, a part along another axis, also behind a view. Nor are
// constants, which are joined once.
// CHECK-LABEL: func.func @main(%arg0
// CHECK: %[[X:.*]] = "strata.concat"(%arg0, %arg1) {axis = 1
// CHECK: %[[Y:.*]] = "strata.concat"(%arg1, %arg0) {axis = 1
// CHECK: %[[Z:.*]] = "strata.concat"(%arg0, %arg0) {axis = 1
// CHECK-NOT: "strata.concat"(%[[X]],
// CHECK-NOT: "strata.concat"(%[[Y]],
// CHECK-NOT: "strata.concat"(%[[Z]],
// CHECK: %[[K:.*]] = "strata.concat"(%[[C:.*]], %[[C]])
// CHECK-NOT: "strata.concat"(%[[K]],
// CHECK: return
func.func @main(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>) -> (tensor<4x6xf32>, tensor<8x6xf32>, tensor<4x6x1xf32>, tensor<4x6xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>) {
  %x = "strata.concat"(%a, %b) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  %y = "strata.concat"(%b, %a) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  %z = "strata.concat"(%a, %a) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  %below = "strata.concat"(%y, %y) {axis = 0 : i64} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %view = "strata.reshape"(%z) : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
  %c = "strata.constant"() {value = dense<2.0> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %k = "strata.concat"(%c, %c) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  %t = "strata.tanh"(%k) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %rest = "strata.concat"(%b, %b) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  %tail = "strata.concat"(%c, %b) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  %0 = "strata.concat"(%x, %rest) {axis = 1 : i64} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  %1 = "strata.concat"(%y, %rest) {axis = 1 : i64} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  %2 = "strata.concat"(%z, %rest) {axis = 1 : i64} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  %3 = "strata.concat"(%k, %tail) {axis = 1 : i64} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  return %x, %below, %view, %t, %0, %1, %2, %3 : tensor<4x6xf32>, tensor<8x6xf32>, tensor<4x6x1xf32>, tensor<4x6xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>
}

// -----

// The operand of a contract begins, and its rows do, at multiples of 16 bytes: here at 6.
// CHECK-LABEL: func.func @main(%arg0
// CHECK: %[[BC:.*]] = "strata.concat"(%arg1, %arg2)
// CHECK: "strata.contract"(%[[BC]]
// CHECK-NOT: "strata.concat"({{.*}}, %[[BC]])
// CHECK: return
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%a: tensor<4x3xf16>, %b: tensor<4x5xf16>, %c: tensor<4x8xf16>, %w: tensor<13x8xf16>) -> (tensor<4x8xf16>, tensor<4x16xf16>) {
  %0 = "strata.concat"(%b, %c) {axis = 1 : i64} : (tensor<4x5xf16>, tensor<4x8xf16>) -> tensor<4x13xf16>
  %p = "strata.contract"(%0, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<4x13xf16>, tensor<13x8xf16>) -> tensor<4x8xf16>
  %1 = "strata.concat"(%a, %b) {axis = 1 : i64} : (tensor<4x3xf16>, tensor<4x5xf16>) -> tensor<4x8xf16>
  %2 = "strata.concat"(%1, %c) {axis = 1 : i64} : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x16xf16>
  return %p, %2 : tensor<4x8xf16>, tensor<4x16xf16>
}
