// RUN: strata-opt %s --target=amdgpu --device=gfx942 --pipeline=affine-to-tile | FileCheck %s

// On multiply-adds: an ordinary loop; sides of tiles are powers of two, and of a head of 40 no more steps are taken. What
// hangs over it is not read. Keys and values are loaded in front of both products.
// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1)[s0, s1, s2] -> (s1, d0 + s2 * 64, d1 + s0 * 40)>
// CHECK-DAG: #[[ROWS:.*]] = affine_set<(d0, d1)[s0, s1, s2] : (-d1 + 39 >= 0, -d0 - s2 * 64 + 199 >= 0)>
// CHECK-LABEL: func.func private @masked
// CHECK: scf.forall {{.*}} in (16)
// CHECK: %[[Q0:.*]] = "tile.load"(%arg0, {{.*}}) {map = #[[Q]], mask = #[[ROWS]]} : {{.*}} -> vector<64x64xbf16>
// CHECK: scf.for {{.*}} -> (vector<64xf32>, vector<64xf32>, vector<64x64xf32>) {
// CHECK: %[[K0:.*]] = "tile.load"(%arg0, {{.*}} -> vector<64x64xbf16>
// CHECK: %[[V0:.*]] = "tile.load"(%arg0, {{.*}} -> vector<64x64xbf16>
// CHECK: vector.contract {{.*}} %[[Q0]], %[[K0]], %{{.*}} {tile.steps = 40 : i64} : {{.*}} into vector<64x64xf32>
// CHECK: %[[P:.*]] = arith.truncf {{.*}} : vector<64x64xf32> to vector<64x64xbf16>
// CHECK: vector.contract {{.*}} %[[P]], %[[V0]], %{{.*}} {tile.steps = 64 : i64} : {{.*}} into vector<64x64xf32>
// CHECK: scf.yield
// CHECK-NEXT: }{{$}}
// CHECK: "tile.store"({{.*}}, %arg2, {{.*}}) {map = #[[Q]], mask = #[[ROWS]]} : (vector<64x64xbf16>, memref<2x200x80xbf16>
func.func private @masked(%qkv: memref<2x200x240xbf16>, %mask: memref<2x200xf32>, %out: memref<2x200x80xbf16>)
    attributes {strata.schedule = {kind = "attention", threads = 128, group = 128, tile = array<i64: 64, 64, 64>,
                                   warps = array<i64: 4, 1>}} {
  %ss = memref.alloc() : memref<2x2x200x200xf32>
  %ms = memref.alloc() : memref<2x2x200xf32>
  %es = memref.alloc() : memref<2x2x200x200xf32>
  %ls = memref.alloc() : memref<2x2x200xf32>
  %ws = memref.alloc() : memref<2x2x200x200xbf16>
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (2, 2, 200, 200) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 40 iter_args(%a = %zero) -> (f32) {
      %q = affine.load %qkv[%b, %i, %h * 40 + %d] : memref<2x200x240xbf16>
      %qw = arith.extf %q : bf16 to f32
      %k = affine.load %qkv[%b, %j, %h * 40 + %d + 80] : memref<2x200x240xbf16>
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
  affine.parallel (%b, %i, %h, %v) = (0, 0, 0, 0) to (2, 200, 2, 40) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to 200 iter_args(%a = %zero) -> (f32) {
      %x = affine.load %ws[%b, %h, %i, %j] : memref<2x2x200x200xbf16>
      %xw = arith.extf %x : bf16 to f32
      %y = affine.load %qkv[%b, %j, %h * 40 + %v + 160] : memref<2x200x240xbf16>
      %yw = arith.extf %y : bf16 to f32
      %p = arith.mulf %xw, %yw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %t = arith.truncf %sum : f32 to bf16
    affine.store %t, %out[%b, %i, %h * 40 + %v] : memref<2x200x80xbf16>
  } {strata.nest = "weighted"}
  return
}
