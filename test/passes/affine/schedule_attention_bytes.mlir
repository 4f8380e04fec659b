// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine -o - | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=tile -o - | FileCheck %s --check-prefix=TILE
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s --check-prefix=GPU

// Four rows of two heads over 1024 columns of bytes: the kernel reads them as they lie, and has what widens them.
// CHECK-LABEL: func.func private @k0(
// CHECK-SAME: memref<2x1024x64xi8>
// CHECK-SAME: kind = "attention"
// CHECK-SAME: producers = 384 : i64, slots = 4 : i64
// CHECK-SAME: widened = 2 : i64
// CHECK: strata.nest = "convert"
// CHECK: strata.nest = "convert"

// TILE: %[[K:.*]] = "tile.load"({{.*}} -> vector<128x64xi8>
// TILE: arith.sitofp %[[K]]

// One thread fetches into four slots of bytes; behind it a warp group widens keys, and one values, into two.
// GPU-LABEL: func.func @k0(
// GPU: "tile.bulk_load"
// GPU: "tile.widen"({{.*}}) {from = "i8"} : (vector<8xi8>) -> vector<8xf16>
// GPU: "tile.fence"() {of = "shared"}
// GPU-NEXT: arith.constant
// GPU: "tile.group_barrier"
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#p = affine_map<(b, i, d, j) -> (b, i, j)>
#v = affine_map<(b, i, d, j) -> (b, j, d)>
#y = affine_map<(b, i, d, j) -> (b, i, d)>
func.func @main(%q: tensor<2x4x64xf16> {strata.name = "q"}, %k: tensor<2x1024x64xi8> {strata.name = "k"}, %v: tensor<2x1024x64xi8> {strata.name = "v"}) -> (tensor<2x4x64xf16> {strata.name = "y"}) {
  %0 = "strata.convert"(%k) : (tensor<2x1024x64xi8>) -> tensor<2x1024x64xf16>
  %1 = "strata.convert"(%v) : (tensor<2x1024x64xi8>) -> tensor<2x1024x64xf16>
  %2 = "strata.contract"(%q, %0) {maps = [#q, #k, #s], zero_pad = false, origin = "matmul"} : (tensor<2x4x64xf16>, tensor<2x1024x64xf16>) -> tensor<2x4x1024xf32>
  %3 = "strata.softmax"(%2) {axes = array<i64: 2>} : (tensor<2x4x1024xf32>) -> tensor<2x4x1024xf32>
  %4 = "strata.convert"(%3) : (tensor<2x4x1024xf32>) -> tensor<2x4x1024xf16>
  %5 = "strata.contract"(%4, %1) {maps = [#p, #v, #y], zero_pad = false, origin = "matmul"} : (tensor<2x4x1024xf16>, tensor<2x1024x64xf16>) -> tensor<2x4x64xf16>
  return %5 : tensor<2x4x64xf16>
}
