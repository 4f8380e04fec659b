// A transposition: 16 bytes a thread at a time on both sides and, between them, in shared memory, where rows that a thread
// does not hold together begin in different banks.
// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu | FileCheck %s

// CHECK: func.func @k({{.*}}memref<16512xi8, 3>)
// CHECK-COUNT-8: vector.load {{.*}} {tile.readonly} : memref<8192xf16>, vector<8xf16>
// CHECK-NOT: vector.load
// CHECK-COUNT-8: vector.store {{.*}} : memref<8256xf16, 3>, vector<8xf16>
// CHECK-NOT: vector.store
// CHECK: gpu.barrier
// CHECK-COUNT-8: vector.load {{.*}} : memref<8256xf16, 3>, vector<8xf16>
// CHECK-NOT: vector.load
// CHECK-COUNT-8: vector.store {{.*}} : memref<8192xf16>, vector<8xf16>
// CHECK-NOT: {{load|store}}
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
