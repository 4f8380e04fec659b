// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu --explain -o %t | FileCheck %s --check-prefix=SAID
// RUN: cat %t/*.mlir | FileCheck %s

// Patches of an image, of 16 pixels beside one another, that a kernel in front does not copy: producers load 16 bytes at a
// time, whatever digit of the reduction's number the pixel is.
// SAID-NOT: staged
// SAID: wgmma.f16 {{.*}}, chosen
// SAID: a run: 1 launches
// CHECK: module @kernels
// CHECK-NOT: memref.load %{{.*}} : memref<1204224xf16>
// CHECK: vector.load %{{.*}} : memref<1204224xf16>, vector<8xf16>
// CHECK-NOT: memref.load %{{.*}} : memref<1204224xf16>
func.func @main(%x: tensor<8x3x224x224xf16> {strata.name = "x"}, %w: tensor<768x768xf16> {strata.name = "w"}) -> (tensor<8x14x14x768xf16> {strata.name = "y"}) {
  %v = "strata.reshape"(%w) : (tensor<768x768xf16>) -> tensor<768x3x16x16xf16>
  %y = "strata.contract"(%x, %v) {maps = [affine_map<(n, p, q, k, c, r, s) -> (n, c, p * 16 + r, q * 16 + s)>, affine_map<(n, p, q, k, c, r, s) -> (k, c, r, s)>, affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>], zero_pad = false, origin = "conv"} : (tensor<8x3x224x224xf16>, tensor<768x3x16x16xf16>) -> tensor<8x14x14x768xf16>
  return %y : tensor<8x14x14x768xf16>
}
