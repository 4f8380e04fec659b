// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=affine-group | FileCheck %s

// A product with few rows reads its other operand once: the conversion is part of it. So it is of a product that is over
// sooner than a launch.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: call @
// CHECK-NOT: call @
// CHECK-LABEL: func.func private @k0
// CHECK: strata.nest = "convert"
// CHECK: strata.nest = "contract"
// CHECK-LABEL: func.func private @k1
// CHECK: strata.nest = "convert"
// CHECK: strata.nest = "contract"
func.func @main(%q: memref<4x64xf16> {strata.name = "q"}, %k: memref<4096x64xf32> {strata.name = "k"}, %y: memref<4x4096xf32> {strata.name = "y", strata.output}, %a: memref<64x64xf32> {strata.name = "a"}, %b: memref<64x64xf16> {strata.name = "b"}, %z: memref<64x64xf32> {strata.name = "z", strata.output}) {
  %t = memref.alloc() : memref<4096x64xf16>
  %u = memref.alloc() : memref<64x64xf16>
  affine.parallel (%i, %j) = (0, 0) to (4096, 64) {
    %e = affine.load %k[%i, %j] : memref<4096x64xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %t[%i, %j] : memref<4096x64xf16>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (4, 4096) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %d = 0 to 64 iter_args(%c = %zero) -> (f32) {
      %p = affine.load %q[%i, %d] : memref<4x64xf16>
      %pw = arith.extf %p : f16 to f32
      %r = affine.load %t[%j, %d] : memref<4096x64xf16>
      %rw = arith.extf %r : f16 to f32
      %m = arith.mulf %pw, %rw : f32
      %n = arith.addf %c, %m : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<4x4096xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    %e = affine.load %a[%i, %j] : memref<64x64xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %u[%i, %j] : memref<64x64xf16>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %d = 0 to 64 iter_args(%c = %zero) -> (f32) {
      %p = affine.load %u[%i, %d] : memref<64x64xf16>
      %pw = arith.extf %p : f16 to f32
      %r = affine.load %b[%j, %d] : memref<64x64xf16>
      %rw = arith.extf %r : f16 to f32
      %m = arith.mulf %pw, %rw : f32
      %n = arith.addf %c, %m : f32
      affine.yield %n : f32
    }
    affine.store %s, %z[%i, %j] : memref<64x64xf32>
  } {strata.nest = "contract"}
  return
}

// -----

// A large product fetches its operands in bulk: even a scale of what has the same type is a kernel before it.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: call @
// CHECK-NOT: call @
// CHECK-LABEL: func.func private @k0
// CHECK: strata.nest = "mul"
// CHECK-NOT: strata.nest
// CHECK: func.func private @k1
// CHECK: strata.nest = "contract"
func.func @main(%x: memref<1024x1024xf16> {strata.name = "x"}, %w: memref<1024x128xf16> {strata.name = "w"}, %y: memref<1024x128xf32> {strata.name = "y", strata.output}) {
  %t = memref.alloc() : memref<1024x1024xf16>
  affine.parallel (%i, %j) = (0, 0) to (1024, 1024) {
    %e = affine.load %x[%i, %j] : memref<1024x1024xf16>
    %h = arith.extf %e : f16 to f32
    %s = arith.mulf %h, %h : f32
    %r = arith.truncf %s : f32 to f16
    affine.store %r, %t[%i, %j] : memref<1024x1024xf16>
  } {strata.nest = "mul"}
  affine.parallel (%i, %j) = (0, 0) to (1024, 128) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %d = 0 to 1024 iter_args(%c = %zero) -> (f32) {
      %p = affine.load %t[%i, %d] : memref<1024x1024xf16>
      %pw = arith.extf %p : f16 to f32
      %r = affine.load %w[%d, %j] : memref<1024x128xf16>
      %rw = arith.extf %r : f16 to f32
      %m = arith.mulf %pw, %rw : f32
      %n = arith.addf %c, %m : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<1024x128xf32>
  } {strata.nest = "contract"}
  return
}

// -----

// The squares of a norm are computed by the norm, not by the product before it: what they are of is in memory anyway.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: call @
// CHECK-NOT: call @
// CHECK-LABEL: func.func private @k0
// CHECK: strata.nest = "contract"
// CHECK-NOT: strata.nest
// CHECK: func.func private @k1
// CHECK: strata.nest = "mul"
// CHECK: strata.nest = "reduce"
// CHECK: strata.nest = "rsqrt"
// CHECK: strata.nest = "mul"
func.func @main(%x: memref<256x64xf16> {strata.name = "x"}, %w: memref<64x512xf16> {strata.name = "w"}, %y: memref<256x512xf16> {strata.name = "y", strata.output}) {
  %t = memref.alloc() : memref<256x512xf32>
  %q = memref.alloc() : memref<256x512xf32>
  %v = memref.alloc() : memref<256xf32>
  %i = memref.alloc() : memref<256xf32>
  affine.parallel (%a, %b) = (0, 0) to (256, 512) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %d = 0 to 64 iter_args(%c = %zero) -> (f32) {
      %p = affine.load %x[%a, %d] : memref<256x64xf16>
      %pw = arith.extf %p : f16 to f32
      %r = affine.load %w[%d, %b] : memref<64x512xf16>
      %rw = arith.extf %r : f16 to f32
      %m = arith.mulf %pw, %rw : f32
      %n = arith.addf %c, %m : f32
      affine.yield %n : f32
    }
    affine.store %s, %t[%a, %b] : memref<256x512xf32>
  } {strata.nest = "contract"}
  affine.parallel (%a, %b) = (0, 0) to (256, 512) {
    %e = affine.load %t[%a, %b] : memref<256x512xf32>
    %s = arith.mulf %e, %e : f32
    affine.store %s, %q[%a, %b] : memref<256x512xf32>
  } {strata.nest = "mul"}
  affine.parallel (%a) = (0) to (256) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %b = 0 to 512 iter_args(%c = %zero) -> (f32) {
      %e = affine.load %q[%a, %b] : memref<256x512xf32>
      %n = arith.addf %c, %e : f32
      affine.yield %n : f32
    }
    affine.store %s, %v[%a] : memref<256xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%a) = (0) to (256) {
    %e = affine.load %v[%a] : memref<256xf32>
    %r = math.rsqrt %e : f32
    affine.store %r, %i[%a] : memref<256xf32>
  } {strata.nest = "rsqrt"}
  affine.parallel (%a, %b) = (0, 0) to (256, 512) {
    %e = affine.load %t[%a, %b] : memref<256x512xf32>
    %f = affine.load %i[%a] : memref<256xf32>
    %s = arith.mulf %e, %f : f32
    %r = arith.truncf %s : f32 to f16
    affine.store %r, %y[%a, %b] : memref<256x512xf16>
  } {strata.nest = "mul"}
  return
}

