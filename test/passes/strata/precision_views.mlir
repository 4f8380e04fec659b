// RUN: strata-opt %s --strata-precision --strata-cse --mm-conv-precision-mode=mixed_fp16_fp32 | FileCheck %s

// What is sliced for several products is rounded once, where it is made.
// CHECK-LABEL: func.func @slices
// CHECK: %[[R:.*]] = "strata.convert"(%arg0) : (tensor<8x96xf32>) -> tensor<8x96xf16>
// CHECK: "strata.slice"(%[[R]])
func.func @slices(%x: tensor<8x96xf32>) -> tensor<8x8xf32> {
  %q = "strata.slice"(%x) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<8x96xf32>) -> tensor<8x32xf32>
  %k = "strata.slice"(%x) {starts = array<i64: 0, 32>, steps = array<i64: 1, 1>} : (tensor<8x96xf32>) -> tensor<8x32xf32>
  %s = "strata.contract"(%q, %k) {maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (j, l)>, affine_map<(i, j, l) -> (i, j)>], origin = "matmul", zero_pad = false} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}
