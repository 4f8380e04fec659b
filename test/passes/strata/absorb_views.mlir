// RUN: strata-opt %s --split-input-file --strata-sink-views --strata-dce | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// CHECK: #[[KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: @transposes
// CHECK-NEXT: "strata.contract"(%arg0, %arg1) {maps = [#[[KM]], #[[NK]], #{{.*}}]
// CHECK-NEXT: return
func.func @transposes(%x: tensor<8x4xf32>, %y: tensor<6x8xf32>) -> tensor<4x6xf32> {
  %0 = "strata.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %1 = "strata.transpose"(%y) {permutation = array<i64: 1, 0>} : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %2 = "strata.contract"(%0, %1) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// The result in the other order.
// CHECK-LABEL: @result
// CHECK-NEXT: "strata.contract"(%arg0, %arg1) {{.*}} -> tensor<6x4xf32>
// CHECK-NEXT: return
func.func @result(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<6x4xf32> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = "strata.transpose"(%0) {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Not where the result is needed in this order too.
// CHECK-LABEL: @shared_result
// CHECK: strata.contract
// CHECK: strata.transpose
func.func @shared_result(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<6x4xf32>) {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = "strata.transpose"(%0) {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<6x4xf32>
}

// -----

#heads = affine_map<(h, i, j, d) -> (h, i, d)>
#other = affine_map<(h, i, j, d) -> (h, j, d)>
#scores = affine_map<(h, i, j, d) -> (h, i, j)>

// Heads are parts of rows: no copy separates them.
// CHECK: #[[I:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0 * 16 + d3)>
// CHECK: #[[J:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d0 * 16 + d3)>
// CHECK-LABEL: @heads
// CHECK-NEXT: "strata.contract"(%arg0, %arg1) {maps = [#[[I]], #[[J]], #{{.*}}]
// CHECK-NEXT: return
func.func @heads(%q: tensor<8x64xf32>, %k: tensor<8x64xf32>) -> tensor<4x8x8xf32> {
  %0 = "strata.reshape"(%q) : (tensor<8x64xf32>) -> tensor<8x4x16xf32>
  %1 = "strata.transpose"(%0) {permutation = array<i64: 1, 0, 2>} : (tensor<8x4x16xf32>) -> tensor<4x8x16xf32>
  %2 = "strata.reshape"(%k) : (tensor<8x64xf32>) -> tensor<8x4x16xf32>
  %3 = "strata.transpose"(%2) {permutation = array<i64: 1, 0, 2>} : (tensor<8x4x16xf32>) -> tensor<4x8x16xf32>
  %4 = "strata.contract"(%1, %3) {maps = [#heads, #other, #scores], zero_pad = false, origin = "matmul"} : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x8xf32>
  return %4 : tensor<4x8x8xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Heads put together again: the contracted dim is split instead, and so are the weights, which are only looked at otherwise.
// CHECK: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>
// CHECK-LABEL: @joined_heads
// CHECK: %[[R:.*]] = "strata.reshape"(%{{.*}}) : (tensor<64x100xf32>) -> tensor<4x16x100xf32>
// CHECK: "strata.contract"(%arg0, %[[R]]) {maps = [#[[X]], #[[W]], #{{.*}}]
func.func @joined_heads(%x: tensor<8x4x16xf32>) -> tensor<8x100xf32> {
  %w = "strata.constant"() {data = "w"} : () -> tensor<64x100xf32>
  %0 = "strata.reshape"(%x) : (tensor<8x4x16xf32>) -> tensor<8x64xf32>
  %1 = "strata.contract"(%0, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<8x64xf32>, tensor<64x100xf32>) -> tensor<8x100xf32>
  return %1 : tensor<8x100xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// A split dim of the result leaves a reshape behind.
// CHECK-LABEL: @split_rows
// CHECK-NEXT: %[[Y:.*]] = "strata.contract"(%arg0, %arg1) {{.*}} -> tensor<2x3x6xf32>
// CHECK-NEXT: "strata.reshape"(%[[Y]]) : (tensor<2x3x6xf32>) -> tensor<6x6xf32>
func.func @split_rows(%x: tensor<2x3x8xf32>, %y: tensor<8x6xf32>) -> tensor<6x6xf32> {
  %0 = "strata.reshape"(%x) : (tensor<2x3x8xf32>) -> tensor<6x8xf32>
  %1 = "strata.contract"(%0, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<6x8xf32>, tensor<8x6xf32>) -> tensor<6x6xf32>
  return %1 : tensor<6x6xf32>
}

// -----

#lhs = affine_map<(b, m, n, k) -> (b, m, k)>
#rhs = affine_map<(b, m, n, k) -> (b, k, n)>
#out = affine_map<(b, m, n, k) -> (b, m, n)>

// CHECK: #[[NO_BATCH:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
// CHECK-LABEL: @broadcast
// CHECK-NEXT: "strata.contract"(%arg0, %arg1) {maps = [#{{.*}}, #[[NO_BATCH]], #{{.*}}]
func.func @broadcast(%x: tensor<5x4x8xf32>, %y: tensor<8x6xf32>) -> tensor<5x4x6xf32> {
  %0 = "strata.broadcast"(%y) {map = affine_map<(b, k, n) -> (k, n)>} : (tensor<8x6xf32>) -> tensor<5x8x6xf32>
  %1 = "strata.contract"(%x, %0) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<5x4x8xf32>, tensor<5x8x6xf32>) -> tensor<5x4x6xf32>
  return %1 : tensor<5x4x6xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Without the broadcast nothing would say how far k goes.
// CHECK-LABEL: @needed_broadcast
// CHECK: strata.broadcast
// CHECK: strata.contract
func.func @needed_broadcast(%x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = "strata.broadcast"(%x) {map = affine_map<(m, k) -> (m)>} : (tensor<4xf32>) -> tensor<4x8xf32>
  %1 = "strata.contract"(%0, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = ""} : (tensor<4x8xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

#image = affine_map<(f, i, j, c, k, l) -> (c, i + k, j + l)>
#filter = affine_map<(f, i, j, c, k, l) -> (f, c, k, l)>
#out = affine_map<(f, i, j, c, k, l) -> (f, i, j)>

// CHECK: #[[PADDED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d1 + d4 - 1, d2 + d5 - 1)>
// CHECK-LABEL: @padded_convolution
// CHECK-NEXT: "strata.contract"(%arg0, %arg1) {maps = [#[[PADDED]], {{.*}}zero_pad = true
func.func @padded_convolution(%x: tensor<3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<4x8x8xf32> {
  %0 = "strata.pad"(%x) {low = array<i64: 0, 1, 1>, high = array<i64: 0, 1, 1>, value = 0.0 : f32} : (tensor<3x8x8xf32>) -> tensor<3x10x10xf32>
  %1 = "strata.contract"(%0, %w) {maps = [#image, #filter, #out], zero_pad = false, origin = "conv"} : (tensor<3x10x10xf32>, tensor<4x3x3x3xf32>) -> tensor<4x8x8xf32>
  return %1 : tensor<4x8x8xf32>
}

// -----

#image = affine_map<(f, i, j, c, k, l) -> (c, i + k, j + l)>
#filter = affine_map<(f, i, j, c, k, l) -> (f, c, k, l)>
#out = affine_map<(f, i, j, c, k, l) -> (f, i, j)>

// CHECK-LABEL: @padded_with_ones
// CHECK: strata.pad
func.func @padded_with_ones(%x: tensor<3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<4x8x8xf32> {
  %0 = "strata.pad"(%x) {low = array<i64: 0, 1, 1>, high = array<i64: 0, 1, 1>, value = 1.0 : f32} : (tensor<3x8x8xf32>) -> tensor<3x10x10xf32>
  %1 = "strata.contract"(%0, %w) {maps = [#image, #filter, #out], zero_pad = false, origin = "conv"} : (tensor<3x10x10xf32>, tensor<4x3x3x3xf32>) -> tensor<4x8x8xf32>
  return %1 : tensor<4x8x8xf32>
}

// -----

#image = affine_map<(f, i, j, c, k, l) -> (c, i + k - 1, j + l - 1)>
#filter = affine_map<(f, i, j, c, k, l) -> (f, c, k, l)>
#out = affine_map<(f, i, j, c, k, l) -> (f, i, j)>

// Where rows are padded, the end of one is not the start of the next.
// CHECK-LABEL: @padded_rows
// CHECK: strata.reshape
// CHECK: strata.contract
func.func @padded_rows(%x: tensor<3x64xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<4x8x8xf32> {
  %0 = "strata.reshape"(%x) : (tensor<3x64xf32>) -> tensor<3x8x8xf32>
  %1 = "strata.contract"(%0, %w) {maps = [#image, #filter, #out], zero_pad = true, origin = "conv"} : (tensor<3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<4x8x8xf32>
  return %1 : tensor<4x8x8xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Zeros behind the rows, in front of them, and rows of zeros: what the contraction reads outside is zero. The reduction is
// as long as the operand that has it all.
// CHECK: #[[FRONT:.*]] = affine_map<(d0, d1, d2) -> (d0, d2 - 3)>
// CHECK-LABEL: @padded_rows
// CHECK-NEXT: "strata.contract"(%arg0, %arg1) {{.*}}zero_pad = true} : (tensor<4x7xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: "strata.contract"(%arg2, %arg1) {maps = [#[[FRONT]], {{.*}}zero_pad = true} : (tensor<4x5xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: "strata.contract"(%arg1, %arg0) {{.*}}zero_pad = true} : (tensor<8x6xf32>, tensor<4x7xf32>) -> tensor<6x9xf32>
func.func @padded_rows(%x: tensor<4x7xf32>, %w: tensor<8x6xf32>, %z: tensor<4x5xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x9xf32>) {
  %0 = "strata.pad"(%x) {low = array<i64: 0, 0>, high = array<i64: 0, 1>, value = 0.0 : f32} : (tensor<4x7xf32>) -> tensor<4x8xf32>
  %1 = "strata.contract"(%0, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %2 = "strata.pad"(%z) {low = array<i64: 0, 3>, high = array<i64: 0, 0>, value = 0.0 : f32} : (tensor<4x5xf32>) -> tensor<4x8xf32>
  %3 = "strata.contract"(%2, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %4 = "strata.pad"(%x) {low = array<i64: 0, 0>, high = array<i64: 4, 2>, value = 0.0 : f32} : (tensor<4x7xf32>) -> tensor<8x9xf32>
  %5 = "strata.contract"(%w, %4) {maps = [affine_map<(m, n, k) -> (k, m)>, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<8x6xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  return %1, %3, %5 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x9xf32>
}
