// RUN: strata-opt %s --split-input-file --device=sapphirerapids --pipeline=affine-quads | FileCheck %s
// RUN: strata-opt %s --split-input-file --device=x86-64-v3 --pipeline=affine-quads | FileCheck %s --check-prefix=NONE
// NONE-NOT: strata.quads

// Bytes along the sum are read four at a time. The right operand lies across: it is copied first.
// CHECK-LABEL: func.func @main
// CHECK: call @k_quads1(%arg1, %[[B:.*]]) : (memref<16x6xi8>, memref<6x16xi8>)
// CHECK: "strata.view"(%arg0) : (memref<5x16xi8>) -> memref<5x4xi32>
// CHECK: "strata.view"(%[[B]]) : (memref<6x16xi8>) -> memref<6x4xi32>
// CHECK: call @k
// CHECK-LABEL: func.func private @k_quads1
// CHECK: affine.load %{{.*}}[%[[K:.*]], %[[N:.*]]] : memref<16x6xi8>
// CHECK-LABEL: func.func private @k(
// CHECK: affine.for %[[K:.*]] = 0 to 4
// CHECK: %[[X:.*]] = affine.load %arg0[%{{.*}}, %[[K]]] : memref<5x4xi32>
// CHECK: %[[Y:.*]] = affine.load %arg1[%{{.*}}, %[[K]]] : memref<6x4xi32>
// CHECK: arith.muli %[[X]], %[[Y]] {strata.quads} : i32
func.func @main(%a: memref<5x16xi8> {strata.name = "a"}, %b: memref<16x6xi8> {strata.name = "b"}, %y: memref<5x6xi32> {strata.name = "y", strata.output}) {
  call @k(%a, %b, %y) : (memref<5x16xi8>, memref<16x6xi8>, memref<5x6xi32>) -> ()
  return
}
func.func private @k(%a: memref<5x16xi8>, %b: memref<16x6xi8>, %y: memref<5x6xi32>) {
  affine.parallel (%i, %j) = (0, 0) to (5, 6) {
    %zero = arith.constant 0 : i32
    %sum = affine.for %k = 0 to 16 iter_args(%acc = %zero) -> (i32) {
      %0 = affine.load %a[%i, %k] : memref<5x16xi8>
      %1 = arith.extui %0 : i8 to i32
      %2 = affine.load %b[%k, %j] : memref<16x6xi8>
      %3 = arith.extsi %2 : i8 to i32
      %4 = arith.muli %1, %3 : i32
      %5 = arith.addi %acc, %4 : i32
      affine.yield %5 : i32
    }
    affine.store %sum, %y[%i, %j] : memref<5x6xi32>
  } {strata.nest = "contract"}
  return
}

// -----

// Rows whose number varies are views of as many; the weights are copied.
// CHECK-LABEL: func.func @main
// CHECK: call @k_quads1(%arg1, %[[B:.*]]) : (memref<16x6xi8>, memref<6x16xi8>)
// CHECK: "strata.view"(%arg0) : (memref<?x16xi8, {{.*}}>) -> memref<?x4xi32, {{.*}}>
// CHECK: "strata.view"(%[[B]]) : (memref<6x16xi8>) -> memref<6x4xi32>
// CHECK-LABEL: func.func private @k(
// CHECK: affine.for %[[K:.*]] = 0 to 4
// CHECK: %[[X:.*]] = affine.load %arg0[%{{.*}}, %[[K]]] : memref<?x4xi32, {{.*}}>
// CHECK: %[[Y:.*]] = affine.load %arg1[%{{.*}}, %[[K]]] : memref<6x4xi32>
// CHECK: arith.muli %[[X]], %[[Y]] {strata.quads} : i32
!a = memref<?x16xi8, {sizes = affine_map<()[s0] -> (s0, 16)>}>
!y = memref<?x6xi32, {sizes = affine_map<()[s0] -> (s0, 6)>}>
func.func @main(%a: !a {strata.name = "a"}, %b: memref<16x6xi8> {strata.name = "b"}, %y: !y {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 64 : i64, multiple = 1 : i64, likely = [8]}]} {
  call @k(%a, %b, %y) : (!a, memref<16x6xi8>, !y) -> ()
  return
}
func.func private @k(%a: !a, %b: memref<16x6xi8>, %y: !y) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 6) {
    %zero = arith.constant 0 : i32
    %sum = affine.for %k = 0 to 16 iter_args(%acc = %zero) -> (i32) {
      %0 = affine.load %a[%i, %k] : !a
      %1 = arith.extui %0 : i8 to i32
      %2 = affine.load %b[%k, %j] : memref<16x6xi8>
      %3 = arith.extsi %2 : i8 to i32
      %4 = arith.muli %1, %3 : i32
      %5 = arith.addi %acc, %4 : i32
      affine.yield %5 : i32
    }
    affine.store %sum, %y[%i, %j] : !y
  } {strata.nest = "contract"}
  return
}
