// RUN: strata %s --target=amdgpu --device=gfx1100 --compile-to=affine --explain -o %t | FileCheck %s

// 64 rows on 96 processors: alone, kernels of more blocks than rows would keep all of them busy, but a block holds its
// row, of which one kernel reads each element once, and two of them twice. Rows that no block holds are
// few_long_rows.mlir's.
// CHECK: fused {{.*}}sub#2 <- mul#1 in k0
// CHECK: a run: 1 launches, 5.25e+06 bytes

func.func @main(%x: tensor<2x640x32x32xf16> {strata.name = "x"}, %g: tensor<640xf16> {strata.name = "g"},
                %b: tensor<640xf16> {strata.name = "b"})
    -> (tensor<2x640x32x32xf16> {strata.name = "y"}) {
  %0 = "strata.reshape"(%x) : (tensor<2x640x32x32xf16>) -> tensor<2x32x20480xf16>
  %1 = "strata.normalize"(%0) {axes = array<i64: 2>, epsilon = 1.0e-05 : f64} : (tensor<2x32x20480xf16>) -> tensor<2x32x20480xf16>
  %2 = "strata.reshape"(%1) : (tensor<2x32x20480xf16>) -> tensor<2x640x32x32xf16>
  %3 = "strata.broadcast"(%g) {map = affine_map<(n, c, h, w) -> (c)>} : (tensor<640xf16>) -> tensor<2x640x32x32xf16>
  %4 = "strata.mul"(%2, %3) : (tensor<2x640x32x32xf16>, tensor<2x640x32x32xf16>) -> tensor<2x640x32x32xf16>
  %5 = "strata.broadcast"(%b) {map = affine_map<(n, c, h, w) -> (c)>} : (tensor<640xf16>) -> tensor<2x640x32x32xf16>
  %6 = "strata.add"(%4, %5) : (tensor<2x640x32x32xf16>, tensor<2x640x32x32xf16>) -> tensor<2x640x32x32xf16>
  %7 = "strata.silu"(%6) : (tensor<2x640x32x32xf16>) -> tensor<2x640x32x32xf16>
  return %7 : tensor<2x640x32x32xf16>
}
