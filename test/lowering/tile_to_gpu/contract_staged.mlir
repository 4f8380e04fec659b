// RUN: strata-opt %s --target=amdgpu --device=gfx942 --pipeline=tile-to-gpu | FileCheck %s

// Contractions that no pipeline carries: operands that a loop's contractions have in every iteration are stored in front
// of it, the others behind one another's barrier, one for each contraction; of 40 steps three chunks of 16 are taken.
#q = affine_map<(d0, d1)[s0] -> (d0 + s0 * 32, d1)>
#k = affine_map<(d0, d1)[s0] -> (d0 + s0 * 32, d1)>
#v = affine_map<(d0, d1)[s0] -> (d1 + s0 * 32, d0)>
#head = affine_set<(d0, d1)[s0] : (-d1 + 39 >= 0)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @twice
// CHECK-SAME: strata.shared = 14336 : i64
// CHECK-DAG: memref<2048xf16, 3>
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N:[^ ]*]] step
// CHECK-NOT: gpu.barrier
// CHECK: gpu.barrier
// CHECK: %[[C3:.*]] = arith.constant 3 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C3]] step
// CHECK-COUNT-256: math.fma
// CHECK: gpu.barrier
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C2]] step
// CHECK-COUNT-512: math.fma
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func private @twice(%q: memref<64x40xf16>, %k: memref<96x40xf16>, %v: memref<96x64xf16>, %y: memref<64x64xf32>)
    attributes {strata.schedule = {kind = "attention", threads = 64, group = 64, tile = array<i64: 32, 32, 64>,
                                   warps = array<i64: 2, 1>}} {
  scf.forall (%t) in (2) {
    %zero = arith.constant dense<0.0> : vector<32x32xf32>
    %zeros = arith.constant dense<0.0> : vector<32x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %a = "tile.load"(%q, %t) {map = #q, mask = #head} : (memref<64x40xf16>, index) -> vector<32x64xf16>
    %r = scf.for %j = %c0 to %c3 step %c1 iter_args(%o = %zeros) -> (vector<32x64xf32>) {
      %b = "tile.load"(%k, %j) {map = #k, mask = #head} : (memref<96x40xf16>, index) -> vector<32x64xf16>
      %c = "tile.load"(%v, %j) {map = #v} : (memref<96x64xf16>, index) -> vector<64x32xf16>
      %s = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %zero {tile.steps = 40} : vector<32x64xf16>, vector<32x64xf16> into vector<32x32xf32>
      %p = arith.truncf %s : vector<32x32xf32> to vector<32x32xf16>
      %n = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %p, %c, %o : vector<32x32xf16>, vector<64x32xf16> into vector<32x64xf32>
      scf.yield %n : vector<32x64xf32>
    }
    "tile.store"(%r, %y, %t) {map = #q} : (vector<32x64xf32>, memref<64x64xf32>, index) -> ()
  }
  return
}
