// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-join-launches | FileCheck %s

// Kernels of one launch have variants for the same sizes: the launch has one for each of them, of all the kernels'.
// Variants of kernels that nobody calls any more go with them; those of others stay.

// CHECK-LABEL: func.func @main
// CHECK: call @k0_k1(%arg0, %arg1, %arg2)
// CHECK-NEXT: call @k2(%arg2)
// CHECK-NEXT: return
// CHECK: func.func private @k0_k1(
// CHECK-SAME: strata.variants = [@k0_k1_v1]
// CHECK: scf.forall (%{{.*}}) in (8)
// CHECK: scf.forall (%{{.*}}) in (8)
// CHECK: func.func private @k0_k1_v1(
// CHECK-SAME: strata.unless = [#[[BUT:.*]]]
// CHECK-SAME: strata.when = #[[WHEN:.*]]}
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: "tile.store"(%{{.*}}, %arg1)
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: "tile.store"(%{{.*}}, %arg2)
// CHECK-NOT: @k0(
// CHECK-NOT: @k1_v1(
// CHECK: func.func private @k2({{.*}}strata.variants = [@k2_v1]
// CHECK: func.func private @k2_v1(
#some = affine_set<()[s0] : (-s0 + 100 >= 0)>
#but = affine_set<()[s0] : (s0 - 10 >= 0, -s0 + 20 >= 0)>
#one = affine_map<(d0) -> (d0)>
func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {strata.symbols = [
    {name = "n", min = 1 : i64, max = 1000 : i64, multiple = 1 : i64, likely = [64]}]} {
  func.call @k0(%x, %y) {strata.launch = 0 : i64} : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @k1(%x, %z) {strata.launch = 0 : i64} : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @k2(%z) : (memref<8xf32>) -> ()
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
    attributes {strata.when = #some, strata.unless = [#but], strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}} {
  scf.forall (%t) in (2) {
    %a = "tile.load"(%x) {map = #one} : (memref<8xf32>) -> vector<8xf32>
    "tile.store"(%a, %y) {map = #one} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
func.func private @k1(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {strata.variants = [@k1_v1], strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}} {
  scf.forall (%t) in (8) {
    %a = "tile.load"(%x) {map = #one} : (memref<8xf32>) -> vector<8xf32>
    "tile.store"(%a, %y) {map = #one} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
func.func private @k1_v1(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {strata.when = #some, strata.unless = [#but], strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}} {
  scf.forall (%t) in (2) {
    %a = "tile.load"(%x) {map = #one} : (memref<8xf32>) -> vector<8xf32>
    "tile.store"(%a, %y) {map = #one} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
func.func private @k2(%x: memref<8xf32>)
    attributes {strata.variants = [@k2_v1], strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}} {
  scf.forall (%t) in (4) {
    %a = "tile.load"(%x) {map = #one} : (memref<8xf32>) -> vector<8xf32>
    "tile.store"(%a, %x) {map = #one} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
func.func private @k2_v1(%x: memref<8xf32>)
    attributes {strata.when = #some, strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}} {
  scf.forall (%t) in (4) {
    %a = "tile.load"(%x) {map = #one} : (memref<8xf32>) -> vector<8xf32>
    "tile.store"(%a, %x) {map = #one} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
