// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// What depends on constants only is computed by the compiler: a mask, a scaled weight.
// CHECK: a run: 1 launches
func.func @main(%x: tensor<512x512xf16> {strata.name = "x"})
    -> (tensor<512x512xf16> {strata.name = "y"}) {
  %0 = "strata.iota"() {axis = 0 : i64} : () -> tensor<512x512xi32>
  %1 = "strata.iota"() {axis = 1 : i64} : () -> tensor<512x512xi32>
  %2 = "strata.ge"(%0, %1) : (tensor<512x512xi32>, tensor<512x512xi32>) -> tensor<512x512xi1>
  %3 = "strata.constant"() {value = dense<0.0> : tensor<512x512xf16>} : () -> tensor<512x512xf16>
  %4 = "strata.constant"() {value = dense<-1.0e+04> : tensor<512x512xf16>} : () -> tensor<512x512xf16>
  %5 = "strata.select"(%2, %3, %4) : (tensor<512x512xi1>, tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %6 = "strata.add"(%x, %5) : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %7 = "strata.softmax"(%6) {axes = array<i64: 1>} : (tensor<512x512xf16>) -> tensor<512x512xf16>
  return %7 : tensor<512x512xf16>
}
