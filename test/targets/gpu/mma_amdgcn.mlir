// AMD's matrix instructions: an intrinsic each, whose first operand is our right one; fragments are what the intrinsic
// takes, of the same bits. Sums are tied to where they are computed, all lanes being active there: behind the loop that
// carries them, not in it.
// RUN: split-file %s %t
// RUN: strata-opt %t/mfma.mlir --target=amdgpu --device=gfx942 --pipeline=kernels-to-llvm | FileCheck %t/mfma.mlir
// RUN: strata-opt %t/mfma.mlir --target=amdgpu --device=gfx9-4-generic --pipeline=kernels-to-llvm | FileCheck %t/mfma.mlir
// RUN: strata-opt %t/wide.mlir --target=amdgpu --device=gfx950 --pipeline=kernels-to-llvm | FileCheck %t/wide.mlir
// RUN: strata-opt %t/wmma.mlir --target=amdgpu --device=gfx1101 --pipeline=kernels-to-llvm | FileCheck %t/wmma.mlir
// RUN: strata-opt %t/rdna4.mlir --target=amdgpu --device=gfx1200 --pipeline=kernels-to-llvm | FileCheck %t/rdna4.mlir
// RUN: not strata-opt %t/mfma.mlir --target=amdgpu --device=gfx1200 --pipeline=kernels-to-llvm 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not strata-opt %t/wide.mlir --target=amdgpu --device=gfx942 --pipeline=kernels-to-llvm 2>&1 | FileCheck %s --check-prefix=WIDE

// NONE: kernels-to-llvm: gfx1200 has no matrix instruction 'mfma.16x16x16.f16'
// WIDE: kernels-to-llvm: gfx942 has no matrix instruction 'mfma.16x16x32.f16'

