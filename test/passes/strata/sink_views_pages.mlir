// RUN: strata-opt %s --split-input-file --pipeline=strata-sink-views,strata-dce | FileCheck %s

// Pages that are joined to columns stay one dim of the product: the reshape goes up to the gather, past what widens bytes.
// CHECK-LABEL: func.func @main
// CHECK: %[[G:.*]] = "strata.gather"(%arg1, %arg2)
// CHECK-NEXT: %[[R:.*]] = "strata.reshape"(%[[G]]) : (tensor<2x3x16x64xi8>) -> tensor<2x48x64xi8>
// CHECK-NEXT: %[[C:.*]] = "strata.convert"(%[[R]]) : (tensor<2x48x64xi8>) -> tensor<2x48x64xf16>
// CHECK: "strata.contract"(%arg0, %[[C]]) {{.*}} : (tensor<2x4x64xf16>, tensor<2x48x64xf16>) -> tensor<2x4x48xf16>
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
func.func @main(%q: tensor<2x4x64xf16> {strata.name = "q"}, %k: tensor<9x16x64xi8> {strata.name = "k"}, %t: tensor<2x3xi32> {strata.name = "t"}) -> (tensor<2x4x48xf16> {strata.name = "y"}) {
  %0 = "strata.gather"(%k, %t) {axis = 0 : i64, batch_dims = 0 : i64} : (tensor<9x16x64xi8>, tensor<2x3xi32>) -> tensor<2x3x16x64xi8>
  %1 = "strata.convert"(%0) : (tensor<2x3x16x64xi8>) -> tensor<2x3x16x64xf16>
  %2 = "strata.reshape"(%1) : (tensor<2x3x16x64xf16>) -> tensor<2x48x64xf16>
  %3 = "strata.contract"(%q, %2) {maps = [#q, #k, #s], zero_pad = false, origin = "matmul"} : (tensor<2x4x64xf16>, tensor<2x48x64xf16>) -> tensor<2x4x48xf16>
  return %3 : tensor<2x4x48xf16>
}

// -----

// Rows of a table are no pages: nothing of what is found is joined with the numbers.
// CHECK-LABEL: func.func @main
// CHECK: %[[G:.*]] = "strata.gather"(%arg0, %arg2)
// CHECK-NEXT: "strata.contract"(%[[G]], %arg1)
func.func @main(%e: tensor<9x64xf32> {strata.name = "e"}, %w: tensor<64x8xf32> {strata.name = "w"}, %t: tensor<2x3xi32> {strata.name = "t"}) -> (tensor<6x8xf32> {strata.name = "y"}) {
  %0 = "strata.gather"(%e, %t) {axis = 0 : i64, batch_dims = 0 : i64} : (tensor<9x64xf32>, tensor<2x3xi32>) -> tensor<2x3x64xf32>
  %1 = "strata.reshape"(%0) : (tensor<2x3x64xf32>) -> tensor<6x64xf32>
  %2 = "strata.contract"(%1, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<6x64xf32>, tensor<64x8xf32>) -> tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
}
