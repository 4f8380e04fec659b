// Attention within sequences on a GPU with instructions that read shared memory: a kernel makes a table of tiles, of which
// each task reads a row; other types, and exact arithmetic, stay scalar.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --strata-to-affine | FileCheck %s --check-prefix=TABLE
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --strata-to-affine --affine-group --affine-schedule --affine-to-tile | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --mlir-disable-fast-math --strata-to-affine --affine-group --affine-schedule | FileCheck %s --check-prefix=EXACT
// RUN: strata-opt %s --target=nvgpu --device=sm_80 --strata-to-affine | FileCheck %s --check-prefix=OTHER
// RUN: strata-opt %s --target=amdgpu --device=gfx942 --strata-to-affine --affine-group --affine-schedule --affine-to-tile | FileCheck %s --check-prefix=STAGED

// Staged by the threads that multiply a task may have a part of a tile, whose loop has its own bound.
// STAGED: kind = "segment_attention", mma = "mfma.16x16x16.f16", threads
// STAGED: scf.for
// STAGED-NOT: tile.pipeline
// STAGED-NOT: tile.most
// STAGED: "tile.store"

// 600 rows of 7 sequences are 4 + 7 tiles at most; equal tables are made once.
// TABLE: affine.parallel (%{{.*}}) = (0) to (11) {
// Which sequences of seven come earlier, and their tiles: a loop that carries these, and where the next one begins.
// TABLE: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) -> (index, index, index, index)
// TABLE: } {strata.nest = "segment_tiles", strata.serial}
// TABLE-NOT: strata.nest = "segment_order"
// TABLE: strata.nest = "segment_attention"
// TABLE-NOT: strata.nest = "segment_tiles"
// TABLE: strata.nest = "segment_attention"
// TABLE-NOT: strata.nest

// EXACT-NOT: kind = "segment_attention"
// OTHER-NOT: segment_tiles

// Neither the map of rows nor the sums' memory is an argument, and nobody makes them.
// CHECK-NOT: 600xi64
// CHECK-NOT: 600x4x64xf32
// CHECK: func.func private @{{k[0-9]+}}(%{{.*}}: memref<11x6xi64>, %{{.*}}: memref<600x4x64xf16>, %{{.*}}: memref<600x2x64xf16>, %{{.*}}: memref<600x2x64xf16>, %{{.*}}: memref<600x4x64xf16>)
// CHECK-SAME: kind = "segment_attention", mma = "wgmma.f16"
// Heads fastest; then what the tile is.
// CHECK: scf.forall (%{{.*}}) in (44) {
// CHECK: %[[FIRST:.*]] = arith.index_cast
// CHECK: %[[OWN:.*]] = arith.index_cast
// CHECK: %[[KEYS:.*]] = arith.index_cast
// CHECK: %[[END:.*]] = arith.index_cast
// CHECK: %[[SEEN:.*]] = arith.index_cast
// CHECK: %[[BLOCKS:.*]] = arith.maxsi
// CHECK: "tile.load"(%{{.*}}, %{{.*}}, %[[FIRST]]) {{.*}} -> vector<128x64xf16>
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[BLOCKS]]
// CHECK: "tile.load"(%{{.*}}, %{{.*}}, %[[KEYS]], %{{.*}}) {{.*}} -> vector<[[C:[0-9]+]]x64xf16>
// CHECK: arith.select {{.*}} {tile.first}
// CHECK: affine.apply #{{.*}}(%[[SEEN]], %{{.*}})
// CHECK: arith.select {{.*}} {tile.rows}
// What was carried counts by the difference of the maxima, in that order: both may be the lowest number.
// CHECK: %[[MORE:.*]] = arith.subf %{{.*}}, %{{.*}} : vector<128xf32>
// CHECK: arith.mulf %[[MORE]], %{{.*}} : vector<128xf32>
// CHECK: } {tile.most = {{[0-9]+}} : i64, tile.pipeline}
// Rounded once; own rows alone.
// CHECK: arith.truncf {{.*}} : vector<128x64xf32> to vector<128x64xf16>
// CHECK: "tile.store"(%{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST]], %[[OWN]]) {{.*}}mask
func.func @main(%q: tensor<600x4x64xf16> {strata.name = "q"}, %k: tensor<600x2x64xf16> {strata.name = "k"},
                %v: tensor<600x2x64xf16> {strata.name = "v"}, %o: tensor<8xi64> {strata.name = "o"})
    -> (tensor<600x4x64xf16> {strata.name = "y"}) {
  %m = "strata.segment_rows"(%o) : (tensor<8xi64>) -> tensor<600xi64>
  %x = "strata.segment_attention"(%q, %k, %v, %m, %o, %o) {causal = true, scale = 0.125}
      : (tensor<600x4x64xf16>, tensor<600x2x64xf16>, tensor<600x2x64xf16>, tensor<600xi64>, tensor<8xi64>, tensor<8xi64>) -> tensor<600x4x64xf16>
  %y = "strata.segment_attention"(%x, %k, %v, %m, %o, %o) {causal = true, scale = 0.125}
      : (tensor<600x4x64xf16>, tensor<600x2x64xf16>, tensor<600x2x64xf16>, tensor<600xi64>, tensor<8xi64>, tensor<8xi64>) -> tensor<600x4x64xf16>
  return %y : tensor<600x4x64xf16>
}
