// Devices by product and by what the machine has; and folders that are not there yet.
// RUN: strata %s --target=nvgpu --device="NVIDIA H100 80GB HBM3,rtx-4090" --compile-to=llvm -o %t.product.mlir
// RUN: strata %s --target=nvgpu --device=sm_90a,sm_89 --compile-to=llvm -o %t.row.mlir
// RUN: cmp %t.product.mlir %t.row.mlir
// RUN: strata %s --device=haswell --compile-to=llvm -o %t.product.mlir
// RUN: strata %s --device=x86-64-v3 --compile-to=llvm -o %t.row.mlir
// RUN: cmp %t.product.mlir %t.row.mlir
// RUN: not strata %s --device=znver6 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not strata %s --device=h100 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not strata %s --target=nvgpu --device=mi300x 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not strata %s --target=nvgpu --device=h101 2>&1 | FileCheck %s --check-prefix=NEARGPU
// The GPU of this machine, as the driver says; or why it does not.
// RUN: env STRATA_CUDA_DRIVER=%test_bin/libstrata_test_cuda.so STRATA_TEST_DRIVER_ARCH=90 strata %s --target=nvgpu --device=native --compile-to=llvm -o %t.native.mlir
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=llvm -o %t.row.mlir
// RUN: cmp %t.native.mlir %t.row.mlir
// RUN: not env STRATA_CUDA_DRIVER=%test_bin/libstrata_test_cuda.so STRATA_TEST_DRIVER_ARCH=75 strata %s --target=nvgpu --device=native 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not env STRATA_HIP_DRIVER=%t.no.so strata %s --target=amdgpu --device=native 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: strata %s --device=native --compile-to=graph
//
// RUN: rm -rf %t.a && strata %s --aot -o %t.a/b//c/ --save-temps=%t.a/temps/all --plot=%t.a/d/e/g.dot
// RUN: ls %t.a/b/c/libstrata_mlir_artifact.so %t.a/temps/all/0-import.mlir %t.a/d/e/g.dot
// RUN: rm -rf %t.a && not strata %s --aot -o %t.a/b/c --alias=y=no && not ls %t.a
// RUN: rm -rf %t.a && touch %t.a && not strata %s --aot -o %t.a/b/c 2>&1 | FileCheck %s --check-prefix=FILE
// The reader of a report may stop.
// RUN: rm -rf %t.a && strata %s --aot -o %t.a --explain --time-compilation | true && ls %t.a/libstrata_mlir_artifact.so

// NEAR: strata: error: --device=znver6: unknown processor, expected one of native, x86-64-v2, {{.*}}; did you mean 'znver5'?
// GPU: strata: error: --device=h100: a GPU: expected --target=nvgpu as well
// OTHER: strata: error: --device=mi300x: a device of --target=amdgpu
// NEARGPU: strata: error: --device=h101: unknown GPU, expected one of native, sm_90a, {{.*}}; did you mean 'h100'?
// OLD: strata: error: --device=native: the GPU of this machine is of sm_75, for which there is no code
// NONE: strata: error: --device=native: no GPU of this machine can be asked: {{.*}}
// FILE: strata: error: {{.*}}.a/b: cannot create the folder: Not a directory
func.func @main(%x: tensor<8x64xf32> {strata.name = "x"}) -> (tensor<8x64xf32> {strata.name = "y"}) {
  %y = "strata.exp"(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
