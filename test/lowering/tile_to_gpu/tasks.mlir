// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu | FileCheck %s

// A thread a task: those beyond the last do nothing. Scalar code stays as it is.
// CHECK: func.func private @threads({{.*}}strata.blocks = 2 : i64
// CHECK-LABEL: func.func @threads(
// CHECK: %[[ACTIVE:.*]] = arith.cmpi ult, %{{.*}}, %c100
// CHECK: scf.if %[[ACTIVE]] {
// CHECK: memref.load
// CHECK: scf.for
// CHECK: memref.store
func.func private @threads(%x: memref<10x10xf32>) attributes {strata.schedule = {kind = "scalar", threads = 64, group = 1}} {
  scf.forall (%i, %j) in (10, 10) {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %v = memref.load %x[%i, %j] : memref<10x10xf32>
    %s = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %v) -> (f32) {
      %n = arith.mulf %a, %a : f32
      scf.yield %n : f32
    }
    memref.store %s, %x[%i, %j] : memref<10x10xf32>
  }
  return
}

// Warps beyond the last task repeat it, so that shuffles meet all lanes; they store nothing.
// CHECK-LABEL: func.func @warps(
// CHECK: %[[ACTIVE:.*]] = arith.cmpi ult
// CHECK: arith.minui
// CHECK-NOT: scf.if
// CHECK: vector.load
// CHECK: scf.if %[[ACTIVE]]
// CHECK: vector.store
func.func private @warps(%x: memref<5x128xf32>, %y: memref<5x128xf32>) attributes {strata.schedule = {kind = "rows", threads = 128, group = 32}} {
  scf.forall (%t) in (5) {
    %a = "tile.load"(%x, %t) {map = affine_map<(i)[t] -> (t, i)>} : (memref<5x128xf32>, index) -> vector<128xf32>
    "tile.store"(%a, %y, %t) {map = affine_map<(i)[t] -> (t, i)>} : (vector<128xf32>, memref<5x128xf32>, index) -> ()
  }
  return
}

// Scratch is shared memory of the group; what a thread writes another may read behind a barrier.
// CHECK-LABEL: func.func @scratch(
// CHECK-SAME: strata.shared = 512
// CHECK: memref.view %arg2
// CHECK: vector.store {{.*}}, 3>
// CHECK: gpu.barrier
// CHECK: memref.load {{.*}}, 3>
func.func private @scratch(%x: memref<128xf32>, %y: memref<128xf32>) attributes {strata.schedule = {kind = "rows", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %m = memref.alloc() {tile.scratch} : memref<128xf32>
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<128xf32>) -> vector<128xf32>
    "tile.store"(%a, %m) {map = affine_map<(i) -> (i)>} : (vector<128xf32>, memref<128xf32>) -> ()
    %b = "tile.load"(%m) {map = affine_map<(i) -> (127 - i)>} : (memref<128xf32>) -> vector<128xf32>
    "tile.store"(%b, %y) {map = affine_map<(i) -> (i)>} : (vector<128xf32>, memref<128xf32>) -> ()
  }
  return
}

// Carried vectors are the registers of a thread; a loop with known bounds counts from 0.
// CHECK-LABEL: func.func @carried(
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c4{{.*}} step %c1{{.*}} iter_args({{.*}}) -> (f32, f32)
func.func private @carried(%x: memref<64x64xf32>, %y: memref<64xf32>) attributes {strata.schedule = {kind = "rows", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %zero = arith.constant dense<0.0> : vector<64xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %s = scf.for %k = %c0 to %c64 step %c16 iter_args(%a = %zero) -> (vector<64xf32>) {
      %v = "tile.load"(%x, %k) {map = affine_map<(i)[k] -> (k, i)>} : (memref<64x64xf32>, index) -> vector<64xf32>
      %n = arith.addf %a, %v : vector<64xf32>
      scf.yield %n : vector<64xf32>
    }
    "tile.store"(%s, %y) {map = affine_map<(i) -> (i)>} : (vector<64xf32>, memref<64xf32>) -> ()
  }
  return
}

