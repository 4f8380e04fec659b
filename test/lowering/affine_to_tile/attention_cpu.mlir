// RUN: strata-opt %s --device=x86-64-v4 --pipeline=affine-to-tile | FileCheck %s

// Rows of 8, whose scores are scratch memory: keys and values as panels, squares of keys turned; columns up to those
// that the block's last row sees, the rows' own ends compared in tiles alone that not all of a row sees; results divided
// by the rows' sums.
// CHECK-DAG: #[[SEEN:.*]] = affine_map<(d0) -> (d0 + 8, 100)>
// CHECK-DAG: #[[TILES:.*]] = affine_map<(d0) -> ((d0 + 31) floordiv 32, 3)>
// CHECK-DAG: #[[PLAIN:.*]] = affine_map<(d0) -> (d0 floordiv 32, 3)>
// CHECK-LABEL: func.func private @causal
// CHECK: scf.forall {{.*}} in (18)
// CHECK: %[[Q:.*]] = memref.alloc() {tile.scratch} : memref<8x80xf32>
// CHECK: %[[K:.*]] = memref.alloc() {tile.scratch} : memref<4x64x32xf32>
// CHECK: %[[V:.*]] = memref.alloc() {tile.scratch} : memref<2x100x32xf32>
// CHECK: %[[S:.*]] = memref.alloc() {tile.scratch} : memref<8x128xf32>
// CHECK: %[[L:.*]] = memref.alloc() {tile.scratch} : memref<8xf32>
// CHECK: %[[SQUARE:.*]] = "tile.load"(%arg0, {{.*}} -> vector<16x16xf32>
// CHECK: "tile.store"(%[[SQUARE]], %[[K]],
// CHECK: "tile.store"({{.*}}, %[[V]], {{.*}} : (vector<32xf32>,
// CHECK: %[[END:.*]] = affine.min #[[SEEN]]
// CHECK: "tile.store"({{.*}}, %[[Q]],
// CHECK: %[[N:.*]] = affine.min #[[TILES]](%[[END]])
// CHECK: scf.for {{.*}} to %[[N]]
// CHECK: %[[ACC:.*]] = scf.for {{.*}} -> (vector<8x32xf32>)
// CHECK: vector.outerproduct {{.*}} : vector<8xf32>, vector<32xf32>
// CHECK: "tile.store"(%[[ACC]], %[[S]],
// CHECK: %[[M:.*]] = affine.min #[[PLAIN]]
// CHECK: %[[MAX:.*]] = scf.for {{.*}} to %[[M]]
// CHECK-NOT: arith.select
// CHECK: scf.for {{.*}} = %[[M]] to {{.*}} iter_args({{.*}} = %[[MAX]])
// CHECK: arith.select
// CHECK: vector.multi_reduction <maximumf>
// CHECK: math.exp2
// CHECK: vector.multi_reduction <add>
// CHECK: "tile.store"({{.*}}, %[[L]],
// CHECK: scf.for {{.*}} to %[[END]] {{.*}} -> (vector<8x32xf32>)
// CHECK: "tile.load"(%[[S]],
// CHECK: "tile.load"(%[[V]],
// CHECK: vector.outerproduct {{.*}} : vector<8xf32>, vector<32xf32>
// CHECK: "tile.load"(%[[L]])
// CHECK: arith.divf
// CHECK: "tile.store"({{.*}}, %arg1, {{.*}} : (vector<8x32xf32>,
func.func private @causal(%qkv: memref<2x100x576xf32>, %out: memref<2x100x192xf32>)
    attributes {strata.schedule = {kind = "attention", tile = array<i64: 8, 32, 32>}} {
  %ss = memref.alloc() : memref<2x3x100x100xf32>
  %ms = memref.alloc() : memref<2x3x100xf32>
  %es = memref.alloc() : memref<2x3x100x100xf32>
  %ls = memref.alloc() : memref<2x3x100xf32>
  %ws = memref.alloc() : memref<2x3x100x100xf32>
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (2, 3, 100, 100) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %q = affine.load %qkv[%b, %i, %h * 64 + %d] : memref<2x100x576xf32>
      %k = affine.load %qkv[%b, %j, %h * 64 + %d + 192] : memref<2x100x576xf32>
      %p = arith.mulf %q, %k : f32
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
    affine.store %f, %ss[%b, %h, %i, %j] : memref<2x3x100x100xf32>
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
    %e = math.exp %d : f32
    affine.store %e, %es[%b, %h, %i, %j] : memref<2x3x100x100xf32>
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
    %w = arith.divf %x, %y : f32
    affine.store %w, %ws[%b, %h, %i, %j] : memref<2x3x100x100xf32>
  } {strata.nest = "div"}
  affine.parallel (%b, %i, %h, %e) = (0, 0, 0, 0) to (2, 100, 3, 64) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 100 iter_args(%a = %zero) -> (f32) {
      %w = affine.load %ws[%b, %h, %i, %j] : memref<2x3x100x100xf32>
      %v = affine.load %qkv[%b, %j, %h * 64 + %e + 384] : memref<2x100x576xf32>
      %p = arith.mulf %w, %v : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %sum, %out[%b, %i, %h * 64 + %e] : memref<2x100x192xf32>
  } {strata.nest = "weighted"}
  return
}
