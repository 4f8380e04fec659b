// Rows in sequences on a GPU: no thread walks a sequence, but finds the one that its row, or its part of a sequence, is of.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --strata-to-affine | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<600x8xf16> {{.*}}, %[[O:.*]]: memref<6xi64>

// Five sequences are found in three steps.
// CHECK: affine.parallel (%[[R:.*]]) = (0) to (600) {
// CHECK:   scf.for %{{.*}} = %{{.*}} to %c3{{.*}} step %{{.*}} iter_args
// CHECK:     memref.load %[[O]]
// CHECK:   memref.store %{{.*}}, %{{.*}}[%[[R]]] : memref<600xi64>
// CHECK: } {strata.nest = "segment_rows", strata.serial}

// Parts of 64 rows: 600 / 64 + 5; their sums are f32.
// CHECK: affine.parallel (%[[T:.*]], %[[J:.*]]) = (0, 0) to (14, 8) {
// CHECK:   scf.for %{{.*}} = %{{.*}} to %c3{{.*}} step %{{.*}} iter_args
// CHECK:   %[[SUM:.*]] = scf.for %[[R:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32) {
// CHECK:     memref.load %[[X]][%[[R]], %[[J]]] : memref<600x8xf16>
// CHECK:   affine.store %[[SUM]], %[[PARTS:.*]][%[[T]], %[[J]]] : memref<14x8xf32>
// CHECK: } {strata.nest = "segment_parts", strata.serial}
// CHECK: affine.parallel (%[[B:.*]], %[[J:.*]]) = (0, 0) to (5, 8) {
// CHECK:   scf.for
// CHECK:     memref.load %[[PARTS]]
// CHECK: } {strata.nest = "segment_reduce", strata.serial}

// Of few rows there are no parts.
// CHECK-NOT: segment_parts
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (5, 8) {
// CHECK: } {strata.nest = "segment_reduce", strata.serial}
func.func @main(%x: tensor<600x8xf16> {strata.name = "x"}, %o: tensor<6xi64> {strata.name = "o"},
                %z: tensor<100x8xf16> {strata.name = "z"})
    -> (tensor<600xi64> {strata.name = "m"}, tensor<5x8xf16> {strata.name = "r"}, tensor<5x8xf16> {strata.name = "s"}) {
  %m = "strata.segment_rows"(%o) : (tensor<6xi64>) -> tensor<600xi64>
  %r = "strata.segment_reduce"(%x, %o) {kind = "add"} : (tensor<600x8xf16>, tensor<6xi64>) -> tensor<5x8xf16>
  %s = "strata.segment_reduce"(%z, %o) {kind = "max"} : (tensor<100x8xf16>, tensor<6xi64>) -> tensor<5x8xf16>
  return %m, %r, %s : tensor<600xi64>, tensor<5x8xf16>, tensor<5x8xf16>
}
