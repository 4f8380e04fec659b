// RUN: strata %s --target=nvgpu --device=sm_90a --mm-conv-precision-mode=tf32 --compile-to=affine --explain -o %t | FileCheck %s --check-prefix=SAID
// RUN: cat %t/*.mlir | FileCheck %s

// Operands that the copy engine does not take are written as it does by kernels in front: long rows of a multiple of 128
// bytes, zero behind their end; in @prepare where they are constant.

// SAID: staged 4095 x 4096 x 1025: the rows' operand
// SAID: staged 4096 x 4096 x 2048: the columns' operand

// CHECK: #[[INSIDE:set.*]] = affine_set<(d0, d1) : (-d1 + 1024 >= 0)>
// CHECK-LABEL: func.func @main
// CHECK: call @[[STAGE:k.*_stage]](%{{.*}}, %[[MATRIX:.*]]) : (memref<4095x1025xbf16>, memref<4095x1088xbf16>)
// CHECK: call @{{.*}}(%[[MATRIX]], %{{.*}}, %{{.*}}) : (memref<4095x1088xbf16>, memref<1025x4096xbf16>, memref<4095x4096xbf16>)

// The copy. Products of bf16 may read their operands across, so the other one stays.
// CHECK: func.func private @[[STAGE]]
// CHECK: affine.parallel (%[[R:.*]], %[[C:.*]]) = (0, 0) to (4095, 1088)
// CHECK: affine.if #[[INSIDE]](%[[R]], %[[C]]) -> bf16
// CHECK: affine.load %arg0[%[[R]], %[[C]]]
// CHECK: affine.store %{{.*}}, %arg1[%[[R]], %[[C]]]
// CHECK: affine.load {{.*}} {strata.padded} : memref<4095x1088xbf16>

// tf32 reads one across, its instruction's left one: the other is turned.
// CHECK: func.func private @{{k.*_stage}}(%arg0: memref<2048x4096xf32>, %arg1: memref<4096x2048xf32>)
// CHECK: affine.load %arg0[%[[K:.*]], %[[N:.*]]] : memref<2048x4096xf32>
// CHECK: affine.store %{{.*}}, %arg1[%{{.*}}, %{{.*}}] : memref<4096x2048xf32>
func.func @main(%a: tensor<4095x1025xbf16> {strata.name = "a"}, %b: tensor<1025x4096xbf16> {strata.name = "b"},
                %c: tensor<2048x4096xf32> {strata.name = "c"}, %d: tensor<2048x4096xf32> {strata.name = "d"})
    -> (tensor<4095x4096xbf16> {strata.name = "x"}, tensor<4096x4096xf32> {strata.name = "y"}) {
  %x = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = ""} : (tensor<4095x1025xbf16>, tensor<1025x4096xbf16>) -> tensor<4095x4096xbf16>
  %y = "strata.contract"(%c, %d) {maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<2048x4096xf32>, tensor<2048x4096xf32>) -> tensor<4096x4096xf32>
  return %x, %y : tensor<4095x4096xbf16>, tensor<4096x4096xf32>
}
