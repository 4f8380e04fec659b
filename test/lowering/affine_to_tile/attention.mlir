// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-to-tile | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-to-tile | FileCheck %s --check-prefix=ROW

// Queries are loaded once a task, keys and values a block of columns at a time, the last one first; what hangs over is
// -inf. With a mask the exponent is a difference, times log2(e); the maximum begins at the lowest number. The division
// comes last.
// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1)[s0, s1, s2] -> (s1, d0 + s2 * 128, d1 + s0 * 64)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1)[s0, s1, s2] -> (s1, d0 + s2 * 112, d1 + s0 * 64 + 128)>
// CHECK-DAG: #[[V:.*]] = affine_map<(d0, d1)[s0, s1, s2] -> (s1, d1 + s2 * 112, d0 + s0 * 64 + 256)>
// CHECK-DAG: #[[ROWS:.*]] = affine_set<(d0, d1)[s0, s1, s2] : (-d0 - s2 * 128 + 199 >= 0)>
// CHECK-DAG: #[[KEYS:.*]] = affine_set<(d0, d1)[s0, s1, s2] : (-d0 - s2 * 112 + 199 >= 0)>
// CHECK-DAG: #[[VALUES:.*]] = affine_set<(d0, d1)[s0, s1, s2] : (-d1 - s2 * 112 + 199 >= 0)>
// CHECK-DAG: #[[BACK:.*]] = affine_map<(d0) -> (-d0 + 1)>
// CHECK-LABEL: func.func private @masked
// CHECK: scf.forall {{.*}} in (8)
// CHECK: %[[Q0:.*]] = "tile.load"(%arg0, {{.*}}) {map = #[[Q]], mask = #[[ROWS]]} : {{.*}} -> vector<128x64xbf16>
// CHECK: arith.constant -3.40282347E+38 : f32
// CHECK: %[[R:.*]]:3 = scf.for %[[J:[^ ]*]] = {{.*}} iter_args(%[[M:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}}, %[[O:.*]] = %{{.*}}) -> (vector<128xf32>, vector<128xf32>, vector<128x64xf32>) {
// CHECK: affine.apply #[[BACK]](%[[J]])
// CHECK: %[[K0:.*]] = "tile.load"(%arg0, {{.*}}) {map = #[[K]], mask = #[[KEYS]]} : {{.*}} -> vector<112x64xbf16>
// CHECK: %[[S:.*]] = vector.contract {{.*}} %[[Q0]], %[[K0]], %{{.*}} {tile.mma = "wgmma.bf16"} : {{.*}} into vector<128x112xf32>
// CHECK: %[[S1:.*]] = arith.mulf %[[S]], %{{.*}} : vector<128x112xf32>
// CHECK: %[[MASK:.*]] = "tile.load"(%arg1, {{.*}}) {{.*}} -> vector<112xf32>
// CHECK: arith.addf %[[S1]], %{{.*}} : vector<128x112xf32>
// CHECK: vector.step : vector<112xindex>
// CHECK: arith.cmpi slt
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: %[[S2:.*]] = arith.select {{.*}} : vector<128x112xi1>, vector<128x112xf32>
// CHECK: %[[M1:.*]] = vector.multi_reduction <maximumf>, %[[S2]], %[[M]] [1] : vector<128x112xf32> to vector<128xf32>
// CHECK: %[[X:.*]] = arith.subf %[[S2]], %{{.*}}
// CHECK: %[[X1:.*]] = arith.mulf %[[X]], %{{.*}}
// CHECK: %[[P:.*]] = math.exp2 %[[X1]] fastmath<reassoc,arcp,contract,afn> : vector<128x112xf32>
// Of the maxima in this order, both may be the lowest number.
// CHECK: %[[D:.*]] = arith.subf %[[M]], %[[M1]] : vector<128xf32>
// CHECK: %[[F:.*]] = math.exp2 {{.*}} : vector<128xf32>
// CHECK: %[[L0:.*]] = arith.mulf %[[L]], %[[F]]
// CHECK: %[[L1:.*]] = vector.multi_reduction <add>, %[[P]], %[[L0]] [1]
// CHECK: %[[P1:.*]] = arith.truncf %[[P]] : vector<128x112xf32> to vector<128x112xbf16>
// CHECK: %[[V0:.*]] = "tile.load"(%arg0, {{.*}}) {map = #[[V]], mask = #[[VALUES]]} : {{.*}} -> vector<64x112xbf16>
// CHECK: %[[O0:.*]] = arith.mulf %[[O]], %{{.*}} : vector<128x64xf32>
// CHECK: %[[O1:.*]] = vector.contract {{.*}} %[[P1]], %[[V0]], %[[O0]] {tile.mma = "wgmma.bf16"}
// CHECK: scf.yield %[[M1]], %[[L1]], %[[O1]]
// CHECK: } {tile.pipeline}
// CHECK: %[[I:.*]] = arith.divf %{{.*}}, %[[R]]#1 {{.*}} : vector<128xf32>
// CHECK: arith.mulf %[[R]]#2, %{{.*}} : vector<128x64xf32>
// CHECK: "tile.store"({{.*}}, %arg2, {{.*}}) {map = #[[Q]], mask = #[[ROWS]]} : (vector<128x64xbf16>, memref<2x200x128xbf16>

