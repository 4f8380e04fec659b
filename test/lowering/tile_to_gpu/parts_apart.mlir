// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=sm_90a | FileCheck %s
// RUN: not strata-opt %s --pipeline=tile-to-gpu --target=amdgpu --device=gfx942 2>&1 | FileCheck %s --check-prefix=NONE

// Groups of a block that branch by their tasks wait at barriers of their own, where the device has such: here four of 64
// threads, which turn a tile through shared memory.
// CHECK: func.func @maps(
// CHECK-NOT: gpu.barrier
// CHECK: "tile.group_barrier"({{.*}}) {threads = 64 : i64}
// CHECK-NOT: gpu.barrier
// CHECK: return
// NONE: a barrier where not all threads of a block pass
#rows = affine_map<()[s0] -> (s0, 64)>
#columns = affine_map<()[s0] -> (64, s0)>
!x = memref<?x64xf32, {sizes = #rows}>
!y = memref<64x?xf32, {sizes = #columns}>
module {
  func.func @main(%x: !x, %y: !y) attributes {strata.symbols = [
      {name = "n", min = 64 : i64, max = 99968 : i64, multiple = 64 : i64, likely = [64]}]} {
    call @maps(%x, %y) : (!x, !y) -> ()
    return
  }
  func.func private @maps(%x: !x, %y: !y)
      attributes {strata.schedule = {group = 1 : i64, kind = "map", threads = 256 : i64, tile = array<i64: 1>}} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    scf.forall (%t) in (%n) {
      %0 = "tile.load"(%x, %t) {map = affine_map<()[s0] -> (s0, 0)>} : (!x, index) -> f32
      "tile.store"(%0, %x, %t) {map = affine_map<()[s0] -> (s0, 1)>} : (f32, !x, index) -> ()
    }
    %tiles = affine.apply affine_map<()[s0] -> (s0 floordiv 64)>()[%n]
    scf.forall (%t) in (%tiles) {
      %some = arith.constant 5 : index
      %is_some = arith.cmpi slt, %t, %some : index
      scf.if %is_some {
        %0 = "tile.load"(%x, %t) {map = affine_map<(d0, d1)[s0] -> (d0 + s0 * 64, d1)>} : (!x, index) -> vector<64x64xf32>
        %1 = vector.transpose %0, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
        "tile.store"(%1, %y, %t) {map = affine_map<(d0, d1)[s0] -> (d0, d1 + s0 * 64)>} : (vector<64x64xf32>, !y, index) -> ()
      } else {
        %0 = "tile.load"(%x, %t) {map = affine_map<(d0, d1)[s0] -> (d0 + s0 * 64, d1)>} : (!x, index) -> vector<64x64xf32>
        "tile.store"(%0, %x, %t) {map = affine_map<(d0, d1)[s0] -> (d0 + s0 * 64, d1)>} : (vector<64x64xf32>, !x, index) -> ()
      }
    } {tile.group = 64 : i64}
    return
  }
}
