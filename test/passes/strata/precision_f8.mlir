// Floats of 8 bits that the device multiplies stay; others are multiplied as f16, or as what the other operand is.
// RUN: strata-opt %s --strata-precision --strata-dce --target=amdgpu --device=gfx942 | FileCheck %s --check-prefixes=CHECK,FNUZ
// RUN: strata-opt %s --strata-precision --strata-dce --target=amdgpu --device=gfx950 | FileCheck %s --check-prefixes=CHECK,OCP
// RUN: strata-opt %s --strata-precision --strata-dce --target=nvgpu --device=sm_90a | FileCheck %s --check-prefixes=CHECK,OCP
// RUN: strata-opt %s --strata-precision --strata-dce --target=nvgpu --device=sm_80 | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: strata-opt %s --strata-precision --strata-dce --target=nvgpu --polyblocks-gpu-no-tensor-core | FileCheck %s --check-prefix=CPU
// RUN: strata-opt %s --strata-precision --strata-dce | FileCheck %s --check-prefix=CPU

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// CPU-NOT: strata.convert

// CHECK-LABEL: @ocp
// OCP-NEXT: "strata.contract"(%arg0, %arg1)
// FNUZ: "strata.contract"({{.*}}) {{.*}} : (tensor<32x8xf16>, tensor<8x16xf16>) -> tensor<32x16xf32>
// NONE: "strata.contract"({{.*}}) {{.*}} : (tensor<32x8xf16>, tensor<8x16xf16>) -> tensor<32x16xf32>
func.func @ocp(%x: tensor<32x8xf8E4M3FN>, %y: tensor<8x16xf8E4M3FN>) -> tensor<32x16xf32> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<32x8xf8E4M3FN>, tensor<8x16xf8E4M3FN>) -> tensor<32x16xf32>
  return %0 : tensor<32x16xf32>
}

// CHECK-LABEL: @fnuz
// FNUZ-NEXT: "strata.contract"(%arg0, %arg1)
// OCP: "strata.contract"({{.*}}) {{.*}} : (tensor<32x8xf16>, tensor<8x16xf16>) -> tensor<32x16xf32>
// NONE: "strata.contract"({{.*}}) {{.*}} : (tensor<32x8xf16>, tensor<8x16xf16>) -> tensor<32x16xf32>
func.func @fnuz(%x: tensor<32x8xf8E5M2FNUZ>, %y: tensor<8x16xf8E5M2FNUZ>) -> tensor<32x16xf32> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = ""} : (tensor<32x8xf8E5M2FNUZ>, tensor<8x16xf8E5M2FNUZ>) -> tensor<32x16xf32>
  return %0 : tensor<32x16xf32>
}

// CHECK-LABEL: @mixed
// CHECK: "strata.contract"({{.*}}) {{.*}} : (tensor<32x8xf16>, tensor<8x16xf16>) -> tensor<32x16xf32>
func.func @mixed(%x: tensor<32x8xf8E4M3FN>, %y: tensor<8x16xf8E5M2>) -> tensor<32x16xf32> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<32x8xf8E4M3FN>, tensor<8x16xf8E5M2>) -> tensor<32x16xf32>
  return %0 : tensor<32x16xf32>
}

// CHECK-LABEL: @beside_bf16
// CHECK-NEXT: %[[Y:.*]] = "strata.convert"(%arg1) : (tensor<8x16xf8E4M3FN>) -> tensor<8x16xbf16>
// CHECK-NEXT: "strata.contract"(%arg0, %[[Y]])
func.func @beside_bf16(%x: tensor<32x8xbf16>, %y: tensor<8x16xf8E4M3FN>) -> tensor<32x16xbf16> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<32x8xbf16>, tensor<8x16xf8E4M3FN>) -> tensor<32x16xbf16>
  return %0 : tensor<32x16xbf16>
}

// CHECK-LABEL: @beside_f32
// CHECK-NOT: tensor<8x16xf16>
func.func @beside_f32(%x: tensor<32x8xf32>, %y: tensor<8x16xf8E4M3FN>) -> tensor<32x16xf32> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<32x8xf32>, tensor<8x16xf8E4M3FN>) -> tensor<32x16xf32>
  return %0 : tensor<32x16xf32>
}

// Few rows, which no matrix instruction multiplies.
// CHECK-LABEL: @few_rows
// CHECK-NOT: strata.convert
func.func @few_rows(%x: tensor<4x8xf8E4M3FN>, %y: tensor<8x16xf8E5M2>) -> tensor<4x16xf32> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf8E4M3FN>, tensor<8x16xf8E5M2>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
