// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine -o - | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=tile -o - | FileCheck %s --check-prefix=TILE
// RUN: strata %s --target=amdgpu --device=gfx942 --compile-to=affine -o - | FileCheck %s --check-prefix=AMD

// Four rows of two heads, 1023 columns that were cached and one that is new: keys and values are read where they lie,
// and the columns that were cached are cut into 6 parts of a block each. What the parts leave, maxima, sums and undivided
// results, is put together by a kernel behind, which has the new column's score itself.
// CHECK-LABEL: func.func @main
// CHECK: %[[MAXIMA:.*]] = memref.alloc() : memref<12x4xf32>
// CHECK: %[[SUMS:.*]] = memref.alloc() : memref<12x4xf32>
// CHECK: %[[RESULTS:.*]] = memref.alloc() : memref<12x4x64xf32>
// CHECK: call @k0({{.*}}, %[[MAXIMA]], %[[SUMS]], %[[RESULTS]])
// CHECK: call @k0_sum({{.*}}, %[[MAXIMA]], %[[SUMS]], %[[RESULTS]])
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @k0(
// CHECK-SAME: kind = "attention", {{.*}}splits = 6 : i64
// CHECK: strata.nest = "concat"
// CHECK: strata.nest = "concat"
// CHECK-LABEL: func.func private @k0_sum(
// CHECK-SAME: kind = "rows"
// CHECK: %[[SCORE:.*]] = memref.alloc() : memref<2x4x1xf16>
// CHECK: affine.for %{{.*}} = 0 to 64
// CHECK: affine.load %arg1[{{.*}}] : memref<2x1x64xf16>
// CHECK: strata.nest = "contract"
// CHECK: affine.load %arg6[%[[B:.*]] * 6, %[[I:.*]]] : memref<12x4xf32>
// CHECK: affine.load %arg6[%[[B]] * 6 + 5, %[[I]]] : memref<12x4xf32>
// CHECK: affine.load %arg8[%[[B]] * 6 + 5, %[[I]], %{{.*}}] : memref<12x4x64xf32>
// CHECK: affine.load %[[SCORE]]
// CHECK-COUNT-6: arith.maximumf
// CHECK-COUNT-7: math.exp2
// CHECK: arith.divf
// CHECK: affine.store %{{.*}}, %arg5
// CHECK: strata.nest = "parts"
// CHECK-NOT: affine.parallel

// A task is a part; it reads the cache alone, and stores no results.
// TILE: func.func private @k0(
// TILE: scf.forall {{.*}} in (12)
// TILE: "tile.load"(%{{.*}}) {{.*}} : (memref<2x1023x64xf16>, index, index) -> vector<176x64xf16>
// TILE: tile.pipeline
// TILE: "tile.store"(%{{.*}}) {{.*}} : (vector<64xf32>, memref<12x4xf32>, index, index)
// TILE: "tile.store"(%{{.*}}) {{.*}} : (vector<64xf32>, memref<12x4xf32>, index, index)
// TILE: "tile.store"(%{{.*}}) {{.*}} : (vector<64x64xf32>, memref<12x4x64xf32>, index, index)
// TILE-NOT: tile.store
// TILE: return

// AMD: call @k0_sum
// AMD: splits = {{[0-9]+}} : i64
func.func @main(%q: tensor<1x2x4x64xf16> {strata.name = "q"}, %k: tensor<1x2x1023x64xf16> {strata.name = "k"},
    %kn: tensor<1x2x1x64xf16> {strata.name = "kn"}, %v: tensor<1x2x1023x64xf16> {strata.name = "v"},
    %vn: tensor<1x2x1x64xf16> {strata.name = "vn"}) -> (tensor<1x2x4x64xf16> {strata.name = "y"}) {
  %kc = "strata.concat"(%k, %kn) {axis = 2 : i64}
    : (tensor<1x2x1023x64xf16>, tensor<1x2x1x64xf16>) -> tensor<1x2x1024x64xf16>
  %vc = "strata.concat"(%v, %vn) {axis = 2 : i64}
    : (tensor<1x2x1023x64xf16>, tensor<1x2x1x64xf16>) -> tensor<1x2x1024x64xf16>
  %0 = "strata.contract"(%q, %kc) {origin = "matmul", zero_pad = false,
    maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>,
            affine_map<(b, h, i, j, d) -> (b, h, i, j)>]}
    : (tensor<1x2x4x64xf16>, tensor<1x2x1024x64xf16>) -> tensor<1x2x4x1024xf16>
  %1 = "strata.softmax"(%0) {axes = array<i64: 3>} : (tensor<1x2x4x1024xf16>) -> tensor<1x2x4x1024xf16>
  %2 = "strata.contract"(%1, %vc) {origin = "matmul", zero_pad = false,
    maps = [affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>,
            affine_map<(b, h, i, d, j) -> (b, h, i, d)>]}
    : (tensor<1x2x4x1024xf16>, tensor<1x2x1024x64xf16>) -> tensor<1x2x4x64xf16>
  return %2 : tensor<1x2x4x64xf16>
}
