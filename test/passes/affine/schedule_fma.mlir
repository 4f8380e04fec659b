// RUN: strata %s --target=nvgpu --device=sm_90a --mm-conv-precision-mode=fp32 --explain --compile-to=affine -o %t | FileCheck %s
// RUN: cat %t/*.mlir | FileCheck %s --check-prefix=STAGED
// RUN: strata %s --target=nvgpu --device=sm_90a --mm-conv-precision-mode=fp32 --compile-to=gpu -o %t && cat %t/*.mlir | FileCheck %s --check-prefix=RING
// RUN: strata %s --target=nvgpu --device=sm_80 --mm-conv-precision-mode=fp32 --explain --compile-to=affine -o %t | FileCheck %s --check-prefix=NONE

// Products of f32 on multiply-adds: where the copy engine fills a ring of slots, threads only read and multiply. Operands
// that lie along the reduction are staged across it.

// CHECK: staged 2048 x 4096 x 1024: the rows' operand
// CHECK: product [[K:k.*]]: 2048 x 4096 x 1024, 1 times
// CHECK-NEXT: product [[K]]: multiply-adds 256x128x16, 8 slots, 256 tiles in 132 blocks: {{.*}} us (multiply-adds), chosen
// CHECK: product [[K]]: multiply-adds 128x128x8, 128 threads

// STAGED: func.func private @{{k.*_stage}}(%arg0: memref<2048x1024xf32>, %arg1: memref<1024x2048xf32>)

// As it is: neither rounded nor with exchanged units; every consumer says when it has read a slot.
// RING: strata.maps = [{box = array<i64: 256, 16>, {{.*}}swizzle = 0 : i64, type = f32},
// RING-SAME: {box = array<i64: 128, 16>, {{.*}}swizzle = 0 : i64, type = f32}]
// RING: "tile.barrier_init"({{.*}}) {count = 1 : i64}
// RING: "tile.barrier_init"({{.*}}) {count = 256 : i64}
// RING-NOT: gpu.barrier{{.*}}scf.for
// RING: math.fma

// NONE-NOT: staged
// NONE: multiply-adds 128x128x8, 128 threads: {{.*}}, chosen
func.func @main(%a: tensor<2048x1024xf32> {strata.name = "a"}, %b: tensor<1024x4096xf32> {strata.name = "b"})
    -> (tensor<2048x4096xf32> {strata.name = "c"}) {
  %c = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<2048x1024xf32>, tensor<1024x4096xf32>) -> tensor<2048x4096xf32>
  return %c : tensor<2048x4096xf32>
}
