// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A concat behind a reshape of a concat: each operand is stored at its place in the last.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x0: tensor<1024x128xf16> {strata.name = "x0"}, %w0: tensor<128x64xf16> {strata.name = "w0"},
                %x1: tensor<1024x128xf16> {strata.name = "x1"}, %w1: tensor<128x128xf16> {strata.name = "w1"},
                %x2: tensor<1024x128xf16> {strata.name = "x2"}, %w2: tensor<128x192xf16> {strata.name = "w2"})
    -> (tensor<1024x6x64xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x0, %w0) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x128xf16>, tensor<128x64xf16>) -> tensor<1024x64xf16>
  %1 = "strata.contract"(%x1, %w1) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x128xf16>, tensor<128x128xf16>) -> tensor<1024x128xf16>
  %2 = "strata.contract"(%x2, %w2) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x128xf16>, tensor<128x192xf16>) -> tensor<1024x192xf16>
  %3 = "strata.concat"(%0, %1) {axis = 1 : i64} : (tensor<1024x64xf16>, tensor<1024x128xf16>) -> tensor<1024x192xf16>
  %4 = "strata.reshape"(%3) : (tensor<1024x192xf16>) -> tensor<1024x3x64xf16>
  %5 = "strata.reshape"(%2) : (tensor<1024x192xf16>) -> tensor<1024x3x64xf16>
  %6 = "strata.concat"(%4, %5) {axis = 1 : i64} : (tensor<1024x3x64xf16>, tensor<1024x3x64xf16>) -> tensor<1024x6x64xf16>
  return %6 : tensor<1024x6x64xf16>
}
