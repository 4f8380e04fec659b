// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=sm_90a | FileCheck %s

// How many blocks are a processor's share is known when sizes are: a launch that begins early asks then for what keeps more
// of them away, here up to 14 of 128 threads; of a grid that is a number it is known now.
// What takes long at the likely size begins early, too, where it may be over soon at others.
// CHECK: func.func private @rows(
// CHECK-SAME: strata.apart = array<i64: 14, 0, 132, 233472>
// CHECK-SAME: strata.programmatic
// CHECK-SAME: strata.shared = 116736 : i64
// CHECK: func.func private @known(
// CHECK-NOT: strata.apart
// CHECK-SAME: strata.programmatic
// CHECK-SAME: strata.shared = 58368 : i64
// CHECK: func.func private @long(
// CHECK-SAME: strata.programmatic
// CHECK: func.func private @long_known(
// CHECK-NOT: strata.programmatic
// CHECK: module @kernels
!x = memref<?x768xf16, {sizes = affine_map<()[s0] -> (s0, 768)>}>
!y = memref<1576x768xf16>
module {
  func.func @main(%x: !x, %y: !x, %u: !y, %v: !y) attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 100000 : i64, multiple = 1 : i64, likely = [1576]}]} {
    call @rows(%x, %y) : (!x, !x) -> ()
    call @known(%u, %v) : (!y, !y) -> ()
    call @long(%x, %y) : (!x, !x) -> ()
    call @long_known(%u, %v) : (!y, !y) -> ()
    return
  }
  func.func private @rows(%x: !x, %y: !x)
      attributes {strata.bytes = 4841472 : i64, strata.flops = 1210368 : i64, strata.schedule = {group = 32 : i64, kind = "rows", threads = 128 : i64, tile = array<i64: 768>}} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    scf.forall (%t) in (%n) {
      %0 = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (!x, index) -> vector<768xf16>
      "tile.store"(%0, %y, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (vector<768xf16>, !x, index) -> ()
    }
    return
  }
  func.func private @known(%x: !y, %y: !y)
      attributes {strata.bytes = 4841472 : i64, strata.flops = 1210368 : i64, strata.schedule = {group = 32 : i64, kind = "rows", threads = 128 : i64, tile = array<i64: 768>}} {
    scf.forall (%t) in (1576) {
      %0 = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (!y, index) -> vector<768xf16>
      "tile.store"(%0, %y, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (vector<768xf16>, !y, index) -> ()
    }
    return
  }
  func.func private @long(%x: !x, %y: !x)
      attributes {strata.bytes = 512000000 : i64, strata.flops = 1210368 : i64, strata.schedule = {group = 32 : i64, kind = "rows", threads = 128 : i64, tile = array<i64: 768>}} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    scf.forall (%t) in (%n) {
      %0 = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (!x, index) -> vector<768xf16>
      "tile.store"(%0, %y, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (vector<768xf16>, !x, index) -> ()
    }
    return
  }
  func.func private @long_known(%x: !y, %y: !y)
      attributes {strata.bytes = 512000000 : i64, strata.flops = 1210368 : i64, strata.schedule = {group = 32 : i64, kind = "rows", threads = 128 : i64, tile = array<i64: 768>}} {
    scf.forall (%t) in (1576) {
      %0 = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (!y, index) -> vector<768xf16>
      "tile.store"(%0, %y, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (vector<768xf16>, !y, index) -> ()
    }
    return
  }
}
