// RUN: strata-opt %s --split-input-file --strata-split-upsampled --strata-dce | FileCheck %s
// RUN: strata-opt %s --split-input-file --strata-split-upsampled --strata-dce \
// RUN:   --polyblocks-disable-unsafe-math-canonicalizations | FileCheck %s --check-prefix=SAFE
// RUN: strata-opt %s --split-input-file --target=nvgpu --strata-split-upsampled --strata-dce \
// RUN:   | FileCheck %s --check-prefix=SAFE

#image = affine_map<(n, f, y, x, c, i, j) -> (n, c, y + i - 1, x + j - 1)>
#filter = affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>
#out = affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>

// Twice the height and width, one after the other: of three taps two are summed up, which two depends on the phase.
// CHECK: #[[LOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5 - 1, d3 + d6 - 1)>
// CHECK: #[[HIGH:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
// CHECK-LABEL: @twice
// CHECK: %[[W:.*]] = "strata.constant"() {data = "w"}
// CHECK: %[[FIRST:.*]] = "strata.slice"(%[[W]]) {starts = array<i64: 0, 0, 0, 0>
// CHECK: %[[SECOND:.*]] = "strata.slice"(%[[W]]) {starts = array<i64: 0, 0, 1, 0>
// CHECK: %[[THIRD:.*]] = "strata.slice"(%[[W]]) {starts = array<i64: 0, 0, 2, 0>
// CHECK: %[[SUM:.*]] = "strata.add"(%[[SECOND]], %[[THIRD]])
// CHECK: "strata.concat"(%[[FIRST]], %[[SUM]]) {axis = 2 : i64}
// CHECK: "strata.contract"(%arg0, %{{.*}}) {maps = [#[[LOW]], {{.*}} zero_pad = true} : (tensor<1x32x5x7xf32>, tensor<64x32x2x2xf32>) -> tensor<1x64x5x7xf32>
// CHECK-COUNT-2: "strata.contract"(%arg0
// CHECK: "strata.contract"(%arg0, %{{.*}}) {maps = [#[[HIGH]],
// CHECK: %[[ALL:.*]] = "strata.concat"{{.*}} {axis = 3 : i64} {{.*}} -> tensor<1x64x5x2x7x2xf32>
// CHECK: %[[Y:.*]] = "strata.reshape"(%[[ALL]]) {{.*}} -> tensor<1x64x10x14xf32>
// CHECK: return %[[Y]]
// SAFE-LABEL: @twice
// SAFE-COUNT-1: strata.contract
// SAFE-NOT: strata.contract
// SAFE: return
func.func @twice(%x: tensor<1x32x5x7xf32>) -> tensor<1x64x10x14xf32> {
  %w = "strata.constant"() {data = "w"} : () -> tensor<64x32x3x3xf32>
  %0 = "strata.broadcast"(%x) {map = affine_map<(a, b, c, d, e) -> (a, b, c, e)>} : (tensor<1x32x5x7xf32>) -> tensor<1x32x5x2x7xf32>
  %1 = "strata.reshape"(%0) : (tensor<1x32x5x2x7xf32>) -> tensor<1x32x10x7x1xf32>
  %2 = "strata.broadcast"(%1) {map = affine_map<(a, b, c, d, e) -> (a, b, c, d, 0)>} : (tensor<1x32x10x7x1xf32>) -> tensor<1x32x10x7x2xf32>
  %3 = "strata.reshape"(%2) : (tensor<1x32x10x7x2xf32>) -> tensor<1x32x10x14xf32>
  %4 = "strata.contract"(%3, %w) {maps = [#image, #filter, #out], origin = "conv", zero_pad = true} : (tensor<1x32x10x14xf32>, tensor<64x32x3x3xf32>) -> tensor<1x64x10x14xf32>
  return %4 : tensor<1x64x10x14xf32>
}

// -----

#image = affine_map<(n, f, y, x, c, i, j) -> (n, c, y + i - 1, x + j - 1)>
#filter = affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>
#out = affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>

// The image as a whole side by side, not each element of it.
// CHECK-LABEL: @tiled
// CHECK-COUNT-1: strata.contract
// CHECK-NOT: strata.contract
// SAFE-LABEL: @tiled
func.func @tiled(%x: tensor<1x32x5x7xf32>) -> tensor<1x64x10x7xf32> {
  %w = "strata.constant"() {data = "w"} : () -> tensor<64x32x3x3xf32>
  %0 = "strata.broadcast"(%x) {map = affine_map<(a, b, c, d, e) -> (a, b, d, e)>} : (tensor<1x32x5x7xf32>) -> tensor<1x32x2x5x7xf32>
  %1 = "strata.reshape"(%0) : (tensor<1x32x2x5x7xf32>) -> tensor<1x32x10x7xf32>
  %2 = "strata.contract"(%1, %w) {maps = [#image, #filter, #out], origin = "conv", zero_pad = true} : (tensor<1x32x10x7xf32>, tensor<64x32x3x3xf32>) -> tensor<1x64x10x7xf32>
  return %2 : tensor<1x64x10x7xf32>
}

// -----

#image = affine_map<(n, f, y, x, c, i, j) -> (n, c, y + i - 1, x + j - 1)>
#filter = affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>
#out = affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>

// Weights that are not known beforehand would be summed up in every run.
// CHECK-LABEL: @unknown_weights
// CHECK-COUNT-1: strata.contract
// CHECK-NOT: strata.contract
// SAFE-LABEL: @unknown_weights
func.func @unknown_weights(%x: tensor<1x32x5x7xf32>, %w: tensor<64x32x3x3xf32>) -> tensor<1x64x10x7xf32> {
  %0 = "strata.broadcast"(%x) {map = affine_map<(a, b, c, d, e) -> (a, b, c, e)>} : (tensor<1x32x5x7xf32>) -> tensor<1x32x5x2x7xf32>
  %1 = "strata.reshape"(%0) : (tensor<1x32x5x2x7xf32>) -> tensor<1x32x10x7xf32>
  %2 = "strata.contract"(%1, %w) {maps = [#image, #filter, #out], origin = "conv", zero_pad = true} : (tensor<1x32x10x7xf32>, tensor<64x32x3x3xf32>) -> tensor<1x64x10x7xf32>
  return %2 : tensor<1x64x10x7xf32>
}

// -----

// The same of an image whose height varies.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-4: "strata.contract"(%arg0, %{{.*}}) {{.*}}tensor<64x32x2x2xf32>) -> tensor<1x64x?x7xf32
// CHECK-NOT: strata.contract
// CHECK: return
// SAFE-LABEL: func.func @main
// SAFE-COUNT-1: strata.contract
// SAFE-NOT: strata.contract
// SAFE: return
#image = affine_map<(n, f, y, x, c, i, j) -> (n, c, y + i - 1, x + j - 1)>
#filter = affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>
#out = affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>
#x = affine_map<()[s0] -> (1, 32, s0, 7)>
#u = affine_map<()[s0] -> (1, 32, s0, 2, 7)>
#v = affine_map<()[s0] -> (1, 32, s0 * 2, 7)>
#z = affine_map<()[s0] -> (1, 32, s0 * 2, 7, 2)>
#e = affine_map<()[s0] -> (1, 32, s0 * 2, 14)>
#y = affine_map<()[s0] -> (1, 64, s0 * 2, 14)>
module {
  func.func @main(%x: tensor<1x32x?x7xf32, #x> {strata.name = "x"}) -> (tensor<1x64x?x14xf32, #y> {strata.name = "y"})
      attributes {strata.symbols = [{name = "h", min = 1, max = 1000, multiple = 1, likely = [5]}]} {
    %w = "strata.constant"() {data = "w"} : () -> tensor<64x32x3x3xf32>
    %0 = "strata.broadcast"(%x) {map = affine_map<(a, b, c, d, e) -> (a, b, c, e)>} : (tensor<1x32x?x7xf32, #x>) -> tensor<1x32x?x2x7xf32, #u>
    %1 = "strata.reshape"(%0) : (tensor<1x32x?x2x7xf32, #u>) -> tensor<1x32x?x7xf32, #v>
    %2 = "strata.broadcast"(%1) {map = affine_map<(a, b, c, d, e) -> (a, b, c, d)>} : (tensor<1x32x?x7xf32, #v>) -> tensor<1x32x?x7x2xf32, #z>
    %3 = "strata.reshape"(%2) : (tensor<1x32x?x7x2xf32, #z>) -> tensor<1x32x?x14xf32, #e>
    %4 = "strata.contract"(%3, %w) {maps = [#image, #filter, #out], origin = "conv", zero_pad = true} : (tensor<1x32x?x14xf32, #e>, tensor<64x32x3x3xf32>) -> tensor<1x64x?x14xf32, #y>
    return %4 : tensor<1x64x?x14xf32, #y>
  }
}

// -----

// A result that is no number of images is one convolution.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: "strata.contract"
// CHECK-NOT: strata.contract
// CHECK: return
// SAFE-LABEL: func.func @main
// SAFE-COUNT-1: strata.contract
// SAFE-NOT: strata.contract
// SAFE: return
#image = affine_map<(n, f, y, x, c, i, j) -> (n, c, y + i, x + j - 1)>
#filter = affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>
#out = affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>
#x = affine_map<()[s0] -> (1, 32, s0, 7)>
#u = affine_map<()[s0] -> (1, 32, s0, 2, 7)>
#v = affine_map<()[s0] -> (1, 32, s0 * 2, 7)>
#z = affine_map<()[s0] -> (1, 32, s0 * 2, 7, 2)>
#e = affine_map<()[s0] -> (1, 32, s0 * 2, 14)>
#y = affine_map<()[s0] -> (1, 64, s0 * 2 - 1, 14)>
module {
  func.func @main(%x: tensor<1x32x?x7xf32, #x> {strata.name = "x"}) -> (tensor<1x64x?x14xf32, #y> {strata.name = "y"})
      attributes {strata.symbols = [{name = "h", min = 1, max = 1000, multiple = 1, likely = [5]}]} {
    %w = "strata.constant"() {data = "w"} : () -> tensor<64x32x3x3xf32>
    %0 = "strata.broadcast"(%x) {map = affine_map<(a, b, c, d, e) -> (a, b, c, e)>} : (tensor<1x32x?x7xf32, #x>) -> tensor<1x32x?x2x7xf32, #u>
    %1 = "strata.reshape"(%0) : (tensor<1x32x?x2x7xf32, #u>) -> tensor<1x32x?x7xf32, #v>
    %2 = "strata.broadcast"(%1) {map = affine_map<(a, b, c, d, e) -> (a, b, c, d)>} : (tensor<1x32x?x7xf32, #v>) -> tensor<1x32x?x7x2xf32, #z>
    %3 = "strata.reshape"(%2) : (tensor<1x32x?x7x2xf32, #z>) -> tensor<1x32x?x14xf32, #e>
    %4 = "strata.contract"(%3, %w) {maps = [#image, #filter, #out], origin = "conv", zero_pad = true} : (tensor<1x32x?x14xf32, #e>, tensor<64x32x3x3xf32>) -> tensor<1x64x?x14xf32, #y>
    return %4 : tensor<1x64x?x14xf32, #y>
  }
}
