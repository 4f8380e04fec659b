// Two products of the same rows in one task: a slot holds both columns' tiles one behind the other, which come in a phase
// of its barrier together. One instruction multiplies both where columns are its columns; where they are its rows, a group
// has its rows of each. Either way what joins the results is computed from registers.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu | FileCheck %s

// CHECK-LABEL: func.func @columns
// CHECK: "tile.barrier_expect"{{.*}} {bytes = 16384 : i64}
// CHECK-COUNT-3: "tile.bulk_load"
// CHECK-NOT: "tile.bulk_load"
// CHECK-COUNT-4: "tile.mma_async"{{.*}} n = 64 : i64
// CHECK-NOT: "tile.mma_async"
// CHECK: "tile.mma_commit"
// CHECK-NOT: gpu.barrier
// CHECK: "tile.bulk_store"
// CHECK-NOT: "tile.bulk_store"

// CHECK-LABEL: func.func @rows
// CHECK: "tile.barrier_expect"{{.*}} {bytes = 24576 : i64}
// CHECK-COUNT-3: "tile.bulk_load"
// CHECK-NOT: "tile.bulk_load"
// CHECK-COUNT-8: "tile.mma_async"{{.*}} n = 64 : i64
// CHECK-NOT: "tile.mma_async"
// CHECK: "tile.mma_commit"

#rows = affine_map<(d0, d1)[s0] -> (d0, d1 + s0 * 64)>
#plain = affine_map<(d0, d1) -> (d0, d1)>
func.func private @columns(%a: memref<64x128xf16>, %b: memref<32x128xf16>, %c: memref<32x128xf16>, %y: memref<64x32xf16>) attributes {
    strata.schedule = {blocks = 1 : i64, group = 128 : i64, kind = "contract", mma = "wgmma.f16", producers = 128 : i64,
                       slots = 2 : i64, threads = 128 : i64, tile = array<i64: 64, 32, 64>, warps = array<i64: 4, 1>}} {
  scf.forall (%t) in (1) {
    %zero = arith.constant 0.000000e+00 : f32
    %start = vector.broadcast %zero : f32 to vector<64x32xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %sums:2 = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %start, %q = %start) -> (vector<64x32xf32>, vector<64x32xf32>) {
      %u = "tile.load"(%a, %k) {map = #rows} : (memref<64x128xf16>, index) -> vector<64x64xf16>
      %v = "tile.load"(%b, %k) {map = #rows} : (memref<32x128xf16>, index) -> vector<32x64xf16>
      %w = "tile.load"(%c, %k) {map = #rows} : (memref<32x128xf16>, index) -> vector<32x64xf16>
      %m = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<32x64xf16> into vector<64x32xf32>
      %n = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %w, %q {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<32x64xf16> into vector<64x32xf32>
      scf.yield %m, %n : vector<64x32xf32>, vector<64x32xf32>
    } {tile.pipeline}
    %product = arith.mulf %sums#0, %sums#1 : vector<64x32xf32>
    %half = arith.truncf %product : vector<64x32xf32> to vector<64x32xf16>
    "tile.store"(%half, %y) {map = #plain} : (vector<64x32xf16>, memref<64x32xf16>) -> ()
  }
  return
}

func.func private @rows(%a: memref<64x128xf16>, %b: memref<64x128xf16>, %c: memref<64x128xf16>, %y: memref<64x64xf16>) attributes {
    strata.schedule = {blocks = 1 : i64, group = 128 : i64, kind = "contract", mma = "wgmma.f16", producers = 128 : i64, swap = 1 : i64,
                       slots = 2 : i64, threads = 128 : i64, tile = array<i64: 64, 64, 64>, warps = array<i64: 4, 1>}} {
  scf.forall (%t) in (1) {
    %zero = arith.constant 0.000000e+00 : f32
    %start = vector.broadcast %zero : f32 to vector<64x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %sums:2 = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %start, %q = %start) -> (vector<64x64xf32>, vector<64x64xf32>) {
      %u = "tile.load"(%a, %k) {map = #rows} : (memref<64x128xf16>, index) -> vector<64x64xf16>
      %v = "tile.load"(%b, %k) {map = #rows} : (memref<64x128xf16>, index) -> vector<64x64xf16>
      %w = "tile.load"(%c, %k) {map = #rows} : (memref<64x128xf16>, index) -> vector<64x64xf16>
      %m = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
      %n = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %w, %q {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
      scf.yield %m, %n : vector<64x64xf32>, vector<64x64xf32>
    } {tile.pipeline}
    %product = arith.mulf %sums#0, %sums#1 : vector<64x64xf32>
    %half = arith.truncf %product : vector<64x64xf32> to vector<64x64xf16>
    "tile.store"(%half, %y) {map = #plain} : (vector<64x64xf16>, memref<64x64xf16>) -> ()
  }
  return
}
