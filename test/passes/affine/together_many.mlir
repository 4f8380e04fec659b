// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s
// RUN: strata %s --target=amdgpu --device=gfx942 --compile-to=affine --explain -o %t | FileCheck %s --check-prefix=TILED
// RUN: strata %s --device=x86-64-v3 --compile-to=affine --explain -o %t | FileCheck %s --check-prefix=CPU

// Parts of a product that are results themselves are products apart, up to as many as share a launch: 16 pipelined ones,
// of which each has maps for what others do not read alone, 32 of those whose tiles threads stage.
// CHECK: 12 parts of product {{.*}}: apart, they have places of their own
// CHECK: product k0: 2048 x 64 x 512, 1 times
// CHECK: product k0: 12 calls share a launch
// CHECK: a run: 1 launches
// TILED: 12 parts of product
// TILED: 12 calls share a launch
// TILED: a run: 1 launches
// CPU-NOT: parts of product
func.func @main(%x: tensor<2048x512xf16> {strata.name = "x"}, %w: tensor<512x768xf16> {strata.name = "w"})
    -> (tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>) {
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<2048x512xf16>, tensor<512x768xf16>) -> tensor<2048x768xf16>
  %s0 = "strata.slice"(%0) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x64xf16>
  %s1 = "strata.slice"(%0) {starts = array<i64: 0, 64>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x64xf16>
  %s2 = "strata.slice"(%0) {starts = array<i64: 0, 128>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x64xf16>
  %s3 = "strata.slice"(%0) {starts = array<i64: 0, 192>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x64xf16>
  %s4 = "strata.slice"(%0) {starts = array<i64: 0, 256>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x64xf16>
  %s5 = "strata.slice"(%0) {starts = array<i64: 0, 320>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x64xf16>
  %s6 = "strata.slice"(%0) {starts = array<i64: 0, 384>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x64xf16>
  %s7 = "strata.slice"(%0) {starts = array<i64: 0, 448>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x64xf16>
  %s8 = "strata.slice"(%0) {starts = array<i64: 0, 512>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x64xf16>
  %s9 = "strata.slice"(%0) {starts = array<i64: 0, 576>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x64xf16>
  %s10 = "strata.slice"(%0) {starts = array<i64: 0, 640>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x64xf16>
  %s11 = "strata.slice"(%0) {starts = array<i64: 0, 704>, steps = array<i64: 1, 1>} : (tensor<2048x768xf16>) -> tensor<2048x64xf16>
  return %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8, %s9, %s10, %s11 : tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>, tensor<2048x64xf16>
}
