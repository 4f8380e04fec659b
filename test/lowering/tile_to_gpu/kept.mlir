// A row that shared memory holds: what is loaded goes there, each thread's 16 bytes beside its neighbour's, and comes
// back for the second nest, right before it is used. As many blocks as there is memory for share a processor.
// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu | FileCheck %s

// CHECK: func.func @k({{.*}}) attributes {strata.blocks = 32 : i64, strata.cluster = 4 : i64,
// CHECK-SAME: strata.resident = 6 : i64, strata.shared = 32816 : i64, strata.threads = 256 : i64}
// CHECK: %[[KEPT:.*]] = memref.view {{.*}} to memref<16384xbf16, 3>
// CHECK: %[[FIRST:.*]] = vector.load %{{.*}} : memref<524288xbf16>, vector<8xbf16>
// CHECK: vector.store %{{.*}}, %[[KEPT]][%{{.*}}] : memref<16384xbf16, 3>, vector<8xbf16>
// CHECK: gpu.barrier
// CHECK: "tile.cluster_wait"()
// CHECK-NOT: memref<524288xbf16>, vector
// CHECK: %[[BACK:.*]] = vector.load %[[KEPT]][%{{.*}}] : memref<16384xbf16, 3>, vector<8xbf16>
// CHECK: vector.extract %[[BACK]][0]
// CHECK: vector.store %{{.*}} : memref<524288xbf16>, vector<8xbf16>
// CHECK: vector.load %[[KEPT]]
// CHECK: return
module {
  func.func @main(%x: memref<8x65536xbf16>, %y: memref<8x65536xbf16>) {
    call @k(%x, %y) : (memref<8x65536xbf16>, memref<8x65536xbf16>) -> ()
    return
  }
  func.func private @k(%x: memref<8x65536xbf16>, %y: memref<8x65536xbf16>) attributes
      {strata.schedule = {kind = "rows", threads = 256 : i64, group = 1024 : i64, slots = 1 : i64, tile = array<i64: 65536>}} {
    scf.forall (%t) in (8) {
      %zero = arith.constant 0.0 : f32
      %v = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (memref<8x65536xbf16>, index) -> vector<65536xbf16>
      %f = arith.extf %v : vector<65536xbf16> to vector<65536xf32>
      %s = vector.multi_reduction <add>, %f, %zero [0] : vector<65536xf32> to f32
      %w = vector.broadcast %s : f32 to vector<65536xf32>
      %a = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (memref<8x65536xbf16>, index) -> vector<65536xbf16>
      %g = arith.extf %a : vector<65536xbf16> to vector<65536xf32>
      %d = arith.subf %g, %w : vector<65536xf32>
      %r = arith.truncf %d : vector<65536xf32> to vector<65536xbf16>
      "tile.store"(%r, %y, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (vector<65536xbf16>, memref<8x65536xbf16>, index) -> ()
    }
    return
  }
}
