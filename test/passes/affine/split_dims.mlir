// RUN: strata-opt %s --split-input-file --pipeline=affine-split-dims | FileCheck %s

// A group norm as exporters write it: sums over rows of channels reshaped to groups, and what depends on them in the
// image's own dims. All walk groups, the channels of each, and pixels; so does the buffer between them. Arguments stay.
// CHECK-LABEL: func.func @main(%arg0: memref<2x6x5x7xf32>
// CHECK: %[[S:.*]] = memref.alloc() : memref<2x3xf32>
// CHECK: affine.parallel (%[[B:.*]], %[[G:.*]]) = (0, 0) to (2, 3) {
// CHECK: %[[R:.*]] = affine.for %[[I:.*]] = 0 to 2 iter_args(%[[A:.*]] = %cst) -> (f32) {
// CHECK: %[[R1:.*]] = affine.for %[[H:.*]] = 0 to 5 iter_args(%[[A1:.*]] = %[[A]]) -> (f32) {
// CHECK: %[[R2:.*]] = affine.for %[[W:.*]] = 0 to 7 iter_args(%[[A2:.*]] = %[[A1]]) -> (f32) {
// CHECK: %[[E:.*]] = affine.load %arg0[%[[B]], %[[G]] * 2 + %[[I]], %[[H]], %[[W]]] : memref<2x6x5x7xf32>
// CHECK: %[[N:.*]] = arith.addf %[[A2]], %[[E]]
// CHECK: affine.yield %[[N]]
// CHECK: affine.yield %[[R2]]
// CHECK: affine.yield %[[R1]]
// CHECK: affine.store %[[R]], %[[S]][%[[B]], %[[G]]]
// CHECK: %[[D:.*]] = memref.alloc() : memref<2x3x2x5x7xf32>
// CHECK: affine.parallel (%[[B:.*]], %[[G:.*]], %[[I:.*]], %[[H:.*]], %[[W:.*]]) = (0, 0, 0, 0, 0) to (2, 3, 2, 5, 7) {
// CHECK: affine.load %arg0[%[[B]], %[[G]] * 2 + %[[I]], %[[H]], %[[W]]] : memref<2x6x5x7xf32>
// CHECK: affine.load %[[S]][%[[B]], %[[G]]]
// CHECK: affine.store {{.*}}, %[[D]][%[[B]], %[[G]], %[[I]], %[[H]], %[[W]]] : memref<2x3x2x5x7xf32>
// CHECK: affine.parallel (%[[B:.*]], %[[G:.*]], %[[I:.*]], %[[H:.*]], %[[W:.*]]) = (0, 0, 0, 0, 0) to (2, 3, 2, 5, 7) {
// CHECK: affine.load %[[D]][%[[B]], %[[G]], %[[I]], %[[H]], %[[W]]]
// CHECK: affine.load %arg1[%[[G]] * 2 + %[[I]]] : memref<6xf32>
// CHECK: affine.store {{.*}}, %arg2[%[[B]], %[[G]] * 2 + %[[I]], %[[H]], %[[W]]] : memref<2x6x5x7xf32>
func.func @main(%x: memref<2x6x5x7xf32> {strata.name = "x"}, %w: memref<6xf32> {strata.name = "w"}, %y: memref<2x6x5x7xf32> {strata.name = "y", strata.output}) {
  %s = memref.alloc() : memref<2x3xf32>
  affine.parallel (%b, %g) = (0, 0) to (2, 3) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %n = 0 to 70 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %x[%b, %g * 2 + %n floordiv 35, (%n mod 35) floordiv 7, %n mod 7] : memref<2x6x5x7xf32>
      %m = arith.addf %a, %e : f32
      affine.yield %m : f32
    }
    affine.store %r, %s[%b, %g] : memref<2x3xf32>
  } {strata.nest = "reduce"}
  %d = memref.alloc() : memref<2x3x70xf32>
  affine.parallel (%b, %g, %n) = (0, 0, 0) to (2, 3, 70) {
    %e = affine.load %x[%b, %g * 2 + %n floordiv 35, (%n mod 35) floordiv 7, %n mod 7] : memref<2x6x5x7xf32>
    %m = affine.load %s[%b, %g] : memref<2x3xf32>
    %r = arith.subf %e, %m : f32
    affine.store %r, %d[%b, %g, %n] : memref<2x3x70xf32>
  } {strata.nest = "sub"}
  affine.parallel (%b, %c, %h, %v) = (0, 0, 0, 0) to (2, 6, 5, 7) {
    %e = affine.load %d[%b, %c floordiv 2, (%c mod 2) * 35 + %h * 7 + %v] : memref<2x3x70xf32>
    %f = affine.load %w[%c] : memref<6xf32>
    %r = arith.mulf %e, %f : f32
    affine.store %r, %y[%b, %c, %h, %v] : memref<2x6x5x7xf32>
  } {strata.nest = "mul"}
  return
}

