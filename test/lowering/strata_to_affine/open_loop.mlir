// RUN: strata %s --compile-to=affine | FileCheck %s
// RUN: strata %s --compile-to=cpu | FileCheck %s --check-prefix=PLAN
// RUN: strata %s --target=nvgpu --device=emulated --compile-to=gpu | FileCheck %s --check-prefix=GPU
// RUN: sed 's/strata.condition/strata.limit/' %s > %t.mlir && strata %t.mlir --compile-to=affine | FileCheck %s --check-prefix=LIMIT
// RUN: sed 's/strata.condition/strata.limit/; s/tensor<i64>/tensor<i32>/g' %s > %t.mlir && not strata %t.mlir --compile-to=affine 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/strata.condition/strata.condition, strata.limit/' %s > %t.mlir && not strata %t.mlir --compile-to=affine 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/tensor<i1>/tensor<1xi1>/g' %s > %t.mlir && not strata %t.mlir --compile-to=affine 2>&1 | FileCheck %s --check-prefix=NONE

// An open loop keeps what decides when it ends: a condition as first state, of a byte, or a limit as first captured value.
// CHECK-LABEL: func.func private @loop0(
// CHECK-SAME: memref<i8>, memref<5xf32>, memref<i64>, memref<i8>, memref<5xf32>
// CHECK-SAME: strata.condition
// CHECK-LABEL: func.func @main(
// CHECK: call @loop0(
// LIMIT-LABEL: func.func private @loop0(
// LIMIT-SAME: strata.limit
// PLAN-LABEL: func.func private @loop0(
// PLAN-SAME: memref<i8>, memref<5xf32>, memref<i64>, memref<i8>, memref<5xf32>, memref<1024xi8>
// PLAN-NOT: strata.flags

// On a GPU it has ten flags of 16 bytes, one more than iterations, behind its states.
// GPU-LABEL: func.func private @loop0(
// GPU-SAME: memref<1280xi8>
// GPU-SAME: strata.flags = 1024
// NONE: loop @loop0: strata.condition needs an i1 as first state, strata.limit an i64
func.func private @loop0(tensor<i1>, tensor<5xf32>, tensor<i64>) -> (tensor<i1>, tensor<5xf32>) attributes {strata.body = @loop0_body, strata.count = 9 : i64, strata.condition, strata.parts = array<i64: 2, 0, 1, 0>, strata.reversed = array<i64>}
func.func @loop0_body(%go: tensor<i1>, %x: tensor<5xf32>, %limit: tensor<i64>) -> (tensor<i1>, tensor<5xf32>) {
  %y = "strata.add"(%x, %x) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %go, %y : tensor<i1>, tensor<5xf32>
}
func.func @main(%go: tensor<i1> {strata.name = "go"}, %x: tensor<5xf32> {strata.name = "x"}, %limit: tensor<i64> {strata.name = "limit"}) -> (tensor<i1> {strata.name = "went"}, tensor<5xf32> {strata.name = "y"}) {
  %went, %y = call @loop0(%go, %x, %limit) : (tensor<i1>, tensor<5xf32>, tensor<i64>) -> (tensor<i1>, tensor<5xf32>)
  return %went, %y : tensor<i1>, tensor<5xf32>
}
