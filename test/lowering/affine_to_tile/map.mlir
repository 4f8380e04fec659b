// RUN: strata-opt %s --pipeline=affine-to-tile | FileCheck %s

// A producer is computed where it is read; a read missing a dim is broadcast; tails are tiles of their own.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0)[s0] -> (s0, d0)>
// CHECK-DAG: #[[TAIL:.*]] = affine_map<(d0)[s0] -> (s0, d0 + 64)>
// CHECK-LABEL: func.func private @bias_relu
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8x100xf32>, %[[B:[a-z0-9]+]]: memref<8xf32>, %[[Y:[a-z0-9]+]]: memref<8x100xf32>
// CHECK: scf.forall
// CHECK: scf.for %[[I:[a-z0-9]+]]
// CHECK: %[[V:.*]] = "tile.load"(%[[X]], %[[I]]) {map = #[[ROW]]} : (memref<8x100xf32>, index) -> vector<64xf32>
// CHECK: %[[S:.*]] = "tile.load"(%[[B]], %[[I]]) {{.*}} -> f32
// CHECK: %[[W:.*]] = vector.broadcast %[[S]] : f32 to vector<64xf32>
// CHECK: %[[U:.*]] = arith.addf %[[V]], %[[W]] : vector<64xf32>
// CHECK: %[[M:.*]] = arith.maximumf %[[U]], {{.*}} : vector<64xf32>
// CHECK: "tile.store"(%[[M]], %[[Y]], %[[I]]) {map = #[[ROW]]}
// CHECK: "tile.load"(%[[X]], %[[I]]) {map = #[[TAIL]]} : (memref<8x100xf32>, index) -> vector<36xf32>
// CHECK-NOT: memref.alloc
// CHECK-NOT: affine.parallel
func.func private @bias_relu(%x: memref<8x100xf32>, %b: memref<8xf32>, %y: memref<8x100xf32>)
    attributes {strata.schedule = {kind = "map"}} {
  %t = memref.alloc() : memref<8x100xf32>
  affine.parallel (%i, %j) = (0, 0) to (8, 100) {
    %u = affine.load %x[%i, %j] : memref<8x100xf32>
    %v = affine.load %b[%i] : memref<8xf32>
    %s = arith.addf %u, %v : f32
    affine.store %s, %t[%i, %j] : memref<8x100xf32>
  } {strata.nest = "add"}
  affine.parallel (%i, %j) = (0, 0) to (8, 100) {
    %z = arith.constant 0.0 : f32
    %u = affine.load %t[%i, %j] : memref<8x100xf32>
    %s = arith.maximumf %u, %z : f32
    affine.store %s, %y[%i, %j] : memref<8x100xf32>
  } {strata.nest = "max"}
  return
}

// A guard that only keeps a read inside its buffer is the read's padding.
// CHECK-LABEL: func.func private @pad
// CHECK: "tile.load"({{.*}}) {map = #{{.*}}, pad = 0.000000e+00 : f32} : (memref<30xf32>) -> vector<32xf32>
// CHECK-NOT: arith.select
func.func private @pad(%x: memref<30xf32>, %y: memref<32xf32>) attributes {strata.schedule = {kind = "map"}} {
  affine.parallel (%i) = (0) to (32) {
    %z = arith.constant 0.0 : f32
    %v = affine.if affine_set<(d0) : (d0 - 1 >= 0, 30 - d0 >= 0)>(%i) -> f32 {
      %u = affine.load %x[%i - 1] : memref<30xf32>
      affine.yield %u : f32
    } else {
      affine.yield %z : f32
    }
    affine.store %v, %y[%i] : memref<32xf32>
  } {strata.nest = "pad"}
  return
}

// Any other guard is a selection; the read under it must still be safe.
// CHECK-LABEL: func.func private @inner_guard
// CHECK: %[[V:.*]] = "tile.load"({{.*}}) {map = #{{.*}}, pad = 0.000000e+00 : f32}
// CHECK: arith.select %{{.*}}, %[[V]], %{{.*}} : vector<32xi1>, vector<32xf32>
func.func private @inner_guard(%x: memref<40xf32>, %y: memref<32xf32>) attributes {strata.schedule = {kind = "map"}} {
  affine.parallel (%i) = (0) to (32) {
    %z = arith.constant 1.0 : f32
    %v = affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%i) -> f32 {
      %u = affine.load %x[%i - 1] : memref<40xf32>
      affine.yield %u : f32
    } else {
      affine.yield %z : f32
    }
    affine.store %v, %y[%i] : memref<32xf32>
  } {strata.nest = "pad"}
  return
}

// Where the schedule has a second tile, the dim along which the operand is contiguous is tiled too: the block is turned
// in registers. What is left of it is a tile of its own.
// CHECK-LABEL: func.func private @turned
// CHECK: scf.forall {{.*}} in (7)
// CHECK: scf.for {{.*}} {
// CHECK: "tile.load"({{.*}}) {{.*}} -> vector<16x9xf32>
// CHECK: "tile.store"({{.*}}) {{.*}} : (vector<16x9xf32>, memref<80x40x9xf32>
// CHECK: "tile.load"({{.*}}) {{.*}} -> vector<8x9xf32>
func.func private @turned(%x: memref<720x40xf32>, %y: memref<80x40x9xf32>)
    attributes {strata.schedule = {kind = "map", tile = array<i64: 9, 16>}} {
  affine.parallel (%t, %k, %l) = (0, 0, 0) to (80, 40, 9) {
    %u = affine.load %x[%t * 9 + %l, %k] : memref<720x40xf32>
    affine.store %u, %y[%t, %k, %l] : memref<80x40x9xf32>
  } {strata.nest = "pack"}
  return
}

// Rows found by numbers in memory are read by vectors: a number is a symbol of the read.
// CHECK-LABEL: func.func private @gather
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<5x40xf32>, %[[I:[a-z0-9]+]]: memref<8xi64>
// CHECK: %[[N:.*]] = "tile.load"(%[[I]], %{{.*}}) {{.*}} -> i64
// CHECK: %[[A:.*]] = arith.maxsi %[[N]], %{{.*}} : i64
// CHECK: %[[R:.*]] = arith.index_cast %[[A]] : i64 to index
// CHECK: %[[V:.*]] = "tile.load"(%[[X]], %[[R]]) {{.*}} : (memref<5x40xf32>, index) -> vector<40xf32>
// CHECK: "tile.store"(%[[V]]
func.func private @gather(%x: memref<5x40xf32>, %n: memref<8xi64>, %y: memref<8x40xf32>)
    attributes {strata.schedule = {kind = "map"}} {
  affine.parallel (%i, %j) = (0, 0) to (8, 40) {
    %z = arith.constant 0 : i64
    %0 = affine.load %n[%i] : memref<8xi64>
    %1 = arith.maxsi %0, %z : i64
    %2 = arith.index_cast %1 : i64 to index
    %v = memref.load %x[%2, %j] : memref<5x40xf32>
    affine.store %v, %y[%i, %j] : memref<8x40xf32>
  } {strata.nest = "gather"}
  return
}
