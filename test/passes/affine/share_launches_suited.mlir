// RUN: strata %s --target=amdgpu --device=gfx1100 --compile-to=affine --explain -o %t | FileCheck %s
// RUN: strata %s --target=amdgpu --device=gfx12-generic --compile-to=affine --explain -o %t | FileCheck %s --check-prefix=NEAR

// Two of three products get others than the tiles that each has of its own, in which one launch takes no longer.
// CHECK: product k0:   wmma.11 wmma.f16 {{.*}} chosen
// CHECK: product k1:   wmma.11 wmma.f16 {{.*}} chosen
// CHECK-NOT: 64x64x64, 256 threads{{.*}} chosen
// CHECK: product k2:   wmma.11 wmma.f16 {{.*}} chosen
// CHECK: product k2: 64x64x64, 256 threads, in a launch with others
// CHECK: product k1: 64x64x64, 256 threads, in a launch with others
// CHECK: kernel k0: 3 calls share a launch
// CHECK: a run: 1 launches

// Here no tiles are as fast in one launch as in two; those that hardly take longer have it.
// NEAR: product k1: 64x64x32, 128 threads, in a launch with others
// NEAR: kernel k0: 3 calls share a launch
// NEAR: a run: 1 launches

#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<2048x512xf16> {strata.name = "x"}, %w0: tensor<512x512xf16> {strata.name = "w0"},
                %b0: tensor<512xf16> {strata.name = "b0"}, %w1: tensor<512x256xf16> {strata.name = "w1"},
                %b1: tensor<256xf16> {strata.name = "b1"}, %w2: tensor<512x128xf16> {strata.name = "w2"},
                %b2: tensor<128xf16> {strata.name = "b2"})
    -> (tensor<2048x512xf16> {strata.name = "y0"}, tensor<2048x256xf16> {strata.name = "y1"},
        tensor<2048x128xf16> {strata.name = "y2"}) {
  %0 = "strata.contract"(%x, %w0) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<2048x512xf16>, tensor<512x512xf16>) -> tensor<2048x512xf16>
  %1 = "strata.broadcast"(%b0) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<512xf16>) -> tensor<2048x512xf16>
  %2 = "strata.add"(%0, %1) : (tensor<2048x512xf16>, tensor<2048x512xf16>) -> tensor<2048x512xf16>
  %3 = "strata.relu"(%2) : (tensor<2048x512xf16>) -> tensor<2048x512xf16>
  %4 = "strata.contract"(%x, %w1) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<2048x512xf16>, tensor<512x256xf16>) -> tensor<2048x256xf16>
  %5 = "strata.broadcast"(%b1) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<256xf16>) -> tensor<2048x256xf16>
  %6 = "strata.add"(%4, %5) : (tensor<2048x256xf16>, tensor<2048x256xf16>) -> tensor<2048x256xf16>
  %7 = "strata.relu"(%6) : (tensor<2048x256xf16>) -> tensor<2048x256xf16>
  %8 = "strata.contract"(%x, %w2) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<2048x512xf16>, tensor<512x128xf16>) -> tensor<2048x128xf16>
  %9 = "strata.broadcast"(%b2) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<128xf16>) -> tensor<2048x128xf16>
  %10 = "strata.add"(%8, %9) : (tensor<2048x128xf16>, tensor<2048x128xf16>) -> tensor<2048x128xf16>
  %11 = "strata.relu"(%10) : (tensor<2048x128xf16>) -> tensor<2048x128xf16>
  return %3, %7, %11 : tensor<2048x512xf16>, tensor<2048x256xf16>, tensor<2048x128xf16>
}
