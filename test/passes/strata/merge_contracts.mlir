// RUN: strata-opt %s --split-input-file --strata-merge-contracts --strata-dce | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Queries, keys and values, with their biases.
// CHECK-LABEL: @projections
// CHECK: %[[W:.*]] = "strata.concat"{{.*}} -> tensor<9000x16xf32>
// CHECK: %[[C:.*]] = "strata.contract"(%arg0, %[[W]])
// CHECK: %[[B:.*]] = "strata.broadcast"(%{{.*}}) {{.*}} : (tensor<16xf32>) -> tensor<4x16xf32>
// CHECK: %[[A:.*]] = "strata.add"(%[[C]], %[[B]])
// CHECK: "strata.slice"(%[[A]]) {starts = array<i64: 0, 0>
// CHECK: "strata.slice"(%[[A]]) {starts = array<i64: 0, 8>
// CHECK: "strata.slice"(%[[A]]) {starts = array<i64: 0, 12>
// CHECK-NOT: strata.add
func.func @projections(%x: tensor<4x9000xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %wq = "strata.constant"() {data = "wq"} : () -> tensor<9000x8xf32>
  %bq = "strata.constant"() {data = "bq"} : () -> tensor<8xf32>
  %0 = "strata.contract"(%x, %wq) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x8xf32>) -> tensor<4x8xf32>
  %1 = "strata.broadcast"(%bq) {map = affine_map<(m, n) -> (n)>} : (tensor<8xf32>) -> tensor<4x8xf32>
  %2 = "strata.add"(%0, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "strata.reduce"(%2) {kind = "max", axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %wk = "strata.constant"() {data = "wk"} : () -> tensor<9000x4xf32>
  %bk = "strata.constant"() {value = dense<0.0> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %4 = "strata.contract"(%x, %wk) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %5 = "strata.add"(%4, %bk) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = "strata.reduce"(%5) {kind = "max", axes = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
  %wv = "strata.constant"() {data = "wv"} : () -> tensor<9000x4xf32>
  %bv = "strata.constant"() {data = "bv"} : () -> tensor<4xf32>
  %7 = "strata.contract"(%x, %wv) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %8 = "strata.broadcast"(%bv) {map = affine_map<(m, n) -> (n)>} : (tensor<4xf32>) -> tensor<4x4xf32>
  %9 = "strata.add"(%7, %8) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %10 = "strata.reduce"(%9) {kind = "max", axes = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %3, %6, %10 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// The second product can take the first one and their product with it.
// CHECK-LABEL: @gated_pair
// CHECK-COUNT-2: strata.contract
func.func @gated_pair(%x: tensor<4x9000xf32>) -> tensor<4x4xf32> {
  %wg = "strata.constant"() {data = "wg"} : () -> tensor<9000x4xf32>
  %wu = "strata.constant"() {data = "wu"} : () -> tensor<9000x4xf32>
  %0 = "strata.contract"(%x, %wg) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %1 = "strata.contract"(%x, %wu) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %2 = "strata.tanh"(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = "strata.mul"(%2, %1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Each has an epilogue of its own.
// CHECK-LABEL: @different_epilogues
// CHECK-COUNT-2: strata.contract
func.func @different_epilogues(%x: tensor<4x9000xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %wa = "strata.constant"() {data = "wa"} : () -> tensor<9000x4xf32>
  %wb = "strata.constant"() {data = "wb"} : () -> tensor<9000x4xf32>
  %0 = "strata.contract"(%x, %wa) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %1 = "strata.contract"(%x, %wb) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %2 = "strata.tanh"(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = "strata.exp"(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// A result of the function is written where the caller wants it.
// CHECK-LABEL: @results
// CHECK-COUNT-2: strata.contract
func.func @results(%x: tensor<4x9000xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %wa = "strata.constant"() {data = "wa"} : () -> tensor<9000x4xf32>
  %wb = "strata.constant"() {data = "wb"} : () -> tensor<9000x4xf32>
  %0 = "strata.contract"(%x, %wa) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %1 = "strata.contract"(%x, %wb) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Different values, and weights that are no constants.
// CHECK-LABEL: @unrelated
// CHECK-COUNT-3: strata.contract
func.func @unrelated(%x: tensor<4x9000xf32>, %y: tensor<4x9000xf32>, %v: tensor<9000x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %w = "strata.constant"() {data = "w"} : () -> tensor<9000x4xf32>
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %1 = "strata.contract"(%y, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %2 = "strata.contract"(%x, %v) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %3 = "strata.reduce"(%0) {kind = "max", axes = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
  %4 = "strata.reduce"(%1) {kind = "max", axes = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
  %5 = "strata.reduce"(%2) {kind = "max", axes = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// An activation that reads its operand twice follows the one product.
// CHECK-LABEL: @activations
// CHECK: %[[C:.*]] = "strata.contract"{{.*}} -> tensor<4x7xf32>
// CHECK: %[[A:.*]] = "strata.add"(%[[C]], %{{.*}}) {{.*}} -> tensor<4x7xf32>
// CHECK: %[[T:.*]] = "strata.tanh"(%[[A]]) : (tensor<4x7xf32>)
// CHECK: %[[M:.*]] = "strata.mul"(%[[T]], %[[A]]) : (tensor<4x7xf32>
// CHECK: "strata.slice"(%[[M]]) {starts = array<i64: 0, 0>
// CHECK: "strata.slice"(%[[M]]) {starts = array<i64: 0, 4>
// CHECK-NOT: strata.slice
func.func @activations(%x: tensor<4x9000xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %w = "strata.constant"() {data = "w"} : () -> tensor<9000x4xf32>
  %v = "strata.constant"() {data = "v"} : () -> tensor<9000x3xf32>
  %b = "strata.constant"() {value = dense<2.0> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %c = "strata.constant"() {value = dense<3.0> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %1 = "strata.contract"(%x, %v) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x3xf32>) -> tensor<4x3xf32>
  %2 = "strata.add"(%0, %b) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = "strata.add"(%1, %c) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = "strata.tanh"(%2) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = "strata.tanh"(%3) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %6 = "strata.mul"(%4, %2) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = "strata.mul"(%5, %3) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %8 = "strata.reduce"(%6) {kind = "max", axes = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
  %9 = "strata.reduce"(%7) {kind = "max", axes = array<i64: 1>} : (tensor<4x3xf32>) -> tensor<4xf32>
  return %8, %9 : tensor<4xf32>, tensor<4xf32>
}

// The operands the other way round are another op.
// CHECK-LABEL: @other_way_round
// CHECK-COUNT-2: "strata.contract"
func.func @other_way_round(%x: tensor<4x9000xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %w = "strata.constant"() {data = "w"} : () -> tensor<9000x4xf32>
  %v = "strata.constant"() {data = "v"} : () -> tensor<9000x3xf32>
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %1 = "strata.contract"(%x, %v) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x3xf32>) -> tensor<4x3xf32>
  %4 = "strata.tanh"(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = "strata.tanh"(%1) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %6 = "strata.sub"(%4, %0) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = "strata.sub"(%1, %5) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %8 = "strata.reduce"(%6) {kind = "max", axes = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
  %9 = "strata.reduce"(%7) {kind = "max", axes = array<i64: 1>} : (tensor<4x3xf32>) -> tensor<4xf32>
  return %8, %9 : tensor<4xf32>, tensor<4xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// What is stored at a place of its own is not cut out of a whole: a result behind a bias and a view, a part of a concat
// that is one.
// CHECK-LABEL: @placed
// CHECK-COUNT-2: "strata.contract"
func.func @placed(%x: tensor<16384x9000xf32>, %p: tensor<2x3xf32>) -> (tensor<16384xf32>, tensor<16386x3xf32>) {
  %w = "strata.constant"() {data = "w"} : () -> tensor<9000x4xf32>
  %v = "strata.constant"() {data = "v"} : () -> tensor<9000x3xf32>
  %c = "strata.constant"() {value = dense<3.0> : tensor<16384x3xf32>} : () -> tensor<16384x3xf32>
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<16384x9000xf32>, tensor<9000x4xf32>) -> tensor<16384x4xf32>
  %1 = "strata.contract"(%x, %v) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<16384x9000xf32>, tensor<9000x3xf32>) -> tensor<16384x3xf32>
  %2 = "strata.reduce"(%0) {kind = "max", axes = array<i64: 1>} : (tensor<16384x4xf32>) -> tensor<16384xf32>
  %3 = "strata.add"(%1, %c) : (tensor<16384x3xf32>, tensor<16384x3xf32>) -> tensor<16384x3xf32>
  %4 = "strata.concat"(%p, %3) {axis = 0 : i64} : (tensor<2x3xf32>, tensor<16384x3xf32>) -> tensor<16386x3xf32>
  return %2, %4 : tensor<16384xf32>, tensor<16386x3xf32>
}

// Neighbours in one concat are one part of it.
// CHECK-LABEL: @neighbours
// CHECK: "strata.contract"{{.*}} -> tensor<4x7xf32>
func.func @neighbours(%x: tensor<4x9000xf32>, %p: tensor<4x3xf32>) -> tensor<4x10xf32> {
  %w = "strata.constant"() {data = "w"} : () -> tensor<9000x4xf32>
  %v = "strata.constant"() {data = "v"} : () -> tensor<9000x3xf32>
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %1 = "strata.contract"(%x, %v) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x3xf32>) -> tensor<4x3xf32>
  %2 = "strata.concat"(%0, %1) {axis = 1 : i64} : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x7xf32>
  %3 = "strata.concat"(%2, %p) {axis = 1 : i64} : (tensor<4x7xf32>, tensor<4x3xf32>) -> tensor<4x10xf32>
  return %3 : tensor<4x10xf32>
}

// In the concat's order.
// CHECK-LABEL: @turned_round
// CHECK: %[[Y:.*]] = "strata.contract"{{.*}} -> tensor<4x7xf32>
// CHECK: %[[T:.*]] = "strata.tanh"(%[[Y]])
// CHECK: %[[A:.*]] = "strata.mul"(%[[Y]], %[[T]])
// CHECK-DAG: %[[V:.*]] = "strata.slice"(%[[A]]) {starts = array<i64: 0, 0>, {{.*}} -> tensor<4x3xf32>
// CHECK-DAG: %[[W:.*]] = "strata.slice"(%[[A]]) {starts = array<i64: 0, 3>, {{.*}} -> tensor<4x4xf32>
// CHECK: "strata.concat"(%[[V]], %[[W]])
func.func @turned_round(%x: tensor<4x9000xf32>, %p: tensor<4x3xf32>) -> tensor<4x10xf32> {
  %w = "strata.constant"() {data = "w"} : () -> tensor<9000x4xf32>
  %v = "strata.constant"() {data = "v"} : () -> tensor<9000x3xf32>
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x4xf32>) -> tensor<4x4xf32>
  %6 = "strata.tanh"(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "strata.mul"(%0, %6) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = "strata.contract"(%x, %v) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9000xf32>, tensor<9000x3xf32>) -> tensor<4x3xf32>
  %7 = "strata.tanh"(%2) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = "strata.mul"(%2, %7) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = "strata.concat"(%3, %1) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x4xf32>) -> tensor<4x7xf32>
  %5 = "strata.concat"(%p, %4) {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x7xf32>) -> tensor<4x10xf32>
  return %5 : tensor<4x10xf32>
}
