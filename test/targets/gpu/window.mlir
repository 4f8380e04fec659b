// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated_90 --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=HOST

// Copies by a map with a window: the first pixel's coordinates, then its place in the window in 16 bits.
module {
  builtin.module @kernels {
    func.func @pixels(%x: memref<8x14x14x128xf16>, %shared: memref<16512xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 160 : i64, strata.shared = 16512 : i64, strata.index_bits = 32 : i64,
        strata.maps = [
          {buffer = 0 : i64, type = f16, sizes = array<i64: 128, 14, 14, 8>, strides = array<i64: 256, 3584, 50176>,
           box = array<i64: 64, 96, 1, 1>, steps = array<i64: 1, 1, 1, 1>, swizzle = 128 : i64,
           lower = array<i64: -1, -1>, upper = array<i64: -1, -1>}]} {
      %c0 = arith.constant 0 : index
      %place = arith.constant 16384 : index
      %t = gpu.thread_id x
      %slots = memref.view %shared[%c0][] : memref<16512xi8, 3> to memref<8192xf16, 3>
      %full = memref.view %shared[%place][] : memref<16512xi8, 3> to memref<4xi64, 3>
      // CHECK: llvm.inline_asm has_side_effects "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [$0], [$1, {$3, $4, $5, $6}], [$2], {$7, $8}; // map {{[0-9]+}}", "r,l,r,
      // CHECK-SAME: r,r,r,r,h,h,~{memory}"
      // CHECK-SAME: i32, i32, i32, i32, i16, i16) -> ()
      // HOST: llvm.call @strata_emulated_bulk_window(
      // HOST-SAME: (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32, i32, i32, i32, i32) -> ()
      "tile.bulk_load"(%slots, %c0, %full, %t, %c0, %t, %t, %c0, %t, %t) {map = 0 : i64} : (memref<8192xf16, 3>, index, memref<4xi64, 3>, index, index, index, index, index, index, index) -> ()
      return
    }
  }
}
