// RUN: strata-opt %s --strata-precision --strata-dce --mm-conv-precision-mode=mixed_fp16_fp32 | FileCheck %s --check-prefixes=CHECK,MIXED
// RUN: strata-opt %s --strata-precision --strata-dce --mm-conv-precision-mode=fp16 | FileCheck %s --check-prefixes=CHECK,FP16
// RUN: strata-opt %s --strata-precision --strata-dce | FileCheck %s --check-prefix=DEFAULT
// RUN: strata-opt %s --strata-precision --strata-dce --target=nvgpu | FileCheck %s --check-prefix=CORES
// RUN: strata-opt %s --strata-precision --strata-dce --target=nvgpu --polyblocks-gpu-no-tensor-core | FileCheck %s --check-prefix=DEFAULT
// RUN: not strata-opt %s --strata-precision --mm-conv-precision-mode=int32 2>&1 | FileCheck %s --check-prefix=INT32

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Every op that has no integers is named.
// INT32: strata: error: strata-precision: fc1: int32 needs integer or quantised operands of at most 32 bits, got f32 and f32
// INT32-NEXT: fc2: int32 needs {{.*}}, got f16 and f16
// INT32-NOT: {{.}}

// CHECK-LABEL: @matmul
// CHECK-DAG: %[[X:.*]] = "strata.convert"(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf16>
// CHECK-DAG: %[[Y:.*]] = "strata.convert"(%arg1) : (tensor<8x6xf32>) -> tensor<8x6xf16>
// MIXED: "strata.contract"(%[[X]], %[[Y]]) {{.*}} -> tensor<4x6xf32>
// MIXED-NEXT: return
// FP16: %[[C:.*]] = "strata.contract"(%[[X]], %[[Y]]) {{.*}} -> tensor<4x6xf16>
// FP16: "strata.convert"(%[[C]])
// CORES-LABEL: @matmul
// CORES: "strata.contract"({{.*}}) {{.*}} : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf32>
// DEFAULT-LABEL: @matmul
// DEFAULT-NOT: strata.convert
func.func @matmul(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32> loc("fc1")
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @half
// MIXED: %[[C:.*]] = "strata.contract"(%arg0, %arg1) {{.*}} -> tensor<4x6xf32>
// MIXED: "strata.convert"(%[[C]])
// FP16: "strata.contract"(%arg0, %arg1) {{.*}} -> tensor<4x6xf16>
// FP16-NEXT: return
func.func @half(%x: tensor<4x8xf16>, %y: tensor<8x6xf16>) -> tensor<4x6xf16> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16> loc("fc2")
  return %0 : tensor<4x6xf16>
}

// Not what the front end called a matrix product.
// CHECK-LABEL: @other_sum
// CHECK-NOT: strata.convert
func.func @other_sum(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = ""} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @integers
// CHECK-NEXT: "strata.contract"(%arg0, %arg1) {{.*}} -> tensor<4x6xi32>
func.func @integers(%x: tensor<4x8xi8>, %y: tensor<8x6xi8>) -> tensor<4x6xi32> {
  %0 = "strata.contract"(%x, %y) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x8xi8>, tensor<8x6xi8>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}
