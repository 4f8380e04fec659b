// RUN: strata %S/../../transforms/split_large_concat.mlir --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s

// A hundred parts of as many blocks each: a quotient says which one a block carries out, and chooses its case.
// CHECK: func.func @{{.*}}_and_99(
// CHECK-SAME: strata.many_parts
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[NUMBER:.*]] = arith.divui %[[BLOCK]],
// CHECK: scf.index_switch %[[NUMBER]]
// CHECK: case 1 {
// CHECK: case 99 {
