// Tasks of eight rows that a team of threads carries out in turn. What rows share is in shared memory before the loop: each
// thread loads its part. A task comes in bulk; when all have read it the next task's copies begin. What was turned, and what
// rows share, is loaded again behind the reduction, whose warps have rows of their own.
// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=sm_90a | FileCheck %s
// RUN: sed 's/threads = 256/threads = 512/' %s > %t.mlir
// RUN: strata-opt %t.mlir --pipeline=tile-to-gpu --target=nvgpu --device=sm_90a | FileCheck %s --check-prefix=TEAMS
// Devices without a copy engine: threads copy what they will hold, and load what lies across the rows where it is used.
// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=sm_80 | FileCheck %s --check-prefix=THREADS

// CHECK: func.func @k({{.*}}strata.blocks = 2 : i64, {{.*}}strata.maps = [{box = array<i64: 128, 8>, {{.*}}swizzle = 0 : i64{{.*}}}, {box = array<i64: 8, 128>, {{.*}}swizzle = 0 : i64
// CHECK: "tile.barrier_init"
// CHECK: "tile.barrier_expect"({{.*}}) {bytes = 8192 : i64}
// CHECK-COUNT-2: "tile.bulk_load"
// CHECK-NOT: "tile.copy_async"
// CHECK: memref.store {{.*}} : memref<128xf32, 3>
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: "tile.barrier_wait"
// What came in bulk is read in the order in which it lies, by thread, and turned so that neither threads of the same row
// (one word apart) nor those four rows on (16 words) are in one another's banks.
// CHECK: %[[AT:.*]] = arith.muli %thread_id_x, %c4
// CHECK: vector.load %{{.*}}[%[[AT]]] : memref<1024xf32, 3>, vector<4xf32>
// CHECK: vector.load %{{.*}} : memref<1024xf32, 3>, vector<4xf32>
// CHECK: %[[HALF:.*]] = arith.remui %thread_id_x, %c2
// CHECK: %c528 = arith.constant 528
// CHECK: %[[ROWS:.*]] = arith.muli %[[HALF]], %c528
// CHECK: %[[COLUMN:.*]] = arith.divui %thread_id_x, %c2
// CHECK: arith.addi %[[ROWS]], %[[COLUMN]]
// CHECK: memref.store {{.*}} : memref<1056xf32, 3>
// All have read both by the time they meet.
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-2: "tile.bulk_load"
// CHECK: gpu.shuffle
// CHECK: "tile.fence"() {of = "warp"}
// CHECK: vector.load {{.*}} : memref<1056xf32, 3>, vector<4xf32>
// CHECK: vector.load {{.*}} : memref<128xf32, 3>, vector<4xf32>
// CHECK: vector.store {{.*}} : memref<8192xf32>, vector<4xf32>
// CHECK: gpu.barrier
// CHECK: arith.xori
// CHECK: scf.yield

// Teams have shared memory, and barriers, of their own. One thread asks for the first tasks of both.
// TEAMS: func.func @k({{.*}}strata.blocks = 2 : i64, {{.*}}strata.threads = 512 : i64
// TEAMS: %[[TEAM:.*]] = arith.divui %thread_id_x, %c256
// TEAMS: %[[FIRST:.*]] = arith.addi %{{.*}}, %block_id_x
// TEAMS: arith.ori %{{.*}}, %[[TEAM]]
// TEAMS: scf.if
// TEAMS-COUNT-2: "tile.barrier_init"
// TEAMS: arith.cmpi ult, %[[FIRST]], %c8
// TEAMS: scf.if
// TEAMS-COUNT-2: "tile.bulk_load"
// TEAMS: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c2
// TEAMS: arith.cmpi ult, %[[SECOND]], %c8
// TEAMS: scf.if
// TEAMS-COUNT-2: "tile.bulk_load"
// TEAMS: gpu.barrier
// TEAMS-NOT: gpu.barrier
// TEAMS: scf.for %{{.*}} = %[[FIRST]] to %c8{{.*}} step %c4
// TEAMS: "tile.group_barrier"
// TEAMS-COUNT-2: "tile.bulk_load"
// TEAMS: "tile.group_barrier"
// TEAMS: scf.yield

// THREADS-NOT: "tile.bulk_load"
// THREADS: "tile.copy_async"
// THREADS: "tile.copy_commit"
// THREADS: scf.for
// THREADS: "tile.copy_wait"() {pending = 0 : i64}
// THREADS: "tile.copy_async"
module {
  func.func @main(%x: memref<64x128xf32>, %y: memref<128x64xf32>, %b: memref<128xf32>, %z: memref<64x128xf32>) {
    call @k(%x, %y, %b, %z) : (memref<64x128xf32>, memref<128x64xf32>, memref<128xf32>, memref<64x128xf32>) -> ()
    return
  }
  func.func private @k(%x: memref<64x128xf32>, %y: memref<128x64xf32>, %b: memref<128xf32>, %z: memref<64x128xf32>) attributes
      {strata.schedule = {kind = "rows", threads = 256 : i64, group = 256 : i64, blocks = 2 : i64, tile = array<i64: 128, 8>}} {
    scf.forall (%t) in (8) {
      %v = "tile.load"(%x, %t) {map = affine_map<(d0, d1)[s0] -> (d0 + s0 * 8, d1)>} : (memref<64x128xf32>, index) -> vector<8x128xf32>
      %w = "tile.load"(%y, %t) {map = affine_map<(d0, d1)[s0] -> (d1, d0 + s0 * 8)>} : (memref<128x64xf32>, index) -> vector<8x128xf32>
      %a = arith.addf %v, %w : vector<8x128xf32>
      %zero = arith.constant 0.0 : f32
      %zeros = vector.broadcast %zero : f32 to vector<8xf32>
      %s = vector.multi_reduction <add>, %a, %zeros [1] : vector<8x128xf32> to vector<8xf32>
      %sb = vector.broadcast %s : vector<8xf32> to vector<128x8xf32>
      %st = vector.transpose %sb, [1, 0] : vector<128x8xf32> to vector<8x128xf32>
      %d = arith.subf %w, %st : vector<8x128xf32>
      %c = "tile.load"(%b) {map = affine_map<(d0) -> (d0)>} : (memref<128xf32>) -> vector<128xf32>
      %cb = vector.broadcast %c : vector<128xf32> to vector<8x128xf32>
      %r = arith.addf %d, %cb : vector<8x128xf32>
      "tile.store"(%r, %z, %t) {map = affine_map<(d0, d1)[s0] -> (d0 + s0 * 8, d1)>} : (vector<8x128xf32>, memref<64x128xf32>, index) -> ()
    }
    return
  }
}
