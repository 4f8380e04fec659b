// Results of pipelined products whose rows begin anywhere: the sums go into the warp group's staging memory one by one,
// each row as far behind a multiple of 16 bytes as it will be in memory, and each thread moves whole units of 16 bytes
// from there. What lies before the first multiple and behind the last one goes to memory element by element, and so does
// the end of the result's rows.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu | FileCheck %s

// The reduction's last step is shorter: one instruction instead of four.
// CHECK-LABEL: func.func @k
// CHECK: scf.for
// CHECK-COUNT-4: "tile.mma_async"
// CHECK-NOT: "tile.mma_async"
// CHECK: scf.yield
// CHECK: "tile.barrier_wait"
// CHECK-COUNT-1: "tile.mma_async"
// CHECK-NOT: "tile.mma_async"
// CHECK: "tile.mma_wait"
// CHECK: "tile.bulk_wait"() {pending = 0 : i64}
// CHECK: "tile.group_barrier"(%{{.*}}) {threads = 128 : i64}
// CHECK-COUNT-8: memref.store %{{.*}} : memref<8192xf16, 3>
// CHECK-NOT: memref.store
// CHECK: "tile.group_barrier"(%{{.*}}) {threads = 128 : i64}
// CHECK: %[[UNIT:.*]] = vector.load %{{.*}} : memref<8192xf16, 3>, vector<8xf16>
// CHECK: scf.if
// CHECK-NEXT: vector.store %[[UNIT]], %{{.*}} : memref<2178xf16>, vector<8xf16>
// CHECK-NOT: vector.store
// CHECK-COUNT-4: memref.store %{{.*}} : memref<2178xf16>
// CHECK-NOT: memref.store
// CHECK: arith.maxsi
// CHECK-COUNT-4: memref.store %{{.*}} : memref<2178xf16>
// CHECK-NOT: memref.store
#rows = affine_map<(d0, d1)[s0, s1] -> (d0 + s0 * 64, d1 + s1 * 64)>
#columns = affine_map<(d0, d1)[s0, s1] -> (d0 + s0 * 16, d1 + s1 * 64)>
#result = affine_map<(d0, d1)[s0, s1] -> (d0 + s0 * 64, d1 + s1 * 16)>
#inside = affine_set<(d0, d1)[s0, s1] : (-d0 - s0 * 64 + 65 >= 0, -d1 - s1 * 16 + 32 >= 0)>
#has_row = affine_set<(d0, d1)[s0, s1] : (-d0 - s0 * 64 + 65 >= 0)>
#has_column = affine_set<(d0, d1)[s0, s1] : (-d0 - s0 * 16 + 32 >= 0)>
func.func private @k(%a: memref<66x80xf16>, %b: memref<33x80xf16>, %y: memref<66x33xf16>) attributes {
    strata.schedule = {blocks = 6 : i64, group = 128 : i64, kind = "contract", mma = "wgmma.f16", producers = 128 : i64,
                       slots = 3 : i64, threads = 128 : i64, tile = array<i64: 64, 16, 64>, warps = array<i64: 4, 1>}} {
  scf.forall (%t) in (6) {
    %i = affine.apply affine_map<(d0) -> (d0 floordiv 3)>(%t)
    %j = affine.apply affine_map<(d0) -> (d0 mod 3)>(%t)
    %zero = arith.constant 0.000000e+00 : f32
    %start = vector.broadcast %zero : f32 to vector<64x16xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %start) -> (vector<64x16xf32>) {
      %u = "tile.load"(%a, %i, %k) {map = #rows, mask = #has_row} : (memref<66x80xf16>, index, index) -> vector<64x64xf16>
      %v = "tile.load"(%b, %j, %k) {map = #columns, mask = #has_column} : (memref<33x80xf16>, index, index) -> vector<16x64xf16>
      %w = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<16x64xf16> into vector<64x16xf32>
      scf.yield %w : vector<64x16xf32>
    } {tile.last = 16 : i64, tile.pipeline}
    %half = arith.truncf %sum : vector<64x16xf32> to vector<64x16xf16>
    "tile.store"(%half, %y, %i, %j) {map = #result, mask = #inside} : (vector<64x16xf16>, memref<66x33xf16>, index, index) -> ()
  }
  return
}
