// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Independent products share a launch, whatever their sizes.
// CHECK: a run: 1 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x0: tensor<1024x512xf16> {strata.name = "x0"}, %w0: tensor<512x256xf16> {strata.name = "w0"},
                %b0: tensor<256xf16> {strata.name = "b0"}, %x1: tensor<1024x512xf16> {strata.name = "x1"},
                %w1: tensor<512x512xf16> {strata.name = "w1"}, %b1: tensor<512xf16> {strata.name = "b1"},
                %x2: tensor<1024x256xf16> {strata.name = "x2"}, %w2: tensor<256x256xf16> {strata.name = "w2"},
                %b2: tensor<256xf16> {strata.name = "b2"})
    -> (tensor<1024x256xf16> {strata.name = "y0"}, tensor<1024x512xf16> {strata.name = "y1"},
        tensor<1024x256xf16> {strata.name = "y2"}) {
  %0 = "strata.contract"(%x0, %w0) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x512xf16>, tensor<512x256xf16>) -> tensor<1024x256xf16>
  %1 = "strata.broadcast"(%b0) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<256xf16>) -> tensor<1024x256xf16>
  %2 = "strata.add"(%0, %1) : (tensor<1024x256xf16>, tensor<1024x256xf16>) -> tensor<1024x256xf16>
  %3 = "strata.sigmoid"(%2) : (tensor<1024x256xf16>) -> tensor<1024x256xf16>
  %4 = "strata.contract"(%x1, %w1) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x512xf16>, tensor<512x512xf16>) -> tensor<1024x512xf16>
  %5 = "strata.broadcast"(%b1) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<512xf16>) -> tensor<1024x512xf16>
  %6 = "strata.add"(%4, %5) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %7 = "strata.sigmoid"(%6) : (tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %8 = "strata.contract"(%x2, %w2) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x256xf16>, tensor<256x256xf16>) -> tensor<1024x256xf16>
  %9 = "strata.broadcast"(%b2) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<256xf16>) -> tensor<1024x256xf16>
  %10 = "strata.add"(%8, %9) : (tensor<1024x256xf16>, tensor<1024x256xf16>) -> tensor<1024x256xf16>
  %11 = "strata.sigmoid"(%10) : (tensor<1024x256xf16>) -> tensor<1024x256xf16>
  return %3, %7, %11 : tensor<1024x256xf16>, tensor<1024x512xf16>, tensor<1024x256xf16>
}
