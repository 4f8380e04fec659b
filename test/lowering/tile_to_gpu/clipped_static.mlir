// Operands of known sizes that end within tiles. Of 56 rows in one tile a box has no more; of 2056 columns in several
// the last one has a map of its own, and so many bytes are announced; of a cluster's tiles behind them nothing comes.
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s

// CHECK: strata.maps = [{box = array<i64: 64, 56>, buffer = 0 : i64,
// CHECK-SAME: {box = array<i64: 64, [[COLUMNS:[0-9]+]]>, buffer = 1 : i64,
// CHECK-SAME: {box = array<i64: 64, 8>, buffer = 1 : i64,
// CHECK-NOT: clipped
// CHECK: module @kernels
// CHECK: %[[END:.*]] = arith.constant 2056 : index
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[END]],
// CHECK-NEXT: %[[TILE:.*]] = arith.constant [[COLUMNS]] : index
// CHECK-NEXT: %[[ROWS:.*]] = arith.minsi %[[LEFT]], %[[TILE]]
// CHECK-NEXT: %[[NONE:.*]] = arith.constant 0 : index
// CHECK-NEXT: arith.maxsi %[[ROWS]], %[[NONE]]
// CHECK: arith.constant 7168 : index
// CHECK: "tile.barrier_expect"(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) {bytes =
// CHECK: "tile.bulk_load"({{.*}}) {map = 0 : i64}
// CHECK: arith.cmpi slt,
// CHECK-NEXT: scf.if
// CHECK: arith.cmpi sgt,
// CHECK-NEXT: scf.if
// CHECK-NEXT: "tile.bulk_load"({{.*}}) {map = 2 : i64}
// CHECK: else
// CHECK-NEXT: "tile.bulk_load"({{.*}}) {map = 1 : i64}
func.func @main(%x: tensor<56x1096xf16> {strata.name = "x"}, %w: tensor<2056x1096xf16> {strata.name = "w"})
    -> (tensor<56x2056xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {origin = "matmul", zero_pad = false, maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
      : (tensor<56x1096xf16>, tensor<2056x1096xf16>) -> tensor<56x2056xf16>
  return %0 : tensor<56x2056xf16>
}
