// Sizes that are read have their normal form, however they are written: what passes build in the place of something has
// the same type.
// RUN: strata-opt %s | FileCheck %s
// RUN: strata %s --compile-to=import | FileCheck %s
// RUN: strata %s --compile-to=graph | FileCheck %s
// RUN: strata %s --aot --aot-name=m -o %t

// CHECK-DAG: #[[JOINED:map[0-9]*]] = affine_map<()[s0, s1] -> (s0 * 2 + s1)>
// CHECK-DAG: #[[WINDOWS:map[0-9]*]] = affine_map<()[s0] -> ((s0 + 1) floordiv 2)>
// CHECK: func.func @main
// CHECK-SAME: -> (tensor<?xf32, #[[JOINED]]>{{.*}}, tensor<?xf32, #[[JOINED]]>{{.*}}, tensor<?xf32, #[[WINDOWS]]>{{.*}}, tensor<4xf32>
// CHECK: return %{{.*}} : tensor<?xf32, #[[JOINED]]>, tensor<?xf32, #[[JOINED]]>, tensor<?xf32, #[[WINDOWS]]>, tensor<4xf32>
#n = affine_map<()[s0] -> (s0)>
#m = affine_map<()[s0, s1] -> (s1)>
#nm = affine_map<()[s0, s1] -> (s0 + s1)>
#joined = affine_map<()[s0, s1] -> (s0 + s1 + s0)>
#turned = affine_map<()[s0, s1] -> (s1 + s0 * 2)>
#windows = affine_map<()[s0] -> ((s0 - 1) floordiv 2 + 1)>
#four = affine_map<()[s0, s1] -> ((s0 + s1) * 2 - s1 - s0 - s1 - s0 + 4)>
func.func @main(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>, %z: tensor<4xf32>)
    -> (tensor<?xf32, #joined>, tensor<?xf32, #turned>, tensor<?xf32, #windows>, tensor<?xf32, #four>)
    attributes {strata.symbols = [{name = "n", min = 1, max = 64, multiple = 1, likely = []},
                                  {name = "m", min = 1, max = 64, multiple = 1, likely = []}]} {
  %a = "strata.concat"(%x, %y) {axis = 0 : i64} : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32, #nm>
  %b = "strata.concat"(%a, %x) {axis = 0 : i64} : (tensor<?xf32, #nm>, tensor<?xf32, #n>) -> tensor<?xf32, #joined>
  %c = "strata.tanh"(%b) : (tensor<?xf32, #joined>) -> tensor<?xf32, #turned>
  %d = "strata.window"(%x) {kind = "max", window = array<i64: 1>, strides = array<i64: 2>, dilations = array<i64: 1>,
                            low = array<i64: 0>, high = array<i64: 0>}
    : (tensor<?xf32, #n>) -> tensor<?xf32, #windows>
  %e = "strata.exp"(%z) : (tensor<4xf32>) -> tensor<?xf32, #four>
  return %b, %c, %d, %e : tensor<?xf32, #joined>, tensor<?xf32, #turned>, tensor<?xf32, #windows>, tensor<?xf32, #four>
}
