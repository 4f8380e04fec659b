// RUN: strata-opt %s --target=amdgpu --device=gfx950 --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated_950 --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=HOST
// RUN: sed 's/arith.constant true/arith.constant false/' %s > %t.mlir
// RUN: not strata-opt %t.mlir --target=amdgpu --device=gfx950 --pipeline=kernels-to-llvm 2>&1 | FileCheck %s --check-prefix=CONDITION
// RUN: sed 's/pending = 0/pending = 1/' %s > %t.mlir
// RUN: not strata-opt %t.mlir --target=amdgpu --device=gfx950 --pipeline=kernels-to-llvm 2>&1 | FileCheck %s --check-prefix=SOME

// CONDITION: error: kernels-to-llvm: gfx950 has no copies under a condition
// SOME: error: kernels-to-llvm: gfx950 waits for all copies, got 1 to be left

// Copies of a warp lie side by side from one place on: loads of a buffer as large as the memref. They have no groups, and
// a wait is for all accesses. On the host each thread copies to its own place.
module {
  builtin.module @kernels {
    // CHECK-LABEL: llvm.func @copies
    // CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(2048 : i64) : i64
    // CHECK: %[[BUFFER:.*]] = llvm.call_intrinsic "llvm.amdgcn.make.buffer.rsrc.p8.p1"(%{{.*}}, %{{.*}}, %[[BYTES]], %{{.*}}) : (!llvm.ptr<1>, i16, i64, i32) -> !llvm.ptr<8>
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load.lds"(%[[BUFFER]], %{{.*}}) : (!llvm.ptr<8>, !llvm.ptr<3>, i32, i32, i32, i32, i32) -> ()
    // CHECK-NOT: commit
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.s.waitcnt"(%{{.*}}) : (i32) -> ()
    // HOST-LABEL: llvm.func @copies
    // HOST: llvm.inttoptr
    // HOST: llvm.call @strata_emulated_copy_async(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i32) -> ()
    // HOST: llvm.call @strata_emulated_copy_commit() : () -> ()
    // HOST: llvm.call @strata_emulated_copy_wait(%{{.*}}) : (i32) -> ()
    func.func @copies(%x: memref<1024xf16>, %y: memref<1024xf16>, %shared: memref<1024xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 64 : i64, strata.shared = 1024 : i64} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %inside = arith.constant true
      %memory = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<512xf16, 3>
      %at = arith.muli %t, %c8 : index
      "tile.copy_async"(%memory, %c0, %x, %at, %inside) : (memref<512xf16, 3>, index, memref<1024xf16>, index, i1) -> ()
      "tile.copy_commit"() : () -> ()
      "tile.copy_wait"() {pending = 0 : i64} : () -> ()
      gpu.barrier
      %v = vector.load %memory[%at] : memref<512xf16, 3>, vector<8xf16>
      vector.store %v, %y[%at] : memref<1024xf16>, vector<8xf16>
      return
    }
  }
}
