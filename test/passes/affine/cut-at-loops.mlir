// RUN: strata-opt %s --affine-cut-at-loops | FileCheck %s --check-prefix=CUT
// RUN: strata-opt %s --affine-cut-at-loops --affine-group --affine-join-segments | FileCheck %s --check-prefix=JOIN

// What lies between loops is a function while nests are grouped, and calls of kernels in its place afterwards.
// CUT-LABEL: func.func @main_segment(
// CUT-SAME: strata.segment
// CUT: strata.nest = "exp"
// CUT-LABEL: func.func @main_segment_0(
// CUT: strata.nest = "neg"
// CUT-LABEL: func.func @main(
// CUT-NOT: affine.parallel
// CUT: call @main_segment(
// CUT: call @loop0(
// CUT: call @main_segment_0(
// JOIN-NOT: strata.segment
// JOIN-LABEL: func.func @main(
// JOIN: call @[[BEFORE:k[0-9]+]](
// JOIN: call @loop0(
// JOIN: call @[[BEHIND:k[0-9]+]](
// JOIN: return
func.func private @loop0(memref<8xf32>, memref<9x8xf32>, memref<8xf32>) attributes {strata.body = @loop0_body, strata.count = 9 : i64, strata.parts = array<i64: 1, 1, 0, 0>, strata.reversed = array<i64: 0>}
func.func @loop0_body(%h: memref<8xf32>, %x: memref<8xf32>, %y: memref<8xf32> {strata.output}) {
  affine.parallel (%i) = (0) to (8) {
    %a = affine.load %h[%i] : memref<8xf32>
    %b = affine.load %x[%i] : memref<8xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %y[%i] : memref<8xf32>
  } {strata.nest = "add"}
  return
}
func.func @main(%x: memref<9x8xf32> {strata.name = "x"}, %h: memref<8xf32> {strata.name = "h"}, %y: memref<8xf32> {strata.name = "y", strata.output}) {
  %e = memref.alloc() : memref<9x8xf32>
  affine.parallel (%i, %j) = (0, 0) to (9, 8) {
    %a = affine.load %x[%i, %j] : memref<9x8xf32>
    %b = math.exp %a : f32
    affine.store %b, %e[%i, %j] : memref<9x8xf32>
  } {strata.nest = "exp"}
  %last = memref.alloc() : memref<8xf32>
  call @loop0(%h, %e, %last) : (memref<8xf32>, memref<9x8xf32>, memref<8xf32>) -> ()
  affine.parallel (%i) = (0) to (8) {
    %a = affine.load %last[%i] : memref<8xf32>
    %b = arith.negf %a : f32
    affine.store %b, %y[%i] : memref<8xf32>
  } {strata.nest = "neg"}
  return
}
