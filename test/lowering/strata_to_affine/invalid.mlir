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

// -----
func.func @main(%x: tensor<4x64xf8E4M3FN>, %w: tensor<4x64xf16>, %s: tensor<4x2xi8>) -> tensor<4x4xf32> {
  // expected-error @below {{strata.scaled_contract: operand 1: expected a float of 8 bits, got f16}}
  %0 = "strata.scaled_contract"(%x, %w, %s) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "", axis = 1 : i64} : (tensor<4x64xf8E4M3FN>, tensor<4x64xf16>, tensor<4x2xi8>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
func.func @main(%x: tensor<4x48xf8E4M3FN>, %w: tensor<4x48xf8E4M3FN>, %s: tensor<4x2xi8>) -> tensor<4x4xf32> {
  // expected-error @below {{strata.scaled_contract: axis: expected a dim of whole blocks of 32 that is summed over}}
  %0 = "strata.scaled_contract"(%x, %w, %s) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "", axis = 1 : i64} : (tensor<4x48xf8E4M3FN>, tensor<4x48xf8E4M3FN>, tensor<4x2xi8>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
func.func @main(%x: tensor<4x64xf8E4M3FN>, %w: tensor<4x64xf8E4M3FN>, %s: tensor<4x2xi8>) -> tensor<4x4xf32> {
  // expected-error @below {{strata.scaled_contract: axis: expected a dim of whole blocks of 32 that is summed over}}
  %0 = "strata.scaled_contract"(%x, %w, %s) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "", axis = 0 : i64} : (tensor<4x64xf8E4M3FN>, tensor<4x64xf8E4M3FN>, tensor<4x2xi8>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
func.func @main(%x: tensor<4x64xf8E4M3FN>, %w: tensor<4x64xf8E4M3FN>, %s: tensor<4x2xi8>) -> tensor<4x4xf32> {
  // expected-error @below {{strata.scaled_contract: axis: expected 0 to 1, got 2}}
  %0 = "strata.scaled_contract"(%x, %w, %s) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "", axis = 2 : i64} : (tensor<4x64xf8E4M3FN>, tensor<4x64xf8E4M3FN>, tensor<4x2xi8>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
func.func @main(%x: tensor<4x64xf8E4M3FN>, %w: tensor<4x64xf8E4M3FN>, %s: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{strata.scaled_contract: operand 2: expected 2 dims of i8, got 2 of f32}}
  %0 = "strata.scaled_contract"(%x, %w, %s) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "", axis = 1 : i64} : (tensor<4x64xf8E4M3FN>, tensor<4x64xf8E4M3FN>, tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
func.func @main(%x: tensor<4x64xf8E4M3FN>, %w: tensor<4x64xf8E4M3FN>, %s: tensor<4x4xi8>) -> tensor<4x4xf32> {
  // expected-error @below {{strata.scaled_contract: operand 2: dim 1 does not suit that of operand 1}}
  %0 = "strata.scaled_contract"(%x, %w, %s) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "", axis = 1 : i64} : (tensor<4x64xf8E4M3FN>, tensor<4x64xf8E4M3FN>, tensor<4x4xi8>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
