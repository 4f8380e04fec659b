// RUN: strata-opt %s --split-input-file --pipeline=affine-group | FileCheck %s
// RUN: strata-opt %s --split-input-file --pipeline=affine-group --polyblocks-disable-affine-fusion | FileCheck %s --check-prefix=APART
// RUN: strata-opt %s --split-input-file --pipeline=affine-group --polyblocks-disable-reduce-reduce-fusion | FileCheck %s --check-prefix=ONE

// A contraction takes what follows it elementwise, rows of a softmax are one kernel, and a kernel's own buffers move
// into it.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = memref.alloc() : memref<8x64xf32>
// CHECK-NOT: memref.alloc
// CHECK: call @k0(%arg0, %{{.*}}, %arg1, %[[T]])
// CHECK-NEXT: call @k1(%[[T]], %arg2)
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @k0
// CHECK: strata.nest = "contract"
// CHECK: strata.nest = "add"
// CHECK-LABEL: func.func private @k1
// CHECK-COUNT-3: memref.alloc()
// CHECK: strata.nest = "max"
// CHECK: strata.nest = "exp"
// CHECK: strata.nest = "sum"
// CHECK: strata.nest = "div"

// APART-LABEL: func.func @main
// APART-COUNT-6: call @
// APART-NEXT: return

// ONE-LABEL: func.func @main
// ONE-COUNT-3: call @
// ONE-NEXT: return
// ONE-LABEL: func.func private @k1
// ONE: strata.nest = "max"
// ONE: strata.nest = "exp"
// ONE-LABEL: func.func private @k2
// ONE: strata.nest = "sum"
// ONE: strata.nest = "div"
memref.global "private" @w : memref<64x64xf32>
func.func @main(%x: memref<8x64xf32> {strata.name = "x"}, %b: memref<64xf32> {strata.name = "b"}, %y: memref<8x64xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<64x64xf32>
  %t = memref.alloc() : memref<8x64xf32>
  %u = memref.alloc() : memref<8x64xf32>
  %m = memref.alloc() : memref<8xf32>
  %e = memref.alloc() : memref<8x64xf32>
  %l = memref.alloc() : memref<8xf32>
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 64 iter_args(%a = %z) -> (f32) {
      %p = affine.load %x[%i, %k] : memref<8x64xf32>
      %q = affine.load %w[%k, %j] : memref<64x64xf32>
      %r = arith.mulf %p, %q : f32
      %n = arith.addf %a, %r : f32
      affine.yield %n : f32
    }
    affine.store %s, %t[%i, %j] : memref<8x64xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %p = affine.load %t[%i, %j] : memref<8x64xf32>
    %q = affine.load %b[%j] : memref<64xf32>
    %r = arith.addf %p, %q : f32
    affine.store %r, %u[%i, %j] : memref<8x64xf32>
  } {strata.nest = "add"}
  affine.parallel (%i) = (0) to (8) {
    %z = arith.constant 0xFF800000 : f32
    %s = affine.for %k = 0 to 64 iter_args(%a = %z) -> (f32) {
      %p = affine.load %u[%i, %k] : memref<8x64xf32>
      %n = arith.maximumf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %m[%i] : memref<8xf32>
  } {strata.nest = "max"}
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %p = affine.load %u[%i, %j] : memref<8x64xf32>
    %q = affine.load %m[%i] : memref<8xf32>
    %r = arith.subf %p, %q : f32
    %v = math.exp %r : f32
    affine.store %v, %e[%i, %j] : memref<8x64xf32>
  } {strata.nest = "exp"}
  affine.parallel (%i) = (0) to (8) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 64 iter_args(%a = %z) -> (f32) {
      %p = affine.load %e[%i, %k] : memref<8x64xf32>
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %l[%i] : memref<8xf32>
  } {strata.nest = "sum"}
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %p = affine.load %e[%i, %j] : memref<8x64xf32>
    %q = affine.load %l[%i] : memref<8xf32>
    %r = arith.divf %p, %q : f32
    affine.store %r, %y[%i, %j] : memref<8x64xf32>
  } {strata.nest = "div"}
  return
}

// -----