// -----

// Statistics alone are read through a division: taken apart by hand, in the image's own dims. Conditions on dims follow.
// CHECK-LABEL: func.func @main
// CHECK: affine.for %{{.*}} = 0 to 2 iter_args
// CHECK: affine.for %{{.*}} = 0 to 35 iter_args
// CHECK: affine.parallel (%[[G:.*]], %[[I:.*]], %[[P:.*]]) = (0, 0, 0) to (3, 2, 35) {
// CHECK: affine.load %arg0[%[[G]] * 2 + %[[I]], %[[P]]] : memref<6x35xf32>
// CHECK: affine.if #[[SET:.*]](%[[G]], %[[I]])
// CHECK: affine.load %{{.*}}[%[[G]]] : memref<3xf32>
// CHECK: affine.store {{.*}}, %arg1[%[[G]] * 2 + %[[I]], %[[P]]]
func.func @main(%x: memref<6x35xf32> {strata.name = "x"}, %y: memref<6x35xf32> {strata.name = "y", strata.output}) {
  %s = memref.alloc() : memref<3xf32>
  affine.parallel (%g) = (0) to (3) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %i = 0 to 2 iter_args(%a = %zero) -> (f32) {
      %q = affine.for %p = 0 to 35 iter_args(%c = %a) -> (f32) {
        %e = affine.load %x[%g * 2 + %i, %p] : memref<6x35xf32>
        %m = arith.addf %c, %e : f32
        affine.yield %m : f32
      }
      affine.yield %q : f32
    }
    affine.store %r, %s[%g] : memref<3xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%c, %p) = (0, 0) to (6, 35) {
    %zero = arith.constant 0.0 : f32
    %e = affine.load %x[%c, %p] : memref<6x35xf32>
    %m = affine.if affine_set<(d0) : (4 - d0 >= 0)>(%c) -> f32 {
      %l = affine.load %s[%c floordiv 2] : memref<3xf32>
      affine.yield %l : f32
    } else {
      affine.yield %zero : f32
    }
    %r = arith.subf %e, %m : f32
    affine.store %r, %y[%c, %p] : memref<6x35xf32>
  } {strata.nest = "sub"}
  return
}

// -----

// A contraction, and what follows it elementwise, keep their dims: they become a kernel before rows do. So do nests in
// which no division ends: 7 is no multiple of 2.
// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (6, 35) {
// CHECK: strata.nest = "contract"
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (6, 35) {
// CHECK: strata.nest = "add"
// CHECK: affine.parallel (%[[G:.*]]) = (0) to (3) {
// CHECK: affine.for %[[I:.*]] = 0 to 2
// CHECK: affine.for %[[P:.*]] = 0 to 35
// CHECK: affine.load %{{.*}}[%[[G]] * 2 + %[[I]], %[[P]]] : memref<6x35xf32>
// CHECK: affine.parallel (%{{.*}}) = (0) to (7) {
// CHECK: affine.load %{{.*}}[%{{.*}} floordiv 2] : memref<4xf32>
func.func @main(%a: memref<6x64xf32> {strata.name = "a"}, %b: memref<64x35xf32> {strata.name = "b"}, %y: memref<3xf32> {strata.name = "y", strata.output}, %v: memref<4x5xf32> {strata.name = "v"}, %z: memref<7xf32> {strata.name = "z", strata.output}) {
  %t = memref.alloc() : memref<6x35xf32>
  affine.parallel (%c, %p) = (0, 0) to (6, 35) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %k = 0 to 64 iter_args(%s = %zero) -> (f32) {
      %e = affine.load %a[%c, %k] : memref<6x64xf32>
      %f = affine.load %b[%k, %p] : memref<64x35xf32>
      %m = arith.mulf %e, %f : f32
      %n = arith.addf %s, %m : f32
      affine.yield %n : f32
    }
    affine.store %r, %t[%c, %p] : memref<6x35xf32>
  } {strata.nest = "contract"}
  %u = memref.alloc() : memref<6x35xf32>
  affine.parallel (%c, %p) = (0, 0) to (6, 35) {
    %e = affine.load %t[%c, %p] : memref<6x35xf32>
    %m = arith.addf %e, %e : f32
    affine.store %m, %u[%c, %p] : memref<6x35xf32>
  } {strata.nest = "add"}
  affine.parallel (%g) = (0) to (3) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %n = 0 to 70 iter_args(%s = %zero) -> (f32) {
      %e = affine.load %u[%g * 2 + %n floordiv 35, %n mod 35] : memref<6x35xf32>
      %m = arith.addf %s, %e : f32
      affine.yield %m : f32
    }
    affine.store %r, %y[%g] : memref<3xf32>
  } {strata.nest = "reduce"}
  %w = memref.alloc() : memref<4xf32>
  affine.parallel (%i) = (0) to (4) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %n = 0 to 5 iter_args(%s = %zero) -> (f32) {
      %e = affine.load %v[%i, %n] : memref<4x5xf32>
      %m = arith.addf %s, %e : f32
      affine.yield %m : f32
    }
    affine.store %r, %w[%i] : memref<4xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%j) = (0) to (7) {
    %e = affine.load %w[%j floordiv 2] : memref<4xf32>
    affine.store %e, %z[%j] : memref<7xf32>
  } {strata.nest = "copy"}
  return
}

