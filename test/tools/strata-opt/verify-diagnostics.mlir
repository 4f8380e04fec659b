// Announced errors are met; nothing is printed.
// RUN: strata-opt %s --split-input-file --verify-diagnostics --pipeline=strata-to-affine 2>&1 | count 0
// RUN: not strata-opt %S/Inputs/unexpected.mlir --split-input-file --verify-diagnostics 2>&1 | FileCheck %S/Inputs/unexpected.mlir

func.func @same_line(%x: tensor<2xf32>) {
  %0 = "strata.neg"(%x) : (tensor<2xf32>) -> tensor<3xf32> // expected-error {{strata.neg: result 0: expected tensor<2xf32>}}
  return
}

// -----

// expected-error@+2 {{strata.neg: result 0}}
func.func @below(%x: tensor<2xf32>) {
  %0 = "strata.neg"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @above(%x: tensor<2xf32>) {
  %0 = "strata.neg"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @-1 {{strata.neg: result 0}}
  return
}

// -----

func.func @each(%x: tensor<2xf32>) {
  // expected-error@below {{strata.neg: result 0}}
  %0 = "strata.neg"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  %1 = "strata.exp"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error@above {{strata.exp: result 0}}
  return
}

// -----

// expected-error@+2 {{expected ')'}}
func.func @syntax(%x: tensor<2xf32>) {
  %0 = "strata.neg"(%x) : (tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

// expected-error@unknown {{has no function @main}}
func.func @of_a_pass(%x: tensor<2xf32>) {
  return
}

// -----

// No error where none is announced.
func.func @main(%x: tensor<2xf32> {strata.name = "x"}) -> (tensor<2xf32> {strata.name = "y"}) {
  %0 = "strata.neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
