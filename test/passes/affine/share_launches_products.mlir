// RUN: strata %s --target=nvgpu --device=emulated_fma --compile-to=tile --explain -o %t.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Products whose tiles threads stage share a launch though their tiles differ, where the model finds that no slower: each
// part says its own, and how many threads have a tile.
// CHECK: product k1:   multiply-adds 64x64x16, 256 threads{{.*}} chosen
// CHECK: product k0:   multiply-adds 32x32x32, 256 threads{{.*}} chosen
// CHECK: product k2:   multiply-adds 64x32x4, 128 threads{{.*}} chosen
// CHECK-NOT: no launch
// CHECK: kernel k1: 3 calls share a launch
// CHECK: a run: 1 launches

// IR: func.func private @k1_k2_k0
// IR-SAME: tile = array<i64: 64, 64, 16>, warps = array<i64: 2, 2>
// IR: scf.forall
// IR-NOT: tile.group
// IR-NOT: strata.schedule
// IR: scf.forall
// IR: } {strata.schedule = {{.*}} tile = array<i64: 64, 32, 4>, {{.*}}, tile.group = 128 : i64}
// IR: scf.forall
// IR: } {strata.schedule = {{.*}} tile = array<i64: 32, 32, 32>, warps = array<i64: 2, 1>}}
// IR: return
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x0: tensor<1000x40xf16> {strata.name = "x0"}, %w0: tensor<40x520xf16> {strata.name = "w0"},
                %x1: tensor<1024x256xf16> {strata.name = "x1"}, %w1: tensor<256x1000xf16> {strata.name = "w1"},
                %x2: tensor<1000x4xf16> {strata.name = "x2"}, %w2: tensor<4x520xf16> {strata.name = "w2"})
    -> (tensor<1000x520xf16> {strata.name = "y0"}, tensor<1024x1000xf16> {strata.name = "y1"},
        tensor<1000x520xf16> {strata.name = "y2"}) {
  %0 = "strata.contract"(%x0, %w0) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1000x40xf16>, tensor<40x520xf16>) -> tensor<1000x520xf16>
  %1 = "strata.sigmoid"(%0) : (tensor<1000x520xf16>) -> tensor<1000x520xf16>
  %2 = "strata.contract"(%x1, %w1) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x256xf16>, tensor<256x1000xf16>) -> tensor<1024x1000xf16>
  %3 = "strata.contract"(%x2, %w2) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1000x4xf16>, tensor<4x520xf16>) -> tensor<1000x520xf16>
  %4 = "strata.relu"(%3) : (tensor<1000x520xf16>) -> tensor<1000x520xf16>
  return %1, %2, %4 : tensor<1000x520xf16>, tensor<1024x1000xf16>, tensor<1000x520xf16>
}
