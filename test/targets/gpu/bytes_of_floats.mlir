// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated_90 --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=PLAIN

// A byte cut from the bits of a float is cut from a register that no float arithmetic has written: ptxas would convert
// the number. Other bits are taken as they are.
// PLAIN-NOT: mov.b32
module {
  builtin.module @kernels {
    // CHECK-LABEL: @bytes
    // CHECK: %[[T:.*]] = llvm.fadd
    // CHECK: %[[B:.*]] = llvm.inline_asm {{.*}}"mov.b32 $0, $1;", "=r,f" %[[T]] : (f32) -> i32
    // CHECK: llvm.trunc %[[B]] : i32 to i8
    // CHECK: %[[U:.*]] = llvm.fadd
    // CHECK: %[[C:.*]] = llvm.inline_asm {{.*}}"mov.b32 $0, $1;", "=r,f" %[[U]] : (f32) -> i32
    // CHECK: %[[S:.*]] = llvm.add %[[C]], %{{.*}} : i32
    // CHECK: llvm.trunc %[[S]] : i32 to i8
    func.func @bytes(%x: memref<64xf32>, %y: memref<64xi8>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %three = arith.constant 3 : i32
      %ones = arith.constant 12582912.0 : f32
      %v = memref.load %x[%c0] : memref<64xf32>
      %t = arith.addf %v, %ones : f32
      %b = arith.bitcast %t : f32 to i32
      %q = arith.trunci %b : i32 to i8
      memref.store %q, %y[%c0] : memref<64xi8>
      %w = memref.load %x[%c1] : memref<64xf32>
      %u = arith.addf %w, %ones : f32
      %c = arith.bitcast %u : f32 to i32
      %s = arith.addi %c, %three : i32
      %r = arith.trunci %s : i32 to i8
      memref.store %r, %y[%c1] : memref<64xi8>
      return
    }
    // CHECK-LABEL: @words
    // CHECK-NOT: mov.b32
    func.func @words(%x: memref<64xf32>, %y: memref<64xi32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %v = memref.load %x[%c0] : memref<64xf32>
      %b = arith.bitcast %v : f32 to i32
      memref.store %b, %y[%c0] : memref<64xi32>
      return
    }
  }
}
