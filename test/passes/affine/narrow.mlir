// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=affine-narrow | FileCheck %s
// RUN: strata-opt %s --split-input-file --pipeline=affine-narrow | FileCheck %s --check-prefix=CPU

// What is only converted is stored converted, and the conversion's result is the buffer itself.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = memref.alloc() : memref<8x64xf16>
// CHECK-NOT: memref.alloc
// CHECK: %[[R:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK: affine.store %[[R]], %[[T]]
// CHECK: strata.nest = "add"
// CHECK-NEXT: affine.parallel
// CHECK: affine.load %[[T]]
// CHECK-NEXT: arith.extf
// CHECK: strata.nest = "contract"
// CPU-LABEL: func.func @main
// CPU: affine.store {{.*}} : memref<8x64xf32>
// CPU: strata.nest = "convert"
func.func @main(%x: memref<8x64xf32> {strata.name = "x"}, %w: memref<64x16xf16> {strata.name = "w"}, %y: memref<8x16xf32> {strata.name = "y", strata.output}) {
  %t = memref.alloc() : memref<8x64xf32>
  %u = memref.alloc() : memref<8x64xf16>
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %e = affine.load %x[%i, %j] : memref<8x64xf32>
    %s = arith.addf %e, %e : f32
    affine.store %s, %t[%i, %j] : memref<8x64xf32>
  } {strata.nest = "add"}
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %e = affine.load %t[%i, %j] : memref<8x64xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %u[%i, %j] : memref<8x64xf16>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (8, 16) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %p = affine.load %u[%i, %k] : memref<8x64xf16>
      %pw = arith.extf %p : f16 to f32
      %q = affine.load %w[%k, %j] : memref<64x16xf16>
      %qw = arith.extf %q : f16 to f32
      %m = arith.mulf %pw, %qw : f32
      %n = arith.addf %a, %m : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<8x16xf32>
  } {strata.nest = "contract"}
  return
}

// -----

// A rounding goes through a maximum of windows, and the padding with it.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = memref.alloc() : memref<64xf16>
// CHECK: arith.truncf
// CHECK-NEXT: affine.store {{.*}} %[[T]]
// CHECK: strata.nest = "add"
// CHECK: %[[E:.*]] = affine.if {{.*}} -> f16 {
// CHECK-NEXT: %[[L:.*]] = affine.load %[[T]]
// CHECK-NEXT: affine.yield %[[L]] : f16
// CHECK: %[[P:.*]] = arith.constant 0xFC00 : f16
// CHECK-NEXT: affine.yield %[[P]] : f16
// CHECK: %[[W:.*]] = arith.extf %[[E]] : f16 to f32
// CHECK-NEXT: arith.maximumf %{{.*}}, %[[W]]
// CHECK: %[[N:.*]] = arith.truncf
// CHECK-NEXT: affine.store %[[N]], %{{.*}} : memref<32xf16>
// CHECK: strata.nest = "window"
func.func @main(%x: memref<64xf32> {strata.name = "x"}, %y: memref<32xf16> {strata.name = "y", strata.output}) {
  %t = memref.alloc() : memref<64xf32>
  %m = memref.alloc() : memref<32xf32>
  affine.parallel (%i) = (0) to (64) {
    %e = affine.load %x[%i] : memref<64xf32>
    %s = arith.addf %e, %e : f32
    affine.store %s, %t[%i] : memref<64xf32>
  } {strata.nest = "add"}
  affine.parallel (%i) = (0) to (32) {
    %low = arith.constant 0xFF800000 : f32
    %s = affine.for %k = 0 to 3 iter_args(%a = %low) -> (f32) {
      %e = affine.if affine_set<(i, k) : (i * 2 + k - 1 >= 0)>(%i, %k) -> f32 {
        %l = affine.load %t[%i * 2 + %k - 1] : memref<64xf32>
        affine.yield %l : f32
      } else {
        %p = arith.constant 0xFF800000 : f32
        affine.yield %p : f32
      }
      %n = arith.maximumf %a, %e : f32
      affine.yield %n : f32
    }
    affine.store %s, %m[%i] : memref<32xf32>
  } {strata.nest = "window"}
  affine.parallel (%i) = (0) to (32) {
    %e = affine.load %m[%i] : memref<32xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %y[%i] : memref<32xf16>
  } {strata.nest = "convert"}
  return
}

// -----

