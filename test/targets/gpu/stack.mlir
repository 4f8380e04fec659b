// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=amdgpu --device=gfx942 --pipeline=kernels-to-llvm | FileCheck %s

// What a thread has on its stack is allocated once, in front of all branches and loops.
module {
  builtin.module @kernels {
    // CHECK: llvm.func @k(
    // CHECK-NOT: llvm.br
    // CHECK-NOT: llvm.cond_br
    // CHECK: llvm.alloca
    // CHECK-NOT: llvm.br
    // CHECK-NOT: llvm.cond_br
    // CHECK: llvm.alloca
    // CHECK: llvm.cond_br
    // CHECK-NOT: llvm.alloca
    // CHECK: llvm.return
    func.func @k(%x: memref<64x4xf32>, %y: memref<64x4xf32>, %shared: memref<16xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 64 : i64, strata.shared = 16 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %t = gpu.thread_id x
      %is_first = arith.cmpi ult, %t, %c4 : index
      scf.if %is_first {
        %row = memref.alloca() : memref<4xf32>
        scf.for %i = %c0 to %c4 step %c1 {
          %own = memref.alloca() : memref<1xf32>
          %v = memref.load %x[%t, %i] : memref<64x4xf32>
          memref.store %v, %own[%c0] : memref<1xf32>
          %w = memref.load %own[%c0] : memref<1xf32>
          memref.store %w, %row[%i] : memref<4xf32>
        }
        scf.for %i = %c0 to %c4 step %c1 {
          %v = memref.load %row[%i] : memref<4xf32>
          memref.store %v, %y[%t, %i] : memref<64x4xf32>
        }
      }
      return
    }
  }
}
