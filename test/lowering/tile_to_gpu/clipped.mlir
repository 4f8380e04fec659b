// A tile in which an operand ends whose number of rows varies: its last box has the rows that there are, and so many
// bytes are announced. The other operand's number of rows is known.
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s

#x = affine_map<()[s0] -> (s0, 768)>
#y = affine_map<()[s0] -> (s0, 256)>

// CHECK: strata.maps = [{box = array<i64: 64, [[ROWS:[0-9]+]]>, buffer = 0 : i64,
// CHECK-SAME: {box = array<i64: 64, [[ROWS]]>, buffer = 0 : i64, clipped = 1 : i64,
// CHECK-SAME: whole = 0 : i64}
// CHECK-SAME: buffer = 1 : i64
// CHECK-NOT: buffer = 1 : i64, clipped
// CHECK: module @kernels
// CHECK: tile.barrier_wait
// CHECK: %[[LEFT:.*]] = arith.subi
// CHECK-NEXT: %[[TILE:.*]] = arith.constant [[ROWS]] : index
// CHECK-NEXT: arith.minsi %[[LEFT]], %[[TILE]]
// CHECK: "tile.barrier_expect"(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) {bytes =
// CHECK: %[[LEFT2:.*]] = arith.subi
// CHECK: arith.cmpi slt, %[[LEFT2]],
// CHECK-NEXT: scf.if
// CHECK-NEXT: "tile.bulk_load"({{.*}}) {map = 1 : i64}
// CHECK: else
// CHECK-NEXT: "tile.bulk_load"({{.*}}) {map = 0 : i64}
// CHECK: "tile.bulk_load"({{.*}}) {map = 2 : i64}
func.func @main(%x: tensor<?x768xf16, #x> {strata.name = "x"}, %w: tensor<256x768xf16> {strata.name = "w"})
    -> (tensor<?x256xf16, #y> {strata.name = "y"})
    attributes {strata.symbols = [{name = "rows", min = 1, max = 4096, likely = [512]}]} {
  %0 = "strata.contract"(%x, %w) {origin = "matmul", zero_pad = false, maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
      : (tensor<?x768xf16, #x>, tensor<256x768xf16>) -> tensor<?x256xf16, #y>
  return %0 : tensor<?x256xf16, #y>
}
