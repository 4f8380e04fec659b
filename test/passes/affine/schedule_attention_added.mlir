// Scores that something is added to, of numbers of columns that vary: tiles have fewer columns than registers hold of
// scores alone, which are all of 208.
// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t | FileCheck %s
// RUN: sed -e "s/\"strata.add\"(%%v5, %%v4) {} : (tensor<?x2x?x?xf32, #s>, /\"strata.neg\"(%%v5) : (/" %s > %t.alone.mlir
// RUN: strata %t.alone.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t | FileCheck %s --check-prefix=ALONE

// CHECK: attention k0: {{.*}} rows, {{.*}} columns of 64
// CHECK-NOT: wgmma.f16 64x208x64
// CHECK: a run: 1 launches
// ALONE: wgmma.f16 64x208x64
// ALONE: a run: 1 launches

#s = affine_map<()[s0, s1] -> (s0, 2, s1, s1)>
#q = affine_map<()[s0, s1] -> (s0, s1, 2, 64)>
#m = affine_map<()[s0, s1] -> (s1, s1)>
func.func @main(%q: tensor<?x?x2x64xf16, #q> {strata.name = "q"}, %k: tensor<?x?x2x64xf16, #q> {strata.name = "k"}, %v: tensor<?x?x2x64xf16, #q> {strata.name = "v"}, %m: tensor<?x?xf32, #m> {strata.name = "m"}) -> (tensor<?x?x2x64xf16, #q> {strata.name = "y"}) attributes {strata.symbols = [{name = "batch", min = 1, max = 100000, multiple = 1, likely = [1, 8]}, {name = "sequence", min = 1, max = 100000, multiple = 1, likely = [128, 208]}]} {
  %v0 = "strata.contract"(%q, %k) {zero_pad = false, origin = "matmul", maps = [affine_map<(b, h, i, j, d) -> (b, i, h, d)>, affine_map<(b, h, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]} : (tensor<?x?x2x64xf16, #q>, tensor<?x?x2x64xf16, #q>) -> tensor<?x2x?x?xf16, #s>
  %v1 = "strata.constant"() {value = dense<1.250000e-01> : tensor<f16>} : () -> tensor<f16>
  %v2 = "strata.broadcast"(%v1) {map = affine_map<(b, h, i, j) -> ()>} : (tensor<f16>) -> tensor<?x2x?x?xf16, #s>
  %v3 = "strata.mul"(%v0, %v2) {} : (tensor<?x2x?x?xf16, #s>, tensor<?x2x?x?xf16, #s>) -> tensor<?x2x?x?xf16, #s>
  %v4 = "strata.broadcast"(%m) {map = affine_map<(b, h, i, j) -> (i, j)>} : (tensor<?x?xf32, #m>) -> tensor<?x2x?x?xf32, #s>
  %v5 = "strata.convert"(%v3) {} : (tensor<?x2x?x?xf16, #s>) -> tensor<?x2x?x?xf32, #s>
  %v6 = "strata.add"(%v5, %v4) {} : (tensor<?x2x?x?xf32, #s>, tensor<?x2x?x?xf32, #s>) -> tensor<?x2x?x?xf32, #s>
  %v7 = "strata.softmax"(%v6) {axes = array<i64: 3>} : (tensor<?x2x?x?xf32, #s>) -> tensor<?x2x?x?xf32, #s>
  %v8 = "strata.convert"(%v7) {} : (tensor<?x2x?x?xf32, #s>) -> tensor<?x2x?x?xf16, #s>
  %v9 = "strata.contract"(%v8, %v) {zero_pad = false, origin = "matmul", maps = [affine_map<(b, i, h, d, j) -> (b, h, i, j)>, affine_map<(b, i, h, d, j) -> (b, j, h, d)>, affine_map<(b, i, h, d, j) -> (b, i, h, d)>]} : (tensor<?x2x?x?xf16, #s>, tensor<?x?x2x64xf16, #q>) -> tensor<?x?x2x64xf16, #q>
  return %v9 : tensor<?x?x2x64xf16, #q>
}
