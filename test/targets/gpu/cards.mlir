// A card that --device names is judged by its own figures: an L4 has 58 processors, so that blocks are to be larger than
// on a typical sm_89, of which an RTX 4090 is one. The code is the architecture's.
// RUN: strata %s --target=nvgpu --device=sm_89 --compile-to=affine -o - | FileCheck %s --check-prefix=TYPICAL
// RUN: strata %s --target=nvgpu --device="NVIDIA GeForce RTX 4090" --compile-to=affine -o - | FileCheck %s --check-prefix=TYPICAL
// RUN: strata %s --target=nvgpu --device=l4 --compile-to=affine -o - | FileCheck %s --check-prefix=L4
// RUN: strata %s --target=nvgpu --device=l4 --explain --aot --aot-name=f -o %t | FileCheck %s --check-prefix=NAME
// The card of this machine is named by its driver.
// RUN: env STRATA_CUDA_DRIVER=%test_bin/libstrata_test_cuda.so STRATA_TEST_DRIVER_ARCH=89 STRATA_TEST_DRIVER_NAME="NVIDIA L4" strata %s --target=nvgpu --device=native --compile-to=affine -o - | FileCheck %s --check-prefix=L4
// RUN: env STRATA_CUDA_DRIVER=%test_bin/libstrata_test_cuda.so STRATA_TEST_DRIVER_ARCH=89 STRATA_TEST_DRIVER_NAME="NVIDIA H100" strata %s --target=nvgpu --device=native --compile-to=affine -o - | FileCheck %s --check-prefix=TYPICAL

// TYPICAL: kind = "map", threads = 128
// L4: kind = "map", threads = 256
// NAME: device sm_89: judged as L4, whose figures are estimated: data sheet{{.*}}
// NAME: schedule k0 sm_89 {{.*}}threads = 256
func.func @main(%x: tensor<65536xf32> {strata.name = "x"}) -> (tensor<65536xf32> {strata.name = "y"}) {
  %y = "strata.exp"(%x) : (tensor<65536xf32>) -> tensor<65536xf32>
  return %y : tensor<65536xf32>
}
