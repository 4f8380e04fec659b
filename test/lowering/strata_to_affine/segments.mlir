// Rows in sequences: loops between offsets that are read and clamped to the rows that there are.
// RUN: strata-opt %s --strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<20x8xf32> {{.*}}, %[[O:.*]]: memref<4xi64>

// Each sequence writes its number into its rows, the first from row 0 on, the last up to the end.
// CHECK: affine.parallel (%[[B:.*]]) = (0) to (3) {
// CHECK:   affine.load %[[O]][%[[B]]] : memref<4xi64>
// CHECK:   affine.load %[[O]][%[[B]] + 1] : memref<4xi64>
// CHECK:   %[[FIRST:.*]] = arith.select
// CHECK:   %[[END:.*]] = arith.select
// CHECK:   scf.for %[[R:.*]] = %[[FIRST]] to %[[END]] step
// CHECK:     memref.store %{{.*}}, %[[MAP:.*]][%[[R]]] : memref<20xi64>
// CHECK: } {strata.nest = "segment_rows", strata.serial}

// CHECK: affine.parallel (%[[B:.*]], %[[J:.*]]) = (0, 0) to (3, 8) {
// CHECK:   %[[BEGIN:.*]] = arith.minsi
// CHECK:   %[[END:.*]] = arith.minsi
// CHECK:   %[[SUM:.*]] = scf.for %[[R:.*]] = %[[BEGIN]] to %[[END]] step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32) {
// CHECK:     memref.load %[[X]][%[[R]], %[[J]]] : memref<20x8xf32>
// CHECK:   affine.store %[[SUM]], %{{.*}}[%[[B]], %[[J]]] : memref<3x8xf32>
// CHECK: } {strata.nest = "segment_reduce", strata.serial}

// CHECK: affine.parallel (%[[R:.*]], %[[N:.*]]) = (0, 0) to (20, 16) {
// CHECK:   affine.load %[[MAP]][%[[R]]]
// CHECK:   affine.for %[[K:.*]] = 0 to 8
// CHECK:     affine.load %[[X]][%[[R]], %[[K]]]
// CHECK:     memref.load %{{.*}}[%{{.*}}, %[[K]], %[[N]]] : memref<3x8x16xf32>
// CHECK: } {strata.nest = "segment_contract", strata.serial}

// Heads 0 and 1 read the keys of head 0.
// CHECK: affine.parallel (%[[R:.*]], %[[H:.*]]) = (0, 0) to (20, 2) {
// CHECK:   affine.for
// CHECK:   scf.for %[[KEY:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}}, %{{.*}}) -> (f32, f32) {
// CHECK:     affine.for %[[D:.*]] = 0 to 4
// CHECK:       affine.load %{{.*}}[%[[R]], %[[H]] * 4 + %[[D]]] : memref<20x8xf32>
// CHECK: } {strata.nest = "segment_attention", strata.serial}
func.func @main(%x: tensor<20x8xf32> {strata.name = "x"}, %o: tensor<4xi64> {strata.name = "o"},
                %w: tensor<3x8x16xf32> {strata.name = "w"})
    -> (tensor<3x8xf32> {strata.name = "r"}, tensor<20x16xf32> {strata.name = "p"}, tensor<20x2x4xf32> {strata.name = "t"}) {
  %m = "strata.segment_rows"(%o) : (tensor<4xi64>) -> tensor<20xi64>
  %r = "strata.segment_reduce"(%x, %o) {kind = "add"} : (tensor<20x8xf32>, tensor<4xi64>) -> tensor<3x8xf32>
  %p = "strata.segment_contract"(%x, %w, %m) : (tensor<20x8xf32>, tensor<3x8x16xf32>, tensor<20xi64>) -> tensor<20x16xf32>
  %q = "strata.reshape"(%x) : (tensor<20x8xf32>) -> tensor<20x2x4xf32>
  %k = "strata.slice"(%q) {starts = array<i64: 0, 1, 0>, steps = array<i64: 1, 1, 1>} : (tensor<20x2x4xf32>) -> tensor<20x1x4xf32>
  %t = "strata.segment_attention"(%q, %k, %k, %m, %o, %o) {causal = true, scale = 0.5}
      : (tensor<20x2x4xf32>, tensor<20x1x4xf32>, tensor<20x1x4xf32>, tensor<20xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<20x2x4xf32>
  return %r, %p, %t : tensor<3x8xf32>, tensor<20x16xf32>, tensor<20x2x4xf32>
}
