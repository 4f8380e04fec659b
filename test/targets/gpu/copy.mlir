// RUN: strata-opt %s --target=nvgpu --device=sm_80 --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=HOST
// RUN: not strata-opt %s --target=amdgpu --device=gfx1100 --pipeline=kernels-to-llvm 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: kernels-to-llvm: gfx1100 has no copies that threads go on beside

// Copies that threads go on beside: what is not inside has no bytes, and comes as zeros.
module {
  builtin.module @kernels {
    // CHECK-LABEL: llvm.func @copies
    // CHECK: %[[PENDING:.*]] = llvm.mlir.constant(2 : i32) : i32
    // CHECK: %[[SIZE:.*]] = llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"(%{{.*}}, %{{.*}}, %[[SIZE]]) : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    // CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.commit.group"
    // CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.wait.group"(%[[PENDING]]) : (i32) -> ()
    // HOST-LABEL: llvm.func @copies
    // HOST: llvm.call @strata_emulated_copy_async(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i32) -> ()
    // HOST: llvm.call @strata_emulated_copy_commit() : () -> ()
    // HOST: llvm.call @strata_emulated_copy_wait(%{{.*}}) : (i32) -> ()
    func.func @copies(%x: memref<1024xf16>, %y: memref<1024xf16>, %shared: memref<512xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 512 : i64} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %c20 = arith.constant 20 : index
      %memory = memref.view %shared[%c0][] : memref<512xi8, 3> to memref<256xf16, 3>
      %at = arith.muli %t, %c8 : index
      %inside = arith.cmpi slt, %t, %c20 : index
      "tile.copy_async"(%memory, %at, %x, %at, %inside) : (memref<256xf16, 3>, index, memref<1024xf16>, index, i1) -> ()
      "tile.copy_commit"() : () -> ()
      "tile.copy_wait"() {pending = 2 : i64} : () -> ()
      gpu.barrier
      %v = vector.load %memory[%at] : memref<256xf16, 3>, vector<8xf16>
      vector.store %v, %y[%at] : memref<1024xf16>, vector<8xf16>
      return
    }
  }
}