// Several task spaces, of a thread a task: each has blocks of its own, found by halves.
// CHECK-LABEL: func.func @spaces(
// CHECK-SAME: strata.blocks = 4 : i64
// CHECK: %[[BLOCK:.*]] = gpu.block_id
// CHECK: arith.cmpi ult, %[[BLOCK]], %c2
// CHECK: scf.if
// CHECK: arith.muli %[[BLOCK]], %c64
// CHECK: arith.cmpi ult, %{{.*}}, %c100
// CHECK: scf.if
// CHECK: memref.store {{.*}}memref<100xf32>
// CHECK: } else {
// CHECK: arith.cmpi ult, %[[BLOCK]], %c3
// CHECK: scf.if
// CHECK: arith.addi %[[BLOCK]], %c-2
// CHECK: memref.store {{.*}}memref<60xf32>
// CHECK: } else {
// CHECK: arith.addi %[[BLOCK]], %c-3
// CHECK-NOT: arith.cmpi
// CHECK: memref.store {{.*}}memref<64xf32>
func.func private @spaces(%x: memref<100xf32>, %y: memref<60xf32>, %z: memref<64xf32>) attributes {strata.schedule = {kind = "map", threads = 64, group = 1}} {
  %one = arith.constant 1.0 : f32
  scf.forall (%t) in (100) {
    "tile.store"(%one, %x, %t) {map = affine_map<()[t] -> (t)>} : (f32, memref<100xf32>, index) -> ()
  }
  scf.forall (%t) in (60) {
    "tile.store"(%one, %y, %t) {map = affine_map<()[t] -> (t)>} : (f32, memref<60xf32>, index) -> ()
  }
  scf.forall (%t) in (64) {
    "tile.store"(%one, %z, %t) {map = affine_map<()[t] -> (t)>} : (f32, memref<64xf32>, index) -> ()
  }
  return
}

// A space whose tasks are carried out by other groups than the schedule's: two a block, then one. Both use the same
// shared memory: two floats of each of four warps.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME: strata.blocks = 4 : i64
// CHECK-SAME: strata.shared = 32 : i64
// CHECK: %[[BLOCK:.*]] = gpu.block_id
// CHECK: %[[THREAD:.*]] = gpu.thread_id
// CHECK: arith.cmpi ult, %[[BLOCK]], %c2
// CHECK: arith.remui %[[THREAD]], %c64
// CHECK: gpu.barrier
// CHECK: } else {
// CHECK-NOT: arith.remui %[[THREAD]], %c64
// CHECK: gpu.barrier
func.func private @groups(%x: memref<3x1024xf32>, %y: memref<3xf32>, %u: memref<2x2048xf32>, %v: memref<2xf32>) attributes {strata.schedule = {kind = "rows", threads = 128, group = 64}} {
  %zero = arith.constant 0.0 : f32
  scf.forall (%t) in (3) {
    %a = "tile.load"(%x, %t) {map = affine_map<(i)[t] -> (t, i)>} : (memref<3x1024xf32>, index) -> vector<1024xf32>
    %s = vector.multi_reduction <add>, %a, %zero [0] : vector<1024xf32> to f32
    "tile.store"(%s, %y, %t) {map = affine_map<()[t] -> (t)>} : (f32, memref<3xf32>, index) -> ()
  }
  scf.forall (%t) in (2) {
    %a = "tile.load"(%u, %t) {map = affine_map<(i)[t] -> (t, i)>} : (memref<2x2048xf32>, index) -> vector<2048xf32>
    %s = vector.multi_reduction <add>, %a, %zero [0] : vector<2048xf32> to f32
    "tile.store"(%s, %v, %t) {map = affine_map<()[t] -> (t)>} : (f32, memref<2xf32>, index) -> ()
  } {tile.group = 128 : i64}
  return
}

// Scalars in memory of the task: one thread carries it out, as the others would read what it has not stored yet.
// CHECK-LABEL: func.func @memory(
// CHECK: %[[THREAD:.*]] = gpu.thread_id
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0
// CHECK: scf.if %[[FIRST]] {
// CHECK: memref.view
// CHECK: scf.for
// CHECK: memref.store {{.*}} : memref<8xf32, 3>
// CHECK: scf.for
// CHECK: memref.load {{.*}} : memref<8xf32, 3>
func.func private @memory(%x: memref<8xf32>, %y: memref<8xf32>) attributes {strata.schedule = {kind = "rows", threads = 64, group = 64}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last = arith.constant 7 : index
  %eight = arith.constant 8 : index
  scf.forall (%t) in (1) {
    %m = memref.alloc() {tile.scratch} : memref<8xf32>
    scf.for %i = %zero to %eight step %one {
      %a = memref.load %x[%i] : memref<8xf32>
      memref.store %a, %m[%i] : memref<8xf32>
    }
    scf.for %i = %zero to %eight step %one {
      %j = arith.subi %last, %i : index
      %a = memref.load %m[%j] : memref<8xf32>
      memref.store %a, %y[%i] : memref<8xf32>
    }
  }
  return
}
