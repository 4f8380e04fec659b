// RUN: strata-opt %s --split-input-file --pipeline=strata-scale-weights,strata-fold,strata-dce | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// A channel whose weights are below the digits of f16: its largest, 3 * 2^-20, is brought to 1.5, by 2^19; the others stay.
// CHECK-LABEL: @tiny
// CHECK-DAG: %[[I:.*]] = "strata.constant"() {value = dense<[1.000000e+00, 1.90734863E-6]> : tensor<2xf32>}
// CHECK-DAG: %[[W:.*]] = "strata.constant"() {value = dense<{{\[\[}}1.000000e+00, 1.500000e+00], [2.000000e+00, 0.000000e+00{{\]\]}}> : tensor<2x2xf16>}
// CHECK-DAG: %[[C:.*]] = "strata.contract"(%arg0, %[[W]])
// CHECK-DAG: %[[B:.*]] = "strata.broadcast"(%[[I]])
// CHECK: "strata.mul"(%[[C]], %[[B]])
func.func @tiny(%a: tensor<4x2xf16>) -> tensor<4x2xf32> {
  %w = "strata.constant"() {value = dense<[[1.0, 2.86102295E-6], [2.0, 0.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %h = "strata.convert"(%w) : (tensor<2x2xf32>) -> tensor<2x2xf16>
  %0 = "strata.contract"(%a, %h) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<4x2xf16>, tensor<2x2xf16>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// Usual ones; zeros; and what nobody knows.
// CHECK-LABEL: @usual
// CHECK-NOT: strata.mul
// CHECK: return
func.func @usual(%a: tensor<4x2xf16>, %v: tensor<2x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %w = "strata.constant"() {value = dense<[[0.01, 0.0], [20.0, 0.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %h = "strata.convert"(%w) : (tensor<2x2xf32>) -> tensor<2x2xf16>
  %g = "strata.convert"(%v) : (tensor<2x2xf32>) -> tensor<2x2xf16>
  %0 = "strata.contract"(%a, %h) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<4x2xf16>, tensor<2x2xf16>) -> tensor<4x2xf32>
  %1 = "strata.contract"(%a, %g) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<4x2xf16>, tensor<2x2xf16>) -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
#n = affine_map<(k, n) -> (n)>

// Weights, reshaped, that one number makes tiny, as a layer's scale of 2^-20; times another scale by channels. 1.5 * 2^-20 * 2^-1
// is brought to 1.5, by 2^21.
// CHECK-LABEL: @scaled
// CHECK-DAG: %[[I:.*]] = "strata.constant"() {value = dense<[4.76837158E-7, 9.53674316E-7]> : tensor<2xf32>}
// CHECK-DAG: %[[W:.*]] = "strata.constant"() {value = dense<{{\[\[}}1.500000e+00, 1.000000e+00], [5.000000e-01, 2.500000e-01{{\]\]}}> : tensor<2x2xf16>}
// CHECK-DAG: %[[C:.*]] = "strata.contract"(%arg0, %[[W]])
// CHECK-DAG: %[[B:.*]] = "strata.broadcast"(%[[I]])
// CHECK: "strata.mul"(%[[C]], %[[B]])
func.func @scaled(%a: tensor<4x2xf16>) -> tensor<4x2xf32> {
  %f = "strata.constant"() {value = dense<[1.5, 1.0, 0.5, 0.25]> : tensor<4xf32>} : () -> tensor<4xf32>
  %w = "strata.reshape"(%f) : (tensor<4xf32>) -> tensor<2x2xf32>
  %s = "strata.constant"() {value = dense<[0.5, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %b = "strata.broadcast"(%s) {map = #n} : (tensor<2xf32>) -> tensor<2x2xf32>
  %t = "strata.constant"() {value = dense<9.53674316E-7> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %v = "strata.mul"(%w, %b) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %u = "strata.mul"(%v, %t) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %h = "strata.convert"(%u) : (tensor<2x2xf32>) -> tensor<2x2xf16>
  %0 = "strata.contract"(%a, %h) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<4x2xf16>, tensor<2x2xf16>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
