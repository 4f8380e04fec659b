// RUN: strata-opt %s --target=nvgpu --device=sm_90a --split-input-file --pipeline=affine-group | FileCheck %s
// RUN: strata-opt %s --target=amdgpu --device=gfx942 --split-input-file --pipeline=affine-group | FileCheck %s --check-prefix=FMA
// RUN: strata-opt %s --target=nvgpu --device=sm_80 --split-input-file --pipeline=affine-group | FileCheck %s --check-prefix=APART
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --split-input-file --pipeline=affine-group --polyblocks-disable-unsafe-math-canonicalizations | FileCheck %s --check-prefix=APART
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --split-input-file --pipeline=affine-group --polyblocks-disable-reduce-reduce-fusion | FileCheck %s --check-prefix=APART
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --split-input-file --pipeline=affine-group --polyblocks-disable-affine-fusion | FileCheck %s --check-prefix=APART

// Two contractions and the softmax between them are one kernel where products read their operands from shared memory, or
// where there are multiply-adds alone, and what follows elementwise is in it.
// CHECK-LABEL: func.func @main
// CHECK: call @k0(%arg0, %arg1, %arg2)
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @k0
// CHECK-SAME: attributes {strata.schedule = {kind = "attention"}}
// CHECK-COUNT-6: strata.nest
// CHECK: return
// FMA-LABEL: func.func @main
// FMA: call @k0
// FMA-NEXT: return
// APART-LABEL: func.func @main
// APART: call
// APART: call
// APART: call
func.func @main(%qkv: memref<8x200x384xbf16> {strata.name = "qkv"}, %mask: memref<8x200xf32> {strata.name = "mask"}, %out: memref<8x200x128xbf16> {strata.name = "y", strata.output}) {
  %ss = memref.alloc() : memref<8x2x200x200xf32>
  %ms = memref.alloc() : memref<8x2x200xf32>
  %es = memref.alloc() : memref<8x2x200x200xf32>
  %ls = memref.alloc() : memref<8x2x200xf32>
  %ws = memref.alloc() : memref<8x2x200x200xbf16>
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (8, 2, 200, 200) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %q = affine.load %qkv[%b, %i, %h * 64 + %d] : memref<8x200x384xbf16>
      %qw = arith.extf %q : bf16 to f32
      %k = affine.load %qkv[%b, %j, %h * 64 + %d + 128] : memref<8x200x384xbf16>
      %kw = arith.extf %k : bf16 to f32
      %p = arith.mulf %qw, %kw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %c = arith.constant 1.250000e-01 : f32
    %u = arith.mulf %sum, %c : f32
    %x = affine.load %mask[%b, %j] : memref<8x200xf32>
    %v = arith.addf %u, %x : f32
    affine.store %v, %ss[%b, %h, %i, %j] : memref<8x2x200x200xf32>
  } {strata.nest = "scores"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (8, 2, 200) {
    %least = arith.constant 0xFF800000 : f32
    %r = affine.for %j = 0 to 200 iter_args(%a = %least) -> (f32) {
      %x = affine.load %ss[%b, %h, %i, %j] : memref<8x2x200x200xf32>
      %n = arith.maximumf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ms[%b, %h, %i] : memref<8x2x200xf32>
  } {strata.nest = "max"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (8, 2, 200, 200) {
    %x = affine.load %ss[%b, %h, %i, %j] : memref<8x2x200x200xf32>
    %y = affine.load %ms[%b, %h, %i] : memref<8x2x200xf32>
    %d = arith.subf %x, %y : f32
    %z = math.exp %d : f32
    affine.store %z, %es[%b, %h, %i, %j] : memref<8x2x200x200xf32>
  } {strata.nest = "exp"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (8, 2, 200) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %es[%b, %h, %i, %j] : memref<8x2x200x200xf32>
      %n = arith.addf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ls[%b, %h, %i] : memref<8x2x200xf32>
  } {strata.nest = "sum"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (8, 2, 200, 200) {
    %x = affine.load %es[%b, %h, %i, %j] : memref<8x2x200x200xf32>
    %y = affine.load %ls[%b, %h, %i] : memref<8x2x200xf32>
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to bf16
    affine.store %t, %ws[%b, %h, %i, %j] : memref<8x2x200x200xbf16>
  } {strata.nest = "div"}
  affine.parallel (%b, %i, %h, %v) = (0, 0, 0, 0) to (8, 200, 2, 64) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %ws[%b, %h, %i, %j] : memref<8x2x200x200xbf16>
      %xw = arith.extf %x : bf16 to f32
      %y = affine.load %qkv[%b, %j, %h * 64 + %v + 256] : memref<8x200x384xbf16>
      %yw = arith.extf %y : bf16 to f32
      %p = arith.mulf %xw, %yw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %t = arith.truncf %sum : f32 to bf16
    affine.store %t, %out[%b, %i, %h * 64 + %v] : memref<8x200x128xbf16>
  } {strata.nest = "weighted"}
  return
}

// -----

// Somebody else reads the sums of rows.
// CHECK-LABEL: func.func @main
// CHECK: call
// CHECK: call
// FMA-LABEL: func.func @main
// FMA: call
// FMA: call
// APART-LABEL: func.func @main
func.func @main(%qkv: memref<8x200x384xbf16> {strata.name = "qkv"}, %out: memref<8x200x128xbf16> {strata.name = "y", strata.output}, %ls: memref<8x2x200xf32> {strata.name = "l", strata.output}) {
  %ss = memref.alloc() : memref<8x2x200x200xf32>
  %ms = memref.alloc() : memref<8x2x200xf32>
  %es = memref.alloc() : memref<8x2x200x200xf32>
    %ws = memref.alloc() : memref<8x2x200x200xbf16>
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (8, 2, 200, 200) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %q = affine.load %qkv[%b, %i, %h * 64 + %d] : memref<8x200x384xbf16>
      %qw = arith.extf %q : bf16 to f32
      %k = affine.load %qkv[%b, %j, %h * 64 + %d + 128] : memref<8x200x384xbf16>
      %kw = arith.extf %k : bf16 to f32
      %p = arith.mulf %qw, %kw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %c = arith.constant 1.250000e-01 : f32
    %u = arith.mulf %sum, %c : f32
    affine.store %u, %ss[%b, %h, %i, %j] : memref<8x2x200x200xf32>
  } {strata.nest = "scores"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (8, 2, 200) {
    %least = arith.constant 0xFF800000 : f32
    %r = affine.for %j = 0 to 200 iter_args(%a = %least) -> (f32) {
      %x = affine.load %ss[%b, %h, %i, %j] : memref<8x2x200x200xf32>
      %n = arith.maximumf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ms[%b, %h, %i] : memref<8x2x200xf32>
  } {strata.nest = "max"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (8, 2, 200, 200) {
    %x = affine.load %ss[%b, %h, %i, %j] : memref<8x2x200x200xf32>
    %y = affine.load %ms[%b, %h, %i] : memref<8x2x200xf32>
    %d = arith.subf %x, %y : f32
    %z = math.exp %d : f32
    affine.store %z, %es[%b, %h, %i, %j] : memref<8x2x200x200xf32>
  } {strata.nest = "exp"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (8, 2, 200) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %es[%b, %h, %i, %j] : memref<8x2x200x200xf32>
      %n = arith.addf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ls[%b, %h, %i] : memref<8x2x200xf32>
  } {strata.nest = "sum"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (8, 2, 200, 200) {
    %x = affine.load %es[%b, %h, %i, %j] : memref<8x2x200x200xf32>
    %y = affine.load %ls[%b, %h, %i] : memref<8x2x200xf32>
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to bf16
    affine.store %t, %ws[%b, %h, %i, %j] : memref<8x2x200x200xbf16>
  } {strata.nest = "div"}
  affine.parallel (%b, %i, %h, %v) = (0, 0, 0, 0) to (8, 200, 2, 64) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %ws[%b, %h, %i, %j] : memref<8x2x200x200xbf16>
      %xw = arith.extf %x : bf16 to f32
      %y = affine.load %qkv[%b, %j, %h * 64 + %v + 256] : memref<8x200x384xbf16>
      %yw = arith.extf %y : bf16 to f32
      %p = arith.mulf %xw, %yw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %t = arith.truncf %sum : f32 to bf16
    affine.store %t, %out[%b, %i, %h * 64 + %v] : memref<8x200x128xbf16>
  } {strata.nest = "weighted"}
  return
}

// -----

// Rows of 36 elements of 2 bytes are nothing that the copy engine brings; threads do.
// CHECK-LABEL: func.func @main
// CHECK: call
// CHECK: call
// FMA-LABEL: func.func @main
// FMA: call @k0
// FMA-NEXT: return
// APART-LABEL: func.func @main
func.func @main(%qkv: memref<8x200x36xf16> {strata.name = "qkv"}, %out: memref<8x200x12xf16> {strata.name = "y", strata.output}) {
  %ss = memref.alloc() : memref<8x1x200x200xf32>
  %ms = memref.alloc() : memref<8x1x200xf32>
  %es = memref.alloc() : memref<8x1x200x200xf32>
  %ls = memref.alloc() : memref<8x1x200xf32>
  %ws = memref.alloc() : memref<8x1x200x200xf16>
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (8, 1, 200, 200) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 12 iter_args(%a = %zero) -> (f32) {
      %q = affine.load %qkv[%b, %i, %h * 12 + %d] : memref<8x200x36xf16>
      %qw = arith.extf %q : f16 to f32
      %k = affine.load %qkv[%b, %j, %h * 12 + %d + 12] : memref<8x200x36xf16>
      %kw = arith.extf %k : f16 to f32
      %p = arith.mulf %qw, %kw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %c = arith.constant 1.250000e-01 : f32
    %u = arith.mulf %sum, %c : f32
    affine.store %u, %ss[%b, %h, %i, %j] : memref<8x1x200x200xf32>
  } {strata.nest = "scores"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (8, 1, 200) {
    %least = arith.constant 0xFF800000 : f32
    %r = affine.for %j = 0 to 200 iter_args(%a = %least) -> (f32) {
      %x = affine.load %ss[%b, %h, %i, %j] : memref<8x1x200x200xf32>
      %n = arith.maximumf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ms[%b, %h, %i] : memref<8x1x200xf32>
  } {strata.nest = "max"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (8, 1, 200, 200) {
    %x = affine.load %ss[%b, %h, %i, %j] : memref<8x1x200x200xf32>
    %y = affine.load %ms[%b, %h, %i] : memref<8x1x200xf32>
    %d = arith.subf %x, %y : f32
    %z = math.exp %d : f32
    affine.store %z, %es[%b, %h, %i, %j] : memref<8x1x200x200xf32>
  } {strata.nest = "exp"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (8, 1, 200) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %es[%b, %h, %i, %j] : memref<8x1x200x200xf32>
      %n = arith.addf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ls[%b, %h, %i] : memref<8x1x200xf32>
  } {strata.nest = "sum"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (8, 1, 200, 200) {
    %x = affine.load %es[%b, %h, %i, %j] : memref<8x1x200x200xf32>
    %y = affine.load %ls[%b, %h, %i] : memref<8x1x200xf32>
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to f16
    affine.store %t, %ws[%b, %h, %i, %j] : memref<8x1x200x200xf16>
  } {strata.nest = "div"}
  affine.parallel (%b, %i, %h, %v) = (0, 0, 0, 0) to (8, 200, 1, 12) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %ws[%b, %h, %i, %j] : memref<8x1x200x200xf16>
      %xw = arith.extf %x : f16 to f32
      %y = affine.load %qkv[%b, %j, %h * 12 + %v + 24] : memref<8x200x36xf16>
      %yw = arith.extf %y : f16 to f32
      %p = arith.mulf %xw, %yw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %t = arith.truncf %sum : f32 to f16
    affine.store %t, %out[%b, %i, %h * 12 + %v] : memref<8x200x12xf16>
  } {strata.nest = "weighted"}
  return
}
