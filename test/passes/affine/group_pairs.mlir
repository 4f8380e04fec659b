// Two products of the same rows that meet elementwise are one kernel where operands come in bulk and the model finds it
// faster; not where a result is wanted itself, where the rows differ, or where they are few in all.
// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: strata %s --target=nvgpu --device=sm_80 --explain --compile-to=affine -o %t.mlir | FileCheck %s --check-prefix=NONE
// RUN: strata %s --target=nvgpu --device=sm_90a --polyblocks-disable-affine-fusion --explain --compile-to=affine -o %t.mlir | FileCheck %s --check-prefix=NONE

// CHECK: pair contract#0, contract#{{[0-9]+}}: 16 x 2 * 14336 x 4096: {{.*}} instead of
// CHECK-NEXT: pair contract#{{[0-9]+}}, contract#{{[0-9]+}}: 1 x 2 * 1000 x 2056: {{.*}} are too many for
// CHECK-NOT: pair contract
// CHECK: product k0: 16 x 14336 x 4096, 1 times, a pair
// CHECK-NOT: a pair
// NONE-NOT: pair

// IR-LABEL: func.func private @k0
// IR-COUNT-2: affine.for {{.*}} iter_args
// IR-NOT: func.func
// IR: math.exp
// IR: return
#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>
!x = tensor<16x4096xbf16>
!w = tensor<4096x14336xbf16>
!s = tensor<16x14336xf32>
!y = tensor<16x14336xbf16>
!a = tensor<1x2056xbf16>
!t = tensor<2056x1000xbf16>
!z = tensor<1x1000xf32>
func.func @main(%x: !x, %p: !x, %w: !w, %v: !w, %a: !a, %b: !t, %c: !t) -> (!y, !y, !y, !z) {
  %0 = "strata.contract"(%x, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!x, !w) -> !s
  %1 = "strata.convert"(%0) {} : (!s) -> !y
  %2 = "strata.contract"(%x, %v) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!x, !w) -> !s
  %3 = "strata.convert"(%2) {} : (!s) -> !y
  %4 = "strata.silu"(%1) {} : (!y) -> !y
  %5 = "strata.mul"(%4, %3) {} : (!y, !y) -> !y
  %6 = "strata.contract"(%p, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!x, !w) -> !s
  %7 = "strata.convert"(%6) {} : (!s) -> !y
  %8 = "strata.contract"(%p, %v) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!x, !w) -> !s
  %9 = "strata.convert"(%8) {} : (!s) -> !y
  %10 = "strata.mul"(%7, %9) {} : (!y, !y) -> !y
  %11 = "strata.contract"(%a, %b) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!a, !t) -> !z
  %12 = "strata.contract"(%a, %c) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!a, !t) -> !z
  %13 = "strata.mul"(%11, %12) {} : (!z, !z) -> !z
  return %5, %7, %10, %13 : !y, !y, !y, !z
}
