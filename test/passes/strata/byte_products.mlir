// RUN: strata-opt %s --split-input-file --device=sapphirerapids --pipeline=strata-byte-products,strata-dce | FileCheck %s
// RUN: strata-opt %s --split-input-file --device=x86-64-v3 --pipeline=strata-byte-products,strata-dce | FileCheck %s --check-prefix=NONE
// RUN: strata-opt %s --split-input-file --device=sapphirerapids --mlir-disable-fast-math --polyblocks-disable-unsafe-math-canonicalizations --pipeline=strata-byte-products,strata-dce | FileCheck %s --check-prefix=NONE
// RUN: strata-opt %s --split-input-file --target=amdgpu --device=gfx942 --pipeline=strata-byte-products,strata-dce | FileCheck %s --check-prefix=SIGNED
// NONE-NOT: unsigned_lhs
// SIGNED-NOT: unsigned_lhs

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// Behind a relu: with a sign the zero point is -128, without one 0. Nothing is to be taken off the sums, and what they
// are divided by is multiplied.
// CHECK-LABEL: @relu
// CHECK-DAG: %[[C:.*]] = "strata.constant"() {value = dense<-128> : tensor<4x8xi8>}
// CHECK: %[[U:.*]] = "strata.add"(%arg0, %[[C]])
// CHECK: %[[S:.*]] = "strata.contract"(%[[U]], %arg1) {{.*}}unsigned_lhs = true{{.*}} -> tensor<4x6xi32>
// CHECK: "strata.convert"(%[[S]]) : (tensor<4x6xi32>) -> tensor<4x6xf32>
// CHECK-NOT: div_exact
func.func @relu(%q: tensor<4x8xi8>, %p: tensor<6x8xi8>) -> tensor<4x6xf32> {
  %z = "strata.constant"() {value = dense<-128.0> : tensor<4x8xf32>} : () -> tensor<4x8xf32>
  %s = "strata.constant"() {value = dense<0.1> : tensor<4x8xf32>} : () -> tensor<4x8xf32>
  %t = "strata.constant"() {value = dense<0.3> : tensor<6x8xf32>} : () -> tensor<6x8xf32>
  %d = "strata.constant"() {value = dense<0.7> : tensor<4x6xf32>} : () -> tensor<4x6xf32>
  %0 = "strata.convert"(%q) : (tensor<4x8xi8>) -> tensor<4x8xf32>
  %1 = "strata.sub"(%0, %z) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "strata.mul"(%1, %s) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "strata.convert"(%p) : (tensor<6x8xi8>) -> tensor<6x8xf32>
  %4 = "strata.mul"(%3, %t) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  %5 = "strata.contract"(%2, %4) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  %6 = "strata.div_exact"(%5, %d) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %7 = "strata.round_even"(%6) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %7 : tensor<4x6xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// Another zero point, and three steps: a fourth of zero weights, and the weights' sums times the zero point taken off.
// CHECK-LABEL: @shifted
// CHECK-DAG: %[[X:.*]] = "strata.pad"(%arg0) {high = array<i64: 0, 1>
// CHECK-DAG: %[[W:.*]] = "strata.constant"() {value = dense<{{\[\[}}1, 2, 3, 0], [4, 5, 6, 0]]> : tensor<2x4xi8>}
// CHECK: %[[S:.*]] = "strata.contract"(%[[X]], %[[W]]) {{.*}}unsigned_lhs = true
// CHECK: "strata.sub"(%[[S]], %{{.*}}) : (tensor<4x2xi32>
// Of signed bytes 7 is -121.
// SIGNED-LABEL: @shifted
// SIGNED-DAG: %[[C:.*]] = "strata.constant"() {value = dense<-128> : tensor<4x3xi8>}
// SIGNED-DAG: %[[B:.*]] = "strata.add"(%arg0, %[[C]])
// SIGNED-DAG: %[[X:.*]] = "strata.pad"(%[[B]]) {high = array<i64: 0, 1>{{.*}}value = -121 : i8
// SIGNED: %[[S:.*]] = "strata.contract"(%[[X]], %{{.*}}) {{.*}} : (tensor<4x4xi8>, tensor<2x4xi8>) -> tensor<4x2xi32>
// SIGNED: "strata.sub"(%[[S]], %{{.*}}) : (tensor<4x2xi32>
func.func @shifted(%q: tensor<4x3xi8>) -> tensor<4x2xi32> {
  %p = "strata.constant"() {value = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>} : () -> tensor<2x3xi8>
  %z = "strata.constant"() {value = dense<7> : tensor<4x3xi32>} : () -> tensor<4x3xi32>
  %0 = "strata.convert_u"(%q) : (tensor<4x3xi8>) -> tensor<4x3xi32>
  %1 = "strata.sub"(%0, %z) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %2 = "strata.convert"(%p) : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %3 = "strata.contract"(%1, %2) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<4x3xi32>, tensor<2x3xi32>) -> tensor<4x2xi32>
  return %3 : tensor<4x2xi32>
}

// -----

#x = affine_map<(b, f, i, j, c, p, q) -> (b, c, i + p - 1, j + q - 1)>
#w = affine_map<(b, f, i, j, c, p, q) -> (f, c, p, q)>
#y = affine_map<(b, f, i, j, c, p, q) -> (b, f, i, j)>
#all = affine_map<(b, c, i, j) -> ()>
#in = affine_map<()[s0] -> (s0, 4, 5, 6)>
#out = affine_map<()[s0] -> (s0, 8, 5, 6)>

// As many images as a call has: the margin of zero points is around each, none beside them.
// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = "strata.pad"(%arg0) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, value = 7 : i8}
// CHECK: "strata.contract"(%[[X]], %{{.*}}) {{.*}}unsigned_lhs = true
func.func @main(%q: tensor<?x4x5x6xi8, #in> {strata.name = "q"}) -> (tensor<?x8x5x6xi32, #out> {strata.name = "y"})
    attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 64 : i64, multiple = 1 : i64, likely = [1]}]} {
  %p = "strata.constant"() {value = dense<3> : tensor<8x4x3x3xi8>} : () -> tensor<8x4x3x3xi8>
  %c = "strata.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %z = "strata.broadcast"(%c) {map = #all} : (tensor<i32>) -> tensor<?x4x5x6xi32, #in>
  %0 = "strata.convert_u"(%q) : (tensor<?x4x5x6xi8, #in>) -> tensor<?x4x5x6xi32, #in>
  %1 = "strata.sub"(%0, %z) : (tensor<?x4x5x6xi32, #in>, tensor<?x4x5x6xi32, #in>) -> tensor<?x4x5x6xi32, #in>
  %2 = "strata.convert"(%p) : (tensor<8x4x3x3xi8>) -> tensor<8x4x3x3xi32>
  %3 = "strata.contract"(%1, %2) {maps = [#x, #w, #y], zero_pad = true, origin = "conv"} : (tensor<?x4x5x6xi32, #in>, tensor<8x4x3x3xi32>) -> tensor<?x8x5x6xi32, #out>
  return %3 : tensor<?x8x5x6xi32, #out>
}
