// Maps, rows and scalar kernels on GPUs: what is measured beside the rules' choice, which is the first.
// RUN: split-file %s %t
// RUN: printf 'candidates k0 sm_90a\n' > %t/ask
// RUN: strata %t/map.mlir --target=nvgpu --device=sm_90a --schedule=%t/ask --explain --compile-to=affine -o %t/out | FileCheck %s --check-prefix=MAP
// RUN: strata %t/turn.mlir --target=nvgpu --device=sm_90a --schedule=%t/ask --explain --compile-to=affine -o %t/out | FileCheck %s --check-prefix=TURN
// RUN: strata %t/rows.mlir --target=nvgpu --device=sm_90a --schedule=%t/ask --explain --compile-to=affine -o %t/out | FileCheck %s --check-prefix=ROWS
// RUN: strata %t/long.mlir --target=nvgpu --device=sm_90a --schedule=%t/ask --explain --compile-to=affine -o %t/out | FileCheck %s --check-prefix=LONG
// RUN: strata %t/columns.mlir --target=nvgpu --device=sm_90a --schedule=%t/ask --explain --compile-to=affine -o %t/out | FileCheck %s --check-prefix=COLUMNS
// RUN: strata %t/scan.mlir --target=nvgpu --device=sm_90a --schedule=%t/ask --explain --compile-to=affine -o %t/out | FileCheck %s --check-prefix=SCAN

// A block a tile of one, two and four accesses a thread, a thread an access, and other blocks.
// MAP:      candidate k0 sm_90a {group = 256 : i64, kind = "map", threads = 256 : i64, tile = array<i64: 1024>} # {{[0-9.]+}} us (bytes)
// MAP-NEXT: candidate k0 sm_90a {group = 1 : i64, kind = "map", threads = 256 : i64, tile = array<i64: 4>}
// MAP-NEXT: candidate k0 sm_90a {group = 256 : i64, kind = "map", threads = 256 : i64, tile = array<i64: 2048>}
// MAP-NEXT: candidate k0 sm_90a {group = 1 : i64, kind = "map", threads = 256 : i64, tile = array<i64: 2>}
// MAP-NEXT: candidate k0 sm_90a {group = 1 : i64, kind = "map", threads = 256 : i64, tile = array<i64: 8>}
// MAP:      candidate k0 sm_90a {group = 512 : i64, kind = "map", threads = 512 : i64
// MAP-NOT:  tile = array<i64: 0>

// Squares of tiles of three sizes, then what does not turn.
// TURN:      candidate k0 sm_90a {{{.*}}kind = "map", threads = {{[0-9]+}} : i64, tile = array<i64: 32, 64>}
// TURN-NEXT: candidate k0 sm_90a {{{.*}}tile = array<i64: 64, 128>}
// TURN-NEXT: candidate k0 sm_90a {{{.*}}tile = array<i64: 16, 32>}
// TURN-NEXT: candidate k0 sm_90a {group = 1 : i64, {{.*}}tile = array<i64: 8>}

// Groups of more and fewer threads that hold the row; one that reads it anew for each nest.
// ROWS:      candidate k0 sm_90a {group = 32 : i64, kind = "rows", threads = 128 : i64, tile = array<i64: 768>}
// ROWS-NEXT: candidate k0 sm_90a {group = 64 : i64, kind = "rows", threads = 64 : i64, tile = array<i64: 768>}
// ROWS-NEXT: candidate k0 sm_90a {group = 16 : i64, kind = "rows", threads = 128 : i64, tile = array<i64: 768>}
// ROWS-NEXT: candidate k0 sm_90a {group = 32 : i64, kind = "rows", threads = 128 : i64, tile = array<i64: 512>}
// ROWS-NEXT: candidate k0 sm_90a {group = 128 : i64, kind = "rows", threads = 128 : i64, tile = array<i64: 768>}
// ROWS:      candidate k0 sm_90a {group = 32 : i64, kind = "rows", threads = 256 : i64, tile = array<i64: 768>}
// ROWS-NOT:  slots

