// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Sizes that are no multiple of what the hardware loads at once need no padded copy of a constant, and at most one
// of a computed operand.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<1000x77xf16> {strata.name = "x"}, %w: tensor<77x515xf16> {strata.name = "w"})
    -> (tensor<1000x515xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1000x77xf16>, tensor<77x515xf16>) -> tensor<1000x515xf16>
  return %0 : tensor<1000x515xf16>
}
