// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v4 | FileCheck %s

// Sizes that vary: symbols are arguments behind the buffers, in the order of their numbers; the number of tasks is a map
// over the module's symbols; elements are found at positions that are computed.
// CHECK-DAG: #[[TASKS:.*]] = affine_map<()[s0, s1] -> (s1 + s0 ceildiv 4)>
// CHECK-DAG: #[[SIZES:.*]] = affine_map<()[s0, s1] -> (s0, s1)>
// CHECK-DAG: #[[TWICE:.*]] = affine_map<()[s0] -> (s0 * 2)>
// CHECK: func.func private @k({{.*}}) attributes {strata.scratch = 0 : i64, strata.sizes = #[[SIZES]], strata.tasks = #[[TASKS]]}
// CHECK: module @kernels
// CHECK: func.func @k(%[[X:.*]]: memref<0xf32>, %[[Y:.*]]: memref<7xf32>, %[[B:.*]]: index, %[[S:.*]]: index, %[[BEGIN:.*]]: index, %[[END:.*]]: index, %{{.*}}: memref<0xi8>)
// CHECK: scf.for %[[T:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[ROW:.*]] = arith.muli %[[T]], %[[S]] : index
// CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %[[B]] : index
// CHECK: %[[SIZE:.*]] = affine.apply #[[TWICE]]()[%[[S]]]
// CHECK: %[[WHOLE:.*]] = arith.muli %[[AT]], %[[SIZE]] : index
// CHECK: %[[PLACE:.*]] = arith.addi %[[WHOLE]], %[[T]] : index
// CHECK: %[[V:.*]] = memref.load %[[X]][%[[PLACE]]] : memref<0xf32>
// CHECK: memref.store %[[V]], %[[Y]][%[[T]]] : memref<7xf32>
func.func @main(%x: memref<4x?x?xf32, {sizes = affine_map<()[s0, s1] -> (4, s1, s1 * 2)>}>, %y: memref<7xf32>)
    attributes {strata.symbols = [{name = "b", min = 1 : i64, max = 9 : i64, multiple = 1 : i64},
                                  {name = "s", min = 1 : i64, max = 9 : i64, multiple = 1 : i64}]} {
  call @k(%x, %y) : (memref<4x?x?xf32, {sizes = affine_map<()[s0, s1] -> (4, s1, s1 * 2)>}>, memref<7xf32>) -> ()
  return
}
func.func private @k(%x: memref<4x?x?xf32, {sizes = affine_map<()[s0, s1] -> (4, s1, s1 * 2)>}>, %y: memref<7xf32>) {
  %b = "strata.size"() {symbol = 0 : i64} : () -> index
  %s = "strata.size"() {symbol = 1 : i64} : () -> index
  %n = affine.apply affine_map<(d0)[s0] -> (s0 ceildiv 4 + d0)>(%s)[%b]
  scf.forall (%t) in (%n) {
    %v = memref.load %x[%t, %b, %t] : memref<4x?x?xf32, {sizes = affine_map<()[s0, s1] -> (4, s1, s1 * 2)>}>
    memref.store %v, %y[%t] : memref<7xf32>
  }
  return
}
