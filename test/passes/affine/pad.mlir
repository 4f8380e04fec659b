// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=affine-pad | FileCheck %s
// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_80 --pipeline=affine-pad | FileCheck %s --check-prefix=PLAIN
// RUN: strata-opt %s --split-input-file --pipeline=affine-pad | FileCheck %s --check-prefix=PLAIN

// What a product stores, and what an elementwise nest makes of it: rows of 197 elements are 394 and 788 bytes. What a
// row nest makes of that no product reads, nor is a result padded.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %{{.*}}: memref<64x197xf32> {strata.name = "y"
// CHECK: %[[S:.*]] = memref.alloc() : memref<64x200xf16>
// CHECK: %[[W:.*]] = memref.alloc() : memref<64x200xf32>
// CHECK: %[[M:.*]] = memref.alloc() : memref<64xf32>
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (64, 197)
// CHECK: affine.store %{{.*}}, %[[S]][%{{.*}}, %{{.*}}] : memref<64x200xf16>
// CHECK: affine.load %[[S]][%{{.*}}, %{{.*}}] : memref<64x200xf16>
// CHECK: affine.store %{{.*}}, %[[W]][%{{.*}}, %{{.*}}] : memref<64x200xf32>
// PLAIN-LABEL: func.func @main
// PLAIN-NOT: x200x
func.func @main(%x: memref<64x32xf16> {strata.name = "x"}, %w: memref<32x197xf16> {strata.name = "w"}, %y: memref<64x197xf32> {strata.name = "y", strata.output}) {
  %s = memref.alloc() : memref<64x197xf16>
  %t = memref.alloc() : memref<64x197xf32>
  %m = memref.alloc() : memref<64xf32>
  affine.parallel (%i, %j) = (0, 0) to (64, 197) {
    %zero = arith.constant 0.0 : f32
    %a = affine.for %k = 0 to 32 iter_args(%sum = %zero) -> (f32) {
      %p = affine.load %x[%i, %k] : memref<64x32xf16>
      %pw = arith.extf %p : f16 to f32
      %q = affine.load %w[%k, %j] : memref<32x197xf16>
      %qw = arith.extf %q : f16 to f32
      %e = arith.mulf %pw, %qw : f32
      %n = arith.addf %sum, %e : f32
      affine.yield %n : f32
    }
    %r = arith.truncf %a : f32 to f16
    affine.store %r, %s[%i, %j] : memref<64x197xf16>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (64, 197) {
    %e = affine.load %s[%i, %j] : memref<64x197xf16>
    %r = arith.extf %e : f16 to f32
    affine.store %r, %t[%i, %j] : memref<64x197xf32>
  } {strata.nest = "convert"}
  affine.parallel (%i) = (0) to (64) {
    %low = arith.constant 0xFF800000 : f32
    %a = affine.for %k = 0 to 197 iter_args(%max = %low) -> (f32) {
      %e = affine.load %t[%i, %k] : memref<64x197xf32>
      %n = arith.maximumf %max, %e : f32
      affine.yield %n : f32
    }
    affine.store %a, %m[%i] : memref<64xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%i, %j) = (0, 0) to (64, 197) {
    %e = affine.load %t[%i, %j] : memref<64x197xf32>
    %b = affine.load %m[%i] : memref<64xf32>
    %r = arith.subf %e, %b : f32
    affine.store %r, %y[%i, %j] : memref<64x197xf32>
  } {strata.nest = "sub"}
  return
}

// -----

// Read as rows of another length, by quotient and remainder: the rows stay one behind the other.
// CHECK-LABEL: func.func @main
// CHECK: memref.alloc() : memref<64x197xf16>
func.func @main(%x: memref<64x32xf16> {strata.name = "x"}, %w: memref<32x197xf16> {strata.name = "w"}, %y: memref<197x64xf16> {strata.name = "y", strata.output}) {
  %s = memref.alloc() : memref<64x197xf16>
  affine.parallel (%i, %j) = (0, 0) to (64, 197) {
    %zero = arith.constant 0.0 : f32
    %a = affine.for %k = 0 to 32 iter_args(%sum = %zero) -> (f32) {
      %p = affine.load %x[%i, %k] : memref<64x32xf16>
      %pw = arith.extf %p : f16 to f32
      %q = affine.load %w[%k, %j] : memref<32x197xf16>
      %qw = arith.extf %q : f16 to f32
      %e = arith.mulf %pw, %qw : f32
      %n = arith.addf %sum, %e : f32
      affine.yield %n : f32
    }
    %r = arith.truncf %a : f32 to f16
    affine.store %r, %s[%i, %j] : memref<64x197xf16>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (197, 64) {
    %e = affine.load %s[(%i * 64 + %j) floordiv 197, (%i * 64 + %j) mod 197] : memref<64x197xf16>
    affine.store %e, %y[%i, %j] : memref<197x64xf16>
  } {strata.nest = "reshape"}
  return
}

// -----

// Rows of 17 elements would grow by more than an eighth: not in what is large. Of a small buffer nobody minds.
// CHECK-LABEL: func.func @main
// CHECK: memref.alloc() : memref<65536x17xf16>
// CHECK: memref.alloc() : memref<8x24xf16>
func.func @main(%x: memref<65536x32xf16> {strata.name = "x"}, %w: memref<32x17xf16> {strata.name = "w"}, %v: memref<8x65536xf16> {strata.name = "v"}, %y: memref<8x64xf16> {strata.name = "y", strata.output}, %u: memref<17x64xf16> {strata.name = "u"}) {
  %s = memref.alloc() : memref<65536x17xf16>
  %t = memref.alloc() : memref<8x17xf16>
  affine.parallel (%i, %j) = (0, 0) to (65536, 17) {
    %zero = arith.constant 0.0 : f32
    %a = affine.for %k = 0 to 32 iter_args(%sum = %zero) -> (f32) {
      %p = affine.load %x[%i, %k] : memref<65536x32xf16>
      %pw = arith.extf %p : f16 to f32
      %q = affine.load %w[%k, %j] : memref<32x17xf16>
      %qw = arith.extf %q : f16 to f32
      %e = arith.mulf %pw, %qw : f32
      %n = arith.addf %sum, %e : f32
      affine.yield %n : f32
    }
    %r = arith.truncf %a : f32 to f16
    affine.store %r, %s[%i, %j] : memref<65536x17xf16>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (8, 17) {
    %zero = arith.constant 0.0 : f32
    %a = affine.for %k = 0 to 65536 iter_args(%sum = %zero) -> (f32) {
      %p = affine.load %v[%i, %k] : memref<8x65536xf16>
      %pw = arith.extf %p : f16 to f32
      %q = affine.load %s[%k, %j] : memref<65536x17xf16>
      %qw = arith.extf %q : f16 to f32
      %e = arith.mulf %pw, %qw : f32
      %n = arith.addf %sum, %e : f32
      affine.yield %n : f32
    }
    %r = arith.truncf %a : f32 to f16
    affine.store %r, %t[%i, %j] : memref<8x17xf16>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %zero = arith.constant 0.0 : f32
    %a = affine.for %k = 0 to 17 iter_args(%sum = %zero) -> (f32) {
      %p = affine.load %t[%i, %k] : memref<8x17xf16>
      %pw = arith.extf %p : f16 to f32
      %q = affine.load %u[%k, %j] : memref<17x64xf16>
      %qw = arith.extf %q : f16 to f32
      %e = arith.mulf %pw, %qw : f32
      %n = arith.addf %sum, %e : f32
      affine.yield %n : f32
    }
    %r = arith.truncf %a : f32 to f16
    affine.store %r, %y[%i, %j] : memref<8x64xf16>
  } {strata.nest = "contract"}
  return
}
