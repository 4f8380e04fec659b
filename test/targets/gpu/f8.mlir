// Floats of 8 bits by AMD's instructions, which take any byte of a word: the word is the vector's that was loaded.
// RUN: strata-opt %s --target=amdgpu --device=gfx942 --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=amdgpu --device=gfx1200 --pipeline=kernels-to-llvm | FileCheck %s
// RUN: not strata-opt %s --target=amdgpu --device=gfx1100 --pipeline=kernels-to-llvm 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: kernels-to-llvm: gfx1100 has no conversions of floats of 8 bits

// CHECK-LABEL: llvm.func @convert
// CHECK-DAG: %[[LOWER:.*]] = llvm.mlir.constant(false) : i1
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK-DAG: %[[BYTE:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK: %[[ALL:.*]] = llvm.load {{.*}} vector<8xi8>
// CHECK: %[[WORDS:.*]] = llvm.bitcast %[[ALL]] : vector<8xi8> to vector<2xi32>
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i64) : i64
// CHECK: %[[WORD:.*]] = llvm.extractelement %[[WORDS]][%[[ONE]] : i64]
// CHECK: llvm.call_intrinsic "llvm.amdgcn.cvt.f32.fp8"(%[[WORD]], %[[BYTE]]) : (i32, i32) -> f32
// CHECK: llvm.call_intrinsic "llvm.amdgcn.cvt.f32.bf8"(%{{.*}}, %[[ZERO]]) : (i32, i32) -> f32
// CHECK: llvm.call_intrinsic "llvm.amdgcn.cvt.pk.bf8.f32"(%[[SUM:.*]], %[[SUM]], %[[ZERO]], %[[LOWER]]) : (f32, f32, i32, i1) -> i32
module {
  builtin.module @kernels {
    func.func @convert(%a: memref<64x8xi8>, %c: memref<64xi8>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 64 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %v = vector.load %a[%t, %c0] : memref<64x8xi8>, vector<8xi8>
      %b = vector.extract %v[6] : i8 from vector<8xi8>
      %w = arith.extui %b : i8 to i32
      %x = "tile.f8_widen"(%w) {format = "fp8"} : (i32) -> f32
      %alone = memref.load %c[%t] : memref<64xi8>
      %u = arith.extui %alone : i8 to i32
      %y = "tile.f8_widen"(%u) {format = "bf8"} : (i32) -> f32
      %z = arith.addf %x, %y : f32
      %n = "tile.f8_narrow"(%z) {format = "bf8"} : (f32) -> i32
      %r = arith.trunci %n : i32 to i8
      memref.store %r, %c[%t] : memref<64xi8>
      return
    }
  }
}
