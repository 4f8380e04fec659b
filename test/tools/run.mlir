// Without --aot: compiles, runs on random or given data and prints the kernels' times.
// RUN: strata %s --num-iters=3 | FileCheck %s
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.ones((8, 64), numpy.float32))"
// RUN: strata %s --input=%t.x.npy | FileCheck %s
// RUN: strata %s --input=x=%t.x.npy | FileCheck %s
// RUN: not strata %s --input=%t.x.npy --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.ones((8, 63), numpy.float32))"
// RUN: not strata %s --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=SHAPE

// For a GPU that is not there, the same rows without times.
// RUN: env STRATA_CUDA_DRIVER=%t.none strata %s --target=nvgpu --device=sm_90a | FileCheck %s --check-prefix=NONE
// RUN: strata %s --target=nvgpu --device=sm_90a --aot --aot-name=neg -o %t
// RUN: env STRATA_CUDA_DRIVER=%t.none strata-run %t/libneg.so --kernels | FileCheck %s --check-prefix=NONE
// RUN: env STRATA_CUDA_DRIVER=%t.none not strata-run %t/libneg.so --random 2>&1 | FileCheck %s --check-prefix=DRIVER

// CHECK: kernel calls tasks MB MFLOP ms GB/s GFLOP/s
// CHECK: k0 1 {{[0-9]+}} 0.004 0.001
// CHECK: all kernels 1
// CHECK: whole call: {{.*}} ms
// NONE: kernel calls tasks MB MFLOP ms GB/s GFLOP/s predicted of roofline
// NONE-NEXT: k0 1 {{[0-9]+}} 0.004 0.001 - - - 0.00{{[0-9]+}}
// NONE: roofline of sm_90a: 4300 GB/s, products of 16-bit operands at 780 TFLOP/s
// NONE-NEXT: nothing was run and timed: {{.*}}no driver: {{.*}}.none
// DRIVER: strata: error: neg: no driver
// MANY: strata: error: --input={{.*}}: expected at most 1 inputs
// SHAPE: strata: error: {{.*}}.npy: expected f32 8x64 for input x, got f32 8x63
func.func @main(%x: tensor<8x64xf32> {strata.name = "x"}) -> (tensor<8x64xf32> {strata.name = "y"}) {
  %y = "strata.neg"(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
