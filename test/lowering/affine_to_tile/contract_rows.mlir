// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-to-tile | FileCheck %s

// Two tiles of 128 columns hold a row of 200: tasks of one row lie side by side, what lies beyond the row does not
// count, and sums are those of the row.
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0) -> (d0 mod 2)>
// CHECK-DAG: #[[LEFT:.*]] = affine_map<(d0) -> (d0 * -128 + 200)>
// CHECK-LABEL: func.func private @k0
// CHECK: scf.forall (%[[T:.*]]) in (6)
// CHECK: %[[J:.*]] = affine.apply #[[COLUMN]](%[[T]])
// CHECK: %[[S:.*]] = scf.for
// CHECK: {tile.pipeline}
// CHECK: affine.apply #[[LEFT]](%[[J]])
// CHECK: %[[E:.*]] = arith.select %{{.*}}, %[[S]], %{{.*}} : vector<128x128xi1>, vector<128x128xf32>
// CHECK: %[[R:.*]] = vector.multi_reduction <add>, %[[E]], %{{.*}} {tile.row} [1] : vector<128x128xf32> to vector<128xf32>
// CHECK: vector.broadcast %[[R]]
// CHECK: arith.divf %[[S]]
// CHECK: "tile.store"
func.func private @k0(%x: memref<300x64xbf16>, %w: memref<200x64xbf16>, %out: memref<300x200xbf16>) attributes {strata.schedule = {blocks = 6 : i64, group = 256 : i64, kind = "contract", mma = "wgmma.bf16", producers = 128 : i64, row = 2 : i64, slots = 2 : i64, threads = 256 : i64, tile = array<i64: 128, 128, 64>, warps = array<i64: 8, 1>}} {
  %s = memref.alloc() : memref<300x200xf32>
  %q = memref.alloc() : memref<300xf32>
  affine.parallel (%i, %j) = (0, 0) to (300, 200) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %l = affine.load %x[%i, %k] : memref<300x64xbf16>
      %lw = arith.extf %l : bf16 to f32
      %r = affine.load %w[%j, %k] : memref<200x64xbf16>
      %rw = arith.extf %r : bf16 to f32
      %p = arith.mulf %lw, %rw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %sum, %s[%i, %j] : memref<300x200xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i) = (0) to (300) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %s[%i, %j] : memref<300x200xf32>
      %n = arith.addf %a, %e : f32
      affine.yield %n : f32
    }
    affine.store %sum, %q[%i] : memref<300xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%i, %j) = (0, 0) to (300, 200) {
    %e = affine.load %s[%i, %j] : memref<300x200xf32>
    %n = affine.load %q[%i] : memref<300xf32>
    %d = arith.divf %e, %n : f32
    %t = arith.truncf %d : f32 to bf16
    affine.store %t, %out[%i, %j] : memref<300x200xbf16>
  } {strata.nest = "div"}
  return
}

// A tile as long as the row: an ordinary reduction.
// CHECK-LABEL: func.func private @k1
// CHECK: scf.forall (%{{.*}}) in (3)
// CHECK-NOT: arith.select
// CHECK: vector.multi_reduction <maximumf>, %{{.*}}, %{{.*}} [1] : vector<128x96xf32> to vector<128xf32>
func.func private @k1(%x: memref<300x64xbf16>, %w: memref<96x64xbf16>, %out: memref<300x96xbf16>) attributes {strata.schedule = {blocks = 3 : i64, group = 256 : i64, kind = "contract", mma = "wgmma.bf16", producers = 128 : i64, slots = 2 : i64, threads = 256 : i64, tile = array<i64: 128, 96, 64>, warps = array<i64: 8, 1>}} {
  %s = memref.alloc() : memref<300x96xf32>
  %q = memref.alloc() : memref<300xf32>
  affine.parallel (%i, %j) = (0, 0) to (300, 96) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %l = affine.load %x[%i, %k] : memref<300x64xbf16>
      %lw = arith.extf %l : bf16 to f32
      %r = affine.load %w[%j, %k] : memref<96x64xbf16>
      %rw = arith.extf %r : bf16 to f32
      %p = arith.mulf %lw, %rw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %sum, %s[%i, %j] : memref<300x96xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i) = (0) to (300) {
    %low = arith.constant 0xFF800000 : f32
    %most = affine.for %j = 0 to 96 iter_args(%a = %low) -> (f32) {
      %e = affine.load %s[%i, %j] : memref<300x96xf32>
      %n = arith.maximumf %a, %e : f32
      affine.yield %n : f32
    }
    affine.store %most, %q[%i] : memref<300xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%i, %j) = (0, 0) to (300, 96) {
    %e = affine.load %s[%i, %j] : memref<300x96xf32>
    %n = affine.load %q[%i] : memref<300xf32>
    %d = arith.subf %e, %n : f32
    %t = arith.truncf %d : f32 to bf16
    affine.store %t, %out[%i, %j] : memref<300x96xbf16>
  } {strata.nest = "sub"}
  return
}
