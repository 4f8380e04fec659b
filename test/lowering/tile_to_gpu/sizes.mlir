// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=emulated_90 | FileCheck %s

// Sizes that vary: symbols are arguments behind the buffers, the number of blocks is a map over the module's symbols, a
// buffer of such sizes is a pointer. The last row of tiles ends where the size says, which the mask does too; rows that
// begin at multiples of 4 are moved by vectors, where the tile's other end is known to be inside without a branch.
!x = memref<10x?xf32, {sizes = affine_map<()[s0, s1] -> (10, s1 * 4)>}>
// CHECK-DAG: #[[BLOCKS:.*]] = affine_map<()[s0, s1] -> (((s1 + 63) floordiv 64) * 10)>
// CHECK-DAG: #[[SIZES:.*]] = affine_map<()[s0, s1] -> (s1)>
// CHECK: func.func private @map({{.*}}) attributes {strata.blocks = #[[BLOCKS]], {{.*}}strata.sizes = #[[SIZES]], strata.threads = 64 : i64}
// CHECK: func.func private @rows({{.*}}) attributes {strata.blocks = #[[ROWS:.*]], strata.cluster
// CHECK: module @kernels
// CHECK: func.func @map(%[[X:.*]]: memref<0xf32>, %[[Y:.*]]: memref<0xf32>, %[[S:.*]]: index, %{{.*}}: memref<0xi8, 3>)
// CHECK: %[[BLOCK:.*]] = gpu.block_id
// CHECK: arith.ceildivui %[[S]]
// CHECK: scf.if
// CHECK: vector.load %{{.*}} : memref<0xf32>, vector<4xf32>
// CHECK: vector.store %{{.*}} : memref<0xf32>, vector<4xf32>
// Groups of threads beyond the last row repeat it.
// CHECK: func.func @rows(%{{.*}}: memref<0xf32>, %{{.*}}: memref<0xf32>, %[[B:.*]]: index, %{{.*}}: memref<0xi8, 3>)
// CHECK: %[[ACTIVE:.*]] = arith.cmpi ult, %{{.*}}, %[[B]] : index
// CHECK: %[[LAST:.*]] = arith.addi %[[B]], %c-1
// CHECK: arith.minui %{{.*}}, %[[LAST]] : index
// A vector that may reach over the end is stored as a whole where it does not, else by elements.
// CHECK: func.func @flat(%{{.*}}: memref<0xf16>, %{{.*}}: memref<0xf16>, %[[N:.*]]: index
// CHECK: vector.store %{{.*}} : memref<0xf16>, vector<8xf16>
// CHECK-NEXT: } else {
// CHECK-COUNT-8: memref.store %{{.*}} : memref<0xf16>
// CHECK-NOT: memref.store %{{.*}} : memref<0xf16>
!f = memref<?xf16, {sizes = affine_map<()[s0, s1] -> (s1)>}>
!r = memref<?x32xf32, {sizes = affine_map<()[s0] -> (s0, 32)>}>
!v = memref<?xf32, {sizes = affine_map<()[s0] -> (s0)>}>
module {
  func.func @main(%x: !x, %y: !x, %r: !r, %v: !v, %f: !f, %g: !f) attributes {strata.symbols = [
      {name = "b", min = 1 : i64, max = 2000 : i64, multiple = 1 : i64},
      {name = "s", min = 1 : i64, max = 2000 : i64, multiple = 1 : i64}]} {
    call @map(%x, %y) : (!x, !x) -> ()
    call @rows(%r, %v) : (!r, !v) -> ()
    call @flat(%f, %g) : (!f, !f) -> ()
    return
  }
  func.func private @map(%x: !x, %y: !x)
      attributes {strata.schedule = {group = 64 : i64, kind = "map", threads = 64 : i64, tile = array<i64: 256>}} {
    %s = "strata.size"() {symbol = 1 : i64} : () -> index
    %n = affine.apply affine_map<()[s0] -> ((s0 ceildiv 64) * 10)>()[%s]
    scf.forall (%t) in (%n) {
      %i = affine.apply affine_map<(d0)[s0] -> (d0 floordiv (s0 ceildiv 64))>(%t)[%s]
      %j = affine.apply affine_map<(d0)[s0] -> (d0 mod (s0 ceildiv 64))>(%t)[%s]
      %0 = "tile.load"(%x, %i, %j, %s) {map = affine_map<(d0)[s0, s1, s2] -> (s0, s1 * 256 + d0)>,
          mask = affine_set<(d0)[s0, s1, s2] : (s2 * 4 - 1 - (s1 * 256 + d0) >= 0)>}
          : (!x, index, index, index) -> vector<256xf32>
      %1 = arith.addf %0, %0 : vector<256xf32>
      "tile.store"(%1, %y, %i, %j, %s) {map = affine_map<(d0)[s0, s1, s2] -> (s0, s1 * 256 + d0)>,
          mask = affine_set<(d0)[s0, s1, s2] : (s2 * 4 - 1 - (s1 * 256 + d0) >= 0)>}
          : (vector<256xf32>, !x, index, index, index) -> ()
    }
    return
  }
  func.func private @rows(%x: !r, %y: !v)
      attributes {strata.schedule = {group = 32 : i64, kind = "rows", threads = 64 : i64, tile = array<i64: 32>}} {
    %b = "strata.size"() {symbol = 0 : i64} : () -> index
    scf.forall (%t) in (%b) {
      %0 = "tile.load"(%x, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (!r, index) -> vector<32xf32>
      %zero = arith.constant 0.0 : f32
      %1 = vector.multi_reduction <add>, %0, %zero [0] : vector<32xf32> to f32
      memref.store %1, %y[%t] : !v
    }
    return
  }
  func.func private @flat(%x: !f, %y: !f)
      attributes {strata.schedule = {group = 64 : i64, kind = "map", threads = 64 : i64, tile = array<i64: 512>}} {
    %s = "strata.size"() {symbol = 1 : i64} : () -> index
    %n = affine.apply affine_map<()[s0] -> (s0 ceildiv 512)>()[%s]
    scf.forall (%t) in (%n) {
      %0 = "tile.load"(%x, %t, %s) {map = affine_map<(d0)[s0, s1] -> (s0 * 512 + d0)>,
          mask = affine_set<(d0)[s0, s1] : (s1 - 1 - (s0 * 512 + d0) >= 0)>} : (!f, index, index) -> vector<512xf16>
      "tile.store"(%0, %y, %t, %s) {map = affine_map<(d0)[s0, s1] -> (s0 * 512 + d0)>,
          mask = affine_set<(d0)[s0, s1] : (s1 - 1 - (s0 * 512 + d0) >= 0)>} : (vector<512xf16>, !f, index, index) -> ()
    }
    return
  }
}
