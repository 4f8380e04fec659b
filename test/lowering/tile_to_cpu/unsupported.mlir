// RUN: not strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v4 2>&1 | FileCheck %s
// RUN: not strata-opt %s --pipeline=tile-to-cpu --device=z80 2>&1 | FileCheck %s --check-prefix=DEVICE

// CHECK: strata: error: {{.*}}kernel k: vector.scan: this op on vectors is not supported
// DEVICE: strata: error: {{.*}}--device=z80: unknown processor, expected one of native, x86-64-v2
func.func private @k(%x: memref<8xf32>) {
  scf.forall (%t) in (1) {
    %start = arith.constant dense<0.0> : vector<1xf32>
    %v = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<8xf32>) -> vector<8xf32>
    %w = vector.shape_cast %v : vector<8xf32> to vector<8x1xf32>
    %s:2 = vector.scan <add>, %w, %start {inclusive = true, reduction_dim = 0 : i64} : vector<8x1xf32>, vector<1xf32>
    %r = vector.shape_cast %s#0 : vector<8x1xf32> to vector<8xf32>
    "tile.store"(%r, %x) {map = affine_map<(i) -> (i)>} : (vector<8xf32>, memref<8xf32>) -> ()
  }
  return
}
