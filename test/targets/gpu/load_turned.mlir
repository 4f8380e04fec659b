// Loads from memory that eight lanes turn among themselves: an instruction of gfx12's, and a call of the driver.
// RUN: strata-opt %s --target=amdgpu --device=gfx1201 --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated_1201 --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=HOST
// RUN: not strata-opt %s --target=amdgpu --device=gfx1100 --pipeline=kernels-to-llvm 2>&1 | FileCheck %s --check-prefix=LACKS

// LACKS: kernels-to-llvm: gfx1100 loads nothing turned

// CHECK-LABEL: llvm.func @turned
// CHECK: llvm.call_intrinsic "llvm.amdgcn.global.load.tr.b128"(%{{.*}}) : (!llvm.ptr<1>) -> vector<8xf16>
// CHECK: llvm.call_intrinsic "llvm.amdgcn.global.load.tr.b128"(%{{.*}}) : (!llvm.ptr<1>) -> vector<8xbf16>
// HOST-LABEL: llvm.func @turned
// HOST-COUNT-2: llvm.call @strata_emulated_load_turned(%{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr) -> ()
module {
  builtin.module @kernels {
    func.func @turned(%x: memref<256xf16>, %y: memref<256xf16>, %v: memref<256xbf16>, %w: memref<256xbf16>, %shared: memref<512xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 512 : i64, strata.index_bits = 32 : i64} {
      %t = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %at = arith.muli %t, %c8 : index
      %a = "tile.load_turned"(%x, %at) : (memref<256xf16>, index) -> vector<8xf16>
      vector.store %a, %y[%at] : memref<256xf16>, vector<8xf16>
      %b = "tile.load_turned"(%v, %at) : (memref<256xbf16>, index) -> vector<8xbf16>
      vector.store %b, %w[%at] : memref<256xbf16>, vector<8xbf16>
      return
    }
  }
}
