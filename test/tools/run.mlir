// Without --aot: compiles, runs on random or given data and prints the kernels' times.
// RUN: strata %s --num-iters=3 | FileCheck %s
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.ones((8, 64), numpy.float32))"
// RUN: strata %s --input=%t.x.npy | FileCheck %s
// RUN: strata %s --input=x=%t.x.npy | FileCheck %s
// RUN: not strata %s --input=%t.x.npy --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.ones((8, 63), numpy.float32))"
// RUN: not strata %s --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=SHAPE

// CHECK: kernel calls tasks ms
// CHECK: all kernels 1
// CHECK: whole call: {{.*}} ms
// MANY: strata: error: --input={{.*}}: expected at most 1 inputs
// SHAPE: strata: error: {{.*}}.npy: expected f32 8x64 for input x, got f32 8x63
func.func @main(%x: tensor<8x64xf32> {strata.name = "x"}) -> (tensor<8x64xf32> {strata.name = "y"}) {
  %y = "strata.neg"(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
