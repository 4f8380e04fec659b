// What lies across eight rows of 512, whose threads hold squares of 4 x 4: it comes in boxes of every fourth column, and
// is read as it lies. Tasks that fit the L2 cache are neighbours of the same block.
// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=sm_90a | FileCheck %s

// CHECK: func.func @k({{.*}}strata.blocks = 2 : i64, {{.*}}strata.maps = [{box = array<i64: 256, 8>
// CHECK-SAME: {box = array<i64: 8, 128, 1>, {{.*}}sizes = array<i64: 64, 128, 4>, {{.*}}swizzle = 32 : i64
// A block has four tasks.
// CHECK: arith.muli %block_id_x, %c4
// What all tasks share is asked for first.
// CHECK: vector.load {{.*}} : memref<512xf32>, vector<2xf32>
// CHECK: "tile.barrier_expect"({{.*}}) {bytes = 32768 : i64}
// CHECK-COUNT-6: "tile.bulk_load"
// CHECK: scf.for
// CHECK: "tile.barrier_wait"
// Nothing is turned.
// CHECK-NOT: vector.store
// CHECK-COUNT-8: vector.load {{.*}} : memref<4096xf32, 3>, vector<4xf32>
// Each warp says that it has read all of it, and waits for nobody.
// CHECK-NOT: barrier
// CHECK: "tile.fence"() {of = "warp"}
// CHECK-NOT: barrier
// CHECK: "tile.barrier_arrive"
// Four rows of a thread: two are given away, then one, then lanes of a row are combined; what four warps have found of
// it, of their half of the threads, comes back to all.
// CHECK-COUNT-6: gpu.shuffle
// CHECK-NOT: gpu.shuffle
// CHECK: memref.store {{.*}} : memref<32xf32, 3>
// CHECK: "tile.group_barrier"({{.*}}) {threads = 128 : i64}
// CHECK-COUNT-4: memref.load {{.*}} : memref<32xf32, 3>
// The next task comes when all have said so.
// CHECK: "tile.barrier_wait"
// CHECK-COUNT-6: "tile.bulk_load"
// CHECK-COUNT-4: gpu.shuffle idx
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: barrier
// CHECK: vector.store {{.*}} : memref<32768xf32>, vector<4xf32>
// What warps left for one another is read before the next task's.
// CHECK: gpu.barrier
// CHECK: scf.yield
module {
  func.func @main(%x: memref<64x512xf32>, %y: memref<512x64xf32>, %b: memref<512xf32>, %z: memref<64x512xf32>) {
    call @k(%x, %y, %b, %z) : (memref<64x512xf32>, memref<512x64xf32>, memref<512xf32>, memref<64x512xf32>) -> ()
    return
  }
  func.func private @k(%x: memref<64x512xf32>, %y: memref<512x64xf32>, %b: memref<512xf32>, %z: memref<64x512xf32>) attributes
      {strata.bytes = 395264 : i64, strata.schedule = {kind = "rows", threads = 256 : i64, group = 256 : i64, blocks = 2 : i64, tile = array<i64: 512, 8>}} {
    scf.forall (%t) in (8) {
      %v = "tile.load"(%x, %t) {map = affine_map<(d0, d1)[s0] -> (d0 + s0 * 8, d1)>} : (memref<64x512xf32>, index) -> vector<8x512xf32>
      %w = "tile.load"(%y, %t) {map = affine_map<(d0, d1)[s0] -> (d1, d0 + s0 * 8)>} : (memref<512x64xf32>, index) -> vector<8x512xf32>
      %a = arith.addf %v, %w : vector<8x512xf32>
      %zero = arith.constant 0.0 : f32
      %zeros = vector.broadcast %zero : f32 to vector<8xf32>
      %s = vector.multi_reduction <add>, %a, %zeros [1] : vector<8x512xf32> to vector<8xf32>
      %u = vector.broadcast %s : vector<8xf32> to vector<512x8xf32>
      %r = vector.transpose %u, [1, 0] : vector<512x8xf32> to vector<8x512xf32>
      %c = "tile.load"(%b) {map = affine_map<(d0) -> (d0)>} : (memref<512xf32>) -> vector<512xf32>
      %d = vector.broadcast %c : vector<512xf32> to vector<8x512xf32>
      %e = arith.mulf %a, %r : vector<8x512xf32>
      %f = arith.addf %e, %d : vector<8x512xf32>
      "tile.store"(%f, %z, %t) {map = affine_map<(d0, d1)[s0] -> (d0 + s0 * 8, d1)>} : (vector<8x512xf32>, memref<64x512xf32>, index) -> ()
    }
    return
  }
}
