// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Rows of 511 elements do not come in bulk. Staged by a kernel in front the first product would be faster by itself, but
// the launch of all, which reads them as they lie, is faster than that and a launch of the others.
// CHECK-NOT: staged
// CHECK: product k0: with all of them: {{.*}} us in one launch, {{.*}} apart
// CHECK: product k0: 3 calls share a launch
// CHECK: a run: 1 launches
#tt = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x0: tensor<511x1024xf16>, %w0: tensor<512x511xf16>, %x1: tensor<257x1024xf16>, %w1: tensor<256x257xf16>, %x2: tensor<129x1024xf16>, %w2: tensor<128x129xf16>)
    -> (tensor<1024x512xf16>, tensor<1024x256xf16>, tensor<1024x128xf16>) {
  %0 = "strata.contract"(%x0, %w0) {maps = #tt, zero_pad = false, origin = "matmul"} : (tensor<511x1024xf16>, tensor<512x511xf16>) -> tensor<1024x512xf16>
  %1 = "strata.contract"(%x1, %w1) {maps = #tt, zero_pad = false, origin = "matmul"} : (tensor<257x1024xf16>, tensor<256x257xf16>) -> tensor<1024x256xf16>
  %2 = "strata.contract"(%x2, %w2) {maps = #tt, zero_pad = false, origin = "matmul"} : (tensor<129x1024xf16>, tensor<128x129xf16>) -> tensor<1024x128xf16>
  return %0, %1, %2 : tensor<1024x512xf16>, tensor<1024x256xf16>, tensor<1024x128xf16>
}
