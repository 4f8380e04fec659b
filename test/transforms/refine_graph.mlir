// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Equal kernels are one function: six layers of two products each are two functions, called six times.
// CHECK: kernel k0: 6 calls
// CHECK-NEXT: kernel k1: 6 calls
// CHECK-NOT: kernel k2:
// CHECK: a run: 12 launches
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<1024x512xf16> {strata.name = "x"}, %w: tensor<512x1024xf16> {strata.name = "w"},
                %v: tensor<1024x512xf16> {strata.name = "v"})
    -> (tensor<1024x512xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x512xf16>, tensor<512x1024xf16>) -> tensor<1024x1024xf16>
  %1 = "strata.gelu"(%0) : (tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %2 = "strata.contract"(%1, %v) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x1024xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %3 = "strata.add"(%x, %2) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %4 = "strata.contract"(%3, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x512xf16>, tensor<512x1024xf16>) -> tensor<1024x1024xf16>
  %5 = "strata.gelu"(%4) : (tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %6 = "strata.contract"(%5, %v) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x1024xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %7 = "strata.add"(%3, %6) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %8 = "strata.contract"(%7, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x512xf16>, tensor<512x1024xf16>) -> tensor<1024x1024xf16>
  %9 = "strata.gelu"(%8) : (tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %10 = "strata.contract"(%9, %v) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x1024xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %11 = "strata.add"(%7, %10) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %12 = "strata.contract"(%11, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x512xf16>, tensor<512x1024xf16>) -> tensor<1024x1024xf16>
  %13 = "strata.gelu"(%12) : (tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %14 = "strata.contract"(%13, %v) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x1024xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %15 = "strata.add"(%11, %14) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %16 = "strata.contract"(%15, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x512xf16>, tensor<512x1024xf16>) -> tensor<1024x1024xf16>
  %17 = "strata.gelu"(%16) : (tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %18 = "strata.contract"(%17, %v) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x1024xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %19 = "strata.add"(%15, %18) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %20 = "strata.contract"(%19, %w) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x512xf16>, tensor<512x1024xf16>) -> tensor<1024x1024xf16>
  %21 = "strata.gelu"(%20) : (tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %22 = "strata.contract"(%21, %v) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<1024x1024xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  %23 = "strata.add"(%19, %22) : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<1024x512xf16>
  return %23 : tensor<1024x512xf16>
}
