// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu --explain -o %t | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s < %t/strata_mlir_artifact.gpu.mlir

// Two calls of a product with an erf of each result, two tiles a processor and more: consumers have one code for both,
// whose buffers are the running call's. What the copy engine stores goes by the map of each.
// SAID: product k0: with 2 of k0, 2048 x 4096 x 1024: {{.*}} us in one launch, {{[0-9.]+}} apart{{$}}
// SAID: a run: 1 launches
// CHECK-LABEL: func.func @k0_k0
// CHECK-NOT: arith.select {{.*}} : memref
// CHECK: %[[WHICH:.*]] = arith.divui %{{.*}}, %c512{{.*}} : index
// CHECK: arith.select {{.*}} : memref<4096xf16>
// CHECK: arith.select {{.*}} : memref<2048x4096xf16>
// CHECK: math.exp
// CHECK: arith.cmpi eq, %[[WHICH]], %c0
// CHECK: scf.if
// CHECK-NEXT: "tile.bulk_store"({{.*}}) {map = 3 : i64}
// CHECK: arith.cmpi eq, %[[WHICH]], %c1
// CHECK: scf.if
// CHECK-NEXT: "tile.bulk_store"({{.*}}) {map = 4 : i64}
// CHECK-NOT: arith.select {{.*}} : memref
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
!x = tensor<2048x1024xf16>
!w = tensor<1024x4096xf16>
!b = tensor<4096xf16>
!y = tensor<2048x4096xf16>
func.func @main(%x: !x, %w: !w, %b: !b, %v: !w, %c: !b) -> (!y, !y) {
  %0 = "strata.contract"(%x, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (!x, !w) -> !y
  %1 = "strata.broadcast"(%b) {map = affine_map<(i, j) -> (j)>} : (!b) -> !y
  %2 = "strata.add"(%0, %1) : (!y, !y) -> !y
  %3 = "strata.gelu"(%2) : (!y) -> !y
  %4 = "strata.contract"(%x, %v) {maps = #nn, zero_pad = false, origin = "matmul"} : (!x, !w) -> !y
  %5 = "strata.broadcast"(%c) {map = affine_map<(i, j) -> (j)>} : (!b) -> !y
  %6 = "strata.add"(%4, %5) : (!y, !y) -> !y
  %7 = "strata.gelu"(%6) : (!y) -> !y
  return %3, %7 : !y, !y
}
