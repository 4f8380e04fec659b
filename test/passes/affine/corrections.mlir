// What a row of devices/gpu/corrections.def takes out, --explain names.
// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t | FileCheck %s

// CHECK: norm contract#{{[0-9]+}}: {{.*}} are not taken for {{.*}} in two kernels; corrected: norms behind short reductions
// CHECK: product [[NAME:k[0-9]+]]: 24 x 8 x 1016, 1 times
// CHECK-NEXT: product [[NAME]]:   not by wgmma.bf16: few rows or columns of a short side and reduction
// CHECK-NEXT: product [[NAME]]:   mma.sync
func.func @main(%x: tensor<24x1016xbf16> {strata.name = "x"}, %w: tensor<8x1016xbf16> {strata.name = "w"},
                %a: tensor<4096x256xbf16> {strata.name = "a"}, %b: tensor<768x256xbf16> {strata.name = "b"},
                %s: tensor<768xbf16> {strata.name = "s"}) -> (tensor<24x8xbf16> {strata.name = "y"}, tensor<4096x768xbf16> {strata.name = "z"}) {
  %0 = "strata.contract"(%x, %w) {origin = "matmul", zero_pad = false,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
    : (tensor<24x1016xbf16>, tensor<8x1016xbf16>) -> tensor<24x8xbf16>
  %1 = "strata.contract"(%a, %b) {origin = "matmul", zero_pad = false,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
    : (tensor<4096x256xbf16>, tensor<768x256xbf16>) -> tensor<4096x768xbf16>
  %2 = "strata.rms_norm"(%1, %s) {axes = array<i64: 1>, epsilon = 1.0e-05 : f64} : (tensor<4096x768xbf16>, tensor<768xbf16>) -> tensor<4096x768xbf16>
  return %0, %2 : tensor<24x8xbf16>, tensor<4096x768xbf16>
}
