// A row of four blocks: each loads a part of it, stores its sum into all blocks' shared memory and adds up all four.
// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu | FileCheck %s
// RUN: strata-opt %s --pipeline=tile-to-gpu,kernels-to-llvm --target=nvgpu | FileCheck %s --check-prefix=LLVM
// RUN: not strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=sm_80 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: func.func @k({{.*}}) attributes {strata.blocks = 32 : i64, strata.cluster = 4 : i64,
// CHECK-SAME: strata.resident = 2 : i64, {{.*}}strata.threads = 128 : i64}
// CHECK: %[[BLOCK:.*]] = gpu.block_id x upper_bound 32
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[RANK:.*]] = arith.remui %[[BLOCK]], %[[FOUR]]
// CHECK: arith.divui %[[BLOCK]], %[[FOUR]]
// CHECK: "tile.cluster_arrive"() {releases = false}
// CHECK-COUNT-4: vector.load
// CHECK: gpu.barrier
// CHECK: "tile.cluster_wait"()
// CHECK: scf.if
// CHECK: "tile.cluster_store"({{.*}}) : (f32, memref<4xf32, 3>, index, index) -> ()
// CHECK: "tile.cluster_arrive"() {releases = true}
// CHECK-NEXT: "tile.cluster_wait"()
// CHECK-COUNT-4: memref.load {{.*}} : memref<4xf32, 3>
// CHECK: memref.store

// LLVM: llvm.nvvm.barrier.cluster.arrive.relaxed.aligned
// LLVM: llvm.nvvm.barrier.cluster.wait.aligned
// LLVM: %[[PLACE:.*]] = llvm.call_intrinsic "llvm.nvvm.mapa.shared.cluster"({{.*}}) : (!llvm.ptr<3>, i32) -> !llvm.ptr<7>
// LLVM: llvm.store %{{.*}}, %[[PLACE]]
// LLVM: llvm.nvvm.barrier.cluster.arrive.aligned

// NONE: kernel k: expected threads and a group of them in the schedule, got 128 and 512
module {
  func.func @main(%x: memref<8x8192xf32>, %y: memref<8xf32>) {
    call @k(%x, %y) : (memref<8x8192xf32>, memref<8xf32>) -> ()
    return
  }
  func.func private @k(%x: memref<8x8192xf32>, %y: memref<8xf32>) attributes
      {strata.schedule = {kind = "rows", threads = 128 : i64, group = 512 : i64, tile = array<i64: 8192>}} {
    scf.forall (%t) in (8) {
      %zero = arith.constant 0.0 : f32
      %v = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (memref<8x8192xf32>, index) -> vector<8192xf32>
      %s = vector.multi_reduction <add>, %v, %zero [0] : vector<8192xf32> to f32
      "tile.store"(%s, %y, %t) {map = affine_map<()[s0] -> (s0)>} : (f32, memref<8xf32>, index) -> ()
    }
    return
  }
}
