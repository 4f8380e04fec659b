// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm | FileCheck %s --check-prefixes=CHECK,NVPTX
// RUN: strata-opt %s --target=nvgpu --device=emulated --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=HOST
// RUN: strata-opt %s --target=amdgpu --device=gfx942 --pipeline=kernels-to-llvm | FileCheck %s --check-prefixes=CHECK,AMDGCN

// Of very many parts a kernel has its buffers as one parameter, and a part reads its pointers from it. Parts that do the
// same keep blocks of their own: of one block the pointers would be chosen, and read, by all.
module {
  builtin.module @kernels {
    // NVPTX: llvm.func @parts(%[[P:.*]]: !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<4 x ptr<1>>, nvvm.grid_constant})
    // AMDGCN: llvm.func @parts(%[[P:.*]]: !llvm.ptr<4> {llvm.align = 8 : i64, llvm.byref = !llvm.array<4 x ptr<1>>})
    // CHECK-DAG: llvm.getelementptr %[[P]][0, 0]
    // CHECK-DAG: llvm.getelementptr %[[P]][0, 1]
    // CHECK-DAG: llvm.getelementptr %[[P]][0, 2]
    // CHECK-DAG: llvm.getelementptr %[[P]][0, 3]
    // CHECK: llvm.load %{{.*}} invariant {alignment = 8 : i64} : {{.*}} -> !llvm.ptr<1>
    // CHECK: llvm.cond_br %{{.*}}, ^bb1, ^bb2
    // CHECK: ^bb1:
    // CHECK: llvm.store
    // CHECK: ^bb2:
    // CHECK: llvm.store
    // HOST: llvm.func @parts(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr,
    func.func @parts(%a: memref<64xf32>, %b: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 2 : i64, strata.threads = 64 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64, strata.many_parts, strata.keep_parts} {
      %c0 = arith.constant 0 : index
      %block = gpu.block_id x
      %t = gpu.thread_id x
      %first = arith.cmpi eq, %block, %c0 : index
      scf.if %first {
        %e = memref.load %a[%t] {tile.readonly} : memref<64xf32>
        memref.store %e, %y[%t] : memref<64xf32>
      } else {
        %e = memref.load %b[%t] {tile.readonly} : memref<64xf32>
        memref.store %e, %z[%t] : memref<64xf32>
      }
      return
    }
  }
}
