// What all lanes have, a bit each, and a wait for the warp's lanes alone.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated_90 --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=HOST
// RUN: strata-opt %s --target=amdgpu --device=gfx1100 --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=AMD

module {
  builtin.module @kernels {
    // CHECK: llvm.call_intrinsic "llvm.nvvm.vote.ballot.sync"(%{{.*}}, %{{.*}}) : (i32, i1) -> i32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.bar.warp.sync"
    // HOST-COUNT-2: llvm.call @strata_emulated_ballot
    // AMD: llvm.call_intrinsic "llvm.amdgcn.ballot"(%{{.*}}) : (i1) -> i32
    // AMD: llvm.fence syncscope("wavefront") acq_rel
    func.func @odd(%y: memref<32xi32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i32
      %odd = arith.trunci %i : i32 to i1
      %all = "tile.ballot"(%odd) : (i1) -> i32
      "tile.warp_barrier"() : () -> ()
      memref.store %all, %y[%t] : memref<32xi32>
      return
    }
  }
}
