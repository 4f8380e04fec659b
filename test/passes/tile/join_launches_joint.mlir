// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-join-launches | FileCheck %s

// Kernels of one launch that have variants for other sizes: the launch has one for each choice that some sizes make, in
// the order in which the kernels choose. Up to 100 the first kernel's variant runs, beside the second's, which runs up
// to 125 but for 10 to 20; what is beyond 125 has none, whatever s1 is.

// CHECK-DAG: #[[BOTH:.*]] = affine_set<()[s0, s1] : (-s0 + 100 >= 0, s1 mod 4 == 0)>
// CHECK-DAG: #[[FIRST:.*]] = affine_set<()[s0] : (-s0 + 100 >= 0)>
// CHECK-DAG: #[[SECOND:.*]] = affine_set<()[s0, s1] : (s0 * -8 + 1000 >= 0, s1 mod 4 == 0)>
// CHECK-DAG: #[[BUT:.*]] = affine_set<()[s0] : (s0 - 10 >= 0, -s0 + 20 >= 0)>
// CHECK-LABEL: func.func @main
// CHECK: call @k0_k1_k2(
// CHECK: func.func private @k0_k1_k2(
// CHECK-SAME: strata.variants = [@k0_k1_k2_v1, @k0_k1_k2_v2, @k0_k1_k2_v3]
// CHECK: scf.forall (%{{.*}}) in (8)
// CHECK: scf.forall (%{{.*}}) in (16)
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK: func.func private @k0_k1_k2_v1(
// CHECK-SAME: threads = 64
// CHECK-SAME: strata.unless = [#[[BUT]]], strata.when = #[[BOTH]]}
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: scf.forall (%{{.*}}) in (3)
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK: func.func private @k0_k1_k2_v2(
// CHECK-NOT: strata.unless
// CHECK-SAME: strata.when = #[[FIRST]]}
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: scf.forall (%{{.*}}) in (16)
// CHECK: func.func private @k0_k1_k2_v3(
// CHECK-SAME: strata.unless = [#[[BUT]]], strata.when = #[[SECOND]]}
// CHECK: scf.forall (%{{.*}}) in (8)
// CHECK: scf.forall (%{{.*}}) in (3)
#few = affine_set<()[s0] : (-s0 + 100 >= 0)>
#more = affine_set<()[s0, s1] : (s0 * -8 + 1000 >= 0, s1 mod 4 == 0)>
#but = affine_set<()[s0] : (s0 - 10 >= 0, -s0 + 20 >= 0)>
#one = affine_map<(d0) -> (d0)>
func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %w: memref<8xf32>) attributes {strata.symbols = [
    {name = "n", min = 1 : i64, max = 1000 : i64, multiple = 1 : i64, likely = [64]},
    {name = "m", min = 1 : i64, max = 1000 : i64, multiple = 1 : i64, likely = [64]}]} {
  func.call @k0(%x, %y) {strata.launch = 0 : i64} : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @k1(%x, %z) {strata.launch = 0 : i64} : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @k2(%x, %w) {strata.launch = 0 : i64} : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
func.func private @k0(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {strata.variants = [@k0_v1], strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}} {
  scf.forall (%t) in (8) {
    %a = "tile.load"(%x) {map = #one} : (memref<8xf32>) -> vector<8xf32>
    "tile.store"(%a, %y) {map = #one} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
func.func private @k0_v1(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {strata.when = #few, strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}} {
  scf.forall (%t) in (2) {
    %a = "tile.load"(%x) {map = #one} : (memref<8xf32>) -> vector<8xf32>
    "tile.store"(%a, %y) {map = #one} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
func.func private @k1(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {strata.variants = [@k1_v1], strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}} {
  scf.forall (%t) in (16) {
    %a = "tile.load"(%x) {map = #one} : (memref<8xf32>) -> vector<8xf32>
    "tile.store"(%a, %y) {map = #one} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
func.func private @k1_v1(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {strata.when = #more, strata.unless = [#but], strata.schedule = {group = 64 : i64, kind = "map", threads = 64 : i64}} {
  scf.forall (%t) in (3) {
    %a = "tile.load"(%x) {map = #one} : (memref<8xf32>) -> vector<8xf32>
    "tile.store"(%a, %y) {map = #one} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
func.func private @k2(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}} {
  scf.forall (%t) in (4) {
    %a = "tile.load"(%x) {map = #one} : (memref<8xf32>) -> vector<8xf32>
    "tile.store"(%a, %y) {map = #one} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
