// Attention within sequences on a cpu: a task is a window of rows of a head, over the sequences that they are in; in exact
// arithmetic the nest stays scalar.
// RUN: strata-opt %s --device=x86-64-v4 --strata-to-affine --affine-group --affine-schedule --affine-to-tile | FileCheck %s
// RUN: strata-opt %s --device=x86-64-v4 --mlir-disable-fast-math --strata-to-affine --affine-group --affine-schedule | FileCheck %s --check-prefix=EXACT

// EXACT: strata.schedule = {kind = "scalar"}
// EXACT-NOT: kind = "segment_attention"

// CHECK: func.func private @k1(
// CHECK-SAME: strata.schedule = {kind = "segment_attention", tile = array<i64: [[ROWS:[0-9]+]], [[KEYS:[0-9]+]], [[VALUES:[0-9]+]]>}
// 600 rows are ten windows of 66, of four heads: more rows would have larger ones.
// CHECK: scf.forall (%{{.*}}) in (40) {
// CHECK: memref.alloc() {tile.scratch} : memref<66x80xf32>
// The sequences of the window's first row up to that of its last.
// CHECK: %[[FROM:.*]] = arith.index_cast
// CHECK: %[[TO:.*]] = arith.minsi
// CHECK: scf.for %[[S:.*]] = %{{.*}} to %[[TO]]
// The keys of the sequence by a tile; of a panel, only as far as there are keys.
// CHECK: scf.for %[[C:.*]] = %{{.*}} to %{{.*}} step %c128
// CHECK: %[[N:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]] step
// Scores by outer products; the group's head.
// CHECK: vector.outerproduct
// Rows that see the whole tile, and those that do not.
// CHECK: scf.if
// CHECK-NOT: arith.select
// CHECK: math.exp2
// CHECK: } else {
// CHECK: arith.select %{{.*}} : vector<128xi1>, vector<128xf32>
// CHECK: math.exp2
// The next product, as far as there are keys.
// CHECK: vector.outerproduct
// CHECK: "tile.store"(%{{.*}}, %arg{{[0-9]+}},
func.func @main(%q: tensor<600x4x64xf32> {strata.name = "q"}, %k: tensor<600x2x64xf32> {strata.name = "k"},
                %v: tensor<600x2x64xf32> {strata.name = "v"}, %o: tensor<8xi64> {strata.name = "o"})
    -> (tensor<600x4x64xf32> {strata.name = "y"}) {
  %m = "strata.segment_rows"(%o) : (tensor<8xi64>) -> tensor<600xi64>
  %y = "strata.segment_attention"(%q, %k, %v, %m, %o, %o) {causal = true, scale = 0.125}
      : (tensor<600x4x64xf32>, tensor<600x2x64xf32>, tensor<600x2x64xf32>, tensor<600xi64>, tensor<8xi64>, tensor<8xi64>) -> tensor<600x4x64xf32>
  return %y : tensor<600x4x64xf32>
}
