// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-join-launches | FileCheck %s

// A chain's function says that it is one, and has the threads of its calls; the same calls in a launch of tasks side by
// side are another function.

// CHECK-LABEL: func.func @main
// CHECK: call @[[CHAIN:k0_k0[_0-9]*]](%arg0, %arg1)
// CHECK-NEXT: call @[[BESIDE:k0_k0[_0-9]*]](%arg1, %arg2)
// CHECK-DAG: func.func private @[[CHAIN]]({{.*}}strata.schedule = {group = 32 : i64, kind = "map", threads = 128 : i64}, tile.chain}
// CHECK-DAG: func.func private @[[BESIDE]]({{.*}}strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}}
func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  func.call @k0(%x, %y) {strata.chain = 128 : i64, strata.launch = 0 : i64} : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @k0(%x, %y) {strata.chain = 128 : i64, strata.launch = 0 : i64} : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @k0(%y, %z) {strata.launch = 1 : i64} : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @k0(%y, %z) {strata.launch = 1 : i64} : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
func.func private @k0(%x: memref<8xf32>, %y: memref<8xf32>) attributes {strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64}} {
  scf.forall (%t) in (4) {
    %a = "tile.load"(%x) {map = affine_map<(d0) -> (d0)>} : (memref<8xf32>) -> vector<8xf32>
    "tile.store"(%a, %y) {map = affine_map<(d0) -> (d0)>} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
