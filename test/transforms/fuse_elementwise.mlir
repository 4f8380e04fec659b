// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Elementwise ops that read one another are one kernel, whatever is broadcast and however many results are wanted.
// CHECK: a run: 1 launches
func.func @main(%x: tensor<4096x1024xf16> {strata.name = "x"}, %y: tensor<4096x1024xf16> {strata.name = "y"},
                %r: tensor<1024xf16> {strata.name = "r"})
    -> (tensor<4096x1024xf16> {strata.name = "y0"}, tensor<4096x1024xf16> {strata.name = "y1"},
        tensor<4096x1024xf16> {strata.name = "y2"}) {
  %0 = "strata.add"(%x, %y) : (tensor<4096x1024xf16>, tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  %1 = "strata.sigmoid"(%0) : (tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  %2 = "strata.broadcast"(%r) {map = affine_map<(i, j) -> (j)>} : (tensor<1024xf16>) -> tensor<4096x1024xf16>
  %3 = "strata.add"(%0, %2) : (tensor<4096x1024xf16>, tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  %4 = "strata.tanh"(%3) : (tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  %5 = "strata.mul"(%1, %4) : (tensor<4096x1024xf16>, tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  %6 = "strata.sub"(%5, %0) : (tensor<4096x1024xf16>, tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  return %1, %5, %6 : tensor<4096x1024xf16>, tensor<4096x1024xf16>, tensor<4096x1024xf16>
}