// -----

// What is rounded and only widened again for a norm goes through memory narrow: the norm widens it. Widened for what is a
// part of the product's kernel, it is one as well.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: call @
// CHECK-NOT: call @
// CHECK-LABEL: func.func private @k0({{.*}}: memref<256x64xbf16>, %{{.*}}: memref<256xbf16>
// CHECK: strata.nest = "contract"
// CHECK: strata.nest = "convert"
// CHECK: strata.nest = "exp"
// CHECK-NOT: strata.nest
// CHECK-LABEL: func.func private @k1({{.*}}: memref<512x256xbf16>
// CHECK: strata.nest = "convert"
// CHECK: strata.nest = "reduce"
func.func @main(%x: memref<512x64xbf16> {strata.name = "x"}, %w: memref<256x64xbf16> {strata.name = "w"}, %b: memref<256xbf16> {strata.name = "b"}, %y: memref<512x256xf32> {strata.name = "y", strata.output}, %z: memref<512x256xf32> {strata.name = "z", strata.output}) {
  %t = memref.alloc() : memref<512x256xbf16>
  %u = memref.alloc() : memref<512x256xf32>
  %v = memref.alloc() : memref<512x256xf32>
  %s = memref.alloc() : memref<512xf32>
  affine.parallel (%i, %j) = (0, 0) to (512, 256) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 64 iter_args(%c = %zero) -> (f32) {
      %p = affine.load %x[%i, %d] : memref<512x64xbf16>
      %pw = arith.extf %p : bf16 to f32
      %r = affine.load %w[%j, %d] : memref<256x64xbf16>
      %rw = arith.extf %r : bf16 to f32
      %m = arith.mulf %pw, %rw : f32
      %n = arith.addf %c, %m : f32
      affine.yield %n : f32
    }
    %e = affine.load %b[%j] : memref<256xbf16>
    %ew = arith.extf %e : bf16 to f32
    %a = arith.addf %sum, %ew : f32
    %q = arith.truncf %a : f32 to bf16
    affine.store %q, %t[%i, %j] : memref<512x256xbf16>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (512, 256) {
    %e = affine.load %t[%i, %j] : memref<512x256xbf16>
    %q = arith.extf %e : bf16 to f32
    affine.store %q, %v[%i, %j] : memref<512x256xf32>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (512, 256) {
    %e = affine.load %v[%i, %j] : memref<512x256xf32>
    %q = math.exp %e : f32
    affine.store %q, %z[%i, %j] : memref<512x256xf32>
  } {strata.nest = "exp"}
  affine.parallel (%i, %j) = (0, 0) to (512, 256) {
    %e = affine.load %t[%i, %j] : memref<512x256xbf16>
    %q = arith.extf %e : bf16 to f32
    affine.store %q, %u[%i, %j] : memref<512x256xf32>
  } {strata.nest = "convert"}
  affine.parallel (%i) = (0) to (512) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 256 iter_args(%c = %zero) -> (f32) {
      %p = affine.load %u[%i, %d] : memref<512x256xf32>
      %n = arith.addf %c, %p : f32
      affine.yield %n : f32
    }
    affine.store %sum, %s[%i] : memref<512xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%i, %j) = (0, 0) to (512, 256) {
    %e = affine.load %u[%i, %j] : memref<512x256xf32>
    %m = affine.load %s[%i] : memref<512xf32>
    %q = arith.subf %e, %m : f32
    affine.store %q, %y[%i, %j] : memref<512x256xf32>
  } {strata.nest = "sub"}
  return
}
