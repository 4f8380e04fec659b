// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Independent layer norms share a launch.
// CHECK: a run: 1 launches
func.func @main(%x0: tensor<2048x256xf16> {strata.name = "x0"}, %g0: tensor<256xf16> {strata.name = "g0"},
                %b0: tensor<256xf16> {strata.name = "b0"}, %x1: tensor<2048x256xf16> {strata.name = "x1"},
                %g1: tensor<256xf16> {strata.name = "g1"}, %b1: tensor<256xf16> {strata.name = "b1"},
                %x2: tensor<2048x256xf16> {strata.name = "x2"}, %g2: tensor<256xf16> {strata.name = "g2"},
                %b2: tensor<256xf16> {strata.name = "b2"}, %x3: tensor<2048x256xf16> {strata.name = "x3"},
                %g3: tensor<256xf16> {strata.name = "g3"}, %b3: tensor<256xf16> {strata.name = "b3"})
    -> (tensor<2048x256xf16> {strata.name = "y0"}, tensor<2048x256xf16> {strata.name = "y1"},
        tensor<2048x256xf16> {strata.name = "y2"}, tensor<2048x256xf16> {strata.name = "y3"}) {
  %0 = "strata.layer_norm"(%x0, %g0, %b0) {axes = array<i64: 1>, epsilon = 1.0e-05 : f64} : (tensor<2048x256xf16>, tensor<256xf16>, tensor<256xf16>) -> tensor<2048x256xf16>
  %1 = "strata.layer_norm"(%x1, %g1, %b1) {axes = array<i64: 1>, epsilon = 1.0e-05 : f64} : (tensor<2048x256xf16>, tensor<256xf16>, tensor<256xf16>) -> tensor<2048x256xf16>
  %2 = "strata.layer_norm"(%x2, %g2, %b2) {axes = array<i64: 1>, epsilon = 1.0e-05 : f64} : (tensor<2048x256xf16>, tensor<256xf16>, tensor<256xf16>) -> tensor<2048x256xf16>
  %3 = "strata.layer_norm"(%x3, %g3, %b3) {axes = array<i64: 1>, epsilon = 1.0e-05 : f64} : (tensor<2048x256xf16>, tensor<256xf16>, tensor<256xf16>) -> tensor<2048x256xf16>
  return %0, %1, %2, %3 : tensor<2048x256xf16>, tensor<2048x256xf16>, tensor<2048x256xf16>, tensor<2048x256xf16>
}
