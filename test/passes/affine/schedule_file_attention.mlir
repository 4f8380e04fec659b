// Attention's schedules can be given back, and others of its tiles; candidates are told like those of products.
// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t.first > %t.explained
// RUN: FileCheck %s --check-prefix=EXPLAINED < %t.explained
// EXPLAINED: attention contract#[[SECOND:.*]] <- contract#[[FIRST:.*]]: 512 x 512, 64 times: {{.*}} us instead of {{.*}} in three kernels
// EXPLAINED: fused  exp#{{.*}} <- sub#{{.*}} in k0
// EXPLAINED: attention k0: 512 rows, 512 columns of 64, values of 64, 64 times
// EXPLAINED-NEXT: attention k0:   wgmma.bf16 128x128x64, 2 slots, 256 tasks in 132 blocks: {{.*}} us (softmax), chosen
// EXPLAINED: a run: 1 launches
// RUN: grep ^schedule %t.explained > %t.schedules
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedules --compile-to=affine -o %t.second
// RUN: diff -r %t.first %t.second

// RUN: sed 's/128, 128, 64/128, 64, 64/' %t.schedules > %t.narrow
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.narrow --compile-to=affine | FileCheck %s
// CHECK: kind = "attention", {{.*}} tile = array<i64: 128, 64, 64>
// RUN: sed 's/128, 128, 64/128, 72, 64/' %t.schedules > %t.odd
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.odd --compile-to=affine 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: k0: no way of carrying out this attention

// RUN: echo 'candidates k0 sm_90a' > %t.ask
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.ask --explain --compile-to=affine -o %t.asked | FileCheck %s --check-prefix=ASKED
// RUN: diff -r %t.first %t.asked
// ASKED: candidate k0 sm_90a {{.*}}tile = array<i64: 64, 192, 64>{{[}]}} # {{[0-9.]+}} us (softmax)

// The same where the threads that multiply stage the operands, which have no grid of their own.
// RUN: strata %s --target=amdgpu --device=gfx942 --explain --compile-to=affine -o %t.first > %t.explained
// RUN: grep ^schedule %t.explained > %t.schedules
// RUN: strata %s --target=amdgpu --device=gfx942 --schedule=%t.schedules --compile-to=affine -o %t.second
// RUN: diff -r %t.first %t.second
// RUN: sed 's/64>/64>, blocks = 8 : i64/' %t.schedules > %t.grid
// RUN: not strata %s --target=amdgpu --device=gfx942 --schedule=%t.grid --compile-to=affine 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: echo 'candidates k0 gfx942' > %t.ask
// RUN: strata %s --target=amdgpu --device=gfx942 --schedule=%t.ask --explain --compile-to=affine -o %t.asked | FileCheck %s --check-prefix=STAGED
// STAGED: candidate k0 gfx942 {{.*}}mma = "mfma.16x16x16.bf16"{{.*}}tile = array<i64: 32, 64, 64>, warps = array<i64: 1, 2>{{[}]}} # {{[0-9.]+}} us
func.func @main(%q: tensor<64x512x64xbf16> {strata.name = "q"}, %k: tensor<64x512x64xbf16> {strata.name = "k"}, %v: tensor<64x512x64xbf16> {strata.name = "v"}) -> (tensor<64x512x64xbf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%q, %k) {maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>], zero_pad = false, origin = "matmul"} : (tensor<64x512x64xbf16>, tensor<64x512x64xbf16>) -> tensor<64x512x512xf32>
  %1 = "strata.softmax"(%0) {axes = array<i64: 2>} : (tensor<64x512x512xf32>) -> tensor<64x512x512xf32>
  %2 = "strata.convert"(%1) : (tensor<64x512x512xf32>) -> tensor<64x512x512xbf16>
  %3 = "strata.contract"(%2, %v) {maps = [affine_map<(b, i, d, j) -> (b, i, j)>, affine_map<(b, i, d, j) -> (b, j, d)>, affine_map<(b, i, d, j) -> (b, i, d)>], zero_pad = false, origin = "matmul"} : (tensor<64x512x512xbf16>, tensor<64x512x64xbf16>) -> tensor<64x512x64xf32>
  %4 = "strata.convert"(%3) : (tensor<64x512x64xf32>) -> tensor<64x512x64xbf16>
  return %4 : tensor<64x512x64xbf16>
}
