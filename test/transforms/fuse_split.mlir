// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Products of the parts of a split read their parts in one launch.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<1024x1024xf16> {strata.name = "x"}, %w0: tensor<256x256xf16> {strata.name = "w0"},
                %w1: tensor<256x256xf16> {strata.name = "w1"}, %w2: tensor<256x256xf16> {strata.name = "w2"},
                %w3: tensor<256x256xf16> {strata.name = "w3"})
    -> (tensor<1024x256xf16> {strata.name = "y0"}, tensor<1024x256xf16> {strata.name = "y1"},
        tensor<1024x256xf16> {strata.name = "y2"}, tensor<1024x256xf16> {strata.name = "y3"}) {
  %0 = "strata.slice"(%x) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<1024x1024xf16>) -> tensor<1024x256xf16>
  %1 = "strata.contract"(%0, %w0) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x256xf16>, tensor<256x256xf16>) -> tensor<1024x256xf16>
  %2 = "strata.slice"(%x) {starts = array<i64: 0, 256>, steps = array<i64: 1, 1>} : (tensor<1024x1024xf16>) -> tensor<1024x256xf16>
  %3 = "strata.contract"(%2, %w1) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x256xf16>, tensor<256x256xf16>) -> tensor<1024x256xf16>
  %4 = "strata.slice"(%x) {starts = array<i64: 0, 512>, steps = array<i64: 1, 1>} : (tensor<1024x1024xf16>) -> tensor<1024x256xf16>
  %5 = "strata.contract"(%4, %w2) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x256xf16>, tensor<256x256xf16>) -> tensor<1024x256xf16>
  %6 = "strata.slice"(%x) {starts = array<i64: 0, 768>, steps = array<i64: 1, 1>} : (tensor<1024x1024xf16>) -> tensor<1024x256xf16>
  %7 = "strata.contract"(%6, %w3) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x256xf16>, tensor<256x256xf16>) -> tensor<1024x256xf16>
  return %1, %3, %5, %7 : tensor<1024x256xf16>, tensor<1024x256xf16>, tensor<1024x256xf16>, tensor<1024x256xf16>
}
