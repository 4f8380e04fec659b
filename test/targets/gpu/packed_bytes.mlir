// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated_90 --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=PLAIN

// Bytes of floats, two or four of a vector: the integer by a sum with least floats, which saturates below, and an
// instruction that packs and saturates above. Where the zero point is odd the sum would be rounded to even elsewhere:
// floats are raised, and 2^23 is added, as before. Bytes with a sign are 128 less.
// PLAIN-NOT: cvt.pack
// PLAIN-NOT: prmt
module {
  builtin.module @kernels {
    // CHECK-LABEL: @even
    // CHECK: %[[A:.*]] = llvm.inline_asm {{.*}}"{ .reg .f32 t; fma.rn.sat.f32 t, $1, 0f00000001, 0f00000084; mov.b32 $0, t; }", "=r,f"
    // CHECK: %[[B:.*]] = llvm.inline_asm {{.*}}fma.rn.sat.f32
    // CHECK: %[[P:.*]] = llvm.inline_asm {{.*}}"cvt.pack.sat.u8.s32.b32 $0, $1, $2, $3;", "=r,r,r,r" %[[B]], %[[A]], %{{.*}}
    // CHECK: %[[F:.*]] = llvm.xor %[[P]], %{{.*}} : i32
    // CHECK: llvm.trunc %[[F]] : i32 to i16
    // CHECK-NOT: llvm.intr.maxnum
    func.func @even(%x: memref<64xf32>, %y: memref<64xi8>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %four = arith.constant 4 : i32
      %least = arith.constant -132.0 : f32
      %most = arith.constant 123.0 : f32
      %ones = arith.constant 12582912.0 : f32
      %v = vector.load %x[%c0] : memref<64xf32>, vector<2xf32>
      %v0 = vector.extract %v[0] : f32 from vector<2xf32>
      %v1 = vector.extract %v[1] : f32 from vector<2xf32>
      %l0 = arith.maxnumf %v0, %least : f32
      %m0 = arith.minnumf %l0, %most : f32
      %t0 = arith.addf %m0, %ones : f32
      %b0 = arith.bitcast %t0 : f32 to i32
      %z0 = arith.addi %b0, %four : i32
      %q0 = arith.trunci %z0 : i32 to i8
      %l1 = arith.maxnumf %v1, %least : f32
      %m1 = arith.minnumf %l1, %most : f32
      %t1 = arith.addf %m1, %ones : f32
      %b1 = arith.bitcast %t1 : f32 to i32
      %z1 = arith.addi %b1, %four : i32
      %q1 = arith.trunci %z1 : i32 to i8
      %q = vector.from_elements %q0, %q1 : vector<2xi8>
      vector.store %q, %y[%c0] : memref<64xi8>, vector<2xi8>
      return
    }
    // CHECK-LABEL: @odd
    // CHECK: llvm.intr.maxnum
    // CHECK: llvm.fadd
    // CHECK: llvm.inline_asm {{.*}}"mov.b32 $0, $1;", "=r,f"
    // CHECK: llvm.inline_asm {{.*}}cvt.pack.sat.u8.s32.b32
    // CHECK-NOT: llvm.intr.minnum
    func.func @odd(%x: memref<64xf32>, %y: memref<64xi8>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %three = arith.constant 3 : i32
      %least = arith.constant -3.0 : f32
      %most = arith.constant 252.0 : f32
      %ones = arith.constant 12582912.0 : f32
      %v0 = memref.load %x[%c0] : memref<64xf32>
      %l0 = arith.maxnumf %v0, %least : f32
      %m0 = arith.minnumf %l0, %most : f32
      %t0 = arith.addf %m0, %ones : f32
      %b0 = arith.bitcast %t0 : f32 to i32
      %z0 = arith.addi %b0, %three : i32
      %q0 = arith.trunci %z0 : i32 to i8
      %q = vector.from_elements %q0, %q0 : vector<2xi8>
      vector.store %q, %y[%c0] : memref<64xi8>, vector<2xi8>
      return
    }
    // CHECK-LABEL: @floats
    // CHECK: llvm.inline_asm {{.*}}"prmt.b32 $0, $1, $2, 0x7441;", "=r,r,r"
    // CHECK: llvm.fadd
    // CHECK: llvm.xor
    // CHECK: llvm.inline_asm {{.*}}"prmt.b32 $0, $1, $2, 0x7443;", "=r,r,r"
    func.func @floats(%x: memref<64xi8>, %y: memref<64xf32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bits = arith.constant 1258291328 : i32
      %v = vector.load %x[%c0] : memref<64xi8>, vector<4xi8>
      %a = vector.extract %v[1] : i8 from vector<4xi8>
      %f = arith.uitofp %a : i8 to f32
      memref.store %f, %y[%c0] : memref<64xf32>
      %b = vector.extract %v[3] : i8 from vector<4xi8>
      %w = arith.extui %b : i8 to i32
      %s = arith.xori %w, %bits : i32
      %g = arith.bitcast %s : i32 to f32
      memref.store %g, %y[%c1] : memref<64xf32>
      return
    }
  }
}
