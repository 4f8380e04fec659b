// RUN: strata-opt %s --split-input-file --pipeline=affine-store-in-place | FileCheck %s

// The copy of what the output updates is the library's, which leaves it out where both are the same memory.
// CHECK-LABEL: func.func @main
// CHECK-SAME: strata.in_place = "past"
// CHECK-NOT: strata.nest = "copy"
// CHECK: strata.nest = "update"
func.func @main(%x: memref<2x4x3xf32> {strata.name = "past"}, %u: memref<2x3xf32> {strata.name = "u"},
                %y: memref<2x4x3xf32> {strata.alias = "past", strata.name = "present", strata.output}) {
  affine.parallel (%i, %j) = (0, 0) to (8, 3) {
    %e = affine.load %x[%i floordiv 4, %i mod 4, %j] : memref<2x4x3xf32>
    affine.store %e, %y[%i floordiv 4, %i mod 4, %j] : memref<2x4x3xf32>
  } {strata.nest = "copy"}
  affine.parallel (%i, %j) = (0, 0) to (2, 3) {
    %e = affine.load %u[%i, %j] : memref<2x3xf32>
    affine.store %e, %y[%i, 1, %j] : memref<2x4x3xf32>
  } {strata.nest = "update"}
  return
}

// -----

// Somebody else reads the input: nothing is done.
// CHECK-LABEL: func.func @main
// CHECK-NOT: strata.in_place
// CHECK: strata.nest = "copy"
// CHECK: strata.nest = "exp"
func.func @main(%x: memref<2x4x3xf32> {strata.name = "past"}, %u: memref<2x3xf32> {strata.name = "u"},
                %y: memref<2x4x3xf32> {strata.alias = "past", strata.name = "present", strata.output},
                %z: memref<2x4x3xf32> {strata.name = "z", strata.output}) {
  affine.parallel (%i, %j) = (0, 0) to (8, 3) {
    %e = affine.load %x[%i floordiv 4, %i mod 4, %j] : memref<2x4x3xf32>
    affine.store %e, %y[%i floordiv 4, %i mod 4, %j] : memref<2x4x3xf32>
  } {strata.nest = "copy"}
  affine.parallel (%i, %j) = (0, 0) to (2, 3) {
    %e = affine.load %u[%i, %j] : memref<2x3xf32>
    affine.store %e, %y[%i, 1, %j] : memref<2x4x3xf32>
  } {strata.nest = "update"}
  affine.parallel (%i, %j, %k) = (0, 0, 0) to (2, 4, 3) {
    %e = affine.load %x[%i, %j, %k] : memref<2x4x3xf32>
    %f = math.exp %e : f32
    affine.store %f, %z[%i, %j, %k] : memref<2x4x3xf32>
  } {strata.nest = "exp"}
  return
}

// -----

// Another input's memory is what the output may have.
// CHECK-LABEL: func.func @main
// CHECK-NOT: strata.in_place
// CHECK: strata.nest = "copy"
func.func @main(%x: memref<2x4x3xf32> {strata.name = "past"}, %u: memref<2x3xf32> {strata.name = "u"},
                %y: memref<2x4x3xf32> {strata.alias = "other", strata.name = "present", strata.output}) {
  affine.parallel (%i, %j) = (0, 0) to (8, 3) {
    %e = affine.load %x[%i floordiv 4, %i mod 4, %j] : memref<2x4x3xf32>
    affine.store %e, %y[%i floordiv 4, %i mod 4, %j] : memref<2x4x3xf32>
  } {strata.nest = "copy"}
  affine.parallel (%i, %j) = (0, 0) to (2, 3) {
    %e = affine.load %u[%i, %j] : memref<2x3xf32>
    affine.store %e, %y[%i, 1, %j] : memref<2x4x3xf32>
  } {strata.nest = "update"}
  return
}

// -----

// What is kept may be copied in parts, in front of new rows and behind them, be their number one that varies.
// CHECK-LABEL: func.func @main
// CHECK-SAME: strata.in_place = "past"
// CHECK-NOT: strata.nest = "copy"
// CHECK: strata.nest = "update"
// CHECK-NOT: strata.nest = "copy"
func.func @main(%x: memref<8x3xf32> {strata.name = "past"}, %u: memref<2x3xf32> {strata.name = "u"},
                %y: memref<8x3xf32> {strata.alias = "past", strata.name = "present", strata.output})
    attributes {strata.symbols = [{name = "length", min = 0, max = 6, multiple = 1, likely = []}]} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (2, 3) {
    %e = affine.load %u[%i, %j] : memref<2x3xf32>
    affine.store %e, %y[%i + symbol(%n), %j] : memref<8x3xf32>
  } {strata.nest = "update"}
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 3) {
    %e = affine.load %x[%i, %j] : memref<8x3xf32>
    affine.store %e, %y[%i, %j] : memref<8x3xf32>
  } {strata.nest = "copy"}
  affine.parallel (%i, %j) = (0, 0) to (-symbol(%n) + 6, 3) {
    %e = affine.load %x[%i + symbol(%n) + 2, %j] : memref<8x3xf32>
    affine.store %e, %y[%i + symbol(%n) + 2, %j] : memref<8x3xf32>
  } {strata.nest = "copy"}
  return
}

// -----

// A copy over what has been stored there is none of what is kept.
// CHECK-LABEL: func.func @main
// CHECK-NOT: strata.in_place
// CHECK: strata.nest = "copy"
func.func @main(%x: memref<8x3xf32> {strata.name = "past"}, %u: memref<2x3xf32> {strata.name = "u"},
                %y: memref<8x3xf32> {strata.alias = "past", strata.name = "present", strata.output})
    attributes {strata.symbols = [{name = "length", min = 0, max = 6, multiple = 1, likely = []}]} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (2, 3) {
    %e = affine.load %u[%i, %j] : memref<2x3xf32>
    affine.store %e, %y[%i + symbol(%n), %j] : memref<8x3xf32>
  } {strata.nest = "update"}
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n) + 1, 3) {
    %e = affine.load %x[%i, %j] : memref<8x3xf32>
    affine.store %e, %y[%i, %j] : memref<8x3xf32>
  } {strata.nest = "copy"}
  return
}
