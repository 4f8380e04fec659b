// Tiles of every second row of an operand whose rows begin within sectors: two kinds of tiles, of which the second's steps
// begin with the sector that its rows begin in, and maps of which a dim says which kind.
// RUN: echo 'schedule k0 sm_90a {kind = "contract", threads = 256, group = 256, tile = array<i64: 128, 64, 64>, warps = array<i64: 8, 1>, mma = "wgmma.bf16", producers = 128, slots = 5, blocks = 16, share = array<i64: 2, 1>, every = 2}' > %t.schedule
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedule --compile-to=tile -o - | FileCheck %s --check-prefix=TILE
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedule --compile-to=gpu -o - | FileCheck %s
// RUN: sed 's/328/336/g' %s > %t.whole.mlir
// RUN: not strata %t.whole.mlir --target=nvgpu --device=sm_90a --schedule=%t.schedule --compile-to=tile -o - 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/500/501/g' %s > %t.odd.mlir
// RUN: not strata %t.odd.mlir --target=nvgpu --device=sm_90a --schedule=%t.schedule --compile-to=tile -o - 2>&1 | FileCheck %s --check-prefix=WHOLE

// TILE-DAG: #[[U:.*]] = affine_map<(d0, d1)[s0, s1] -> (d0 * 2 + (s0 mod 2) * 256 + s0 floordiv 2, d1 + s1 * 64 - (s0 floordiv 2) * 8)>
// TILE-DAG: #[[V:.*]] = affine_map<(d0, d1)[s0, s1, s2] -> (d0 + s1 * 64, d1 + s2 * 64 - (s0 floordiv 2) * 8)>
// TILE-DAG: #[[Y:.*]] = affine_map<(d0, d1)[s0, s1] -> (d0 * 2 + (s0 mod 2) * 256 + s0 floordiv 2, d1 + s1 * 64)>
// TILE: func.func private @k0
// TILE: "tile.load"(%{{.*}}) {map = #[[U]], mask = {{.*}}} : {{.*}} -> vector<128x64xbf16>
// TILE: "tile.load"(%{{.*}}) {map = #[[V]], mask = {{.*}}} : {{.*}} -> vector<64x64xbf16>
// TILE: tile.last = 16 : i64, tile.pipeline
// TILE: "tile.store"(%{{.*}}) {map = #[[Y]]

// CHECK: func.func @k0({{.*}} strata.cluster = 2 : i64
// CHECK-SAME: box = array<i64: 64, 128, 1>, buffer = 0 : i64, sizes = array<i64: 328, 250, 2>, steps = array<i64: 1, 1, 1>, strides = array<i64: 1312, 656>
// CHECK-SAME: box = array<i64: 64, 122, 1>, buffer = 0 : i64
// CHECK-SAME: box = array<i64: 64, 32>, buffer = 1 : i64, sizes = array<i64: 328, 256>
// CHECK-SAME: box = array<i64: 64, 64, 1>, buffer = 2 : i64, sizes = array<i64: 256, 250, 2>, {{.*}}strides = array<i64: 1024, 512>
// The left operand comes for the block alone, and ends with the rows of its kind.
// CHECK: "tile.bulk_load"({{.*}}) {map = 1 : i64}
// CHECK: "tile.bulk_load"({{.*}}) {map = 0 : i64}
// CHECK: "tile.bulk_multicast"({{.*}}) {map = 2 : i64}

// WHOLE: no way of carrying out this contraction
func.func @main(%x: tensor<500x328xbf16> {strata.name = "x"}, %w: tensor<256x328xbf16> {strata.name = "w"}) -> (tensor<500x256xbf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<500x328xbf16>, tensor<256x328xbf16>) -> tensor<500x256xbf16>
  return %0 : tensor<500x256xbf16>
}
