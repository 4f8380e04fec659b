// What is added to scores and is part of a larger buffer is read without a mask where tiles that hang over an edge lie in it:
// those scores are cut off. Queries, keys and values have masks.
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=tile -o %t
// RUN: FileCheck %s --input-file=%t/strata_mlir_artifact.tile.mlir

// CHECK-LABEL: func.func private @k0(
// CHECK: "tile.load"(%arg0, {{.*}}mask =
// CHECK: "tile.load"(%{{[a-z0-9]+}}{{(, %[a-z0-9]+)*}}) {map = #{{[a-z0-9]+}}} : (memref<512x512xf16>
// CHECK: return
#s = affine_map<()[s0, s1] -> (s0, 2, s1, s1)>
#q = affine_map<()[s0, s1] -> (s0, s1, 2, 64)>
#m = affine_map<()[s0, s1] -> (s1, s1)>
func.func @main(%q: tensor<?x?x2x64xf16, #q> {strata.name = "q"}, %k: tensor<?x?x2x64xf16, #q> {strata.name = "k"}, %v: tensor<?x?x2x64xf16, #q> {strata.name = "v"}, %m: tensor<512x512xf16> {strata.name = "m"}) -> (tensor<?x?x2x64xf16, #q> {strata.name = "y"}) attributes {strata.symbols = [{name = "batch", min = 1, max = 100000, multiple = 1, likely = [1, 8]}, {name = "sequence", min = 1, max = 512, multiple = 1, likely = [128, 208]}]} {
  %v0 = "strata.contract"(%q, %k) {zero_pad = false, origin = "matmul", maps = [affine_map<(b, h, i, j, d) -> (b, i, h, d)>, affine_map<(b, h, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]} : (tensor<?x?x2x64xf16, #q>, tensor<?x?x2x64xf16, #q>) -> tensor<?x2x?x?xf16, #s>
  %v1 = "strata.constant"() {value = dense<1.250000e-01> : tensor<f16>} : () -> tensor<f16>
  %v2 = "strata.broadcast"(%v1) {map = affine_map<(b, h, i, j) -> ()>} : (tensor<f16>) -> tensor<?x2x?x?xf16, #s>
  %v3 = "strata.mul"(%v0, %v2) {} : (tensor<?x2x?x?xf16, #s>, tensor<?x2x?x?xf16, #s>) -> tensor<?x2x?x?xf16, #s>
  %v5 = "strata.slice"(%m) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<512x512xf16>) -> tensor<?x?xf16, #m>
  %v6 = "strata.constant"() {value = dense<0.015625> : tensor<f16>} : () -> tensor<f16>
  %v7 = "strata.broadcast"(%v6) {map = affine_map<(i, j) -> ()>} : (tensor<f16>) -> tensor<?x?xf16, #m>
  %v8 = "strata.mul"(%v5, %v7) {} : (tensor<?x?xf16, #m>, tensor<?x?xf16, #m>) -> tensor<?x?xf16, #m>
  %v9 = "strata.broadcast"(%v8) {map = affine_map<(b, h, i, j) -> (i, j)>} : (tensor<?x?xf16, #m>) -> tensor<?x2x?x?xf16, #s>
  %v10 = "strata.add"(%v3, %v9) {} : (tensor<?x2x?x?xf16, #s>, tensor<?x2x?x?xf16, #s>) -> tensor<?x2x?x?xf16, #s>
  %v11 = "strata.softmax"(%v10) {axes = array<i64: 3>} : (tensor<?x2x?x?xf16, #s>) -> tensor<?x2x?x?xf16, #s>
  %v12 = "strata.contract"(%v11, %v) {zero_pad = false, origin = "matmul", maps = [affine_map<(b, i, h, d, j) -> (b, h, i, j)>, affine_map<(b, i, h, d, j) -> (b, j, h, d)>, affine_map<(b, i, h, d, j) -> (b, i, h, d)>]} : (tensor<?x2x?x?xf16, #s>, tensor<?x?x2x64xf16, #q>) -> tensor<?x?x2x64xf16, #q>
  return %v12 : tensor<?x?x2x64xf16, #q>
}
