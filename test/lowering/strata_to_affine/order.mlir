// A contract and what follows it elementwise are computed in one order, also where views lie between them.
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine | FileCheck %s

// Stored through views that cut dims: in the order of what is stored, back to the contract, unary and binary ops alike.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<6x7xf16>, %[[W:[a-z0-9]+]]: memref<7x8xf16>, %[[B:[a-z0-9]+]]: memref<8xf16>, %[[Y:[a-z0-9]+]]: memref<2x4x3x2xf16>
// CHECK: %[[C:.*]] = memref.alloc() : memref<2x4x3x2xf16>
// CHECK: affine.parallel (%[[I:.*]], %[[H:.*]], %[[S:.*]], %[[D:.*]]) = (0, 0, 0, 0) to (2, 4, 3, 2)
// CHECK: affine.load %[[X]][%[[I]] * 3 + %[[S]], %{{.*}}]
// CHECK: affine.load %[[W]][%{{.*}}, %[[H]] * 2 + %[[D]]]
// CHECK: affine.store %{{.*}}, %[[C]][%[[I]], %[[H]], %[[S]], %[[D]]]
// CHECK: strata.nest = "contract"
// CHECK: affine.parallel (%[[I:.*]], %[[H:.*]], %[[S:.*]], %[[D:.*]]) = (0, 0, 0, 0) to (2, 4, 3, 2)
// CHECK: affine.load %[[C]][%[[I]], %[[H]], %[[S]], %[[D]]]
// CHECK: affine.load %[[B]][%[[H]] * 2 + %[[D]]]
// CHECK: affine.store %{{.*}}, %[[A:.*]][%[[I]], %[[H]], %[[S]], %[[D]]] : memref<2x4x3x2xf16>
// CHECK: strata.nest = "add"
// CHECK: affine.load %[[A]][
// CHECK: affine.store %{{.*}}, %[[T:.*]][%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : memref<2x4x3x2xf16>
// CHECK: strata.nest = "tanh"
// CHECK: affine.load %[[A]][
// CHECK: affine.load %[[T]][
// CHECK: affine.store %{{.*}}, %[[Y]][%{{[a-z0-9]*}}, %{{[a-z0-9]*}}, %{{[a-z0-9]*}}, %{{[a-z0-9]*}}]
// CHECK: strata.nest = "mul"
#row = affine_map<(m, n, k) -> (m, k)>
#col = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#last = affine_map<(m, n) -> (n)>
func.func @main(%x: tensor<6x7xf16>, %w: tensor<7x8xf16>, %b: tensor<8xf16>) -> (tensor<2x4x3x2xf16>) {
  %0 = "strata.contract"(%x, %w) {maps = [#row, #col, #out], origin = "matmul", zero_pad = false} : (tensor<6x7xf16>, tensor<7x8xf16>) -> tensor<6x8xf16>
  %1 = "strata.broadcast"(%b) {map = #last} : (tensor<8xf16>) -> tensor<6x8xf16>
  %2 = "strata.add"(%0, %1) : (tensor<6x8xf16>, tensor<6x8xf16>) -> tensor<6x8xf16>
  %3 = "strata.tanh"(%2) : (tensor<6x8xf16>) -> tensor<6x8xf16>
  %4 = "strata.mul"(%2, %3) : (tensor<6x8xf16>, tensor<6x8xf16>) -> tensor<6x8xf16>
  %5 = "strata.reshape"(%4) : (tensor<6x8xf16>) -> tensor<2x3x4x2xf16>
  %6 = "strata.transpose"(%5) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x3x4x2xf16>) -> tensor<2x4x3x2xf16>
  return %6 : tensor<2x4x3x2xf16>
}

// -----

// Patches back into an image: the last view joins what the one before it cut, and that one's order keeps rows and
// columns dims.
// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%[[N:.*]], %[[C:.*]], %[[I:.*]], %[[P:.*]], %[[J:.*]], %[[Q:.*]]) = (0, 0, 0, 0, 0, 0) to (2, 3, 5, 4, 6, 4)
// CHECK: affine.load %{{.*}}[%[[N]] * 30 + %[[I]] * 6 + %[[J]], %{{.*}}]
// CHECK: affine.load %{{.*}}[%{{.*}}, %[[C]] + %[[P]] * 12 + %[[Q]] * 3]
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[N]], %[[C]], %[[I]] * 4 + %[[P]], %[[J]] * 4 + %[[Q]]] : memref<2x3x20x24xf32>
// CHECK: strata.nest = "contract"
#row = affine_map<(m, n, k) -> (m, k)>
#col = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<60x7xf32>, %w: tensor<7x48xf32>) -> (tensor<2x3x20x24xf32>) {
  %0 = "strata.contract"(%x, %w) {maps = [#row, #col, #out], origin = "matmul", zero_pad = false} : (tensor<60x7xf32>, tensor<7x48xf32>) -> tensor<60x48xf32>
  %1 = "strata.reshape"(%0) : (tensor<60x48xf32>) -> tensor<2x5x6x4x4x3xf32>
  %2 = "strata.transpose"(%1) {permutation = array<i64: 0, 5, 1, 3, 2, 4>} : (tensor<2x5x6x4x4x3xf32>) -> tensor<2x3x5x4x6x4xf32>
  %3 = "strata.reshape"(%2) : (tensor<2x3x5x4x6x4xf32>) -> tensor<2x3x20x24xf32>
  return %3 : tensor<2x3x20x24xf32>
}

// -----

// Windows back into rows, plus a residual of whole rows: both in the order of the windows' rows and columns.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[R:[a-z0-9]+]]: memref<2x24x4xf32>, %[[Y:[a-z0-9]+]]: memref<2x24x4xf32>
// CHECK: affine.parallel (%{{.*}}) = (0, 0, 0, 0, 0, 0) to (2, 2, 3, 2, 2, 4)
// CHECK: strata.nest = "contract"
// CHECK: affine.parallel (%[[N:.*]], %[[I:.*]], %[[P:.*]], %[[J:.*]], %[[Q:.*]], %[[C:.*]]) = (0, 0, 0, 0, 0, 0) to (2, 2, 3, 2, 2, 4)
// CHECK: affine.load %{{.*}}[%[[N]], %[[I]], %[[P]], %[[J]], %[[Q]], %[[C]]]
// CHECK: affine.load %[[R]][%[[N]], %[[I]] * 12 + %[[P]] * 4 + %[[J]] * 2 + %[[Q]], %[[C]]]
// CHECK: affine.store %{{.*}}, %[[Y]][%[[N]], %[[I]] * 12 + %[[P]] * 4 + %[[J]] * 2 + %[[Q]], %[[C]]]
// CHECK: strata.nest = "add"
#row = affine_map<(b, m, n, k) -> (b, m, k)>
#col = affine_map<(b, m, n, k) -> (k, n)>
#out = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @main(%x: tensor<8x6x7xf32>, %w: tensor<7x4xf32>, %r: tensor<2x24x4xf32>) -> (tensor<2x24x4xf32>) {
  %0 = "strata.contract"(%x, %w) {maps = [#row, #col, #out], origin = "matmul", zero_pad = false} : (tensor<8x6x7xf32>, tensor<7x4xf32>) -> tensor<8x6x4xf32>
  %1 = "strata.reshape"(%0) : (tensor<8x6x4xf32>) -> tensor<2x2x2x3x2x4xf32>
  %2 = "strata.transpose"(%1) {permutation = array<i64: 0, 1, 3, 2, 4, 5>} : (tensor<2x2x2x3x2x4xf32>) -> tensor<2x2x3x2x2x4xf32>
  %3 = "strata.reshape"(%2) : (tensor<2x2x3x2x2x4xf32>) -> tensor<2x24x4xf32>
  %4 = "strata.add"(%3, %r) : (tensor<2x24x4xf32>, tensor<2x24x4xf32>) -> tensor<2x24x4xf32>
  return %4 : tensor<2x24x4xf32>
}

// -----

// Somebody else wants the contract's result as it is: only the last op is computed in the order of what is stored.
// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (6, 8)
// CHECK: strata.nest = "contract"
// CHECK: affine.parallel (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0, 0) to (2, 4, 3, 2)
// CHECK: strata.nest = "exp"
// CHECK: strata.nest = "reduce"
#row = affine_map<(m, n, k) -> (m, k)>
#col = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<6x7xf32>, %w: tensor<7x8xf32>) -> (tensor<2x4x3x2xf32>, tensor<6xf32>) {
  %0 = "strata.contract"(%x, %w) {maps = [#row, #col, #out], origin = "matmul", zero_pad = false} : (tensor<6x7xf32>, tensor<7x8xf32>) -> tensor<6x8xf32>
  %1 = "strata.exp"(%0) : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %2 = "strata.reshape"(%1) : (tensor<6x8xf32>) -> tensor<2x3x4x2xf32>
  %3 = "strata.transpose"(%2) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x3x4x2xf32>) -> tensor<2x4x3x2xf32>
  %4 = "strata.reduce"(%0) {axes = array<i64: 1>, kind = "add"} : (tensor<6x8xf32>) -> tensor<6xf32>
  return %3, %4 : tensor<2x4x3x2xf32>, tensor<6xf32>
}
