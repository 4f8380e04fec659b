// A transposition: a thread holds vectors of 16 bytes along both dims, and nothing passes through shared memory.
// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu | FileCheck %s

// CHECK: func.func @k({{.*}}memref<0xi8, 3>)
// CHECK-COUNT-8: vector.load {{.*}} {tile.readonly} : memref<8192xf16>, vector<8xf16>
// CHECK-NOT: vector.load
// CHECK-COUNT-8: vector.store {{.*}} : memref<8192xf16>, vector<8xf16>
// CHECK-NOT: vector.store
module {
  func.func @main(%x: memref<128x64xf16>, %y: memref<64x128xf16>) {
    call @k(%x, %y) : (memref<128x64xf16>, memref<64x128xf16>) -> ()
    return
  }
  func.func private @k(%x: memref<128x64xf16>, %y: memref<64x128xf16>) attributes
      {strata.schedule = {kind = "map", threads = 128 : i64, group = 128 : i64, tile = array<i64: 128, 64>}} {
    scf.forall (%t) in (1) {
      %v = "tile.load"(%x) {map = affine_map<(d0, d1) -> (d1, d0)>} : (memref<128x64xf16>) -> vector<64x128xf16>
      "tile.store"(%v, %y) {map = affine_map<(d0, d1) -> (d0, d1)>} : (vector<64x128xf16>, memref<64x128xf16>) -> ()
    }
    return
  }
}
