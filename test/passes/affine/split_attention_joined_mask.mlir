// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine -o - | FileCheck %s

// 899 columns that were cached and a new one, under a mask of columns: nothing is put together. The kernel behind has the
// new column's score, the mask's number of it included, and leaves it out where that is -inf; exponents below the least
// number, of the lowest that masks add, are that.
// CHECK-LABEL: func.func @main
// CHECK: call @k0(
// CHECK-NEXT: call @k0_sum(
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @k0_sum(
// CHECK-SAME: %[[MASK:arg[0-9]+]]: memref<2x900xf32>
// CHECK: strata.nest = "contract"
// CHECK: %[[LEAST:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK-NEXT: arith.maximumf %{{.*}}, %[[LEAST]]
// CHECK: %[[ADDED:.*]] = affine.load %[[MASK]][%{{.*}}, 899] : memref<2x900xf32>
// CHECK-NEXT: %[[SCORE:.*]] = arith.addf %{{.*}}, %[[ADDED]]
// CHECK: %[[SEEN:.*]] = arith.cmpf une, %[[SCORE]], %{{.*}}
// CHECK-COUNT-2: arith.select %[[SEEN]]
// CHECK: strata.nest = "parts"
func.func @main(%q: tensor<2x1x4x64xf16> {strata.name = "q"}, %k: tensor<2x1x899x64xf16> {strata.name = "k"},
    %kn: tensor<2x1x1x64xf16> {strata.name = "kn"}, %v: tensor<2x1x899x64xf16> {strata.name = "v"},
    %vn: tensor<2x1x1x64xf16> {strata.name = "vn"}, %m: tensor<2x900xf32> {strata.name = "m"})
    -> (tensor<2x1x4x64xf16> {strata.name = "y"}) {
  %kc = "strata.concat"(%k, %kn) {axis = 2 : i64}
    : (tensor<2x1x899x64xf16>, tensor<2x1x1x64xf16>) -> tensor<2x1x900x64xf16>
  %vc = "strata.concat"(%v, %vn) {axis = 2 : i64}
    : (tensor<2x1x899x64xf16>, tensor<2x1x1x64xf16>) -> tensor<2x1x900x64xf16>
  %0 = "strata.contract"(%q, %kc) {origin = "matmul", zero_pad = false,
    maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>,
            affine_map<(b, h, i, j, d) -> (b, h, i, j)>]}
    : (tensor<2x1x4x64xf16>, tensor<2x1x900x64xf16>) -> tensor<2x1x4x900xf32>
  %1 = "strata.broadcast"(%m) {map = affine_map<(b, h, i, j) -> (b, j)>} : (tensor<2x900xf32>) -> tensor<2x1x4x900xf32>
  %2 = "strata.add"(%0, %1) : (tensor<2x1x4x900xf32>, tensor<2x1x4x900xf32>) -> tensor<2x1x4x900xf32>
  %3 = "strata.softmax"(%2) {axes = array<i64: 3>} : (tensor<2x1x4x900xf32>) -> tensor<2x1x4x900xf32>
  %4 = "strata.convert"(%3) : (tensor<2x1x4x900xf32>) -> tensor<2x1x4x900xf16>
  %5 = "strata.contract"(%4, %vc) {origin = "matmul", zero_pad = false,
    maps = [affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>,
            affine_map<(b, h, i, d, j) -> (b, h, i, d)>]}
    : (tensor<2x1x4x900xf16>, tensor<2x1x900x64xf16>) -> tensor<2x1x4x64xf16>
  return %5 : tensor<2x1x4x64xf16>
}
