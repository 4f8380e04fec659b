// An operand whose rows, of a number that varies, are one box: there is no map of whole ones, and no branch.
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s

#x = affine_map<()[s0] -> (s0, 3072)>
#y = affine_map<()[s0] -> (s0, 768)>

// CHECK: strata.maps = [{box = array<i64: 64, [[ROWS:[0-9]+]]>, buffer = 0 : i64, clipped = 1 : i64,
// CHECK-SAME: buffer = 1 : i64
// CHECK-NOT: whole
// CHECK: module @kernels
// CHECK: tile.barrier_wait
// CHECK: %[[LEFT:.*]] = arith.subi
// CHECK-NEXT: %[[TILE:.*]] = arith.constant [[ROWS]] : index
// CHECK-NEXT: arith.minsi %[[LEFT]], %[[TILE]]
// CHECK: "tile.barrier_expect"(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) {bytes =
// CHECK-NOT: arith.cmpi slt
// CHECK: "tile.bulk_load"({{.*}}) {map = 0 : i64}
// CHECK: "tile.bulk_load"({{.*}}) {map = 1 : i64}
func.func @main(%x: tensor<?x3072xf16, #x> {strata.name = "x"}, %w: tensor<768x3072xf16> {strata.name = "w"})
    -> (tensor<?x768xf16, #y> {strata.name = "y"})
    attributes {strata.symbols = [{name = "rows", min = 1, max = 8, likely = [7]}]} {
  %0 = "strata.contract"(%x, %w) {origin = "matmul", zero_pad = false, maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
      : (tensor<?x3072xf16, #x>, tensor<768x3072xf16>) -> tensor<?x768xf16, #y>
  return %0 : tensor<?x768xf16, #y>
}
