// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-group,affine-schedule | FileCheck %s
// RUN: strata-opt %s --target=amdgpu --device=gfx942 --pipeline=affine-group,affine-schedule | FileCheck %s --check-prefix=FMA
// RUN: strata-opt %s --target=nvgpu --device=sm_80 --pipeline=affine-group | FileCheck %s --check-prefix=APART

// Attention whose batch, queries and keys vary is one kernel, as it is of numbers, where the device has a form for it.
// Few rows, of a batch or of all, have tiles of their own: variants. The grid is as many blocks as share out tiles of any number evenly.
// CHECK-LABEL: func.func @main
// CHECK: call @k0(%arg0, %arg1, %arg2, %arg3)
// CHECK-NEXT: return
// CHECK: func.func private @k0({{.*}}strata.schedule = {blocks = 131 : i64, {{.*}}kind = "attention", mma = "wgmma.f16", {{.*}}tile = array<i64: 128, 128, 64>}, strata.variants = [@k0_v1, @k0_v2]}
// CHECK: func.func private @k0_v1({{.*}}tile = array<i64: 64, {{.*}}strata.when
// CHECK: func.func private @k0_v2({{.*}}tile = array<i64: 64, {{.*}}strata.when
// FMA-LABEL: func.func @main
// FMA: call @k0(%arg0, %arg1, %arg2, %arg3)
// FMA-NEXT: return
// FMA: func.func private @k0({{.*}}kind = "attention", {{.*}}warps
// APART-LABEL: func.func @main
// APART: call
// APART: call
// APART: call
!o = memref<?x?x192xf16, {sizes = affine_map<()[s0, s1, s2] -> (s0, s2, 192)>}>
!c = memref<?x?x192xf16, {sizes = affine_map<()[s0, s1, s2] -> (s0, s1 + s2, 192)>}>
!r = memref<?x3x?xf32, {sizes = affine_map<()[s0, s1, s2] -> (s0, 3, s2)>}>
!s = memref<?x3x?x?xf32, {sizes = affine_map<()[s0, s1, s2] -> (s0, 3, s2, s1 + s2)>}>
!w = memref<?x3x?x?xf16, {sizes = affine_map<()[s0, s1, s2] -> (s0, 3, s2, s1 + s2)>}>
func.func @main(%q0: !o {strata.name = "q"}, %k0: !c {strata.name = "k"}, %v0: !c {strata.name = "v"}, %out: !o {strata.name = "y", strata.output}) attributes {strata.symbols = [
    {name = "batch", min = 1 : i64, max = 64 : i64, multiple = 1 : i64, likely = [1, 8]},
    {name = "past", min = 0 : i64, max = 100000 : i64, multiple = 1 : i64, likely = [128, 1024]},
    {name = "sequence", min = 1 : i64, max = 100000 : i64, multiple = 1 : i64, likely = [1, 128, 512]}]} {
  %nb = "strata.size"() {symbol = 0 : i64} : () -> index
  %past = "strata.size"() {symbol = 1 : i64} : () -> index
  %seq = "strata.size"() {symbol = 2 : i64} : () -> index
  %m = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%seq, %past]
  %ss = memref.alloc(%nb, %seq, %m) : !s
  %ms = memref.alloc(%nb, %seq) : !r
  %es = memref.alloc(%nb, %seq, %m) : !s
  %ls = memref.alloc(%nb, %seq) : !r
  %ws = memref.alloc(%nb, %seq, %m) : !w
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (symbol(%nb), 3, symbol(%seq), symbol(%seq) + symbol(%past)) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %q = affine.load %q0[%b, %i, %h * 64 + %d] : !o
      %qw = arith.extf %q : f16 to f32
      %k = affine.load %k0[%b, %j, %h * 64 + %d] : !c
      %kw = arith.extf %k : f16 to f32
      %p = arith.mulf %qw, %kw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %c = arith.constant 1.250000e-01 : f32
    %u = arith.mulf %sum, %c : f32
    %ri = arith.index_cast %i : index to i32
    %ci = arith.index_cast %j : index to i32
    %pi = arith.index_cast %past : index to i32
    %rp = arith.addi %ri, %pi : i32
    %seen = arith.cmpi sge, %rp, %ci : i32
    %none = arith.constant 0xFF800000 : f32
    %f = arith.select %seen, %u, %none : f32
    affine.store %f, %ss[%b, %h, %i, %j] : !s
  } {strata.nest = "scores"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (symbol(%nb), 3, symbol(%seq)) {
    %least = arith.constant 0xFF800000 : f32
    %r = affine.for %j = 0 to affine_map<()[s0, s1] -> (s0 + s1)>()[%seq, %past] iter_args(%a = %least) -> (f32) {
      %x = affine.load %ss[%b, %h, %i, %j] : !s
      %n = arith.maximumf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ms[%b, %h, %i] : !r
  } {strata.nest = "max"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (symbol(%nb), 3, symbol(%seq), symbol(%seq) + symbol(%past)) {
    %x = affine.load %ss[%b, %h, %i, %j] : !s
    %y = affine.load %ms[%b, %h, %i] : !r
    %d = arith.subf %x, %y : f32
    %z = math.exp %d : f32
    affine.store %z, %es[%b, %h, %i, %j] : !s
  } {strata.nest = "exp"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (symbol(%nb), 3, symbol(%seq)) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %j = 0 to affine_map<()[s0, s1] -> (s0 + s1)>()[%seq, %past] iter_args(%a = %zero) -> (f32) {
      %x = affine.load %es[%b, %h, %i, %j] : !s
      %n = arith.addf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ls[%b, %h, %i] : !r
  } {strata.nest = "sum"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (symbol(%nb), 3, symbol(%seq), symbol(%seq) + symbol(%past)) {
    %x = affine.load %es[%b, %h, %i, %j] : !s
    %y = affine.load %ls[%b, %h, %i] : !r
    %d = arith.divf %x, %y : f32
    %nan = arith.cmpf uno, %d, %d : f32
    %zero = arith.constant 0.0 : f32
    %g = arith.select %nan, %zero, %d : f32
    %t = arith.truncf %g : f32 to f16
    affine.store %t, %ws[%b, %h, %i, %j] : !w
  } {strata.nest = "div"}
  affine.parallel (%b, %i, %h, %v) = (0, 0, 0, 0) to (symbol(%nb), symbol(%seq), 3, 64) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to affine_map<()[s0, s1] -> (s0 + s1)>()[%seq, %past] iter_args(%a = %zero) -> (f32) {
      %x = affine.load %ws[%b, %h, %i, %j] : !w
      %xw = arith.extf %x : f16 to f32
      %y = affine.load %v0[%b, %j, %h * 64 + %v] : !c
      %yw = arith.extf %y : f16 to f32
      %p = arith.mulf %xw, %yw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %t = arith.truncf %sum : f32 to f16
    affine.store %t, %out[%b, %i, %h * 64 + %v] : !o
  } {strata.nest = "weighted"}
  return
}