// -----

// Of images whose number varies: the batch is a dim of its own that nothing cuts.
// CHECK-LABEL: func.func @main(%arg0: memref<?x6x5x7xf32
// CHECK: affine.parallel ({{.*}}) = (0, 0) to (symbol(%{{.*}}), 3) {
// CHECK: affine.for %{{.*}} = 0 to 2
// CHECK: affine.for %{{.*}} = 0 to 5
// CHECK: affine.for %{{.*}} = 0 to 7
// CHECK: affine.parallel (%[[B:.*]], %[[G:.*]], %[[I:.*]], %[[H:.*]], %[[W:.*]]) = (0, 0, 0, 0, 0) to (symbol(%{{.*}}), 3, 2, 5, 7) {
// CHECK: affine.load %arg0[%[[B]], %[[G]] * 2 + %[[I]], %[[H]], %[[W]]]
// CHECK: affine.store {{.*}}, %arg1[%[[B]], %[[G]] * 2 + %[[I]], %[[H]], %[[W]]]
#x = affine_map<()[s0] -> (s0, 6, 5, 7)>
#s = affine_map<()[s0] -> (s0, 3)>
func.func @main(%x: memref<?x6x5x7xf32, {sizes = #x}> {strata.name = "x"}, %y: memref<?x6x5x7xf32, {sizes = #x}> {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "n", min = 1, max = 64, multiple = 1, likely = [8]}]} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %s = memref.alloc(%n) : memref<?x3xf32, {sizes = #s}>
  affine.parallel (%b, %g) = (0, 0) to (symbol(%n), 3) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %i = 0 to 70 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %x[%b, %g * 2 + %i floordiv 35, (%i floordiv 7) mod 5, %i mod 7] : memref<?x6x5x7xf32, {sizes = #x}>
      %t = arith.addf %a, %e : f32
      affine.yield %t : f32
    }
    affine.store %r, %s[%b, %g] : memref<?x3xf32, {sizes = #s}>
  } {strata.nest = "reduce"}
  %d = memref.alloc(%n) : memref<?x3x70xf32, {sizes = affine_map<()[s0] -> (s0, 3, 70)>}>
  affine.parallel (%b, %g, %i) = (0, 0, 0) to (symbol(%n), 3, 70) {
    %e = affine.load %x[%b, %g * 2 + %i floordiv 35, (%i floordiv 7) mod 5, %i mod 7] : memref<?x6x5x7xf32, {sizes = #x}>
    %m = affine.load %s[%b, %g] : memref<?x3xf32, {sizes = #s}>
    %t = arith.subf %e, %m : f32
    affine.store %t, %d[%b, %g, %i] : memref<?x3x70xf32, {sizes = affine_map<()[s0] -> (s0, 3, 70)>}>
  } {strata.nest = "sub"}
  affine.parallel (%b, %c, %h, %w) = (0, 0, 0, 0) to (symbol(%n), 6, 5, 7) {
    %e = affine.load %d[%b, %c floordiv 2, (%c mod 2) * 35 + %h * 7 + %w] : memref<?x3x70xf32, {sizes = affine_map<()[s0] -> (s0, 3, 70)>}>
    affine.store %e, %y[%b, %c, %h, %w] : memref<?x6x5x7xf32, {sizes = #x}>
  } {strata.nest = "copy"}
  return
}
