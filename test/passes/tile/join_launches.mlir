// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-join-launches | FileCheck %s

// Calls of one launch become one call: the task spaces one after the other, a buffer of several calls one argument. Two
// launches that share alike are one function; another sharing is one of its own.

// CHECK-LABEL: func.func @main
// CHECK: call @[[TWO:k0_k0[_0-9]*]](%arg0, %arg1, %arg3, %arg2, %arg4)
// CHECK-NEXT: call @[[TWO]](%arg3, %arg1, %arg5, %arg2, %arg6)
// CHECK-NEXT: call @[[OTHER:k0_k0[_0-9]*]](%arg5, %arg1, %arg3, %arg6, %arg4)
// CHECK-NEXT: call @k1(%arg5)
// CHECK-NEXT: call @k2_k3(%arg5, %arg6)
// CHECK-NEXT: return
// CHECK-NOT: func.func private @k0(
// CHECK: func.func private @[[TWO]](%[[X:.*]]: memref<8xf32>, %[[V:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>, %[[W:.*]]: memref<8xf32>, %[[Z:.*]]: memref<8xf32>)
// CHECK-SAME: strata.bytes = 192 : i64, strata.flops = 16 : i64
// CHECK-SAME: strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK: "tile.load"(%[[X]])
// CHECK: "tile.load"(%[[V]])
// CHECK: "tile.store"(%{{.*}}, %[[Y]])
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK: "tile.load"(%[[X]])
// CHECK: "tile.load"(%[[W]])
// CHECK: "tile.store"(%{{.*}}, %[[Z]])
// CHECK: func.func private @k1

// Kernels that are no products may have blocks of other sizes: the largest are taken, and groups that are not the
// first one's noted. What is no task comes first.
// CHECK: func.func private @k2_k3(
// CHECK-SAME: strata.schedule = {group = 32 : i64, kind = "rows", threads = 128 : i64}
// CHECK: arith.constant
// CHECK-NEXT: arith.constant
// CHECK-NEXT: scf.forall (%{{.*}}) in (8)
// CHECK-NOT: tile.group
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: } {tile.group = 128 : i64}
// CHECK-NEXT: return
func.func @main(%x: memref<8xf32>, %v: memref<8xf32>, %w: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>,
                %p: memref<8xf32>, %q: memref<8xf32>) {
  func.call @k0(%x, %v, %y) {strata.launch = 0 : i64} : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  func.call @k0(%x, %w, %z) {strata.launch = 0 : i64} : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  func.call @k0(%y, %v, %p) {strata.launch = 1 : i64} : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  func.call @k0(%y, %w, %q) {strata.launch = 1 : i64} : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  func.call @k0(%p, %v, %y) {strata.launch = 2 : i64} : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  func.call @k0(%q, %v, %z) {strata.launch = 2 : i64} : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  func.call @k1(%p) {strata.launch = 3 : i64} : (memref<8xf32>) -> ()
  func.call @k2(%p) {strata.launch = 4 : i64} : (memref<8xf32>) -> ()
  func.call @k3(%q) {strata.launch = 4 : i64} : (memref<8xf32>) -> ()
  return
}
func.func private @k0(%x: memref<8xf32>, %w: memref<8xf32>, %y: memref<8xf32>)
    attributes {strata.bytes = 96 : i64, strata.flops = 8 : i64,
                strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}} {
  scf.forall (%t) in (4) {
    %a = "tile.load"(%x) {map = affine_map<(d0) -> (d0)>} : (memref<8xf32>) -> vector<8xf32>
    %b = "tile.load"(%w) {map = affine_map<(d0) -> (d0)>} : (memref<8xf32>) -> vector<8xf32>
    %c = arith.addf %a, %b : vector<8xf32>
    "tile.store"(%c, %y) {map = affine_map<(d0) -> (d0)>} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
func.func private @k1(%x: memref<8xf32>)
    attributes {strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(d0) -> (d0)>} : (memref<8xf32>) -> vector<8xf32>
    "tile.store"(%a, %x) {map = affine_map<(d0) -> (d0)>} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
func.func private @k2(%x: memref<8xf32>)
    attributes {strata.schedule = {group = 32 : i64, kind = "rows", threads = 64 : i64}} {
  %zero = arith.constant 0.0 : f32
  scf.forall (%t) in (8) {
    "tile.store"(%zero, %x, %t) {map = affine_map<()[t] -> (t)>} : (f32, memref<8xf32>, index) -> ()
  }
  return
}
func.func private @k3(%x: memref<8xf32>)
    attributes {strata.schedule = {group = 128 : i64, kind = "rows", threads = 128 : i64}} {
  %one = arith.constant 1.0 : f32
  scf.forall (%t) in (2) {
    "tile.store"(%one, %x, %t) {map = affine_map<()[t] -> (t)>} : (f32, memref<8xf32>, index) -> ()
  }
  return
}
