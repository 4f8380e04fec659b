// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=tile -o - | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s --check-prefix=GPU
// RUN: sed 's/f8E4M3FN/f16/g' %s > %t.mlir
// RUN: strata %t.mlir --target=nvgpu --device=sm_90a --compile-to=tile -o - | FileCheck %s --check-prefix=WIDE

// Four rows over a cache of bytes: the loop says how many rows there are, and the kernel behind the parts that its loads
// are to be under way together, for which threads may have a processor's registers. Scores of the other rows that a thread
// would hold, which are in no warp, are zero. Over a cache of f16 all is as it was measured.

// CHECK-LABEL: func.func private @k0(
// CHECK: scf.yield
// CHECK-NEXT: } {tile.few = 4 : i64, tile.pipeline}
// CHECK-LABEL: func.func private @k0_sum(
// CHECK-SAME: tile.loads_first

// GPU-LABEL: func.func @k0(
// GPU: %[[SCORES:.*]]:64 = "tile.mma_wait"
// GPU: arith.maximumf %[[SCORES]]#1, %[[SCORES]]#5 : f32
// GPU-NOT: arith.maximumf %[[SCORES]]#2
// GPU-NOT: %[[SCORES]]#6 : f32
// GPU-NOT: %[[SCORES]]#7 : f32
// GPU-LABEL: func.func @k0_sum(
// GPU-SAME: strata.resident = 1

// WIDE-NOT: tile.few
// WIDE-NOT: tile.loads_first
// WIDE: tile.pipeline
// WIDE-NOT: tile.few
// WIDE-NOT: tile.loads_first
#qk = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
#pv = [affine_map<(b, i, d, j) -> (b, i, j)>, affine_map<(b, i, d, j) -> (b, j, d)>, affine_map<(b, i, d, j) -> (b, i, d)>]
func.func @main(%q: tensor<8x4x128xf16> {strata.name = "q"}, %k8: tensor<8x4096x128xf8E4M3FN> {strata.name = "k"}, %v8: tensor<8x4096x128xf8E4M3FN> {strata.name = "v"})
    -> (tensor<8x4x128xf16> {strata.name = "y"}) {
  %k = "strata.convert"(%k8) : (tensor<8x4096x128xf8E4M3FN>) -> tensor<8x4096x128xf16>
  %v = "strata.convert"(%v8) : (tensor<8x4096x128xf8E4M3FN>) -> tensor<8x4096x128xf16>
  %s = "strata.contract"(%q, %k) {maps = #qk, origin = "matmul", zero_pad = false} : (tensor<8x4x128xf16>, tensor<8x4096x128xf16>) -> tensor<8x4x4096xf16>
  %p = "strata.softmax"(%s) {axes = array<i64: 2>} : (tensor<8x4x4096xf16>) -> tensor<8x4x4096xf16>
  %y = "strata.contract"(%p, %v) {maps = #pv, origin = "matmul", zero_pad = false} : (tensor<8x4x4096xf16>, tensor<8x4096x128xf16>) -> tensor<8x4x128xf16>
  return %y : tensor<8x4x128xf16>
}
