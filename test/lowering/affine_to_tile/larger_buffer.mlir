// What hangs over an edge of what exists, and lies in a larger buffer all the same, is read without a mask; the rest has one.
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=tile -o %t
// RUN: FileCheck %s --input-file=%t/strata_mlir_artifact.tile.mlir

// CHECK-LABEL: func.func private @k0(
// CHECK-DAG: "tile.load"(%{{.*}}mask = {{.*}} : (memref<?xf32
// CHECK-DAG: "tile.load"(%{{[a-z0-9]+}}{{(, %[a-z0-9]+)*}}) {map = #{{[a-z0-9]+}}} : (memref<1024xf32>
#x = affine_map<()[s0] -> (s0)>
func.func @main(%x: tensor<?xf32, #x> {strata.name = "x"}, %w: tensor<1024xf32> {strata.name = "w"}) -> (tensor<?xf32, #x> {strata.name = "y"})
    attributes {strata.symbols = [{name = "n", min = 1, max = 1024, likely = [1000]}]} {
  %s = "strata.slice"(%w) {starts = array<i64: 0>, steps = array<i64: 1>} : (tensor<1024xf32>) -> tensor<?xf32, #x>
  %y = "strata.add"(%x, %s) : (tensor<?xf32, #x>, tensor<?xf32, #x>) -> tensor<?xf32, #x>
  return %y : tensor<?xf32, #x>
}
