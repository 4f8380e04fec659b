// RUN: strata-opt %s --target=nvgpu --device=emulated --pipeline=kernels-to-llvm | FileCheck %s

// What NVIDIA's approximations lose, the tests' device loses, too; nothing else is approximate there.
module {
  module @kernels {
    // CHECK-LABEL: llvm.func @approximate
    // CHECK: llvm.intr.fabs
    // CHECK: llvm.intr.exp2(%{{[^ ]*}}) : (f32) -> f32
    // CHECK: llvm.intr.fabs
    // CHECK: llvm.intr.log2
    // CHECK: llvm.intr.roundeven
    // CHECK-NOT: fastmath
    // CHECK: llvm.return
    func.func @approximate(%x: memref<16xf32>, %i: index) attributes {strata.threads = 32 : i64, strata.shared = 0 : i64, strata.blocks = 1 : i64} {
      %a = memref.load %x[%i] : memref<16xf32>
      %b = math.exp2 %a fastmath<afn> : f32
      %c = math.log2 %b fastmath<afn> : f32
      %d = math.rsqrt %c fastmath<afn> : f32
      memref.store %d, %x[%i] : memref<16xf32>
      return
    }
    // CHECK-LABEL: llvm.func @zeros
    // CHECK: %[[AND:.*]] = llvm.and
    // CHECK: %[[ZERO:.*]] = llvm.bitcast %[[AND]]
    // CHECK: %[[EQUAL:.*]] = llvm.fcmp "oeq"
    // CHECK: llvm.select %[[EQUAL]], %[[ZERO]]
    func.func @zeros(%x: memref<16xf32>, %i: index, %j: index) attributes {strata.threads = 32 : i64, strata.shared = 0 : i64, strata.blocks = 1 : i64} {
      %a = memref.load %x[%i] : memref<16xf32>
      %b = memref.load %x[%j] : memref<16xf32>
      %c = arith.maximumf %a, %b : f32
      memref.store %c, %x[%i] : memref<16xf32>
      return
    }
  }
}
