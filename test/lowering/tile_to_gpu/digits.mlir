// Sorts by digits: a ballot for what exists and one for each bit of each element's digit; counts of warps and digits in shared
// memory, which the first lane with a digit adds to. To count, two barriers of the block; to place, the sums of warps,
// of what the row's digits begin at and of those of the tile, and the sorted tile in shared memory.
// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu | FileCheck %s
// RUN: strata-opt %s --pipeline=tile-to-gpu --target=amdgpu --device=gfx942 | FileCheck %s --check-prefix=WIDE

// Two elements a thread. 8 warps of 256 digits.
// CHECK-LABEL: func.func @count(
// CHECK-SAME: strata.shared = 8192
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-COUNT-2: memref.load {{.*}} : memref<30000xi32>
// CHECK-COUNT-9: "tile.ballot"(%{{.*}}) : (i1) -> i32
// CHECK: math.ctpop
// CHECK: memref.load {{.*}} : memref<2048xi32, 3>
// CHECK: tile.warp_barrier
// CHECK: scf.if
// CHECK: memref.store {{.*}} : memref<2048xi32, 3>
// CHECK: tile.warp_barrier
// CHECK-COUNT-9: tile.ballot
// CHECK-NOT: tile.ballot
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load {{.*}} : memref<2048xi32, 3>
// CHECK: memref.store {{.*}} : memref<10240xi32>

// WIDE-LABEL: func.func @count(
// WIDE-SAME: strata.shared = 4096
// WIDE-COUNT-9: "tile.ballot"(%{{.*}}) : (i1) -> i64
func.func private @count(%x: memref<3x10000xi32>, %c: memref<256x40xi32>) attributes {strata.schedule = {kind = "digits", threads = 256, group = 256, tile = array<i64: 512>}} {
  scf.forall (%t) in (40) {
    %c0 = arith.constant 0 : index
    %c5000 = arith.constant 5000 : index
    "tile.count_digits"(%x, %c, %c0, %t, %c0, %c5000) {steps = array<i64: 1, 40>, strata.digit = {bits = 8 : i64, descending = 1 : i64, shift = 24 : i64, unsigned = 0 : i64}} : (memref<3x10000xi32>, memref<256x40xi32>, index, index, index, index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @place(
// CHECK: memref.load {{.*}} : memref<256xi32>
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: memref.load {{.*}} : memref<10240xi32>
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-COUNT-18: tile.ballot
// CHECK: gpu.barrier
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-COUNT-2: gpu.barrier
// CHECK: scf.if
// CHECK: memref.store {{.*}} : memref<512xf32, 3>
// CHECK: memref.store {{.*}} : memref<512xi32, 3>
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: memref.load {{.*}} : memref<512xf32, 3>
// CHECK: memref.store {{.*}} : memref<5000xf32>
// CHECK: arith.extsi
// CHECK: memref.store {{.*}} : memref<5000xi64>
// CHECK-NOT: gpu.barrier
func.func private @place(%x: memref<5000xf32>, %c: memref<256xi32>, %b: memref<256x40xi32>, %y: memref<5000xf32>, %p: memref<5000xi32>, %q: memref<5000xi64>) attributes {strata.schedule = {kind = "digits", threads = 256, group = 256, tile = array<i64: 512>}} {
  scf.forall (%t) in (40) {
    %c0 = arith.constant 0 : index
    %c5000 = arith.constant 5000 : index
    "tile.place_digits"(%x, %c, %b, %y, %p, %q, %c0, %c0, %t, %c0, %c0, %c0, %c0, %c5000) {steps = array<i64: 1, 1, 40, 1, 1, 1>, strata.digit = {bits = 8 : i64, descending = 0 : i64, shift = 8 : i64, unsigned = 0 : i64}} : (memref<5000xf32>, memref<256xi32>, memref<256x40xi32>, memref<5000xf32>, memref<5000xi32>, memref<5000xi64>, index, index, index, index, index, index, index, index) -> ()
  }
  return
}
