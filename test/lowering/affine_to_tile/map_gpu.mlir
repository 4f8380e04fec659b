// RUN: strata-opt %s --pipeline=affine-to-tile | FileCheck %s

// Every tile of every outer point is a task; a tail is a branch that all threads of a group take.
// CHECK-DAG: #[[TILE:.*]] = affine_map<(d0) -> (d0 mod 3)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0) -> (d0 floordiv 3)>
// CHECK-DAG: #[[FROM:.*]] = affine_map<(d0, d1)[s0, s1] -> (d1 + s0 * 64, d0 + s1 * 64)>
// CHECK-DAG: #[[INSIDE:.*]] = affine_set<(d0, d1)[s0, s1] : (-d0 - s1 * 64 + 699 >= 0)>
// CHECK-LABEL: func.func private @relu
// CHECK: scf.forall (%[[T:[a-z0-9]+]]) in (24)
// CHECK: %[[N:.*]] = affine.apply #[[TILE]](%[[T]])
// CHECK: %[[I:.*]] = affine.apply #[[ROW]](%[[T]])
// CHECK: %[[FULL:.*]] = arith.cmpi slt, %[[N]], %c2
// CHECK: scf.if %[[FULL]] {
// CHECK: "tile.store"({{.*}}) {{.*}} : (vector<1024xf32>,
// CHECK: } else {
// CHECK: "tile.store"({{.*}}) {{.*}} : (vector<452xf32>,
func.func private @relu(%x: memref<8x2500xf32>, %y: memref<8x2500xf32>)
    attributes {strata.schedule = {kind = "map", threads = 256 : i64, group = 256 : i64, tile = array<i64: 1024>}} {
  affine.parallel (%i, %j) = (0, 0) to (8, 2500) {
    %zero = arith.constant 0.0 : f32
    %v = affine.load %x[%i, %j] : memref<8x2500xf32>
    %r = arith.maximumf %v, %zero : f32
    affine.store %r, %y[%i, %j] : memref<8x2500xf32>
  } {strata.nest = "max"}
  return
}

// A transposition: both sides contiguous in a tile of two dims, masked where it hangs over an edge.
// CHECK-LABEL: func.func private @transpose
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<1024x700xf32>, %[[Y:[a-z0-9]+]]: memref<700x1024xf32>
// CHECK: scf.forall ({{.*}}) in (176)
// CHECK: %[[V:.*]] = "tile.load"(%[[X]], {{.*}}) {map = #[[FROM]], mask = #[[INSIDE]]} {{.*}} -> vector<64x64xf32>
// CHECK: "tile.store"(%[[V]], %[[Y]], {{.*}}) {map = {{.*}}, mask = #[[INSIDE]]}
func.func private @transpose(%x: memref<1024x700xf32>, %y: memref<700x1024xf32>)
    attributes {strata.schedule = {kind = "map", threads = 256 : i64, group = 256 : i64, tile = array<i64: 64, 64>}} {
  affine.parallel (%i, %j) = (0, 0) to (700, 1024) {
    %v = affine.load %x[%j, %i] : memref<1024x700xf32>
    affine.store %v, %y[%i, %j] : memref<700x1024xf32>
  } {strata.nest = "copy"}
  return
}
