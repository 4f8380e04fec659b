// RUN: strata-opt %s --affine-count | FileCheck %s

// A product of 8 x 64 and 64 x 64 and an addition: all arguments once, 2 * 8 * 64 * 64 + 8 * 64 operations.
// CHECK-LABEL: func.func private @product
// CHECK-SAME: strata.bytes = 22528 : i64, strata.flops = 66048 : i64
func.func private @product(%x: memref<8x64xf32>, %w: memref<64x64xf32>, %b: memref<8x64xf32>, %y: memref<8x64xf32>) attributes {strata.schedule = {kind = "contract"}} {
  %t = memref.alloc() : memref<8x64xf32>
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %l = affine.load %x[%i, %k] : memref<8x64xf32>
      %r = affine.load %w[%k, %j] : memref<64x64xf32>
      %p = arith.mulf %l, %r : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %t[%i, %j] : memref<8x64xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (8, 64) {
    %l = affine.load %t[%i, %j] : memref<8x64xf32>
    %r = affine.load %b[%i, %j] : memref<8x64xf32>
    %n = arith.addf %l, %r : f32
    affine.store %n, %y[%i, %j] : memref<8x64xf32>
  } {strata.nest = "add"}
  return
}

// Four rows of a table of a thousand, chosen by data, converted: no operation, 4 * 8 of the table's bytes.
// CHECK-LABEL: func.func private @rows
// CHECK-SAME: strata.bytes = 224 : i64, strata.flops = 0 : i64
func.func private @rows(%table: memref<1000x8xf16>, %indices: memref<4xi64>, %y: memref<4x8xf32>) attributes {strata.schedule = {kind = "map"}} {
  affine.parallel (%i, %j) = (0, 0) to (4, 8) {
    %at = affine.load %indices[%i] : memref<4xi64>
    %row = arith.index_cast %at : i64 to index
    %v = memref.load %table[%row, %j] : memref<1000x8xf16>
    %w = arith.extf %v : f16 to f32
    affine.store %w, %y[%i, %j] : memref<4x8xf32>
  } {strata.nest = "gather"}
  return
}

// Half of a buffer, and a row that every row reads: 4 * (32 + 8 + 32) bytes.
// CHECK-LABEL: func.func private @part
// CHECK-SAME: strata.bytes = 288 : i64, strata.flops = 32 : i64
func.func private @part(%x: memref<8x8xf32>, %b: memref<8xf32>, %y: memref<4x8xf32>) attributes {strata.schedule = {kind = "map"}} {
  affine.parallel (%i, %j) = (0, 0) to (4, 8) {
    %l = affine.load %x[%i + 4, %j] : memref<8x8xf32>
    %r = affine.load %b[%j] : memref<8xf32>
    %n = arith.addf %l, %r : f32
    affine.store %n, %y[%i, %j] : memref<4x8xf32>
  } {strata.nest = "add"}
  return
}
