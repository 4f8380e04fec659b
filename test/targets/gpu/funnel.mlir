// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated_90 --pipeline=kernels-to-llvm | FileCheck %s

// Four words of 16 bytes from any element on: selects by two and by one, then parts of neighbouring words.
module {
  builtin.module @kernels {
    // CHECK-LABEL: @halves
    // CHECK-COUNT-11: llvm.select
    // CHECK-COUNT-4: llvm.call_intrinsic "llvm.fshr"
    // CHECK-NOT: llvm.call_intrinsic
    func.func @halves(%x: memref<64xf16>, %y: memref<64xf16>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %t = gpu.thread_id x
      %low = vector.load %x[%c0] : memref<64xf16>, vector<8xf16>
      %high = vector.load %x[%c8] : memref<64xf16>, vector<8xf16>
      %v = "tile.funnel"(%low, %high, %t) : (vector<8xf16>, vector<8xf16>, index) -> vector<8xf16>
      vector.store %v, %y[%c0] : memref<64xf16>, vector<8xf16>
      return
    }
    // CHECK-LABEL: @floats
    // CHECK-COUNT-9: llvm.select
    // CHECK-NOT: llvm.call_intrinsic "llvm.fshr"
    func.func @floats(%x: memref<64xf32>, %y: memref<64xf32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %t = gpu.thread_id x
      %low = vector.load %x[%c0] : memref<64xf32>, vector<4xf32>
      %high = vector.load %x[%c4] : memref<64xf32>, vector<4xf32>
      %v = "tile.funnel"(%low, %high, %t) : (vector<4xf32>, vector<4xf32>, index) -> vector<4xf32>
      vector.store %v, %y[%c0] : memref<64xf32>, vector<4xf32>
      return
    }
  }
}
