// A loop that carries the best value and where it is. NaN is the best of all.
// RUN: strata-opt %s --pipeline=strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (3)
// CHECK: %[[R:.*]]:2 = affine.for %[[K:.*]] = 0 to 5 iter_args(%[[BEST:.*]] = %{{.*}}, %[[AT:.*]] = %{{.*}}) -> (f32, i64)
// CHECK: %[[X:.*]] = affine.load %{{.*}}[%[[I]], %[[K]]]
// CHECK: arith.cmpf ugt, %[[X]], %[[BEST]]
// CHECK: arith.cmpf ord, %[[BEST]], %[[BEST]]
// CHECK: arith.index_cast %[[K]] : index to i64
// CHECK: affine.store %[[R]]#1
// CHECK: strata.nest = "arg_reduce"
// The last of equals: what comes later wins a tie.
// CHECK: arith.cmpf ole
// CHECK: arith.cmpf uno
func.func @main(%x: tensor<3x5xf32>) -> (tensor<3xi64>, tensor<5xi64>) {
  %0 = "strata.arg_reduce"(%x) {kind = "max", axis = 1 : i64, select_last = false} : (tensor<3x5xf32>) -> tensor<3xi64>
  %1 = "strata.arg_reduce"(%x) {kind = "min", axis = 0 : i64, select_last = true} : (tensor<3x5xf32>) -> tensor<5xi64>
  return %0, %1 : tensor<3xi64>, tensor<5xi64>
}
