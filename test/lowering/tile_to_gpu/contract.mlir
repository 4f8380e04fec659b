// RUN: strata-opt %s --target=nvgpu --device=sm_80 --pipeline=tile-to-gpu | FileCheck %s

#x = affine_map<(d0, d1)[s0, s1] -> (d0 + s0 * 32, d1 + s1 * 32)>
#w = affine_map<(d0, d1)[s0] -> (d1 + s0 * 32, d0)>
#y = affine_map<(d0, d1)[s0] -> (d0 + s0 * 32, d1)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// One warp, a tile of 32 x 32, two slots of 32 steps of each operand. Loads of the next step come between the barrier
// and the products. Fragments of the left operand are loaded as matrices; of the right one, which lies across, four rows
// at once, before the products of the chunk in front. A thread has eight columns beside one another to store.
// CHECK: module @kernels
// CHECK-LABEL: func.func @product
// CHECK-SAME: strata.shared = 8192
// CHECK-DAG: memref.view {{.*}} to memref<2048xf16, 3>
// CHECK-COUNT-4: vector.load {{.*}} {tile.readonly} : memref<{{.*}}>, vector<8xf16>
// CHECK: scf.for {{.*}} -> (vector<4xf32>,
// CHECK-COUNT-8: vector.store {{.*}} : memref<2048xf16, 3>, vector<8xf16>
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: vector.load {{.*}} : memref<{{.*}}>, vector<8xf16>
// CHECK: } else {
// CHECK-COUNT-4: vector.load {{.*}} : memref<2048xf16, 3>, vector<4xf16>
// CHECK-COUNT-2: "tile.load_matrices"({{.*}}) : (memref<2048xf16, 3>, index) -> vector<8xf16>
// CHECK-COUNT-4: vector.load {{.*}} : memref<2048xf16, 3>, vector<4xf16>
// CHECK-COUNT-2: "tile.load_matrices"
// CHECK-NOT: memref.load
// CHECK-COUNT-16: "tile.mma"({{.*}}) {kind = "m16n8k16.f16"} : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
// CHECK-NOT: tile.mma
// CHECK-COUNT-8: vector.store {{.*}} : memref<4096xf32>, vector<4xf32>
func.func private @product(%x: memref<128x64xf16>, %w: memref<64x32xf16>, %y: memref<128x32xf32>)
    attributes {strata.schedule = {kind = "contract", threads = 32, group = 32, tile = array<i64: 32, 32, 32>,
                                   warps = array<i64: 1, 1>, mma = "m16n8k16.f16"}} {
  scf.forall (%t) in (4) {
    %z = arith.constant 0.0 : f32
    %zero = vector.broadcast %z : f32 to vector<32x32xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %zero) -> (vector<32x32xf32>) {
      %u = "tile.load"(%x, %t, %k) {map = #x} : (memref<128x64xf16>, index, index) -> vector<32x32xf16>
      %v = "tile.load"(%w, %k) {map = #w} : (memref<64x32xf16>, index) -> vector<32x32xf16>
      %n = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %a {tile.mma = "m16n8k16.f16"} : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
      scf.yield %n : vector<32x32xf32>
    } {tile.pipeline}
    "tile.store"(%sum, %y, %t) {map = #y} : (vector<32x32xf32>, memref<128x32xf32>, index) -> ()
  }
  return
}
