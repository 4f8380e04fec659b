// RUN: strata-opt %s --strata-decompose --print-locations | FileCheck %s

// What an op becomes keeps the name of the node it came from.
// CHECK-LABEL: @relu
// CHECK-NOT: strata.relu
// CHECK: "strata.max"{{.*}} loc(#[[LOC:.*]])
// CHECK: #[[LOC]] = loc("node_7")
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "strata.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("node_7")
  return %0 : tensor<4xf32>
}
