// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-to-tile | FileCheck %s

// A causal mask, of rows' and columns' numbers: a tile of rows sees as many blocks of columns as its own number and one;
// the last of them comes first, and rows' ends are compared with columns. The factor goes into the exponent.
// CHECK-DAG: #[[COUNT:.*]] = affine_map<(d0) -> (d0 + 1)>
// CHECK-DAG: #[[BLOCK:.*]] = affine_map<(d0, d1) -> (d1 - d0)>
// CHECK-DAG: #[[SEEN:.*]] = affine_map<(d0, d1) -> (d0 * 64 - d1 * 64 + 1)>
// CHECK-LABEL: func.func private @causal
// CHECK: scf.forall {{.*}} in (24)
// CHECK: %[[N:.*]] = affine.apply #[[COUNT]](%[[TILE:.*]])
// CHECK: scf.for %[[J:[^ ]*]] = %{{.*}} to %[[N]]
// CHECK: %[[B:.*]] = affine.apply #[[BLOCK]](%[[J]], %[[TILE]])
// CHECK: %[[S:.*]] = vector.contract {{.*}} into vector<64x64xf32>
// CHECK: %[[ROWS:.*]] = vector.step : vector<64xindex>
// CHECK: affine.apply #[[SEEN]](%[[TILE]], %[[B]])
// CHECK: arith.addi %[[ROWS]], %{{.*}} : vector<64xindex>
// CHECK: %[[C:.*]] = arith.cmpi slt, {{.*}} : vector<64x64xindex>
// CHECK: %[[S1:.*]] = arith.select %[[C]], %[[S]], %{{.*}} : vector<64x64xi1>, vector<64x64xf32>
// CHECK: vector.multi_reduction <maximumf>, %[[S1]]
// CHECK: } {tile.most = 4 : i64, tile.pipeline}
func.func private @causal(%qkv: memref<2x256x576xf16>, %out: memref<2x256x192xf16>)
    attributes {strata.schedule = {kind = "attention", threads = 128, group = 128, tile = array<i64: 64, 64, 64>,
                                   mma = "wgmma.f16", producers = 128, slots = 2, blocks = 24}} {
  %ss = memref.alloc() : memref<2x3x256x256xf32>
  %ms = memref.alloc() : memref<2x3x256xf32>
  %es = memref.alloc() : memref<2x3x256x256xf32>
  %ls = memref.alloc() : memref<2x3x256xf32>
  %ws = memref.alloc() : memref<2x3x256x256xf16>
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (2, 3, 256, 256) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %q = affine.load %qkv[%b, %i, %h * 64 + %d] : memref<2x256x576xf16>
      %qw = arith.extf %q : f16 to f32
      %k = affine.load %qkv[%b, %j, %h * 64 + %d + 192] : memref<2x256x576xf16>
      %kw = arith.extf %k : f16 to f32
      %p = arith.mulf %qw, %kw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %c = arith.constant 1.250000e-01 : f32
    %u = arith.mulf %sum, %c : f32
    %ri = arith.index_cast %i : index to i32
    %ci = arith.index_cast %j : index to i32
    %seen = arith.cmpi sge, %ri, %ci : i32
    %none = arith.constant 0xFF800000 : f32
    %f = arith.select %seen, %u, %none : f32
    affine.store %f, %ss[%b, %h, %i, %j] : memref<2x3x256x256xf32>
  } {strata.nest = "scores"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (2, 3, 256) {
    %least = arith.constant 0xFF800000 : f32
    %r = affine.for %j = 0 to 256 iter_args(%a = %least) -> (f32) {
      %x = affine.load %ss[%b, %h, %i, %j] : memref<2x3x256x256xf32>
      %n = arith.maximumf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ms[%b, %h, %i] : memref<2x3x256xf32>
  } {strata.nest = "max"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (2, 3, 256, 256) {
    %x = affine.load %ss[%b, %h, %i, %j] : memref<2x3x256x256xf32>
    %y = affine.load %ms[%b, %h, %i] : memref<2x3x256xf32>
    %d = arith.subf %x, %y : f32
    %z = math.exp %d : f32
    affine.store %z, %es[%b, %h, %i, %j] : memref<2x3x256x256xf32>
  } {strata.nest = "exp"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (2, 3, 256) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %j = 0 to 256 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %es[%b, %h, %i, %j] : memref<2x3x256x256xf32>
      %n = arith.addf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ls[%b, %h, %i] : memref<2x3x256xf32>
  } {strata.nest = "sum"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (2, 3, 256, 256) {
    %x = affine.load %es[%b, %h, %i, %j] : memref<2x3x256x256xf32>
    %y = affine.load %ls[%b, %h, %i] : memref<2x3x256xf32>
    %d = arith.divf %x, %y : f32
    %nan = arith.cmpf uno, %d, %d : f32
    %zero = arith.constant 0.0 : f32
    %g = arith.select %nan, %zero, %d : f32
    %t = arith.truncf %g : f32 to f16
    affine.store %t, %ws[%b, %h, %i, %j] : memref<2x3x256x256xf16>
  } {strata.nest = "div"}
  affine.parallel (%b, %i, %h, %v) = (0, 0, 0, 0) to (2, 256, 3, 64) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 256 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %ws[%b, %h, %i, %j] : memref<2x3x256x256xf16>
      %xw = arith.extf %x : f16 to f32
      %y = affine.load %qkv[%b, %j, %h * 64 + %v + 384] : memref<2x256x576xf16>
      %yw = arith.extf %y : f16 to f32
      %p = arith.mulf %xw, %yw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %t = arith.truncf %sum : f32 to f16
    affine.store %t, %out[%b, %i, %h * 64 + %v] : memref<2x256x192xf16>
  } {strata.nest = "weighted"}
  return
}
