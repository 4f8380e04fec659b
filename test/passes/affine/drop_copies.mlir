// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=affine-drop-copies | FileCheck %s
// RUN: strata-opt %s --split-input-file --pipeline=affine-drop-copies | FileCheck %s --check-prefix=CPU

// A part of a buffer is read where it is, though another part is written later.
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = memref.alloc() : memref<8x24xf16>
// CHECK-NOT: memref.alloc
// CHECK-NOT: "copy"
// CHECK: strata.nest = "second"
// CHECK-NEXT: affine.parallel (%[[I:.*]], %[[J:.*]]) = (0, 0) to (8, 16)
// CHECK-NEXT: affine.load %[[C]][%[[I]], %[[J]] + 8]
// CHECK: strata.nest = "neg"
// CPU: "copy"
func.func @main(%x: memref<8x24xf16> {strata.name = "x"}, %y: memref<8x24xf16> {strata.name = "y", strata.output}) {
  %c = memref.alloc() : memref<8x24xf16>
  %t = memref.alloc() : memref<8x16xf16>
  affine.parallel (%i, %j) = (0, 0) to (8, 16) {
    %e = affine.load %x[%i, %j] : memref<8x24xf16>
    affine.store %e, %c[%i, %j + 8] : memref<8x24xf16>
  } {strata.nest = "first"}
  affine.parallel (%i, %j) = (0, 0) to (8, 16) {
    %e = affine.load %c[%i, %j + 8] : memref<8x24xf16>
    affine.store %e, %t[%i, %j] : memref<8x16xf16>
  } {strata.nest = "copy"}
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %e = affine.load %x[%i, %j + 16] : memref<8x24xf16>
    affine.store %e, %c[%i, %j] : memref<8x24xf16>
  } {strata.nest = "second"}
  affine.parallel (%i, %j) = (0, 0) to (8, 16) {
    %e = affine.load %t[%i, %j] : memref<8x16xf16>
    %n = arith.negf %e : f16
    affine.store %n, %y[%i, %j] : memref<8x24xf16>
  } {strata.nest = "neg"}
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %e = affine.load %c[%i, %j] : memref<8x24xf16>
    affine.store %e, %y[%i, %j + 16] : memref<8x24xf16>
  } {strata.nest = "last"}
  return
}

// -----

// What is written over afterwards is kept by its copy, and what is turned stays turned.
// CHECK-LABEL: func.func @main
// CHECK: strata.nest = "kept"
// CHECK: strata.nest = "turned"
func.func @main(%x: memref<8x8xf16> {strata.name = "x"}, %y: memref<8x8xf16> {strata.name = "y", strata.output}) {
  %c = memref.alloc() : memref<8x8xf16>
  %t = memref.alloc() : memref<8x8xf16>
  %u = memref.alloc() : memref<8x8xf16>
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %e = affine.load %x[%i, %j] : memref<8x8xf16>
    affine.store %e, %c[%i, %j] : memref<8x8xf16>
  } {strata.nest = "first"}
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %e = affine.load %c[%i, %j] : memref<8x8xf16>
    affine.store %e, %t[%i, %j] : memref<8x8xf16>
  } {strata.nest = "kept"}
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %e = affine.load %t[%i, %j] : memref<8x8xf16>
    %n = arith.negf %e : f16
    affine.store %n, %c[%i, %j] : memref<8x8xf16>
  } {strata.nest = "over"}
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %e = affine.load %c[%j, %i] : memref<8x8xf16>
    affine.store %e, %u[%i, %j] : memref<8x8xf16>
  } {strata.nest = "turned"}
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %e = affine.load %u[%i, %j] : memref<8x8xf16>
    %f = affine.load %t[%i, %j] : memref<8x8xf16>
    %s = arith.addf %e, %f : f16
    affine.store %s, %y[%i, %j] : memref<8x8xf16>
  } {strata.nest = "add"}
  return
}
