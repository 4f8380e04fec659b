// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu --dim length=17 -o - | FileCheck %s --check-prefix=KNOWN
// RUN: sed 's/max = 32/max = 1024/; s/.3.}/[1000]}/' %s > %t.mlir
// RUN: strata %t.mlir --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s --check-prefix=LONG

// Rows of up to 32 elements, scaled and shifted behind their sums: all three operands are asked for at once, by eight threads
// that have four elements of each. Where the length is known the assembler sees to that, and longer rows would take too many
// registers.
// CHECK: func.func @k0
// CHECK-COUNT-12: memref.load
// CHECK: "tile.loads_begun"() {awaited}
// CHECK-NOT: memref.load
// CHECK: gpu.shuffle
// CHECK-NOT: memref.load
// CHECK: return
// KNOWN: func.func @k0
// KNOWN-NOT: tile.loads_begun
// LONG: func.func @k0_v1(
// LONG-NOT: awaited
// LONG: func.func @k0_v2(
// LONG: awaited
#x = affine_map<()[s0] -> (4096, s0)>
#w = affine_map<()[s0] -> (s0)>
func.func @main(%x: tensor<4096x?xf16, #x> {strata.name = "x"}, %g: tensor<?xf16, #w> {strata.name = "g"},
                %b: tensor<?xf16, #w> {strata.name = "b"}) -> (tensor<4096x?xf16, #x> {strata.name = "y"})
    attributes {strata.symbols = [{name = "length", min = 1, max = 32, likely = [3]}]} {
  %0 = "strata.layer_norm"(%x, %g, %b) {axes = array<i64: 1>, epsilon = 1.0e-05 : f64}
      : (tensor<4096x?xf16, #x>, tensor<?xf16, #w>, tensor<?xf16, #w>) -> tensor<4096x?xf16, #x>
  return %0 : tensor<4096x?xf16, #x>
}
