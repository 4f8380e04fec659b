// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A layer norm and the gate behind it are one kernel.
// CHECK: a run: 1 launches
func.func @main(%x: tensor<4096x768xf16> {strata.name = "x"}, %g: tensor<768xf16> {strata.name = "g"},
                %b: tensor<768xf16> {strata.name = "b"})
    -> (tensor<4096x768xf16> {strata.name = "y"}) {
  %0 = "strata.layer_norm"(%x, %g, %b) {axes = array<i64: 1>, epsilon = 1.0e-05 : f64} : (tensor<4096x768xf16>, tensor<768xf16>, tensor<768xf16>) -> tensor<4096x768xf16>
  %1 = "strata.sigmoid"(%0) : (tensor<4096x768xf16>) -> tensor<4096x768xf16>
  %2 = "strata.mul"(%x, %1) : (tensor<4096x768xf16>, tensor<4096x768xf16>) -> tensor<4096x768xf16>
  return %2 : tensor<4096x768xf16>
}
