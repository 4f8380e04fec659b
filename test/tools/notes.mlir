// What a compile does that a user may not expect is said once, on standard error, with the option that keeps it from
// being done; with that option, and on the cpu, there is nothing to say.
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=graph 2>&1 >%t.mlir | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=graph --mm-conv-precision-mode=fp32 2>&1 >%t.mlir | count 0
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=graph --mm-conv-precision-mode=tf32 2>&1 >%t.mlir | count 0
// RUN: strata %s --compile-to=graph 2>&1 >%t.mlir | count 0

// CHECK: strata: note: {{.*}}notes.mlir: {{.*}} f32 that are multiplied as f16{{.*}}65504{{.*}}: 2; --mm-conv-precision-mode=fp32
// CHECK-NOT: strata
func.func @main(%x: tensor<16x32xf32> {strata.name = "x"}, %w: tensor<32x32xf32> {strata.name = "w"}) -> (tensor<16x32xf32> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
  %1 = "strata.contract"(%0, %w) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}
