// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu | FileCheck %s

// 16 bytes a thread, neighbours beside one another; what the launch only reads says so.
// CHECK: func.func private @map(memref<65536xf16>, memref<65536xf16>) attributes {strata.blocks = 32 : i64, strata.cluster = 1 : i64, strata.shared = 0 : i64, strata.threads = 256 : i64}
// CHECK-LABEL: func.func @map(%arg0: memref<65536xf16>, %arg1: memref<65536xf16>, %arg2: memref<0xi8, 3>)
// CHECK-SAME: strata.index_bits = 32
// CHECK: %[[BLOCK:.*]] = gpu.block_id x upper_bound 32
// CHECK: %[[THREAD:.*]] = gpu.thread_id x upper_bound 256
// CHECK: vector.load %{{.*}} {tile.readonly} : memref<65536xf16>, vector<8xf16>
// CHECK-COUNT-8: arith.addf %{{.*}} fastmath<reassoc> : f32
// CHECK: vector.from_elements {{.*}} : vector<8xf16>
// CHECK: vector.store %{{.*}} : memref<65536xf16>, vector<8xf16>
func.func private @map(%x: memref<65536xf16>, %y: memref<65536xf16>) attributes {strata.schedule = {kind = "map", threads = 256, group = 256}} {
  scf.forall (%t) in (32) {
    %a = "tile.load"(%x, %t) {map = affine_map<(i)[t] -> (t * 2048 + i)>} : (memref<65536xf16>, index) -> vector<2048xf16>
    %b = arith.extf %a : vector<2048xf16> to vector<2048xf32>
    %s = arith.addf %b, %b fastmath<reassoc> : vector<2048xf32>
    %h = arith.truncf %s : vector<2048xf32> to vector<2048xf16>
    "tile.store"(%h, %y, %t) {map = affine_map<(i)[t] -> (t * 2048 + i)>} : (vector<2048xf16>, memref<65536xf16>, index) -> ()
  }
  return
}

// Rows of 1001 floats are not aligned for vectors; the last threads hold nothing of the last run.
// CHECK-LABEL: func.func @hanging(
// CHECK-NOT: vector.load
// CHECK: scf.if
// CHECK: memref.load
// CHECK-NOT: vector.store
// CHECK: scf.if
// CHECK: memref.store
func.func private @hanging(%x: memref<4x1001xf32>, %y: memref<4x1001xf32>) attributes {strata.schedule = {kind = "map", threads = 256, group = 256}} {
  scf.forall (%t) in (4) {
    %a = "tile.load"(%x, %t) {map = affine_map<(i)[t] -> (t, i)>} : (memref<4x1001xf32>, index) -> vector<1001xf32>
    "tile.store"(%a, %y, %t) {map = affine_map<(i)[t] -> (t, i)>} : (vector<1001xf32>, memref<4x1001xf32>, index) -> ()
  }
  return
}

// Padding is a branch around what may lie outside; the window's first and last elements alone.
// CHECK-LABEL: func.func @pad(
// CHECK: %[[PAD:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: scf.if %{{.*}} -> (f32)
// CHECK: memref.load
// CHECK: } else {
// CHECK: scf.yield %[[PAD]] : f32
func.func private @pad(%x: memref<30xf32>, %y: memref<32xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i - 1)>, pad = 1.0 : f32} : (memref<30xf32>) -> vector<32xf32>
    "tile.store"(%a, %y) {map = affine_map<(i) -> (i)>} : (vector<32xf32>, memref<32xf32>) -> ()
  }
  return
}

// A mask is a condition of loads and stores alike: here the last of 8 tiles has 60 elements.
// CHECK-LABEL: func.func @mask(
// CHECK: arith.cmpi sge
// CHECK: scf.if {{.*}} -> (vector<4xf32>)
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: scf.if
// CHECK: vector.store {{.*}} vector<4xf32>
func.func private @mask(%x: memref<956xf32>, %y: memref<956xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (8) {
    %a = "tile.load"(%x, %t) {map = affine_map<(i)[t] -> (t * 128 + i)>, mask = affine_set<(i)[t] : (955 - t * 128 - i >= 0)>} : (memref<956xf32>, index) -> vector<128xf32>
    "tile.store"(%a, %y, %t) {map = affine_map<(i)[t] -> (t * 128 + i)>, mask = affine_set<(i)[t] : (955 - t * 128 - i >= 0)>} : (vector<128xf32>, memref<956xf32>, index) -> ()
  }
  return
}

// Fast math is the hardware's, anything else a polynomial.
// CHECK-LABEL: func.func @math(
// CHECK: math.exp2 %{{.*}} fastmath<arcp,contract,afn> : f32
// CHECK-NOT: math.exp2
// CHECK: math.fma
// CHECK: return
func.func private @math(%x: memref<32xf32>, %y: memref<32xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf32>) -> vector<32xf32>
    %b = math.exp %a fastmath<afn> : vector<32xf32>
    %c = math.exp %b : vector<32xf32>
    "tile.store"(%c, %y) {map = affine_map<(i) -> (i)>} : (vector<32xf32>, memref<32xf32>) -> ()
  }
  return
}

// What does not fit the L2 cache is stored past it; its positions need 64 bits.
// CHECK-LABEL: func.func @large(
// CHECK-SAME: strata.index_bits = 64
// CHECK: vector.store {{.*}} {nontemporal = true}
func.func private @large(%x: memref<2048xf32>, %y: memref<1048576x2048xf32>) attributes {strata.schedule = {kind = "map", threads = 256, group = 256}} {
  scf.forall (%t) in (1048576) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<2048xf32>) -> vector<2048xf32>
    "tile.store"(%a, %y, %t) {map = affine_map<(i)[t] -> (t, i)>} : (vector<2048xf32>, memref<1048576x2048xf32>, index) -> ()
  }
  return
}
