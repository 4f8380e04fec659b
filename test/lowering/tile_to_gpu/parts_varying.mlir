// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=sm_90a | FileCheck %s

// Task spaces of one launch whose sizes vary: the grid is the sum of their blocks, four tasks each, and a block finds its
// part, and its number in it, by those of the parts in front.
// CHECK: #[[GRID:.*]] = affine_map<()[s0, s1] -> ((s0 + 3) floordiv 4 + (s1 + 3) floordiv 4)>
// CHECK: func.func private @rows(
// CHECK-SAME: strata.blocks = #[[GRID]]
// CHECK: func.func @rows(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index
// CHECK: %[[BLOCK:.*]] = gpu.block_id  x upper_bound 50000
// CHECK: %[[PLUS:.*]] = arith.addi %[[N]], %c3
// CHECK: %[[FIRST:.*]] = arith.divui %[[PLUS]], %c4
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi ult, %[[BLOCK]], %[[FIRST]]
// CHECK: scf.if %[[IS_FIRST]]
// CHECK: arith.cmpi ult, %{{.*}}, %[[N]]
// CHECK: } else {
// CHECK: arith.subi %[[BLOCK]],
// CHECK: arith.cmpi ult, %{{.*}}, %[[M]]
#n = affine_map<()[s0, s1] -> (s0, 768)>
#m = affine_map<()[s0, s1] -> (s1, 768)>
!x = memref<?x768xf16, {sizes = #n}>
!y = memref<?x768xf16, {sizes = #m}>
module {
  func.func @main(%x: !x, %u: !x, %y: !y, %v: !y) attributes {strata.symbols = [
      {name = "n", min = 1 : i64, max = 100000 : i64, multiple = 1 : i64, likely = [64]},
      {name = "m", min = 1 : i64, max = 100000 : i64, multiple = 1 : i64, likely = [64]}]} {
    call @rows(%x, %u, %y, %v) : (!x, !x, !y, !y) -> ()
    return
  }
  func.func private @rows(%x: !x, %u: !x, %y: !y, %v: !y)
      attributes {strata.schedule = {group = 32 : i64, kind = "rows", threads = 128 : i64, tile = array<i64: 768>}} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    %m = "strata.size"() {symbol = 1 : i64} : () -> index
    scf.forall (%t) in (%n) {
      %0 = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (!x, index) -> vector<768xf16>
      "tile.store"(%0, %u, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (vector<768xf16>, !x, index) -> ()
    }
    scf.forall (%t) in (%m) {
      %0 = "tile.load"(%y, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (!y, index) -> vector<768xf16>
      "tile.store"(%0, %v, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (vector<768xf16>, !y, index) -> ()
    }
    return
  }
}
