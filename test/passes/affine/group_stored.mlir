// RUN: split-file %s %t
// RUN: strata %t/0.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out 2>&1 | FileCheck %t/0.mlir
// RUN: strata %t/1.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out 2>&1 | FileCheck %t/1.mlir
// RUN: strata %t/2.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out 2>&1 | FileCheck %t/2.mlir
// RUN: strata %t/3.mlir --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t/out 2>&1 | FileCheck %t/3.mlir

//--- 0.mlir
// A product is a result, and so is what is made of it: all in its kernel, though that would be read from memory as well.
// CHECK: fused  abs#1 <- contract#0 in k0
// CHECK: fused  div#3 <- add#2 in k0
// CHECK: a run: 1 launches
#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<128x64xf16> {strata.name = "x"}, %w: tensor<64x128xf16> {strata.name = "w"}, %b: tensor<128x128xf32> {strata.name = "b"}) -> (tensor<128x128xf32> {strata.name = "y"}, tensor<128x128xf32> {strata.name = "z"}) {
  %0 = "strata.contract"(%x, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (tensor<128x64xf16>, tensor<64x128xf16>) -> tensor<128x128xf32>
  %1 = "strata.abs"(%0) : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %2 = "strata.add"(%1, %b) : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %3 = "strata.div"(%b, %2) : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0, %3 : tensor<128x128xf32>, tensor<128x128xf32>
}

//--- 1.mlir
// A reduction over its rows is a kernel in any case, which reads what is stored.
// CHECK: apart  abs#1 <- contract#0: what it reads is stored anyway, and its own reader computes it
// CHECK: a run: 2 launches
#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<4096x64xf16> {strata.name = "x"}, %w: tensor<64x4096xf16> {strata.name = "w"}) -> (tensor<4096x4096xf32> {strata.name = "y"}, tensor<4096xf32> {strata.name = "z"}) {
  %0 = "strata.contract"(%x, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (tensor<4096x64xf16>, tensor<64x4096xf16>) -> tensor<4096x4096xf32>
  %1 = "strata.abs"(%0) : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %2 = "strata.reduce"(%1) {kind = "add", axes = array<i64: 1>} : (tensor<4096x4096xf32>) -> tensor<4096xf32>
  return %0, %2 : tensor<4096x4096xf32>, tensor<4096xf32>
}

//--- 2.mlir
// What one reads for each row is a result of its own: where both are over soon it is computed for each, in one launch.
// CHECK: fused  mul#4 <- exp#3 in k1
// CHECK: a run: 1 launches
func.func @main(%x: tensor<256x1024xf32> {strata.name = "x"}, %s: tensor<1024xf32> {strata.name = "s"}) -> (tensor<1024xf32> {strata.name = "e"}, tensor<256x1024xf32> {strata.name = "y"}) {
  %0 = "strata.sin"(%s) : (tensor<1024xf32>) -> tensor<1024xf32>
  %1 = "strata.exp"(%0) : (tensor<1024xf32>) -> tensor<1024xf32>
  %2 = "strata.broadcast"(%1) {map = affine_map<(i, j) -> (j)>} : (tensor<1024xf32>) -> tensor<256x1024xf32>
  %3 = "strata.mul"(%x, %2) : (tensor<256x1024xf32>, tensor<256x1024xf32>) -> tensor<256x1024xf32>
  return %1, %3 : tensor<1024xf32>, tensor<256x1024xf32>
}

//--- 3.mlir
// Here one takes long, and would not share it.
// CHECK: apart  mul#2 <- exp#1: they do not walk the same points: it would be computed again, and is a result
// CHECK: a run: 2 launches
func.func @main(%x: tensor<65536x1024xf32> {strata.name = "x"}, %s: tensor<1024xf32> {strata.name = "s"}) -> (tensor<1024xf32> {strata.name = "e"}, tensor<65536x1024xf32> {strata.name = "y"}) {
  %0 = "strata.sin"(%s) : (tensor<1024xf32>) -> tensor<1024xf32>
  %1 = "strata.exp"(%0) : (tensor<1024xf32>) -> tensor<1024xf32>
  %2 = "strata.broadcast"(%1) {map = affine_map<(i, j) -> (j)>} : (tensor<1024xf32>) -> tensor<65536x1024xf32>
  %3 = "strata.mul"(%x, %2) : (tensor<65536x1024xf32>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %1, %3 : tensor<1024xf32>, tensor<65536x1024xf32>
}
