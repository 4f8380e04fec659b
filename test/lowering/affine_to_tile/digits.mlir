// A sort by digits on a GPU: a block has a part of a row, and threads as many as there are digits. Of keys of one byte there
// is one pass, of rows of one part no offsets: what the row's digits begin at comes from its own counts.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --strata-to-affine --affine-group --affine-schedule --affine-to-tile | FileCheck %s

// CHECK-LABEL: func.func private @k0(
// CHECK-SAME: %[[X:.*]]: memref<70x900xi8>, %[[C:.*]]: memref<70x256x1xi32>)
// CHECK-SAME: group = 256 : i64, kind = "digits", threads = 256 : i64, tile = array<i64: 4096>
// CHECK: scf.forall (%[[TASK:.*]]) in (70)
// CHECK-DAG: %[[ROW:.*]] = affine.apply #[[$BY_900:.*]](%[[TASK]])
// CHECK-DAG: %[[DIGITS:.*]] = affine.apply #[[$BY_256:.*]](%[[TASK]])
// CHECK: "tile.count_digits"(%[[X]], %[[C]], %[[ROW]], %[[DIGITS]], %{{.*}}, %c900
// CHECK-SAME: {steps = array<i64: 1, 1>, strata.digit = {bits = 8 : i64, descending = 0 : i64, shift = 0 : i64, unsigned = 1 : i64}}
// CHECK-LABEL: func.func private @k1(
// CHECK: "tile.place_digits"
// CHECK-SAME: steps = array<i64: 1, 1, 0, 1, 0, 1>
func.func @main(%x: tensor<70x900xi8>) -> (tensor<70x900xi8>, tensor<70x900xi64>) {
  %0:2 = "strata.sort"(%x) {axis = 1 : i64, descending = false, unsigned = true} : (tensor<70x900xi8>) -> (tensor<70x900xi8>, tensor<70x900xi64>)
  return %0#0, %0#1 : tensor<70x900xi8>, tensor<70x900xi64>
}
