// RUN: strata-opt %s --pipeline=strata-to-affine | FileCheck %s

// Sizes that vary are part of the buffers' types, bounds of nests and symbols of maps; the value of a symbol is an op at
// the top of the function.
// CHECK-DAG: #[[X:.*]] = affine_map<()[s0, s1] -> (s0, s1, 6)>
// CHECK-DAG: #[[FLAT:.*]] = affine_map<()[s0, s1] -> (s0 * s1, 6)>
// CHECK: func.func @main(%[[IN:.*]]: memref<?x?x6xf32, {sizes = #[[X]]}> {strata.name = "x"}, %[[OUT:.*]]: memref<?x6xf32, {sizes = #[[FLAT]]}> {strata.name = "y", strata.output})
// CHECK-SAME: strata.symbols
// CHECK-DAG: %[[B:.*]] = "strata.size"() {symbol = 0 : i64}
// CHECK-DAG: %[[S:.*]] = "strata.size"() {symbol = 1 : i64}
// CHECK: %[[T:.*]] = memref.alloc(%[[B]], %[[S]]) : memref<?x?x6xf32, {sizes = #[[X]]}>
// CHECK: affine.parallel (%[[I:.*]], %[[J:.*]], %[[K:.*]]) = (0, 0, 0) to (symbol(%[[B]]), symbol(%[[S]]), 6)
// CHECK: affine.store %{{.*}}, %[[T]][%[[I]], %[[J]], %[[K]]]
// A reshape of sizes that vary cuts its dims in groups: (b, s) are one dim, and 6 stays.
// CHECK: affine.parallel (%[[R:.*]], %[[C:.*]]) = (0, 0) to (symbol(%[[B]]) * symbol(%[[S]]), 6)
// CHECK: affine.load %[[T]][%[[R]] floordiv symbol(%[[S]]), %[[R]] mod symbol(%[[S]]), %[[C]]]
// CHECK: affine.store %{{.*}}, %[[OUT]][%[[R]], %[[C]]]
func.func @main(%x: tensor<?x?x6xf32, affine_map<()[s0, s1] -> (s0, s1, 6)>> {strata.name = "x"})
    -> (tensor<?x6xf32, affine_map<()[s0, s1] -> (s0 * s1, 6)>> {strata.name = "y"})
    attributes {strata.symbols = [{name = "b", min = 1 : i64, max = 64 : i64, multiple = 1 : i64},
                                  {name = "s", min = 1 : i64, max = 64 : i64, multiple = 1 : i64}]} {
  %0 = "strata.exp"(%x) : (tensor<?x?x6xf32, affine_map<()[s0, s1] -> (s0, s1, 6)>>) -> tensor<?x?x6xf32, affine_map<()[s0, s1] -> (s0, s1, 6)>>
  %1 = "strata.reshape"(%0) : (tensor<?x?x6xf32, affine_map<()[s0, s1] -> (s0, s1, 6)>>) -> tensor<?x6xf32, affine_map<()[s0, s1] -> (s0 * s1, 6)>>
  %2 = "strata.add"(%1, %1) : (tensor<?x6xf32, affine_map<()[s0, s1] -> (s0 * s1, 6)>>, tensor<?x6xf32, affine_map<()[s0, s1] -> (s0 * s1, 6)>>) -> tensor<?x6xf32, affine_map<()[s0, s1] -> (s0 * s1, 6)>>
  return %2 : tensor<?x6xf32, affine_map<()[s0, s1] -> (s0 * s1, 6)>>
}
