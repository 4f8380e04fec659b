// RUN: split-file %s %t
// RUN: strata %t/0.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out > %t/said
// RUN: strata %t/1.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out >> %t/said
// RUN: strata %t/2.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out >> %t/said
// RUN: strata %t/3.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out >> %t/said
// RUN: strata %t/4.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out >> %t/said
// RUN: strata %t/5.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out >> %t/said
// RUN: strata %t/6.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out >> %t/said
// RUN: strata %t/7.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out >> %t/said
// RUN: strata %t/8.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out >> %t/said
// RUN: strata %t/9.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out >> %t/said
// RUN: strata %t/10.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out >> %t/said
// RUN: grep ^product %t/said | FileCheck %s
// RUN: strata %t/0.mlir --target=nvgpu --device=sm_80 --explain --compile-to=affine -o %t/out | FileCheck %s --check-prefix=NONE
// RUN: strata %t/0.mlir --target=nvgpu --device=sm_100a --explain --compile-to=affine -o %t/out | FileCheck %s --check-prefixes=NONE,LATER

// What the model of schedules says about products on a device whose matrix instructions read shared memory: the best three
// ways, best first, then the one without such instructions.
// NONE-NOT: wgmma
// LATER: mma.sync m16n8k16.bf16 {{.*}}, chosen
// NONE: a run

// Enough tiles for every processor: the largest.
// CHECK: 4096 x 4096 x 4096, 1 times
// CHECK-NEXT: wgmma.bf16 128x256x64, 4 slots, 512 tiles in 132 blocks
// CHECK: mma.sync m16n8k16.bf16 128x256x64, 256 threads

// The tiles fill one round.
// CHECK: 4096 x 768 x 3072, 1 times
// CHECK-NEXT: wgmma.bf16 128x192x64, 4 slots, 128 tiles in 128 blocks
// CHECK: mma.sync m16n8k16.bf16 128x64x64, 128 threads

// Few rows: along the instruction's columns, each tile with a block of its own.
// CHECK: 16 x 4096 x 4096, 1 times
// CHECK-NEXT: wgmma.f16 16x64x64, 12 slots, 64 tiles in 64 blocks, swapped
// CHECK: mma.sync m16n8k16.f16 32x32x128, 128 threads

// Memory decides.
// CHECK: 128 x 4096 x 4096, 1 times
// CHECK-NEXT: wgmma.f16 128x32x64, 6 slots, 128 tiles in 128 blocks in clusters of 2
// CHECK: mma.sync m16n8k16.f16 64x64x64, 128 threads

// Odd strides: the operands are staged by kernels in front.
// CHECK: 512 x 520 x 1025, 1 times
// CHECK-NEXT: wgmma.f16 128x24x64, 6 slots, 96 tiles in 96 blocks in clusters of 4
// CHECK: mma.sync m16n8k16.f16 64x64x64, 128 threads

// Of f32 inputs, rounded to tf32 as they come: no kernel in front converts them.
// CHECK: 256 x 256 x 1024, 1 times
// CHECK-NEXT: wgmma.tf32 64x16x32, 8 slots, 64 tiles in 64 blocks in clusters of 4
// CHECK: mma.sync m16n8k8.tf32 32x32x128, 256 threads

// Batches are more tiles; of few steps, so that results take much of the time: one team stores while the other multiplies.
// CHECK: 1024 x 1024 x 1024, 16 times
// CHECK-NEXT: wgmma.bf16 128x128x64, 6 slots, 1024 tiles in 132 blocks, two teams
// CHECK: mma.sync m16n8k16.bf16 128x256x64, 256 threads

// A padded convolution follows the windows of its input.
// CHECK: 12544 x 128 x 576, 1 times
// CHECK-NEXT: wgmma.f16 96x128x64, 6 slots, 131 tiles in 131 blocks, swapped
// CHECK: mma.sync m16n8k16.f16 128x128x64, 256 threads

// With a stride, too.
// CHECK: 3136 x 128 x 576, 1 times
// CHECK-NEXT: wgmma.f16 48x64x64, 8 slots, 132 tiles in 132 blocks, swapped
// CHECK: mma.sync m16n8k16.f16 64x64x64, 128 threads

// Little work.
// CHECK: 64 x 64 x 64, 1 times
// CHECK-NEXT: wgmma.f16 8x64x64, 16 slots, 8 tiles in 8 blocks, swapped
// CHECK: mma.sync m16n8k16.f16 32x32x64, 32 threads

