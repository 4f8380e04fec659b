// RUN: strata %s --device=x86-64-v3 --compile-to=cpu -o - | FileCheck %s

// A padded row of a batch that varies: the batch has one image at least, so that nothing asks how many, and the kernel
// needs no size.
// CHECK: func.func private @k0(memref<?x3x5xf32
// CHECK-NOT: strata.sizes
// CHECK: func.func @k0(%{{.*}}: memref<{{.*}}>, %{{.*}}: memref<{{.*}}>, %{{.*}}: memref<{{.*}}>, %{{.*}}: index, %{{.*}}: index, %{{.*}}: memref
#shape = affine_map<()[s0] -> (s0, 3, 5)>
func.func @main(%x: tensor<?x3x5xf32, #shape> {strata.name = "x"}, %w: tensor<2x3x3xf32> {strata.name = "w"})
    -> (tensor<1x2x5xf32> {strata.name = "y"})
    attributes {strata.symbols = [{likely = [1, 64], max = 1000 : i64, min = 1 : i64, multiple = 1 : i64, name = "batch"}]} {
  %first = "strata.slice"(%x) {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x3x5xf32, #shape>) -> tensor<1x3x5xf32>
  %y = "strata.contract"(%first, %w) {maps = [affine_map<(n, o, i, c, k) -> (n, c, i + k - 1)>, affine_map<(n, o, i, c, k) -> (o, c, k)>, affine_map<(n, o, i, c, k) -> (n, o, i)>], origin = "conv", zero_pad = true} : (tensor<1x3x5xf32>, tensor<2x3x3xf32>) -> tensor<1x2x5xf32>
  return %y : tensor<1x2x5xf32>
}
