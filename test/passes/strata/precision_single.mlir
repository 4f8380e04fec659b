// Where nothing is summed the default keeps f32; a mode that is asked for does as it says.
// RUN: strata-opt %s --strata-precision --strata-dce --target=nvgpu | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: strata-opt %s --strata-precision --strata-dce --target=nvgpu --mm-conv-precision-mode=mixed_fp16_fp32 | FileCheck %s --check-prefixes=CHECK,MIXED

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#x = affine_map<()[s0] -> (s0, 1)>
#y = affine_map<()[s0] -> (s0, 6)>

// CHECK-LABEL: @outer
// DEFAULT-NEXT: "strata.contract"(%arg0, %arg1) {{.*}} -> tensor<4x6xf32>
// MIXED: "strata.contract"({{.*}}) {{.*}} : (tensor<4x1xf16>, tensor<1x6xf16>) -> tensor<4x6xf32>
func.func @outer(%x: tensor<4x1xf32>, %y: tensor<1x6xf32>) -> tensor<4x6xf32> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x1xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @products
// DEFAULT-NEXT: "strata.contract"(%arg0, %arg1) {{.*}} -> tensor<4x6xf32>
// MIXED: "strata.contract"({{.*}}) {{.*}} : (tensor<4xf16>, tensor<6xf16>) -> tensor<4x6xf32>
func.func @products(%x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = "strata.contract"(%x, %y) {maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<4xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @varying
// DEFAULT-NEXT: "strata.contract"(%arg0, %arg1) {{.*}} -> tensor<?x6xf32, #{{.*}}>
// MIXED: "strata.contract"({{.*}}) {{.*}} : (tensor<?x1xf16, #{{.*}}>, tensor<1x6xf16>) -> tensor<?x6xf32, #{{.*}}>
func.func @varying(%x: tensor<?x1xf32, #x>, %y: tensor<1x6xf32>) -> tensor<?x6xf32, #y> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<?x1xf32, #x>, tensor<1x6xf32>) -> tensor<?x6xf32, #y>
  return %0 : tensor<?x6xf32, #y>
}

// Two are summed, or as many as a size says.
// CHECK-LABEL: @two
// CHECK: "strata.contract"({{.*}}) {{.*}} : (tensor<4x2xf16>, tensor<2x6xf16>) -> tensor<4x6xf32>
func.func @two(%x: tensor<4x2xf32>, %y: tensor<2x6xf32>) -> tensor<4x6xf32> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x2xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
