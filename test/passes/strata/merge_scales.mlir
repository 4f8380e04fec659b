// RUN: strata-opt %s --split-input-file --pipeline=strata-merge-scales,strata-dce | FileCheck %s

// Queries and keys that are scaled: the product is, by 1 where nothing scales it.
// CHECK-LABEL: func.func @main
// CHECK: %[[SUM:.*]] = "strata.add"
// CHECK: %[[WHOLE:.*]] = "strata.mul"(%[[SUM]], %{{.*}}) : (tensor<8x24xf16>, tensor<8x24xf16>)
// CHECK-DAG: %[[Q:.*]] = "strata.slice"(%[[WHOLE]]) {starts = array<i64: 0, 0>
// CHECK-DAG: %[[K:.*]] = "strata.slice"(%[[WHOLE]]) {starts = array<i64: 0, 8>
// CHECK-DAG: %[[V:.*]] = "strata.slice"(%[[WHOLE]]) {starts = array<i64: 0, 16>
// CHECK-NOT: strata.mul
// CHECK: return %[[Q]], %[[K]], %[[V]]
func.func @main(%x: tensor<8x16xf16> {strata.name = "x"}, %w: tensor<16x24xf16> {strata.name = "w"}, %b: tensor<8x24xf16> {strata.name = "b"}) -> (tensor<8x8xf16> {strata.name = "q"}, tensor<8x8xf16> {strata.name = "k"}, tensor<8x8xf16> {strata.name = "v"}) {
  %c = "strata.constant"() {value = dense<0.5> : tensor<8x8xf16>} : () -> tensor<8x8xf16>
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<8x16xf16>, tensor<16x24xf16>) -> tensor<8x24xf16>
  %1 = "strata.add"(%0, %b) : (tensor<8x24xf16>, tensor<8x24xf16>) -> tensor<8x24xf16>
  %2 = "strata.slice"(%1) {starts = array<i64: 0, 16>, steps = array<i64: 1, 1>} : (tensor<8x24xf16>) -> tensor<8x8xf16>
  %3 = "strata.slice"(%1) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<8x24xf16>) -> tensor<8x8xf16>
  %4 = "strata.slice"(%1) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<8x24xf16>) -> tensor<8x8xf16>
  %5 = "strata.mul"(%3, %c) : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  %6 = "strata.mul"(%c, %4) : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %5, %6, %2 : tensor<8x8xf16>, tensor<8x8xf16>, tensor<8x8xf16>
}

// -----

// Parts that meet, and a whole that others read, stay as they are.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: "strata.mul"({{.*}} : (tensor<8x8xf16>, tensor<8x8xf16>)
// CHECK-NOT: strata.mul
// CHECK: return
func.func @main(%x: tensor<8x16xf16> {strata.name = "x"}, %w: tensor<16x24xf16> {strata.name = "w"}) -> (tensor<8x8xf16> {strata.name = "q"}, tensor<8x8xf16> {strata.name = "k"}, tensor<8x8xf16> {strata.name = "v"}, tensor<8x24xf16> {strata.name = "z"}) {
  %c = "strata.constant"() {value = dense<0.5> : tensor<8x8xf16>} : () -> tensor<8x8xf16>
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<8x16xf16>, tensor<16x24xf16>) -> tensor<8x24xf16>
  %1 = "strata.contract"(%w, %x) {maps = [affine_map<(n, m, k) -> (k, m)>, affine_map<(n, m, k) -> (n, k)>, affine_map<(n, m, k) -> (n, m)>], zero_pad = false, origin = "matmul"} : (tensor<16x24xf16>, tensor<8x16xf16>) -> tensor<8x24xf16>
  %2 = "strata.slice"(%0) {starts = array<i64: 0, 16>, steps = array<i64: 1, 1>} : (tensor<8x24xf16>) -> tensor<8x8xf16>
  %3 = "strata.slice"(%0) {starts = array<i64: 0, 12>, steps = array<i64: 1, 1>} : (tensor<8x24xf16>) -> tensor<8x8xf16>
  %4 = "strata.slice"(%1) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<8x24xf16>) -> tensor<8x8xf16>
  %5 = "strata.mul"(%3, %c) : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  %6 = "strata.mul"(%c, %4) : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %5, %6, %2, %1 : tensor<8x8xf16>, tensor<8x8xf16>, tensor<8x8xf16>, tensor<8x24xf16>
}
