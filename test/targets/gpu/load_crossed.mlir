// Loads from shared memory that cross what sixteen lanes read: an instruction of gfx950's, and a call of the driver.
// RUN: strata-opt %s --target=amdgpu --device=gfx950 --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated_950 --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=HOST
// RUN: not strata-opt %s --target=amdgpu --device=gfx942 --pipeline=kernels-to-llvm 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: not strata-opt %s --target=nvgpu --device=sm_80 --pipeline=kernels-to-llvm 2>&1 | FileCheck %s --check-prefix=NVIDIA

// LACKS: kernels-to-llvm: gfx942 loads nothing crossed
// NVIDIA: kernels-to-llvm: sm_80 loads nothing crossed

// CHECK-LABEL: llvm.func @crossed
// CHECK: llvm.call_intrinsic "llvm.amdgcn.ds.read.tr16.b64"(%{{.*}}) : (!llvm.ptr<3>) -> vector<4xf16>
// CHECK: llvm.call_intrinsic "llvm.amdgcn.ds.read.tr16.b64"(%{{.*}}) : (!llvm.ptr<3>) -> vector<4xbf16>
// CHECK: %[[WORDS:.*]] = llvm.call_intrinsic "llvm.amdgcn.ds.read.tr8.b64"(%{{.*}}) : (!llvm.ptr<3>) -> vector<2xi32>
// CHECK: llvm.bitcast %[[WORDS]] : vector<2xi32> to vector<8xi8>
// HOST-LABEL: llvm.func @crossed
// HOST-COUNT-2: llvm.call @strata_emulated_load_crossed(%{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr) -> ()
// HOST: llvm.call @strata_emulated_load_crossed_8(%{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr) -> ()
module {
  builtin.module @kernels {
    func.func @crossed(%y: memref<256xf16>, %z: memref<256xbf16>, %w: memref<512xi8>, %shared: memref<512xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 64 : i64, strata.shared = 512 : i64, strata.index_bits = 32 : i64} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %halves = memref.view %shared[%c0][] : memref<512xi8, 3> to memref<256xf16, 3>
      %brains = memref.view %shared[%c0][] : memref<512xi8, 3> to memref<256xbf16, 3>
      %at = arith.muli %t, %c4 : index
      %a = "tile.load_crossed"(%halves, %at) : (memref<256xf16, 3>, index) -> vector<4xf16>
      vector.store %a, %y[%at] : memref<256xf16>, vector<4xf16>
      %b = "tile.load_crossed"(%brains, %at) : (memref<256xbf16, 3>, index) -> vector<4xbf16>
      vector.store %b, %z[%at] : memref<256xbf16>, vector<4xbf16>
      %c8 = arith.constant 8 : index
      %bytes = arith.muli %t, %c8 : index
      %c = "tile.load_crossed"(%shared, %bytes) : (memref<512xi8, 3>, index) -> vector<8xi8>
      vector.store %c, %w[%bytes] : memref<512xi8>, vector<8xi8>
      return
    }
  }
}
