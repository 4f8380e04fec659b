// Few long rows are shared by the blocks of a cluster, which hold them: norms are one kernel, as long as a cluster can.
// RUN: split-file %s %t
// RUN: strata %t/norm.mlir --target=nvgpu --device=sm_90a --compile-to=affine | FileCheck %s --check-prefix=NORM
// RUN: strata %t/groups.mlir --target=nvgpu --device=sm_90a --compile-to=affine | FileCheck %s --check-prefix=GROUPS
// RUN: strata %t/long.mlir --target=nvgpu --device=sm_90a --compile-to=affine | FileCheck %s --check-prefix=LONG


// NORM-LABEL: func.func @main
// NORM-COUNT-1: call @
// NORM-NOT: call @
// NORM: strata.schedule = {group = 2048 : i64, kind = "rows", slots = 1 : i64, threads = 256 : i64, tile = array<i64: 40960>}
// NORM-NOT: func.func
//--- norm.mlir
func.func @main(%x: tensor<64x40960xf16> {strata.name = "x"}, %w: tensor<40960xf16> {strata.name = "w"}, %b: tensor<40960xf16> {strata.name = "b"}) -> (tensor<64x40960xf16> {strata.name = "y"}) {
  %0 = "strata.layer_norm"(%x, %w, %b) {axes = array<i64: 1>, epsilon = 1.0e-5 : f64} : (tensor<64x40960xf16>, tensor<40960xf16>, tensor<40960xf16>) -> tensor<64x40960xf16>
  return %0 : tensor<64x40960xf16>
}

// Rows of channels and pixels, of which the weights have the channels: 10 x 4096 elements of a cluster.
// GROUPS-LABEL: func.func @main
// GROUPS-COUNT-1: call @
// GROUPS-NOT: call @
// GROUPS: func.func private @k0(%arg0: memref<2x320x4096xf16>, %arg1: memref<320xf16>, %arg2: memref<2x320x4096xf16>)
// GROUPS-SAME: strata.schedule = {group = 2048 : i64, kind = "rows", slots = 1 : i64, threads = 256 : i64, tile = array<i64: 40960>}
// GROUPS-NOT: func.func
//--- groups.mlir
func.func @main(%x: tensor<2x320x64x64xf16> {strata.name = "x"}, %w: tensor<320xf16> {strata.name = "w"}) -> (tensor<2x320x64x64xf16> {strata.name = "y"}) {
  %one = "strata.constant"() {value = dense<1.0> : tensor<40960xf16>} : () -> tensor<40960xf16>
  %zero = "strata.constant"() {value = dense<0.0> : tensor<40960xf16>} : () -> tensor<40960xf16>
  %0 = "strata.reshape"(%x) : (tensor<2x320x64x64xf16>) -> tensor<2x32x40960xf16>
  %1 = "strata.layer_norm"(%0, %one, %zero) {axes = array<i64: 2>, epsilon = 1.0e-5 : f64} : (tensor<2x32x40960xf16>, tensor<40960xf16>, tensor<40960xf16>) -> tensor<2x32x40960xf16>
  %2 = "strata.reshape"(%1) : (tensor<2x32x40960xf16>) -> tensor<2x320x64x64xf16>
  %3 = "strata.broadcast"(%w) {map = affine_map<(b, c, h, w) -> (c)>} : (tensor<320xf16>) -> tensor<2x320x64x64xf16>
  %4 = "strata.mul"(%2, %3) : (tensor<2x320x64x64xf16>, tensor<2x320x64x64xf16>) -> tensor<2x320x64x64xf16>
  return %4 : tensor<2x320x64x64xf16>
}

// A row that no cluster holds: parts of it, what combines them, and the norm.
// LONG-LABEL: func.func @main
// LONG-COUNT-3: call @
// LONG-NOT: call @
// LONG: func.func private
//--- long.mlir
func.func @main(%x: tensor<1x128x512x512xf16> {strata.name = "x"}, %w: tensor<128xf16> {strata.name = "w"}) -> (tensor<1x128x512x512xf16> {strata.name = "y"}) {
  %one = "strata.constant"() {value = dense<1.0> : tensor<1048576xf16>} : () -> tensor<1048576xf16>
  %zero = "strata.constant"() {value = dense<0.0> : tensor<1048576xf16>} : () -> tensor<1048576xf16>
  %0 = "strata.reshape"(%x) : (tensor<1x128x512x512xf16>) -> tensor<1x32x1048576xf16>
  %1 = "strata.layer_norm"(%0, %one, %zero) {axes = array<i64: 2>, epsilon = 1.0e-5 : f64} : (tensor<1x32x1048576xf16>, tensor<1048576xf16>, tensor<1048576xf16>) -> tensor<1x32x1048576xf16>
  %2 = "strata.reshape"(%1) : (tensor<1x32x1048576xf16>) -> tensor<1x128x512x512xf16>
  %3 = "strata.broadcast"(%w) {map = affine_map<(b, c, h, w) -> (c)>} : (tensor<128xf16>) -> tensor<1x128x512x512xf16>
  %4 = "strata.mul"(%2, %3) : (tensor<1x128x512x512xf16>, tensor<1x128x512x512xf16>) -> tensor<1x128x512x512xf16>
  return %4 : tensor<1x128x512x512xf16>
}
