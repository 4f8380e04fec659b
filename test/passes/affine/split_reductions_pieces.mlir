// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=affine-split-reductions | FileCheck %s
// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=affine-split-reductions,affine-group,affine-coalesce,affine-schedule | FileCheck %s --check-prefix=KERNELS
// RUN: strata-opt %s --split-input-file --device=x86-64-v4 --pipeline=affine-split-reductions,affine-group,affine-coalesce,affine-schedule | FileCheck %s --check-prefix=CPU
// RUN: strata-opt %s --split-input-file --polyblocks-disable-unsafe-math-canonicalizations --pipeline=affine-split-reductions | FileCheck %s --check-prefix=SAFE

// Group norms of four channels that lie last. A block that holds a group would read and store eight bytes of each
// sector: the sums are of columns, the channels of all groups, in parts of the pixels, and neighbouring threads have
// neighbouring channels. What combines them is one kernel, the norm of whole pixels another.
// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%[[T:.*]], %[[G:.*]], %[[C:.*]]) = (0, 0, 0) to ([[PARTS:[0-9]+]], 8, 4) {
// CHECK: affine.for %[[P:.*]] = 0 to [[SIZE:[0-9]+]] iter_args
// CHECK: affine.load %arg0[%[[T]] * [[SIZE]] + %[[P]], %[[G]], %[[C]]] : memref<262144x8x4xf16>
// CHECK: affine.store %{{.*}}, %[[S:.*]][%[[T]], %[[G]], %[[C]]] : memref<[[PARTS]]x8x4xf32>
// CHECK: affine.parallel (%[[T:.*]], %[[G:.*]], %[[C:.*]]) = (0, 0, 0) to ([[PARTS]], 8, 4) {
// CHECK: affine.load %[[S]][%[[T]], %[[G]], %[[C]]]
// CHECK: affine.store %{{.*}}, %[[M:.*]][%[[T]], %[[G]], %[[C]]]
// CHECK: affine.parallel (%[[G:.*]]) = (0) to (8) {
// CHECK: affine.for %[[T:.*]] = 0 to [[PARTS]]
// CHECK: affine.for %[[C:.*]] = 0 to 4
// CHECK: affine.load %[[S]][%[[T]], %[[G]], %[[C]]]
// The squares are of differences from the mean of a column's part.
// CHECK: affine.parallel (%[[T:.*]], %{{.*}}, %[[G:.*]], %[[C:.*]]) = (0, 0, 0, 0) to ([[PARTS]], [[SIZE]], 8, 4) {
// CHECK: affine.load %[[M]][%[[T]], %[[G]], %[[C]]]
// CHECK: arith.subf
// KERNELS-LABEL: func.func @main
// KERNELS: call @k0(
// KERNELS: call @k1(
// KERNELS: call @k2(
// KERNELS-NOT: call
// KERNELS: func.func private @k0({{.*}}kind = "rows"
// KERNELS: affine.parallel (%{{.*}}, %[[C:.*]]) = (0, 0) to ({{[0-9]+}}, 32) {
// KERNELS: func.func private @k1({{.*}}kind = "rows"
// KERNELS: func.func private @k2({{.*}}kind = "map"
// On the cpu vectors go down columns, in fewer parts: tasks of one norm that store parts of one line would be in each
// other's way.
// CPU-LABEL: func.func @main
// CPU: call @k0(
// CPU: call @k1(
// CPU: call @k2(
// CPU-NOT: call
// CPU: func.func private @k0({{.*}}kind = "rows"
// CPU: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (64, 32) {
// CPU: affine.for %{{.*}} = 0 to 4096
// CPU: func.func private @k1({{.*}}kind = "rows"
// CPU: func.func private @k2({{.*}}kind = "map"
// SAFE-LABEL: func.func @main
// SAFE: affine.for %{{.*}} = 0 to 262144
func.func @main(%x: memref<262144x8x4xf16> {strata.name = "x"}, %y: memref<262144x8x4xf32> {strata.name = "y", strata.output}) {
  %s = memref.alloc() : memref<8xf32>
  affine.parallel (%g) = (0) to (8) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %p = 0 to 262144 iter_args(%a = %zero) -> (f32) {
      %t = affine.for %c = 0 to 4 iter_args(%b = %a) -> (f32) {
        %e = affine.load %x[%p, %g, %c] : memref<262144x8x4xf16>
        %w = arith.extf %e : f16 to f32
        %n = arith.addf %b, %w : f32
        affine.yield %n : f32
      }
      affine.yield %t : f32
    }
    affine.store %r, %s[%g] : memref<8xf32>
  } {strata.nest = "reduce"}
  %m = memref.alloc() : memref<8xf32>
  affine.parallel (%g) = (0) to (8) {
    %e = affine.load %s[%g] : memref<8xf32>
    %c = arith.constant 9.5367431640625e-07 : f32
    %r = arith.mulf %e, %c : f32
    affine.store %r, %m[%g] : memref<8xf32>
  } {strata.nest = "mul"}
  %d = memref.alloc() : memref<262144x8x4xf32>
  affine.parallel (%p, %g, %c) = (0, 0, 0) to (262144, 8, 4) {
    %e = affine.load %x[%p, %g, %c] : memref<262144x8x4xf16>
    %w = arith.extf %e : f16 to f32
    %a = affine.load %m[%g] : memref<8xf32>
    %r = arith.subf %w, %a : f32
    affine.store %r, %d[%p, %g, %c] : memref<262144x8x4xf32>
  } {strata.nest = "sub"}
  %q = memref.alloc() : memref<262144x8x4xf32>
  affine.parallel (%p, %g, %c) = (0, 0, 0) to (262144, 8, 4) {
    %e = affine.load %d[%p, %g, %c] : memref<262144x8x4xf32>
    %f = affine.load %d[%p, %g, %c] : memref<262144x8x4xf32>
    %r = arith.mulf %e, %f : f32
    affine.store %r, %q[%p, %g, %c] : memref<262144x8x4xf32>
  } {strata.nest = "mul"}
  %v = memref.alloc() : memref<8xf32>
  affine.parallel (%g) = (0) to (8) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %p = 0 to 262144 iter_args(%a = %zero) -> (f32) {
      %t = affine.for %c = 0 to 4 iter_args(%b = %a) -> (f32) {
        %e = affine.load %q[%p, %g, %c] : memref<262144x8x4xf32>
        %n = arith.addf %b, %e : f32
        affine.yield %n : f32
      }
      affine.yield %t : f32
    }
    affine.store %r, %v[%g] : memref<8xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%p, %g, %c) = (0, 0, 0) to (262144, 8, 4) {
    %e = affine.load %d[%p, %g, %c] : memref<262144x8x4xf32>
    %a = affine.load %v[%g] : memref<8xf32>
    %r = arith.divf %e, %a : f32
    affine.store %r, %y[%p, %g, %c] : memref<262144x8x4xf32>
  } {strata.nest = "div"}
  return
}

