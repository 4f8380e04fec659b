// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=sm_90a | FileCheck %s

// One block carries out a chain: the ten tasks of the first part by four groups in three rounds, the last of which has
// groups that only repeat; behind a barrier a thread each of the second.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: strata.blocks = 1 : i64
// CHECK-SAME: strata.threads = 128 : i64
// CHECK: scf.for %[[ROUND:.*]] = %c0{{.*}} to %c3{{.*}} step %c1
// CHECK: arith.muli %[[ROUND]], %c4
// CHECK: %[[ACTIVE:.*]] = arith.cmpi ult, %{{.*}}, %c10
// CHECK: scf.if %[[ACTIVE]]
// CHECK: vector.store
// CHECK: gpu.barrier
// CHECK-NEXT: arith.constant
// CHECK-NOT: scf.for
// CHECK: %[[FEW:.*]] = arith.cmpi ult, %{{.*}}, %c5
// CHECK: scf.if %[[FEW]]
// CHECK: memref.load %arg1
// CHECK: memref.store %{{.*}}, %arg2
func.func private @chain(%x: memref<10x64xf32>, %y: memref<10x64xf32>, %z: memref<5xf32>)
    attributes {strata.bytes = 5120 : i64, strata.flops = 0 : i64, tile.chain, strata.schedule = {kind = "map", threads = 128, group = 32, tile = array<i64: 64>}} {
  scf.forall (%t) in (10) {
    %a = "tile.load"(%x, %t) {map = affine_map<(i)[t] -> (t, i)>} : (memref<10x64xf32>, index) -> vector<64xf32>
    "tile.store"(%a, %y, %t) {map = affine_map<(i)[t] -> (t, i)>} : (vector<64xf32>, memref<10x64xf32>, index) -> ()
  }
  scf.forall (%t) in (5) {
    %v = memref.load %y[%t, %t] : memref<10x64xf32>
    memref.store %v, %z[%t] : memref<5xf32>
  } {tile.group = 1 : i64}
  return
}
