// RUN: strata-opt %s --strata-precision --strata-dce --mm-conv-precision-mode=mixed_int8_int32 | FileCheck %s

// Unsigned bytes around 3 times signed bytes with a scale a column.
// CHECK-LABEL: @quantised
// CHECK: %[[W:.*]] = "strata.constant"() {data = "w"} : () -> tensor<8x2xi8>
// CHECK: %[[X:.*]] = "strata.convert_u"(%arg0) : (tensor<4x8xi8>) -> tensor<4x8xi16>
// CHECK: dense<3> : tensor<4x8xi16>
// CHECK: %[[Z:.*]] = "strata.sub"(%[[X]]
// CHECK: %[[C:.*]] = "strata.contract"(%[[Z]], %[[W]]) {{.*}} : (tensor<4x8xi16>, tensor<8x2xi8>) -> tensor<4x2xi32>
// CHECK: %[[F:.*]] = "strata.convert"(%[[C]]) : (tensor<4x2xi32>) -> tensor<4x2xf32>
// CHECK: %[[A:.*]] = "strata.mul"(%[[F]], %{{.*}})
// CHECK: %[[B:.*]] = "strata.broadcast"(%{{.*}}) {{.*}} : (tensor<2xf32>) -> tensor<4x2xf32>
// CHECK: "strata.mul"(%[[A]], %[[B]])
func.func @quantised(%q: tensor<4x8xi8>) -> tensor<4x2xf32> {
  %0 = "strata.convert_u"(%q) : (tensor<4x8xi8>) -> tensor<4x8xf32>
  %zero = "strata.constant"() {value = dense<-3.0> : tensor<4x8xf32>} : () -> tensor<4x8xf32>
  %scale = "strata.constant"() {value = dense<0.5> : tensor<4x8xf32>} : () -> tensor<4x8xf32>
  %1 = "strata.add"(%0, %zero) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "strata.mul"(%1, %scale) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %w = "strata.constant"() {data = "w"} : () -> tensor<8x2xi8>
  %3 = "strata.convert"(%w) : (tensor<8x2xi8>) -> tensor<8x2xf32>
  %columns = "strata.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %4 = "strata.broadcast"(%columns) {map = affine_map<(k, n) -> (n)>} : (tensor<2xf32>) -> tensor<8x2xf32>
  %5 = "strata.mul"(%3, %4) : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %6 = "strata.contract"(%2, %5) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %6 : tensor<4x2xf32>
}
