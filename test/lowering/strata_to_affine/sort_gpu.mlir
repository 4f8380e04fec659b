// On a GPU every element finds its place: keys, sorted tiles, merges of four runs; of a row of which ten elements are
// read each run keeps no more.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<3x300xf32>,
// CHECK: %[[KEYS:.*]] = memref.alloc() : memref<3x300xi64>
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (3, 300)
// CHECK: memref.load %[[X]]
// CHECK: arith.bitcast
// CHECK: memref.store %{{.*}}, %[[KEYS]]
// CHECK: {strata.nest = "sort_keys", strata.serial}
// CHECK: %[[TILES:.*]] = memref.alloc() : memref<3x50xi64>
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (3, 300)
// CHECK: scf.for
// CHECK: memref.load %[[KEYS]]
// CHECK: arith.cmpi slt
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %[[TILES]]
// CHECK: {strata.nest = "sort_tiles", strata.serial}
// CHECK: %[[RUNS:.*]] = memref.alloc() : memref<3x20xi64>
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (3, 50)
// CHECK: scf.for {{.*}} -> (i32, i32, i32)
// CHECK-COUNT-3: memref.load %[[TILES]]
// CHECK: memref.store %{{.*}}, %[[RUNS]]
// CHECK: {strata.nest = "sort_merge", strata.serial}
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (3, 20)
// CHECK: memref.load %[[X]]
// CHECK: {strata.nest = "sort_merge", strata.serial}
// CHECK-NOT: sort_merge
func.func @main(%x: tensor<3x300xf32>) -> (tensor<3x10xf32>, tensor<3x10xi64>) {
  %0:2 = "strata.sort"(%x) {axis = 1 : i64, descending = true, unsigned = false} : (tensor<3x300xf32>) -> (tensor<3x300xf32>, tensor<3x300xi64>)
  %1 = "strata.slice"(%0#0) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<3x300xf32>) -> tensor<3x10xf32>
  %2 = "strata.slice"(%0#1) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<3x300xi64>) -> tensor<3x10xi64>
  return %1, %2 : tensor<3x10xf32>, tensor<3x10xi64>
}
