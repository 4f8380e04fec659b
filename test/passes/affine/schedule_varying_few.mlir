// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine -o %t --explain | FileCheck %s

// All sizes are few: the blocks that share reductions, of which there are as many as tasks, have all of them but a single
// row. The function for all sizes is not theirs, so that theirs says what sizes it is for.
// CHECK: product k0: sizes vary, 1 x 1000 x 2048, 1 times to 32 x 1000 x 2048, 1 times
// CHECK-NEXT: product k0: {{.*}}wgmma.f16{{.*}} tiles in {{.*}} blocks: at most {{.*}} times as long as the best, of 3 points
// CHECK: kernel k0: k0_v1 where rows == 1: rows
// CHECK-NEXT: kernel k0: k0_v2 where rows <= 32: contract
#x = affine_map<()[s0] -> (s0, 2048)>
#y = affine_map<()[s0] -> (s0, 1000)>
func.func @main(%x: tensor<?x2048xf16, #x> {strata.name = "x"}, %w: tensor<1000x2048xf16> {strata.name = "w"})
    -> (tensor<?x1000xf16, #y> {strata.name = "y"})
    attributes {strata.symbols = [{name = "rows", min = 1, max = 32, multiple = 1, likely = [1, 32]}]} {
  %0 = "strata.contract"(%x, %w) {origin = "matmul", zero_pad = false,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
    : (tensor<?x2048xf16, #x>, tensor<1000x2048xf16>) -> tensor<?x1000xf16, #y>
  return %0 : tensor<?x1000xf16, #y>
}
