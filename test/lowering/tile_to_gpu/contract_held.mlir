// Contractions that no pipeline carries, on matrix instructions: what a loop multiplies in every iteration is loaded as
// fragments in front of it, and a sum becomes the next one's fragments in registers, on 64 lanes as it lies there, on
// gfx11, whose lanes hold copies, by one exchange of pairs of lanes. Keys and values alone go through shared memory.
// RUN: strata-opt %s --target=amdgpu --device=gfx942 --pipeline=tile-to-gpu | FileCheck %s
// RUN: sed 's/mfma.16x16x16.f16/wmma12.f16/g; s/threads = 64, group = 64/threads = 32, group = 32/' %s > %t.12.mlir
// RUN: strata-opt %t.12.mlir --target=amdgpu --device=gfx1201 --pipeline=tile-to-gpu | FileCheck %s --check-prefix=WMMA12
// RUN: sed 's/mfma.16x16x16.f16/wmma.f16/g; s/threads = 64, group = 64/threads = 32, group = 32/' %s > %t.11.mlir
// RUN: strata-opt %t.11.mlir --target=amdgpu --device=gfx1100 --pipeline=tile-to-gpu | FileCheck %s --check-prefix=WMMA11

#q = affine_map<(d0, d1)[s0] -> (d0 + s0 * 32, d1)>
#k = affine_map<(d0, d1)[s0] -> (d0 + s0 * 32, d1)>
#v = affine_map<(d0, d1)[s0] -> (d1 + s0 * 32, d0)>
#head = affine_set<(d0, d1)[s0] : (-d1 + 39 >= 0)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>


// CHECK-LABEL: func.func @twice
// CHECK-SAME: strata.shared = 8192 : i64
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-COUNT-16: "tile.mma"({{.*}}) {kind = "mfma.16x16x16.f16"}
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.barrier
// CHECK-COUNT-16: "tile.mma"({{.*}}) {kind = "mfma.16x16x16.f16"}
// CHECK-NOT: "tile.mma"
// CHECK: return

// WMMA12-LABEL: func.func @twice
// WMMA12-SAME: strata.shared = 8192 : i64
// WMMA12: gpu.barrier
// WMMA12-COUNT-12: "tile.mma"({{.*}}) {kind = "wmma12.f16"}
// WMMA12-NOT: gpu.shuffle
// WMMA12: gpu.barrier
// WMMA12-COUNT-16: "tile.mma"({{.*}}) {kind = "wmma12.f16"}
// WMMA12-NOT: "tile.mma"
// WMMA12: return

// WMMA11-LABEL: func.func @twice
// WMMA11: gpu.barrier
// WMMA11-COUNT-12: "tile.mma"({{.*}}) {kind = "wmma.f16"}
// WMMA11-COUNT-16: gpu.shuffle xor
// WMMA11-NOT: gpu.shuffle
// WMMA11: gpu.barrier
// WMMA11-COUNT-16: "tile.mma"({{.*}}) {kind = "wmma.f16"}
// WMMA11-NOT: "tile.mma"
// WMMA11: return
func.func private @twice(%q: memref<64x40xf16>, %k: memref<96x40xf16>, %v: memref<96x64xf16>, %y: memref<64x64xf32>)
    attributes {strata.schedule = {kind = "attention", threads = 64, group = 64, mma = "mfma.16x16x16.f16", tile = array<i64: 32, 32, 64>,
                                   warps = array<i64: 1, 1>}} {
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
      %s = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %zero {tile.mma = "mfma.16x16x16.f16", tile.steps = 40} : vector<32x64xf16>, vector<32x64xf16> into vector<32x32xf32>
      %p = arith.truncf %s : vector<32x32xf32> to vector<32x32xf16>
      %n = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %p, %c, %o {tile.mma = "mfma.16x16x16.f16"} : vector<32x32xf16>, vector<64x32xf16> into vector<32x64xf32>
      scf.yield %n : vector<32x64xf32>
    }
    "tile.store"(%r, %y, %t) {map = #q} : (vector<32x64xf32>, memref<64x64xf32>, index) -> ()
  }
  return
}