// Clusters of several sizes whose shared memory, or registers, have it.
// LONG:     candidate k0 sm_90a {group = 2048 : i64, kind = "rows", slots = 1 : i64, threads = 256 : i64, tile = array<i64: 65536>}
// LONG-DAG: candidate k0 sm_90a {group = 1024 : i64, kind = "rows", threads = 1024 : i64, tile = array<i64: 16384>}
// LONG-DAG: candidate k0 sm_90a {group = 1024 : i64, kind = "rows", slots = 1 : i64, threads = 256 : i64, tile = array<i64: 65536>}
// LONG-DAG: candidate k0 sm_90a {group = 4096 : i64, kind = "rows", threads = 512 : i64, tile = array<i64: 65536>}

// COLUMNS:     candidate k0 sm_90a {group = 1 : i64, kind = "rows", threads = 64 : i64, tile = array<i64: 1>}
// COLUMNS-DAG: candidate k0 sm_90a {group = 1 : i64, kind = "rows", threads = {{[0-9]+}} : i64, tile = array<i64: 8>}
// COLUMNS-DAG: candidate k0 sm_90a {group = 1 : i64, kind = "rows", threads = 256 : i64, tile = array<i64: 1>}

// SCAN:     candidate k0 sm_90a {group = 256 : i64, kind = "scalar", threads = 256 : i64}
// SCAN-DAG: candidate k0 sm_90a {group = 32 : i64, kind = "scalar", threads = {{[0-9]+}} : i64}
// SCAN-DAG: candidate k0 sm_90a {group = 512 : i64, kind = "scalar", threads = 512 : i64}

//--- map.mlir
func.func @main(%x: tensor<1048576xf32> {strata.name = "x"}) -> (tensor<1048576xf32> {strata.name = "y"}) {
  %y = "strata.tanh"(%x) : (tensor<1048576xf32>) -> tensor<1048576xf32>
  return %y : tensor<1048576xf32>
}
//--- turn.mlir
func.func @main(%x: tensor<400x800xf16> {strata.name = "x"}) -> (tensor<800x400xf16> {strata.name = "y"}) {
  %t = "strata.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<400x800xf16>) -> tensor<800x400xf16>
  %y = "strata.relu"(%t) : (tensor<800x400xf16>) -> tensor<800x400xf16>
  return %y : tensor<800x400xf16>
}
//--- rows.mlir
func.func @main(%x: tensor<8192x768xf32> {strata.name = "x"}) -> (tensor<8192x768xf32> {strata.name = "y"}) {
  %y = "strata.softmax"(%x) {axes = array<i64: 1>} : (tensor<8192x768xf32>) -> tensor<8192x768xf32>
  return %y : tensor<8192x768xf32>
}
//--- long.mlir
func.func @main(%x: tensor<64x65536xf32> {strata.name = "x"}) -> (tensor<64x65536xf32> {strata.name = "y"}) {
  %y = "strata.softmax"(%x) {axes = array<i64: 1>} : (tensor<64x65536xf32>) -> tensor<64x65536xf32>
  return %y : tensor<64x65536xf32>
}
//--- columns.mlir
func.func @main(%x: tensor<16x40x512xf16> {strata.name = "x"}) -> (tensor<16x512xf16> {strata.name = "y"}) {
  %y = "strata.reduce"(%x) {axes = array<i64: 1>, kind = "max"} : (tensor<16x40x512xf16>) -> tensor<16x512xf16>
  return %y : tensor<16x512xf16>
}
//--- scan.mlir
func.func @main(%x: tensor<20x4000xf32> {strata.name = "x"}) -> (tensor<20x4000xf32> {strata.name = "y"}) {
  %y = "strata.scan"(%x) {axis = 1 : i64, exclusive = false, kind = "add", reverse = false} : (tensor<20x4000xf32>) -> tensor<20x4000xf32>
  return %y : tensor<20x4000xf32>
}
