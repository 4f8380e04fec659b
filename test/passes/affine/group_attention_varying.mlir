// RUN: strata %s --compile-to=affine --device=x86-64-v3 --explain 2>&1 | FileCheck %s

// Attention is one kernel where queries and keys vary in number.
// CHECK: attention contract#{{[0-9]+}} <- contract#0: one kernel
// CHECK: strata.schedule = {kind = "attention"
#q = affine_map<()[s0] -> (4, s0, 16)>
#k = affine_map<()[s0, s1] -> (4, s1, 16)>
#s = affine_map<()[s0, s1] -> (4, s0, s1)>
func.func @main(%q: tensor<4x?x16xf32, #q> {strata.name = "q"}, %k: tensor<4x?x16xf32, #k> {strata.name = "k"},
                %v: tensor<4x?x16xf32, #k> {strata.name = "v"}) -> (tensor<4x?x16xf32, #q> {strata.name = "y"})
    attributes {strata.symbols = [{name = "queries", min = 1, likely = [1, 128, 512]}, {name = "keys", min = 1, likely = [1, 128, 512]}]} {
  %s = "strata.contract"(%q, %k) {maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], origin = "matmul", zero_pad = false}
      : (tensor<4x?x16xf32, #q>, tensor<4x?x16xf32, #k>) -> tensor<4x?x?xf32, #s>
  %p = "strata.softmax"(%s) {axes = array<i64: 2>} : (tensor<4x?x?xf32, #s>) -> tensor<4x?x?xf32, #s>
  %y = "strata.contract"(%p, %v) {maps = [affine_map<(h, i, d, j) -> (h, i, j)>, affine_map<(h, i, d, j) -> (h, j, d)>, affine_map<(h, i, d, j) -> (h, i, d)>], origin = "matmul", zero_pad = false}
      : (tensor<4x?x?xf32, #s>, tensor<4x?x16xf32, #k>) -> tensor<4x?x16xf32, #q>
  return %y : tensor<4x?x16xf32, #q>
}
