// RUN: strata-opt %s --device=sapphirerapids --pipeline=affine-widen-late | FileCheck %s
// RUN: strata-opt %s --device=x86-64-v3 --pipeline=affine-widen-late | FileCheck %s --check-prefix=NONE

// What widens bytes is computed by the nest that reads it, and has no memory any more.
// CHECK-LABEL: func.func @main
// CHECK: %[[Q:.*]] = memref.alloc() : memref<8x4xi8>
// CHECK-NOT: memref.alloc
// CHECK: affine.store %{{.*}}, %[[Q]]
// CHECK: %[[X:.*]] = affine.load %[[Q]][%[[I:.*]], %[[J:.*]]] : memref<8x4xi8>
// CHECK: %[[F:.*]] = arith.sitofp %[[X]] : i8 to f32
// CHECK: arith.addf %[[F]], %[[F]] : f32
// NONE: memref.alloc() : memref<8x4xf32>
func.func @main(%x: memref<8x4xi8> {strata.name = "x"}, %y: memref<8x4xf32> {strata.name = "y", strata.output}) {
  %q = memref.alloc() : memref<8x4xi8>
  %t = memref.alloc() : memref<8x4xf32>
  affine.parallel (%i, %j) = (0, 0) to (8, 4) {
    %0 = affine.load %x[%i, %j] : memref<8x4xi8>
    %1 = arith.addi %0, %0 : i8
    affine.store %1, %q[%i, %j] : memref<8x4xi8>
  } {strata.nest = "add"}
  affine.parallel (%i, %j) = (0, 0) to (8, 4) {
    %0 = affine.load %q[%i, %j] : memref<8x4xi8>
    %1 = arith.sitofp %0 : i8 to f32
    affine.store %1, %t[%i, %j] : memref<8x4xf32>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (8, 4) {
    %0 = affine.load %t[%i, %j] : memref<8x4xf32>
    %1 = arith.addf %0, %0 : f32
    affine.store %1, %y[%i, %j] : memref<8x4xf32>
  } {strata.nest = "add"}
  return
}
