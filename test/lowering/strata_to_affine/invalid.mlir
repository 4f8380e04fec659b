// RUN: strata-opt %s --split-input-file --verify-diagnostics --pipeline=strata-to-affine

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'strata.relu' is no primitive of the strata dialect}}
  %0 = "strata.relu"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// expected-error@unknown {{has no function @main}}
func.func @other(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
