// RUN: strata-opt %s --pipeline=affine-to-tile --device=x86-64-v4 | FileCheck %s

// A panel that does not stay in the first-level cache is asked for eight steps ahead, a line at a time. The reduction is
// cut into segments, in each of which some lines of where the results go are asked for.
// CHECK: #[[AHEAD:.*]] = affine_map<(d0, d1) -> (d0 * 64 + d1 + 8)>
// CHECK-LABEL: func.func private @long
// CHECK: scf.for %[[S:.*]] = %c0{{.*}} to %c8{{.*}} iter_args({{.*}}) -> (vector<8x32xf32>)
// CHECK-COUNT-2: memref.prefetch %arg2[{{.*}}], read, locality<2>, data : memref<64x64xf32>
// CHECK-NOT: memref.prefetch
// CHECK: %c64{{.*}} = arith.constant 64 : index
// CHECK: scf.for
// CHECK: vector.outerproduct
// CHECK: %[[K:.*]] = affine.apply #[[AHEAD]](%[[S]], %{{.*}})
// CHECK: memref.prefetch %arg1[%{{.*}}, %[[K]], %c0{{.*}}], read, locality<3>, data : memref<2x512x32xf32>
// CHECK: memref.prefetch %arg1[%{{.*}}, %{{.*}}, %c16{{.*}}], read, locality<3>, data : memref<2x512x32xf32>
// CHECK-NOT: memref.prefetch
// CHECK: scf.yield
func.func private @long(%x: memref<64x512xf32>, %w: memref<2x512x32xf32>, %y: memref<64x64xf32>)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 8, 32>}} {
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 512 iter_args(%a = %z) -> f32 {
      %u = affine.load %x[%i, %k] : memref<64x512xf32>
      %v = affine.load %w[%j floordiv 32, %k, %j mod 32] : memref<2x512x32xf32>
      %p = arith.mulf %u, %v : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<64x64xf32>
  } {strata.nest = "contract"}
  return
}

// What follows the contraction stores somewhere else, in a type of its own: its lines are asked for.
// CHECK-LABEL: func.func private @epilogue
// CHECK-COUNT-8: memref.prefetch %arg2[{{.*}}], read, locality<2>, data : memref<64x64xf16>
// CHECK: vector.outerproduct
func.func private @epilogue(%x: memref<64x128xf32>, %w: memref<2x128x32xf32>, %y: memref<64x64xf16>)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 8, 32>}} {
  %t = memref.alloc() : memref<64x64xf32>
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 128 iter_args(%a = %z) -> f32 {
      %u = affine.load %x[%i, %k] : memref<64x128xf32>
      %v = affine.load %w[%j floordiv 32, %k, %j mod 32] : memref<2x128x32xf32>
      %p = arith.mulf %u, %v : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %t[%i, %j] : memref<64x64xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    %u = affine.load %t[%i, %j] : memref<64x64xf32>
    %v = arith.truncf %u : f32 to f16
    affine.store %v, %y[%i, %j] : memref<64x64xf16>
  } {strata.nest = "cast"}
  return
}

// A short sum has no time for it, and its panel stays where it is.
// CHECK-LABEL: func.func private @short
// CHECK-NOT: memref.prefetch
func.func private @short(%x: memref<64x48xf32>, %w: memref<2x48x32xf32>, %y: memref<64x64xf32>)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 8, 32>}} {
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 48 iter_args(%a = %z) -> f32 {
      %u = affine.load %x[%i, %k] : memref<64x48xf32>
      %v = affine.load %w[%j floordiv 32, %k, %j mod 32] : memref<2x48x32xf32>
      %p = arith.mulf %u, %v : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<64x64xf32>
  } {strata.nest = "contract"}
  return
}
