// RUN: strata-opt %s --split-input-file --pipeline=affine-layout | FileCheck %s

// Around a convolution channels are stored last, through elementwise nests too; its loops follow what it reads. The
// graph's input stays as it is.
// CHECK-LABEL: func.func @main
// CHECK: memref.alloc() : memref<1x16x16x8xf32>
// CHECK: memref.alloc() : memref<1x16x16x4xf32>
// CHECK: affine.parallel (%[[N:.*]], %[[P:.*]], %[[Q:.*]], %[[C:.*]]) = (0, 0, 0, 0) to (1, 16, 16, 8)
// CHECK: affine.load %arg0[%[[N]], %[[C]], %[[P]], %[[Q]]]
// CHECK: affine.store %{{.*}}[%[[N]], %[[P]], %[[Q]], %[[C]]]
// CHECK: affine.parallel ({{.*}}) = (0, 0, 0, 0) to (1, 14, 14, 4)
// CHECK: affine.for %[[R:.*]] = 0 to 3
// CHECK: affine.for %[[S:.*]] = 0 to 3
// CHECK: affine.for %[[K:.*]] = 0 to 8
// CHECK: affine.load %{{.*}}[%{{.*}}, %{{.*}} + %[[R]], %{{.*}} + %[[S]], %[[K]]]
memref.global "private" @w : memref<4x8x3x3xf32>
func.func @main(%x: memref<1x8x16x16xf32> {strata.name = "x"}, %y: memref<1x4x14x14xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<4x8x3x3xf32>
  %t = memref.alloc() : memref<1x8x16x16xf32>
  %u = memref.alloc() : memref<1x4x16x16xf32>
  affine.parallel (%n, %c, %p, %q) = (0, 0, 0, 0) to (1, 8, 16, 16) {
    %v = affine.load %x[%n, %c, %p, %q] : memref<1x8x16x16xf32>
    %r = arith.negf %v : f32
    affine.store %r, %t[%n, %c, %p, %q] : memref<1x8x16x16xf32>
  } {strata.nest = "neg"}
  affine.parallel (%n, %f, %p, %q) = (0, 0, 0, 0) to (1, 4, 14, 14) {
    %z = arith.constant 0.0 : f32
    %o = affine.for %c = 0 to 8 iter_args(%a = %z) -> f32 {
      %o1 = affine.for %r = 0 to 3 iter_args(%a1 = %a) -> f32 {
        %o2 = affine.for %s = 0 to 3 iter_args(%a2 = %a1) -> f32 {
          %v = affine.load %t[%n, %c, %p + %r, %q + %s] : memref<1x8x16x16xf32>
          %k = affine.load %w[%f, %c, %r, %s] : memref<4x8x3x3xf32>
          %m = arith.mulf %v, %k : f32
          %e = arith.addf %a2, %m : f32
          affine.yield %e : f32
        }
        affine.yield %o2 : f32
      }
      affine.yield %o1 : f32
    }
    affine.store %o, %u[%n, %f, %p, %q] : memref<1x4x16x16xf32>
  } {strata.nest = "contract"}
  affine.parallel (%n, %f, %p, %q) = (0, 0, 0, 0) to (1, 4, 14, 14) {
    %v = affine.load %u[%n, %f, %p, %q] : memref<1x4x16x16xf32>
    %r = arith.negf %v : f32
    affine.store %r, %y[%n, %f, %p, %q] : memref<1x4x14x14xf32>
  } {strata.nest = "neg"}
  return
}

// -----

