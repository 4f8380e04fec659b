// What --explain prints can be given back, by name or by number, and gives the same.
// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t.first | grep ^schedule > %t.schedules
// RUN: FileCheck %s --check-prefix=PRINTED < %t.schedules
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedules --compile-to=affine -o %t.second
// RUN: diff -r %t.first %t.second
// RUN: sed 's/schedule k. \(.*\) # \(.*\)/schedule \2 \1/' %t.schedules > %t.numbers
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.numbers --compile-to=affine -o %t.third
// RUN: diff -r %t.first %t.third
// PRINTED: schedule k0 sm_90a {{{.*}}kind = "contract"{{.*}}} # {{[0-9a-f]+$}}
// PRINTED: schedule k1 sm_90a {{{.*}}kind = "map"{{.*}}} # {{[0-9a-f]+$}}

// Another schedule is taken; lines of other devices, empty ones and comments are passed over.
// RUN: echo '# ours' > %t.ours
// RUN: echo '' >> %t.ours
// RUN: echo 'schedule k7 sm_80 {kind = "map"}' >> %t.ours
// RUN: echo 'schedule k0 sm_90a {kind = "contract", threads = 128, group = 128, tile = array<i64: 64, 64, 64>, warps = array<i64: 2, 2>, mma = "m16n8k16.f16"} # small' >> %t.ours
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.ours --compile-to=affine | FileCheck %s --check-prefix=OURS
// OURS: func.func private @k0
// OURS-SAME: tile = array<i64: 64, 64, 64>, warps = array<i64: 2, 2>

// A line that asks for candidates gets all of them, with the times expected, and changes nothing.
// RUN: echo 'candidates k0 sm_90a' > %t.ask
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.ask --explain --compile-to=affine -o %t.asked | FileCheck %s --check-prefix=CANDIDATES
// RUN: diff -r %t.first %t.asked
// CANDIDATES: candidate k0 sm_90a {{{.*}}mma = "wgmma.f16"{{.*}}} # {{[0-9.]+}} us ({{[a-z ]+}})
// CANDIDATES: candidate k0 sm_90a {{{.*}}mma = "m16n8k16.f16"{{.*}}} # {{[0-9.]+}} us (staged by threads)
// CANDIDATES: schedule k0 sm_90a

// Errors name the file and the line.
// RUN: echo 'k0 {}' > %t.bad
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.bad --compile-to=affine 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: .bad:1: expected 'schedule KERNEL DEVICE {...}', got 'k0'
// RUN: echo 'schedule k0 sm_90a {kind = ' > %t.bad
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.bad --compile-to=affine 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: .bad:1:
// RUN: printf '\nschedule k0 sm_90a {kind = "contract", tiles = 3}' > %t.bad
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.bad --compile-to=affine 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: .bad:2: 'tiles' is no key of a schedule
// RUN: echo 'schedule k9 sm_90a {kind = "map", threads = 128, group = 128}' > %t.bad
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.bad --compile-to=affine 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: .bad:1: the model has no kernel 'k9'
// RUN: echo 'schedule k1 sm_90a {kind = "rows", threads = 128, group = 128}' > %t.bad
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.bad --compile-to=affine 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: .bad:1: k1: kind: expected "map", got "rows"
// RUN: echo 'schedule k1 sm_90a {kind = "map", threads = 100, group = 1}' > %t.bad
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.bad --compile-to=affine 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: .bad:1: k1: threads: expected a power of two from 32 to 1024, got 100
// RUN: echo 'schedule k0 sm_90a {kind = "contract", threads = 128, group = 128, tile = array<i64: 100, 7, 3>, warps = array<i64: 2, 2>}' > %t.bad
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.bad --compile-to=affine 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: .bad:1: k0: no way of carrying out this contraction
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.none --compile-to=affine 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: .none
// RUN: not strata %s --schedule=%t.ours --compile-to=affine 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: --schedule: expected a GPU target, got cpu
func.func @main(%x: tensor<512x512xf16> {strata.name = "x"}, %w: tensor<512x512xf16> {strata.name = "w"}, %v: tensor<3000xf32> {strata.name = "v"}) -> (tensor<512x512xf16> {strata.name = "y"}, tensor<3000xf32> {strata.name = "z"}) {
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %1 = "strata.relu"(%v) : (tensor<3000xf32>) -> tensor<3000xf32>
  return %0, %1 : tensor<512x512xf16>, tensor<3000xf32>
}
