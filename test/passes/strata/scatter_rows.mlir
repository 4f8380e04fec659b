// RUN: strata-opt %s --strata-simplify --strata-dce | FileCheck %s

// Neighbours, known: parts of a concat.
// CHECK-LABEL: @neighbours
// CHECK-DAG: %[[A:.*]] = "strata.slice"(%arg0) {starts = array<i64: 0, 0>, {{.*}} -> tensor<2x3xf32>
// CHECK-DAG: %[[B:.*]] = "strata.slice"(%arg0) {starts = array<i64: 4, 0>, {{.*}} -> tensor<4x3xf32>
// CHECK: "strata.concat"
// CHECK-NOT: strata.scatter
func.func @neighbours(%x: tensor<8x3xf32>, %u: tensor<2x3xf32>) -> tensor<8x3xf32> {
  %i = "strata.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = "strata.scatter"(%x, %i, %u) {kind = "none"} : (tensor<8x3xf32>, tensor<2xi64>, tensor<2x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// Few, known: the last update of a row is the one that counts, and those outside are dropped.
// CHECK-LABEL: @known
// CHECK: %[[U:.*]] = "strata.slice"(%arg1) {starts = array<i64: 0, 0>
// CHECK: %[[B:.*]] = "strata.broadcast"(%[[U]])
// CHECK: %[[M:.*]] = "strata.constant"() {value = dense<{{\[\[}}false, false, false], [false, false, false], [true, true, true], [false, false, false]]>
// CHECK: %[[S:.*]] = "strata.select"(%[[M]], %[[B]], %arg0)
// CHECK: %[[V:.*]] = "strata.slice"(%arg1) {starts = array<i64: 2, 0>
// CHECK: %[[C:.*]] = "strata.broadcast"(%[[V]])
// CHECK: %[[T:.*]] = "strata.select"(%{{.*}}, %[[C]], %[[S]])
// CHECK: return %[[T]]
func.func @known(%x: tensor<4x3xf32>, %u: tensor<3x3xf32>) -> tensor<4x3xf32> {
  %i = "strata.constant"() {value = dense<[2, 9, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
  %0 = "strata.scatter"(%x, %i, %u) {kind = "none"} : (tensor<4x3xf32>, tensor<3xi64>, tensor<3x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Few, not known: in order.
// CHECK-LABEL: @few
// CHECK: %[[S:.*]] = "strata.select"(%{{.*}}, %{{.*}}, %arg0)
// CHECK: "strata.select"(%{{.*}}, %{{.*}}, %[[S]])
// CHECK-NOT: strata.scatter
func.func @few(%x: tensor<8x3xf32>, %i: tensor<2xi32>, %u: tensor<2x3xf32>) -> tensor<8x3xf32> {
  %0 = "strata.scatter"(%x, %i, %u) {kind = "none"} : (tensor<8x3xf32>, tensor<2xi32>, tensor<2x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// Many, or sums.
// CHECK-LABEL: @many
// CHECK-COUNT-2: strata.scatter
func.func @many(%x: tensor<8x3xf32>, %i: tensor<6xi32>, %u: tensor<6x3xf32>, %j: tensor<1xi32>, %v: tensor<1x3xf32>) -> (tensor<8x3xf32>, tensor<8x3xf32>) {
  %0 = "strata.scatter"(%x, %i, %u) {kind = "none"} : (tensor<8x3xf32>, tensor<6xi32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  %1 = "strata.scatter"(%x, %j, %v) {kind = "add"} : (tensor<8x3xf32>, tensor<1xi32>, tensor<1x3xf32>) -> tensor<8x3xf32>
  return %0, %1 : tensor<8x3xf32>, tensor<8x3xf32>
}
