// A grid that the card holds as a whole: its blocks may share all registers of their processors. 200 blocks are two a
// processor; those of 512 threads would not have ample registers each.
// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu | FileCheck %s

// CHECK: func.func @few({{.*}}strata.blocks = 200 : i64, {{.*}}strata.resident = 2 : i64
// CHECK: func.func @wide(
// CHECK-NOT: strata.resident
module {
  func.func private @few(%x: memref<200x512xf32>, %y: memref<200xf32>) attributes
      {strata.schedule = {kind = "rows", threads = 128 : i64, group = 128 : i64, tile = array<i64: 512>}} {
    scf.forall (%t) in (200) {
      %zero = arith.constant 0.0 : f32
      %v = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (memref<200x512xf32>, index) -> vector<512xf32>
      %s = vector.multi_reduction <add>, %v, %zero [0] : vector<512xf32> to f32
      "tile.store"(%s, %y, %t) {map = affine_map<()[s0] -> (s0)>} : (f32, memref<200xf32>, index) -> ()
    }
    return
  }
  func.func private @wide(%x: memref<200x4096xf32>, %y: memref<200xf32>) attributes
      {strata.schedule = {kind = "rows", threads = 512 : i64, group = 512 : i64, tile = array<i64: 4096>}} {
    scf.forall (%t) in (200) {
      %zero = arith.constant 0.0 : f32
      %v = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (memref<200x4096xf32>, index) -> vector<4096xf32>
      %s = vector.multi_reduction <add>, %v, %zero [0] : vector<4096xf32> to f32
      "tile.store"(%s, %y, %t) {map = affine_map<()[s0] -> (s0)>} : (f32, memref<200xf32>, index) -> ()
    }
    return
  }
}
