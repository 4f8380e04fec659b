// RUN: strata-opt %s --split-input-file --alias=present=past --pipeline=strata-aliases,strata-grow-in-place | FileCheck %s
// RUN: strata-opt %s --split-input-file --pipeline=strata-grow-in-place | FileCheck %s --check-prefix=NONE

// Both have room for the longest; what reads the argument or the result reads the part of it that there is.
// CHECK-DAG: #[[OLD_SIZES:.*]] = affine_map<()[s0] -> (2, s0, 8)>
// CHECK-DAG: #[[SIZES:.*]] = affine_map<()[s0] -> (2, s0 + 1, 8)>
// CHECK-DAG: #[[BEHIND_SIZES:.*]] = affine_map<()[s0] -> (2, -s0 + 63, 8)>
// CHECK-DAG: #[[BEHIND_START:.*]] = affine_map<()[s0] -> (0, s0 + 1, 0)>
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[PAST:.*]]: tensor<2x64x8xf16> {strata.name = "past"}, %[[NEW:.*]]: tensor<2x1x8xf16>
// CHECK-SAME: -> (tensor<2x64x8xf16> {strata.alias = "past", strata.name = "present"}
// CHECK: %[[OLD:.*]] = "strata.slice"(%[[PAST]])
// CHECK-SAME: -> tensor<2x?x8xf16, #[[OLD_SIZES]]>
// CHECK: %[[JOINED:.*]] = "strata.concat"(%[[OLD]], %[[NEW]])
// CHECK: %[[BEHIND:.*]] = "strata.slice"(%[[PAST]]) {starts = #[[BEHIND_START]]
// CHECK-SAME: -> tensor<2x?x8xf16, #[[BEHIND_SIZES]]>
// CHECK: %[[WHOLE:.*]] = "strata.concat"(%[[JOINED]], %[[BEHIND]])
// CHECK-SAME: -> tensor<2x64x8xf16>
// CHECK: %[[READ:.*]] = "strata.slice"(%[[WHOLE]])
// CHECK-SAME: -> tensor<2x?x8xf16, #[[SIZES]]>
// CHECK: %[[Y:.*]] = "strata.exp"(%[[READ]])
// CHECK: return %[[WHOLE]], %[[Y]]
// NONE-LABEL: func.func @main
// NONE-NOT: strata.slice
func.func @main(%x: tensor<2x?x8xf16, affine_map<()[s0] -> (2, s0, 8)>> {strata.name = "past"}, %n: tensor<2x1x8xf16> {strata.name = "new"})
    -> (tensor<2x?x8xf16, affine_map<()[s0] -> (2, s0 + 1, 8)>> {strata.name = "present"},
        tensor<2x?x8xf16, affine_map<()[s0] -> (2, s0 + 1, 8)>> {strata.name = "y"})
    attributes {strata.symbols = [{name = "length", min = 0, max = 63, multiple = 1, likely = []}]} {
  %0 = "strata.concat"(%x, %n) {axis = 1 : i64} : (tensor<2x?x8xf16, affine_map<()[s0] -> (2, s0, 8)>>, tensor<2x1x8xf16>)
    -> tensor<2x?x8xf16, affine_map<()[s0] -> (2, s0 + 1, 8)>>
  %1 = "strata.exp"(%0) : (tensor<2x?x8xf16, affine_map<()[s0] -> (2, s0 + 1, 8)>>) -> tensor<2x?x8xf16, affine_map<()[s0] -> (2, s0 + 1, 8)>>
  return %0, %1 : tensor<2x?x8xf16, affine_map<()[s0] -> (2, s0 + 1, 8)>>, tensor<2x?x8xf16, affine_map<()[s0] -> (2, s0 + 1, 8)>>
}

// -----

// Of known sizes the argument has the room of the result, which is full then.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[PAST:.*]]: tensor<2x8x8xf16> {strata.name = "past"}
// CHECK: %[[OLD:.*]] = "strata.slice"(%[[PAST]])
// CHECK: %[[JOINED:.*]] = "strata.concat"(%[[OLD]], %{{.*}})
// CHECK-NEXT: return %[[JOINED]]
func.func @main(%x: tensor<2x7x8xf16> {strata.name = "past"}, %n: tensor<2x1x8xf16> {strata.name = "new"})
    -> (tensor<2x8x8xf16> {strata.name = "present"}) {
  %0 = "strata.concat"(%x, %n) {axis = 1 : i64} : (tensor<2x7x8xf16>, tensor<2x1x8xf16>) -> tensor<2x8x8xf16>
  return %0 : tensor<2x8x8xf16>
}

// -----

// What is behind something else, or may be of any length, has no room; nor has what another argument begins.
// CHECK-LABEL: func.func @main
// CHECK-NOT: strata.slice
func.func @main(%x: tensor<2x7x8xf16> {strata.name = "past"}, %n: tensor<2x1x8xf16> {strata.name = "new"})
    -> (tensor<2x8x8xf16> {strata.name = "present"}) {
  %0 = "strata.concat"(%n, %x) {axis = 1 : i64} : (tensor<2x1x8xf16>, tensor<2x7x8xf16>) -> tensor<2x8x8xf16>
  return %0 : tensor<2x8x8xf16>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK-NOT: strata.slice
func.func @main(%x: tensor<?x8xf16, affine_map<()[s0] -> (s0, 8)>> {strata.name = "past"}, %n: tensor<1x8xf16> {strata.name = "new"})
    -> (tensor<?x8xf16, affine_map<()[s0] -> (s0 + 1, 8)>> {strata.name = "present"})
    attributes {strata.symbols = [{name = "length", min = 0, max = 2147483647, multiple = 1, likely = []}]} {
  %0 = "strata.concat"(%x, %n) {axis = 0 : i64} : (tensor<?x8xf16, affine_map<()[s0] -> (s0, 8)>>, tensor<1x8xf16>)
    -> tensor<?x8xf16, affine_map<()[s0] -> (s0 + 1, 8)>>
  return %0 : tensor<?x8xf16, affine_map<()[s0] -> (s0 + 1, 8)>>
}
