// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-share-launches | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-share-launches --polyblocks-disable-affine-fusion | FileCheck %s --check-prefix=OFF

// Kernels that store parts of one buffer do not depend on one another: columns, rows, every second element. One that
// stores what another has stored, or reads it, does. Rows and maps are apart, rows of a cluster alone; and nothing
// moves past a kernel that takes long.

// CHECK-LABEL: func.func @main
// CHECK: memref.collapse_shape
// CHECK-NEXT: call @left(%arg0, %arg2) {strata.launch = 0 : i64}
// CHECK-NEXT: call @right(%arg1, %arg2) {strata.launch = 0 : i64}
// CHECK-NEXT: call @last(%arg0, %{{.*}}) {strata.launch = 0 : i64}
// CHECK-NEXT: call @rows_kept(%arg0, %arg3) :
// CHECK-NEXT: call @rows_few(%arg0, %arg4) :
// CHECK-NEXT: call @over(%arg1, %arg2) {strata.launch = 1 : i64}
// CHECK-NEXT: call @even(%arg3, %arg5) {strata.launch = 1 : i64}
// CHECK-NEXT: call @odd(%arg4, %arg5) {strata.launch = 1 : i64}
// CHECK-NEXT: call @long(%arg5, %arg6) :
// CHECK-NEXT: call @even(%arg3, %arg7) :
// CHECK-NEXT: return
// OFF-NOT: strata.launch
func.func @main(%x: memref<64x16xf32> {strata.name = "x"}, %w: memref<64x8xf32> {strata.name = "w"},
                %y: memref<64x2x16xf32> {strata.name = "y", strata.output},
                %r: memref<64xf32> {strata.name = "r", strata.output},
                %s: memref<64xf32> {strata.name = "s", strata.output},
                %t: memref<128xf32> {strata.name = "t", strata.output},
                %u: memref<1xf32> {strata.name = "u", strata.output},
                %v: memref<128xf32> {strata.name = "v", strata.output}) {
  call @left(%x, %y) : (memref<64x16xf32>, memref<64x2x16xf32>) -> ()
  call @right(%w, %y) : (memref<64x8xf32>, memref<64x2x16xf32>) -> ()
  call @rows_kept(%x, %r) : (memref<64x16xf32>, memref<64xf32>) -> ()
  call @rows_few(%x, %s) : (memref<64x16xf32>, memref<64xf32>) -> ()
  call @over(%w, %y) : (memref<64x8xf32>, memref<64x2x16xf32>) -> ()
  %flat = memref.collapse_shape %y [[0], [1, 2]] : memref<64x2x16xf32> into memref<64x32xf32>
  call @last(%x, %flat) : (memref<64x16xf32>, memref<64x32xf32>) -> ()
  call @even(%r, %t) : (memref<64xf32>, memref<128xf32>) -> ()
  call @odd(%s, %t) : (memref<64xf32>, memref<128xf32>) -> ()
  call @long(%t, %u) : (memref<128xf32>, memref<1xf32>) -> ()
  call @even(%r, %v) : (memref<64xf32>, memref<128xf32>) -> ()
  return
}
func.func private @left(%x: memref<64x16xf32>, %y: memref<64x2x16xf32>) attributes {strata.bytes = 8192 : i64, strata.schedule = {kind = "map", threads = 64, group = 1, tile = array<i64: 4>}} {
  affine.parallel (%i, %j) = (0, 0) to (64, 16) {
    %a = affine.load %x[%i, %j] : memref<64x16xf32>
    affine.store %a, %y[%i, 0, %j] : memref<64x2x16xf32>
  } {strata.nest = "copy"}
  return
}
func.func private @right(%x: memref<64x8xf32>, %y: memref<64x2x16xf32>) attributes {strata.bytes = 4096 : i64, strata.schedule = {kind = "map", threads = 128, group = 1, tile = array<i64: 4>}} {
  affine.parallel (%i, %j) = (0, 0) to (64, 8) {
    %a = affine.load %x[%i, %j] : memref<64x8xf32>
    affine.store %a, %y[%i, 1, %j] : memref<64x2x16xf32>
  } {strata.nest = "copy"}
  return
}
func.func private @last(%x: memref<64x16xf32>, %y: memref<64x32xf32>) attributes {strata.bytes = 4096 : i64, strata.schedule = {kind = "map", threads = 64, group = 64, tile = array<i64: 4>}} {
  affine.parallel (%i, %j) = (0, 0) to (64, 8) {
    %a = affine.load %x[%i, %j] : memref<64x16xf32>
    affine.store %a, %y[%i, %j + 24] : memref<64x32xf32>
  } {strata.nest = "copy"}
  return
}
func.func private @over(%x: memref<64x8xf32>, %y: memref<64x2x16xf32>) attributes {strata.bytes = 4096 : i64, strata.schedule = {kind = "map", threads = 64, group = 1, tile = array<i64: 4>}} {
  affine.parallel (%i, %j) = (0, 0) to (64, 8) {
    %a = affine.load %x[%i, %j] : memref<64x8xf32>
    affine.store %a, %y[%i, 0, %j + 8] : memref<64x2x16xf32>
  } {strata.nest = "copy"}
  return
}
func.func private @rows_kept(%x: memref<64x16xf32>, %y: memref<64xf32>) attributes {strata.bytes = 4352 : i64, strata.schedule = {kind = "rows", threads = 64, group = 128, tile = array<i64: 16>}} {
  affine.parallel (%i) = (0) to (64) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 16 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<64x16xf32>
      %n = arith.addf %a, %v : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i] : memref<64xf32>
  } {strata.nest = "reduce"}
  return
}
func.func private @rows_few(%x: memref<64x16xf32>, %y: memref<64xf32>) attributes {strata.bytes = 4352 : i64, strata.schedule = {kind = "rows", threads = 64, group = 4, tile = array<i64: 16>}} {
  affine.parallel (%i) = (0) to (64) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 16 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<64x16xf32>
      %n = arith.addf %a, %v : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i] : memref<64xf32>
  } {strata.nest = "reduce"}
  return
}
func.func private @even(%x: memref<64xf32>, %y: memref<128xf32>) attributes {strata.bytes = 512 : i64, strata.schedule = {kind = "map", threads = 64, group = 1, tile = array<i64: 1>}} {
  affine.parallel (%i) = (0) to (64) {
    %a = affine.load %x[%i] : memref<64xf32>
    affine.store %a, %y[2 * %i] : memref<128xf32>
  } {strata.nest = "copy"}
  return
}
func.func private @odd(%x: memref<64xf32>, %y: memref<128xf32>) attributes {strata.bytes = 512 : i64, strata.schedule = {kind = "map", threads = 64, group = 1, tile = array<i64: 1>}} {
  affine.parallel (%i) = (0) to (64) {
    %a = affine.load %x[%i] : memref<64xf32>
    affine.store %a, %y[2 * %i + 1] : memref<128xf32>
  } {strata.nest = "copy"}
  return
}
func.func private @long(%x: memref<128xf32>, %y: memref<1xf32>) attributes {strata.bytes = 1000000000 : i64, strata.schedule = {kind = "scalar", threads = 64, group = 1}} {
  affine.parallel (%i) = (0) to (1) {
    %a = affine.load %x[%i] : memref<128xf32>
    affine.store %a, %y[%i] : memref<1xf32>
  } {strata.nest = "sort", strata.serial}
  return
}
