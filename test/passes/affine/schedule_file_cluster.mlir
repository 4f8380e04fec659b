// A cluster can be given back, and other clusters that hold the row as a whole; not more blocks than the device's clusters.
// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t.first | grep ^schedule > %t.schedules
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedules --compile-to=affine -o %t.second
// RUN: diff -r %t.first %t.second
// RUN: sed 's/threads = 512/threads = 256/' %t.schedules > %t.narrow
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.narrow --compile-to=affine | FileCheck %s
// RUN: sed 's/threads = 512/threads = 128/' %t.schedules > %t.many
// RUN: not strata %s --target=nvgpu --device=sm_90a --schedule=%t.many --compile-to=affine 2>&1 | FileCheck %s --check-prefix=MANY

// CHECK: strata.schedule = {group = 2048 : i64, kind = "rows", threads = 256 : i64, tile = array<i64: 50000>}
// MANY: k0: group: expected a power of two from 2 to a warp, or all threads, got 2048
func.func @main(%x: tensor<4x50000xf32> {strata.name = "x"}) -> (tensor<4xf32> {strata.name = "y"}) {
  %0 = "strata.reduce"(%x) {axes = array<i64: 1>, kind = "max"} : (tensor<4x50000xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
