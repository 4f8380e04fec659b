// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu --explain -o %t | FileCheck %s --check-prefix=SAID
// RUN: cat %t/*.mlir | FileCheck %s

// Every so many-th row of a buffer, whole sets of them or not, comes in bulk from where it is: as a dim of the map. The map
// ends with the last such row.
// SAID-NOT: staged
// SAID: wgmma.f16 {{.*}}, chosen
// SAID: a run: 1 launches
// CHECK: strata.maps = [{{{[^}]*}}buffer = 0 : i64, sizes = array<i64: 512, 683, 3>, {{[^}]*}}strides = array<i64: 3072, 1024>
func.func @main(%x: tensor<2050x512xf16> {strata.name = "x"}, %w: tensor<512x512xf16> {strata.name = "w"}) -> (tensor<683x512xf16> {strata.name = "y"}) {
  %s = "strata.slice"(%x) {starts = array<i64: 1, 0>, steps = array<i64: 3, 1>} : (tensor<2050x512xf16>) -> tensor<683x512xf16>
  %y = "strata.contract"(%s, %w) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<683x512xf16>, tensor<512x512xf16>) -> tensor<683x512xf16>
  return %y : tensor<683x512xf16>
}
