// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --plot=%t.dot -o %t.mlir && FileCheck %s --check-prefix=PLOT < %t.dot
// RUN: strata-opt %t.mlir --target=nvgpu --device=sm_90a --affine-predict | FileCheck %s
// RUN: strata %s --compile-to=affine | FileCheck %s --check-prefix=CPU

// 32 MiB are read and as many written: some 15 us and a launch on a card that moves 4.3 TB/s. A product of 1024 x 1024 x
// 1024 takes some us. Nothing is known of a cpu.
// CHECK-DAG: strata.predicted = {{1[5-9]...|2[0-5]...}} : i64, strata.schedule = {{.*}}kind = "map"
// CHECK-DAG: strata.predicted = {{[4-9]...|1....}} : i64, strata.schedule = {{.*}}kind = "contract"
// PLOT: ms predicted
// CPU-NOT: strata.predicted
func.func @main(%x: tensor<8388608xf32> {strata.name = "x"}, %a: tensor<1024x1024xf16> {strata.name = "a"}, %b: tensor<1024x1024xf16> {strata.name = "b"}) -> (tensor<8388608xf32> {strata.name = "y"}, tensor<1024x1024xf16> {strata.name = "z"}) {
  %y = "strata.neg"(%x) : (tensor<8388608xf32>) -> tensor<8388608xf32>
  %z = "strata.contract"(%a, %b) {origin = "matmul", zero_pad = false, maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]} : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  return %y, %z : tensor<8388608xf32>, tensor<1024x1024xf16>
}
