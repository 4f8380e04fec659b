// RUN: strata-opt %s --target=nvgpu --pipeline=affine-to-tile | FileCheck %s

// Products whose sizes vary: tasks and steps are as many as a call's sizes say, vectors stay static, and what hangs over
// an edge of such a size is masked by it. Tasks that run at the same time are neighbours along the columns, of which the
// number is known.
// CHECK-DAG: #[[TASKS:.*]] = affine_map<()[s0] -> (((s0 + 127) floordiv 128) * 2)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0)[s0] -> ((d0 floordiv 2) mod ((s0 + 127) floordiv 128))>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0) -> (d0 mod 2)>
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1)[s0, s1, s2] -> (d0 + s1 * 128, d1 + s2 * 32)>
// CHECK-DAG: #[[EDGES:.*]] = affine_set<(d0, d1)[s0, s1, s2] : (-d0 - s1 * 128 + s0 - 1 >= 0, -d1 - s2 * 32 + 69 >= 0)>
// CHECK-DAG: #[[EDGE:.*]] = affine_set<(d0, d1)[s0, s1, s2] : (-d0 - s1 * 128 + s0 - 1 >= 0)>
// CHECK-LABEL: func.func private @rows
// CHECK: %[[N:.*]] = "strata.size"() {symbol = 0 : i64}
// CHECK: %[[COUNT:.*]] = affine.apply #[[TASKS]]()[%[[N]]]
// CHECK: scf.forall (%[[T:.*]]) in (%[[COUNT]]) {
// CHECK: %[[I:.*]] = affine.apply #[[ROW]](%[[T]])[%[[N]]]
// CHECK: %[[J:.*]] = affine.apply #[[COLUMN]](%[[T]])
// CHECK: scf.for %[[K:.*]] = %c0 to %c3 step %c1 {{.*}} -> (vector<128x128xf32>) {
// CHECK: "tile.load"(%arg0, %[[N]], %[[I]], %[[K]]) {map = #[[X]], mask = #[[EDGES]]} : {{.*}} -> vector<128x32xf16>
// CHECK: } {tile.last = 6 : i64, tile.pipeline}
// CHECK: "tile.store"(%{{.*}}, %arg2, %[[N]], %[[I]], %[[J]]) {map = {{.*}}, mask = #[[EDGE]]}
!x = memref<?x70xf16, {sizes = affine_map<()[s0] -> (s0, 70)>}>
!y = memref<?x256xf16, {sizes = affine_map<()[s0] -> (s0, 256)>}>
!u = memref<?x?x?xf32, {sizes = affine_map<()[s0, s1, s2] -> (s0, s1, s2)>}>
!v = memref<?x?x?xf32, {sizes = affine_map<()[s0, s1, s2] -> (s0, s2, s1)>}>
!r = memref<?x?x?xf32, {sizes = affine_map<()[s0, s1] -> (s0, s1, s1)>}>
module {
func.func private @rows(%x: !x, %w: memref<70x256xf16>, %y: !y)
    attributes {strata.schedule = {kind = "contract", threads = 128, group = 128, tile = array<i64: 128, 128, 32>,
                                   warps = array<i64: 2, 2>, mma = "m16n8k16.f16"}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 256) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 70 iter_args(%a = %z) -> (f32) {
      %u = affine.load %x[%i, %k] : !x
      %ue = arith.extf %u : f16 to f32
      %v = affine.load %w[%k, %j] : memref<70x256xf16>
      %ve = arith.extf %v : f16 to f32
      %p = arith.mulf %ue, %ve : f32
      %m = arith.addf %a, %p : f32
      affine.yield %m : f32
    }
    %t = arith.truncf %s : f32 to f16
    affine.store %t, %y[%i, %j] : !y
  } {strata.nest = "contract"}
  return
}

// Batches, rows, columns and steps that vary: loops end with a size, the first digit of a task is what the others leave,
// and a step's elements beyond the reduction are zero in both operands.
// CHECK-LABEL: func.func private @all
// CHECK-DAG: %[[B:.*]] = "strata.size"() {symbol = 0 : i64}
// CHECK-DAG: %[[M:.*]] = "strata.size"() {symbol = 1 : i64}
// CHECK-DAG: %[[K:.*]] = "strata.size"() {symbol = 2 : i64}
// CHECK: scf.forall (%[[T:.*]]) in (%{{.*}}) {
// CHECK: %[[STEPS:.*]] = affine.apply #{{.*}}()[%[[K]]]
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[STEPS]] step %c1
// CHECK: "tile.load"(%arg0, {{.*}}) {map = {{.*}}, mask = {{.*}}} : {{.*}} -> vector<64x8xf32>
// CHECK: "tile.load"(%arg1, {{.*}}) {map = {{.*}}, mask = {{.*}}} : {{.*}} -> vector<64x8xf32>
// CHECK: } {tile.pipeline}
func.func private @all(%x: !u, %w: !v, %y: !r)
    attributes {strata.schedule = {kind = "contract", threads = 128, group = 128, tile = array<i64: 64, 64, 8>,
                                   warps = array<i64: 2, 2>}} {
  %b = "strata.size"() {symbol = 0 : i64} : () -> index
  %n = "strata.size"() {symbol = 1 : i64} : () -> index
  %l = "strata.size"() {symbol = 2 : i64} : () -> index
  affine.parallel (%h, %i, %j) = (0, 0, 0) to (symbol(%b), symbol(%n), symbol(%n)) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to %l iter_args(%a = %z) -> (f32) {
      %u = affine.load %x[%h, %i, %k] : !u
      %v = affine.load %w[%h, %k, %j] : !v
      %p = arith.mulf %u, %v : f32
      %m = arith.addf %a, %p : f32
      affine.yield %m : f32
    }
    affine.store %s, %y[%h, %i, %j] : !r
  } {strata.nest = "contract"}
  return
}
func.func @main() attributes {strata.symbols = [{name = "b", min = 1}, {name = "m", min = 1}, {name = "k", min = 1}]} {
  return
}
}
