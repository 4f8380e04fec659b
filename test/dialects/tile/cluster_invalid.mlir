// RUN: not strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm --split-input-file 2>&1 | FileCheck %s
// RUN: not strata-opt %s --target=nvgpu --device=sm_80 --pipeline=kernels-to-llvm --split-input-file 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: tile.cluster_store stores a value of another type than its memory's
// NONE: tile.cluster_store stores a value of another type than its memory's
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %words = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<256xf32, 3>
    "tile.cluster_store"(%c0, %words, %c0, %c0) : (index, memref<256xf32, 3>, index, index) -> ()
    return
  }
} }

// -----

// CHECK: tile.cluster_store has memory that is no memref of rank 1 in space 3
// NONE: tile.cluster_store has memory that is no memref of rank 1 in space 3
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    "tile.cluster_store"(%one, %x, %c0, %c0) : (f32, memref<32xf32>, index, index) -> ()
    return
  }
} }

// -----

// NONE: sm_80 has no clusters of blocks
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    "tile.cluster_arrive"() {releases = true} : () -> ()
    "tile.cluster_wait"() : () -> ()
    return
  }
} }
