// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-schedule | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated_fma --pipeline=affine-schedule | FileCheck %s --check-prefix=FMA
// RUN: strata-opt %s --target=amdgpu --device=gfx942 --pipeline=affine-schedule | FileCheck %s --check-prefix=MFMA

// Two blocks of columns that hold a row of 200 with little waste; rows by two groups.
// CHECK-LABEL: func.func private @k0
// CHECK-SAME: strata.schedule = {blocks = 132 : i64, group = 256 : i64, kind = "attention", mma = "wgmma.f16", producers = 128 : i64, slots = 2 : i64, threads = 256 : i64, tile = array<i64: 128, 112, 64>}
// Few tasks: tiles of one group keep more processors busy.
// CHECK-LABEL: func.func private @k1
// CHECK-SAME: blocks = 16 : i64, group = 128 : i64, kind = "attention", {{.*}}tile = array<i64: 64, 208, 64>
// Multiply-adds: blocks of a processor together have 256 threads, those of few tasks each; of several warps beside one
// another where rows do not give so many.
// FMA-LABEL: func.func private @k0
// FMA-SAME: strata.schedule = {group = 64 : i64, kind = "attention", threads = 64 : i64, tile = array<i64: 32, 64, 64>, warps = array<i64: 2, 1>}
// FMA-LABEL: func.func private @k1
// FMA-SAME: strata.schedule = {group = 128 : i64, kind = "attention", threads = 128 : i64, tile = array<i64: 32, 128, 64>, warps = array<i64: 2, 2>}
// Matrix instructions of a warp, which has 32 rows at least.
// MFMA-LABEL: func.func private @k0
// MFMA-SAME: strata.schedule = {group = 64 : i64, kind = "attention", mma = "mfma.16x16x16.f16", threads = 64 : i64, tile = array<i64: 32, 32, 64>, warps = array<i64: 1, 1>}
// MFMA-LABEL: func.func private @k1
// MFMA-SAME: strata.schedule = {group = 256 : i64, kind = "attention", mma = "mfma.16x16x16.bf16", threads = 256 : i64, tile = array<i64: 64, 128, 64>, warps = array<i64: 2, 2>}
func.func @main(%a: memref<32x200x2304xf16> {strata.name = "a"}, %b: memref<2x200x384xbf16> {strata.name = "b"}, %mask: memref<2x200xf32> {strata.name = "m"}, %x: memref<32x200x768xf16> {strata.name = "x", strata.output}, %out: memref<2x200x128xbf16> {strata.name = "y", strata.output}) {
  call @k0(%a, %x) : (memref<32x200x2304xf16>, memref<32x200x768xf16>) -> ()
  call @k1(%b, %mask, %out) : (memref<2x200x384xbf16>, memref<2x200xf32>, memref<2x200x128xbf16>) -> ()
  return
}
func.func private @k0(%qkv: memref<32x200x2304xf16>, %out: memref<32x200x768xf16>) attributes {strata.schedule = {kind = "attention"}} {
  %ss = memref.alloc() : memref<32x12x200x200xf32>
  %ms = memref.alloc() : memref<32x12x200xf32>
  %es = memref.alloc() : memref<32x12x200x200xf32>
  %ls = memref.alloc() : memref<32x12x200xf32>
  %ws = memref.alloc() : memref<32x12x200x200xf16>
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (32, 12, 200, 200) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %q = affine.load %qkv[%b, %i, %h * 64 + %d] : memref<32x200x2304xf16>
      %qw = arith.extf %q : f16 to f32
      %k = affine.load %qkv[%b, %j, %h * 64 + %d + 768] : memref<32x200x2304xf16>
      %kw = arith.extf %k : f16 to f32
      %p = arith.mulf %qw, %kw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %c = arith.constant 1.250000e-01 : f32
    %u = arith.mulf %sum, %c : f32
    affine.store %u, %ss[%b, %h, %i, %j] : memref<32x12x200x200xf32>
  } {strata.nest = "scores"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (32, 12, 200) {
    %least = arith.constant 0xFF800000 : f32
    %r = affine.for %j = 0 to 200 iter_args(%a = %least) -> (f32) {
      %x = affine.load %ss[%b, %h, %i, %j] : memref<32x12x200x200xf32>
      %n = arith.maximumf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ms[%b, %h, %i] : memref<32x12x200xf32>
  } {strata.nest = "max"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (32, 12, 200, 200) {
    %x = affine.load %ss[%b, %h, %i, %j] : memref<32x12x200x200xf32>
    %y = affine.load %ms[%b, %h, %i] : memref<32x12x200xf32>
    %d = arith.subf %x, %y : f32
    %z = math.exp %d : f32
    affine.store %z, %es[%b, %h, %i, %j] : memref<32x12x200x200xf32>
  } {strata.nest = "exp"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (32, 12, 200) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %es[%b, %h, %i, %j] : memref<32x12x200x200xf32>
      %n = arith.addf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ls[%b, %h, %i] : memref<32x12x200xf32>
  } {strata.nest = "sum"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (32, 12, 200, 200) {
    %x = affine.load %es[%b, %h, %i, %j] : memref<32x12x200x200xf32>
    %y = affine.load %ls[%b, %h, %i] : memref<32x12x200xf32>
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to f16
    affine.store %t, %ws[%b, %h, %i, %j] : memref<32x12x200x200xf16>
  } {strata.nest = "div"}
  affine.parallel (%b, %i, %h, %v) = (0, 0, 0, 0) to (32, 200, 12, 64) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %ws[%b, %h, %i, %j] : memref<32x12x200x200xf16>
      %xw = arith.extf %x : f16 to f32
      %y = affine.load %qkv[%b, %j, %h * 64 + %v + 1536] : memref<32x200x2304xf16>
      %yw = arith.extf %y : f16 to f32
      %p = arith.mulf %xw, %yw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %t = arith.truncf %sum : f32 to f16
    affine.store %t, %out[%b, %i, %h * 64 + %v] : memref<32x200x768xf16>
  } {strata.nest = "weighted"}
  return
}
func.func private @k1(%qkv: memref<2x200x384xbf16>, %mask: memref<2x200xf32>, %out: memref<2x200x128xbf16>) attributes {strata.schedule = {kind = "attention"}} {
  %ss = memref.alloc() : memref<2x2x200x200xf32>
  %ms = memref.alloc() : memref<2x2x200xf32>
  %es = memref.alloc() : memref<2x2x200x200xf32>
  %ls = memref.alloc() : memref<2x2x200xf32>
  %ws = memref.alloc() : memref<2x2x200x200xbf16>
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (2, 2, 200, 200) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %q = affine.load %qkv[%b, %i, %h * 64 + %d] : memref<2x200x384xbf16>
      %qw = arith.extf %q : bf16 to f32
      %k = affine.load %qkv[%b, %j, %h * 64 + %d + 128] : memref<2x200x384xbf16>
      %kw = arith.extf %k : bf16 to f32
      %p = arith.mulf %qw, %kw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %c = arith.constant 1.250000e-01 : f32
    %u = arith.mulf %sum, %c : f32
    %x = affine.load %mask[%b, %j] : memref<2x200xf32>
    %v = arith.addf %u, %x : f32
    affine.store %v, %ss[%b, %h, %i, %j] : memref<2x2x200x200xf32>
  } {strata.nest = "scores"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (2, 2, 200) {
    %least = arith.constant 0xFF800000 : f32
    %r = affine.for %j = 0 to 200 iter_args(%a = %least) -> (f32) {
      %x = affine.load %ss[%b, %h, %i, %j] : memref<2x2x200x200xf32>
      %n = arith.maximumf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ms[%b, %h, %i] : memref<2x2x200xf32>
  } {strata.nest = "max"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (2, 2, 200, 200) {
    %x = affine.load %ss[%b, %h, %i, %j] : memref<2x2x200x200xf32>
    %y = affine.load %ms[%b, %h, %i] : memref<2x2x200xf32>
    %d = arith.subf %x, %y : f32
    %z = math.exp %d : f32
    affine.store %z, %es[%b, %h, %i, %j] : memref<2x2x200x200xf32>
  } {strata.nest = "exp"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (2, 2, 200) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %es[%b, %h, %i, %j] : memref<2x2x200x200xf32>
      %n = arith.addf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ls[%b, %h, %i] : memref<2x2x200xf32>
  } {strata.nest = "sum"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (2, 2, 200, 200) {
    %x = affine.load %es[%b, %h, %i, %j] : memref<2x2x200x200xf32>
    %y = affine.load %ls[%b, %h, %i] : memref<2x2x200xf32>
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to bf16
    affine.store %t, %ws[%b, %h, %i, %j] : memref<2x2x200x200xbf16>
  } {strata.nest = "div"}
  affine.parallel (%b, %i, %h, %v) = (0, 0, 0, 0) to (2, 200, 2, 64) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %ws[%b, %h, %i, %j] : memref<2x2x200x200xbf16>
      %xw = arith.extf %x : bf16 to f32
      %y = affine.load %qkv[%b, %j, %h * 64 + %v + 256] : memref<2x200x384xbf16>
      %yw = arith.extf %y : bf16 to f32
      %p = arith.mulf %xw, %yw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %t = arith.truncf %sum : f32 to bf16
    affine.store %t, %out[%b, %i, %h * 64 + %v] : memref<2x200x128xbf16>
  } {strata.nest = "weighted"}
  return
}
