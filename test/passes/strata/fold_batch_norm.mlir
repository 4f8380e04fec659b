// RUN: strata-opt %s --split-input-file --strata-fold-batch-norm --strata-dce | FileCheck %s
// RUN: strata-opt %s --split-input-file --strata-fold-batch-norm --strata-dce \
// RUN:   --polyblocks-disable-unsafe-math-canonicalizations | FileCheck %s --check-prefix=SAFE

#image = affine_map<(f, i, j, c, k, l) -> (c, i + k - 1, j + l - 1)>
#filter = affine_map<(f, i, j, c, k, l) -> (f, c, k, l)>
#out = affine_map<(f, i, j, c, k, l) -> (f, i, j)>

// What is left of a batch norm after a convolution: a scale and a sum a channel.
// CHECK-LABEL: @batch_norm
// CHECK: %[[W:.*]] = "strata.constant"() {data = "w"}
// CHECK: %[[S:.*]] = "strata.broadcast"(%{{.*}}) {{.*}} : (tensor<4xf32>) -> tensor<4x3x3x3xf32>
// CHECK: %[[SW:.*]] = "strata.mul"(%[[W]], %[[S]])
// CHECK: %[[C:.*]] = "strata.contract"(%arg0, %[[SW]])
// CHECK: "strata.add"(%[[C]]
// CHECK-NOT: strata.mul
// SAFE-LABEL: @batch_norm
// SAFE: "strata.contract"(%arg0, %{{.*}})
// SAFE: strata.mul
func.func @batch_norm(%x: tensor<3x8x8xf32>) -> tensor<4x8x8xf32> {
  %w = "strata.constant"() {data = "w"} : () -> tensor<4x3x3x3xf32>
  %s = "strata.constant"() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %b = "strata.constant"() {value = dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "strata.contract"(%x, %w) {maps = [#image, #filter, #out], zero_pad = true, origin = "conv"} : (tensor<3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<4x8x8xf32>
  %1 = "strata.broadcast"(%s) {map = affine_map<(f, i, j) -> (f)>} : (tensor<4xf32>) -> tensor<4x8x8xf32>
  %2 = "strata.mul"(%0, %1) : (tensor<4x8x8xf32>, tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %3 = "strata.broadcast"(%b) {map = affine_map<(f, i, j) -> (f)>} : (tensor<4xf32>) -> tensor<4x8x8xf32>
  %4 = "strata.add"(%2, %3) : (tensor<4x8x8xf32>, tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  return %4 : tensor<4x8x8xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// The bias before the scale is scaled too.
// CHECK-LABEL: @bias_first
// CHECK: strata.contract
// CHECK: dense<[1.000000e+00, 4.000000e+00]>
// CHECK: strata.add
// CHECK-NOT: strata.mul
func.func @bias_first(%x: tensor<4x8xf32>) -> tensor<4x2xf32> {
  %w = "strata.constant"() {data = "w"} : () -> tensor<8x2xf32>
  %s = "strata.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = "strata.broadcast"(%s) {map = affine_map<(m, n) -> (n)>} : (tensor<2xf32>) -> tensor<4x2xf32>
  %2 = "strata.add"(%0, %1) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = "strata.mul"(%2, %1) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// A scale a row: the weights have no rows.
// CHECK-LABEL: @row_scale
// CHECK: strata.contract
// CHECK: strata.mul
func.func @row_scale(%x: tensor<4x8xf32>) -> tensor<4x2xf32> {
  %w = "strata.constant"() {data = "w"} : () -> tensor<8x2xf32>
  %s = "strata.constant"() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = "strata.broadcast"(%s) {map = affine_map<(m, n) -> (m)>} : (tensor<4xf32>) -> tensor<4x2xf32>
  %2 = "strata.mul"(%0, %1) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// The product is needed without the scale as well.
// CHECK-LABEL: @shared
// CHECK: strata.contract
// CHECK-NEXT: strata.mul
func.func @shared(%x: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %w = "strata.constant"() {data = "w"} : () -> tensor<8x2xf32>
  %s = "strata.constant"() {value = dense<2.0> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = "strata.mul"(%0, %s) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#other = affine_map<(m, n, k) -> (n, k)>

// The scale of attention scores ends in the weights that the queries come from.
// CHECK-LABEL: @scores
// CHECK: %[[W:.*]] = "strata.mul"(%{{.*}}, %{{.*}}) : (tensor<8x5000xf32>, tensor<8x5000xf32>)
// CHECK: %[[Q:.*]] = "strata.contract"(%arg0, %[[W]])
// CHECK: %[[S:.*]] = "strata.contract"(%[[Q]], %arg1)
// CHECK: return %[[S]]
func.func @scores(%x: tensor<4x8xf32>, %k: tensor<6x5000xf32>) -> tensor<4x6xf32> {
  %w = "strata.constant"() {data = "w"} : () -> tensor<8x5000xf32>
  %s = "strata.constant"() {value = dense<0.125> : tensor<4x6xf32>} : () -> tensor<4x6xf32>
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<8x5000xf32>) -> tensor<4x5000xf32>
  %1 = "strata.contract"(%0, %k) {maps = [#lhs, #other, #out], zero_pad = false, origin = "matmul"} : (tensor<4x5000xf32>, tensor<6x5000xf32>) -> tensor<4x6xf32>
  %2 = "strata.mul"(%1, %s) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#other = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// Where there are no such weights, it is applied after the product, once for both operands.
// CHECK-LABEL: @scaled_operands
// CHECK: %[[S:.*]] = "strata.contract"(%arg0, %arg1)
// CHECK: dense<2.500000e-01> : tensor<4x6xf32>
// CHECK: "strata.mul"(%[[S]]
// CHECK-NOT: strata.mul
func.func @scaled_operands(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> tensor<4x6xf32> {
  %s = "strata.constant"() {value = dense<0.5> : tensor<4x8xf32>} : () -> tensor<4x8xf32>
  %t = "strata.constant"() {value = dense<0.5> : tensor<6x8xf32>} : () -> tensor<6x8xf32>
  %0 = "strata.mul"(%q, %s) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "strata.mul"(%k, %t) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  %2 = "strata.contract"(%0, %1) {maps = [#lhs, #other, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// -----

// A scale goes into weights before they are rounded to the type that is multiplied.
// CHECK-LABEL: func.func @rounded_weights
// CHECK: %[[W:.*]] = "strata.constant"
// CHECK: %[[S:.*]] = "strata.mul"(%[[W]], {{.*}}) : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// CHECK: %[[R:.*]] = "strata.convert"(%[[S]]) : (tensor<64x128xf32>) -> tensor<64x128xf16>
// CHECK: %[[Y:.*]] = "strata.contract"({{.*}}, %[[R]])
// CHECK: return %[[Y]]
func.func @rounded_weights(%x: tensor<2x64xf16>) -> tensor<2x128xf32> {
  %w = "strata.constant"() {data = "w"} : () -> tensor<64x128xf32>
  %s = "strata.constant"() {value = dense<0.5> : tensor<2x128xf32>} : () -> tensor<2x128xf32>
  %r = "strata.convert"(%w) : (tensor<64x128xf32>) -> tensor<64x128xf16>
  %p = "strata.contract"(%x, %r) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], origin = "matmul", zero_pad = false} : (tensor<2x64xf16>, tensor<64x128xf16>) -> tensor<2x128xf32>
  %y = "strata.mul"(%p, %s) : (tensor<2x128xf32>, tensor<2x128xf32>) -> tensor<2x128xf32>
  return %y : tensor<2x128xf32>
}

// -----

// But not behind the rounding of the other operand: without its scale, it may be beyond the range of f16.
// CHECK-LABEL: func.func @rounded_mean
// CHECK: %[[M:.*]] = "strata.mul"(%arg0,
// CHECK: %[[R:.*]] = "strata.convert"(%[[M]]) : (tensor<2x64xf32>) -> tensor<2x64xf16>
// CHECK: "strata.contract"(%[[R]],
func.func @rounded_mean(%sum: tensor<2x64xf32>, %w: tensor<64x128xf16>) -> tensor<2x128xf32> {
  %s = "strata.constant"() {value = dense<0.125> : tensor<2x64xf32>} : () -> tensor<2x64xf32>
  %m = "strata.mul"(%sum, %s) : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  %r = "strata.convert"(%m) : (tensor<2x64xf32>) -> tensor<2x64xf16>
  %y = "strata.contract"(%r, %w) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], origin = "matmul", zero_pad = false} : (tensor<2x64xf16>, tensor<64x128xf16>) -> tensor<2x128xf32>
  return %y : tensor<2x128xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// The scales of attention go behind the product of what one contract has made, which is rounded as a whole.
// CHECK-LABEL: func.func @attention
// CHECK: %[[Y:.*]] = "strata.contract"(%arg0, %arg1)
// CHECK-NOT: strata.mul
// CHECK: %[[R:.*]] = "strata.convert"(%[[Y]]) : (tensor<16x128xf32>) -> tensor<16x128xf16>
// CHECK: %[[S:.*]] = "strata.contract"(
// CHECK: "strata.mul"(%[[S]],
// SAFE-LABEL: func.func @attention
// SAFE: strata.mul
// SAFE: strata.mul
// SAFE: strata.convert
func.func @attention(%x: tensor<16x32xf16>, %w: tensor<128x32xf16>) -> tensor<16x16xf32> {
  %s = "strata.constant"() {value = dense<0.35> : tensor<16x64xf32>} : () -> tensor<16x64xf32>
  %y = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], origin = "matmul", zero_pad = false} : (tensor<16x32xf16>, tensor<128x32xf16>) -> tensor<16x128xf32>
  %q = "strata.slice"(%y) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<16x128xf32>) -> tensor<16x64xf32>
  %k = "strata.slice"(%y) {starts = array<i64: 0, 64>, steps = array<i64: 1, 1>} : (tensor<16x128xf32>) -> tensor<16x64xf32>
  %qs = "strata.mul"(%q, %s) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  %ks = "strata.mul"(%k, %s) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  %qr = "strata.convert"(%qs) : (tensor<16x64xf32>) -> tensor<16x64xf16>
  %kr = "strata.convert"(%ks) : (tensor<16x64xf32>) -> tensor<16x64xf16>
  %p = "strata.contract"(%qr, %kr) {maps = [#lhs, #rhs, #out], origin = "matmul", zero_pad = false} : (tensor<16x64xf16>, tensor<16x64xf16>) -> tensor<16x16xf32>
  return %p : tensor<16x16xf32>
}