// Equal kernels are one function. A transposed read and a broadcast are no obstacle.
// CHECK-LABEL: func.func @main
// CHECK: call @k0(%arg0, %arg1, %[[T:[a-z0-9_]+]])
// CHECK-NEXT: call @k1(%[[T]], %[[M:[a-z0-9_]+]])
// CHECK-NEXT: call @k0(%[[M]], %arg1, %arg2)
// CHECK-NEXT: return
// CHECK-COUNT-2: func.func private
// CHECK-NOT: func.func private
func.func @main(%x: memref<64x64xf32> {strata.name = "x"}, %b: memref<64xf32> {strata.name = "b"}, %y: memref<64x64xf32> {strata.name = "y", strata.output}) {
  %n0 = memref.alloc() : memref<64x64xf32>
  %t = memref.alloc() : memref<64x64xf32>
  %m = memref.alloc() : memref<64x64xf32>
  %n1 = memref.alloc() : memref<64x64xf32>
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    %p = affine.load %x[%i, %j] : memref<64x64xf32>
    %r = arith.negf %p : f32
    affine.store %r, %n0[%i, %j] : memref<64x64xf32>
  } {strata.nest = "neg"}
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    %p = affine.load %n0[%j, %i] : memref<64x64xf32>
    %q = affine.load %b[%j] : memref<64xf32>
    %r = arith.addf %p, %q : f32
    affine.store %r, %t[%i, %j] : memref<64x64xf32>
  } {strata.nest = "add"}
  affine.parallel (%i) = (0) to (64) {
    %z = arith.constant 0.0 : f32
    affine.for %j = 0 to 64 {
      %p = memref.load %t[%i, %j] : memref<64x64xf32>
      memref.store %p, %m[%i, %j] : memref<64x64xf32>
    }
  } {strata.nest = "scan", strata.serial}
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    %p = affine.load %m[%i, %j] : memref<64x64xf32>
    %r = arith.negf %p : f32
    affine.store %r, %n1[%i, %j] : memref<64x64xf32>
  } {strata.nest = "neg"}
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    %p = affine.load %n1[%j, %i] : memref<64x64xf32>
    %q = affine.load %b[%j] : memref<64xf32>
    %r = arith.addf %p, %q : f32
    affine.store %r, %y[%i, %j] : memref<64x64xf32>
  } {strata.nest = "add"}
  return
}

// -----

// A concatenation is written in place by two kernels and read by a third. What depends on constants only stays apart
// from what does not.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = memref.get_global @w
// CHECK: call @k0(%[[W]], %[[E:[a-z0-9_]+]])
// CHECK-NEXT: call @k1(%arg0, %[[C:[a-z0-9_]+]])
// CHECK-NEXT: call @k2(%arg0, %[[C]])
// CHECK-NEXT: call @k3(%[[C]], %[[E]], %arg1)
memref.global "private" @w : memref<8xf32>
func.func @main(%x: memref<4xf32> {strata.name = "x"}, %y: memref<8xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<8xf32>
  %e = memref.alloc() : memref<8xf32>
  %c = memref.alloc() : memref<8xf32>
  affine.parallel (%i) = (0) to (8) {
    %p = affine.load %w[%i] : memref<8xf32>
    %r = math.exp %p : f32
    affine.store %r, %e[%i] : memref<8xf32>
  } {strata.nest = "exp"}
  affine.parallel (%i) = (0) to (3) {
    %p = affine.load %x[%i] : memref<4xf32>
    %r = arith.negf %p : f32
    affine.store %r, %c[%i] : memref<8xf32>
  } {strata.nest = "neg"}
  affine.parallel (%i) = (0) to (5) {
    %p = affine.load %x[%i floordiv 2] : memref<4xf32>
    affine.store %p, %c[%i + 3] : memref<8xf32>
  } {strata.nest = "concat"}
  affine.parallel (%i) = (0) to (8) {
    %p = affine.load %c[%i] : memref<8xf32>
    %q = affine.load %e[%i] : memref<8xf32>
    %r = arith.addf %p, %q : f32
    affine.store %r, %y[%i] : memref<8xf32>
  } {strata.nest = "add"}
  return
}

// -----

// A kernel that stores a part of a buffer may read another part, which is an argument of its own; not the same part.
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = memref.alloc() : memref<8x96xf32>
// CHECK: call @k0(%arg0, %[[C]])
// CHECK-NEXT: call @k1(%[[C]], %{{.*}}, %[[C]])
// CHECK-NEXT: call @k2(%[[C]], %arg1)
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @k1(%arg0: memref<8x96xf32>, %arg1: memref<64x32xf32>, %arg2: memref<8x96xf32>)
// CHECK: affine.load %arg0[
// CHECK: strata.nest = "contract"
// CHECK: affine.store %{{.*}}, %arg2[%{{.*}}, %{{.*}} + 64]
// CHECK: strata.nest = "neg"
memref.global "private" @w : memref<64x32xf32>
func.func @main(%x: memref<8x64xf32> {strata.name = "x"}, %y: memref<8x96xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<64x32xf32>
  %c = memref.alloc() : memref<8x96xf32>
  %t = memref.alloc() : memref<8x32xf32>
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %p = affine.load %x[%i, %j] : memref<8x64xf32>
    affine.store %p, %c[%i, %j] : memref<8x96xf32>
  } {strata.nest = "copy"}
  affine.parallel (%i, %j) = (0, 0) to (8, 32) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 64 iter_args(%a = %z) -> (f32) {
      %p = affine.load %c[%i, %k] : memref<8x96xf32>
      %q = affine.load %w[%k, %j] : memref<64x32xf32>
      %r = arith.mulf %p, %q : f32
      %n = arith.addf %a, %r : f32
      affine.yield %n : f32
    }
    affine.store %s, %t[%i, %j] : memref<8x32xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (8, 32) {
    %p = affine.load %t[%i, %j] : memref<8x32xf32>
    %r = arith.negf %p : f32
    affine.store %r, %c[%i, %j + 64] : memref<8x96xf32>
  } {strata.nest = "neg"}
  affine.parallel (%i, %j) = (0, 0) to (8, 96) {
    %p = affine.load %c[%i, %j] : memref<8x96xf32>
    %r = math.absf %p : f32
    affine.store %r, %y[%i, %j] : memref<8x96xf32>
  } {strata.nest = "abs"}
  return
}
