// RUN: strata %s --compile-to=affine | FileCheck %s
// RUN: sed 's/strata.count = 9/strata.count = 8/' %s > %t.mlir && not strata %t.mlir --compile-to=affine 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: sed 's/strata.body = @loop0_body/strata.body = @main/' %s > %t.mlir && not strata %t.mlir --compile-to=affine 2>&1 | FileCheck %s --check-prefix=BODY

// A loop stays a declaration and a body; rows of 20 bytes have 32, and a reversed scan is so in the declaration.
// CHECK-LABEL: func.func private @loop0(
// CHECK-SAME: memref<5xf32>, memref<9x8xf32>, memref<5xf32>, memref<9x8xf32>
// CHECK-LABEL: func.func @loop0_body(
// CHECK-NOT: affine.parallel
// CHECK: call @k
// CHECK-LABEL: func.func @main(
// CHECK: call @loop0(
// TYPES: loop @loop0: the types of its body do not fit
// BODY: loop @loop0: its body is no function of the module that is its own
func.func private @loop0(tensor<5xf32>, tensor<9x5xf32>) -> (tensor<5xf32>, tensor<9x5xf32>) attributes {strata.body = @loop0_body, strata.count = 9 : i64, strata.parts = array<i64: 1, 1, 0, 1>, strata.reversed = array<i64: 0, 1>}
func.func @loop0_body(%h: tensor<5xf32>, %x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %s = "strata.add"(%h, %x) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %s, %s : tensor<5xf32>, tensor<5xf32>
}
func.func @main(%x: tensor<9x5xf32> {strata.name = "x"}, %h: tensor<5xf32> {strata.name = "h"}) -> (tensor<5xf32> {strata.name = "y"}, tensor<9x5xf32> {strata.name = "ys"}) {
  %y, %ys = call @loop0(%h, %x) : (tensor<5xf32>, tensor<9x5xf32>) -> (tensor<5xf32>, tensor<9x5xf32>)
  return %y, %ys : tensor<5xf32>, tensor<9x5xf32>
}
