// Nodes and roots that lead outside are refused.
// RUN: strata-opt %s --split-input-file --verify-diagnostics --strata-to-affine

func.func @main(%x: tensor<10x2xf32> {strata.name = "x"}) -> (tensor<10x1x1xf32> {strata.name = "y"}) {
  %nodes = "strata.constant"() {value = dense<[1, 400, 0, 1065353216, 0, 0, 0, 2143289344, 0, 4, 1, 2143289344]> : tensor<12xi32>} : () -> tensor<12xi32>
  %roots = "strata.constant"() {value = dense<[[[0, 1]]]> : tensor<1x1x2xi32>} : () -> tensor<1x1x2xi32>
  %values = "strata.constant"() {value = dense<[[2.0], [3.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  // expected-error @below {{strata.trees: node 0: there are no children at 400}}
  %y = "strata.trees"(%x, %nodes, %roots, %values) {kind = "add"} : (tensor<10x2xf32>, tensor<12xi32>, tensor<1x1x2xi32>, tensor<2x1xf32>) -> tensor<10x1x1xf32>
  return %y : tensor<10x1x1xf32>
}

// -----

func.func @main(%x: tensor<10x2xf32> {strata.name = "x"}) -> (tensor<10x1x1xf32> {strata.name = "y"}) {
  %nodes = "strata.constant"() {value = dense<[2, 4, 0, 1065353216, 0, 0, 0, 2143289344, 0, 4, 1, 2143289344]> : tensor<12xi32>} : () -> tensor<12xi32>
  %roots = "strata.constant"() {value = dense<[[[0, 1]]]> : tensor<1x1x2xi32>} : () -> tensor<1x1x2xi32>
  %values = "strata.constant"() {value = dense<[[2.0], [3.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  // expected-error @below {{strata.trees: node 0: there is no column 2}}
  %y = "strata.trees"(%x, %nodes, %roots, %values) {kind = "add"} : (tensor<10x2xf32>, tensor<12xi32>, tensor<1x1x2xi32>, tensor<2x1xf32>) -> tensor<10x1x1xf32>
  return %y : tensor<10x1x1xf32>
}

// -----

func.func @main(%x: tensor<10x2xf32> {strata.name = "x"}) -> (tensor<10x1x1xf32> {strata.name = "y"}) {
  %nodes = "strata.constant"() {value = dense<[1, 4, 0, 1065353216, 0, 0, 0, 2143289344, 0, 4, 1, 2143289344]> : tensor<12xi32>} : () -> tensor<12xi32>
  %roots = "strata.constant"() {value = dense<[[[6, 1]]]> : tensor<1x1x2xi32>} : () -> tensor<1x1x2xi32>
  %values = "strata.constant"() {value = dense<[[2.0], [3.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  // expected-error @below {{strata.trees: root 0: there is no such node}}
  %y = "strata.trees"(%x, %nodes, %roots, %values) {kind = "add"} : (tensor<10x2xf32>, tensor<12xi32>, tensor<1x1x2xi32>, tensor<2x1xf32>) -> tensor<10x1x1xf32>
  return %y : tensor<10x1x1xf32>
}