func.func private @masked(%qkv: memref<2x200x384xbf16>, %mask: memref<2x200xf32>, %out: memref<2x200x128xbf16>)
    attributes {strata.schedule = {kind = "attention", threads = 256, group = 256, tile = array<i64: 128, 112, 64>,
                                   mma = "wgmma.bf16", producers = 128, slots = 2, blocks = 8}} {
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

// Where a factor is all that follows the product it goes into the exponent, s * f - m * f. Weights that were NaN, of rows
// without a column, make zero. One block of columns is a loop of one.
// ROW-LABEL: func.func private @row
// ROW: scf.forall {{.*}} in (12)
// ROW: scf.for
// ROW: %[[S:.*]] = vector.contract {{.*}} into vector<64x112xf32>
// ROW: %[[S1:.*]] = arith.select {{.*}}, %[[S]], {{.*}} : vector<64x112xi1>, vector<64x112xf32>
// ROW: %[[M:.*]] = vector.multi_reduction <maximumf>, %[[S1]]
// ROW: arith.constant 0.180336878 : f32
// ROW: arith.mulf %[[M]], %{{.*}} : vector<64xf32>
// ROW: %[[S2:.*]] = arith.mulf %[[S1]], %{{.*}} : vector<64x112xf32>
// ROW: arith.subf %[[S2]], %{{.*}} : vector<64x112xf32>
// ROW: math.exp2 {{.*}} : vector<64x112xf32>
// ROW: } {tile.pipeline}
// ROW: %[[Q:.*]] = arith.mulf {{.*}} : vector<64x64xf32>
// ROW: arith.cmpf ogt
// ROW: arith.select %{{.*}}, %[[Q]], %{{.*}} : vector<64x64xi1>, vector<64x64xf32>
// ROW: arith.truncf
// ROW: "tile.store"
func.func private @row(%qkv: memref<2x100x576xf16>, %out: memref<2x100x192xf16>)
    attributes {strata.schedule = {kind = "attention", threads = 128, group = 128, tile = array<i64: 64, 112, 64>,
                                   mma = "wgmma.f16", producers = 128, slots = 2, blocks = 12}} {
  %ss = memref.alloc() : memref<2x3x100x100xf32>
  %ms = memref.alloc() : memref<2x3x100xf32>
  %es = memref.alloc() : memref<2x3x100x100xf32>
  %ls = memref.alloc() : memref<2x3x100xf32>
  %ws = memref.alloc() : memref<2x3x100x100xf16>
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (2, 3, 100, 100) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %q = affine.load %qkv[%b, %i, %h * 64 + %d] : memref<2x100x576xf16>
      %qw = arith.extf %q : f16 to f32
      %k = affine.load %qkv[%b, %j, %h * 64 + %d + 192] : memref<2x100x576xf16>
      %kw = arith.extf %k : f16 to f32
      %p = arith.mulf %qw, %kw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %c = arith.constant 1.250000e-01 : f32
    %u = arith.mulf %sum, %c : f32
    affine.store %u, %ss[%b, %h, %i, %j] : memref<2x3x100x100xf32>
  } {strata.nest = "scores"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (2, 3, 100) {
    %least = arith.constant 0xFF800000 : f32
    %r = affine.for %j = 0 to 100 iter_args(%a = %least) -> (f32) {
      %x = affine.load %ss[%b, %h, %i, %j] : memref<2x3x100x100xf32>
      %n = arith.maximumf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ms[%b, %h, %i] : memref<2x3x100xf32>
  } {strata.nest = "max"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (2, 3, 100, 100) {
    %x = affine.load %ss[%b, %h, %i, %j] : memref<2x3x100x100xf32>
    %y = affine.load %ms[%b, %h, %i] : memref<2x3x100xf32>
    %d = arith.subf %x, %y : f32
    %z = math.exp %d : f32
    affine.store %z, %es[%b, %h, %i, %j] : memref<2x3x100x100xf32>
  } {strata.nest = "exp"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (2, 3, 100) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %j = 0 to 100 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %es[%b, %h, %i, %j] : memref<2x3x100x100xf32>
      %n = arith.addf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ls[%b, %h, %i] : memref<2x3x100xf32>
  } {strata.nest = "sum"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (2, 3, 100, 100) {
    %x = affine.load %es[%b, %h, %i, %j] : memref<2x3x100x100xf32>
    %y = affine.load %ls[%b, %h, %i] : memref<2x3x100xf32>
    %d = arith.divf %x, %y : f32
    %nan = arith.cmpf uno, %d, %d : f32
    %zero = arith.constant 0.0 : f32
    %g = arith.select %nan, %zero, %d : f32
    %t = arith.truncf %g : f32 to f16
    affine.store %t, %ws[%b, %h, %i, %j] : memref<2x3x100x100xf16>
  } {strata.nest = "div"}
  affine.parallel (%b, %i, %h, %v) = (0, 0, 0, 0) to (2, 100, 3, 64) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 100 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %ws[%b, %h, %i, %j] : memref<2x3x100x100xf16>
      %xw = arith.extf %x : f16 to f32
      %y = affine.load %qkv[%b, %j, %h * 64 + %v + 384] : memref<2x100x576xf16>
      %yw = arith.extf %y : f16 to f32
      %p = arith.mulf %xw, %yw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %t = arith.truncf %sum : f32 to f16
    affine.store %t, %out[%b, %i, %h * 64 + %v] : memref<2x100x192xf16>
  } {strata.nest = "weighted"}
  return
}
