// Rows times their sequences' matrices: on sm_90a a pipelined product, of which a task is a tile of rows of one sequence and of
// columns. Where they come from is a row of the table, which producers read, too.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --strata-to-affine --affine-group --affine-schedule --affine-to-tile | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_80 --strata-to-affine --affine-group --affine-schedule | FileCheck %s --check-prefix=OTHER

// OTHER-NOT: kind = "segment_contract"

// CHECK: func.func private @{{k[0-9]+}}(%[[TABLE:.*]]: memref<11x6xi64>, %[[X:.*]]: memref<600x136xf16>, %[[W:.*]]: memref<7x136x520xf16>,
// CHECK-SAME: kind = "segment_contract", mma = "wgmma.f16"
// Three tiles of 176 columns.
// CHECK: scf.forall (%{{.*}}) in (33) {
// CHECK: %[[FIRST:.*]] = arith.index_cast
// CHECK: %[[OWN:.*]] = arith.index_cast
// CHECK: %[[SEQUENCE:.*]] = arith.index_cast
// CHECK: scf.for %{{.*}} = %{{.*}} to %c3
// CHECK: "tile.load"(%[[X]], {{.*}}%[[FIRST]]{{.*}} -> vector<128x64xf16>
// CHECK: "tile.load"(%[[W]], {{.*}}%[[SEQUENCE]]{{.*}} -> vector<176x64xf16>
// CHECK: } {tile.pipeline}
// CHECK: "tile.store"(%{{.*}}, %{{.*}}, {{.*}}%[[FIRST]], %[[OWN]]{{.*}}mask
func.func @main(%x: tensor<600x136xf16> {strata.name = "x"}, %w: tensor<7x136x520xf16> {strata.name = "w"}, %o: tensor<8xi64> {strata.name = "o"})
    -> (tensor<600x520xf32> {strata.name = "y"}) {
  %m = "strata.segment_rows"(%o) : (tensor<8xi64>) -> tensor<600xi64>
  %y = "strata.segment_contract"(%x, %w, %m) : (tensor<600x136xf16>, tensor<7x136x520xf16>, tensor<600xi64>) -> tensor<600x520xf32>
  return %y : tensor<600x520xf32>
}
