// Blocks that stream rows along the reduction begin at different steps of it: producers alone know, as the products of
// all steps are summed up. 128 rows at once have the next step's come into the cache with them.
// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t.affine | grep ^schedule > %t.schedule
// RUN: FileCheck %s --check-prefix=KEY < %t.schedule
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s
// RUN: sed 's/stagger = 13/stagger = -1/' %t.schedule > %t.back
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.back --compile-to=affine -o - 2>&1 | FileCheck %s --check-prefix=BACK
// RUN: sed 's/4096/4064/g' %s > %t.part.mlir
// RUN: sed 's/stagger = 13 : i64, //; s/slots = 5/slots = 4/' %t.schedule > %t.plain
// RUN: strata %t.part.mlir --target=nvgpu --device=sm_90a --schedule=%t.plain --compile-to=tile -o - | sed 's/producers = /stagger = 13 : i64, producers = /' > %t.mlir
// RUN: not strata-opt %t.mlir --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu 2>&1 | FileCheck %s --check-prefix=WHOLE

// KEY: slots = 5 : i64, stagger = 13 : i64
// CHECK: strata.maps = [{ahead, box = array<i64: 64, 128>, buffer = 0 : i64
// CHECK-SAME: {ahead, box = array<i64: 64, 128>, buffer = 1 : i64
// CHECK: func.func @k0
// CHECK: "tile.launch_wait"
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c13
// CHECK: arith.addi %{{.*}}, %[[FIRST]]
// CHECK: arith.remui %{{.*}}, %c64
// CHECK: "tile.bulk_load"
// CHECK: "tile.launch_wait"
// CHECK-NOT: arith.remui %{{.*}}, %c64
// CHECK: "tile.mma_async"
// BACK: no way of carrying out this contraction
// WHOLE: vector.contract: a reduction that begins anywhere, but of whole steps, in bulk and of one block, is not supported on GPUs
func.func @main(%x: tensor<128x4096xbf16> {strata.name = "x"}, %w: tensor<14336x4096xbf16> {strata.name = "w"}) -> (tensor<128x14336xf32> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<128x4096xbf16>, tensor<14336x4096xbf16>) -> tensor<128x14336xf32>
  return %0 : tensor<128x14336xf32>
}
