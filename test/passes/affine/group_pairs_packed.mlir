// Halves of one product that meet elementwise are a pair of products with parts of its weights, wherever those come
// from; the weights are read where they are.
// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// CHECK: pair contract#{{[0-9]+}}, contract#{{[0-9]+}}: 2048 x 2 * 1376 x 512: {{.*}} instead of
// CHECK: product k0: 2048 x 1376 x 512, 1 times, a pair

// IR: func.func @main(%[[X:.*]]: memref<2x1024x512xf16>{{.*}}, %[[W:.*]]: memref<2752x512xf16>{{.*}}, %[[Y:.*]]: memref<2x1024x1376xf16>
// IR-NOT: memref.alloc
// IR-COUNT-1: call @k
// IR-NOT: call
// IR: func.func private @k0
// IR: affine.load %[[V:[a-z0-9]+]][%{{[a-z0-9]+}}, %{{.*}}] : memref<2752x512xf16>
// IR: affine.load %[[V]][%{{.*}} + 1376, %{{.*}}] : memref<2752x512xf16>
// IR-NOT: func.func
#l = affine_map<(b, m, n, k) -> (b, m, k)>
#r = affine_map<(b, m, n, k) -> (n, k)>
#o = affine_map<(b, m, n, k) -> (b, m, n)>
!x = tensor<2x1024x512xf16>
!w = tensor<2752x512xf16>
!y = tensor<2x1024x2752xf16>
!z = tensor<2x1024x1376xf16>
func.func @main(%x: !x, %w: !w, %b: tensor<2752xf16>) -> !z {
  %0 = "strata.contract"(%x, %w) {maps = [#l, #r, #o], zero_pad = false, origin = "matmul"} : (!x, !w) -> !y
  %1 = "strata.broadcast"(%b) {map = affine_map<(b, m, n) -> (n)>} : (tensor<2752xf16>) -> !y
  %2 = "strata.add"(%0, %1) : (!y, !y) -> !y
  %3 = "strata.slice"(%2) {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : (!y) -> !z
  %4 = "strata.slice"(%2) {starts = array<i64: 0, 0, 1376>, steps = array<i64: 1, 1, 1>} : (!y) -> !z
  %5 = "strata.gelu"(%4) {approximate = "none"} : (!z) -> !z
  %6 = "strata.mul"(%3, %5) : (!z, !z) -> !z
  return %6 : !z
}
