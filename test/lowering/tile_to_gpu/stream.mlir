// Blocks have equal shares of all tiles' steps, tiles in part among them.
// RUN: strata %s --target=nvgpu --device=sm_90a --mm-conv-precision-mode=tf32 --explain --compile-to=affine -o %t.affine | FileCheck %s --check-prefix=SAID
// RUN: strata %s --target=nvgpu --device=sm_90a --mm-conv-precision-mode=tf32 --explain --compile-to=affine -o %t.affine | grep ^schedule > %t.schedule
// RUN: strata %s --target=nvgpu --device=sm_90a --mm-conv-precision-mode=tf32 --schedule=%t.schedule --compile-to=gpu -o - | FileCheck %s
// RUN: sed 's/stream = 1/stream = "all"/' %t.schedule > %t.text
// RUN: not strata %s --target=nvgpu --device=sm_90a --mm-conv-precision-mode=tf32 --schedule=%t.text --compile-to=affine -o - 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: sed 's/blocks = [0-9]*/blocks = 133/' %t.schedule > %t.more
// RUN: not strata %s --target=nvgpu --device=sm_90a --mm-conv-precision-mode=tf32 --schedule=%t.more --compile-to=affine -o - 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: sed 's/stream = 1 : i64, //; s/blocks = [0-9]*/blocks = 48/' %t.schedule > %t.whole
// RUN: strata %s --target=nvgpu --device=sm_90a --mm-conv-precision-mode=tf32 --schedule=%t.whole --compile-to=tile -o - | sed 's/swap = /stream = 1 : i64, swap = /' > %t.mlir
// RUN: not strata-opt %t.mlir --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu 2>&1 | FileCheck %s --check-prefix=SCRATCH
// RUN: strata %s --target=nvgpu --device=sm_90a --mm-conv-precision-mode=tf32 --schedule=%t.whole --compile-to=tile -o - | sed 's/swap = /dynamic = 1 : i64, swap = /' > %t.counted
// RUN: not strata-opt %t.counted --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu 2>&1 | FileCheck %s --check-prefix=COUNTED

// SAID: with equal shares of all steps, swapped: {{.*}}, chosen
// SAID: stream = 1 : i64

// The kernel in front, then producers: the last of the block's tiles first, of which it has steps [lower, upper).
// CHECK: func.func @k0_flags
// CHECK: func.func @k0(%arg0: {{.*}}, %arg1: {{.*}}, %arg2: {{.*}}, %[[SUMS:.*]]: memref<{{.*}}xi32>, %[[FLAGS:.*]]: memref<{{.*}}xi32>, %arg5
// CHECK: "tile.launch_wait"
// CHECK: %[[BEGIN:.*]] = arith.muli %[[BLOCK:.*]], %{{.*}} : index
// CHECK: %[[END:.*]] = arith.minui
// CHECK: scf.for
// CHECK: arith.maxui %[[BEGIN]]
// CHECK: %[[LOWER:.*]] = arith.subi
// CHECK: %[[UPPER:.*]] = arith.minui
// CHECK: scf.for %{{.*}} = %[[LOWER]] to %[[UPPER]]

// Consumers: with the tile's last step, the sums of the blocks before and the epilogue; else the own ones are left.
// CHECK: "tile.launch_wait"
// CHECK: "tile.mma_{{async|registers}}"
// CHECK: %[[LAST:.*]] = arith.cmpi eq
// CHECK: scf.if %[[LAST]]
// CHECK: scf.for %[[OTHER:.*]] = %{{.*}} to %[[BLOCK_2:.*]] step
// CHECK: "tile.flag_await"(%[[FLAGS]], %[[OTHER]])
// CHECK: "tile.group_barrier"
// CHECK: vector.load %[[SUMS]]
// CHECK: arith.addf
// CHECK: } else {
// CHECK: vector.store %{{.*}}, %[[SUMS]]
// CHECK: "tile.group_barrier"
// CHECK: "tile.flag_raise"(%[[FLAGS]], %[[BLOCK_2]])

// TEXT: 'stream' is no key of a schedule, or not with such a value
// MORE: no way of carrying out this contraction
// COUNTED: vector.contract: tasks of a counter, but of attention, is not supported on GPUs
// SCRATCH: vector.contract: shares of all tasks' steps, but of single products and with scratch memory, is not supported on GPUs
func.func @main(%x: tensor<280x3696xf32> {strata.name = "x"}, %w: tensor<3696x480xf32> {strata.name = "w"}) -> (tensor<280x480xf32> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<280x3696xf32>, tensor<3696x480xf32>) -> tensor<280x480xf32>
  return %0 : tensor<280x480xf32>
}
