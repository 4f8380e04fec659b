// RUN: not strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm --split-input-file 2>&1 | FileCheck %s

// A slot is given away while loads from it may be under way.
// CHECK: tile.barrier_arrive lets the copy engine write where a load is under way, without a fence
module { module @kernels {
  func.func @k(%x: memref<32x32xf32>, %shared: memref<8192xi8, 3>) attributes {strata.threads = 128 : i64, strata.maps = [{buffer = 0 : i64, sizes = array<i64: 32, 32>, strides = array<i64: 128>, box = array<i64: 32, 32>, steps = array<i64: 1, 1>, swizzle = 0 : i64, type = f32}]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4096 = arith.constant 4096 : index
    %zero = arith.constant 0 : i32
    %slot = memref.view %shared[%c0][] : memref<8192xi8, 3> to memref<1024xf32, 3>
    %barriers = memref.view %shared[%c4096][] : memref<8192xi8, 3> to memref<2xi64, 3>
    "tile.bulk_load"(%slot, %c0, %barriers, %c0, %c0, %c0) {map = 0 : i64} : (memref<1024xf32, 3>, index, memref<2xi64, 3>, index, index, index) -> ()
    "tile.barrier_wait"(%barriers, %c0, %zero) : (memref<2xi64, 3>, index, i32) -> ()
    %v = vector.load %slot[%c0] : memref<1024xf32, 3>, vector<4xf32>
    "tile.barrier_arrive"(%barriers, %c1) : (memref<2xi64, 3>, index) -> ()
    return
  }
} }

// -----

// The same thread fetches the next in a loop; the fence stands in front of the load. The slots' views are not the same,
// but where they lie is known but for a number of slots.
// CHECK: tile.bulk_load lets the copy engine write where a load is under way, without a fence
module { module @kernels {
  func.func @k(%x: memref<32x32xf32>, %n: index, %shared: memref<16384xi8, 3>) attributes {strata.threads = 128 : i64, strata.maps = [{buffer = 0 : i64, sizes = array<i64: 32, 32>, strides = array<i64: 128>, box = array<i64: 32, 32>, steps = array<i64: 1, 1>, swizzle = 0 : i64, type = f32}]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4096 = arith.constant 4096 : index
    %c12288 = arith.constant 12288 : index
    %barriers = memref.view %shared[%c12288][] : memref<16384xi8, 3> to memref<2xi64, 3>
    scf.for %i = %c0 to %n step %c1 {
      %at = arith.muli %i, %c4096 : index
      %slot = memref.view %shared[%at][] : memref<16384xi8, 3> to memref<1024xf32, 3>
      "tile.bulk_load"(%slot, %c0, %barriers, %c0, %c0, %c0) {map = 0 : i64} : (memref<1024xf32, 3>, index, memref<2xi64, 3>, index, index, index) -> ()
      "tile.fence"() {of = "shared"} : () -> ()
      %again = memref.view %shared[%c4096][] : memref<16384xi8, 3> to memref<1024xf32, 3>
      %v = vector.load %again[%c0] : memref<1024xf32, 3>, vector<4xf32>
    }
    return
  }
} }

// -----

// What threads have stored, some of them only, is given to the copy engine.
// CHECK: tile.bulk_store reads what threads have stored, without a fence
module { module @kernels {
  func.func @k(%x: memref<32x32xf32>, %is_first: i1, %shared: memref<8192xi8, 3>) attributes {strata.threads = 128 : i64, strata.maps = [{buffer = 0 : i64, sizes = array<i64: 32, 32>, strides = array<i64: 128>, box = array<i64: 32, 32>, steps = array<i64: 1, 1>, swizzle = 0 : i64, type = f32}]} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %slot = memref.view %shared[%c0][] : memref<8192xi8, 3> to memref<1024xf32, 3>
    vector.store %zero, %slot[%c0] : memref<1024xf32, 3>, vector<4xf32>
    scf.if %is_first {
      "tile.fence"() {of = "shared"} : () -> ()
    }
    gpu.barrier
    "tile.bulk_store"(%slot, %c0, %c0, %c0) {map = 0 : i64} : (memref<1024xf32, 3>, index, index, index) -> ()
    return
  }
} }

// -----

// The fences where they belong, and memory that the engine does not touch: the error is another one, the last module's.
// CHECK-NOT: without a fence
// CHECK: tile.bulk_store has
module { module @kernels {
  func.func @k(%x: memref<32x32xf32>, %is_first: i1, %shared: memref<16384xi8, 3>) attributes {strata.threads = 128 : i64, strata.maps = [{buffer = 0 : i64, sizes = array<i64: 32, 32>, strides = array<i64: 128>, box = array<i64: 32, 32>, steps = array<i64: 1, 1>, swizzle = 0 : i64, type = f32}]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4096 = arith.constant 4096 : index
    %c8192 = arith.constant 8192 : index
    %zero = arith.constant 0 : i32
    %slot = memref.view %shared[%c0][] : memref<16384xi8, 3> to memref<1024xf32, 3>
    %other = memref.view %shared[%c4096][] : memref<16384xi8, 3> to memref<1024xf32, 3>
    %barriers = memref.view %shared[%c8192][] : memref<16384xi8, 3> to memref<2xi64, 3>
    "tile.bulk_load"(%slot, %c0, %barriers, %c0, %c0, %c0) {map = 0 : i64} : (memref<1024xf32, 3>, index, memref<2xi64, 3>, index, index, index) -> ()
    %v = vector.load %slot[%c0] : memref<1024xf32, 3>, vector<4xf32>
    "tile.fence"() {of = "shared"} : () -> ()
    "tile.barrier_arrive"(%barriers, %c1) : (memref<2xi64, 3>, index) -> ()
    vector.store %v, %other[%c0] : memref<1024xf32, 3>, vector<4xf32>
    %w = vector.load %other[%c0] : memref<1024xf32, 3>, vector<4xf32>
    "tile.barrier_arrive"(%barriers, %c1) : (memref<2xi64, 3>, index) -> ()
    vector.store %w, %slot[%c0] : memref<1024xf32, 3>, vector<4xf32>
    "tile.fence"() {of = "shared"} : () -> ()
    "tile.bulk_store"(%slot, %c0, %c0, %c0) {map = 0 : i64} : (memref<1024xf32, 3>, index, index, index) -> ()
    "tile.bulk_store"(%slot, %c0, %c0) {map = 0 : i64} : (memref<1024xf32, 3>, index, index) -> ()
    return
  }
} }
