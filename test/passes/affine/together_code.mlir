// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t | FileCheck %s

// What results go through, an erf, is much code, fetched anew where a processor goes from one product's tile to another's.
// So these share a launch where that is worth it: of all eight it is not.
// CHECK: product k7: with 1 of k6, 448 x 4096 x 1024: {{[0-9.]+}} us in one launch, {{[0-9.]+}} apart{{$}}
// CHECK: product k7: with 1 of k4, 320 x 4096 x 1024: {{[0-9.]+}} us in one launch, {{[0-9.]+}} apart, left apart
// CHECK-NOT: all of them
// CHECK: product k7: 3 calls share a launch
#nt = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%a0: tensor<64x1024xbf16> {strata.name = "a0"}, %b0: tensor<4096x1024xbf16> {strata.name = "b0"}, %a1: tensor<128x1024xbf16> {strata.name = "a1"}, %b1: tensor<4096x1024xbf16> {strata.name = "b1"}, %a2: tensor<192x1024xbf16> {strata.name = "a2"}, %b2: tensor<4096x1024xbf16> {strata.name = "b2"}, %a3: tensor<256x1024xbf16> {strata.name = "a3"}, %b3: tensor<4096x1024xbf16> {strata.name = "b3"}, %a4: tensor<320x1024xbf16> {strata.name = "a4"}, %b4: tensor<4096x1024xbf16> {strata.name = "b4"}, %a5: tensor<384x1024xbf16> {strata.name = "a5"}, %b5: tensor<4096x1024xbf16> {strata.name = "b5"}, %a6: tensor<448x1024xbf16> {strata.name = "a6"}, %b6: tensor<4096x1024xbf16> {strata.name = "b6"}, %a7: tensor<512x1024xbf16> {strata.name = "a7"}, %b7: tensor<4096x1024xbf16> {strata.name = "b7"}) -> (tensor<64x4096xbf16>, tensor<128x4096xbf16>, tensor<192x4096xbf16>, tensor<256x4096xbf16>, tensor<320x4096xbf16>, tensor<384x4096xbf16>, tensor<448x4096xbf16>, tensor<512x4096xbf16>) {
  %p0 = "strata.contract"(%a0, %b0) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<64x1024xbf16>, tensor<4096x1024xbf16>) -> tensor<64x4096xbf16>
  %g0 = "strata.gelu"(%p0) : (tensor<64x4096xbf16>) -> tensor<64x4096xbf16>
  %p1 = "strata.contract"(%a1, %b1) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<128x1024xbf16>, tensor<4096x1024xbf16>) -> tensor<128x4096xbf16>
  %g1 = "strata.gelu"(%p1) : (tensor<128x4096xbf16>) -> tensor<128x4096xbf16>
  %p2 = "strata.contract"(%a2, %b2) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<192x1024xbf16>, tensor<4096x1024xbf16>) -> tensor<192x4096xbf16>
  %g2 = "strata.gelu"(%p2) : (tensor<192x4096xbf16>) -> tensor<192x4096xbf16>
  %p3 = "strata.contract"(%a3, %b3) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<256x1024xbf16>, tensor<4096x1024xbf16>) -> tensor<256x4096xbf16>
  %g3 = "strata.gelu"(%p3) : (tensor<256x4096xbf16>) -> tensor<256x4096xbf16>
  %p4 = "strata.contract"(%a4, %b4) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<320x1024xbf16>, tensor<4096x1024xbf16>) -> tensor<320x4096xbf16>
  %g4 = "strata.gelu"(%p4) : (tensor<320x4096xbf16>) -> tensor<320x4096xbf16>
  %p5 = "strata.contract"(%a5, %b5) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<384x1024xbf16>, tensor<4096x1024xbf16>) -> tensor<384x4096xbf16>
  %g5 = "strata.gelu"(%p5) : (tensor<384x4096xbf16>) -> tensor<384x4096xbf16>
  %p6 = "strata.contract"(%a6, %b6) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<448x1024xbf16>, tensor<4096x1024xbf16>) -> tensor<448x4096xbf16>
  %g6 = "strata.gelu"(%p6) : (tensor<448x4096xbf16>) -> tensor<448x4096xbf16>
  %p7 = "strata.contract"(%a7, %b7) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<512x1024xbf16>, tensor<4096x1024xbf16>) -> tensor<512x4096xbf16>
  %g7 = "strata.gelu"(%p7) : (tensor<512x4096xbf16>) -> tensor<512x4096xbf16>
  return %g0, %g1, %g2, %g3, %g4, %g5, %g6, %g7 : tensor<64x4096xbf16>, tensor<128x4096xbf16>, tensor<192x4096xbf16>, tensor<256x4096xbf16>, tensor<320x4096xbf16>, tensor<384x4096xbf16>, tensor<448x4096xbf16>, tensor<512x4096xbf16>
}
