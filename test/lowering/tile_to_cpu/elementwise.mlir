// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v4 | FileCheck %s
// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v2 | FileCheck %s --check-prefix=SSE

// Vectors fall into native pieces and a tail. A scalar operand serves all of them.
// CHECK-LABEL: func.func @tail(
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : vector<16xf32>
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : vector<16xf32>
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : vector<5xf32>
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<16xf32>
// SSE-LABEL: func.func @tail(
// SSE-COUNT-9: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : vector<4xf32>
// SSE: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
func.func private @tail(%x: memref<37xf32>, %n: memref<1xi8>) {
  scf.forall (%t) in (1) {
    %c0 = arith.constant 0 : index
    %b = memref.load %n[%c0] : memref<1xi8>
    %c = arith.trunci %b : i8 to i1
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<37xf32>) -> vector<37xf32>
    %w = arith.mulf %v, %v fastmath<contract> : vector<37xf32>
    %s = arith.select %c, %v, %w : vector<37xf32>
    "tile.store"(%s, %x) {map = affine_map<(d) -> (d)>} : (vector<37xf32>, memref<37xf32>) -> ()
  }
  return
}

// The widest float decides the lanes: bytes and 64-bit integers beside it have as many.
// CHECK-LABEL: func.func @widths(
// CHECK: vector.load {{.*}} : memref<16xi8>, vector<16xi8>
// CHECK: arith.extsi {{.*}} : vector<16xi8> to vector<16xi64>
// CHECK: arith.sitofp {{.*}} : vector<16xi64> to vector<16xf32>
func.func private @widths(%x: memref<16xi8>, %y: memref<16xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<16xi8>) -> vector<16xi8>
    %w = arith.extsi %v : vector<16xi8> to vector<16xi64>
    %f = arith.sitofp %w : vector<16xi64> to vector<16xf32>
    "tile.store"(%f, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

// Eight rows of two pieces: four pieces are loaded, computed and stored before the next four are loaded.
// CHECK-LABEL: func.func @run(
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-4: arith.negf
// CHECK-COUNT-4: vector.store
// CHECK: vector.load
func.func private @run(%x: memref<8x32xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(i, j) -> (i, j)>} : (memref<8x32xf32>) -> vector<8x32xf32>
    %n = arith.negf %v : vector<8x32xf32>
    "tile.store"(%n, %x) {map = affine_map<(i, j) -> (i, j)>} : (vector<8x32xf32>, memref<8x32xf32>) -> ()
  }
  return
}
