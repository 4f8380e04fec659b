// RUN: strata-opt %s --target=amdgpu --device=gfx950 --pipeline=strata-to-affine | FileCheck %s --check-prefix=AFFINE
// RUN: strata %s --target=amdgpu --device=gfx950 --compile-to=tile | FileCheck %s --check-prefix=TILE
// RUN: strata %s --target=amdgpu --device=gfx950 --compile-to=gpu | FileCheck %s --check-prefix=GPU
// RUN: strata %s --target=amdgpu --device=gfx950 --compile-to=llvm | FileCheck %s --check-prefix=LLVM
// RUN: strata %s --target=cpu --compile-to=affine | FileCheck %s --check-prefix=CPU

// A product whose right operand has a power of two for every 32 steps: at level 2 a factor of the element, at level 3
// beside the tile, of one place for every 32 of its, at level 4 a word of each matrix instruction.
// AFFINE: %[[X:.*]] = affine.load %arg0[%[[I:.*]], %[[K:.*]]] : memref<64x128xf8E4M3FN>
// AFFINE: %[[W:.*]] = affine.load %arg1[%[[J:.*]], %[[K]]] : memref<64x128xf8E4M3FN>
// AFFINE-NEXT: %[[WIDE:.*]] = arith.extf %[[W]] : f8E4M3FN to f32
// AFFINE-NEXT: %[[CODE:.*]] = affine.load %arg2[%[[J]], %[[K]] floordiv 32] : memref<64x4xi8>
// AFFINE-NEXT: %[[BITS:.*]] = arith.extui %[[CODE]] : i8 to i32
// AFFINE: %[[PLACED:.*]] = arith.shli %[[BITS]], %{{.*}} : i32
// AFFINE: %[[SCALE:.*]] = arith.bitcast %[[PLACED]] : i32 to f32
// AFFINE: arith.mulf %[[WIDE]], %[[SCALE]]
// TILE: %[[ELEMENTS:.*]] = "tile.load"(%arg1, {{.*}} -> vector<[[ROWS:[0-9]+]]x128xf8E4M3FN>
// TILE: %[[SCALES:.*]] = "tile.load"(%arg2, {{.*}} -> vector<[[ROWS]]x4xi8>
// TILE: %[[SCALED:.*]] = "tile.scaled"(%[[ELEMENTS]], %[[SCALES]])
// TILE: vector.contract {{.*}} %{{.*}}, %[[SCALED]], %{{.*}} {tile.mma = "mfma.{{(32x32x64|16x16x128)}}.e4m3"}
// GPU: %[[ONE:.*]] = arith.constant 127 : i32
// GPU: "tile.mma"(%{{.*}}, %{{.*}}, %{{.*}}, %[[ONE]], %{{.*}}) {kind = "mfma.{{.*}}.e4m3"} : (vector<32xi8>, vector<32xi8>, {{.*}}, i32, i32)
// LLVM: llvm.call_intrinsic "llvm.amdgcn.mfma.scale.f32.{{.*}}.f8f6f4.v8i32.v8i32"
// CPU: {strata.nest = "contract"}
func.func @main(%x: tensor<64x128xf8E4M3FN> {strata.name = "x"}, %w: tensor<64x128xf8E4M3FN> {strata.name = "w"}, %s: tensor<64x4xi8> {strata.name = "s"}) -> (tensor<64x64xf32> {strata.name = "y"}) {
  %0 = "strata.scaled_contract"(%x, %w, %s) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul", axis = 1 : i64} : (tensor<64x128xf8E4M3FN>, tensor<64x128xf8E4M3FN>, tensor<64x4xi8>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
