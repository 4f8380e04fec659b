// Norms of a number of rows that varies: in the kernel of the product before them where that is faster at all sizes.
// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t | FileCheck %s
// RUN: sed -e 's/min = 3900/min = 1/' %s > %t.wide.mlir
// RUN: strata %t.wide.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t | FileCheck %s --check-prefix=APART
// RUN: strata %t.wide.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine --fuse-norms -o %t | FileCheck %s --check-prefix=WANTED

// CHECK: norm contract#0: 2 reductions of 4096 rows of 768, 2 blocks a row: {{.*}} us instead of {{.*}} in two kernels
// CHECK: schedule k0 sm_90a {{.*}}row = 2
// CHECK: a run: 1 launches
// APART: norm contract#0: 2 reductions of 1 rows of 768, {{.*}} us are not taken for {{.*}} in two kernels
// APART: a run: 2 launches
// WANTED: norm contract#0: 2 reductions of 4096 rows of 768, 2 blocks a row
// WANTED: a run: 1 launches

#x = affine_map<()[s0] -> (s0, 768)>
#y = affine_map<()[s0] -> (s0, 768)>
func.func @main(%x: tensor<?x768xf16, #x> {strata.name = "x"}, %w: tensor<768x768xf16> {strata.name = "w"}, %r: tensor<?x768xf32, #y> {strata.name = "r"}, %g: tensor<768xf32> {strata.name = "g"}) -> (tensor<?x768xf32, #y> {strata.name = "y"})
    attributes {strata.symbols = [{name = "rows", min = 3900, max = 4200, likely = [4096]}]} {
  %p = "strata.contract"(%x, %w) {zero_pad = false, origin = "matmul", maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]} : (tensor<?x768xf16, #x>, tensor<768x768xf16>) -> tensor<?x768xf32, #y>
  %s = "strata.add"(%p, %r) : (tensor<?x768xf32, #y>, tensor<?x768xf32, #y>) -> tensor<?x768xf32, #y>
  %y = "strata.layer_norm"(%s, %g, %g) {axes = array<i64: 1>, epsilon = 1.0e-3 : f64} : (tensor<?x768xf32, #y>, tensor<768xf32>, tensor<768xf32>) -> tensor<?x768xf32, #y>
  return %y : tensor<?x768xf32, #y>
}
