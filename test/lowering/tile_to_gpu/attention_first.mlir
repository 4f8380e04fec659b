// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=tile | FileCheck %s --check-prefix=TILE
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu | FileCheck %s

// Where keys vary, the first step alone may have columns behind the last one: it masks them behind a branch, and the
// loop over all other steps chooses no score at all. The counter of that loop has a range.
// TILE: scf.for
// TILE: arith.select {{.*}} {tile.first} : vector<128x128xi1>, vector<128x128xf32>
// TILE-NOT: arith.select
// TILE: } {tile.pipeline}

// CHECK: module @kernels
// CHECK: func.func @k0(
// CHECK: "tile.mma_wait"({{.*}}{pending = 0 : i64}
// CHECK: scf.if {{.*}} -> (f32,
// CHECK-COUNT-64: arith.select {{.*}} : f32
// CHECK: } else {
// CHECK: arith.minui
// CHECK: scf.for
// CHECK: "tile.mma_wait"({{.*}}{pending = 1 : i64}
// CHECK-NOT: arith.select {{.*}} : f32
// CHECK: return
!x = tensor<?x16x?x128xbf16, affine_map<()[s0, s1] -> (s0, 16, s1, 128)>>
!s = tensor<?x16x?x?xf32, affine_map<()[s0, s1] -> (s0, 16, s1, s1)>>
!p = tensor<?x16x?x?xbf16, affine_map<()[s0, s1] -> (s0, 16, s1, s1)>>
!y = tensor<?x16x?x128xf32, affine_map<()[s0, s1] -> (s0, 16, s1, 128)>>
func.func @main(%q: !x {strata.name = "q"}, %k: !x {strata.name = "k"}, %v: !x {strata.name = "v"})
    -> (!x {strata.name = "y"}) attributes {strata.symbols = [
    {name = "batch", min = 8, max = 64, likely = [8]}, {name = "length", min = 1024, max = 4096, likely = [2048]}]} {
  %0 = "strata.contract"(%q, %k) {zero_pad = false, origin = "matmul", maps = [
      affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>,
      affine_map<(b, h, i, j, d) -> (b, h, i, j)>]} : (!x, !x) -> !s
  %1 = "strata.softmax"(%0) {axes = array<i64: 3>} : (!s) -> !s
  %2 = "strata.convert"(%1) {} : (!s) -> !p
  %3 = "strata.contract"(%2, %v) {zero_pad = false, origin = "matmul", maps = [
      affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>,
      affine_map<(b, h, i, d, j) -> (b, h, i, d)>]} : (!p, !x) -> !y
  %4 = "strata.convert"(%3) {} : (!y) -> !x
  return %4 : !x
}
