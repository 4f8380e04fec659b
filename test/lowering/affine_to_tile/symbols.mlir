// RUN: strata-opt %s --pipeline=affine-to-tile --device=x86-64-v4 | FileCheck %s

// Where the extent along the vectors varies there are full tiles, then smaller ones, then elements: vectors stay static,
// and no store needs a mask. Tasks are as many runs of tiles as there are.
// CHECK-DAG: #[[TASKS:.*]] = affine_map<()[s0] -> (s0 ceildiv 4096)>
// CHECK-LABEL: func.func private @map
// CHECK: %[[N:.*]] = "strata.size"() {symbol = 0 : i64}
// CHECK: %[[COUNT:.*]] = affine.apply #[[TASKS]]()[%[[N]]]
// CHECK: scf.forall (%[[T:.*]]) in (%[[COUNT]])
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %[[N]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[FULL:.*]] step %c64
// CHECK: "tile.load"{{.*}} -> vector<64xf32>
// CHECK: scf.for %{{.*}} = %[[FULL]] to %[[PART:.*]] step %c16
// CHECK: "tile.load"{{.*}} -> vector<16xf32>
// CHECK: scf.for %{{.*}} = %[[PART]] to %[[FEW:.*]] step %c4
// CHECK: "tile.load"{{.*}} -> vector<4xf32>
// CHECK: scf.for %{{.*}} = %[[FEW]] to %[[END]] step %c1
// CHECK: "tile.load"{{.*}} -> f32
func.func private @map(%x: memref<?xf32, {sizes = affine_map<()[s0] -> (s0)>}>, %y: memref<?xf32, {sizes = affine_map<()[s0] -> (s0)>}>)
    attributes {strata.schedule = {kind = "map"}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %v = affine.load %x[%i] : memref<?xf32, {sizes = affine_map<()[s0] -> (s0)>}>
    %w = arith.negf %v : f32
    affine.store %w, %y[%i] : memref<?xf32, {sizes = affine_map<()[s0] -> (s0)>}>
  } {strata.nest = "neg"}
  return
}

// Rows of a product that are no whole register tile are smaller ones.
// CHECK-LABEL: func.func private @product
// CHECK: scf.for %{{.*}} step %c8
// CHECK: vector.outerproduct %{{.*}} : vector<8xf32>, vector<32xf32>
// CHECK: scf.for %{{.*}} step %c4
// CHECK: vector.outerproduct %{{.*}} : vector<4xf32>, vector<32xf32>
// CHECK: scf.for %{{.*}} step %c3
// CHECK: vector.outerproduct %{{.*}} : vector<3xf32>, vector<32xf32>
// CHECK: scf.for %{{.*}} step %c2
// CHECK: vector.outerproduct %{{.*}} : vector<2xf32>, vector<32xf32>
// CHECK: scf.for %{{.*}} step %c1
// CHECK: "tile.store"{{.*}}vector<32xf32>
func.func private @product(%x: memref<?x64xf32, {sizes = affine_map<()[s0] -> (s0, 64)>}>, %w: memref<64x32xf32>,
                           %y: memref<?x32xf32, {sizes = affine_map<()[s0] -> (s0, 32)>}>)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 8, 32>}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 32) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 64 iter_args(%a = %z) -> (f32) {
      %u = affine.load %x[%i, %k] : memref<?x64xf32, {sizes = affine_map<()[s0] -> (s0, 64)>}>
      %v = affine.load %w[%k, %j] : memref<64x32xf32>
      %p = arith.mulf %u, %v : f32
      %r = arith.addf %a, %p : f32
      affine.yield %r : f32
    }
    affine.store %s, %y[%i, %j] : memref<?x32xf32, {sizes = affine_map<()[s0] -> (s0, 32)>}>
  } {strata.nest = "contract"}
  return
}

func.func @main() attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 1048576 : i64, multiple = 1 : i64, likely = [64]}]} {
  return
}
