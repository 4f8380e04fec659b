// Four blocks of a cluster, two by two tiles, share operands: each fetches half of each of its two for two blocks.
// RUN: echo 'schedule k0 sm_90a {kind = "contract", threads = 256, group = 256, tile = array<i64: 128, 128, 64>, warps = array<i64: 8, 1>, mma = "wgmma.bf16", producers = 128, slots = 4, blocks = 8, share = array<i64: 2, 2>}' > %t.schedule
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedule --compile-to=gpu -o - | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedule --compile-to=llvm -o - | FileCheck %s --check-prefix=LLVM
// RUN: sed 's/blocks = 8/blocks = 6/' %t.schedule > %t.odd
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.odd --compile-to=gpu -o - 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedule --compile-to=tile -o - | sed 's/blocks = 8/blocks = 6/' > %t.mlir
// RUN: not strata-opt %t.mlir --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: sed 's/blocks = 6/blocks = 8/; s/mma = "wgmma.bf16"/parts = 2 : i64, mma = "wgmma.bf16"/' %t.mlir > %t.parts
// RUN: not strata-opt %t.parts --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu 2>&1 | FileCheck %s --check-prefix=PARTS

// The maps' boxes are halves: rows of one operand, steps of the other's spans or whole spans.
// CHECK: module @kernels
// CHECK: func.func @k0({{.*}} strata.cluster = 4 : i64
// CHECK-SAME: box = array<i64: 64, 64>, buffer = 0 : i64
// CHECK-SAME: box = array<i64: 64, 64>, buffer = 1 : i64
// A slot is empty when two groups of each of three blocks have read it, itself among them.
// CHECK-COUNT-4: "tile.barrier_init"(%{{[^,]*}}, %{{[^,]*}}) {count = 6 : i64}
// CHECK: "tile.cluster_arrive"() {releases = false}
// CHECK-NEXT: "tile.cluster_wait"()
// CHECK: "tile.launch_wait"()
// CHECK: "tile.barrier_expect"(%{{[^,]*}}, %{{[^,]*}}) {bytes = 32768 : i64}
// CHECK: arith.shli
// CHECK: scf.if
// CHECK: "tile.bulk_multicast"({{.*}}) {map = 0 : i64}
// CHECK: } else {
// CHECK: "tile.bulk_multicast"({{.*}}) {map = 0 : i64}
// CHECK: "tile.bulk_multicast"({{.*}}) {map = 1 : i64}
// CHECK: "tile.bulk_multicast"({{.*}}) {map = 1 : i64}
// CHECK-NOT: "tile.bulk_load"
// Nobody arrives at its barriers any more when the block ends.
// CHECK: scf.for
// CHECK-NOT: "tile.bulk_multicast"
// CHECK: "tile.barrier_wait"
// CHECK: "tile.mma_async"
// CHECK: "tile.barrier_signal"

// LLVM: llvm.nvvm.barrier.cluster.arrive.relaxed.aligned
// LLVM: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1, {$4, $5}], [$2], $3; // map {{[0-9]+}}", "r,l,r,h,r,r,~{memory}"
// LLVM: mapa.shared::cluster.u32 place, $0, $1;
// LLVM-SAME: mbarrier.arrive.shared::cluster.b64 _, [place];

// ODD: no way of carrying out this contraction
// GRID: vector.contract: a grid of other than whole clusters that share operands is not supported on GPUs
// PARTS: vector.contract: an operand that blocks share, but in bulk and for one product of matrix instructions, is not supported on GPUs
func.func @main(%x: tensor<512x256xbf16> {strata.name = "x"}, %w: tensor<256x256xbf16> {strata.name = "w"}) -> (tensor<512x256xbf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<512x256xbf16>, tensor<256x256xbf16>) -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}
