// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-to-tile,tile-to-gpu | FileCheck %s
// RUN: sed 's/max = 192/max = 300/' %s > %t.mlir
// RUN: strata-opt %t.mlir --target=nvgpu --device=sm_90a --pipeline=affine-to-tile,tile-to-gpu | FileCheck %s --check-prefix=MANY

// At most 3 tiles of rows by 36 of columns on 132 blocks, each of which has one of them, or none: no loop over tasks, and a
// tile is found by dividing by 36.
// CHECK: module @kernels
// CHECK: func.func @rows(
// CHECK-NOT: %c132
// CHECK: tile.launch_wait
// CHECK: scf.if %{{.*}} -> (index, i32)
// CHECK: arith.divui %{{.*}}, %c36
// CHECK-NOT: %c132
// CHECK: tile.launch_wait
// CHECK: scf.if %{{.*}} -> (index, i32)
// CHECK-NOT: %c132
// CHECK: tile.mma_async

// Of 5 tiles of rows there are more than blocks, which find them by dividing by how many they are.
// MANY: module @kernels
// MANY: func.func @rows(
// MANY: tile.launch_wait
// MANY: scf.for {{.*}} step %c132
// MANY: tile.bulk_load
// MANY: tile.launch_wait
// MANY: scf.for {{.*}} step %c132
// MANY: tile.mma_async
!x = memref<?x768xf16, {sizes = affine_map<()[s0] -> (s0, 768)>}>
!y = memref<?x2304xf16, {sizes = affine_map<()[s0] -> (s0, 2304)>}>
module {
func.func private @rows(%x: !x, %w: memref<768x2304xf16>, %y: !y)
    attributes {strata.bytes = 4325376 : i64, strata.flops = 452984832 : i64,
                strata.schedule = {blocks = 132, group = 128, kind = "contract", mma = "wgmma.f16", producers = 128, slots = 8,
                                   threads = 128, tile = array<i64: 64, 64, 64>, warps = array<i64: 4, 1>}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 2304) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 768 iter_args(%a = %z) -> (f32) {
      %u = affine.load %x[%i, %k] : !x
      %ue = arith.extf %u : f16 to f32
      %v = affine.load %w[%k, %j] : memref<768x2304xf16>
      %ve = arith.extf %v : f16 to f32
      %p = arith.mulf %ue, %ve : f32
      %m = arith.addf %a, %p : f32
      affine.yield %m : f32
    }
    %t = arith.truncf %s : f32 to f16
    affine.store %t, %y[%i, %j] : !y
  } {strata.nest = "contract"}
  return
}
func.func @main() attributes {strata.symbols = [{name = "n", min = 1, max = 192}]} {
  return
}
}
