// RUN: strata %s --target=nvgpu --device=sm_80 --explain --compile-to=affine -o %t | grep ^schedule | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t | grep ^schedule | FileCheck %s

// A matrix times a vector, too small for a ring: the rows of the matrix are contiguous, and threads go along them, although
// every result that is stored lies beside its neighbour.
// CHECK: group = 128 : i64, kind = "rows", threads = 128 : i64, tile = array<i64: 2048>
func.func @main(%x: tensor<1x2048xf16> {strata.name = "x"}, %w: tensor<1000x2048xf16> {strata.name = "w"}) -> (tensor<1x1000xf16> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<1x2048xf16>, tensor<1000x2048xf16>) -> tensor<1x1000xf32>
  %1 = "strata.convert"(%0) {} : (tensor<1x1000xf32>) -> tensor<1x1000xf16>
  return %1 : tensor<1x1000xf16>
}
