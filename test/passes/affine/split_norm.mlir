// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=affine-split-reductions | FileCheck %s
// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=affine-split-reductions,affine-group,affine-coalesce,affine-schedule | FileCheck %s --check-prefix=KERNELS
// RUN: strata-opt %s --split-input-file --pipeline=affine-split-reductions | FileCheck %s --check-prefix=CPU

// Group norms of channels that lie first in what is read and last in what is stored. One kernel would store each element
// into a sector of its own. Mean and variance are a kernel of clusters, which stores both once for each channel, so that
// the channels of all groups are one dim for the norm: a map that is turned in tiles.
// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%[[G:.*]], %{{.*}}) = (0, 0) to (32, 10) {
// CHECK-NEXT: affine.load %[[M:.*]][%[[G]]] : memref<32xf32>
// CHECK-NEXT: affine.store %{{.*}}, %[[MS:.*]][%[[G]], %{{.*}}] : memref<32x10xf32>
// CHECK-NEXT: } {strata.nest = "spread", strata.stored}
// CHECK: affine.load %[[MS]][%{{.*}}, %{{.*}}]
// CHECK-NEXT: arith.subf
// The sum of squares computes differences of its own and walks a row as it lies.
// CHECK: affine.for %[[C:.*]] = 0 to 10
// CHECK-NEXT: affine.for %[[P:.*]] = 0 to 8192
// CHECK-NEXT: affine.load %arg0[%{{.*}}, %[[C]], %[[P]]] : memref<32x10x8192xf16>
// CHECK: affine.load %[[M]][%{{.*}}] : memref<32xf32>
// CHECK-NEXT: %[[D:.*]] = arith.subf
// CHECK-NEXT: arith.mulf %[[D]], %[[D]]
// CHECK: affine.store %{{.*}}, %[[RS:.*]][%{{.*}}, %{{.*}}] : memref<32x10xf32>
// CHECK-NEXT: } {strata.nest = "spread", strata.stored}
// CHECK: affine.load %[[RS]][
// KERNELS-LABEL: func.func @main
// KERNELS: call @k0(
// KERNELS: call @k1(
// KERNELS-NOT: call
// KERNELS: func.func private @k0({{.*}}memref<32x10xf32>{{.*}}kind = "rows", slots = 1 : i64
// KERNELS: func.func private @k1({{.*}}: memref<8192x320xf16>{{.*}}kind = "map"{{.*}}tile = array<i64: {{[0-9]+}}, {{[0-9]+}}>
// KERNELS: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (8192, 320) {
// CPU-LABEL: func.func @main
// CPU-NOT: strata.stored
func.func @main(%x: memref<32x10x8192xf16> {strata.name = "x"}, %y: memref<8192x32x10xf16> {strata.name = "y", strata.output}) {
  %s = memref.alloc() : memref<32xf32>
  affine.parallel (%g) = (0) to (32) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %p = 0 to 8192 iter_args(%a = %zero) -> (f32) {
      %t = affine.for %c = 0 to 10 iter_args(%b = %a) -> (f32) {
        %e = affine.load %x[%g, %c, %p] : memref<32x10x8192xf16>
        %w = arith.extf %e : f16 to f32
        %n = arith.addf %b, %w : f32
        affine.yield %n : f32
      }
      affine.yield %t : f32
    }
    affine.store %r, %s[%g] : memref<32xf32>
  } {strata.nest = "reduce"}
  %m = memref.alloc() : memref<32xf32>
  affine.parallel (%g) = (0) to (32) {
    %e = affine.load %s[%g] : memref<32xf32>
    %c = arith.constant 1.220703125e-05 : f32
    %r = arith.mulf %e, %c : f32
    affine.store %r, %m[%g] : memref<32xf32>
  } {strata.nest = "mul"}
  %d = memref.alloc() : memref<8192x32x10xf32>
  affine.parallel (%p, %g, %c) = (0, 0, 0) to (8192, 32, 10) {
    %e = affine.load %x[%g, %c, %p] : memref<32x10x8192xf16>
    %w = arith.extf %e : f16 to f32
    %a = affine.load %m[%g] : memref<32xf32>
    %r = arith.subf %w, %a : f32
    affine.store %r, %d[%p, %g, %c] : memref<8192x32x10xf32>
  } {strata.nest = "sub"}
  %q = memref.alloc() : memref<8192x32x10xf32>
  affine.parallel (%p, %g, %c) = (0, 0, 0) to (8192, 32, 10) {
    %e = affine.load %d[%p, %g, %c] : memref<8192x32x10xf32>
    %f = affine.load %d[%p, %g, %c] : memref<8192x32x10xf32>
    %r = arith.mulf %e, %f : f32
    affine.store %r, %q[%p, %g, %c] : memref<8192x32x10xf32>
  } {strata.nest = "mul"}
  %v = memref.alloc() : memref<32xf32>
  affine.parallel (%g) = (0) to (32) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %p = 0 to 8192 iter_args(%a = %zero) -> (f32) {
      %t = affine.for %c = 0 to 10 iter_args(%b = %a) -> (f32) {
        %e = affine.load %q[%p, %g, %c] : memref<8192x32x10xf32>
        %n = arith.addf %b, %e : f32
        affine.yield %n : f32
      }
      affine.yield %t : f32
    }
    affine.store %r, %v[%g] : memref<32xf32>
  } {strata.nest = "reduce"}
  %i = memref.alloc() : memref<32xf32>
  affine.parallel (%g) = (0) to (32) {
    %e = affine.load %v[%g] : memref<32xf32>
    %r = math.rsqrt %e : f32
    affine.store %r, %i[%g] : memref<32xf32>
  } {strata.nest = "rsqrt"}
  affine.parallel (%p, %g, %c) = (0, 0, 0) to (8192, 32, 10) {
    %e = affine.load %d[%p, %g, %c] : memref<8192x32x10xf32>
    %a = affine.load %i[%g] : memref<32xf32>
    %r = arith.mulf %e, %a : f32
    %h = arith.truncf %r : f32 to f16
    affine.store %h, %y[%p, %g, %c] : memref<8192x32x10xf16>
  } {strata.nest = "mul"}
  return
}

