// RUN: strata-opt %s --target=nvgpu --device=sm_80 --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=HOST

// Fragments travel as 32-bit words, whatever the elements are.
module {
  builtin.module @kernels {
    // CHECK-LABEL: llvm.func @f16
    // CHECK: llvm.inline_asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"
    // The driver gets the number of the row in mma.def, and fragments in memory.
    // HOST-LABEL: llvm.func @f16
    // HOST: %[[KIND:.*]] = llvm.mlir.constant(0 : i32) : i32
    // HOST: llvm.call @strata_emulated_mma(%[[KIND]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    func.func @f16(%x: memref<1024xf16>, %y: memref<1024xf32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64} {
      %t = gpu.thread_id x
      %a = vector.load %x[%t] : memref<1024xf16>, vector<8xf16>
      %b = vector.load %x[%t] : memref<1024xf16>, vector<4xf16>
      %c = vector.load %y[%t] : memref<1024xf32>, vector<4xf32>
      %d = "tile.mma"(%a, %b, %c) {kind = "m16n8k16.f16"} : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
      vector.store %d, %y[%t] : memref<1024xf32>, vector<4xf32>
      return
    }

    // CHECK-LABEL: llvm.func @matrices
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3"(%{{.*}}) : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    // CHECK: llvm.bitcast %{{.*}} : vector<4xi32> to vector<8xf16>
    // HOST-LABEL: llvm.func @matrices
    // HOST: llvm.call @strata_emulated_load_matrices(%{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr) -> ()
    func.func @matrices(%y: memref<1024xf16>, %shared: memref<512xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 512 : i64} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %memory = memref.view %shared[%c0][] : memref<512xi8, 3> to memref<256xf16, 3>
      %at = arith.muli %t, %c8 : index
      %a = "tile.load_matrices"(%memory, %at) : (memref<256xf16, 3>, index) -> vector<8xf16>
      vector.store %a, %y[%at] : memref<1024xf16>, vector<8xf16>
      return
    }

    // CHECK-LABEL: llvm.func @s8
    // CHECK: "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {{.*}}", "=r,=r,=r,=r,r,r,r,r,r,r,r,r,r,r"
    func.func @s8(%x: memref<1024xi8>, %y: memref<1024xi32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64} {
      %t = gpu.thread_id x
      %a = vector.load %x[%t] : memref<1024xi8>, vector<16xi8>
      %b = vector.load %x[%t] : memref<1024xi8>, vector<8xi8>
      %c = vector.load %y[%t] : memref<1024xi32>, vector<4xi32>
      %d = "tile.mma"(%a, %b, %c) {kind = "m16n8k32.s8"} : (vector<16xi8>, vector<8xi8>, vector<4xi32>) -> vector<4xi32>
      vector.store %d, %y[%t] : memref<1024xi32>, vector<4xi32>
      return
    }
  }
}
