// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v4 | FileCheck %s

// Pieces as a tree, then lanes by halves, the start value last.
// CHECK-LABEL: func.func @inner(
// CHECK: %[[A:.*]] = vector.load
// CHECK: %[[B:.*]] = vector.load
// CHECK: %[[C:.*]] = vector.load
// CHECK: %[[D:.*]] = vector.load
// CHECK: %[[AB:.*]] = arith.addf %[[A]], %[[B]] : vector<16xf32>
// CHECK: %[[CD:.*]] = arith.addf %[[C]], %[[D]] : vector<16xf32>
// CHECK: %[[ALL:.*]] = arith.addf %[[AB]], %[[CD]] : vector<16xf32>
// CHECK-DAG: %[[LOW:.*]] = vector.shuffle %[[ALL]], %[[ALL]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK-DAG: %[[HIGH:.*]] = vector.shuffle %[[ALL]], %[[ALL]] [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK: arith.addf %[[LOW]], %[[HIGH]] : vector<8xf32>
// CHECK: arith.addf {{.*}} : vector<4xf32>
// CHECK: arith.addf {{.*}} : vector<2xf32>
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : f32
// CHECK: arith.addf %{{.*}}, %[[SUM]] : f32
func.func private @inner(%x: memref<64xf32>, %y: memref<1xf32>) {
  %one = arith.constant 1.0 : f32
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<64xf32>) -> vector<64xf32>
    %s = vector.multi_reduction <add>, %v, %one [0] : vector<64xf32> to f32
    "tile.store"(%s, %y) {map = affine_map<() -> (0)>} : (f32, memref<1xf32>) -> ()
  }
  return
}

// Along outer dims nothing crosses lanes.
// CHECK-LABEL: func.func @outer(
// CHECK-COUNT-4: arith.maximumf {{.*}} : vector<16xf32>
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func private @outer(%x: memref<4x16xf32>, %y: memref<16xf32>) {
  %low = arith.constant dense<0xFF800000> : vector<16xf32>
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(i, j) -> (i, j)>} : (memref<4x16xf32>) -> vector<4x16xf32>
    %m = vector.multi_reduction <maximumf>, %v, %low [0] : vector<4x16xf32> to vector<16xf32>
    "tile.store"(%m, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

// The maximum of a row is a scalar, and so is what is computed from it.
// CHECK-LABEL: func.func @rows(
// CHECK-COUNT-2: math.sqrt {{.*}} : f32
// CHECK: vector.broadcast
func.func private @rows(%x: memref<2x16xf32>) {
  %low = arith.constant dense<0xFF800000> : vector<2xf32>
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(i, j) -> (i, j)>} : (memref<2x16xf32>) -> vector<2x16xf32>
    %m = vector.multi_reduction <maximumf>, %v, %low [1] : vector<2x16xf32> to vector<2xf32>
    %r = math.sqrt %m : vector<2xf32>
    %b = vector.broadcast %r : vector<2xf32> to vector<16x2xf32>
    %w = vector.transpose %b, [1, 0] : vector<16x2xf32> to vector<2x16xf32>
    "tile.store"(%w, %x) {map = affine_map<(i, j) -> (i, j)>} : (vector<2x16xf32>, memref<2x16xf32>) -> ()
  }
  return
}
