// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s
// RUN: strata %s --target=amdgpu --device=gfx942 --compile-to=affine --explain -o %t | FileCheck %s

// Layers that read all before them, as a DenseNet's, copy x once and nothing else.
// CHECK: kernel {{.*}} 1 nests (copy)
// CHECK-NOT: (copy)
// CHECK: a run: 4 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<2048x64xf16> {strata.name = "x"}, %u: tensor<64x64xf16> {strata.name = "u"},
                %v: tensor<128x64xf16> {strata.name = "v"}, %w: tensor<192x64xf16> {strata.name = "w"})
    -> (tensor<2048x256xf16> {strata.name = "y"}) {
  %a = "strata.contract"(%x, %u) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<2048x64xf16>, tensor<64x64xf16>) -> tensor<2048x64xf16>
  %xa = "strata.concat"(%x, %a) {axis = 1 : i64} : (tensor<2048x64xf16>, tensor<2048x64xf16>) -> tensor<2048x128xf16>
  %b = "strata.contract"(%xa, %v) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<2048x128xf16>, tensor<128x64xf16>) -> tensor<2048x64xf16>
  %ab = "strata.concat"(%a, %b) {axis = 1 : i64} : (tensor<2048x64xf16>, tensor<2048x64xf16>) -> tensor<2048x128xf16>
  %xab = "strata.concat"(%x, %ab) {axis = 1 : i64} : (tensor<2048x64xf16>, tensor<2048x128xf16>) -> tensor<2048x192xf16>
  %c = "strata.contract"(%xab, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<2048x192xf16>, tensor<192x64xf16>) -> tensor<2048x64xf16>
  %bc = "strata.concat"(%b, %c) {axis = 1 : i64} : (tensor<2048x64xf16>, tensor<2048x64xf16>) -> tensor<2048x128xf16>
  %y = "strata.concat"(%xa, %bc) {axis = 1 : i64} : (tensor<2048x128xf16>, tensor<2048x128xf16>) -> tensor<2048x256xf16>
  return %y : tensor<2048x256xf16>
}
