// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=emulated_90 | FileCheck %s

// What a variant's condition says of sizes is known: rows whose length is a multiple of 4 are moved by vectors that reach
// over no end, where those of any length are shifted and stored by elements at their ends; a length that is a number is no
// argument, and its tasks are as many.
!x = memref<10x?xf32, {sizes = affine_map<()[s0, s1] -> (10, s1)>}>
// CHECK-DAG: #[[MULTIPLE:.*]] = affine_set<()[s0, s1] : (s1 mod 4 == 0)>
// CHECK-DAG: #[[NUMBER:.*]] = affine_set<()[s0, s1] : (s1 - 512 == 0)>
// CHECK: func.func private @k({{.*}}strata.sizes = #{{.*}}strata.variants = [@k_v1, @k_v2]}
// CHECK: func.func private @k_v1({{.*}}strata.blocks = 20 : i64{{.*}}strata.when = #[[NUMBER]]}
// CHECK: func.func private @k_v2({{.*}}strata.sizes = #{{.*}}strata.when = #[[MULTIPLE]]}
// CHECK: module @kernels
// CHECK: func.func @k(%{{.*}}: memref<0xf32>, %{{.*}}: memref<0xf32>, %{{.*}}: index, %{{.*}}: memref<0xi8, 3>)
// CHECK: memref.store %{{.*}} : memref<0xf32>
// CHECK: func.func @k_v1(%{{.*}}: memref<0xf32>, %{{.*}}: memref<0xf32>, %{{.*}}: memref<0xi8, 3>)
// CHECK-NOT: memref.store
// CHECK: vector.load %{{.*}} : memref<0xf32>, vector<4xf32>
// CHECK-NOT: memref.store
// CHECK: vector.store %{{.*}} : memref<0xf32>, vector<4xf32>
// CHECK-NOT: memref.store
// CHECK: func.func @k_v2(%{{.*}}: memref<0xf32>, %{{.*}}: memref<0xf32>, %{{.*}}: index, %{{.*}}: memref<0xi8, 3>)
// CHECK-NOT: memref.store
// CHECK: vector.load %{{.*}} : memref<0xf32>, vector<4xf32>
// CHECK-NOT: memref.store
// CHECK: vector.store %{{.*}} : memref<0xf32>, vector<4xf32>
// CHECK-NOT: memref.store
module {
  func.func @main(%x: !x, %y: !x) attributes {strata.symbols = [
      {name = "b", min = 1 : i64, max = 2000 : i64, multiple = 1 : i64},
      {name = "s", min = 1 : i64, max = 2000 : i64, multiple = 1 : i64}]} {
    call @k(%x, %y) : (!x, !x) -> ()
    return
  }
  func.func private @k(%x: !x, %y: !x) attributes {strata.variants = [@k_v1, @k_v2],
      strata.schedule = {group = 64 : i64, kind = "map", threads = 64 : i64, tile = array<i64: 256>}} {
    %s = "strata.size"() {symbol = 1 : i64} : () -> index
    %n = affine.apply affine_map<()[s0] -> ((s0 ceildiv 256) * 10)>()[%s]
    scf.forall (%t) in (%n) {
      %i = affine.apply affine_map<(d0)[s0] -> (d0 floordiv (s0 ceildiv 256))>(%t)[%s]
      %j = affine.apply affine_map<(d0)[s0] -> (d0 mod (s0 ceildiv 256))>(%t)[%s]
      %0 = "tile.load"(%x, %i, %j, %s) {map = affine_map<(d0)[s0, s1, s2] -> (s0, s1 * 256 + d0)>,
          mask = affine_set<(d0)[s0, s1, s2] : (s2 - 1 - (s1 * 256 + d0) >= 0)>}
          : (!x, index, index, index) -> vector<256xf32>
      %1 = arith.addf %0, %0 : vector<256xf32>
      "tile.store"(%1, %y, %i, %j, %s) {map = affine_map<(d0)[s0, s1, s2] -> (s0, s1 * 256 + d0)>,
          mask = affine_set<(d0)[s0, s1, s2] : (s2 - 1 - (s1 * 256 + d0) >= 0)>}
          : (vector<256xf32>, !x, index, index, index) -> ()
    }
    return
  }
  func.func private @k_v1(%x: !x, %y: !x) attributes {strata.when = affine_set<()[s0, s1] : (s1 - 512 == 0)>,
      strata.schedule = {group = 64 : i64, kind = "map", threads = 64 : i64, tile = array<i64: 256>}} {
    %s = "strata.size"() {symbol = 1 : i64} : () -> index
    %n = affine.apply affine_map<()[s0] -> ((s0 ceildiv 256) * 10)>()[%s]
    scf.forall (%t) in (%n) {
      %i = affine.apply affine_map<(d0)[s0] -> (d0 floordiv (s0 ceildiv 256))>(%t)[%s]
      %j = affine.apply affine_map<(d0)[s0] -> (d0 mod (s0 ceildiv 256))>(%t)[%s]
      %0 = "tile.load"(%x, %i, %j, %s) {map = affine_map<(d0)[s0, s1, s2] -> (s0, s1 * 256 + d0)>,
          mask = affine_set<(d0)[s0, s1, s2] : (s2 - 1 - (s1 * 256 + d0) >= 0)>}
          : (!x, index, index, index) -> vector<256xf32>
      %1 = arith.addf %0, %0 : vector<256xf32>
      "tile.store"(%1, %y, %i, %j, %s) {map = affine_map<(d0)[s0, s1, s2] -> (s0, s1 * 256 + d0)>,
          mask = affine_set<(d0)[s0, s1, s2] : (s2 - 1 - (s1 * 256 + d0) >= 0)>}
          : (vector<256xf32>, !x, index, index, index) -> ()
    }
    return
  }
  func.func private @k_v2(%x: !x, %y: !x) attributes {strata.when = affine_set<()[s0, s1] : (s1 mod 4 == 0)>,
      strata.schedule = {group = 64 : i64, kind = "map", threads = 64 : i64, tile = array<i64: 256>}} {
    %s = "strata.size"() {symbol = 1 : i64} : () -> index
    %n = affine.apply affine_map<()[s0] -> ((s0 ceildiv 256) * 10)>()[%s]
    scf.forall (%t) in (%n) {
      %i = affine.apply affine_map<(d0)[s0] -> (d0 floordiv (s0 ceildiv 256))>(%t)[%s]
      %j = affine.apply affine_map<(d0)[s0] -> (d0 mod (s0 ceildiv 256))>(%t)[%s]
      %0 = "tile.load"(%x, %i, %j, %s) {map = affine_map<(d0)[s0, s1, s2] -> (s0, s1 * 256 + d0)>,
          mask = affine_set<(d0)[s0, s1, s2] : (s2 - 1 - (s1 * 256 + d0) >= 0)>}
          : (!x, index, index, index) -> vector<256xf32>
      %1 = arith.addf %0, %0 : vector<256xf32>
      "tile.store"(%1, %y, %i, %j, %s) {map = affine_map<(d0)[s0, s1, s2] -> (s0, s1 * 256 + d0)>,
          mask = affine_set<(d0)[s0, s1, s2] : (s2 - 1 - (s1 * 256 + d0) >= 0)>}
          : (vector<256xf32>, !x, index, index, index) -> ()
    }
    return
  }
}
