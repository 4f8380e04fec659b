// RUN: strata-opt %s --pipeline=affine-schedule --target=nvgpu --device=sm_90a | FileCheck %s

// Weights of 4 bits that a kernel in front dequantises are packed where few rows are multiplied: by kernels that are that
// one with another last nest. The product computes them by a nest of its own, on a warp's instruction: four groups share
// a tile's steps, and have as many slots each.
// CHECK-LABEL: func.func private @k1_words(%{{.*}}: memref<1048576xi8>, %{{.*}}: memref<2048x32xf16>, %{{.*}}: memref<128x16x128xi32>)
// CHECK: strata.nest = "convert_u"
// CHECK-NOT: arith.mulf
// CHECK: affine.parallel {{.*}} to (128, 16, 128)
// CHECK-COUNT-8: arith.ori
// CHECK: strata.nest = "pack"
// CHECK-LABEL: func.func private @k1_scales(%{{.*}}: memref<1048576xi8>, %{{.*}}: memref<2048x32xf16>, %{{.*}}: memref<128x16x32xf16>)
// CHECK: affine.parallel {{.*}} to (128, 16, 32)
// CHECK-LABEL: func.func private @k1(%{{.*}}: memref<16x1024xf16>, %{{.*}}: memref<128x16x128xi32>, %{{.*}}: memref<128x16x32xf16>, %{{.*}}: memref<16x2048xf16>)
// CHECK-SAME: group = 512 : i64
// CHECK-SAME: mma = "m16n8k16.f16"
// CHECK-SAME: producers = 128 : i64
// CHECK-SAME: slots = 16 : i64
// CHECK-SAME: swap = 1 : i64
// CHECK: %[[W:.*]] = memref.alloc() : memref<2048x1024xf16>
// CHECK: arith.shrui
// CHECK: affine.store %{{.*}}, %[[W]]
// CHECK: strata.bits = 4 : i64, strata.block = 32 : i64, strata.nest = "unpack", strata.zero = 8 : i64
// CHECK: affine.load %[[W]]

