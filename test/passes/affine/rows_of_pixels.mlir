// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine -o - | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu --explain -o %t | FileCheck %s --check-prefix=SAID
// RUN: cat %t/*.mlir | FileCheck %s --check-prefix=GPU
// RUN: strata %s --target=nvgpu --device=sm_80 --compile-to=affine -o - | FileCheck %s --check-prefix=OLD

// A convolution whose input has pixels beside one another, channels apart: the places in the window are the outer loops, so
// that a step is channels at one place, boxes of the input wherever they begin. The reduction's last step, of 48, ends
// with an instruction, so that nobody multiplies the pixels that lie behind it.
// CHECK: affine.for %[[S:.*]] = 0 to 3 iter_args
// CHECK: affine.for %[[C:.*]] = 0 to 80 iter_args
// CHECK: affine.load %arg0[%[[C]], %{{.*}} + %[[S]] - 1] : memref<80x3000xf16>
// SAID-NOT: staged
// SAID: wgmma.f16 {{.*}}, chosen
// SAID: a run: 1 launches
// GPU: box = array<i64: 64, {{8|16}}>, buffer = 0 : i64, sizes = array<i64: 3000, 80>
// OLD: affine.for %{{.*}} = 0 to 80 iter_args
// OLD: affine.for %{{.*}} = 0 to 3 iter_args
func.func @main(%x: tensor<1x80x3000xf16> {strata.name = "x"}, %w: tensor<384x3x80xf16> {strata.name = "w"}) -> (tensor<1x384x3000xf16> {strata.name = "y"}) {
  %y = "strata.contract"(%x, %w) {maps = [affine_map<(n, k, p, c, s) -> (n, c, p + s - 1)>, affine_map<(n, k, p, c, s) -> (k, s, c)>, affine_map<(n, k, p, c, s) -> (n, k, p)>], zero_pad = true, origin = "conv"} : (tensor<1x80x3000xf16>, tensor<384x3x80xf16>) -> tensor<1x384x3000xf16>
  return %y : tensor<1x384x3000xf16>
}
