// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Products whose results are parts of one buffer share a launch.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<1024x1024xf16> {strata.name = "x"}, %w0: tensor<256x256xf16> {strata.name = "w0"},
                %b0: tensor<256xf16> {strata.name = "b0"}, %w1: tensor<256x256xf16> {strata.name = "w1"},
                %b1: tensor<256xf16> {strata.name = "b1"}, %w2: tensor<256x256xf16> {strata.name = "w2"},
                %b2: tensor<256xf16> {strata.name = "b2"}, %w3: tensor<256x256xf16> {strata.name = "w3"},
                %b3: tensor<256xf16> {strata.name = "b3"})
    -> (tensor<1024x1024xf16> {strata.name = "y"}) {
  %0 = "strata.slice"(%x) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<1024x1024xf16>) -> tensor<1024x256xf16>
  %1 = "strata.contract"(%0, %w0) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x256xf16>, tensor<256x256xf16>) -> tensor<1024x256xf16>
  %2 = "strata.broadcast"(%b0) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<256xf16>) -> tensor<1024x256xf16>
  %3 = "strata.add"(%1, %2) : (tensor<1024x256xf16>, tensor<1024x256xf16>) -> tensor<1024x256xf16>
  %4 = "strata.slice"(%x) {starts = array<i64: 0, 256>, steps = array<i64: 1, 1>} : (tensor<1024x1024xf16>) -> tensor<1024x256xf16>
  %5 = "strata.contract"(%4, %w1) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x256xf16>, tensor<256x256xf16>) -> tensor<1024x256xf16>
  %6 = "strata.broadcast"(%b1) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<256xf16>) -> tensor<1024x256xf16>
  %7 = "strata.add"(%5, %6) : (tensor<1024x256xf16>, tensor<1024x256xf16>) -> tensor<1024x256xf16>
  %8 = "strata.slice"(%x) {starts = array<i64: 0, 512>, steps = array<i64: 1, 1>} : (tensor<1024x1024xf16>) -> tensor<1024x256xf16>
  %9 = "strata.contract"(%8, %w2) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x256xf16>, tensor<256x256xf16>) -> tensor<1024x256xf16>
  %10 = "strata.broadcast"(%b2) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<256xf16>) -> tensor<1024x256xf16>
  %11 = "strata.add"(%9, %10) : (tensor<1024x256xf16>, tensor<1024x256xf16>) -> tensor<1024x256xf16>
  %12 = "strata.slice"(%x) {starts = array<i64: 0, 768>, steps = array<i64: 1, 1>} : (tensor<1024x1024xf16>) -> tensor<1024x256xf16>
  %13 = "strata.contract"(%12, %w3) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x256xf16>, tensor<256x256xf16>) -> tensor<1024x256xf16>
  %14 = "strata.broadcast"(%b3) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<256xf16>) -> tensor<1024x256xf16>
  %15 = "strata.add"(%13, %14) : (tensor<1024x256xf16>, tensor<1024x256xf16>) -> tensor<1024x256xf16>
  %16 = "strata.concat"(%3, %7) {axis = 1 : i64} : (tensor<1024x256xf16>, tensor<1024x256xf16>) -> tensor<1024x512xf16>
  %17 = "strata.concat"(%16, %11) {axis = 1 : i64} : (tensor<1024x512xf16>, tensor<1024x256xf16>) -> tensor<1024x768xf16>
  %18 = "strata.concat"(%17, %15) {axis = 1 : i64} : (tensor<1024x768xf16>, tensor<1024x256xf16>) -> tensor<1024x1024xf16>
  return %18 : tensor<1024x1024xf16>
}
