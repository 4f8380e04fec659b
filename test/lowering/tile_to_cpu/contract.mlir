// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v4 | FileCheck %s
// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v2 | FileCheck %s --check-prefix=SSE

// A register tile: a scalar of the left side in all lanes, times the pieces of the right one, onto the accumulators that
// the loop carries.
// CHECK-LABEL: func.func @tile(
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: %[[U0:.*]] = memref.load
// CHECK: %[[U1:.*]] = memref.load
// CHECK: %[[V0:.*]] = vector.load
// CHECK: %[[V1:.*]] = vector.load
// CHECK: %[[B0:.*]] = vector.broadcast %[[U0]] : f32 to vector<16xf32>
// CHECK: math.fma %[[B0]], %[[V0]], %{{.*}} : vector<16xf32>
// CHECK: math.fma %[[B0]], %[[V1]], %{{.*}} : vector<16xf32>
// CHECK: %[[B1:.*]] = vector.broadcast %[[U1]] : f32 to vector<16xf32>
// CHECK: math.fma %[[B1]], %[[V0]], %{{.*}} : vector<16xf32>
// CHECK: math.fma %[[B1]], %[[V1]], %{{.*}} : vector<16xf32>
// SSE-LABEL: func.func @tile(
// SSE-NOT: math.fma
// SSE: arith.mulf {{.*}} : vector<4xf32>
// SSE: arith.addf {{.*}} : vector<4xf32>
func.func private @tile(%x: memref<2x8xf32>, %y: memref<8x32xf32>, %z: memref<2x32xf32>) {
  %zero = arith.constant dense<0.0> : vector<2x32xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.forall (%t) in (1) {
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %zero) -> (vector<2x32xf32>) {
      %u = "tile.load"(%x, %k) {map = affine_map<(i)[k] -> (i, k)>} : (memref<2x8xf32>, index) -> vector<2xf32>
      %v = "tile.load"(%y, %k) {map = affine_map<(j)[k] -> (k, j)>} : (memref<8x32xf32>, index) -> vector<32xf32>
      %n = vector.outerproduct %u, %v, %a {kind = #vector.kind<add>} : vector<2xf32>, vector<32xf32>
      scf.yield %n : vector<2x32xf32>
    }
    "tile.store"(%s, %z) {map = affine_map<(i, j) -> (i, j)>} : (vector<2x32xf32>, memref<2x32xf32>) -> ()
  }
  return
}

// Integers are widened to the sum's type; a reduced dim of the block is a sequence of products.
// CHECK-LABEL: func.func @integers(
// CHECK-COUNT-2: arith.extsi {{.*}} : i8 to i32
// CHECK-COUNT-2: arith.extsi {{.*}} : vector<16xi8> to vector<16xi32>
// CHECK: arith.muli
// CHECK: arith.addi
// CHECK: arith.muli
// CHECK: arith.addi
// CHECK-NOT: arith.muli
// CHECK: return
func.func private @integers(%x: memref<1x2xi8>, %y: memref<2x16xi8>, %z: memref<1x16xi32>) {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i, k) -> (i, k)>} : (memref<1x2xi8>) -> vector<1x2xi8>
    %b = "tile.load"(%y) {map = affine_map<(k, j) -> (k, j)>} : (memref<2x16xi8>) -> vector<2x16xi8>
    %c = "tile.load"(%z) {map = affine_map<(i, j) -> (i, j)>} : (memref<1x16xi32>) -> vector<1x16xi32>
    %n = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %c : vector<1x2xi8>, vector<2x16xi8> into vector<1x16xi32>
    "tile.store"(%n, %z) {map = affine_map<(i, j) -> (i, j)>} : (vector<1x16xi32>, memref<1x16xi32>) -> ()
  }
  return
}
