// A constant matrix that a vector is multiplied by, and whose columns would be split: it is turned, once, and each result
// is summed up along what lies contiguous. On sm_90a the columns of this one suffice.
// RUN: strata-opt %s --split-input-file --target=amdgpu --device=gfx942 --pipeline=affine-split-reductions | FileCheck %s
// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=affine-split-reductions | FileCheck %s --check-prefix=NONE
// NONE-NOT: "turn"

// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = memref.get_global @w
// CHECK: %[[T:.*]] = memref.alloc() : memref<1536x1024xf16>
// CHECK: affine.parallel (%[[J:.*]], %[[K:.*]]) = (0, 0) to (1536, 1024) {
// CHECK-NEXT: %[[V:.*]] = affine.load %[[W]][%[[K]], %[[J]]] : memref<1024x1536xf16>
// CHECK-NEXT: affine.store %[[V]], %[[T]][%[[J]], %[[K]]] : memref<1536x1024xf16>
// CHECK-NEXT: } {strata.nest = "turn"}
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (1536) {
// CHECK: affine.for %[[L:.*]] = 0 to 1024 iter_args
// CHECK: affine.load %[[T]][%[[I]], %[[L]]] : memref<1536x1024xf16>
// CHECK-NOT: affine.parallel
// Not of one that others read, too: it would be in memory twice.
// CHECK-LABEL: func.func @main
// CHECK-NOT: "turn"
memref.global "private" @w : memref<1024x1536xf16>
func.func @main(%x: memref<1024xf16> {strata.name = "x"}, %y: memref<1536xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<1024x1536xf16>
  affine.parallel (%j) = (0) to (1536) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 1024 iter_args(%a = %zero) -> (f32) {
      %u = affine.load %x[%k] : memref<1024xf16>
      %v = affine.load %w[%k, %j] : memref<1024x1536xf16>
      %f = arith.extf %u : f16 to f32
      %g = arith.extf %v : f16 to f32
      %p = arith.mulf %f, %g : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%j] : memref<1536xf32>
  } {strata.nest = "contract"}
  return
}

// -----

memref.global "private" @w : memref<1024x1536xf16>
func.func @main(%x: memref<1024xf16> {strata.name = "x"}, %y: memref<1536xf32> {strata.name = "y", strata.output}, %z: memref<1024x1536xf32> {strata.name = "z", strata.output}) {
  %w = memref.get_global @w : memref<1024x1536xf16>
  affine.parallel (%j) = (0) to (1536) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 1024 iter_args(%a = %zero) -> (f32) {
      %u = affine.load %x[%k] : memref<1024xf16>
      %v = affine.load %w[%k, %j] : memref<1024x1536xf16>
      %f = arith.extf %u : f16 to f32
      %g = arith.extf %v : f16 to f32
      %p = arith.mulf %f, %g : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%j] : memref<1536xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (1024, 1536) {
    %v = affine.load %w[%i, %j] : memref<1024x1536xf16>
    %f = arith.extf %v : f16 to f32
    affine.store %f, %z[%i, %j] : memref<1024x1536xf32>
  } {strata.nest = "convert"}
  return
}
