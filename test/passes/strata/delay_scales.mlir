// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=strata-delay-scales,strata-dce | FileCheck %s
// RUN: strata-opt %s --split-input-file --pipeline=strata-delay-scales,strata-dce | FileCheck %s --check-prefix=CPU
// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --mlir-disable-fast-math --pipeline=strata-delay-scales,strata-dce | FileCheck %s --check-prefix=CPU

// A scale a head: behind the product, whose sums are f32.
// CHECK-LABEL: func.func @main
// CHECK: %[[K:.*]] = "strata.convert"(%arg1) : (tensor<2x8x16xi8>) -> tensor<2x8x16xf16>
// CHECK: %[[SUM:.*]] = "strata.contract"(%arg0, %[[K]]) {{.*}} -> tensor<2x4x8xf32>
// CHECK: %[[SCALE:.*]] = "strata.convert"(%arg2) : (tensor<2x1x1xf16>) -> tensor<2x1x1xf32>
// CHECK: %[[EACH:.*]] = "strata.broadcast"(%[[SCALE]]) {map = #[[MAP:.*]]} : (tensor<2x1x1xf32>) -> tensor<2x4x8xf32>
// CHECK: %[[SCALED:.*]] = "strata.mul"(%[[SUM]], %[[EACH]])
// CHECK: "strata.convert"(%[[SCALED]]) : (tensor<2x4x8xf32>) -> tensor<2x4x8xf16>
// CPU: "strata.mul"({{.*}} : (tensor<2x8x16xf16>, tensor<2x8x16xf16>)
// CPU-NEXT: "strata.contract"
// CPU: "strata.mul"({{.*}} : (tensor<2x8x16xf16>, tensor<2x8x16xf16>)
// CPU-NEXT: "strata.contract"
// CPU: "strata.mul"({{.*}} : (tensor<2x4x16xf16>, tensor<2x4x16xf16>)
// CPU-NEXT: "strata.contract"
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#head = affine_map<(b, j, d) -> (b, 0, 0)>
func.func @main(%q: tensor<2x4x16xf16> {strata.name = "q"}, %k: tensor<2x8x16xi8> {strata.name = "k"}, %s: tensor<2x1x1xf16> {strata.name = "s"}) -> (tensor<2x4x8xf16> {strata.name = "y"}) {
  %0 = "strata.convert"(%k) : (tensor<2x8x16xi8>) -> tensor<2x8x16xf16>
  %1 = "strata.broadcast"(%s) {map = #head} : (tensor<2x1x1xf16>) -> tensor<2x8x16xf16>
  %2 = "strata.mul"(%0, %1) : (tensor<2x8x16xf16>, tensor<2x8x16xf16>) -> tensor<2x8x16xf16>
  %3 = "strata.contract"(%q, %2) {maps = [#q, #k, #s], zero_pad = false, origin = "matmul"} : (tensor<2x4x16xf16>, tensor<2x8x16xf16>) -> tensor<2x4x8xf16>
  return %3 : tensor<2x4x8xf16>
}

// -----

// One of each column that is summed up: on the other operand, 64 times it in f16.
// CHECK-LABEL: func.func @main
// CHECK: %[[WIDE:.*]] = "strata.convert"(%arg0) : (tensor<2x4x8xf16>) -> tensor<2x4x8xf32>
// CHECK: %[[EACH:.*]] = "strata.broadcast"({{.*}} : (tensor<2x8x1xf32>) -> tensor<2x4x8xf32>
// CHECK: %[[SCALED:.*]] = "strata.mul"(%[[WIDE]], %[[EACH]])
// CHECK: %[[MORE:.*]] = "strata.mul"(%[[SCALED]], %{{.*}})
// CHECK: %[[P:.*]] = "strata.convert"(%[[MORE]]) : (tensor<2x4x8xf32>) -> tensor<2x4x8xf16>
// CHECK: %[[V:.*]] = "strata.convert"(%arg1) : (tensor<2x8x16xf8E4M3FN>) -> tensor<2x8x16xf16>
// CHECK: %[[SUM:.*]] = "strata.contract"(%[[P]], %[[V]]) {{.*}} -> tensor<2x4x16xf32>
// CHECK: "strata.mul"(%[[SUM]], %{{.*}})
#p = affine_map<(b, i, d, j) -> (b, i, j)>
#v = affine_map<(b, i, d, j) -> (b, j, d)>
#y = affine_map<(b, i, d, j) -> (b, i, d)>
#column = affine_map<(b, j, d) -> (b, j, 0)>
func.func @main(%p: tensor<2x4x8xf16> {strata.name = "p"}, %v: tensor<2x8x16xf8E4M3FN> {strata.name = "v"}, %s: tensor<2x8x1xf16> {strata.name = "s"}) -> (tensor<2x4x16xf16> {strata.name = "y"}) {
  %0 = "strata.convert"(%v) : (tensor<2x8x16xf8E4M3FN>) -> tensor<2x8x16xf16>
  %1 = "strata.broadcast"(%s) {map = #column} : (tensor<2x8x1xf16>) -> tensor<2x8x16xf16>
  %2 = "strata.mul"(%0, %1) : (tensor<2x8x16xf16>, tensor<2x8x16xf16>) -> tensor<2x8x16xf16>
  %3 = "strata.contract"(%p, %2) {maps = [#p, #v, #y], zero_pad = false, origin = "matmul"} : (tensor<2x4x8xf16>, tensor<2x8x16xf16>) -> tensor<2x4x16xf16>
  return %3 : tensor<2x4x16xf16>
}

// -----

// Of each element of the head dim: left.
// CHECK-LABEL: func.func @main
// CHECK: %[[K:.*]] = "strata.mul"({{.*}} : (tensor<2x8x16xf16>, tensor<2x8x16xf16>)
// CHECK: "strata.contract"(%arg0, %[[K]])
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#mixed = affine_map<(b, j, d) -> (0, j, d)>
func.func @main(%q: tensor<2x4x16xf16> {strata.name = "q"}, %k: tensor<2x8x16xi8> {strata.name = "k"}, %s: tensor<1x8x16xf16> {strata.name = "s"}) -> (tensor<2x4x8xf16> {strata.name = "y"}) {
  %0 = "strata.convert"(%k) : (tensor<2x8x16xi8>) -> tensor<2x8x16xf16>
  %1 = "strata.broadcast"(%s) {map = #mixed} : (tensor<1x8x16xf16>) -> tensor<2x8x16xf16>
  %2 = "strata.mul"(%0, %1) : (tensor<2x8x16xf16>, tensor<2x8x16xf16>) -> tensor<2x8x16xf16>
  %3 = "strata.contract"(%q, %2) {maps = [#q, #k, #s], zero_pad = false, origin = "matmul"} : (tensor<2x4x16xf16>, tensor<2x8x16xf16>) -> tensor<2x4x8xf16>
  return %3 : tensor<2x4x8xf16>
}

// -----

// One number that queries are scaled by.
// CHECK-LABEL: func.func @main
// CHECK: %[[SUM:.*]] = "strata.contract"(%arg0, %arg1) {{.*}} -> tensor<2x4x8xf32>
// CHECK: "strata.mul"(%[[SUM]], %{{.*}})
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
func.func @main(%q: tensor<2x4x16xf16> {strata.name = "q"}, %k: tensor<2x8x16xf16> {strata.name = "k"}) -> (tensor<2x4x8xf16> {strata.name = "y"}) {
  %c = "strata.constant"() {value = dense<0.25> : tensor<2x4x16xf16>} : () -> tensor<2x4x16xf16>
  %0 = "strata.mul"(%q, %c) : (tensor<2x4x16xf16>, tensor<2x4x16xf16>) -> tensor<2x4x16xf16>
  %1 = "strata.contract"(%0, %k) {maps = [#q, #k, #s], zero_pad = false, origin = "matmul"} : (tensor<2x4x16xf16>, tensor<2x8x16xf16>) -> tensor<2x4x8xf16>
  return %1 : tensor<2x4x8xf16>
}