// -----

// Of few pixels, three launches take longer than the sectors read in vain.
// CHECK-LABEL: func.func @main
// CHECK: affine.for %{{.*}} = 0 to 32768
// KERNELS-LABEL: func.func @main
// KERNELS: call @k0(
// KERNELS-NOT: call
// KERNELS: func.func private @k0({{.*}}kind = "rows"
// SAFE-LABEL: func.func @main
// SAFE: affine.for %{{.*}} = 0 to 32768
// CPU-LABEL: func.func @main
// CPU: func.func private @k0({{.*}}kind = "rows"
// CPU: affine.for %{{.*}} = 0 to 512
func.func @main(%x: memref<32768x8x4xf16> {strata.name = "x"}, %y: memref<32768x8x4xf32> {strata.name = "y", strata.output}) {
  %s = memref.alloc() : memref<8xf32>
  affine.parallel (%g) = (0) to (8) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %p = 0 to 32768 iter_args(%a = %zero) -> (f32) {
      %t = affine.for %c = 0 to 4 iter_args(%b = %a) -> (f32) {
        %e = affine.load %x[%p, %g, %c] : memref<32768x8x4xf16>
        %w = arith.extf %e : f16 to f32
        %n = arith.addf %b, %w : f32
        affine.yield %n : f32
      }
      affine.yield %t : f32
    }
    affine.store %r, %s[%g] : memref<8xf32>
  } {strata.nest = "reduce"}
  %m = memref.alloc() : memref<8xf32>
  affine.parallel (%g) = (0) to (8) {
    %e = affine.load %s[%g] : memref<8xf32>
    %c = arith.constant 7.62939453125e-06 : f32
    %r = arith.mulf %e, %c : f32
    affine.store %r, %m[%g] : memref<8xf32>
  } {strata.nest = "mul"}
  %d = memref.alloc() : memref<32768x8x4xf32>
  affine.parallel (%p, %g, %c) = (0, 0, 0) to (32768, 8, 4) {
    %e = affine.load %x[%p, %g, %c] : memref<32768x8x4xf16>
    %w = arith.extf %e : f16 to f32
    %a = affine.load %m[%g] : memref<8xf32>
    %r = arith.subf %w, %a : f32
    affine.store %r, %d[%p, %g, %c] : memref<32768x8x4xf32>
  } {strata.nest = "sub"}
  %q = memref.alloc() : memref<32768x8x4xf32>
  affine.parallel (%p, %g, %c) = (0, 0, 0) to (32768, 8, 4) {
    %e = affine.load %d[%p, %g, %c] : memref<32768x8x4xf32>
    %f = affine.load %d[%p, %g, %c] : memref<32768x8x4xf32>
    %r = arith.mulf %e, %f : f32
    affine.store %r, %q[%p, %g, %c] : memref<32768x8x4xf32>
  } {strata.nest = "mul"}
  %v = memref.alloc() : memref<8xf32>
  affine.parallel (%g) = (0) to (8) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %p = 0 to 32768 iter_args(%a = %zero) -> (f32) {
      %t = affine.for %c = 0 to 4 iter_args(%b = %a) -> (f32) {
        %e = affine.load %q[%p, %g, %c] : memref<32768x8x4xf32>
        %n = arith.addf %b, %e : f32
        affine.yield %n : f32
      }
      affine.yield %t : f32
    }
    affine.store %r, %v[%g] : memref<8xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%p, %g, %c) = (0, 0, 0) to (32768, 8, 4) {
    %e = affine.load %d[%p, %g, %c] : memref<32768x8x4xf32>
    %a = affine.load %v[%g] : memref<8xf32>
    %r = arith.divf %e, %a : f32
    affine.store %r, %y[%p, %g, %c] : memref<32768x8x4xf32>
  } {strata.nest = "div"}
  return
}
