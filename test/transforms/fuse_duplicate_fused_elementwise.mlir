// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// The same computed twice is computed once; what only looks alike, with other constants, is not.
// CHECK: a run: 1 launches
func.func @main(%x: tensor<1024x512xf16> {strata.name = "x"})
    -> (tensor<1024x1024xf16> {strata.name = "y0"}, tensor<2048x512xf16> {strata.name = "y1"}) {
  %0 = "strata.constant"() {value = dense<2.0> : tensor<1024x512xf16>} : () -> tensor<1024x512xf16>
  %1 = "strata.mul"(%x, %0) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %2 = "strata.tanh"(%1) : (tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %3 = "strata.constant"() {value = dense<2.0> : tensor<1024x512xf16>} : () -> tensor<1024x512xf16>
  %4 = "strata.mul"(%x, %3) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %5 = "strata.tanh"(%4) : (tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %6 = "strata.constant"() {value = dense<3.0> : tensor<1024x512xf16>} : () -> tensor<1024x512xf16>
  %7 = "strata.mul"(%x, %6) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %8 = "strata.tanh"(%7) : (tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %9 = "strata.concat"(%2, %8) {axis = 1 : i64} : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x1024xf16>
  %10 = "strata.concat"(%8, %5) {axis = 0 : i64} : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<2048x512xf16>
  return %9, %10 : tensor<1024x1024xf16>, tensor<2048x512xf16>
}
