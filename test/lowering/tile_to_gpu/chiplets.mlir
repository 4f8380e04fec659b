// Blocks of a product are numbered by chiplet where processors form chiplets with a second-level cache of their own: of
// 187 on eight the first three have one more. A card may have fewer chiplets; most devices have one.
// RUN: strata %s --target=amdgpu --device=gfx942 --compile-to=gpu -o - | FileCheck %s
// RUN: strata %s --target=amdgpu --device=mi300a --compile-to=gpu -o - | FileCheck %s --check-prefix=SIX
// RUN: strata %s --target=amdgpu --device=gfx1100 --compile-to=gpu -o - | FileCheck %s --check-prefix=ONE
// CHECK: %[[BLOCK:.*]] = gpu.block_id  x upper_bound 187
// CHECK-DAG: %[[CHIPLET:.*]] = arith.remui %[[BLOCK]], %c8
// CHECK-DAG: %[[PLACE:.*]] = arith.divui %[[BLOCK]], %c8
// CHECK: %[[OTHERS:.*]] = arith.muli %[[CHIPLET]], %c23
// CHECK: %[[MORE:.*]] = arith.minui %[[CHIPLET]], %c3
// CHECK: %[[FIRST:.*]] = arith.addi %[[OTHERS]], %[[MORE]]
// CHECK: arith.addi %[[FIRST]], %[[PLACE]]
// SIX: arith.remui %{{.*}}, %c6
// SIX: arith.muli %{{.*}}, %c31
// ONE-NOT: arith.minui
#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>
!x = tensor<700x512xf16>
!w = tensor<1030x512xf16>
!y = tensor<700x1030xf32>
func.func @main(%x: !x, %w: !w) -> !y {
  %0 = "strata.contract"(%x, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!x, !w) -> !y
  return %0 : !y
}
