// RUN: strata-opt %s --pipeline=affine-to-tile | FileCheck %s

// The register tile is the schedule's; the epilogue runs on it before anything is stored.
// CHECK-LABEL: func.func private @linear
// CHECK: scf.forall
// CHECK: %[[ACC:.*]] = scf.for {{.*}} -> (vector<4x32xf32>)
// CHECK: %[[U:.*]] = "tile.load"({{.*}}) {{.*}} -> vector<4xf32>
// CHECK: %[[V:.*]] = "tile.load"({{.*}}) {{.*}} -> vector<32xf32>
// CHECK: vector.outerproduct %[[U]], %[[V]], %{{.*}} {kind = #vector.kind<add>} : vector<4xf32>, vector<32xf32>
// CHECK: %[[B:.*]] = "tile.load"({{.*}}) {{.*}} -> vector<32xf32>
// CHECK: vector.broadcast %[[B]] : vector<32xf32> to vector<4x32xf32>
// CHECK: arith.addf %[[ACC]], %{{.*}} : vector<4x32xf32>
// CHECK: "tile.store"({{.*}}) {{.*}} : (vector<4x32xf32>, memref<8x64xf32>
func.func private @linear(%x: memref<8x16xf32>, %w: memref<16x64xf32>, %b: memref<64xf32>, %y: memref<8x64xf32>)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 4, 32>}} {
  %t = memref.alloc() : memref<8x64xf32>
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 16 iter_args(%a = %z) -> f32 {
      %u = affine.load %x[%i, %k] : memref<8x16xf32>
      %v = affine.load %w[%k, %j] : memref<16x64xf32>
      %p = arith.mulf %u, %v : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %t[%i, %j] : memref<8x64xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %u = affine.load %t[%i, %j] : memref<8x64xf32>
    %v = affine.load %b[%j] : memref<64xf32>
    %s = arith.addf %u, %v : f32
    affine.store %s, %y[%i, %j] : memref<8x64xf32>
  } {strata.nest = "add"}
  return
}

// The vector side is transposed in memory: it is packed into scratch first, by squares that are turned in registers.
// CHECK-LABEL: func.func private @transposed
// CHECK: %[[P:.*]] = memref.alloc() {tile.scratch} : memref<{{.*}}x16x32xf32>
// CHECK: %[[SQUARE:.*]] = "tile.load"({{.*}} -> vector<[[SIZE:[0-9]+]]x[[SIZE]]xf32>
// CHECK: "tile.store"(%[[SQUARE]], %[[P]]
// CHECK: scf.for {{.*}} -> (vector<4x32xf32>)
// CHECK: "tile.load"(%[[P]]
// CHECK: vector.outerproduct
func.func private @transposed(%x: memref<8x16xf32>, %w: memref<64x16xf32>, %y: memref<8x64xf32>)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 4, 32>}} {
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 16 iter_args(%a = %z) -> f32 {
      %u = affine.load %x[%i, %k] : memref<8x16xf32>
      %v = affine.load %w[%j, %k] : memref<64x16xf32>
      %p = arith.mulf %u, %v : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<8x64xf32>
  } {strata.nest = "contract"}
  return
}

// Rows of f16 that several tiles of columns read are widened once, by vectors, into scratch; those that one reads, where
// they are read.
// CHECK-LABEL: func.func private @narrow
// CHECK: %[[P:.*]] = memref.alloc() {tile.scratch} : memref<4x{{[0-9]+}}xf32>
// CHECK: arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: "tile.store"({{.*}}, %[[P]]
// CHECK: scf.for {{.*}} -> (vector<4x32xf32>)
// CHECK: "tile.load"(%[[P]]
// CHECK: arith.extf %{{.*}} : vector<32xf16> to vector<32xf32>
// CHECK: vector.outerproduct
// CHECK-LABEL: func.func private @narrow_once
// CHECK-NOT: memref.alloc
// CHECK: arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
func.func private @narrow(%x: memref<8x16xf16>, %w: memref<16x64xf16>, %y: memref<8x64xf32>)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 4, 32>}} {
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 16 iter_args(%a = %z) -> f32 {
      %u = affine.load %x[%i, %k] : memref<8x16xf16>
      %uw = arith.extf %u : f16 to f32
      %v = affine.load %w[%k, %j] : memref<16x64xf16>
      %vw = arith.extf %v : f16 to f32
      %p = arith.mulf %uw, %vw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<8x64xf32>
  } {strata.nest = "contract"}
  return
}
func.func private @narrow_once(%x: memref<8x16xf16>, %w: memref<16x32xf16>, %y: memref<8x32xf32>)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 4, 32>}} {
  affine.parallel (%i, %j) = (0, 0) to (8, 32) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 16 iter_args(%a = %z) -> f32 {
      %u = affine.load %x[%i, %k] : memref<8x16xf16>
      %uw = arith.extf %u : f16 to f32
      %v = affine.load %w[%k, %j] : memref<16x32xf16>
      %vw = arith.extf %v : f16 to f32
      %p = arith.mulf %uw, %vw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<8x32xf32>
  } {strata.nest = "contract"}
  return
}
