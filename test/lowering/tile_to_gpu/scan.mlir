// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu | FileCheck %s

// A warp: eight registers of a lane in two rounds of neighbours, then lanes; no shared memory.
// CHECK-LABEL: func.func @warp(
// CHECK-SAME: strata.shared = 0
// CHECK-COUNT-10: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-2: vector.store
func.func private @warp(%x: memref<64x256xf32>, %y: memref<64x256xf32>) attributes {strata.schedule = {kind = "rows", threads = 128, group = 32}} {
  scf.forall (%t) in (64) {
    %a = "tile.load"(%x, %t) {map = affine_map<(i)[t] -> (t, i)>} : (memref<64x256xf32>, index) -> vector<256xf32>
    %zero = arith.constant 0.0 : f32
    %s, %all = "tile.scan"(%a, %zero) {kind = #vector.kind<add>} : (vector<256xf32>, f32) -> (vector<256xf32>, f32)
    "tile.store"(%s, %y, %t) {map = affine_map<(i)[t] -> (t, i)>} : (vector<256xf32>, memref<64x256xf32>, index) -> ()
  }
  return
}

// A block: eight warps tell one another their totals, and one barrier is between; the last elements hang over.
// CHECK-LABEL: func.func @block(
// CHECK-SAME: strata.shared = 32
// CHECK: arith.select
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store {{.*}} : memref<8xi32, 3>
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load {{.*}} : memref<8xi32, 3>
// CHECK-NOT: gpu.barrier
func.func private @block(%x: memref<64x1000xi32>, %y: memref<64x1000xi32>) attributes {strata.schedule = {kind = "rows", threads = 256, group = 256}} {
  scf.forall (%t) in (64) {
    %a = "tile.load"(%x, %t) {map = affine_map<(i)[t] -> (t, i)>} : (memref<64x1000xi32>, index) -> vector<1000xi32>
    %zero = arith.constant 0 : i32
    %s, %all = "tile.scan"(%a, %zero) {kind = #vector.kind<add>, exclusive} : (vector<1000xi32>, i32) -> (vector<1000xi32>, i32)
    "tile.store"(%s, %y, %t) {map = affine_map<(i)[t] -> (t, i)>} : (vector<1000xi32>, memref<64x1000xi32>, index) -> ()
  }
  return
}
