// Results of pipelined products that the copy engine cannot store, here of tiles whose rows are no multiple of 32 bytes:
// the sums' pairs go into the warp group's staging memory, 16-byte units exchanged by the row, and come out so that
// neighbouring threads have neighbouring vectors.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu | FileCheck %s

// CHECK-LABEL: func.func @k
// CHECK: "tile.mma_wait"
// CHECK: "tile.bulk_wait"() {pending = 0 : i64}
// CHECK: "tile.group_barrier"(%[[GROUP:.*]]) {threads = 128 : i64}
// CHECK: arith.xori
// CHECK-COUNT-6: vector.store %{{.*}} : memref<8192xf16, 3>, vector<2xf16>
// CHECK-NOT: vector.store
// CHECK: "tile.group_barrier"(%{{.*}}) {threads = 128 : i64}
// CHECK: vector.load %{{.*}} : memref<8192xf16, 3>, vector<8xf16>
// CHECK: vector.store %{{.*}} : memref<2640xf16>, vector<8xf16>
#rows = affine_map<(d0, d1)[s0, s1] -> (d0 + s0 * 64, d1 + s1 * 64)>
#columns = affine_map<(d0, d1)[s0, s1] -> (d0 + s0 * 24, d1 + s1 * 64)>
#result = affine_map<(d0, d1)[s0, s1] -> (d0 + s0 * 64, d1 + s1 * 24)>
#inside = affine_set<(d0, d1)[s0, s1] : (-d0 - s0 * 64 + 65 >= 0, -d1 - s1 * 24 + 39 >= 0)>
#has_row = affine_set<(d0, d1)[s0, s1] : (-d0 - s0 * 64 + 65 >= 0)>
#has_column = affine_set<(d0, d1)[s0, s1] : (-d0 - s0 * 24 + 39 >= 0)>
func.func private @k(%a: memref<66x128xf16>, %b: memref<40x128xf16>, %y: memref<66x40xf16>) attributes {
    strata.schedule = {blocks = 4 : i64, group = 128 : i64, kind = "contract", mma = "wgmma.f16", producers = 128 : i64,
                       slots = 3 : i64, threads = 128 : i64, tile = array<i64: 64, 24, 64>, warps = array<i64: 4, 1>}} {
  scf.forall (%t) in (4) {
    %i = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%t)
    %j = affine.apply affine_map<(d0) -> (d0 mod 2)>(%t)
    %zero = arith.constant 0.000000e+00 : f32
    %start = vector.broadcast %zero : f32 to vector<64x24xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %start) -> (vector<64x24xf32>) {
      %u = "tile.load"(%a, %i, %k) {map = #rows, mask = #has_row} : (memref<66x128xf16>, index, index) -> vector<64x64xf16>
      %v = "tile.load"(%b, %j, %k) {map = #columns, mask = #has_column} : (memref<40x128xf16>, index, index) -> vector<24x64xf16>
      %w = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<24x64xf16> into vector<64x24xf32>
      scf.yield %w : vector<64x24xf32>
    } {tile.pipeline}
    %half = arith.truncf %sum : vector<64x24xf32> to vector<64x24xf16>
    "tile.store"(%half, %y, %i, %j) {map = #result, mask = #inside} : (vector<64x24xf16>, memref<66x40xf16>, index, index) -> ()
  }
  return
}
