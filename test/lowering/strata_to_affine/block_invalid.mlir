// Blocks that do not fit one another are refused, and so are columns whose number is not known.
// RUN: strata-opt %s --split-input-file --verify-diagnostics --strata-to-affine

func.func @main(%x: tensor<2x5x3x8xi32>, %s: tensor<5x3xf32>, %w: tensor<2x3x5x16xi32>, %f: tensor<2x3x16xf32>, %z: tensor<2x3x16xi8>) -> tensor<5x32xf32> {
  // expected-error @below {{strata.block_contract: operand 0: dim 3 differs from that of the others}}
  %1 = "strata.block_contract"(%x, %s, %s, %w, %f, %z) : (tensor<2x5x3x8xi32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<2x3x5x16xi32>, tensor<2x3x16xf32>, tensor<2x3x16xi8>) -> tensor<5x32xf32>
  return %1 : tensor<5x32xf32>
}

// -----

func.func @main(%x: tensor<2x5x3x8xi32>, %s: tensor<5x3xf32>, %w: tensor<2x3x4x16xi32>, %f: tensor<2x3x16xf32>, %z: tensor<2x3x16xi32>) -> tensor<5x32xf32> {
  // expected-error @below {{strata.block_contract: operand 5: expected 3 dims of i8, got 3 of i32}}
  %1 = "strata.block_contract"(%x, %s, %s, %w, %f, %z) : (tensor<2x5x3x8xi32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<2x3x4x16xi32>, tensor<2x3x16xf32>, tensor<2x3x16xi32>) -> tensor<5x32xf32>
  return %1 : tensor<5x32xf32>
}

// -----

func.func @main(%x: tensor<5x5x3x8xi32> {strata.name = "x"}, %s: tensor<5x3xf32> {strata.name = "s"}, %w: tensor<2x3x4x16xi32> {strata.name = "w"}, %f: tensor<2x3x16xf32> {strata.name = "f"}, %z: tensor<2x3x16xi8> {strata.name = "z"}) -> (tensor<5x32xf32> {strata.name = "y"}) {
  // expected-error @below {{strata.block_contract: expected 1 to 4 digits, got 5}}
  %1 = "strata.block_contract"(%x, %s, %s, %w, %f, %z) : (tensor<5x5x3x8xi32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<2x3x4x16xi32>, tensor<2x3x16xf32>, tensor<2x3x16xi8>) -> tensor<5x32xf32>
  return %1 : tensor<5x32xf32>
}
