// Windows of channels first are packed three elements at a time, which is dear: a task packs its rows once and goes over
// all of the other operand, though that does not fit its cache. Where channels are read last, a task has a panel of it.
// RUN: strata-opt %s --split-input-file --device=x86-64-v4 --pipeline=affine-to-tile | FileCheck %s

// CHECK-LABEL: func.func private @k
// CHECK: scf.forall (%{{.*}}) in (64) {
func.func @main(%x: memref<320x66x64xf32>, %w: memref<10x320x3x3x32xf32>, %y: memref<64x64x320xf32>) {
  func.call @k(%x, %w, %y) : (memref<320x66x64xf32>, memref<10x320x3x3x32xf32>, memref<64x64x320xf32>) -> ()
  return
}
func.func private @k(%x: memref<320x66x64xf32>, %w: memref<10x320x3x3x32xf32>, %y: memref<64x64x320xf32>) attributes {strata.schedule = {kind = "contract", tile = array<i64: 13, 32>}} {
  affine.parallel (%i, %j, %m) = (0, 0, 0) to (64, 64, 320) {
    %zero = arith.constant 0.0 : f32
    %a = affine.for %c = 0 to 320 iter_args(%s0 = %zero) -> (f32) {
      %b = affine.for %r = 0 to 3 iter_args(%s1 = %s0) -> (f32) {
        %d = affine.for %s = 0 to 3 iter_args(%s2 = %s1) -> (f32) {
          %e = affine.if affine_set<(d0, d1) : (d0 + d1 - 1 >= 0, -d0 - d1 + 64 >= 0)>(%j, %s) -> f32 {
            %l = affine.load %x[%c, %i + %r, %j + %s - 1] : memref<320x66x64xf32>
            affine.yield %l : f32
          } else {
            affine.yield %zero : f32
          }
          %f = affine.load %w[%m floordiv 32, %c, %r, %s, %m mod 32] : memref<10x320x3x3x32xf32>
          %p = arith.mulf %e, %f : f32
          %n = arith.addf %s2, %p : f32
          affine.yield %n : f32
        }
        affine.yield %d : f32
      }
      affine.yield %b : f32
    }
    affine.store %a, %y[%i, %j, %m] : memref<64x64x320xf32>
  } {strata.nest = "contract"}
  return
}

// -----

// CHECK-LABEL: func.func private @k
// CHECK: scf.forall (%{{.*}}) in (640) {
func.func @main(%x: memref<66x64x320xf32>, %w: memref<10x3x3x320x32xf32>, %y: memref<64x64x320xf32>) {
  func.call @k(%x, %w, %y) : (memref<66x64x320xf32>, memref<10x3x3x320x32xf32>, memref<64x64x320xf32>) -> ()
  return
}
func.func private @k(%x: memref<66x64x320xf32>, %w: memref<10x3x3x320x32xf32>, %y: memref<64x64x320xf32>) attributes {strata.schedule = {kind = "contract", tile = array<i64: 13, 32>}} {
  affine.parallel (%i, %j, %m) = (0, 0, 0) to (64, 64, 320) {
    %zero = arith.constant 0.0 : f32
    %a = affine.for %r = 0 to 3 iter_args(%s0 = %zero) -> (f32) {
      %b = affine.for %s = 0 to 3 iter_args(%s1 = %s0) -> (f32) {
        %d = affine.for %c = 0 to 320 iter_args(%s2 = %s1) -> (f32) {
          %e = affine.if affine_set<(d0, d1) : (d0 + d1 - 1 >= 0, -d0 - d1 + 64 >= 0)>(%j, %s) -> f32 {
            %l = affine.load %x[%i + %r, %j + %s - 1, %c] : memref<66x64x320xf32>
            affine.yield %l : f32
          } else {
            affine.yield %zero : f32
          }
          %f = affine.load %w[%m floordiv 32, %r, %s, %c, %m mod 32] : memref<10x3x3x320x32xf32>
          %p = arith.mulf %e, %f : f32
          %n = arith.addf %s2, %p : f32
          affine.yield %n : f32
        }
        affine.yield %d : f32
      }
      affine.yield %b : f32
    }
    affine.store %a, %y[%i, %j, %m] : memref<64x64x320xf32>
  } {strata.nest = "contract"}
  return
}