// -----

// Of few pixels a second kernel takes longer than the sectors.
// CHECK-LABEL: func.func @main
// CHECK-NOT: strata.stored
// KERNELS-LABEL: func.func @main
// KERNELS: call @k0(
// KERNELS-NOT: call
// KERNELS: func.func private @k0({{.*}}kind = "rows"
// CPU-LABEL: func.func @main
// CPU-NOT: strata.stored
func.func @main(%x: memref<32x10x256xf16> {strata.name = "x"}, %y: memref<256x32x10xf16> {strata.name = "y", strata.output}) {
  %s = memref.alloc() : memref<32xf32>
  affine.parallel (%g) = (0) to (32) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %p = 0 to 256 iter_args(%a = %zero) -> (f32) {
      %t = affine.for %c = 0 to 10 iter_args(%b = %a) -> (f32) {
        %e = affine.load %x[%g, %c, %p] : memref<32x10x256xf16>
        %w = arith.extf %e : f16 to f32
        %n = arith.addf %b, %w : f32
        affine.yield %n : f32
      }
      affine.yield %t : f32
    }
    affine.store %r, %s[%g] : memref<32xf32>
  } {strata.nest = "reduce"}
  %m = memref.alloc() : memref<32xf32>
  affine.parallel (%g) = (0) to (32) {
    %e = affine.load %s[%g] : memref<32xf32>
    %c = arith.constant 0.000390625 : f32
    %r = arith.mulf %e, %c : f32
    affine.store %r, %m[%g] : memref<32xf32>
  } {strata.nest = "mul"}
  %d = memref.alloc() : memref<256x32x10xf32>
  affine.parallel (%p, %g, %c) = (0, 0, 0) to (256, 32, 10) {
    %e = affine.load %x[%g, %c, %p] : memref<32x10x256xf16>
    %w = arith.extf %e : f16 to f32
    %a = affine.load %m[%g] : memref<32xf32>
    %r = arith.subf %w, %a : f32
    affine.store %r, %d[%p, %g, %c] : memref<256x32x10xf32>
  } {strata.nest = "sub"}
  %q = memref.alloc() : memref<256x32x10xf32>
  affine.parallel (%p, %g, %c) = (0, 0, 0) to (256, 32, 10) {
    %e = affine.load %d[%p, %g, %c] : memref<256x32x10xf32>
    %f = affine.load %d[%p, %g, %c] : memref<256x32x10xf32>
    %r = arith.mulf %e, %f : f32
    affine.store %r, %q[%p, %g, %c] : memref<256x32x10xf32>
  } {strata.nest = "mul"}
  %v = memref.alloc() : memref<32xf32>
  affine.parallel (%g) = (0) to (32) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %p = 0 to 256 iter_args(%a = %zero) -> (f32) {
      %t = affine.for %c = 0 to 10 iter_args(%b = %a) -> (f32) {
        %e = affine.load %q[%p, %g, %c] : memref<256x32x10xf32>
        %n = arith.addf %b, %e : f32
        affine.yield %n : f32
      }
      affine.yield %t : f32
    }
    affine.store %r, %v[%g] : memref<32xf32>
  } {strata.nest = "reduce"}
  %i = memref.alloc() : memref<32xf32>
  affine.parallel (%g) = (0) to (32) {
    %e = affine.load %v[%g] : memref<32xf32>
    %r = math.rsqrt %e : f32
    affine.store %r, %i[%g] : memref<32xf32>
  } {strata.nest = "rsqrt"}
  affine.parallel (%p, %g, %c) = (0, 0, 0) to (256, 32, 10) {
    %e = affine.load %d[%p, %g, %c] : memref<256x32x10xf32>
    %a = affine.load %i[%g] : memref<32xf32>
    %r = arith.mulf %e, %a : f32
    %h = arith.truncf %r : f32 to f16
    affine.store %h, %y[%p, %g, %c] : memref<256x32x10xf16>
  } {strata.nest = "mul"}
  return
}
