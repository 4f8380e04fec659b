// RUN: strata-opt %s --target=nvgpu --device=sm_90a --split-input-file --fuse-norms --pipeline=affine-group | FileCheck %s
// RUN: strata-opt %s --target=amdgpu --device=gfx942 --split-input-file --fuse-norms --pipeline=affine-group | FileCheck %s
// RUN: strata-opt %s --target=amdgpu --device=gfx1201 --split-input-file --fuse-norms --pipeline=affine-group | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_80 --split-input-file --fuse-norms --pipeline=affine-group | FileCheck %s --check-prefix=APART
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --split-input-file --fuse-norms --pipeline=affine-group --mlir-disable-fast-math | FileCheck %s --check-prefix=APART
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --split-input-file --fuse-norms --pipeline=affine-group --polyblocks-disable-reduce-reduce-fusion | FileCheck %s --check-prefix=APART

// A product, sums over the rows of its result and what is made of both are one kernel, and so is what is converted for
// each column; the product's result is stored if others read it.
// CHECK-LABEL: func.func @main
// CHECK: call @k0(
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @k0
// CHECK-COUNT-4: strata.nest
// CHECK: return
// APART-LABEL: func.func @main
// APART: call
// APART: call
func.func @main(%x: memref<512x64xbf16> {strata.name = "x"}, %w: memref<256x64xbf16> {strata.name = "w"}, %g: memref<256xbf16> {strata.name = "g"}, %s: memref<512x256xf32> {strata.name = "s", strata.output}, %out: memref<512x256xbf16> {strata.name = "y", strata.output}) {
  %v = memref.alloc() : memref<256xf32>
  %q = memref.alloc() : memref<512xf32>
  affine.parallel (%j) = (0) to (256) {
    %a = affine.load %g[%j] : memref<256xbf16>
    %b = arith.extf %a : bf16 to f32
    affine.store %b, %v[%j] : memref<256xf32>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (512, 256) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %l = affine.load %x[%i, %k] : memref<512x64xbf16>
      %lw = arith.extf %l : bf16 to f32
      %r = affine.load %w[%j, %k] : memref<256x64xbf16>
      %rw = arith.extf %r : bf16 to f32
      %p = arith.mulf %lw, %rw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %sum, %s[%i, %j] : memref<512x256xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i) = (0) to (512) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 256 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %s[%i, %j] : memref<512x256xf32>
      %n = arith.addf %a, %e : f32
      affine.yield %n : f32
    }
    affine.store %sum, %q[%i] : memref<512xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%i, %j) = (0, 0) to (512, 256) {
    %e = affine.load %s[%i, %j] : memref<512x256xf32>
    %n = affine.load %q[%i] : memref<512xf32>
    %f = affine.load %v[%j] : memref<256xf32>
    %d = arith.divf %e, %n : f32
    %m = arith.mulf %d, %f : f32
    %t = arith.truncf %m : f32 to bf16
    affine.store %t, %out[%i, %j] : memref<512x256xbf16>
  } {strata.nest = "div"}
  return
}

// -----

// Sums over columns are not, nor are rows that are read elsewhere than where they are made.
// CHECK-LABEL: func.func @main
// CHECK: call @k0
// CHECK: call @k1
// APART-LABEL: func.func @main
// APART: call
func.func @main(%x: memref<512x64xbf16> {strata.name = "x"}, %w: memref<256x64xbf16> {strata.name = "w"}, %q: memref<256xf32> {strata.name = "q", strata.output}) {
  %s = memref.alloc() : memref<512x256xf32>
  affine.parallel (%i, %j) = (0, 0) to (512, 256) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %l = affine.load %x[%i, %k] : memref<512x64xbf16>
      %lw = arith.extf %l : bf16 to f32
      %r = affine.load %w[%j, %k] : memref<256x64xbf16>
      %rw = arith.extf %r : bf16 to f32
      %p = arith.mulf %lw, %rw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %sum, %s[%i, %j] : memref<512x256xf32>
  } {strata.nest = "contract"}
  affine.parallel (%j) = (0) to (256) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %i = 0 to 512 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %s[%i, %j] : memref<512x256xf32>
      %n = arith.addf %a, %e : f32
      affine.yield %n : f32
    }
    affine.store %sum, %q[%j] : memref<256xf32>
  } {strata.nest = "reduce"}
  return
}

// -----

// What reads each row and the one below it, or a part of the rows, is a kernel of its own.
// CHECK-LABEL: func.func @main
// CHECK: call @k0
// CHECK: call @k1
// APART-LABEL: func.func @main
// APART: call
func.func @main(%x: memref<512x64xbf16> {strata.name = "x"}, %w: memref<256x64xbf16> {strata.name = "w"}, %q: memref<512xf32> {strata.name = "q", strata.output}) {
  %s = memref.alloc() : memref<513x256xf32>
  affine.parallel (%i, %j) = (0, 0) to (513, 256) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %l = affine.load %x[0, %k] : memref<512x64xbf16>
      %lw = arith.extf %l : bf16 to f32
      %r = affine.load %w[%j, %k] : memref<256x64xbf16>
      %rw = arith.extf %r : bf16 to f32
      %p = arith.mulf %lw, %rw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %sum, %s[%i, %j] : memref<513x256xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i) = (0) to (512) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 256 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %s[%i, %j] : memref<513x256xf32>
      %f = affine.load %s[%i + 1, %j] : memref<513x256xf32>
      %p = arith.mulf %e, %f : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %sum, %q[%i] : memref<512xf32>
  } {strata.nest = "reduce"}
  return
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: call @k0
// CHECK: call @k1
// APART-LABEL: func.func @main
// APART: call
func.func @main(%x: memref<512x64xbf16> {strata.name = "x"}, %w: memref<256x64xbf16> {strata.name = "w"}, %q: memref<512xf32> {strata.name = "q", strata.output}) {
  %s = memref.alloc() : memref<513x256xf32>
  affine.parallel (%i, %j) = (0, 0) to (513, 256) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %l = affine.load %x[0, %k] : memref<512x64xbf16>
      %lw = arith.extf %l : bf16 to f32
      %r = affine.load %w[%j, %k] : memref<256x64xbf16>
      %rw = arith.extf %r : bf16 to f32
      %p = arith.mulf %lw, %rw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %sum, %s[%i, %j] : memref<513x256xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i) = (0) to (512) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 256 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %s[%i, %j] : memref<513x256xf32>
      %n = arith.addf %a, %e : f32
      affine.yield %n : f32
    }
    affine.store %sum, %q[%i] : memref<512xf32>
  } {strata.nest = "reduce"}
  return
}
