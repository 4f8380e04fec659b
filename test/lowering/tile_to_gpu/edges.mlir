// Elements of rows that end anywhere: eight a thread, each there or not. They are loaded without a branch, from a place that
// is in the buffer in any case, and dropped where they are none, and not moved to where they are used; of few there is a
// branch each.
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s
// RUN: sed 's/max = 32/max = 4/' %s > %t.few.mlir
// RUN: strata %t.few.mlir --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s --check-prefix=FEW
#x = affine_map<()[s0] -> (40000, s0)>

// CHECK: func.func @k0
// CHECK-NOT: scf.if
// CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %{{.*}}, %c5
// CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %c-5
// CHECK-NEXT: %[[BASE:.*]] = arith.minsi %{{.*}}, %[[LAST]]
// CHECK-NEXT: arith.constant 4
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[BASE]], %c4
// CHECK-NEXT: %[[VALUE:.*]] = memref.load %{{.*}}[%[[AT]]]
// CHECK-NEXT: arith.select %[[INSIDE]], %[[VALUE]]
// CHECK-NOT: scf.if
// CHECK: "tile.loads_begun"
// CHECK-NOT: scf.if
// CHECK: gpu.shuffle
// FEW: func.func @k0
// FEW-NOT: arith.minsi
// FEW-NOT: tile.loads_begun
// FEW: scf.if %{{.*}} -> (f16)
// FEW: memref.load
func.func @main(%x: tensor<40000x?xf16, #x> {strata.name = "x"}) -> (tensor<40000x?xf16, #x> {strata.name = "y"})
    attributes {strata.symbols = [{name = "length", min = 1, max = 32, likely = [3]}]} {
  %0 = "strata.softmax"(%x) {axes = array<i64: 1>} : (tensor<40000x?xf16, #x>) -> tensor<40000x?xf16, #x>
  return %0 : tensor<40000x?xf16, #x>
}
