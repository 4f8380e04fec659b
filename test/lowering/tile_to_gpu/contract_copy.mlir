// RUN: strata-opt %s --target=nvgpu --device=sm_80 --pipeline=tile-to-gpu | FileCheck %s

#x = affine_map<(d0, d1)[s0, s1] -> (d0 + s0 * 32, d1 + s1 * 32)>
#w = affine_map<(d0, d1)[s0] -> (d1 + s0 * 32, d0)>
#y = affine_map<(d0, d1)[s0] -> (d0 + s0 * 32, d1)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#inside = affine_set<(d0, d1)[s0, s1] : (127 - d0 - s0 * 32 >= 0)>

// The left operand lies in the buffer as the products read it, and is copied three steps ahead; the right one is
// converted, and passes through registers.
// CHECK: module @kernels
// CHECK-LABEL: func.func @product
// CHECK-SAME: strata.shared = 16384
// CHECK-COUNT-4: "tile.copy_async"({{.*}}) : (memref<4096xf16, 3>, index, memref<16384xf16>, index, i1) -> ()
// CHECK: "tile.copy_commit"
// CHECK-COUNT-4: "tile.copy_async"
// CHECK: "tile.copy_commit"
// CHECK-COUNT-4: "tile.copy_async"
// CHECK: "tile.copy_commit"
// CHECK: vector.load {{.*}} {tile.readonly} : memref<8192xf32>, vector<4xf32>
// CHECK: scf.for
// CHECK: vector.store {{.*}} : memref<4096xf16, 3>, vector<4xf16>
// CHECK: "tile.copy_wait"() {pending = 2 : i64}
// CHECK-NEXT: gpu.barrier
// CHECK: scf.if
// CHECK-COUNT-4: "tile.copy_async"
// CHECK: "tile.copy_commit"
// CHECK: tile.mma
// CHECK-NOT: tile.copy
func.func private @product(%x: memref<128x128xf16>, %w: memref<256x32xf32>, %y: memref<128x32xf32>)
    attributes {strata.schedule = {kind = "contract", threads = 32, group = 32, tile = array<i64: 32, 32, 32>, slots = 4,
                                   warps = array<i64: 1, 1>, mma = "m16n8k16.f16"}} {
  scf.forall (%t) in (4) {
    %z = arith.constant 0.0 : f32
    %zero = vector.broadcast %z : f32 to vector<32x32xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (vector<32x32xf32>) {
      %u = "tile.load"(%x, %t, %k) {map = #x, mask = #inside} : (memref<128x128xf16>, index, index) -> vector<32x32xf16>
      %wide = "tile.load"(%w, %k) {map = #w} : (memref<256x32xf32>, index) -> vector<32x32xf32>
      %v = arith.truncf %wide : vector<32x32xf32> to vector<32x32xf16>
      %n = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %a {tile.mma = "m16n8k16.f16"} : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
      scf.yield %n : vector<32x32xf32>
    } {tile.pipeline}
    "tile.store"(%sum, %y, %t) {map = #y} : (vector<32x32xf32>, memref<128x32xf32>, index) -> ()
  }
  return
}

// Both operands are copied, into four slots; the first chunk's fragments are read a step ahead. Behind the barrier come
// those of the next step, then copies into the slot that nobody reads any more, of zeros behind the last step.
// CHECK-LABEL: func.func @ahead
// CHECK-COUNT-4: "tile.copy_commit"
// CHECK: "tile.copy_wait"() {pending = 3 : i64}
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-2: "tile.load_matrices"
// CHECK: scf.for {{.*}} -> (vector<4xf32>, {{.*}}vector<4xf16>, {{.*}}vector<8xf16>
// CHECK-COUNT-2: "tile.load_matrices"
// CHECK-COUNT-8: tile.mma
// CHECK: "tile.copy_wait"() {pending = 2 : i64}
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-2: "tile.load_matrices"
// CHECK-NOT: scf.if
// CHECK: arith.minsi
// CHECK-COUNT-8: "tile.copy_async"
// CHECK: "tile.copy_commit"
// CHECK-COUNT-8: tile.mma
// CHECK: scf.yield
func.func private @ahead(%x: memref<128x128xf16>, %w: memref<256x32xf16>, %y: memref<128x32xf32>)
    attributes {strata.schedule = {kind = "contract", threads = 32, group = 32, tile = array<i64: 32, 32, 32>, slots = 4,
                                   warps = array<i64: 1, 1>, mma = "m16n8k16.f16"}} {
  scf.forall (%t) in (4) {
    %z = arith.constant 0.0 : f32
    %zero = vector.broadcast %z : f32 to vector<32x32xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (vector<32x32xf32>) {
      %u = "tile.load"(%x, %t, %k) {map = #x, mask = #inside} : (memref<128x128xf16>, index, index) -> vector<32x32xf16>
      %v = "tile.load"(%w, %k) {map = #w} : (memref<256x32xf16>, index) -> vector<32x32xf16>
      %n = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %a {tile.mma = "m16n8k16.f16"} : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
      scf.yield %n : vector<32x32xf32>
    } {tile.pipeline}
    "tile.store"(%sum, %y, %t) {map = #y} : (vector<32x32xf32>, memref<128x32xf32>, index) -> ()
  }
  return
}
