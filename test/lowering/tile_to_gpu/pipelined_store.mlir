// Results of pipelined products that the copy engine stores: sub-tiles of 64 rows of 128 bytes in two buffers of the warp
// group's, and what is computed for one is computed when its turn comes.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu | FileCheck %s

// CHECK-LABEL: func.func @k
// CHECK: "tile.mma_wait"
// CHECK-NOT: arith.mulf
// CHECK: "tile.bulk_wait"() {pending = 0 : i64}
// CHECK: "tile.group_barrier"
// CHECK-COUNT-2: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: vector.store %{{.*}} : memref<8192xf16, 3>, vector<2xf16>
// CHECK-COUNT-30: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: "tile.fence"() {of = "shared"}
// CHECK: "tile.bulk_store"
// CHECK-NOT: arith.mulf
// CHECK: "tile.bulk_wait"() {pending = 1 : i64}
// CHECK: "tile.group_barrier"
// CHECK-COUNT-32: arith.mulf
// CHECK: "tile.bulk_store"
// CHECK-NOT: arith.mulf
#rows = affine_map<(d0, d1)[s0] -> (d0, d1 + s0 * 64)>
func.func private @k(%a: memref<64x128xf16>, %b: memref<128x128xf16>, %y: memref<64x128xf16>) attributes {
    strata.schedule = {blocks = 1 : i64, group = 128 : i64, kind = "contract", mma = "wgmma.f16", producers = 128 : i64,
                       slots = 2 : i64, threads = 128 : i64, tile = array<i64: 64, 128, 64>, warps = array<i64: 4, 1>}} {
  scf.forall (%t) in (1) {
    %zero = arith.constant 0.000000e+00 : f32
    %start = vector.broadcast %zero : f32 to vector<64x128xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %start) -> (vector<64x128xf32>) {
      %u = "tile.load"(%a, %k) {map = #rows} : (memref<64x128xf16>, index) -> vector<64x64xf16>
      %v = "tile.load"(%b, %k) {map = #rows} : (memref<128x128xf16>, index) -> vector<128x64xf16>
      %w = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<128x64xf16> into vector<64x128xf32>
      scf.yield %w : vector<64x128xf32>
    } {tile.pipeline}
    %square = arith.mulf %sum, %sum : vector<64x128xf32>
    %half = arith.truncf %square : vector<64x128xf32> to vector<64x128xf16>
    "tile.store"(%half, %y) {map = affine_map<(d0, d1) -> (d0, d1)>} : (vector<64x128xf16>, memref<64x128xf16>) -> ()
  }
  return
}

// 160 columns: two sub-tiles, and one whose box has 32 columns; its units change places with every second row.
// CHECK-LABEL: func.func @boxes
// CHECK-SAME: box = array<i64: 64, 64>{{[^}]*}}swizzle = 128
// CHECK-SAME: box = array<i64: 32, 64>{{[^}]*}}swizzle = 64
// CHECK: "tile.mma_wait"
// CHECK: "tile.bulk_wait"() {pending = 0 : i64}
// CHECK: "tile.bulk_store"({{.*}}map = 2
// CHECK: "tile.bulk_commit"
// CHECK: "tile.bulk_store"({{.*}}map = 2
// CHECK: "tile.bulk_commit"
// CHECK: "tile.bulk_store"({{.*}}map = 3
// CHECK: "tile.bulk_commit"
// CHECK-NOT: "tile.bulk_store"
func.func private @boxes(%a: memref<64x128xf16>, %b: memref<160x128xf16>, %y: memref<64x160xf16>) attributes {
    strata.schedule = {blocks = 1 : i64, group = 128 : i64, kind = "contract", mma = "wgmma.f16", producers = 128 : i64,
                       slots = 2 : i64, threads = 128 : i64, tile = array<i64: 64, 160, 64>, warps = array<i64: 4, 1>}} {
  scf.forall (%t) in (1) {
    %zero = arith.constant 0.000000e+00 : f32
    %start = vector.broadcast %zero : f32 to vector<64x160xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %start) -> (vector<64x160xf32>) {
      %u = "tile.load"(%a, %k) {map = #rows} : (memref<64x128xf16>, index) -> vector<64x64xf16>
      %v = "tile.load"(%b, %k) {map = #rows} : (memref<160x128xf16>, index) -> vector<160x64xf16>
      %w = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<160x64xf16> into vector<64x160xf32>
      scf.yield %w : vector<64x160xf32>
    } {tile.pipeline}
    %square = arith.mulf %sum, %sum : vector<64x160xf32>
    %half = arith.truncf %square : vector<64x160xf32> to vector<64x160xf16>
    "tile.store"(%half, %y) {map = affine_map<(d0, d1) -> (d0, d1)>} : (vector<64x160xf16>, memref<64x160xf16>) -> ()
  }
  return
}
