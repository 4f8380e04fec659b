// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-schedule | FileCheck %s

// Rows of 768 by two blocks of two groups that share 64 rows: all clusters of 4096 rows run at the same time.
// CHECK-LABEL: func.func private @k0
// CHECK-SAME: strata.schedule = {blocks = 128 : i64, group = 256 : i64, kind = "contract", mma = "wgmma.bf16", producers = 128 : i64, row = 2 : i64, slots = 3 : i64, threads = 256 : i64, tile = array<i64: 64, 384, 64>, warps = array<i64: 4, 2>}
// Few rows: more, smaller blocks.
// CHECK-LABEL: func.func private @k1
// CHECK-SAME: row = 4 : i64, {{.*}}tile = array<i64: 64, 64, 64>, warps = array<i64: 4, 2>}
func.func @main(%x: memref<4096x768xbf16> {strata.name = "x"}, %w: memref<768x768xbf16> {strata.name = "w"}, %y: memref<4096x768xbf16> {strata.name = "y", strata.output}, %u: memref<512x64xbf16> {strata.name = "u"}, %v: memref<200x64xbf16> {strata.name = "v"}, %z: memref<512x200xbf16> {strata.name = "z", strata.output}) {
  call @k0(%x, %w, %y) : (memref<4096x768xbf16>, memref<768x768xbf16>, memref<4096x768xbf16>) -> ()
  call @k1(%u, %v, %z) : (memref<512x64xbf16>, memref<200x64xbf16>, memref<512x200xbf16>) -> ()
  return
}
func.func private @k0(%x: memref<4096x768xbf16>, %w: memref<768x768xbf16>, %out: memref<4096x768xbf16>) {
  %s = memref.alloc() : memref<4096x768xf32>
  %q = memref.alloc() : memref<4096xf32>
  affine.parallel (%i, %j) = (0, 0) to (4096, 768) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 768 iter_args(%a = %zero) -> (f32) {
      %l = affine.load %x[%i, %k] : memref<4096x768xbf16>
      %lw = arith.extf %l : bf16 to f32
      %r = affine.load %w[%j, %k] : memref<768x768xbf16>
      %rw = arith.extf %r : bf16 to f32
      %p = arith.mulf %lw, %rw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %sum, %s[%i, %j] : memref<4096x768xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i) = (0) to (4096) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 768 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %s[%i, %j] : memref<4096x768xf32>
      %n = arith.addf %a, %e : f32
      affine.yield %n : f32
    }
    affine.store %sum, %q[%i] : memref<4096xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%i, %j) = (0, 0) to (4096, 768) {
    %e = affine.load %s[%i, %j] : memref<4096x768xf32>
    %n = affine.load %q[%i] : memref<4096xf32>
    %d = arith.divf %e, %n : f32
    %t = arith.truncf %d : f32 to bf16
    affine.store %t, %out[%i, %j] : memref<4096x768xbf16>
  } {strata.nest = "div"}
  return
}
func.func private @k1(%x: memref<512x64xbf16>, %w: memref<200x64xbf16>, %out: memref<512x200xbf16>) {
  %s = memref.alloc() : memref<512x200xf32>
  %q = memref.alloc() : memref<512xf32>
  affine.parallel (%i, %j) = (0, 0) to (512, 200) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %l = affine.load %x[%i, %k] : memref<512x64xbf16>
      %lw = arith.extf %l : bf16 to f32
      %r = affine.load %w[%j, %k] : memref<200x64xbf16>
      %rw = arith.extf %r : bf16 to f32
      %p = arith.mulf %lw, %rw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %sum, %s[%i, %j] : memref<512x200xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i) = (0) to (512) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %s[%i, %j] : memref<512x200xf32>
      %n = arith.addf %a, %e : f32
      affine.yield %n : f32
    }
    affine.store %sum, %q[%i] : memref<512xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%i, %j) = (0, 0) to (512, 200) {
    %e = affine.load %s[%i, %j] : memref<512x200xf32>
    %n = affine.load %q[%i] : memref<512xf32>
    %d = arith.divf %e, %n : f32
    %t = arith.truncf %d : f32 to bf16
    affine.store %t, %out[%i, %j] : memref<512x200xbf16>
  } {strata.nest = "div"}
  return
}
