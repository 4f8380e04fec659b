// A product on an instruction of 64 lanes, 16 x 16 x 16: a warp has 32 x 32, of which a thread holds eight columns beside
// one another of two rows, as two instructions are interlaced along both; along the reduction two have their fragments
// beside one another, so that a thread reads 16 bytes at once.
// RUN: strata-opt %s --target=amdgpu --device=gfx942 --pipeline=tile-to-gpu | FileCheck %s
// RUN: sed 's/mfma.16x16x16.f16/m16n8k16.f16/' %s > %t.mlir
// RUN: not strata-opt %t.mlir --target=amdgpu --device=gfx942 --pipeline=tile-to-gpu 2>&1 | FileCheck %s --check-prefix=LACKS

// LACKS: a matrix instruction that the device lacks

#x = affine_map<(d0, d1)[s0] -> (d0, d1 + s0 * 32)>
#y = affine_map<(d0, d1) -> (d0, d1)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @product
// CHECK-SAME: strata.threads = 64 : i64
// Fragments are read ahead: a loop over pairs of steps, whose slots are constants, without a branch; behind it, of four
// steps, the third one and the products of the fourth.
// CHECK: vector.store %{{.*}} : memref<2048xf16, 3>, vector<8xf16>
// CHECK: gpu.barrier {tile.shared}
// CHECK-COUNT-4: vector.load %{{.*}} : memref<2048xf16, 3>, vector<8xf16>
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK-COUNT-4: vector.store %{{.*}} : memref<2048xf16, 3>, vector<8xf16>
// CHECK-COUNT-4: vector.load %{{.*}} {tile.readonly} : memref<4096xf16>, vector<8xf16>
// CHECK: gpu.barrier {tile.shared}
// CHECK-COUNT-4: vector.load %{{.*}} : memref<2048xf16, 3>, vector<8xf16>
// CHECK-COUNT-8: "tile.mma"(%{{.*}}, %{{.*}}, %{{.*}}) {kind = "mfma.16x16x16.f16"} : (vector<4xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
// CHECK: gpu.barrier {tile.shared}
// CHECK-COUNT-8: "tile.mma"
// CHECK: scf.yield
// CHECK: gpu.barrier {tile.shared}
// CHECK-COUNT-16: "tile.mma"
// CHECK-NOT: "tile.mma"
// CHECK: vector.store %{{.*}} : memref<1024xf32>, vector<4xf32>
func.func private @product(%a: memref<32x128xf16>, %b: memref<32x128xf16>, %c: memref<32x32xf32>)
    attributes {strata.schedule = {kind = "contract", threads = 64, group = 64, tile = array<i64: 32, 32, 32>,
                                   warps = array<i64: 1, 1>, mma = "mfma.16x16x16.f16"}} {
  scf.forall (%t) in (1) {
    %zero = arith.constant dense<0.0> : vector<32x32xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (vector<32x32xf32>) {
      %u = "tile.load"(%a, %j) {map = #x} : (memref<32x128xf16>, index) -> vector<32x32xf16>
      %v = "tile.load"(%b, %j) {map = #x} : (memref<32x128xf16>, index) -> vector<32x32xf16>
      %n = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "mfma.16x16x16.f16"} : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
      scf.yield %n : vector<32x32xf32>
    } {tile.pipeline}
    "tile.store"(%r, %c) {map = #y} : (vector<32x32xf32>, memref<32x32xf32>) -> ()
  }
  return
}
