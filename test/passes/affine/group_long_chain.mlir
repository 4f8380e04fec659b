// RUN: strata-opt %s --device=x86-64-v4 --pipeline=affine-group | FileCheck %s

// What a norm's rows are made of by a long chain, whose first op has them turned, is computed in its kernel: the
// reductions need it, however far away they are.
// CHECK-LABEL: func.func @main
// CHECK: call @k0(
// CHECK-NOT: call
// CHECK: return
func.func @main(%x: memref<1024x4096xf32> {strata.name = "x"}, %y: memref<4096x1024xf32> {strata.name = "y", strata.output}) {
  %t0 = memref.alloc() : memref<1024x4096xf32>
  affine.parallel (%c, %r) = (0, 0) to (1024, 4096) {
    %e = affine.load %x[%c, %r] : memref<1024x4096xf32>
    %v = arith.negf %e : f32
    affine.store %v, %t0[%c, %r] : memref<1024x4096xf32>
  } {strata.nest = "neg"}
  %t1 = memref.alloc() : memref<4096x1024xf32>
  affine.parallel (%r, %c) = (0, 0) to (4096, 1024) {
    %e = affine.load %t0[%c, %r] : memref<1024x4096xf32>
    %v = arith.negf %e : f32
    affine.store %v, %t1[%r, %c] : memref<4096x1024xf32>
  } {strata.nest = "neg"}
  %t2 = memref.alloc() : memref<4096x1024xf32>
  affine.parallel (%r, %c) = (0, 0) to (4096, 1024) {
    %e = affine.load %t1[%r, %c] : memref<4096x1024xf32>
    %v = arith.negf %e : f32
    affine.store %v, %t2[%r, %c] : memref<4096x1024xf32>
  } {strata.nest = "neg"}
  %t3 = memref.alloc() : memref<4096x1024xf32>
  affine.parallel (%r, %c) = (0, 0) to (4096, 1024) {
    %e = affine.load %t2[%r, %c] : memref<4096x1024xf32>
    %v = arith.negf %e : f32
    affine.store %v, %t3[%r, %c] : memref<4096x1024xf32>
  } {strata.nest = "neg"}
  %t4 = memref.alloc() : memref<4096x1024xf32>
  affine.parallel (%r, %c) = (0, 0) to (4096, 1024) {
    %e = affine.load %t3[%r, %c] : memref<4096x1024xf32>
    %v = arith.negf %e : f32
    affine.store %v, %t4[%r, %c] : memref<4096x1024xf32>
  } {strata.nest = "neg"}
  %t5 = memref.alloc() : memref<4096x1024xf32>
  affine.parallel (%r, %c) = (0, 0) to (4096, 1024) {
    %e = affine.load %t4[%r, %c] : memref<4096x1024xf32>
    %v = arith.negf %e : f32
    affine.store %v, %t5[%r, %c] : memref<4096x1024xf32>
  } {strata.nest = "neg"}
  %t6 = memref.alloc() : memref<4096x1024xf32>
  affine.parallel (%r, %c) = (0, 0) to (4096, 1024) {
    %e = affine.load %t5[%r, %c] : memref<4096x1024xf32>
    %v = arith.negf %e : f32
    affine.store %v, %t6[%r, %c] : memref<4096x1024xf32>
  } {strata.nest = "neg"}
  %t7 = memref.alloc() : memref<4096x1024xf32>
  affine.parallel (%r, %c) = (0, 0) to (4096, 1024) {
    %e = affine.load %t6[%r, %c] : memref<4096x1024xf32>
    %v = arith.negf %e : f32
    affine.store %v, %t7[%r, %c] : memref<4096x1024xf32>
  } {strata.nest = "neg"}
  %t8 = memref.alloc() : memref<4096x1024xf32>
  affine.parallel (%r, %c) = (0, 0) to (4096, 1024) {
    %e = affine.load %t7[%r, %c] : memref<4096x1024xf32>
    %v = arith.negf %e : f32
    affine.store %v, %t8[%r, %c] : memref<4096x1024xf32>
  } {strata.nest = "neg"}
  %t9 = memref.alloc() : memref<4096x1024xf32>
  affine.parallel (%r, %c) = (0, 0) to (4096, 1024) {
    %e = affine.load %t8[%r, %c] : memref<4096x1024xf32>
    %v = arith.negf %e : f32
    affine.store %v, %t9[%r, %c] : memref<4096x1024xf32>
  } {strata.nest = "neg"}
  %s = memref.alloc() : memref<4096xf32>
  affine.parallel (%r) = (0) to (4096) {
    %zero = arith.constant 0.0 : f32
    %a = affine.for %c = 0 to 1024 iter_args(%b = %zero) -> (f32) {
      %e = affine.load %t9[%r, %c] : memref<4096x1024xf32>
      %n = arith.addf %b, %e : f32
      affine.yield %n : f32
    }
    affine.store %a, %s[%r] : memref<4096xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%r, %c) = (0, 0) to (4096, 1024) {
    %e = affine.load %t9[%r, %c] : memref<4096x1024xf32>
    %a = affine.load %s[%r] : memref<4096xf32>
    %v = arith.subf %e, %a : f32
    affine.store %v, %y[%r, %c] : memref<4096x1024xf32>
  } {strata.nest = "sub"}
  return
}