//--- mfma.mlir
// CHECK-LABEL: llvm.func @f16
// CHECK: %[[A:.*]] = llvm.load {{.*}} vector<4xf16>
// CHECK: %[[B:.*]] = llvm.load {{.*}} vector<4xf16>
// CHECK: llvm.call_intrinsic "llvm.amdgcn.mfma.f32.16x16x16f16"(%[[B]], %[[A]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
// CHECK-LABEL: llvm.func @carried
// CHECK: llvm.call_intrinsic "llvm.amdgcn.mfma.f32.16x16x16f16"
// CHECK-NOT: llvm.inline_asm
// CHECK: ^bb3:
// CHECK: llvm.inline_asm has_side_effects "", "=v,0" %{{.*}} : (vector<4xf32>) -> vector<4xf32>
// CHECK-LABEL: llvm.func @s8
// CHECK: llvm.call_intrinsic "llvm.amdgcn.mfma.i32.16x16x32.i8"({{.*}}) : (i64, i64, vector<4xi32>, i32, i32, i32) -> vector<4xi32>
module {
  builtin.module @kernels {
    func.func @f16(%a: memref<64x4xf16>, %b: memref<64x4xf16>, %c: memref<64x4xf32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 64 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %x = vector.load %a[%t, %c0] : memref<64x4xf16>, vector<4xf16>
      %y = vector.load %b[%t, %c0] : memref<64x4xf16>, vector<4xf16>
      %z = vector.load %c[%t, %c0] : memref<64x4xf32>, vector<4xf32>
      %d = "tile.mma"(%x, %y, %z) {kind = "mfma.16x16x16.f16"} : (vector<4xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
      vector.store %d, %c[%t, %c0] : memref<64x4xf32>, vector<4xf32>
      return
    }
    func.func @carried(%a: memref<64x4xf16>, %c: memref<64x4xf32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 64 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c9 = arith.constant 9 : index
      %x = vector.load %a[%t, %c0] : memref<64x4xf16>, vector<4xf16>
      %z = arith.constant dense<0.0> : vector<4xf32>
      %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %z) -> (vector<4xf32>) {
        %d = "tile.mma"(%x, %x, %s) {kind = "mfma.16x16x16.f16"} : (vector<4xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
        scf.yield %d : vector<4xf32>
      }
      vector.store %r, %c[%t, %c0] : memref<64x4xf32>, vector<4xf32>
      return
    }
    func.func @s8(%a: memref<64x8xi8>, %b: memref<64x8xi8>, %c: memref<64x4xi32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 64 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %x = vector.load %a[%t, %c0] : memref<64x8xi8>, vector<8xi8>
      %y = vector.load %b[%t, %c0] : memref<64x8xi8>, vector<8xi8>
      %z = vector.load %c[%t, %c0] : memref<64x4xi32>, vector<4xi32>
      %d = "tile.mma"(%x, %y, %z) {kind = "mfma.16x16x32.s8"} : (vector<8xi8>, vector<8xi8>, vector<4xi32>) -> vector<4xi32>
      vector.store %d, %c[%t, %c0] : memref<64x4xi32>, vector<4xi32>
      return
    }
  }
}

//--- wide.mlir
// CHECK: llvm.call_intrinsic "llvm.amdgcn.mfma.f32.16x16x32.f16"({{.*}}) : (vector<8xf16>, vector<8xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
module {
  builtin.module @kernels {
    func.func @f16(%a: memref<64x8xf16>, %b: memref<64x8xf16>, %c: memref<64x4xf32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 64 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %x = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
      %y = vector.load %b[%t, %c0] : memref<64x8xf16>, vector<8xf16>
      %z = vector.load %c[%t, %c0] : memref<64x4xf32>, vector<4xf32>
      %d = "tile.mma"(%x, %y, %z) {kind = "mfma.16x16x32.f16"} : (vector<8xf16>, vector<8xf16>, vector<4xf32>) -> vector<4xf32>
      vector.store %d, %c[%t, %c0] : memref<64x4xf32>, vector<4xf32>
      return
    }
  }
}

//--- wmma.mlir
// Signed operands, and sums that are not saturated.
// CHECK-DAG: %[[YES:.*]] = llvm.mlir.constant(true) : i1
// CHECK-DAG: %[[NO:.*]] = llvm.mlir.constant(false) : i1
// CHECK: llvm.call_intrinsic "llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v4i32"(%[[YES]], %{{[^,]*}}, %[[YES]], %{{[^,]*}}, %{{[^,]*}}, %[[NO]]) : (i1, vector<4xi32>, i1, vector<4xi32>, vector<8xi32>, i1) -> vector<8xi32>
// CHECK-NEXT: %[[HERE:.*]] = llvm.inline_asm has_side_effects "", "=v,0" %{{.*}} : (vector<8xi32>) -> vector<8xi32>
// CHECK: llvm.extractelement %[[HERE]]
module {
  builtin.module @kernels {
    func.func @s8(%a: memref<32x16xi8>, %b: memref<32x16xi8>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %x = vector.load %a[%t, %c0] : memref<32x16xi8>, vector<16xi8>
      %y = vector.load %b[%t, %c0] : memref<32x16xi8>, vector<16xi8>
      %z = arith.constant dense<0> : vector<8xi32>
      %d = "tile.mma"(%x, %y, %z) {kind = "wmma.s8"} : (vector<16xi8>, vector<16xi8>, vector<8xi32>) -> vector<8xi32>
      %e = vector.extract %d[0] : i32 from vector<8xi32>
      %n = arith.trunci %e : i32 to i8
      memref.store %n, %a[%t, %c0] : memref<32x16xi8>
      return
    }
  }
}

//--- rdna4.mlir
// CHECK: llvm.call_intrinsic "llvm.amdgcn.wmma.f32.16x16x16.bf16.v8f32.v8i16"({{.*}}) : (vector<8xi16>, vector<8xi16>, vector<8xf32>) -> vector<8xf32>
module {
  builtin.module @kernels {
    func.func @bf16(%a: memref<32x8xbf16>, %b: memref<32x8xbf16>, %c: memref<32xf32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %x = vector.load %a[%t, %c0] : memref<32x8xbf16>, vector<8xbf16>
      %y = vector.load %b[%t, %c0] : memref<32x8xbf16>, vector<8xbf16>
      %z = arith.constant dense<0.0> : vector<8xf32>
      %d = "tile.mma"(%x, %y, %z) {kind = "wmma12.bf16"} : (vector<8xbf16>, vector<8xbf16>, vector<8xf32>) -> vector<8xf32>
      %e = vector.extract %d[0] : f32 from vector<8xf32>
      memref.store %e, %c[%t] : memref<32xf32>
      return
    }
  }
}
