// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu | FileCheck %s

// A warp a row: registers, then lanes; no shared memory. Every lane has the sum, the first stores it.
// CHECK-LABEL: func.func @warp(
// CHECK-SAME: strata.shared = 0
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK: memref.store
func.func private @warp(%x: memref<64x256xf32>, %y: memref<64xf32>) attributes {strata.schedule = {kind = "rows", threads = 128, group = 32}} {
  scf.forall (%t) in (64) {
    %a = "tile.load"(%x, %t) {map = affine_map<(i)[t] -> (t, i)>} : (memref<64x256xf32>, index) -> vector<256xf32>
    %zero = arith.constant 0.0 : f32
    %s = vector.multi_reduction <add>, %a, %zero [0] : vector<256xf32> to f32
    "tile.store"(%s, %y, %t) {map = affine_map<()[t] -> (t)>} : (f32, memref<64xf32>, index) -> ()
  }
  return
}

// A block a row: eight warps meet in shared memory, behind one barrier.
// CHECK-LABEL: func.func @block(
// CHECK-SAME: strata.shared = 32
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store {{.*}} : memref<8xf32, 3>
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load {{.*}} : memref<8xf32, 3>
// CHECK-NOT: gpu.barrier
// CHECK: vector.store
func.func private @block(%x: memref<64x1024xf32>, %y: memref<64x1024xf32>) attributes {strata.schedule = {kind = "rows", threads = 256, group = 256}} {
  scf.forall (%t) in (64) {
    %a = "tile.load"(%x, %t) {map = affine_map<(i)[t] -> (t, i)>} : (memref<64x1024xf32>, index) -> vector<1024xf32>
    %low = arith.constant 0xFF800000 : f32
    %m = vector.multi_reduction <maximumf>, %a, %low [0] : vector<1024xf32> to f32
    %b = vector.broadcast %m : f32 to vector<1024xf32>
    %s = arith.subf %a, %b : vector<1024xf32>
    "tile.store"(%s, %y, %t) {map = affine_map<(i)[t] -> (t, i)>} : (vector<1024xf32>, memref<64x1024xf32>, index) -> ()
  }
  return
}

// In a loop the slots are used again: a barrier before they are written, one before they are read.
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: memref.store {{.*}}, 3>
// CHECK: gpu.barrier
// CHECK: memref.load {{.*}}, 3>
func.func private @loop(%x: memref<8x512xi32>, %y: memref<8xi32>) attributes {strata.schedule = {kind = "rows", threads = 128, group = 128}} {
  scf.forall (%t) in (1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %a = "tile.load"(%x, %i) {map = affine_map<(k)[i] -> (i, k)>} : (memref<8x512xi32>, index) -> vector<512xi32>
      %zero = arith.constant 0 : i32
      %s = vector.multi_reduction <add>, %a, %zero [0] : vector<512xi32> to i32
      "tile.store"(%s, %y, %i) {map = affine_map<()[i] -> (i)>} : (i32, memref<8xi32>, index) -> ()
    }
  }
  return
}

// Elements beyond the row count for nothing.
// CHECK-LABEL: func.func @hanging(
// CHECK: } else {
// CHECK: %[[HOLDS:.*]] = arith.cmpi sle, %thread_id_x, %c24
// CHECK: arith.select %[[HOLDS]], %{{.*}}, %{{.*}} : f32
// CHECK: gpu.shuffle xor
func.func private @hanging(%x: memref<2x25xf32>, %y: memref<2xf32>) attributes {strata.schedule = {kind = "rows", threads = 32, group = 32}} {
  scf.forall (%t) in (2) {
    %a = "tile.load"(%x, %t) {map = affine_map<(i)[t] -> (t, i)>} : (memref<2x25xf32>, index) -> vector<25xf32>
    %two = arith.constant 2.0 : f32
    %s = vector.multi_reduction <mul>, %a, %two [0] : vector<25xf32> to f32
    "tile.store"(%s, %y, %t) {map = affine_map<()[t] -> (t)>} : (f32, memref<2xf32>, index) -> ()
  }
  return
}

// 64 bits go in two words.
// CHECK-LABEL: func.func @wide(
// CHECK-COUNT-10: gpu.shuffle xor %{{.*}} : i32
func.func private @wide(%x: memref<32xf64>, %y: memref<1xf64>) attributes {strata.schedule = {kind = "rows", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf64>) -> vector<32xf64>
    %zero = arith.constant 0.0 : f64
    %s = vector.multi_reduction <add>, %a, %zero [0] : vector<32xf64> to f64
    "tile.store"(%s, %y) {map = affine_map<() -> (0)>} : (f64, memref<1xf64>) -> ()
  }
  return
}
