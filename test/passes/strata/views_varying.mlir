// RUN: strata-opt %s --split-input-file --pipeline=strata-simplify,strata-sink-views,strata-merge-scales,strata-dce | FileCheck %s

// Queries, keys and values as torch.nn.MultiheadAttention has them, their batch a size that varies: views sink past the
// scales, slices go to the product, contracts read the heads through their maps, and the product is scaled.
// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d0, d1 * 8 + d4)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1 * 8 + d4)>
// CHECK-LABEL: func.func @main
// CHECK: %[[SUM:.*]] = "strata.add"
// CHECK: %[[WHOLE:.*]] = "strata.mul"(%[[SUM]], %{{.*}}) : (tensor<5x?x48xf16
// CHECK-DAG: %[[A:.*]] = "strata.slice"(%[[WHOLE]]) {starts = array<i64: 0, 0, 0>, {{.*}} -> tensor<5x?x16xf16
// CHECK-DAG: %[[B:.*]] = "strata.slice"(%[[WHOLE]]) {starts = array<i64: 0, 0, 16>, {{.*}} -> tensor<5x?x16xf16
// CHECK-NOT: strata.mul
// CHECK: "strata.contract"(%[[A]], %[[B]]) {maps = [#[[Q]], #[[K]],
// CHECK-SAME: -> tensor<?x2x5x5xf16
#x = affine_map<()[s0] -> (5, s0, 16)>
#y = affine_map<()[s0] -> (5, s0, 48)>
#cut = affine_map<()[s0] -> (1, 5, s0, 3, 16)>
#turned = affine_map<()[s0] -> (3, 5, s0, 1, 16)>
#parts = affine_map<()[s0] -> (3, 5, s0, 16)>
#part = affine_map<()[s0] -> (1, 5, s0, 16)>
#flat = affine_map<()[s0] -> (5, s0 * 2, 8)>
#rows = affine_map<()[s0] -> (s0 * 2, 5, 8)>
#heads = affine_map<()[s0] -> (s0, 2, 5, 8)>
#across = affine_map<()[s0] -> (s0 * 2, 8, 5)>
#keys = affine_map<()[s0] -> (s0, 2, 8, 5)>
#scores = affine_map<()[s0] -> (s0, 2, 5, 5)>
module {
  func.func @main(%x: tensor<5x?x16xf16, #x> {strata.name = "x"}, %w: tensor<16x48xf16> {strata.name = "w"}, %b: tensor<48xf16> {strata.name = "b"})
      -> (tensor<?x2x5x5xf16, #scores> {strata.name = "scores"}, tensor<1x5x?x16xf16, #part> {strata.name = "v"})
      attributes {strata.symbols = [{name = "batch", min = 1, max = 1000, multiple = 1, likely = [8]}]} {
    %c = "strata.constant"() {value = dense<0.5> : tensor<f16>} : () -> tensor<f16>
    %s = "strata.broadcast"(%c) {map = affine_map<(a, b, c, d) -> ()>} : (tensor<f16>) -> tensor<1x5x?x16xf16, #part>
    %p = "strata.contract"(%x, %w) {maps = [affine_map<(l, b, n, k) -> (l, b, k)>, affine_map<(l, b, n, k) -> (k, n)>, affine_map<(l, b, n, k) -> (l, b, n)>], zero_pad = false, origin = "matmul"} : (tensor<5x?x16xf16, #x>, tensor<16x48xf16>) -> tensor<5x?x48xf16, #y>
    %e = "strata.broadcast"(%b) {map = affine_map<(l, b, n) -> (n)>} : (tensor<48xf16>) -> tensor<5x?x48xf16, #y>
    %0 = "strata.add"(%p, %e) : (tensor<5x?x48xf16, #y>, tensor<5x?x48xf16, #y>) -> tensor<5x?x48xf16, #y>
    %1 = "strata.reshape"(%0) : (tensor<5x?x48xf16, #y>) -> tensor<1x5x?x3x16xf16, #cut>
    %2 = "strata.transpose"(%1) {permutation = array<i64: 3, 1, 2, 0, 4>} : (tensor<1x5x?x3x16xf16, #cut>) -> tensor<3x5x?x1x16xf16, #turned>
    %3 = "strata.reshape"(%2) : (tensor<3x5x?x1x16xf16, #turned>) -> tensor<3x5x?x16xf16, #parts>
    %q = "strata.slice"(%3) {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<3x5x?x16xf16, #parts>) -> tensor<1x5x?x16xf16, #part>
    %k = "strata.slice"(%3) {starts = array<i64: 1, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<3x5x?x16xf16, #parts>) -> tensor<1x5x?x16xf16, #part>
    %v = "strata.slice"(%3) {starts = array<i64: 2, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<3x5x?x16xf16, #parts>) -> tensor<1x5x?x16xf16, #part>
    %4 = "strata.mul"(%q, %s) : (tensor<1x5x?x16xf16, #part>, tensor<1x5x?x16xf16, #part>) -> tensor<1x5x?x16xf16, #part>
    %5 = "strata.reshape"(%4) : (tensor<1x5x?x16xf16, #part>) -> tensor<5x?x8xf16, #flat>
    %6 = "strata.transpose"(%5) {permutation = array<i64: 1, 0, 2>} : (tensor<5x?x8xf16, #flat>) -> tensor<?x5x8xf16, #rows>
    %7 = "strata.reshape"(%6) : (tensor<?x5x8xf16, #rows>) -> tensor<?x2x5x8xf16, #heads>
    %8 = "strata.mul"(%k, %s) : (tensor<1x5x?x16xf16, #part>, tensor<1x5x?x16xf16, #part>) -> tensor<1x5x?x16xf16, #part>
    %9 = "strata.reshape"(%8) : (tensor<1x5x?x16xf16, #part>) -> tensor<5x?x8xf16, #flat>
    %10 = "strata.transpose"(%9) {permutation = array<i64: 1, 2, 0>} : (tensor<5x?x8xf16, #flat>) -> tensor<?x8x5xf16, #across>
    %11 = "strata.reshape"(%10) : (tensor<?x8x5xf16, #across>) -> tensor<?x2x8x5xf16, #keys>
    %12 = "strata.contract"(%7, %11) {maps = [affine_map<(b, h, i, j, k) -> (b, h, i, k)>, affine_map<(b, h, i, j, k) -> (b, h, k, j)>, affine_map<(b, h, i, j, k) -> (b, h, i, j)>], zero_pad = false, origin = "matmul"} : (tensor<?x2x5x8xf16, #heads>, tensor<?x2x8x5xf16, #keys>) -> tensor<?x2x5x5xf16, #scores>
    return %12, %v : tensor<?x2x5x5xf16, #scores>, tensor<1x5x?x16xf16, #part>
  }
}

// -----

// Groups of dims with as many elements are found whatever the sizes are, (s0, 6) and (s0 * 2, 3) too; a slice of what is
// split passes where it is one piece.
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = "strata.slice"(%arg0) {starts = array<i64: 0, 2>, {{.*}} -> tensor<?x4xf32
// CHECK: "strata.reshape"(%[[S]]) : (tensor<?x4xf32{{.*}} -> tensor<?x2x2xf32
// CHECK: %[[R:.*]] = "strata.reduce"(%arg0) {axes = array<i64: 0, 1>, kind = "add"}
#a = affine_map<()[s0] -> (s0, 6)>
#b = affine_map<()[s0] -> (s0, 3, 2)>
#c = affine_map<()[s0] -> (s0, 2, 2)>
#d = affine_map<()[s0] -> (s0 * 2, 3)>
module {
  func.func @main(%x: tensor<?x6xf32, #a> {strata.name = "x"}) -> (tensor<?x2x2xf32, #c> {strata.name = "y"}, tensor<f32> {strata.name = "z"})
      attributes {strata.symbols = [{name = "n", min = 1, max = 1000, multiple = 1, likely = [8]}]} {
    %0 = "strata.reshape"(%x) : (tensor<?x6xf32, #a>) -> tensor<?x3x2xf32, #b>
    %1 = "strata.slice"(%0) {starts = array<i64: 0, 1, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x3x2xf32, #b>) -> tensor<?x2x2xf32, #c>
    %2 = "strata.reshape"(%x) : (tensor<?x6xf32, #a>) -> tensor<?x3xf32, #d>
    %3 = "strata.reduce"(%2) {axes = array<i64: 0, 1>, kind = "add"} : (tensor<?x3xf32, #d>) -> tensor<f32>
    return %1, %3 : tensor<?x2x2xf32, #c>, tensor<f32>
  }
}

// -----

// Rows and columns of a product of which less is read; a part of what is joined along another dim.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[W:.*]] = "strata.slice"(%arg1) {starts = array<i64: 0, 2>, {{.*}} -> tensor<4x5xf32>
// CHECK-DAG: "strata.contract"(%arg0, %[[W]]) {{.*}} -> tensor<?x5xf32
// CHECK-DAG: %[[Y:.*]] = "strata.slice"(%arg2) {starts = array<i64: 0, 1>, {{.*}} -> tensor<?x2xf32
// CHECK-NOT: strata.concat
// CHECK: return
#m = affine_map<()[s0] -> (s0, 4)>
#n = affine_map<()[s0] -> (s0, 8)>
#o = affine_map<()[s0] -> (s0, 5)>
#u = affine_map<()[s0] -> (s0, 2)>
module {
  func.func @main(%x: tensor<?x4xf32, #m> {strata.name = "x"}, %w: tensor<4x8xf32> {strata.name = "w"}, %y: tensor<?x4xf32, #m> {strata.name = "y"})
      -> (tensor<?x5xf32, #o> {strata.name = "p"}, tensor<?x2xf32, #u> {strata.name = "q"})
      attributes {strata.symbols = [{name = "n", min = 1, max = 1000, multiple = 1, likely = [8]}]} {
    %0 = "strata.contract"(%x, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<?x4xf32, #m>, tensor<4x8xf32>) -> tensor<?x8xf32, #n>
    %1 = "strata.slice"(%0) {starts = array<i64: 0, 2>, steps = array<i64: 1, 1>} : (tensor<?x8xf32, #n>) -> tensor<?x5xf32, #o>
    %2 = "strata.concat"(%x, %y) {axis = 1 : i64} : (tensor<?x4xf32, #m>, tensor<?x4xf32, #m>) -> tensor<?x8xf32, #n>
    %3 = "strata.slice"(%2) {starts = array<i64: 0, 5>, steps = array<i64: 1, 1>} : (tensor<?x8xf32, #n>) -> tensor<?x2xf32, #u>
    return %1, %3 : tensor<?x5xf32, #o>, tensor<?x2xf32, #u>
  }
}
