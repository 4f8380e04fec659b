// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine,affine-layout --target=nvgpu --device=sm_90a | FileCheck %s
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine,affine-layout | FileCheck %s --check-prefix=CPU

// Rows between products with weights and one of two values are stored as they are on the other side of the former, on a
// GPU: what attention reads batch first, as the first product reads it, and what it leaves as the last product stores it.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: memref.alloc() : memref<3x5x16xf16>
// CHECK: memref.alloc() : memref<3x5x5xf16>
// CHECK: memref.alloc() : memref<3x5x16xf16>
// CHECK-NOT: memref.alloc
// CHECK: return
// CPU-LABEL: func.func @main
// CPU-COUNT-2: memref.alloc() : memref<5x3x16xf16>
#x = affine_map<(l, b, n, k) -> (b, l, k)>
#w = affine_map<(l, b, n, k) -> (k, n)>
#p = affine_map<(l, b, n, k) -> (l, b, n)>
func.func @main(%x: tensor<3x5x8xf16> {strata.name = "x"}, %v: tensor<5x3x16xf16> {strata.name = "v"}) -> (tensor<3x5x4xf16> {strata.name = "y"}) {
  %w = "strata.constant"() {data = "w"} : () -> tensor<8x16xf16>
  %u = "strata.constant"() {data = "u"} : () -> tensor<16x4xf16>
  %0 = "strata.contract"(%x, %w) {maps = [#x, #w, #p], zero_pad = false, origin = "matmul"} : (tensor<3x5x8xf16>, tensor<8x16xf16>) -> tensor<5x3x16xf16>
  %1 = "strata.exp"(%0) : (tensor<5x3x16xf16>) -> tensor<5x3x16xf16>
  %2 = "strata.contract"(%1, %1) {maps = [affine_map<(b, i, j, k) -> (i, b, k)>, affine_map<(b, i, j, k) -> (j, b, k)>, affine_map<(b, i, j, k) -> (b, i, j)>], zero_pad = false, origin = "matmul"} : (tensor<5x3x16xf16>, tensor<5x3x16xf16>) -> tensor<3x5x5xf16>
  %3 = "strata.contract"(%2, %v) {maps = [affine_map<(i, b, n, j) -> (b, i, j)>, affine_map<(i, b, n, j) -> (j, b, n)>, affine_map<(i, b, n, j) -> (i, b, n)>], zero_pad = false, origin = "matmul"} : (tensor<3x5x5xf16>, tensor<5x3x16xf16>) -> tensor<5x3x16xf16>
  %4 = "strata.contract"(%3, %u) {maps = [affine_map<(b, l, n, k) -> (l, b, k)>, affine_map<(b, l, n, k) -> (k, n)>, affine_map<(b, l, n, k) -> (b, l, n)>], zero_pad = false, origin = "matmul"} : (tensor<5x3x16xf16>, tensor<16x4xf16>) -> tensor<3x5x4xf16>
  return %4 : tensor<3x5x4xf16>
}

// -----

// What others read too stays as it is.
// CHECK-LABEL: func.func @main
// CHECK: memref.alloc() : memref<5x3x16xf16>
// CHECK: return
func.func @main(%x: tensor<3x5x8xf16> {strata.name = "x"}) -> (tensor<3x5x5xf16> {strata.name = "y"}, tensor<5x3xf16> {strata.name = "z"}) {
  %w = "strata.constant"() {data = "w"} : () -> tensor<8x16xf16>
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(l, b, n, k) -> (b, l, k)>, affine_map<(l, b, n, k) -> (k, n)>, affine_map<(l, b, n, k) -> (l, b, n)>], zero_pad = false, origin = "matmul"} : (tensor<3x5x8xf16>, tensor<8x16xf16>) -> tensor<5x3x16xf16>
  %2 = "strata.contract"(%0, %0) {maps = [affine_map<(b, i, j, k) -> (i, b, k)>, affine_map<(b, i, j, k) -> (j, b, k)>, affine_map<(b, i, j, k) -> (b, i, j)>], zero_pad = false, origin = "matmul"} : (tensor<5x3x16xf16>, tensor<5x3x16xf16>) -> tensor<3x5x5xf16>
  %3 = "strata.reduce"(%0) {axes = array<i64: 2>, kind = "max"} : (tensor<5x3x16xf16>) -> tensor<5x3xf16>
  return %2, %3 : tensor<3x5x5xf16>, tensor<5x3xf16>
}
