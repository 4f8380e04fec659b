// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine | FileCheck %s

// An operand of known sizes is staged as elsewhere where the rows of the other vary: its rows are padded to 16 bytes by a
// nest that knows of no sizes.
// CHECK: func.func private @[[STAGE:.*]](%{{.*}}: memref<1024x1001xbf16>, %{{.*}}: memref<1024x1{{.*}}xbf16>)
// CHECK-NOT: strata.size
// CHECK: affine.load %{{.*}}[{{.*}}] : memref<1024x1001xbf16>
// CHECK: strata.nest = "stage"
#x = affine_map<()[s0] -> (s0, 1024)>
#y = affine_map<()[s0] -> (s0, 1001)>
func.func @main(%x: tensor<?x1024xbf16, #x> {strata.name = "x"}, %w: tensor<1024x1001xbf16> {strata.name = "w"})
    -> (tensor<?x1001xbf16, #y> {strata.name = "y"})
    attributes {strata.symbols = [{name = "rows", min = 1, max = 1000000, multiple = 1, likely = [16384]}]} {
  %0 = "strata.contract"(%x, %w) {origin = "matmul", zero_pad = false,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]}
    : (tensor<?x1024xbf16, #x>, tensor<1024x1001xbf16>) -> tensor<?x1001xbf16, #y>
  return %0 : tensor<?x1001xbf16, #y>
}
