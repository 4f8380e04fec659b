// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu | FileCheck %s

// The tiles of two blocks are a row together. Producers meet the consumers at the cluster's barriers: when the products
// are done, and for each sum, which every fourth lane sends to one of the blocks, to where the slots were.
// CHECK: func.func @k0
// CHECK-SAME: strata.cluster = 2 : i64
// CHECK: %[[B:.*]] = gpu.block_id x
// CHECK: %[[RANK:.*]] = arith.remui %[[B]], %c2
// CHECK: tile.bulk_load
// CHECK: "tile.cluster_arrive"() {releases = false}
// CHECK-NEXT: "tile.cluster_wait"
// CHECK-NEXT: "tile.cluster_arrive"() {releases = false}
// CHECK-NEXT: "tile.cluster_wait"
// CHECK: else
// CHECK: tile.mma_wait
// CHECK: "tile.cluster_arrive"() {releases = false}
// CHECK: gpu.shuffle
// CHECK: memref.view %{{.*}}[%c0{{.*}} to memref<256xf32, 3>
// CHECK-NEXT: "tile.cluster_wait"
// CHECK: arith.muli %[[RANK]], %c64
// CHECK: "tile.cluster_store"
// CHECK: "tile.cluster_store"
// CHECK-NOT: "tile.cluster_store"
// CHECK: "tile.cluster_arrive"() {releases = true}
// CHECK-NEXT: "tile.cluster_wait"
// CHECK: memref.load
// CHECK: memref.load
// CHECK: arith.addf
// CHECK: tile.bulk_store
#map = affine_map<(d0) -> ((d0 mod 6) floordiv 2)>
#map1 = affine_map<(d0) -> (d0 mod 2)>
#map2 = affine_map<(d0, d1)[s0] -> (d0 + s0 * 128, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map6 = affine_map<(d0) -> (d0 * -128 + 200)>
#map7 = affine_map<(d0, d1)[s0, s1] -> (d0 + s0 * 128, d1 + s1 * 128)>
#map8 = affine_map<(d0) -> (d0 mod 3)>
#map9 = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1)[s0] : (-d0 - s0 * 128 + 299 >= 0)>
#set1 = affine_set<(d0, d1)[s0] : (-d0 - s0 * 128 + 199 >= 0)>
#set2 = affine_set<(d0, d1)[s0, s1] : (-d0 - s0 * 128 + 299 >= 0, -d1 - s1 * 128 + 199 >= 0)>
module {
  func.func private @k0(%arg0: memref<300x64xbf16>, %arg1: memref<200x64xbf16>, %arg2: memref<300x200xbf16>) attributes {strata.schedule = {blocks = 6 : i64, group = 256 : i64, kind = "contract", mma = "wgmma.bf16", producers = 128 : i64, row = 2 : i64, slots = 2 : i64, threads = 256 : i64, tile = array<i64: 128, 128, 64>, warps = array<i64: 8, 1>}} {
    scf.forall (%arg3) in (6) {
      %0 = affine.apply #map(%arg3)
      %1 = affine.apply #map1(%arg3)
      %cst = arith.constant 0.000000e+00 : f32
      %2 = vector.broadcast %cst : f32 to vector<128x128xf32>
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c1_0 = arith.constant 1 : index
      %3 = scf.for %arg4 = %c0 to %c1 step %c1_0 iter_args(%arg5 = %2) -> (vector<128x128xf32>) {
        %17 = "tile.load"(%arg0, %0) {map = #map2, mask = #set} : (memref<300x64xbf16>, index) -> vector<128x64xbf16>
        %18 = "tile.load"(%arg1, %1) {map = #map2, mask = #set1} : (memref<200x64xbf16>, index) -> vector<128x64xbf16>
        %19 = vector.contract {indexing_maps = [#map3, #map4, #map5], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %17, %18, %arg5 {tile.mma = "wgmma.bf16"} : vector<128x64xbf16>, vector<128x64xbf16> into vector<128x128xf32>
        scf.yield %19 : vector<128x128xf32>
      } {tile.pipeline}
      %cst_1 = arith.constant 0.000000e+00 : f32
      %4 = affine.apply #map6(%1)
      %5 = vector.step : vector<128xindex>
      %6 = vector.broadcast %4 : index to vector<128xindex>
      %7 = arith.cmpi slt, %5, %6 : vector<128xindex>
      %cst_2 = arith.constant -0.000000e+00 : f32
      %8 = vector.broadcast %7 : vector<128xi1> to vector<128x128xi1>
      %9 = vector.broadcast %cst_2 : f32 to vector<128x128xf32>
      %10 = arith.select %8, %3, %9 : vector<128x128xi1>, vector<128x128xf32>
      %11 = vector.broadcast %cst_1 : f32 to vector<128xf32>
      %12 = vector.multi_reduction <add>, %10, %11 {tile.row} [1] : vector<128x128xf32> to vector<128xf32>
      %13 = vector.broadcast %12 : vector<128xf32> to vector<128x128xf32>
      %14 = vector.transpose %13, [1, 0] : vector<128x128xf32> to vector<128x128xf32>
      %15 = arith.divf %3, %14 : vector<128x128xf32>
      %16 = arith.truncf %15 : vector<128x128xf32> to vector<128x128xbf16>
      "tile.store"(%16, %arg2, %0, %1) {map = #map7, mask = #set2} : (vector<128x128xbf16>, memref<300x200xbf16>, index, index) -> ()
    }
    return
  }
}
