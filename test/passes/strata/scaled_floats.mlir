// RUN: strata-opt %s --split-input-file --target=amdgpu --device=gfx950 --pipeline=strata-scaled-floats,strata-dce | FileCheck %s
// RUN: strata-opt %s --split-input-file --target=amdgpu --device=gfx1201 --pipeline=strata-scaled-floats,strata-dce | FileCheck %s --check-prefix=ROWS
// RUN: strata-opt %s --split-input-file --target=amdgpu --device=gfx942 --pipeline=strata-scaled-floats,strata-dce | FileCheck %s --check-prefix=NONE
// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=strata-scaled-floats,strata-dce | FileCheck %s --check-prefix=NONE
// RUN: strata-opt %s --split-input-file --target=amdgpu --device=gfx950 --mlir-disable-fast-math --pipeline=strata-scaled-floats,strata-dce | FileCheck %s --check-prefix=EXACT

// One scale of x, which comes behind, and powers of two for blocks of 32 of each column of w: their exponents, 127 more.
// CHECK-LABEL: func.func @main
// CHECK: %[[CODES:.*]] = "strata.constant"() {value = dense<{{\[\[127, 127, .*\], \[-126, -126, .*\]\]}}> : tensor<2x16xi8>}
// CHECK: %[[SUM:.*]] = "strata.scaled_contract"(%arg0, %arg1, %[[CODES]]) {axis = 0 : i64, {{.*}}} : (tensor<16x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>, tensor<2x16xi8>) -> tensor<16x16xf32>
// CHECK: "strata.mul"(%[[SUM]], %{{.*}})
// ROWS-LABEL: func.func @main
// ROWS-NOT: scaled_contract
// ROWS: "strata.contract"({{.*}} : (tensor<16x64xf32>, tensor<64x16xf32>)
// NONE-LABEL: func.func @main
// NONE-NOT: scaled_contract
// NONE: "strata.contract"({{.*}} : (tensor<16x64xf32>, tensor<64x16xf32>)
// A scale that comes behind is rounded elsewhere.
// EXACT-LABEL: func.func @main
// EXACT-NOT: scaled_contract
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
#blocks = affine_map<(b, k, j) -> (b, 0, 0)>
func.func @main(%x: tensor<16x64xf8E4M3FN> {strata.name = "x"}, %w: tensor<64x16xf8E4M3FN> {strata.name = "w"}) -> (tensor<16x16xf32> {strata.name = "y"}) {
  %s = "strata.constant"() {value = dense<3.0> : tensor<16x64xf32>} : () -> tensor<16x64xf32>
  %t = "strata.constant"() {value = dense<[[[1.0]], [[8.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %0 = "strata.convert"(%x) : (tensor<16x64xf8E4M3FN>) -> tensor<16x64xf32>
  %1 = "strata.mul"(%0, %s) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  %2 = "strata.convert"(%w) : (tensor<64x16xf8E4M3FN>) -> tensor<64x16xf32>
  %3 = "strata.broadcast"(%t) {map = #blocks} : (tensor<2x1x1xf32>) -> tensor<2x32x16xf32>
  %4 = "strata.reshape"(%3) : (tensor<2x32x16xf32>) -> tensor<64x16xf32>
  %5 = "strata.mul"(%2, %4) : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %6 = "strata.contract"(%1, %5) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<16x64xf32>, tensor<64x16xf32>) -> tensor<16x16xf32>
  return %6 : tensor<16x16xf32>
}

// -----

// Weights on the left change places with what they multiply; nothing is rounded but sums.
// CHECK-LABEL: func.func @main
// CHECK: "strata.scaled_contract"(%arg0, %arg1, %{{.*}}) {axis = 1 : i64, {{.*}}} : (tensor<64x16xf8E5M2>, tensor<32x64xf8E5M2>, tensor<32x2xi8>) -> tensor<32x16xf32>
// EXACT-LABEL: func.func @main
// EXACT: "strata.scaled_contract"
#w = affine_map<(i, j, k) -> (i, k)>
#x = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
#blocks = affine_map<(i, b, k) -> (0, b, 0)>
func.func @main(%x: tensor<64x16xf8E5M2> {strata.name = "x"}, %w: tensor<32x64xf8E5M2> {strata.name = "w"}) -> (tensor<32x16xf32> {strata.name = "y"}) {
  %t = "strata.constant"() {value = dense<[[[0.5], [4.0]]]> : tensor<1x2x1xf32>} : () -> tensor<1x2x1xf32>
  %0 = "strata.convert"(%x) : (tensor<64x16xf8E5M2>) -> tensor<64x16xf32>
  %2 = "strata.convert"(%w) : (tensor<32x64xf8E5M2>) -> tensor<32x64xf32>
  %3 = "strata.broadcast"(%t) {map = #blocks} : (tensor<1x2x1xf32>) -> tensor<32x2x32xf32>
  %4 = "strata.reshape"(%3) : (tensor<32x2x32xf32>) -> tensor<32x64xf32>
  %5 = "strata.mul"(%2, %4) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  %6 = "strata.contract"(%5, %0) {maps = [#w, #x, #y], zero_pad = false, origin = "matmul"} : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  return %6 : tensor<32x16xf32>
}

// -----

// A scale of a block that is no power of two: all is as before.
// CHECK-LABEL: func.func @main
// CHECK-NOT: scaled_contract
// CHECK: "strata.contract"({{.*}} : (tensor<16x64xf32>, tensor<64x16xf32>)
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
#blocks = affine_map<(b, k, j) -> (b, 0, 0)>
func.func @main(%x: tensor<16x64xf8E4M3FN> {strata.name = "x"}, %w: tensor<64x16xf8E4M3FN> {strata.name = "w"}) -> (tensor<16x16xf32> {strata.name = "y"}) {
  %t = "strata.constant"() {value = dense<[[[1.0]], [[3.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %0 = "strata.convert"(%x) : (tensor<16x64xf8E4M3FN>) -> tensor<16x64xf32>
  %2 = "strata.convert"(%w) : (tensor<64x16xf8E4M3FN>) -> tensor<64x16xf32>
  %3 = "strata.broadcast"(%t) {map = #blocks} : (tensor<2x1x1xf32>) -> tensor<2x32x16xf32>
  %4 = "strata.reshape"(%3) : (tensor<2x32x16xf32>) -> tensor<64x16xf32>
  %5 = "strata.mul"(%2, %4) : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %6 = "strata.contract"(%0, %5) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<16x64xf32>, tensor<64x16xf32>) -> tensor<16x16xf32>
  return %6 : tensor<16x16xf32>
}

// -----

// Scales of rows and columns come behind wherever threads multiply such floats.
// CHECK-LABEL: func.func @main
// CHECK: %[[SUM:.*]] = "strata.contract"(%arg0, %arg1) {{.*}} : (tensor<16x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>) -> tensor<16x16xf32>
// CHECK: %[[EACH:.*]] = "strata.broadcast"(%arg2) {map = #{{.*}}} : (tensor<16x1xf32>) -> tensor<16x16xf32>
// CHECK: "strata.mul"(%[[SUM]], %[[EACH]])
// ROWS-LABEL: func.func @main
// ROWS: "strata.contract"(%arg0, %arg1) {{.*}} : (tensor<16x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>) -> tensor<16x16xf32>
// NONE-LABEL: func.func @main
// NONE: "strata.contract"({{.*}} : (tensor<16x64xf32>, tensor<64x16xf32>)
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
#rows = affine_map<(i, k) -> (i, 0)>
func.func @main(%x: tensor<16x64xf8E4M3FN> {strata.name = "x"}, %w: tensor<64x16xf8E4M3FN> {strata.name = "w"}, %s: tensor<16x1xf32> {strata.name = "s"}) -> (tensor<16x16xf32> {strata.name = "y"}) {
  %0 = "strata.convert"(%x) : (tensor<16x64xf8E4M3FN>) -> tensor<16x64xf32>
  %1 = "strata.broadcast"(%s) {map = #rows} : (tensor<16x1xf32>) -> tensor<16x64xf32>
  %2 = "strata.mul"(%0, %1) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  %3 = "strata.convert"(%w) : (tensor<64x16xf8E4M3FN>) -> tensor<64x16xf32>
  %4 = "strata.contract"(%2, %3) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<16x64xf32>, tensor<64x16xf32>) -> tensor<16x16xf32>
  return %4 : tensor<16x16xf32>
}
