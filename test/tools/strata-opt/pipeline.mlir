// Passes of ours and of MLIR, in any order, by --pipeline, by name, or both in the order given.
// RUN: strata-opt %s --pipeline=strata-cse,canonicalize | FileCheck %s --check-prefixes=CSE,ONE
// RUN: strata-opt %s --pipeline='canonicalize, strata-cse' | FileCheck %s --check-prefixes=CSE,ONE
// RUN: strata-opt %s --strata-cse --canonicalize | FileCheck %s --check-prefixes=CSE,ONE
// RUN: strata-opt %s --canonicalize --pipeline=strata-cse | FileCheck %s --check-prefixes=CSE,ONE
// RUN: strata-opt %s --pipeline='builtin.module(func.func(canonicalize{max-iterations=3}),strata-cse)' | FileCheck %s --check-prefixes=CSE,ONE
// RUN: strata-opt %s --pipeline=canonicalize | FileCheck %s --check-prefixes=TWICE,ONE
// RUN: strata-opt %s --pipeline=strata-cse | FileCheck %s --check-prefixes=CSE,SUM
// RUN: strata-opt %s | FileCheck %s --check-prefixes=TWICE,SUM
// By turns: what canonicalize leaves is lowered.
// RUN: strata-opt %s --pipeline=canonicalize,strata-cse,strata-to-affine,canonicalize,affine-group,cse | FileCheck %s --check-prefix=MIXED

// What is no pass, and what cannot be one.
// RUN: not strata-opt %s --pipeline=nope 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not strata-opt %s --nope 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not strata-opt %s --pipeline=strata-cse,canonicalize,nope,strata-dce 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not strata-opt %s --pipeline='func.func(strata-cse)' 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not strata-opt %s --pipeline='canonicalize{nope=1}' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not strata-opt %s --pipeline='strata-cse{nope=1}' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not strata-opt %s --pipeline='builtin.module(strata-cse' 2>&1 | FileCheck %s --check-prefix=UNCLOSED
// RUN: not strata-opt %s --pipeline='strata-cse,,canonicalize' 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not strata-opt %s --pipeline='canonicalize strata-cse' 2>&1 | FileCheck %s --check-prefix=COMMA
// RUN: not strata-opt --pipeline=strata-cse 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not strata-opt %t.nothere --pipeline=strata-cse 2>&1 | FileCheck %s --check-prefix=NOTHERE

// CSE: strata.neg
// CSE-NOT: strata.neg
// TWICE: strata.neg
// TWICE: strata.neg
// SUM: arith.addi
// ONE-NOT: arith.addi
// MIXED: call @k0
// MIXED-NOT: call
// MIXED: func.func private @k0
// MIXED: affine.parallel
// MIXED-NOT: strata.neg
// UNKNOWN: strata: error: pipeline: 'nope' does not refer to a registered pass
// NESTED: strata: error: pipeline: 'strata-cse' does not refer to a registered pass
// OPTION: strata: error: pipeline: {{.*}}no such option nope
// NONE: strata: error: pipeline: strata-cse takes no options
// UNCLOSED: strata: error: pipeline: unclosed '(' after builtin.module
// EMPTY: strata: error: pipeline: expected a pass name at ',canonicalize'
// COMMA: strata: error: pipeline: expected ',' at 'strata-cse'
// FILE: strata: error: expected an input file
// NOTHERE: strata: error: {{.*}}.nothere: No such file or directory
func.func @main(%x: tensor<2x3xf32> {strata.name = "x"}) -> (tensor<2x3xf32> {strata.name = "y"}) {
  %0 = "strata.neg"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "strata.neg"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = arith.constant 1 : index
  %d = arith.addi %c, %c : index
  %2 = "strata.add"(%0, %1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}
