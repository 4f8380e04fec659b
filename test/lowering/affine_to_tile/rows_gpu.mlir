// RUN: strata-opt %s --pipeline=affine-to-tile | FileCheck %s

// A row that fits its group is one vector: no loop, and every element is loaded once.
// CHECK-LABEL: func.func private @centre
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<512x768xf32>, %[[Y:[a-z0-9]+]]: memref<512x768xf32>
// CHECK: scf.forall (%[[ROW:[a-z0-9]+]]) in (512)
// CHECK-NOT: scf.for
// CHECK: %[[V:.*]] = "tile.load"(%[[X]], %[[ROW]]) {{.*}} -> vector<768xf32>
// CHECK: %[[S:.*]] = vector.multi_reduction <add>, %[[V]], {{.*}} [0] : vector<768xf32> to f32
// CHECK-NOT: tile.load
// CHECK: %[[W:.*]] = vector.broadcast %[[S]] : f32 to vector<768xf32>
// CHECK: %[[D:.*]] = arith.subf %[[V]], %[[W]]
// CHECK: "tile.store"(%[[D]], %[[Y]], %[[ROW]])
func.func private @centre(%x: memref<512x768xf32>, %y: memref<512x768xf32>)
    attributes {strata.schedule = {kind = "rows", threads = 128 : i64, group = 32 : i64, tile = array<i64: 768>}} {
  %t = memref.alloc() : memref<512xf32>
  affine.parallel (%i) = (0) to (512) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 768 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<512x768xf32>
      %n = arith.addf %a, %v : f32
      affine.yield %n : f32
    }
    affine.store %s, %t[%i] : memref<512xf32>
  } {strata.nest = "sum"}
  affine.parallel (%i, %j) = (0, 0) to (512, 768) {
    %v = affine.load %x[%i, %j] : memref<512x768xf32>
    %s = affine.load %t[%i] : memref<512xf32>
    %d = arith.subf %v, %s : f32
    affine.store %d, %y[%i, %j] : memref<512x768xf32>
  } {strata.nest = "sub"}
  return
}

// Where shared memory holds rows, every nest loads them from there: the same load once more.
// CHECK-LABEL: func.func private @centre_kept
// CHECK: %[[V:.*]] = "tile.load"(%[[X:.*]], %[[ROW:.*]]) {map = #[[MAP:.*]]} {{.*}} -> vector<768xf32>
// CHECK: vector.multi_reduction <add>, %[[V]]
// CHECK: %[[AGAIN:.*]] = "tile.load"(%[[X]], %[[ROW]]) {map = #[[MAP]]} {{.*}} -> vector<768xf32>
// CHECK: arith.subf %[[AGAIN]]
func.func private @centre_kept(%x: memref<512x768xf32>, %y: memref<512x768xf32>)
    attributes {strata.schedule = {kind = "rows", threads = 128 : i64, group = 128 : i64, slots = 1 : i64, tile = array<i64: 768>}} {
  %t = memref.alloc() : memref<512xf32>
  affine.parallel (%i) = (0) to (512) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 768 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<512x768xf32>
      %n = arith.addf %a, %v : f32
      affine.yield %n : f32
    }
    affine.store %s, %t[%i] : memref<512xf32>
  } {strata.nest = "sum"}
  affine.parallel (%i, %j) = (0, 0) to (512, 768) {
    %v = affine.load %x[%i, %j] : memref<512x768xf32>
    %s = affine.load %t[%i] : memref<512xf32>
    %d = arith.subf %v, %s : f32
    affine.store %d, %y[%i, %j] : memref<512x768xf32>
  } {strata.nest = "sub"}
  return
}

// A longer row is walked in chunks with a carried vector.
// CHECK-LABEL: func.func private @long_sum
// CHECK: scf.forall ({{.*}}) in (4)
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8192xf32>)
// CHECK: vector.multi_reduction <add>, {{.*}} : vector<8192xf32> to f32
// CHECK: vector.multi_reduction <add>, {{.*}} : vector<1696xf32> to f32
func.func private @long_sum(%x: memref<4x100000xf32>, %y: memref<4xf32>)
    attributes {strata.schedule = {kind = "rows", threads = 1024 : i64, group = 1024 : i64, tile = array<i64: 8192>}} {
  affine.parallel (%i) = (0) to (4) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 100000 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<4x100000xf32>
      %n = arith.addf %a, %v : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i] : memref<4xf32>
  } {strata.nest = "sum"}
  return
}

// Column sums: a thread owns four columns and goes down them alone.
// CHECK-LABEL: func.func private @columns
// CHECK: scf.forall ({{.*}}) in (64)
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<4xf32>)
// CHECK-NOT: vector.multi_reduction
// CHECK: "tile.store"({{.*}}) {{.*}} : (vector<4xf32>, memref<256xf32>, index)
func.func private @columns(%x: memref<100x256xf32>, %y: memref<256xf32>)
    attributes {strata.schedule = {kind = "rows", threads = 64 : i64, group = 1 : i64, tile = array<i64: 4>}} {
  affine.parallel (%i) = (0) to (256) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 100 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%k, %i] : memref<100x256xf32>
      %n = arith.addf %a, %v : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i] : memref<256xf32>
  } {strata.nest = "sum"}
  return
}

// Several rows a task: they are the first dim of every value, and a tail has fewer.
// CHECK-LABEL: func.func private @crossed
// CHECK: scf.forall ({{.*}}) in (3)
// CHECK: scf.if
// CHECK: "tile.load"({{.*}}) {{.*}} -> vector<4x64xf32>
// CHECK: "tile.load"({{.*}}) {{.*}} -> vector<4x64xf32>
// CHECK: vector.multi_reduction <add>, {{.*}} [1] : vector<4x64xf32> to vector<4xf32>
// CHECK: "tile.store"({{.*}}) {{.*}} : (vector<4xf32>, memref<10xf32>, index)
// CHECK: else
// CHECK: vector.multi_reduction <add>, {{.*}} [1] : vector<2x64xf32> to vector<2xf32>
func.func private @crossed(%x: memref<10x64xf32>, %z: memref<10x64xf32>, %y: memref<64x10xf32>,
                                   %r: memref<10xf32>)
    attributes {strata.schedule = {kind = "rows", threads = 32 : i64, group = 32 : i64, tile = array<i64: 64, 4>}} {
  affine.parallel (%i) = (0) to (10) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<10x64xf32>
      %w = affine.load %y[%k, %i] : memref<64x10xf32>
      %p = arith.mulf %v, %w : f32
      %u = affine.load %z[%i, %k] : memref<10x64xf32>
      %q = arith.addf %p, %u : f32
      %n = arith.addf %a, %q : f32
      affine.yield %n : f32
    }
    affine.store %s, %r[%i] : memref<10xf32>
  } {strata.nest = "sum"}
  return
}
