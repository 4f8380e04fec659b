// RUN: strata-opt %s --pipeline=affine-to-tile | FileCheck %s

// What has no vector form becomes scalar loops, cut into tasks where it is one nest.
// CHECK-LABEL: func.func private @gather
// CHECK: scf.forall
// CHECK: %[[K:.*]] = memref.load %{{.*}} : memref<4xi64>
// CHECK: %[[I:.*]] = arith.index_cast %[[K]] : i64 to index
// CHECK: memref.load %{{.*}}[%[[I]]] : memref<9xf32>
// CHECK: memref.store
// CHECK-NOT: affine.load
func.func private @gather(%x: memref<9xf32>, %k: memref<4xi64>, %y: memref<4xf32>)
    attributes {strata.schedule = {kind = "scalar"}} {
  affine.parallel (%i) = (0) to (4) {
    %u = affine.load %k[%i] : memref<4xi64>
    %c = arith.index_cast %u : i64 to index
    %v = memref.load %x[%c] : memref<9xf32>
    affine.store %v, %y[%i] : memref<4xf32>
  } {strata.nest = "gather"}
  return
}
