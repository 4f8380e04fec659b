// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// An output that is a view of an input, of another output or of what is computed has its bytes written by who
// computes them, or by one copy.
// CHECK: a run: 2 launches
func.func @main(%x: tensor<1024x256xf16> {strata.name = "x"})
    -> (tensor<262144xf16> {strata.name = "y0"}, tensor<1024x256xf16> {strata.name = "y1"},
        tensor<1024x4x64xf16> {strata.name = "y2"}) {
  %0 = "strata.reshape"(%x) : (tensor<1024x256xf16>) -> tensor<262144xf16>
  %1 = "strata.relu"(%x) : (tensor<1024x256xf16>) -> tensor<1024x256xf16>
  %2 = "strata.reshape"(%1) : (tensor<1024x256xf16>) -> tensor<1024x4x64xf16>
  return %0, %1, %2 : tensor<262144xf16>, tensor<1024x256xf16>, tensor<1024x4x64xf16>
}
