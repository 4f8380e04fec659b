// RUN: strata-opt %s --split-input-file --pipeline=affine-spread-stores | FileCheck %s
// RUN: strata-opt %s --split-input-file --polyblocks-disable-affine-fusion --pipeline=affine-spread-stores | FileCheck %s --check-prefix=APART

// What is a part of two buffers is stored into a buffer of its own, and from there into each.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = memref.alloc() : memref<8x16xf32>
// CHECK: math.tanh
// CHECK-NEXT: affine.store %{{.*}}, %[[T]][%{{.*}}, %{{.*}}]
// CHECK: strata.nest = "tanh"
// CHECK: affine.load %[[T]]
// CHECK-NEXT: affine.store %{{.*}}, %arg1[%{{.*}}, %{{.*}} + 8]
// CHECK: strata.nest = "first"
// CHECK: affine.load %[[T]]
// CHECK-NEXT: affine.store %{{.*}}, %arg2[%{{.*}}, %{{.*}}]
// APART-LABEL: func.func @main
// APART: affine.load %arg1
func.func @main(%x: memref<8x24xf32> {strata.name = "x"}, %y: memref<8x24xf32> {strata.name = "y", strata.output}, %z: memref<8x24xf32> {strata.name = "z", strata.output}) {
  affine.parallel (%i, %j) = (0, 0) to (8, 16) {
    %e = affine.load %x[%i, %j] : memref<8x24xf32>
    %t = math.tanh %e : f32
    affine.store %t, %y[%i, %j + 8] : memref<8x24xf32>
  } {strata.nest = "tanh"}
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %e = affine.load %x[%i, %j] : memref<8x24xf32>
    affine.store %e, %y[%i, %j] : memref<8x24xf32>
  } {strata.nest = "first"}
  affine.parallel (%i, %j) = (0, 0) to (8, 16) {
    %e = affine.load %y[%i, %j + 8] : memref<8x24xf32>
    affine.store %e, %z[%i, %j] : memref<8x24xf32>
  } {strata.nest = "copy"}
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %e = affine.load %x[%i, %j + 16] : memref<8x24xf32>
    affine.store %e, %z[%i, %j + 16] : memref<8x24xf32>
  } {strata.nest = "last"}
  return
}

// -----

// Of what two nests store, or of less than one stores, a copy is made.
// CHECK-LABEL: func.func @main
// CHECK-NOT: memref.alloc
// CHECK: affine.load %arg1
// CHECK: affine.load %arg1
func.func @main(%x: memref<8x24xf32> {strata.name = "x"}, %y: memref<8x24xf32> {strata.name = "y", strata.output}, %z: memref<8x24xf32> {strata.name = "z", strata.output}) {
  affine.parallel (%i, %j) = (0, 0) to (8, 16) {
    %e = affine.load %x[%i, %j] : memref<8x24xf32>
    %t = math.tanh %e : f32
    affine.store %t, %y[%i, %j + 8] : memref<8x24xf32>
  } {strata.nest = "tanh"}
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %e = affine.load %x[%i, %j] : memref<8x24xf32>
    affine.store %e, %y[%i, %j] : memref<8x24xf32>
  } {strata.nest = "first"}
  affine.parallel (%i, %j) = (0, 0) to (8, 16) {
    %e = affine.load %y[%i, %j] : memref<8x24xf32>
    affine.store %e, %z[%i, %j] : memref<8x24xf32>
  } {strata.nest = "both"}
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %e = affine.load %y[%i, %j + 8] : memref<8x24xf32>
    affine.store %e, %z[%i, %j + 16] : memref<8x24xf32>
  } {strata.nest = "less"}
  return
}

// -----

// So is what lies twice in one buffer.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = memref.alloc() : memref<8x16xf32>
// CHECK: affine.store %{{.*}}, %[[T]][%{{.*}}, %{{.*}}]
// CHECK: strata.nest = "tanh"
// CHECK: affine.load %[[T]]
// CHECK-NEXT: affine.store %{{.*}}, %arg1[%{{.*}}, %{{.*}}]
// CHECK: affine.load %[[T]]
// CHECK-NEXT: affine.store %{{.*}}, %arg1[%{{.*}}, %{{.*}} + 16]
func.func @main(%x: memref<8x16xf32> {strata.name = "x"}, %y: memref<8x32xf32> {strata.name = "y", strata.output}) {
  affine.parallel (%i, %j) = (0, 0) to (8, 16) {
    %e = affine.load %x[%i, %j] : memref<8x16xf32>
    %t = math.tanh %e : f32
    affine.store %t, %y[%i, %j] : memref<8x32xf32>
  } {strata.nest = "tanh"}
  affine.parallel (%i, %j) = (0, 0) to (8, 16) {
    %e = affine.load %y[%i, %j] : memref<8x32xf32>
    affine.store %e, %y[%i, %j + 16] : memref<8x32xf32>
  } {strata.nest = "copy"}
  return
}

// -----

// A part of two joints, twice of one of them, and a slice that has elements of both: what stores one of them does not
// store the slice, even while the other is about to be stored elsewhere.
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = memref.alloc() : memref<14xf32>
// CHECK: affine.load %[[C]][%{{.*}} + 1] : memref<14xf32>
// CHECK-NEXT: affine.store %{{.*}}, %arg1[%{{.*}}]
// CHECK: strata.nest = "slice"
func.func @main(%x: memref<7xf32> {strata.name = "x"}, %y: memref<7xf32> {strata.name = "y", strata.output}, %z: memref<7xf32> {strata.name = "z", strata.output}) {
  %c = memref.alloc() : memref<14xf32>
  affine.parallel (%i) = (0) to (7) {
    %e = affine.load %x[%i] : memref<7xf32>
    %t = math.tanh %e : f32
    affine.store %t, %c[%i] : memref<14xf32>
  } {strata.nest = "tanh"}
  affine.parallel (%i) = (0) to (7) {
    %e = affine.load %c[%i] : memref<14xf32>
    affine.store %e, %z[%i] : memref<7xf32>
  } {strata.nest = "copy"}
  affine.parallel (%i) = (0) to (7) {
    %e = affine.load %c[%i] : memref<14xf32>
    affine.store %e, %c[%i + 7] : memref<14xf32>
  } {strata.nest = "again"}
  affine.parallel (%i) = (0) to (7) {
    %e = affine.load %c[%i + 1] : memref<14xf32>
    affine.store %e, %y[%i] : memref<7xf32>
  } {strata.nest = "slice"}
  return
}
