// RUN: strata-opt %s --target=nvgpu --pipeline=affine-to-tile | FileCheck %s

// A block's tile; both operands have the reduction last. The rounding between the nests is dropped, the epilogue follows.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1)[s0, s1] -> (d0 + s0 * 128, d1 + s1 * 32)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1)[s0, s1] -> (d1 + s1 * 32, d0 + s0 * 128)>
// CHECK-DAG: #[[MASK:.*]] = affine_set<(d0, d1)[s0, s1] : (-d0 - s0 * 128 + 199 >= 0, -d1 - s1 * 32 + 69 >= 0)>
// CHECK-LABEL: func.func private @linear
// CHECK: scf.forall {{.*}} in (4)
// CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (vector<128x128xf32>) {
// CHECK: %[[U:.*]] = "tile.load"(%arg0, {{.*}}) {map = #[[X]], mask = #[[MASK]]} : {{.*}} -> vector<128x32xf16>
// CHECK: %[[V:.*]] = "tile.load"(%arg1, {{.*}}) {map = #[[W]], mask = {{.*}}} : {{.*}} -> vector<128x32xf16>
// CHECK: vector.contract {{.*}} %[[U]], %[[V]], %{{.*}} {tile.mma = "m16n8k16.f16"} : {{.*}} into vector<128x128xf32>
// CHECK: } {tile.last = 6 : i64, tile.pipeline}
// CHECK: arith.addf %[[SUM]], %{{.*}} : vector<128x128xf32>
// CHECK: "tile.store"({{.*}}, %arg3, {{.*}}) {map = {{.*}}} : (vector<128x128xf16>, memref<200x256xf16>
func.func private @linear(%x: memref<200x70xf16>, %w: memref<70x256xf16>, %b: memref<256xf16>, %y: memref<200x256xf16>)
    attributes {strata.schedule = {kind = "contract", threads = 128, group = 128, tile = array<i64: 128, 128, 32>,
                                   warps = array<i64: 2, 2>, mma = "m16n8k16.f16"}} {
  %t = memref.alloc() : memref<200x256xf16>
  affine.parallel (%i, %j) = (0, 0) to (200, 256) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 70 iter_args(%a = %z) -> (f32) {
      %u = affine.load %x[%i, %k] : memref<200x70xf16>
      %ue = arith.extf %u : f16 to f32
      %v = affine.load %w[%k, %j] : memref<70x256xf16>
      %ve = arith.extf %v : f16 to f32
      %p = arith.mulf %ue, %ve : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %r = arith.truncf %s : f32 to f16
    affine.store %r, %t[%i, %j] : memref<200x256xf16>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (200, 256) {
    %u = affine.load %t[%i, %j] : memref<200x256xf16>
    %ue = arith.extf %u : f16 to f32
    %v = affine.load %b[%j] : memref<256xf16>
    %ve = arith.extf %v : f16 to f32
    %s = arith.addf %ue, %ve : f32
    %r = arith.truncf %s : f32 to f16
    affine.store %r, %y[%i, %j] : memref<200x256xf16>
  } {strata.nest = "add"}
  return
}

// A convolution: its three dims of pixels are one of rows, window and channels one reduction, channels innermost. No
// instruction: the factors are multiplied in the type of the sum.
// CHECK-LABEL: func.func private @convolution
// CHECK: scf.forall {{.*}} in (2)
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step {{.*}} -> (vector<64x32xf32>) {
// CHECK: "tile.load"(%arg0, {{.*}}) {{{.*}}pad = 0.000000e+00 : f16} : {{.*}} -> vector<64x8xf16>
// CHECK: arith.extf %{{.*}} : vector<64x8xf16> to vector<64x8xf32>
// CHECK-NOT: arith.select
// CHECK: vector.contract
// CHECK-NOT: tile.mma
// CHECK: tile.pipeline
func.func private @convolution(%x: memref<2x8x8x16xf16>, %w: memref<3x3x16x32xf16>, %y: memref<2x8x8x32xf32>)
    attributes {strata.schedule = {kind = "contract", threads = 128, group = 128, tile = array<i64: 64, 32, 8>,
                                   warps = array<i64: 4, 1>}} {
  affine.parallel (%n, %p, %q, %f) = (0, 0, 0, 0) to (2, 8, 8, 32) {
    %z = arith.constant 0.0 : f32
    %h = arith.constant 0.0 : f16
    %o = affine.for %r = 0 to 3 iter_args(%a = %z) -> (f32) {
      %o1 = affine.for %s = 0 to 3 iter_args(%a1 = %a) -> (f32) {
        %o2 = affine.for %c = 0 to 16 iter_args(%a2 = %a1) -> (f32) {
          %u = affine.if affine_set<(p, q, r, s) : (p + r - 1 >= 0, 8 - p - r >= 0, q + s - 1 >= 0, 8 - q - s >= 0)>(%p, %q, %r, %s) -> f16 {
            %l = affine.load %x[%n, %p + %r - 1, %q + %s - 1, %c] : memref<2x8x8x16xf16>
            affine.yield %l : f16
          } else {
            affine.yield %h : f16
          }
          %v = affine.load %w[%r, %s, %c, %f] : memref<3x3x16x32xf16>
          %ue = arith.extf %u : f16 to f32
          %ve = arith.extf %v : f16 to f32
          %m = arith.mulf %ue, %ve : f32
          %t = arith.addf %a2, %m : f32
          affine.yield %t : f32
        }
        affine.yield %o2 : f32
      }
      affine.yield %o1 : f32
    }
    affine.store %o, %y[%n, %p, %q, %f] : memref<2x8x8x32xf32>
  } {strata.nest = "contract"}
  return
}

// Groups of 20 columns in tiles of 32, of which a result is read again: where its column is found by its group and its
// number in it, that is the sum's own, so that the epilogue follows the sum and nothing becomes scalar loops.
// CHECK-LABEL: func.func private @groups
// CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (vector<32x32xf32>) {
// CHECK: %[[Y:.*]] = arith.negf %[[SUM]] : vector<32x32xf32>
// CHECK: "tile.store"(%[[Y]], %arg2, {{.*}} -> ()
// CHECK: %[[Z:.*]] = math.absf %{{.*}} : vector<32x32xf32>
// CHECK: "tile.store"(%[[Z]], %arg3, {{.*}} -> ()
func.func private @groups(%x: memref<2x64x32xf16>, %w: memref<2x32x20xf16>, %y: memref<64x40xf32>, %z: memref<64x40xf32>)
    attributes {strata.schedule = {kind = "contract", threads = 128, group = 128, tile = array<i64: 32, 32, 32>,
                                   warps = array<i64: 2, 2>, mma = "m16n8k16.f16"}} {
  %t = memref.alloc() : memref<2x64x20xf32>
  affine.parallel (%g, %i, %j) = (0, 0, 0) to (2, 64, 20) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 32 iter_args(%a = %zero) -> (f32) {
      %u = affine.load %x[%g, %i, %k] : memref<2x64x32xf16>
      %ue = arith.extf %u : f16 to f32
      %v = affine.load %w[%g, %k, %j] : memref<2x32x20xf16>
      %ve = arith.extf %v : f16 to f32
      %p = arith.mulf %ue, %ve : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %t[%g, %i, %j] : memref<2x64x20xf32>
  } {strata.nest = "contract"}
  affine.parallel (%g, %i, %j) = (0, 0, 0) to (2, 64, 20) {
    %s = affine.load %t[%g, %i, %j] : memref<2x64x20xf32>
    %n = arith.negf %s : f32
    affine.store %n, %y[%i, %g * 20 + %j] : memref<64x40xf32>
  } {strata.nest = "neg"}
  affine.parallel (%g, %i, %j) = (0, 0, 0) to (2, 64, 20) {
    %s = affine.load %y[%i, %g * 20 + %j] : memref<64x40xf32>
    %n = math.absf %s : f32
    affine.store %n, %z[%i, %g * 20 + %j] : memref<64x40xf32>
  } {strata.nest = "abs"}
  return
}
