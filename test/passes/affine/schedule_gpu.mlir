// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-schedule | FileCheck %s

func.func @main(%a: memref<1048576xf32>, %b: memref<1048576xf32>, %c: memref<4096x12xf32>, %d: memref<12x4096xf32>,
                %e: memref<512x1024xf16>, %f: memref<1024x512xf16>, %g: memref<4096x768xf32>, %h: memref<4096xf32>,
                %i: memref<8x16384xf16>, %j: memref<8xf16>, %long: memref<64x50000xf16>, %longs: memref<64xf16>,
                %k: memref<64x50000xf32>, %l: memref<64x50000xf32>, %m: memref<4096x1024xf32>,
                %n: memref<1024x4096xf32>, %o: memref<4096xf32>) {
  func.call @large(%a, %b) : (memref<1048576xf32>, memref<1048576xf32>) -> ()
  func.call @narrow(%d, %c) : (memref<12x4096xf32>, memref<4096x12xf32>) -> ()
  func.call @transpose(%e, %f) : (memref<512x1024xf16>, memref<1024x512xf16>) -> ()
  func.call @rows(%g, %h) : (memref<4096x768xf32>, memref<4096xf32>) -> ()
  func.call @few_rows(%i, %j) : (memref<8x16384xf16>, memref<8xf16>) -> ()
  func.call @long_rows(%long, %longs) : (memref<64x50000xf16>, memref<64xf16>) -> ()
  func.call @long_rows_twice(%k, %l) : (memref<64x50000xf32>, memref<64x50000xf32>) -> ()
  func.call @crossed_rows(%m, %m, %n, %o) : (memref<4096x1024xf32>, memref<4096x1024xf32>, memref<1024x4096xf32>, memref<4096xf32>) -> ()
  return
}

// Sixteen bytes a thread, a few at once where there are blocks enough for every processor.
// CHECK-LABEL: func.func private @large
// CHECK-SAME: strata.schedule = {group = 256 : i64, kind = "map", threads = 256 : i64, tile = array<i64: 1024>}
func.func private @large(%x: memref<1048576xf32>, %y: memref<1048576xf32>) {
  affine.parallel (%i) = (0) to (1048576) {
    %v = affine.load %x[%i] : memref<1048576xf32>
    %r = arith.addf %v, %v : f32
    affine.store %r, %y[%i] : memref<1048576xf32>
  } {strata.nest = "add"}
  return
}

// CHECK-LABEL: func.func private @narrow
// CHECK-SAME: strata.schedule = {group = 1 : i64, kind = "map", threads = {{.*}} : i64, tile = array<i64: 4>}
func.func private @narrow(%x: memref<12x4096xf32>, %y: memref<4096x12xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (4096, 12) {
    %v = affine.load %x[%j, %i] : memref<12x4096xf32>
    affine.store %v, %y[%i, %j] : memref<4096x12xf32>
  } {strata.nest = "copy"}
  return
}

// CHECK-LABEL: func.func private @transpose
// CHECK-SAME: strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64, tile = array<i64: 32, 64>}
func.func private @transpose(%x: memref<512x1024xf16>, %y: memref<1024x512xf16>) {
  affine.parallel (%i, %j) = (0, 0) to (1024, 512) {
    %v = affine.load %x[%j, %i] : memref<512x1024xf16>
    affine.store %v, %y[%i, %j] : memref<1024x512xf16>
  } {strata.nest = "copy"}
  return
}

// A warp a row; a block where rows are few or long.
// CHECK-LABEL: func.func private @rows
// CHECK-SAME: strata.schedule = {group = 32 : i64, kind = "rows", threads = 128 : i64, tile = array<i64: 768>}
func.func private @rows(%x: memref<4096x768xf32>, %y: memref<4096xf32>) {
  affine.parallel (%i) = (0) to (4096) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 768 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<4096x768xf32>
      %n = arith.addf %a, %v : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i] : memref<4096xf32>
  } {strata.nest = "sum"}
  return
}

// CHECK-LABEL: func.func private @few_rows
// CHECK-SAME: strata.schedule = {group = 1024 : i64, kind = "rows", threads = 1024 : i64, tile = array<i64: 16384>}
func.func private @few_rows(%x: memref<8x16384xf16>, %y: memref<8xf16>) {
  affine.parallel (%i) = (0) to (8) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 16384 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<8x16384xf16>
      %w = arith.extf %v : f16 to f32
      %n = arith.addf %a, %w : f32
      affine.yield %n : f32
    }
    %r = arith.truncf %s : f32 to f16
    affine.store %r, %y[%i] : memref<8xf16>
  } {strata.nest = "sum"}
  return
}

// A row that no block can hold: the registers of four blocks of a cluster.
// CHECK-LABEL: func.func private @long_rows
// CHECK-SAME: strata.schedule = {group = 2048 : i64, kind = "rows", threads = 512 : i64, tile = array<i64: 50000>}
func.func private @long_rows(%x: memref<64x50000xf16>, %y: memref<64xf16>) {
  affine.parallel (%i) = (0) to (64) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 50000 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<64x50000xf16>
      %w = arith.extf %v : f16 to f32
      %n = arith.addf %a, %w : f32
      affine.yield %n : f32
    }
    %r = arith.truncf %s : f32 to f16
    affine.store %r, %y[%i] : memref<64xf16>
  } {strata.nest = "sum"}
  return
}

// One that several nests go through: the shared memory of eight blocks.
// CHECK-LABEL: func.func private @long_rows_twice
// CHECK-SAME: strata.schedule = {group = 2048 : i64, kind = "rows", slots = 1 : i64, threads = 256 : i64, tile = array<i64: 50000>}
func.func private @long_rows_twice(%x: memref<64x50000xf32>, %y: memref<64x50000xf32>) {
  %t = memref.alloc() : memref<64xf32>
  affine.parallel (%i) = (0) to (64) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 50000 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<64x50000xf32>
      %n = arith.addf %a, %v : f32
      affine.yield %n : f32
    }
    affine.store %s, %t[%i] : memref<64xf32>
  } {strata.nest = "sum"}
  affine.parallel (%i, %j) = (0, 0) to (64, 50000) {
    %v = affine.load %x[%i, %j] : memref<64x50000xf32>
    %s = affine.load %t[%i] : memref<64xf32>
    %d = arith.subf %v, %s : f32
    affine.store %d, %y[%i, %j] : memref<64x50000xf32>
  } {strata.nest = "sub"}
  return
}

// Rows that add what lies across them: eight at once, for pieces of 32 bytes, by blocks that carry out several tasks.
// CHECK-LABEL: func.func private @crossed_rows
// CHECK-SAME: strata.schedule = {blocks = {{[0-9]+}} : i64, group = 256 : i64, kind = "rows", threads = 256 : i64, tile = array<i64: 1024, 8>}
func.func private @crossed_rows(%x: memref<4096x1024xf32>, %z: memref<4096x1024xf32>, %y: memref<1024x4096xf32>,
                                   %r: memref<4096xf32>) {
  affine.parallel (%i) = (0) to (4096) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 1024 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<4096x1024xf32>
      %w = affine.load %y[%k, %i] : memref<1024x4096xf32>
      %p = arith.mulf %v, %w : f32
      %u = affine.load %z[%i, %k] : memref<4096x1024xf32>
      %q = arith.addf %p, %u : f32
      %n = arith.addf %a, %q : f32
      affine.yield %n : f32
    }
    affine.store %s, %r[%i] : memref<4096xf32>
  } {strata.nest = "sum"}
  return
}
