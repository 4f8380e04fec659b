// RUN: strata %s --explain --compile-to=affine -o %t 2>%t.err | FileCheck %s
// RUN: count 0 < %t.err
// RUN: strata-opt %t/strata_mlir_artifact.affine.mlir --pipeline=affine-explain | FileCheck %s --check-prefix=SAME

// Every producer and consumer, then every kernel, then the run.
// CHECK: fused  add#1 <- contract#0 in k0
// CHECK: apart  reduce#2 <- add#1: a kernel has one contraction or window (2048 bytes)
// CHECK: fused  exp#4 <- sub#3 in k1
// CHECK: kernel k0: 1 calls, 2 nests (contract add), 2.25e+04 bytes, 6.6e+04 operations
// CHECK: kernel k1: 1 calls, 6 nests (reduce sub exp reduce div mul)
// CHECK: a run: 2 launches

// It tells and changes nothing.
// SAME: func.func private @k0
// SAME: func.func private @k1
func.func @main(%x: tensor<8x64xf32> {strata.name = "x"}, %w: tensor<64x64xf32> {strata.name = "w"}, %b: tensor<8x64xf32> {strata.name = "b"}) -> (tensor<8x64xf32> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %1 = "strata.add"(%0, %b) : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %2 = "strata.softmax"(%1) {axes = array<i64: 1>} : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %2 : tensor<8x64xf32>
}