// Rows that begin within sectors: tiles of every second one, for which blocks share the right operand.
// CHECK: 1000 x 1000 x 1000, 1 times
// CHECK-NEXT: wgmma.bf16 128x64x64, 5 slots, 128 tiles in 128 blocks in clusters of 2 x 1 that share operands, rows 2 apart
// CHECK: mma.sync m16n8k16.bf16 128x64x64, 128 threads
//--- 0.mlir
func.func @main(%a: tensor<4096x4096xbf16> {strata.name = "a"}, %b: tensor<4096x4096xbf16> {strata.name = "b"}) -> tensor<4096x4096xbf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}
//--- 1.mlir
func.func @main(%a: tensor<4096x3072xbf16> {strata.name = "a"}, %b: tensor<3072x768xbf16> {strata.name = "b"}) -> tensor<4096x768xbf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<4096x3072xbf16>, tensor<3072x768xbf16>) -> tensor<4096x768xbf16>
  return %0 : tensor<4096x768xbf16>
}
//--- 2.mlir
func.func @main(%a: tensor<16x4096xf16> {strata.name = "a"}, %b: tensor<4096x4096xf16> {strata.name = "b"}) -> tensor<16x4096xf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<16x4096xf16>, tensor<4096x4096xf16>) -> tensor<16x4096xf16>
  return %0 : tensor<16x4096xf16>
}
//--- 3.mlir
func.func @main(%a: tensor<128x4096xf16> {strata.name = "a"}, %b: tensor<4096x4096xf16> {strata.name = "b"}) -> tensor<128x4096xf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<128x4096xf16>, tensor<4096x4096xf16>) -> tensor<128x4096xf16>
  return %0 : tensor<128x4096xf16>
}
//--- 4.mlir
func.func @main(%a: tensor<512x1025xf16> {strata.name = "a"}, %b: tensor<520x1025xf16> {strata.name = "b"}) -> tensor<512x520xf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<512x1025xf16>, tensor<520x1025xf16>) -> tensor<512x520xf16>
  return %0 : tensor<512x520xf16>
}
//--- 5.mlir
func.func @main(%a: tensor<256x1024xf32> {strata.name = "a"}, %b: tensor<256x1024xf32> {strata.name = "b"}) -> tensor<256x256xf32> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<256x1024xf32>, tensor<256x1024xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
//--- 6.mlir
func.func @main(%a: tensor<16x1024x1024xbf16> {strata.name = "a"}, %b: tensor<16x1024x1024xbf16> {strata.name = "b"}) -> tensor<16x1024x1024xbf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>, affine_map<(b, i, j, k) -> (b, i, j)>], zero_pad = false, origin = "matmul"} : (tensor<16x1024x1024xbf16>, tensor<16x1024x1024xbf16>) -> tensor<16x1024x1024xbf16>
  return %0 : tensor<16x1024x1024xbf16>
}
//--- 7.mlir
func.func @main(%a: tensor<4x56x56x64xf16> {strata.name = "a"}, %b: tensor<128x3x3x64xf16> {strata.name = "b"}) -> tensor<4x56x56x128xf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(n, p, q, k, r, s, c) -> (n, p + r - 1, q + s - 1, c)>, affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>, affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>], zero_pad = true, origin = "conv"} : (tensor<4x56x56x64xf16>, tensor<128x3x3x64xf16>) -> tensor<4x56x56x128xf16>
  return %0 : tensor<4x56x56x128xf16>
}
//--- 8.mlir
func.func @main(%a: tensor<4x57x57x64xf16> {strata.name = "a"}, %b: tensor<128x3x3x64xf16> {strata.name = "b"}) -> tensor<4x28x28x128xf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(n, p, q, k, r, s, c) -> (n, p * 2 + r, q * 2 + s, c)>, affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>, affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>], zero_pad = false, origin = "conv"} : (tensor<4x57x57x64xf16>, tensor<128x3x3x64xf16>) -> tensor<4x28x28x128xf16>
  return %0 : tensor<4x28x28x128xf16>
}
//--- 9.mlir
func.func @main(%a: tensor<64x64xf16> {strata.name = "a"}, %b: tensor<64x64xf16> {strata.name = "b"}) -> tensor<64x64xf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}
//--- 10.mlir
func.func @main(%a: tensor<1000x1000xbf16> {strata.name = "a"}, %b: tensor<1000x1000xbf16> {strata.name = "b"}) -> tensor<1000x1000xbf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<1000x1000xbf16>, tensor<1000x1000xbf16>) -> tensor<1000x1000xbf16>
  return %0 : tensor<1000x1000xbf16>
}