// Of many rows multiplying takes longer than fetching: they stay as they are dequantised.
// CHECK-LABEL: func.func private @k2(%{{.*}}: memref<512x1024xf16>, %{{.*}}: memref<2048x1024xf16>, %{{.*}}: memref<512x2048xf16>)
// CHECK-LABEL: func.func @main
// CHECK: call @k1_words(%{{.*}}, %{{.*}}, %[[P:.*]]) :
// CHECK: call @k1_scales(%{{.*}}, %{{.*}}, %[[S:.*]]) :
// CHECK: call @k1(%{{.*}}, %[[P]], %[[S]], %{{.*}}) :
// CHECK: call @k0(
// CHECK: call @k2(
#half = affine_map<(d0) -> (d0 mod 2)>
memref.global "private" @b : memref<1048576xi8>
memref.global "private" @s : memref<2048x32xf16>
func.func private @k0(%b: memref<1048576xi8>, %s: memref<2048x32xf16>, %w: memref<2048x1024xf16>) {
  %q = memref.alloc() : memref<2048x32x32xf32>
  %d = memref.alloc() : memref<2048x32x32xf32>
  %m = memref.alloc() : memref<2048x32x32xf32>
  affine.parallel (%n, %g, %k) = (0, 0, 0) to (2048, 32, 32) {
    %0 = affine.load %b[%n * 512 + %g * 16 + %k floordiv 2] : memref<1048576xi8>
    %1 = affine.apply #half(%k)
    %four = arith.constant 4 : i8
    %2 = arith.index_cast %1 : index to i8
    %3 = arith.muli %2, %four : i8
    %4 = arith.subi %four, %3 : i8
    %5 = arith.shli %0, %4 : i8
    %6 = arith.shrsi %5, %four : i8
    %7 = arith.extsi %6 : i8 to i32
    %low = arith.constant 15 : i32
    %8 = arith.andi %7, %low : i32
    %9 = arith.uitofp %8 : i32 to f32
    affine.store %9, %q[%n, %g, %k] : memref<2048x32x32xf32>
  } {strata.nest = "convert_u"}
  affine.parallel (%n, %g, %k) = (0, 0, 0) to (2048, 32, 32) {
    %0 = affine.load %q[%n, %g, %k] : memref<2048x32x32xf32>
    %zero = arith.constant 8.0 : f32
    %1 = arith.subf %0, %zero : f32
    affine.store %1, %d[%n, %g, %k] : memref<2048x32x32xf32>
  } {strata.nest = "sub"}
  %wide = memref.alloc() : memref<2048x32xf32>
  affine.parallel (%n, %g) = (0, 0) to (2048, 32) {
    %0 = affine.load %s[%n, %g] : memref<2048x32xf16>
    %1 = arith.extf %0 : f16 to f32
    affine.store %1, %wide[%n, %g] : memref<2048x32xf32>
  } {strata.nest = "convert"}
  affine.parallel (%n, %g, %k) = (0, 0, 0) to (2048, 32, 32) {
    %0 = affine.load %d[%n, %g, %k] : memref<2048x32x32xf32>
    %1 = affine.load %wide[%n, %g] : memref<2048x32xf32>
    %2 = arith.mulf %0, %1 : f32
    affine.store %2, %m[%n, %g, %k] : memref<2048x32x32xf32>
  } {strata.nest = "mul"}
  affine.parallel (%n, %k) = (0, 0) to (2048, 1024) {
    %0 = affine.load %m[%n, %k floordiv 32, %k mod 32] : memref<2048x32x32xf32>
    %1 = arith.truncf %0 : f32 to f16
    affine.store %1, %w[%n, %k] : memref<2048x1024xf16>
  } {strata.nest = "convert"}
  return
}
func.func private @k1(%x: memref<16x1024xf16>, %w: memref<2048x1024xf16>, %y: memref<16x2048xf16>) {
  affine.parallel (%i, %n) = (0, 0) to (16, 2048) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 1024 iter_args(%a = %z) -> f32 {
      %0 = affine.load %x[%i, %k] : memref<16x1024xf16>
      %1 = arith.extf %0 : f16 to f32
      %2 = affine.load %w[%n, %k] : memref<2048x1024xf16>
      %3 = arith.extf %2 : f16 to f32
      %4 = arith.mulf %1, %3 : f32
      %5 = arith.addf %a, %4 : f32
      affine.yield %5 : f32
    }
    %r = arith.truncf %s : f32 to f16
    affine.store %r, %y[%i, %n] : memref<16x2048xf16>
  } {strata.nest = "contract"}
  return
}
func.func private @k2(%x: memref<512x1024xf16>, %w: memref<2048x1024xf16>, %y: memref<512x2048xf16>) {
  affine.parallel (%i, %n) = (0, 0) to (512, 2048) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 1024 iter_args(%a = %z) -> f32 {
      %0 = affine.load %x[%i, %k] : memref<512x1024xf16>
      %1 = arith.extf %0 : f16 to f32
      %2 = affine.load %w[%n, %k] : memref<2048x1024xf16>
      %3 = arith.extf %2 : f16 to f32
      %4 = arith.mulf %1, %3 : f32
      %5 = arith.addf %a, %4 : f32
      affine.yield %5 : f32
    }
    %r = arith.truncf %s : f32 to f16
    affine.store %r, %y[%i, %n] : memref<512x2048xf16>
  } {strata.nest = "contract"}
  return
}
func.func @main(%x: memref<16x1024xf16> {strata.name = "x"}, %v: memref<512x1024xf16> {strata.name = "v"},
                %y: memref<16x2048xf16> {strata.name = "y", strata.output}, %u: memref<512x2048xf16> {strata.name = "u", strata.output}) {
  %b = memref.get_global @b : memref<1048576xi8>
  %s = memref.get_global @s : memref<2048x32xf16>
  %w = memref.alloc() : memref<2048x1024xf16>
  call @k0(%b, %s, %w) : (memref<1048576xi8>, memref<2048x32xf16>, memref<2048x1024xf16>) -> ()
  call @k1(%x, %w, %y) : (memref<16x1024xf16>, memref<2048x1024xf16>, memref<16x2048xf16>) -> ()
  %w2 = memref.alloc() : memref<2048x1024xf16>
  call @k0(%b, %s, %w2) : (memref<1048576xi8>, memref<2048x32xf16>, memref<2048x1024xf16>) -> ()
  call @k2(%v, %w2, %u) : (memref<512x1024xf16>, memref<2048x1024xf16>, memref<512x2048xf16>) -> ()
  return
}
