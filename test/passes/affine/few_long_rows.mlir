// RUN: strata-opt %s --target=amdgpu --device=gfx942 --pipeline=affine-split-reductions,affine-group | FileCheck %s
// RUN: strata-opt %s --target=amdgpu --device=gfx1100 --pipeline=affine-split-reductions,affine-group | FileCheck %s --check-prefix=APART

// Few rows, a block each: one kernel where a processor gets more than its share of memory's bandwidth while others want
// nothing of it.
// CHECK-LABEL: func.func @main
// CHECK: call @k0(%arg0, %arg1)
// CHECK-NEXT: return
// APART-LABEL: func.func @main
// APART: call
// APART: call
func.func @main(%x: memref<64x40960xf16> {strata.name = "x"}, %y: memref<64x40960xf16> {strata.name = "y", strata.output}) {
  %m = memref.alloc() : memref<64xf32>
  %e = memref.alloc() : memref<64x40960xf32>
  %s = memref.alloc() : memref<64xf32>
  affine.parallel (%i) = (0) to (64) {
    %least = arith.constant 0xFF800000 : f32
    %r = affine.for %j = 0 to 40960 iter_args(%a = %least) -> (f32) {
      %u = affine.load %x[%i, %j] : memref<64x40960xf16>
      %w = arith.extf %u : f16 to f32
      %n = arith.maximumf %a, %w fastmath<reassoc,arcp,afn> : f32
      affine.yield %n : f32
    }
    affine.store %r, %m[%i] : memref<64xf32>
  } {strata.nest = "max"}
  affine.parallel (%i, %j) = (0, 0) to (64, 40960) {
    %u = affine.load %x[%i, %j] : memref<64x40960xf16>
    %w = arith.extf %u : f16 to f32
    %v = affine.load %m[%i] : memref<64xf32>
    %d = arith.subf %w, %v fastmath<reassoc,arcp,afn> : f32
    %z = math.exp %d fastmath<reassoc,arcp,afn> : f32
    affine.store %z, %e[%i, %j] : memref<64x40960xf32>
  } {strata.nest = "exp"}
  affine.parallel (%i) = (0) to (64) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %j = 0 to 40960 iter_args(%a = %zero) -> (f32) {
      %u = affine.load %e[%i, %j] : memref<64x40960xf32>
      %n = arith.addf %a, %u fastmath<reassoc,arcp,afn> : f32
      affine.yield %n : f32
    }
    affine.store %r, %s[%i] : memref<64xf32>
  } {strata.nest = "sum"}
  affine.parallel (%i, %j) = (0, 0) to (64, 40960) {
    %u = affine.load %e[%i, %j] : memref<64x40960xf32>
    %v = affine.load %s[%i] : memref<64xf32>
    %d = arith.divf %u, %v fastmath<reassoc,arcp,afn> : f32
    %t = arith.truncf %d : f32 to f16
    affine.store %t, %y[%i, %j] : memref<64x40960xf16>
  } {strata.nest = "div"}
  return
}