// Parts of a buffer that is only read as bytes are bytes; what somebody needs wide stays wide, as does what is rounded
// to two types, what is summed up before it is rounded, and what the caller sees.
// CHECK-LABEL: func.func @main
// CHECK: %[[PARTS:.*]] = memref.alloc() : memref<16xi8>
// CHECK-NEXT: %[[BOTH:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: %[[TYPES:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: %[[SUM:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[A:.*]] = arith.trunci %{{.*}} : i32 to i8
// CHECK-NEXT: affine.store %[[A]], %[[PARTS]]
// CHECK: %[[B:.*]] = arith.trunci %{{.*}} : i32 to i8
// CHECK-NEXT: affine.store %[[B]], %[[PARTS]]
// CHECK: affine.store {{.*}} : memref<8xf32>
// CHECK: %[[L:.*]] = affine.load %[[PARTS]]
// CHECK-NEXT: affine.store %[[L]]
func.func @main(%x: memref<8xi32> {strata.name = "x"}, %f: memref<8xf32> {strata.name = "f"}, %y: memref<16xi8> {strata.name = "y", strata.output}, %z: memref<8xf32> {strata.name = "z", strata.output}, %h: memref<8xf16> {strata.name = "h", strata.output}, %b: memref<8xbf16> {strata.name = "b", strata.output}, %s: memref<1xf16> {strata.name = "s", strata.output}) {
  %parts = memref.alloc() : memref<16xi32>
  %both = memref.alloc() : memref<8xf32>
  %types = memref.alloc() : memref<8xf32>
  %sum = memref.alloc() : memref<8xf32>
  affine.parallel (%i) = (0) to (8) {
    %e = affine.load %x[%i] : memref<8xi32>
    affine.store %e, %parts[%i] : memref<16xi32>
  } {strata.nest = "copy"}
  affine.parallel (%i) = (0) to (8) {
    %e = affine.load %x[%i] : memref<8xi32>
    %n = arith.addi %e, %e : i32
    affine.store %n, %parts[%i + 8] : memref<16xi32>
  } {strata.nest = "add"}
  affine.parallel (%i) = (0) to (8) {
    %e = affine.load %f[%i] : memref<8xf32>
    %n = arith.addf %e, %e : f32
    affine.store %n, %both[%i] : memref<8xf32>
    affine.store %n, %types[%i] : memref<8xf32>
    affine.store %n, %sum[%i] : memref<8xf32>
    affine.store %n, %z[%i] : memref<8xf32>
  } {strata.nest = "add"}
  affine.parallel (%i) = (0) to (16) {
    %e = affine.load %parts[%i] : memref<16xi32>
    %n = arith.trunci %e : i32 to i8
    affine.store %n, %y[%i] : memref<16xi8>
  } {strata.nest = "convert"}
  affine.parallel (%i) = (0) to (8) {
    %e = affine.load %both[%i] : memref<8xf32>
    %t = affine.load %types[%i] : memref<8xf32>
    %r = arith.truncf %e : f32 to f16
    %q = arith.truncf %t : f32 to f16
    %w = arith.addf %e, %e : f32
    %v = arith.truncf %w : f32 to f16
    %u = arith.truncf %t : f32 to bf16
    %o = arith.addf %r, %q : f16
    %p = arith.addf %o, %v : f16
    affine.store %p, %h[%i] : memref<8xf16>
    affine.store %u, %b[%i] : memref<8xbf16>
  } {strata.nest = "add"}
  affine.parallel (%i) = (0) to (1) {
    %zero = arith.constant 0.0 : f32
    %n = affine.for %k = 0 to 8 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %sum[%k] : memref<8xf32>
      %c = arith.addf %a, %e : f32
      affine.yield %c : f32
    }
    %r = arith.truncf %n : f32 to f16
    affine.store %r, %s[%i] : memref<1xf16>
  } {strata.nest = "sum"}
  return
}

// -----

// What is stored narrow is read so, and widened where it is read.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = memref.alloc() : memref<8x64xf16>
// CHECK-NOT: memref.alloc
// CHECK: strata.nest = "mul"
// CHECK-NOT: strata.nest = "convert"
// CHECK: %[[E:.*]] = affine.load %[[T]]
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[E]] : f16 to f32
// CHECK-NEXT: arith.addf %[[W]], %[[W]]
// CHECK: strata.nest = "add"
// CPU: strata.nest = "convert"
func.func @main(%x: memref<8x64xf16> {strata.name = "x"}, %y: memref<8x64xf32> {strata.name = "y", strata.output}) {
  %t = memref.alloc() : memref<8x64xf16>
  %u = memref.alloc() : memref<8x64xf32>
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %e = affine.load %x[%i, %j] : memref<8x64xf16>
    %s = arith.mulf %e, %e : f16
    affine.store %s, %t[%i, %j] : memref<8x64xf16>
  } {strata.nest = "mul"}
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %e = affine.load %t[%i, %j] : memref<8x64xf16>
    %w = arith.extf %e : f16 to f32
    affine.store %w, %u[%i, %j] : memref<8x64xf32>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %e = affine.load %u[%i, %j] : memref<8x64xf32>
    %s = arith.addf %e, %e : f32
    affine.store %s, %y[%i, %j] : memref<8x64xf32>
  } {strata.nest = "add"}
  return
}

