// Results that --alias names say whose memory they may have; of others, and where there is no such argument, nothing is said.
// A star is the same text on both sides, or none.
// Few rows that are written into an argument whose memory the result may have stay a scatter.
// RUN: strata-opt %s --alias=present=past --alias=y=nothing --pipeline=strata-aliases,strata-simplify | FileCheck %s
// RUN: strata-opt %s --alias='*resent=*ast' --pipeline=strata-aliases,strata-simplify | FileCheck %s
// RUN: strata-opt %s --alias='present*=past*' --pipeline=strata-aliases,strata-simplify | FileCheck %s
// RUN: strata-opt %s --alias='resent*=past*' --pipeline=strata-aliases,strata-simplify | FileCheck %s --check-prefix=NONE
// RUN: strata-opt %s --pipeline=strata-aliases,strata-simplify | FileCheck %s --check-prefix=NONE

// CHECK: func.func @main
// CHECK-SAME: -> (tensor<2x4x3xf32> {strata.alias = "past", strata.name = "present"}, tensor<8x3xf32> {strata.name = "y"})
// CHECK: "strata.scatter"
// NONE: func.func @main
// NONE-NOT: strata.alias
// NONE-NOT: "strata.scatter"
func.func @main(%x: tensor<2x4x3xf32> {strata.name = "past"}, %i: tensor<2xi64> {strata.name = "i"}, %u: tensor<2x3xf32> {strata.name = "u"})
    -> (tensor<2x4x3xf32> {strata.name = "present"}, tensor<8x3xf32> {strata.name = "y"}) {
  %0 = "strata.reshape"(%x) : (tensor<2x4x3xf32>) -> tensor<8x3xf32>
  %1 = "strata.scatter"(%0, %i, %u) {kind = "none"} : (tensor<8x3xf32>, tensor<2xi64>, tensor<2x3xf32>) -> tensor<8x3xf32>
  %2 = "strata.reshape"(%1) : (tensor<8x3xf32>) -> tensor<2x4x3xf32>
  %3 = "strata.exp"(%1) : (tensor<8x3xf32>) -> tensor<8x3xf32>
  return %2, %3 : tensor<2x4x3xf32>, tensor<8x3xf32>
}
