// RUN: strata-opt %s --pipeline=strata-copy-graph | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_90a,sm_80 --pipeline=strata-copy-graph | FileCheck %s

// The graph itself stays as it is, for one device or several; test/e2e/gpu_library_test.py runs what becomes of the copy.
// CHECK: func.func @main
// CHECK-NEXT: %[[A:.*]] = "strata.neg"(%arg0)
// CHECK-NEXT: return %[[A]]
// CHECK-NOT: func.func
func.func @main(%x: tensor<8xf32> {strata.name = "x"}) -> (tensor<8xf32> {strata.name = "y"}) {
  %y = "strata.neg"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
