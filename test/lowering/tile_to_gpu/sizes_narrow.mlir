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
// In products pixels of images of any height and width are more than 32 bits say: the task's first one is divided as it is, by a width and
// then by a height, and 32 bits are what is left of it and a thread's own.
// CHECK: func.func @pixels(%{{.*}}: memref<0xi8>, %{{.*}}: memref<0xi8>, %[[H:.*]]: index, %[[W:.*]]: index
// CHECK: %[[FIRST:.*]] = arith.remui %{{.*}}, %[[W]] : index
// CHECK: %[[REST:.*]] = arith.index_castui %[[FIRST]] : index to i32
// CHECK: %[[SUM:.*]] = arith.addi %[[REST]], %{{.*}} : i32
// CHECK: arith.divui %[[SUM]], %{{.*}} : i32
#x = affine_map<()[s0] -> (s0, 100, 512)>
#y = affine_map<()[s0] -> (s0 * 100, 512)>
#b = affine_map<()[s0] -> (s0, 100)>
#c = affine_map<()[s0] -> (100, s0)>
#p = affine_map<()[s0, s1, s2] -> (s0, s1, s2)>
#q = affine_map<()[s0, s1, s2] -> (s0 * s1 * s2)>
!p = memref<?x?x?xi8, {sizes = #p}>
!q = memref<?xi8, {sizes = #q}>
!x = memref<?x100x512xf32, {sizes = #x}>
!y = memref<?x512xf32, {sizes = #y}>
!b = memref<?x100xi8, {sizes = #b}>
!c = memref<100x?xi8, {sizes = #c}>
module {
  func.func @main(%x: !x, %y: !y, %b: !b, %c: !c, %p: !p, %q: !q) attributes {strata.symbols = [
      {name = "n", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64},
      {name = "h", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64},
      {name = "w", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64}]} {
    call @rows(%x, %y) : (!x, !y) -> ()
    call @bytes(%b, %c) : (!b, !c) -> ()
    call @pixels(%p, %q) : (!p, !q) -> ()
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
  func.func private @pixels(%x: !p, %y: !q)
      attributes {strata.schedule = {group = 128 : i64, kind = "contract", threads = 128 : i64, tile = array<i64: 64, 8, 8>, warps = array<i64: 2, 2>}} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    %h = "strata.size"() {symbol = 1 : i64} : () -> index
    %w = "strata.size"() {symbol = 2 : i64} : () -> index
    %tasks = affine.apply affine_map<()[s0, s1, s2] -> ((s0 * s1 * s2) ceildiv 512)>()[%n, %h, %w]
    scf.forall (%t) in (%tasks) {
      %0 = "tile.load"(%x, %t, %n, %h, %w) {
          map = affine_map<(d0)[s0, s1, s2, s3] -> ((s0 * 512 + d0) floordiv (s2 * s3), s2 - 1 - ((s0 * 512 + d0) floordiv s3) mod s2, (s0 * 512 + d0) mod s3)>,
          mask = affine_set<(d0)[s0, s1, s2, s3] : (s1 * s2 * s3 - 1 - (s0 * 512 + d0) >= 0)>} : (!p, index, index, index, index) -> vector<512xi8>
      "tile.store"(%0, %y, %t, %n, %h, %w) {map = affine_map<(d0)[s0, s1, s2, s3] -> (s0 * 512 + d0)>,
          mask = affine_set<(d0)[s0, s1, s2, s3] : (s1 * s2 * s3 - 1 - (s0 * 512 + d0) >= 0)>} : (vector<512xi8>, !q, index, index, index, index) -> ()
    }
    return
  }
}
