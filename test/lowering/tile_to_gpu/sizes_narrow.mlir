// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=emulated_90 | FileCheck %s

// Positions in a buffer of which no more is known than its rows need 64 bits. Rows do not: no device has memory for as
// many, and they are divided as 32-bit numbers. Rows of one byte, of which there can be more, are not.
// CHECK: func.func @rows(
// CHECK-SAME: strata.index_bits = 64 : i64
// CHECK: %[[ROW:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK: arith.divui %{{.*}}, %{{.*}} : i32
// CHECK: arith.remui %{{.*}}, %{{.*}} : i32
// CHECK: func.func @bytes(
// CHECK-SAME: strata.index_bits = 64 : i64
// CHECK-NOT: arith.remui %{{.*}} : i32
// CHECK: arith.remui %{{.*}} : index
#x = affine_map<()[s0] -> (s0, 100, 512)>
#y = affine_map<()[s0] -> (s0 * 100, 512)>
#b = affine_map<()[s0] -> (s0, 100)>
#c = affine_map<()[s0] -> (100, s0)>
!x = memref<?x100x512xf32, {sizes = #x}>
!y = memref<?x512xf32, {sizes = #y}>
!b = memref<?x100xi8, {sizes = #b}>
!c = memref<100x?xi8, {sizes = #c}>
module {
  func.func @main(%x: !x, %y: !y, %b: !b, %c: !c) attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64}]} {
    call @rows(%x, %y) : (!x, !y) -> ()
    call @bytes(%b, %c) : (!b, !c) -> ()
    return
  }
  func.func private @rows(%x: !x, %y: !y)
      attributes {strata.schedule = {group = 128 : i64, kind = "map", threads = 128 : i64, tile = array<i64: 512>}} {
    %s = "strata.size"() {symbol = 0 : i64} : () -> index
    %n = affine.apply affine_map<()[s0] -> (s0 * 100)>()[%s]
    scf.forall (%t) in (%n) {
      %0 = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0 floordiv 100, 99 - s0 mod 100, d0)>} : (!x, index) -> vector<512xf32>
      "tile.store"(%0, %y, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (vector<512xf32>, !y, index) -> ()
    }
    return
  }
  func.func private @bytes(%x: !b, %y: !c)
      attributes {strata.schedule = {group = 128 : i64, kind = "map", threads = 128 : i64, tile = array<i64: 1>}} {
    %s = "strata.size"() {symbol = 0 : i64} : () -> index
    %n = affine.apply affine_map<()[s0] -> (s0 * 100)>()[%s]
    scf.forall (%t) in (%n) {
      %0 = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0 floordiv 100, s0 mod 100 + d0)>} : (!b, index) -> vector<1xi8>
      "tile.store"(%0, %y, %t) {map = affine_map<(d0)[s0] -> (s0 mod 100 + d0, s0 floordiv 100)>} : (vector<1xi8>, !c, index) -> ()
    }
    return
  }
}
