// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine | FileCheck %s

// What a convolution reads through a reshape is stored with the dims that its windows move along: the nest that computes
// it takes its own apart.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = memref.alloc() : memref<1x6x5x7xf32>
// CHECK: affine.parallel (%[[B:.*]], %[[G:.*]], %[[N:.*]]) = (0, 0, 0) to (1, 3, 70) {
// CHECK: affine.store {{.*}}, %[[T]][{{.*}}%[[G]] * 2 + %[[N]] floordiv 35, {{.*}}, %[[N]] mod 7] : memref<1x6x5x7xf32>
// CHECK: affine.load %[[T]][0, %{{.*}}, %{{.*}} + %{{.*}}, %{{.*}} + %{{.*}}] : memref<1x6x5x7xf32>
// CHECK: strata.nest = "contract"
func.func @main(%x: tensor<1x3x70xf32> {strata.name = "x"}, %w: tensor<4x6x3x3xf32> {strata.name = "w"}) -> (tensor<1x4x3x5xf32> {strata.name = "y"}) {
  %0 = "strata.exp"(%x) : (tensor<1x3x70xf32>) -> tensor<1x3x70xf32>
  %1 = "strata.reshape"(%0) : (tensor<1x3x70xf32>) -> tensor<1x6x5x7xf32>
  %2 = "strata.contract"(%1, %w) {maps = [affine_map<(n, m, h, w, c, r, s) -> (n, c, h + r, w + s)>, affine_map<(n, m, h, w, c, r, s) -> (m, c, r, s)>, affine_map<(n, m, h, w, c, r, s) -> (n, m, h, w)>], origin = "conv", zero_pad = false} : (tensor<1x6x5x7xf32>, tensor<4x6x3x3xf32>) -> tensor<1x4x3x5xf32>
  return %2 : tensor<1x4x3x5xf32>
}

// -----

// So it is with what a product reads through a reshape that cuts dims otherwise than they are.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = memref.alloc() : memref<6x35xf32>
// CHECK: affine.parallel (%[[I:.*]], %[[N:.*]]) = (0, 0) to (3, 70) {
// CHECK: affine.store {{.*}}, %[[T]][%[[I]] * 2 + %[[N]] floordiv 35, %[[N]] mod 35] : memref<6x35xf32>
func.func @main(%x: tensor<3x70xf32> {strata.name = "x"}, %w: tensor<35x4xf32> {strata.name = "w"}) -> (tensor<6x4xf32> {strata.name = "y"}) {
  %0 = "strata.exp"(%x) : (tensor<3x70xf32>) -> tensor<3x70xf32>
  %1 = "strata.reshape"(%0) : (tensor<3x70xf32>) -> tensor<6x35xf32>
  %2 = "strata.contract"(%1, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], origin = "matmul", zero_pad = false} : (tensor<6x35xf32>, tensor<35x4xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// -----

// What another product computes is stored as that walks it.
// CHECK-LABEL: func.func @main
// CHECK: memref.alloc() : memref<3x70xf32>
// CHECK: strata.nest = "contract"
func.func @main(%x: tensor<3x8xf32> {strata.name = "x"}, %v: tensor<8x70xf32> {strata.name = "v"}, %w: tensor<35x4xf32> {strata.name = "w"}) -> (tensor<6x4xf32> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %v) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], origin = "matmul", zero_pad = false} : (tensor<3x8xf32>, tensor<8x70xf32>) -> tensor<3x70xf32>
  %1 = "strata.reshape"(%0) : (tensor<3x70xf32>) -> tensor<6x35xf32>
  %2 = "strata.contract"(%1, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], origin = "matmul", zero_pad = false} : (tensor<6x35xf32>, tensor<35x4xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}
