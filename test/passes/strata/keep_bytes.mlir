// RUN: strata-opt %s --target=nvgpu --device=sm_90a --strata-keep-bytes | FileCheck %s
// RUN: strata-opt %s --device=x86-64-v3 --strata-keep-bytes | FileCheck %s --check-prefix=FLOATS

// The greatest of dequantised values is the dequantised greatest byte, and what is quantised with the same scale and
// zero point the byte itself. One of another scale is rounded.

// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = "strata.window"(%arg0) {{.*}}kind = "max"{{.*}} : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xi8>
// CHECK: "strata.round_even"
// CHECK: %[[Q:.*]] = "strata.convert"({{.*}}) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi8>
// CHECK-NOT: "strata.round_even"
// CHECK: return %[[W]], %[[Q]]
// FLOATS: "strata.window"{{.*}}xf32
func.func @main(%q: tensor<1x2x4x4xi8> {strata.name = "q"}) -> (tensor<1x2x4x4xi8> {strata.name = "a"}, tensor<1x2x4x4xi8> {strata.name = "b"}) {
  %s = "strata.constant"() {value = dense<0.5> : tensor<1x2x4x4xf32>} : () -> tensor<1x2x4x4xf32>
  %z = "strata.constant"() {value = dense<3.0> : tensor<1x2x4x4xf32>} : () -> tensor<1x2x4x4xf32>
  %n = "strata.constant"() {value = dense<-3.0> : tensor<1x2x4x4xf32>} : () -> tensor<1x2x4x4xf32>
  %o = "strata.constant"() {value = dense<0.75> : tensor<1x2x4x4xf32>} : () -> tensor<1x2x4x4xf32>
  %f = "strata.convert"(%q) : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32>
  %c = "strata.add"(%f, %n) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %x = "strata.mul"(%c, %s) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %w = "strata.window"(%x) {dilations = array<i64: 1, 1, 1, 1>, high = array<i64: 0, 0, 1, 1>, kind = "max", low = array<i64: 0, 0, 1, 1>, strides = array<i64: 1, 1, 1, 1>, window = array<i64: 1, 1, 3, 3>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %d = "strata.div_exact"(%w, %s) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %r = "strata.round_even"(%d) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %t = "strata.add"(%r, %z) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %a = "strata.convert"(%t) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi8>
  %e = "strata.div_exact"(%w, %o) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %u = "strata.round_even"(%e) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %v = "strata.add"(%u, %z) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %b = "strata.convert"(%v) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi8>
  return %a, %b : tensor<1x2x4x4xi8>, tensor<1x2x4x4xi8>
}

// Bytes without a sign of what is stored with one, and a zero point 128 more: the byte and 128.
// CHECK-LABEL: func.func @other_sign
// CHECK: %[[N:.*]] = "strata.constant"() {value = dense<-128> : tensor<4xi8>}
// CHECK: %[[A:.*]] = "strata.add"(%arg0, %[[N]]) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
// CHECK: %[[B:.*]] = "strata.convert_to_u"
// CHECK: return %[[A]], %[[B]]
func.func @other_sign(%q: tensor<4xi8> {strata.name = "q"}) -> (tensor<4xi8> {strata.name = "a", strata.unsigned}, tensor<4xi8> {strata.name = "b", strata.unsigned}) {
  %s = "strata.constant"() {value = dense<0.5> : tensor<4xf32>} : () -> tensor<4xf32>
  %z = "strata.constant"() {value = dense<131.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %y = "strata.constant"() {value = dense<3.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %n = "strata.constant"() {value = dense<-3.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %f = "strata.convert"(%q) : (tensor<4xi8>) -> tensor<4xf32>
  %c = "strata.add"(%f, %n) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %x = "strata.mul"(%c, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = "strata.div_exact"(%x, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = "strata.round_even"(%d) : (tensor<4xf32>) -> tensor<4xf32>
  %t = "strata.add"(%r, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %a = "strata.convert_to_u"(%t) : (tensor<4xf32>) -> tensor<4xi8>
  %u = "strata.add"(%r, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = "strata.convert_to_u"(%u) : (tensor<4xf32>) -> tensor<4xi8>
  return %a, %b : tensor<4xi8>, tensor<4xi8>
}