// -----
// Two copies in a row, once what is rounded at last is rounded at first: both go.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = memref.alloc() : memref<8x64xf16>
// CHECK-NOT: memref.alloc
// CHECK: affine.store %{{.*}}, %[[T]]
// CHECK: strata.nest = "abs"
// CHECK-NOT: strata.nest = "copy"
// CHECK-NOT: strata.nest = "convert"
// CHECK: affine.load %[[T]]
// CHECK: strata.nest = "mul"
func.func @main(%x: memref<8x64xf32> {strata.name = "x"}, %y: memref<8x64xf16> {strata.name = "y", strata.output}) {
  %t = memref.alloc() : memref<8x64xf32>
  %u = memref.alloc() : memref<8x64xf32>
  %v = memref.alloc() : memref<8x64xf16>
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %e = affine.load %x[%i, %j] : memref<8x64xf32>
    %s = math.absf %e : f32
    affine.store %s, %t[%i, %j] : memref<8x64xf32>
  } {strata.nest = "abs"}
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %e = affine.load %t[%i, %j] : memref<8x64xf32>
    affine.store %e, %u[%i, %j] : memref<8x64xf32>
  } {strata.nest = "copy"}
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %e = affine.load %u[%i, %j] : memref<8x64xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %v[%i, %j] : memref<8x64xf16>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %e = affine.load %v[%i, %j] : memref<8x64xf16>
    %s = arith.mulf %e, %e : f16
    affine.store %s, %y[%i, %j] : memref<8x64xf16>
  } {strata.nest = "mul"}
  return
}

// -----

// An input is read narrow by those who need it wide, wherever its elements went in between. One that a contraction
// multiplies stays a nest.
// CHECK-LABEL: func.func @main
// CHECK: strata.nest = "convert"
// CHECK-NOT: strata.nest = "convert"
// CHECK: affine.parallel (%[[G:.*]], %[[I:.*]]) = (0, 0) to (4, 2) {
// CHECK: %[[E:.*]] = affine.load %arg0[%[[G]] * 2 + %[[I]]] : memref<8xf16>
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[E]] : f16 to f32
// CHECK-NEXT: arith.addf %[[W]], %[[W]]
func.func @main(%x: memref<8xf16> {strata.name = "x"}, %y: memref<4x2xf32> {strata.name = "y", strata.output}, %a: memref<8x64xf16> {strata.name = "a"}, %b: memref<64x16xf32> {strata.name = "b"}, %z: memref<8x16xf32> {strata.name = "z", strata.output}) {
  %u = memref.alloc() : memref<8x64xf32>
  affine.parallel (%i, %k) = (0, 0) to (8, 64) {
    %e = affine.load %a[%i, %k] : memref<8x64xf16>
    %w = arith.extf %e : f16 to f32
    affine.store %w, %u[%i, %k] : memref<8x64xf32>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (8, 16) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 64 iter_args(%c = %zero) -> (f32) {
      %p = affine.load %u[%i, %k] : memref<8x64xf32>
      %q = affine.load %b[%k, %j] : memref<64x16xf32>
      %m = arith.mulf %p, %q : f32
      %n = arith.addf %c, %m : f32
      affine.yield %n : f32
    }
    affine.store %s, %z[%i, %j] : memref<8x16xf32>
  } {strata.nest = "contract"}
  %t = memref.alloc() : memref<2x4xf32>
  affine.parallel (%i, %g) = (0, 0) to (2, 4) {
    %e = affine.load %x[%g * 2 + %i] : memref<8xf16>
    %w = arith.extf %e : f16 to f32
    affine.store %w, %t[%i, %g] : memref<2x4xf32>
  } {strata.nest = "convert"}
  affine.parallel (%g, %i) = (0, 0) to (4, 2) {
    %e = affine.load %t[%i, %g] : memref<2x4xf32>
    %s = arith.addf %e, %e : f32
    affine.store %s, %y[%g, %i] : memref<4x2xf32>
  } {strata.nest = "add"}
  return
}
