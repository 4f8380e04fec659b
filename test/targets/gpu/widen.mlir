// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated_90 --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=EMULATED

// Floats two at a time by an instruction; integers under the exponent of 1024, which is taken off.
module {
  builtin.module @kernels {
    // CHECK-LABEL: @floats
    // CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"
    // CHECK-NOT: llvm.call_intrinsic
    // EMULATED-LABEL: @floats
    // EMULATED-NOT: llvm.call_intrinsic
    // EMULATED-COUNT-8: llvm.select
    func.func @floats(%x: memref<64xi8>, %y: memref<64xf16>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %bytes = vector.load %x[%c0] : memref<64xi8>, vector<8xi8>
      %v = "tile.widen"(%bytes) {from = "f8E4M3FN"} : (vector<8xi8>) -> vector<8xf16>
      vector.store %v, %y[%c0] : memref<64xf16>, vector<8xf16>
      return
    }
    // CHECK-LABEL: @integers
    // CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.prmt"
    // CHECK-NOT: llvm.call_intrinsic
    // EMULATED-LABEL: @integers
    // EMULATED-COUNT-8: llvm.sitofp
    func.func @integers(%x: memref<64xi8>, %y: memref<64xbf16>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %bytes = vector.load %x[%c0] : memref<64xi8>, vector<8xi8>
      %v = "tile.widen"(%bytes) {from = "i8"} : (vector<8xi8>) -> vector<8xbf16>
      vector.store %v, %y[%c0] : memref<64xbf16>, vector<8xbf16>
      return
    }
  }
}
