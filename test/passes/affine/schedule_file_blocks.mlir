// Blocks that carry out several tasks in turn can be given back, and fewer of them; not more, and not to a kernel whose
// blocks have a task each.
// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t.first | grep ^schedule > %t.schedules
// RUN: FileCheck %s --check-prefix=CHOSEN < %t.schedules
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedules --compile-to=affine -o %t.second
// RUN: diff -r %t.first %t.second
// RUN: sed 's/blocks = 132/blocks = 100/' %t.schedules > %t.few
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.few --compile-to=gpu -o - | FileCheck %s --check-prefix=FEW
// RUN: sed 's/threads = 512/threads = 256/' %t.schedules > %t.one
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.one --compile-to=gpu -o - | FileCheck %s --check-prefix=ONE
// RUN: sed 's/group = 256/group = 128/' %t.schedules > %t.small
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.small --compile-to=affine 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: sed 's/blocks = 132/blocks = 133/' %t.schedules > %t.many
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.many --compile-to=affine 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: sed 's/blocks = 132/blocks = -1/' %t.schedules > %t.negative
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.negative --compile-to=affine 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: sed '/ k1 /s/group/blocks = 3 : i64, group/' %t.schedules > %t.map
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.map --compile-to=affine 2>&1 | FileCheck %s --check-prefix=MAP

// CHOSEN: schedule k0 sm_90a {blocks = 132 : i64, {{.*}}kind = "rows"
// CHOSEN: schedule k1 sm_90a {group = {{.*}}kind = "map"
// Of 512 tasks in turns; four each.
// FEW: strata.blocks = 100
// ONE: strata.blocks = 128{{.*}}strata.threads = 256
// SMALL: k0: group: expected as many as chosen, or all threads, got 128
// MANY: k0: blocks: expected at most the 132 chosen, got 133
// NEGATIVE: k0: blocks: expected at most the 132 chosen, got -1
// MAP: k1: blocks: expected at most the 0 chosen, got 3
func.func @main(%x: tensor<4096x1024xf32> {strata.name = "x"}, %y: tensor<1024x4096xf32> {strata.name = "y"}, %z: tensor<512x1024xf32> {strata.name = "z"}) -> (tensor<4096x1024xf32> {strata.name = "s"}, tensor<1024x512xf32> {strata.name = "t"}) {
  %0 = "strata.transpose"(%y) {permutation = array<i64: 1, 0>} : (tensor<1024x4096xf32>) -> tensor<4096x1024xf32>
  %1 = "strata.add"(%x, %0) {} : (tensor<4096x1024xf32>, tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %2 = "strata.softmax"(%1) {axes = array<i64: 1>} : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %3 = "strata.transpose"(%z) {permutation = array<i64: 1, 0>} : (tensor<512x1024xf32>) -> tensor<1024x512xf32>
  return %2, %3 : tensor<4096x1024xf32>, tensor<1024x512xf32>
}
