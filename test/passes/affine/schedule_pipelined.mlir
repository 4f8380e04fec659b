// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t | grep ^product | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_80 --explain --compile-to=affine -o %t | FileCheck %s --check-prefix=NONE

// What the model of schedules says about products on a device whose matrix instructions read shared memory: the best three
// ways, best first, then the one without such instructions.
// NONE-NOT: wgmma
// NONE: a run

// Enough tiles for every processor: the largest.
// CHECK: 4096 x 4096 x 4096, 1 times
// CHECK-NEXT: wgmma.bf16 128x256x64, 4 slots, 512 tiles in 132 blocks
// CHECK: mma.sync m16n8k16.bf16 128x256x64, 256 threads

// The tiles fill one round.
// CHECK: 4096 x 768 x 3072, 1 times
// CHECK-NEXT: wgmma.bf16 128x192x64, 4 slots, 128 tiles in 128 blocks
// CHECK: mma.sync m16n8k16.bf16 128x64x64, 128 threads

// Few rows: along the instruction's columns; pairs of blocks share the reduction.
// CHECK: 16 x 4096 x 4096, 1 times
// CHECK-NEXT: wgmma.f16 8x64x64, 6 slots, 128 tiles in 128 blocks in clusters of 2, swapped
// CHECK: mma.sync m16n8k16.f16 32x32x128, 128 threads

// Memory decides.
// CHECK: 128 x 4096 x 4096, 1 times
// CHECK-NEXT: wgmma.f16 128x32x64, 6 slots, 128 tiles in 128 blocks in clusters of 2
// CHECK: mma.sync m16n8k16.f16 64x64x64, 128 threads

// Odd strides: the operands are staged by kernels in front.
// CHECK: 512 x 520 x 1025, 1 times
// CHECK-NEXT: wgmma.f16 128x24x64, 6 slots, 96 tiles in 96 blocks in clusters of 4
// CHECK: mma.sync m16n8k16.f16 64x64x64, 128 threads

// Of f32, rounded to f16 while it is fetched, or before.
// CHECK: 256 x 256 x 1024, 1 times
// CHECK-NEXT: wgmma.f16 64x16x64, 8 slots, 64 tiles in 64 blocks in clusters of 4
// CHECK: mma.sync m16n8k16.f16 32x32x64, 64 threads

// Batches are more tiles; of few steps, so that results take much of the time: one team stores while the other multiplies.
// CHECK: 1024 x 1024 x 1024, 16 times
// CHECK-NEXT: wgmma.bf16 128x128x64, 6 slots, 1024 tiles in 132 blocks, two teams
// CHECK: mma.sync m16n8k16.bf16 128x256x64, 256 threads

// A padded convolution follows the windows of its input.
// CHECK: 12544 x 128 x 576, 1 times
// CHECK-NEXT: wgmma.f16 96x128x64, 6 slots, 131 tiles in 131 blocks, swapped
// CHECK: mma.sync m16n8k16.f16 128x128x64, 128 threads

// With a stride, too.
// CHECK: 3136 x 128 x 576, 1 times
// CHECK-NEXT: wgmma.f16 48x64x64, 8 slots, 132 tiles in 132 blocks, swapped
// CHECK: mma.sync m16n8k16.f16 64x32x128, 256 threads

// Little work.
// CHECK: 64 x 64 x 64, 1 times
// CHECK-NEXT: wgmma.f16 8x64x64, 16 slots, 8 tiles in 8 blocks, swapped
// CHECK: mma.sync m16n8k16.f16 32x32x64, 32 threads
func.func @main(%a0: tensor<4096x4096xbf16> {strata.name = "a0"},
                %b0: tensor<4096x4096xbf16> {strata.name = "b0"},
                %a1: tensor<4096x3072xbf16> {strata.name = "a1"},
                %b1: tensor<3072x768xbf16> {strata.name = "b1"},
                %a2: tensor<16x4096xf16> {strata.name = "a2"},
                %b2: tensor<4096x4096xf16> {strata.name = "b2"},
                %a3: tensor<128x4096xf16> {strata.name = "a3"},
                %b3: tensor<4096x4096xf16> {strata.name = "b3"},
                %a4: tensor<512x1025xf16> {strata.name = "a4"},
                %b4: tensor<520x1025xf16> {strata.name = "b4"},
                %a5: tensor<256x1024xf32> {strata.name = "a5"},
                %b5: tensor<256x1024xf32> {strata.name = "b5"},
                %a6: tensor<16x1024x1024xbf16> {strata.name = "a6"},
                %b6: tensor<16x1024x1024xbf16> {strata.name = "b6"},
                %a7: tensor<4x56x56x64xf16> {strata.name = "a7"},
                %b7: tensor<128x3x3x64xf16> {strata.name = "b7"},
                %a8: tensor<4x57x57x64xf16> {strata.name = "a8"},
                %b8: tensor<128x3x3x64xf16> {strata.name = "b8"},
                %a9: tensor<64x64xf16> {strata.name = "a9"},
                %b9: tensor<64x64xf16> {strata.name = "b9"})
    -> (tensor<4096x4096xbf16>, tensor<4096x768xbf16>, tensor<16x4096xf16>, tensor<128x4096xf16>, tensor<512x520xf16>, tensor<256x256xf32>, tensor<16x1024x1024xbf16>, tensor<4x56x56x128xf16>, tensor<4x28x28x128xf16>, tensor<64x64xf16>) {
  %0 = "strata.contract"(%a0, %b0) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  %1 = "strata.contract"(%a1, %b1) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<4096x3072xbf16>, tensor<3072x768xbf16>) -> tensor<4096x768xbf16>
  %2 = "strata.contract"(%a2, %b2) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<16x4096xf16>, tensor<4096x4096xf16>) -> tensor<16x4096xf16>
  %3 = "strata.contract"(%a3, %b3) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<128x4096xf16>, tensor<4096x4096xf16>) -> tensor<128x4096xf16>
  %4 = "strata.contract"(%a4, %b4) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<512x1025xf16>, tensor<520x1025xf16>) -> tensor<512x520xf16>
  %5 = "strata.contract"(%a5, %b5) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<256x1024xf32>, tensor<256x1024xf32>) -> tensor<256x256xf32>
  %6 = "strata.contract"(%a6, %b6) {maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>, affine_map<(b, i, j, k) -> (b, i, j)>], zero_pad = false, origin = "matmul"} : (tensor<16x1024x1024xbf16>, tensor<16x1024x1024xbf16>) -> tensor<16x1024x1024xbf16>
  %7 = "strata.contract"(%a7, %b7) {maps = [affine_map<(n, p, q, k, r, s, c) -> (n, p + r - 1, q + s - 1, c)>, affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>, affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>], zero_pad = true, origin = "conv"} : (tensor<4x56x56x64xf16>, tensor<128x3x3x64xf16>) -> tensor<4x56x56x128xf16>
  %8 = "strata.contract"(%a8, %b8) {maps = [affine_map<(n, p, q, k, r, s, c) -> (n, p * 2 + r, q * 2 + s, c)>, affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>, affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>], zero_pad = false, origin = "conv"} : (tensor<4x57x57x64xf16>, tensor<128x3x3x64xf16>) -> tensor<4x28x28x128xf16>
  %9 = "strata.contract"(%a9, %b9) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<4096x4096xbf16>, tensor<4096x768xbf16>, tensor<16x4096xf16>, tensor<128x4096xf16>, tensor<512x520xf16>, tensor<256x256xf32>, tensor<16x1024x1024xbf16>, tensor<4x56x56x128xf16>, tensor<4x28x28x128xf16>, tensor<64x64xf16>
}
