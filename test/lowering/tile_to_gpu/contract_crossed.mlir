// A product whose right operand lies across the reduction, on an instruction whose operands are loaded crossed: eight
// steps of a column are two such loads, of four each, where the left operand's eight are one of 16 bytes. On one without,
// elements are loaded one by one.
// RUN: strata-opt %s --target=amdgpu --device=gfx950 --pipeline=tile-to-gpu | FileCheck %s
// RUN: sed 's/mfma.32x32x16.f16/mfma.16x16x32.f16/' %s > %t.mlir
// RUN: strata-opt %t.mlir --target=amdgpu --device=gfx950 --pipeline=tile-to-gpu | FileCheck %s --check-prefix=SMALL
// RUN: sed 's/mfma.32x32x16.f16/mfma.32x32x8.f16/' %s > %t.older.mlir
// RUN: strata-opt %t.older.mlir --target=amdgpu --device=gfx942 --pipeline=tile-to-gpu | FileCheck %s --check-prefix=APART
// RUN: sed 's/mfma.32x32x16.f16/wmma12.f16/; s/threads = 64, group = 64/threads = 32, group = 32/' %s > %t.turned.mlir
// RUN: strata-opt %t.turned.mlir --target=amdgpu --device=gfx1201 --pipeline=tile-to-gpu | FileCheck %s --check-prefix=TURNED

// One that turns operands as they are loaded from memory has them in LDS, and reads them, as if they lay along the reduction.
// TURNED-LABEL: func.func @product
// TURNED-COUNT-4: "tile.load_turned"(%{{.*}}, %{{.*}}) : (memref<4096xf16>, index) -> vector<8xf16>
// TURNED-NOT: memref.load %{{.*}} : memref<2048xf16, 3>
// TURNED: "tile.mma"(%{{.*}}, %{{.*}}, %{{.*}}) {kind = "wmma12.f16"}

// Of 16 x 16 as well, whose columns are then in order.
// SMALL-COUNT-4: "tile.load_crossed"(%{{.*}}, %{{.*}}) : (memref<2048xf16, 3>, index) -> vector<4xf16>
// SMALL-NOT: memref.load %{{.*}} : memref<2048xf16, 3>
// SMALL: kind = "mfma.16x16x32.f16"

#x = affine_map<(d0, d1)[s0] -> (d0, d1 + s0 * 32)>
#w = affine_map<(d0, d1)[s0] -> (d1 + s0 * 32, d0)>
#y = affine_map<(d0, d1) -> (d0, d1)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Steps 0 to 3 of a lane's column, and 4 to 7, 128 elements on in a slot whose rows are of 32; then the left operand's.
// CHECK-LABEL: func.func @product
// CHECK: gpu.barrier {tile.shared}
// CHECK: %[[LOW:.*]] = "tile.load_crossed"(%[[MEMORY:.*]], %[[AT:.*]]) : (memref<2048xf16, 3>, index) -> vector<4xf16>
// CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %c128
// CHECK: %[[HIGH:.*]] = "tile.load_crossed"(%[[MEMORY]], %[[NEXT]]) : (memref<2048xf16, 3>, index) -> vector<4xf16>
// CHECK: vector.load %{{.*}} : memref<2048xf16, 3>, vector<8xf16>
// CHECK-NOT: memref.load %{{.*}} : memref<2048xf16, 3>
// CHECK: "tile.mma"(%{{.*}}, %{{.*}}, %{{.*}}) {kind = "mfma.32x32x16.f16"}

// APART-LABEL: func.func @product
// APART-NOT: tile.load_crossed
func.func private @product(%a: memref<32x128xf16>, %b: memref<128x32xf16>, %c: memref<32x32xf32>)
    attributes {strata.schedule = {kind = "contract", threads = 64, group = 64, tile = array<i64: 32, 32, 32>,
                                   warps = array<i64: 1, 1>, mma = "mfma.32x32x16.f16"}} {
  scf.forall (%t) in (1) {
    %zero = arith.constant dense<0.0> : vector<32x32xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (vector<32x32xf32>) {
      %u = "tile.load"(%a, %j) {map = #x} : (memref<32x128xf16>, index) -> vector<32x32xf16>
      %v = "tile.load"(%b, %j) {map = #w} : (memref<128x32xf16>, index) -> vector<32x32xf16>
      %n = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "mfma.32x32x16.f16"} : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
      scf.yield %n : vector<32x32xf32>
    } {tile.pipeline}
    "tile.store"(%r, %c) {map = #y} : (vector<32x32xf32>, memref<32x32xf32>) -> ()
  }
  return
}
