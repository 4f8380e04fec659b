// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s
// RUN: strata %s --target=amdgpu --device=gfx942 --compile-to=affine --explain -o %t | FileCheck %s
// RUN: strata %s --device=x86-64-v3 --compile-to=affine --explain -o %t | FileCheck %s

// A concat of inputs and a stack of what is computed from them: one launch. The reason is said where it is not one.
// CHECK-DAG: kernel k0: 3 calls share a launch
// CHECK-DAG: kernel k3: no launch with k0, of which it is independent: their schedules differ
// CHECK: a run: 2 launches
func.func @main(%a: tensor<30x17xf16> {strata.name = "a"}, %b: tensor<30x64xf16> {strata.name = "b"},
                %c: tensor<30x3xf16> {strata.name = "c"})
    -> (tensor<30x84xf16> {strata.name = "y"}, tensor<90x64xf16> {strata.name = "z"}, tensor<30xf16> {strata.name = "s"}) {
  %0 = "strata.concat"(%a, %b) {axis = 1 : i64} : (tensor<30x17xf16>, tensor<30x64xf16>) -> tensor<30x81xf16>
  %1 = "strata.concat"(%0, %c) {axis = 1 : i64} : (tensor<30x81xf16>, tensor<30x3xf16>) -> tensor<30x84xf16>
  %2 = "strata.relu"(%b) : (tensor<30x64xf16>) -> tensor<30x64xf16>
  %3 = "strata.abs"(%b) : (tensor<30x64xf16>) -> tensor<30x64xf16>
  %4 = "strata.concat"(%2, %3) {axis = 0 : i64} : (tensor<30x64xf16>, tensor<30x64xf16>) -> tensor<60x64xf16>
  %5 = "strata.neg"(%b) : (tensor<30x64xf16>) -> tensor<30x64xf16>
  %6 = "strata.concat"(%4, %5) {axis = 0 : i64} : (tensor<60x64xf16>, tensor<30x64xf16>) -> tensor<90x64xf16>
  %7 = "strata.reduce"(%c) {kind = "max", axes = array<i64: 1>} : (tensor<30x3xf16>) -> tensor<30xf16>
  return %1, %6, %7 : tensor<30x84xf16>, tensor<90x64xf16>, tensor<30xf16>
}
