// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine -o %t --explain | FileCheck %s --check-prefix=EXPLAIN
// RUN: cat %t/*.mlir | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=llvm -o - | FileCheck %s --check-prefix=ROLLED

// A single row is summed up as where it is known. Else several schedules, by what they take at likely sizes and between
// them: few rows by blocks that share reductions, as many blocks as there are tasks then; the grids of the others are as
// large as any sizes want.
// Loops over steps, of producers and of products, are to stay loops.
// ROLLED: #llvm.loop_unroll<disable = true>
// ROLLED: llvm.func @k0(
// ROLLED: llvm.br {{.*}}{loop_annotation = #
// ROLLED: llvm.func @k0_v2(
// ROLLED: llvm.br {{.*}}{loop_annotation = #
// EXPLAIN: product k0: sizes vary, 1 x 1024 x 1024, 1 times to 4096 x 1024 x 1024, 1 times
// EXPLAIN: product k0: {{.*}}wgmma.bf16{{.*}}: at most {{.*}} times as long as the best, of 5 points
// EXPLAIN: variants: {{[0-9]+}} KB of code for likely sizes alone, {{.*}} at 0 of a call's time
// EXPLAIN: kernel k0: k0_v1 where rows == 1: rows
// EXPLAIN: kernel k0: k0_v2 where rows <= {{[0-9]+}}: contract
// EXPLAIN: kernel k0: k0_v3 where rows >= {{[0-9]+}}, rows <= {{[0-9]+}}: contract
// CHECK: func.func private @k0(
// CHECK-SAME: strata.schedule = {blocks = {{132|264}} : i64, {{.*}}kind = "contract", mma = "wgmma.bf16"
// CHECK-NOT: parts
// CHECK: func.func private @k0_v{{[23]}}(
// CHECK: strata.schedule = {group = {{.*}}kind = "contract", mma = "wgmma.bf16", parts = {{[248]}} : i64
// CHECK-SAME: strata.when = #
#x = affine_map<()[s0] -> (s0, 1024)>
func.func @main(%x: tensor<?x1024xbf16, #x> {strata.name = "x"}, %w: tensor<1024x1024xbf16> {strata.name = "w"})
    -> (tensor<?x1024xbf16, #x> {strata.name = "y"})
    attributes {strata.symbols = [{name = "rows", min = 1, max = 1000000, multiple = 1, likely = [1, 64, 4096]}]} {
  %0 = "strata.contract"(%x, %w) {origin = "matmul", zero_pad = false,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
    : (tensor<?x1024xbf16, #x>, tensor<1024x1024xbf16>) -> tensor<?x1024xbf16, #x>
  return %0 : tensor<?x1024xbf16, #x>
}