// The heads of an attention are stored beside each other, so that the projection that follows reads them in one go.
// CHECK-LABEL: func.func @main
// CHECK: memref.alloc() : memref<128x12x64xf32>
// CHECK: affine.parallel (%[[S:.*]], %[[H:.*]], %[[D:.*]]) = (0, 0, 0) to (128, 12, 64)
// CHECK: affine.load %arg0[%[[H]], %[[S]], %{{.*}}]
// CHECK: affine.store %{{.*}}[%[[S]], %[[H]], %[[D]]]
// CHECK: affine.load %{{.*}}[%[[I:.*]], %[[K:.*]] floordiv 64, %[[K]] mod 64]
memref.global "private" @w : memref<768x32xf32>
func.func @main(%p: memref<12x128x128xf32> {strata.name = "p"}, %v: memref<12x128x64xf32> {strata.name = "v"}, %y: memref<128x32xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<768x32xf32>
  %t = memref.alloc() : memref<12x128x64xf32>
  affine.parallel (%h, %i, %d) = (0, 0, 0) to (12, 128, 64) {
    %z = arith.constant 0.0 : f32
    %o = affine.for %j = 0 to 128 iter_args(%a = %z) -> f32 {
      %q = affine.load %p[%h, %i, %j] : memref<12x128x128xf32>
      %r = affine.load %v[%h, %j, %d] : memref<12x128x64xf32>
      %m = arith.mulf %q, %r : f32
      %e = arith.addf %a, %m : f32
      affine.yield %e : f32
    }
    affine.store %o, %t[%h, %i, %d] : memref<12x128x64xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (128, 32) {
    %z = arith.constant 0.0 : f32
    %o = affine.for %k = 0 to 768 iter_args(%a = %z) -> f32 {
      %q = affine.load %t[%k floordiv 64, %i, %k mod 64] : memref<12x128x64xf32>
      %r = affine.load %w[%k, %j] : memref<768x32xf32>
      %m = arith.mulf %q, %r : f32
      %e = arith.addf %a, %m : f32
      affine.yield %e : f32
    }
    affine.store %o, %y[%i, %j] : memref<128x32xf32>
  } {strata.nest = "contract"}
  return
}

// -----

// A reduction over rows takes its loops in the order in which what walks its elements again does, in which the
// convolution behind that reads them: a kernel of the two then has one order. What is read is an argument, as it is.
// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%[[G:.*]]) = (0) to (2) {
// CHECK: affine.for %[[P:.*]] = 0 to 12
// CHECK: affine.for %[[I:.*]] = 0 to 4
// CHECK: affine.load %arg0[%[[G]] * 4 + %[[I]], %[[P]]] : memref<8x12xf32>
// CHECK: strata.nest = "reduce"
// CHECK: affine.parallel (%[[P:.*]], %[[G:.*]], %[[I:.*]]) = (0, 0, 0) to (12, 2, 4) {
// CHECK: affine.load %arg0[%[[G]] * 4 + %[[I]], %[[P]]]
// CHECK: affine.store {{.*}}[%[[P]], %[[G]] * 4 + %[[I]]] : memref<12x8xf32>
memref.global "private" @w : memref<16x8x3xf32>
func.func @main(%x: memref<8x12xf32> {strata.name = "x"}, %y: memref<16x10xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<16x8x3xf32>
  %s = memref.alloc() : memref<2xf32>
  affine.parallel (%g) = (0) to (2) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %i = 0 to 4 iter_args(%a = %zero) -> (f32) {
      %q = affine.for %p = 0 to 12 iter_args(%c = %a) -> (f32) {
        %e = affine.load %x[%g * 4 + %i, %p] : memref<8x12xf32>
        %m = arith.addf %c, %e : f32
        affine.yield %m : f32
      }
      affine.yield %q : f32
    }
    affine.store %r, %s[%g] : memref<2xf32>
  } {strata.nest = "reduce"}
  %t = memref.alloc() : memref<8x12xf32>
  affine.parallel (%g, %i, %p) = (0, 0, 0) to (2, 4, 12) {
    %e = affine.load %x[%g * 4 + %i, %p] : memref<8x12xf32>
    %m = affine.load %s[%g] : memref<2xf32>
    %r = arith.subf %e, %m : f32
    affine.store %r, %t[%g * 4 + %i, %p] : memref<8x12xf32>
  } {strata.nest = "sub"}
  affine.parallel (%o, %p) = (0, 0) to (16, 10) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %c = 0 to 8 iter_args(%a = %zero) -> (f32) {
      %q = affine.for %k = 0 to 3 iter_args(%d = %a) -> (f32) {
        %e = affine.load %t[%c, %p + %k] : memref<8x12xf32>
        %f = affine.load %w[%o, %c, %k] : memref<16x8x3xf32>
        %m = arith.mulf %e, %f : f32
        %n = arith.addf %d, %m : f32
        affine.yield %n : f32
      }
      affine.yield %q : f32
    }
    affine.store %r, %y[%o, %p] : memref<16x10xf32>
  } {strata.nest = "contract"}
  return
}

// -----

// What is stored is contiguous along columns: the product walks its rows as they are read, two of which are neighbours.
// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%[[B:.*]], %[[I:.*]], %[[H:.*]], %[[J:.*]], %[[D:.*]]) = (0, 0, 0, 0, 0) to (2, 5, 3, 4, 8)
// CHECK: affine.load %arg0[%[[B]] * 20 + %[[I]] * 4 + %[[J]], %{{.*}}]
// CHECK: affine.load %{{.*}}[%{{.*}}, %[[H]] * 8 + %[[D]]]
// CHECK: affine.store %{{.*}}, %arg1[%[[B]], %[[J]], %[[H]], %[[I]], %[[D]]] : memref<2x4x3x5x8xf32>
memref.global "private" @w : memref<7x24xf32>
func.func @main(%x: memref<40x7xf32> {strata.name = "x"}, %y: memref<2x4x3x5x8xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<7x24xf32>
  affine.parallel (%b, %j, %h, %i, %d) = (0, 0, 0, 0, 0) to (2, 4, 3, 5, 8) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 7 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %x[%b * 20 + %i * 4 + %j, %k] : memref<40x7xf32>
      %f = affine.load %w[%k, %h * 8 + %d] : memref<7x24xf32>
      %m = arith.mulf %e, %f : f32
      %n = arith.addf %a, %m : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%b, %j, %h, %i, %d] : memref<2x4x3x5x8xf32>
  } {strata.nest = "contract"}
  return
}
