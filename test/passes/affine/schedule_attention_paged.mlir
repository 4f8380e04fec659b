// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine -o - | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=tile -o - | FileCheck %s --check-prefix=TILE
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s --check-prefix=GPU
// RUN: strata %s --target=cpu --device=x86-64-v3 --compile-to=affine -o - | FileCheck %s --check-prefix=CPU

// Four rows of two batch entries over 13 pages of 32 columns: no launch gathers them.
// CHECK-LABEL: func.func @main
// CHECK: call @k0(
// CHECK-NOT: call @k1(
// CHECK-LABEL: func.func private @k0(
// CHECK-SAME: kind = "attention"
// CHECK: strata.nest = "gather"
// CHECK: strata.nest = "gather"

// A tile's pages are looked up by their numbers; of the last tile those behind the table's row are the one behind the
// cache, which is zero.
// TILE: %[[ENTRY:.*]] = arith.minui %{{.*}}, %c12
// TILE-NEXT: %[[N:.*]] = "tile.load"(%arg{{.*}}, %[[ENTRY]]) {{.*}} -> i32
// TILE: %[[CLAMPED:.*]] = arith.minsi
// TILE-NEXT: %[[PLACE:.*]] = arith.index_cast %[[CLAMPED]]
// TILE: arith.select %{{.*}}, %[[PLACE]], %c40
// TILE: "tile.load_pages"(%arg{{.*}}) {map = #{{.*}}, pages = {{[248]}} : i64} : (memref<40x32x64xf16>, {{.*}} -> vector<{{.*}}x64xf16>

// The producer finds them before it waits for the slot.
// GPU-LABEL: func.func @k0(
// GPU: scf.for
// GPU: memref.load
// GPU: "tile.barrier_wait"
// GPU: "tile.bulk_load"({{.*}}, %c0{{[_0-9]*}}, %c0{{[_0-9]*}}, %{{[0-9]+}}) {map = 1 : i64}

// CPU: strata.nest = "gather"
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#p = affine_map<(b, i, d, j) -> (b, i, j)>
#v = affine_map<(b, i, d, j) -> (b, j, d)>
#y = affine_map<(b, i, d, j) -> (b, i, d)>
func.func @main(%q: tensor<2x4x64xf16> {strata.name = "q"}, %k: tensor<40x32x64xf16> {strata.name = "k"}, %v: tensor<40x32x64xf16> {strata.name = "v"}, %t: tensor<2x13xi32> {strata.name = "t"}) -> (tensor<2x4x64xf16> {strata.name = "y"}) {
  %0 = "strata.gather"(%k, %t) {axis = 0 : i64, batch_dims = 0 : i64} : (tensor<40x32x64xf16>, tensor<2x13xi32>) -> tensor<2x13x32x64xf16>
  %1 = "strata.gather"(%v, %t) {axis = 0 : i64, batch_dims = 0 : i64} : (tensor<40x32x64xf16>, tensor<2x13xi32>) -> tensor<2x13x32x64xf16>
  %2 = "strata.reshape"(%0) : (tensor<2x13x32x64xf16>) -> tensor<2x416x64xf16>
  %3 = "strata.reshape"(%1) : (tensor<2x13x32x64xf16>) -> tensor<2x416x64xf16>
  %4 = "strata.contract"(%q, %2) {maps = [#q, #k, #s], zero_pad = false, origin = "matmul"} : (tensor<2x4x64xf16>, tensor<2x416x64xf16>) -> tensor<2x4x416xf32>
  %5 = "strata.softmax"(%4) {axes = array<i64: 2>} : (tensor<2x4x416xf32>) -> tensor<2x4x416xf32>
  %6 = "strata.convert"(%5) : (tensor<2x4x416xf32>) -> tensor<2x4x416xf16>
  %7 = "strata.contract"(%6, %3) {maps = [#p, #v, #y], zero_pad = false, origin = "matmul"} : (tensor<2x4x416xf16>, tensor<2x416x64xf16>) -> tensor<2x4x64xf16>
  return %7 : tensor<2x4x64xf16>
}
