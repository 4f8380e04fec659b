// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// x + 0, x * 1, x - 0 and x / 1 are x; in front of a product a sum with zero is, too, whose only effect is the sign
// of a zero.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<1024x512xf16> {strata.name = "x"}, %w: tensor<512x512xf16> {strata.name = "w"})
    -> (tensor<1024x512xf16> {strata.name = "y"}) {
  %0 = "strata.constant"() {value = dense<0.0> : tensor<1024x512xf16>} : () -> tensor<1024x512xf16>
  %1 = "strata.add"(%x, %0) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %2 = "strata.constant"() {value = dense<1.0> : tensor<1024x512xf16>} : () -> tensor<1024x512xf16>
  %3 = "strata.mul"(%1, %2) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %4 = "strata.constant"() {value = dense<0.0> : tensor<1024x512xf16>} : () -> tensor<1024x512xf16>
  %5 = "strata.sub"(%3, %4) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %6 = "strata.constant"() {value = dense<1.0> : tensor<1024x512xf16>} : () -> tensor<1024x512xf16>
  %7 = "strata.div"(%5, %6) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %8 = "strata.contract"(%7, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x512xf16>, tensor<512x512xf16>) -> tensor<1024x512xf16>
  return %8 : tensor<1024x512xf16>
}
