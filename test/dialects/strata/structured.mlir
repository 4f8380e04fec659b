// The ops with attributes and shape rules of their own read, verify and print.
// RUN: strata-opt %s | FileCheck %s

// CHECK-LABEL: @reduce
// CHECK: "strata.reduce"(%{{.*}}) {axes = array<i64: 0, 2>, kind = "add"} : (tensor<2x3x4xf32>) -> tensor<3xf32>
// CHECK: "strata.reduce"(%{{.*}}) {axes = array<i64: 1>, kind = "max"} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
func.func @reduce(%x: tensor<2x3x4xf32>) {
  %0 = "strata.reduce"(%x) {kind = "add", axes = array<i64: 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %1 = "strata.reduce"(%x) {kind = "max", axes = array<i64: 1>} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: @arg_reduce
// CHECK: "strata.arg_reduce"(%{{.*}}) {axis = 1 : i64, kind = "max", select_last = true} : (tensor<2x3xf16>) -> tensor<2xi64>
func.func @arg_reduce(%x: tensor<2x3xf16>) {
  %0 = "strata.arg_reduce"(%x) {kind = "max", axis = 1 : i64, select_last = true} : (tensor<2x3xf16>) -> tensor<2xi64>
  return
}

// CHECK-LABEL: @scan
// CHECK: "strata.scan"(%{{.*}}) {axis = 0 : i64, exclusive = false, kind = "add", reverse = true} : (tensor<5x3xi32>) -> tensor<5x3xi32>
func.func @scan(%x: tensor<5x3xi32>) {
  %0 = "strata.scan"(%x) {kind = "add", axis = 0 : i64, exclusive = false, reverse = true} : (tensor<5x3xi32>) -> tensor<5x3xi32>
  return
}

// CHECK-LABEL: @sort
// CHECK: "strata.sort"(%{{.*}}) {axis = 1 : i64, descending = true, unsigned = false} : (tensor<2x7xf32>) -> (tensor<2x7xf32>, tensor<2x7xi64>)
func.func @sort(%x: tensor<2x7xf32>) {
  %0:2 = "strata.sort"(%x) {axis = 1 : i64, descending = true, unsigned = false} : (tensor<2x7xf32>) -> (tensor<2x7xf32>, tensor<2x7xi64>)
  return
}

// CHECK-LABEL: @window
// CHECK: "strata.window"(%{{.*}}) {{.*}}window = array<i64: 1, 1, 3, 3>} : (tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
func.func @window(%x: tensor<1x2x8x8xf32>) {
  %0 = "strata.window"(%x) {kind = "max", window = array<i64: 1, 1, 3, 3>, strides = array<i64: 1, 1, 2, 2>,
    dilations = array<i64: 1, 1, 1, 1>, low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>}
    : (tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
  return
}

// A matrix product and a convolution; the second reads outside its operand.
// CHECK-LABEL: @contract
// CHECK: "strata.contract"({{.*}}origin = "matmul"{{.*}} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
// CHECK: "strata.contract"({{.*}}origin = "conv"{{.*}}zero_pad = true} : (tensor<1x2x8x8xf32>, tensor<5x2x3x3xf32>) -> tensor<1x5x8x8xf32>
func.func @contract(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %x: tensor<1x2x8x8xf32>, %w: tensor<5x2x3x3xf32>) {
  %0 = "strata.contract"(%a, %b) {origin = "matmul", zero_pad = false,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]}
    : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = "strata.contract"(%x, %w) {origin = "conv", zero_pad = true,
    maps = [affine_map<(n, f, y, x, c, i, j) -> (n, c, y + i - 1, x + j - 1)>,
            affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>, affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>]}
    : (tensor<1x2x8x8xf32>, tensor<5x2x3x3xf32>) -> tensor<1x5x8x8xf32>
  return
}

// CHECK-LABEL: @movement
// CHECK: "strata.transpose"(%{{.*}}) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK: "strata.reshape"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<6x1xf32>
// CHECK: "strata.slice"(%{{.*}}) {starts = array<i64: 1, 2>, steps = array<i64: 1, -1>} : (tensor<2x3xf32>) -> tensor<1x3xf32>
// CHECK: "strata.pad"(%{{.*}}) {high = array<i64: 0, 2>, low = array<i64: 1, 0>, value = 0.000000e+00 : f32} : (tensor<2x3xf32>) -> tensor<3x5xf32>
// CHECK: "strata.concat"(%{{.*}}, %{{.*}}) {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
// CHECK: "strata.broadcast"(%{{.*}}) {map = #{{.*}}} : (tensor<2x3xf32>) -> tensor<2x5x3xf32>
func.func @movement(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  %0 = "strata.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = "strata.reshape"(%x) : (tensor<2x3xf32>) -> tensor<6x1xf32>
  %2 = "strata.slice"(%x) {starts = array<i64: 1, 2>, steps = array<i64: 1, -1>} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %3 = "strata.pad"(%x) {low = array<i64: 1, 0>, high = array<i64: 0, 2>, value = 0.0 : f32} : (tensor<2x3xf32>) -> tensor<3x5xf32>
  %4 = "strata.concat"(%x, %y) {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %5 = "strata.broadcast"(%x) {map = affine_map<(a, b, c) -> (a, c)>} : (tensor<2x3xf32>) -> tensor<2x5x3xf32>
  return
}

// CHECK-LABEL: @gather
// CHECK: "strata.gather"(%{{.*}}, %{{.*}}) {axis = 1 : i64, batch_dims = 1 : i64} : (tensor<2x9x4xf32>, tensor<2x5xi32>) -> tensor<2x5x4xf32>
// CHECK: "strata.scatter"(%{{.*}}, %{{.*}}, %{{.*}}) {kind = "add"} : (tensor<9x4xf32>, tensor<5xi64>, tensor<5x4xf32>) -> tensor<9x4xf32>
func.func @gather(%x: tensor<2x9x4xf32>, %i: tensor<2x5xi32>, %d: tensor<9x4xf32>, %j: tensor<5xi64>, %u: tensor<5x4xf32>) {
  %0 = "strata.gather"(%x, %i) {axis = 1 : i64, batch_dims = 1 : i64} : (tensor<2x9x4xf32>, tensor<2x5xi32>) -> tensor<2x5x4xf32>
  %1 = "strata.scatter"(%d, %j, %u) {kind = "add"} : (tensor<9x4xf32>, tensor<5xi64>, tensor<5x4xf32>) -> tensor<9x4xf32>
  return
}

// CHECK-LABEL: @generate
// CHECK: "strata.constant"() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<2xi8>
// CHECK: "strata.constant"() {data = "w"} : () -> tensor<64x64xf32>
// CHECK: "strata.iota"() {axis = 1 : i64} : () -> tensor<3x4xi64>
func.func @generate() {
  %0 = "strata.constant"() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<2xi8>
  %1 = "strata.constant"() {data = "w"} : () -> tensor<64x64xf32>
  %2 = "strata.iota"() {axis = 1 : i64} : () -> tensor<3x4xi64>
  return
}
