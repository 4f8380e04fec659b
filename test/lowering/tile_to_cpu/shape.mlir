// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v4 | FileCheck %s

// A broadcast down rows, as broadcast and transpose: an element a row, in every lane, made once a row.
// CHECK-LABEL: func.func @rows(
// CHECK-COUNT-2: memref.load
// CHECK-COUNT-2: vector.broadcast {{.*}} : f32 to vector<16xf32>
// CHECK-NOT: vector.broadcast
// CHECK-COUNT-4: vector.store
func.func private @rows(%x: memref<2xf32>, %y: memref<2x32xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<2xf32>) -> vector<2xf32>
    %b = vector.broadcast %v : vector<2xf32> to vector<32x2xf32>
    %w = vector.transpose %b, [1, 0] : vector<32x2xf32> to vector<2x32xf32>
    "tile.store"(%w, %y) {map = affine_map<(i, j) -> (i, j)>} : (vector<2x32xf32>, memref<2x32xf32>) -> ()
  }
  return
}

// Swapping outer dims, taking a row, and cutting a row in two rename pieces.
// CHECK-LABEL: func.func @renamed(
// CHECK-COUNT-12: vector.load {{.*}}, vector<16xf32>
// CHECK-NOT: vector.shuffle
// CHECK-NOT: vector.extract
// CHECK: return
func.func private @renamed(%x: memref<2x3x32xf32>, %y: memref<3x2x32xf32>, %z: memref<2x16xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(i, j, k) -> (i, j, k)>} : (memref<2x3x32xf32>) -> vector<2x3x32xf32>
    %w = vector.transpose %v, [1, 0, 2] : vector<2x3x32xf32> to vector<3x2x32xf32>
    "tile.store"(%w, %y) {map = affine_map<(i, j, k) -> (i, j, k)>} : (vector<3x2x32xf32>, memref<3x2x32xf32>) -> ()
    %r = vector.extract %v[1, 2] : vector<32xf32> from vector<2x3x32xf32>
    %s = vector.shape_cast %r : vector<32xf32> to vector<2x16xf32>
    "tile.store"(%s, %z) {map = affine_map<(i, j) -> (i, j)>} : (vector<2x16xf32>, memref<2x16xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @constants(
// CHECK: arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : vector<3xf32>
// CHECK: arith.constant dense<[0, 1, 2]> : vector<3xindex>
func.func private @constants(%y: memref<3xf32>) {
  scf.forall (%t) in (1) {
    %c = arith.constant dense<[1.0, 2.0, 3.0]> : vector<3xf32>
    %s = vector.step : vector<3xindex>
    %i = arith.index_cast %s : vector<3xindex> to vector<3xi32>
    %f = arith.sitofp %i : vector<3xi32> to vector<3xf32>
    %r = arith.addf %c, %f : vector<3xf32>
    "tile.store"(%r, %y) {map = affine_map<(d) -> (d)>} : (vector<3xf32>, memref<3xf32>) -> ()
  }
  return
}
