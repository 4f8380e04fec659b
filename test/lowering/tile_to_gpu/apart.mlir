// Tiles of every fourth row of an operand whose rows begin at no multiple of 16 bytes, of 330 elements: a row of a map is
// four of the buffer's, and ends with the one of them that is asked for, so that what lies behind it is zero.
// RUN: echo 'schedule k0 sm_90a {kind = "contract", threads = 256, group = 256, tile = array<i64: 128, 64, 64>, warps = array<i64: 8, 1>, mma = "wgmma.bf16", producers = 128, slots = 5, blocks = 16, share = array<i64: 2, 1>, every = 4}' > %t.schedule
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedule --compile-to=tile -o - | FileCheck %s --check-prefix=TILE
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedule --compile-to=gpu -o - | FileCheck %s
// RUN: sed 's/330/332/g' %s > %t.two.mlir
// RUN: sed 's/every = 4/every = 2/' %t.schedule > %t.wrong.schedule
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.wrong.schedule --compile-to=gpu -o - 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: strata %t.two.mlir --target=nvgpu --device=sm_90a --schedule=%t.wrong.schedule --compile-to=gpu -o - | FileCheck %s --check-prefix=TWO

// Steps begin with the rows: none begins in front of the reduction. There are 501 rows, of the first kind one more.
// TILE-DAG: #[[U:.*]] = affine_map<(d0, d1)[s0, s1] -> (d0 * 4 + (s0 mod 2) * 512 + s0 floordiv 2, d1 + s1 * 64)>
// TILE-DAG: #[[V:.*]] = affine_map<(d0, d1)[s0, s1] -> (d1 + s1 * 64, d0 + s0 * 64)>
// TILE: func.func private @k0
// TILE: scf.forall (%{{.*}}) in (32)
// TILE: "tile.load"(%{{.*}}) {map = #[[U]], mask = {{.*}}} : {{.*}} -> vector<128x64xbf16>
// TILE: tile.last = 10 : i64, tile.pipeline

// CHECK: func.func @k0({{.*}} strata.cluster = 2 : i64
// CHECK-SAME: buffer = 0 : i64, sizes = array<i64: 330, 126>, steps = array<i64: 1, 1>, strides = array<i64: 2640>
// CHECK-SAME: buffer = 0 : i64, sizes = array<i64: 660, 125>, steps = array<i64: 1, 1>, strides = array<i64: 2640>
// CHECK-SAME: buffer = 0 : i64, sizes = array<i64: 990, 125>, steps = array<i64: 1, 1>, strides = array<i64: 2640>
// CHECK-SAME: buffer = 0 : i64, sizes = array<i64: 1320, 125>, steps = array<i64: 1, 1>, strides = array<i64: 2640>
// CHECK-SAME: buffer = 1 : i64, sizes = array<i64: 256, 330>
// CHECK: "tile.bulk_load"({{.*}}) {map = 0 : i64}
// CHECK: "tile.bulk_load"({{.*}}) {map = 1 : i64}
// CHECK: "tile.bulk_load"({{.*}}) {map = 2 : i64}
// CHECK: "tile.bulk_load"({{.*}}) {map = 3 : i64}
// CHECK: "tile.bulk_multicast"({{.*}}) {map = 4 : i64}

// Every second one still begins anywhere.
// WRONG: no way of carrying out this contraction
// TWO: buffer = 0 : i64, sizes = array<i64: 332, 251>
// TWO-SAME: buffer = 0 : i64, sizes = array<i64: 664, 250>
func.func @main(%x: tensor<501x330xbf16> {strata.name = "x"}, %w: tensor<330x256xbf16> {strata.name = "w"}) -> (tensor<501x256xbf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<501x330xbf16>, tensor<330x256xbf16>) -> tensor<501x256xbf16>
  return %0 : tensor<501x256xbf16>
}
