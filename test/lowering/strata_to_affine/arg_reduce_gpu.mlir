// On a GPU blocks find the greatest key of a line of known length, or of its parts: its order, above its place.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[KEYS:.*]] = memref.alloc() : memref<2x31xi64>
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (2, 31)
// CHECK: arith.shli
// CHECK: arith.maxsi
// CHECK: memref.store %{{.*}}, %[[KEYS]]
// CHECK: {strata.nest = "arg_reduce_parts", strata.serial}
// CHECK: affine.parallel (%{{.*}}) = (0) to (2)
// CHECK: memref.load %[[KEYS]]
// CHECK: {strata.lanes = 31 : i64}
// CHECK: {strata.lanes = 256 : i64}
// CHECK: arith.andi
// CHECK: {strata.nest = "arg_reduce", strata.serial}
// Along another axis threads have a line each.
// CHECK: affine.for
// CHECK: {strata.nest = "arg_reduce"}
func.func @main(%x: tensor<2x32000xf32>) -> (tensor<2xi64>, tensor<32000xi64>) {
  %0 = "strata.arg_reduce"(%x) {kind = "max", axis = 1 : i64, select_last = false} : (tensor<2x32000xf32>) -> tensor<2xi64>
  %1 = "strata.arg_reduce"(%x) {kind = "max", axis = 0 : i64, select_last = false} : (tensor<2x32000xf32>) -> tensor<32000xi64>
  return %0, %1 : tensor<2xi64>, tensor<32000xi64>
}
