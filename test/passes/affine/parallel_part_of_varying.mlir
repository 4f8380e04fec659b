// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s < %t/strata_mlir_artifact.affine.mlir

// Products of known sizes may read the same part of a buffer whose sizes vary: of how many bytes that is nobody knows.
// SAID: a run: 2 launches
// CHECK: func.func private @k0(%arg0: memref<?x256xf16
// CHECK: func.func private @k1(%arg0: memref<?x256xf16
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#x = affine_map<()[s0] -> (s0, 256)>
func.func @main(%x: tensor<?x256xf16, #x> {strata.name = "x"}, %v: tensor<256x136xf16> {strata.name = "v"},
                %w: tensor<256x328xf16> {strata.name = "w"})
    -> (tensor<64x136xf16> {strata.name = "y"}, tensor<64x328xf16> {strata.name = "z"}) attributes {strata.symbols = [
    {name = "rows", min = 64 : i64, max = 4096 : i64, multiple = 1 : i64, likely = [64, 512]}]} {
  %s = "strata.slice"(%x) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<?x256xf16, #x>) -> tensor<64x256xf16>
  %y = "strata.contract"(%s, %v) {maps = #nn, zero_pad = false, origin = "matmul"}
      : (tensor<64x256xf16>, tensor<256x136xf16>) -> tensor<64x136xf16>
  %z = "strata.contract"(%s, %w) {maps = #nn, zero_pad = false, origin = "matmul"}
      : (tensor<64x256xf16>, tensor<256x328xf16>) -> tensor<64x328xf16>
  return %y, %z : tensor<64x136xf16>, tensor<64x328xf16>
}
