// RUN: strata %s --target=nvgpu --device=emulated_fma --explain --compile-to=tile -o %t.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: strata %s --target=nvgpu --device=sm_80 --explain --compile-to=affine -o %t.mlir | FileCheck %s --check-prefix=NONE

// Where there are no matrix instructions a pair is a loop of two contractions, whose tiles threads stage; not where each
// result is summed up like a row, of few rows, nor where a result is wanted itself.
// CHECK: pair contract#0, contract#{{[0-9]+}}: 500 x 2 * 1000 x 264: {{.*}} instead of
// CHECK-NEXT: pair contract#{{[0-9]+}}, contract#{{[0-9]+}}: 1 x 2 * 1000 x 264: summed up like rows
// CHECK-NOT: pair contract
// CHECK: 500 x 1000 x 264, 1 times, a pair
// CHECK-NEXT: multiply-adds {{.*}}, chosen
// CHECK-NOT: a pair
// NONE-NOT: instead of

// IR: scf.forall
// IR: %[[SUMS:.*]]:2 = scf.for
// IR: %[[X:.*]] = arith.extf
// IR: vector.contract {{.*}} %[[X]],
// IR-NEXT: vector.contract {{.*}} %[[X]],
// IR: } {{{.*}}tile.pipeline}
#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>
!x = tensor<500x264xf16>
!w = tensor<264x1000xf16>
!y = tensor<500x1000xf16>
!a = tensor<1x264xf16>
!z = tensor<1x1000xf16>
func.func @main(%x: !x, %p: !x, %w: !w, %v: !w, %a: !a) -> (!y, !y, !y, !z) {
  %0 = "strata.contract"(%x, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!x, !w) -> !y
  %1 = "strata.contract"(%x, %v) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!x, !w) -> !y
  %2 = "strata.silu"(%0) {} : (!y) -> !y
  %3 = "strata.mul"(%2, %1) {} : (!y, !y) -> !y
  %4 = "strata.contract"(%p, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!x, !w) -> !y
  %5 = "strata.contract"(%p, %v) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!x, !w) -> !y
  %6 = "strata.mul"(%4, %5) {} : (!y, !y) -> !y
  %7 = "strata.contract"(%a, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!a, !w) -> !z
  %8 = "strata.contract"(%a, %v) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!a, !w) -> !z
  %9 = "strata.mul"(%7, %8) {} : (!z, !z) -> !z
  return %3, %4, %6, %9 : !y, !y, !y, !z
}
