// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s --check-prefix=ALONE
// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t.affine | grep ^schedule | sed 's/slots = 12/slots = 4/' > %t.schedule
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedule --compile-to=gpu -o - | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --schedule=%t.schedule --compile-to=llvm -o - | FileCheck %s --check-prefix=LLVM

// Where no block of the next kernel finds room beside one of this, the next is made ready at once.
// ALONE: scf.if
// ALONE: "tile.launch_next"()
// ALONE: "tile.launch_wait"()
// ALONE: "tile.bulk_load"
// ALONE-NOT: launch_next

// A row times a matrix: the row is fetched as it is, one box a step. With room for others, the next kernel's blocks may
// come once all is fetched.
// CHECK: strata.maps = [{box = array<i64: 64>, buffer = 0 : i64, sizes = array<i64: 4096>, steps = array<i64: 1>, strides = array<i64>{{.*}}}, {box = array<i64: 64, 64>, buffer = 1 : i64
// CHECK: func.func @k0
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: "tile.launch_wait"()
// CHECK: "tile.barrier_expect"(%{{[^,]*}}, %{{[^,]*}}) {bytes = 8320 : i64}
// CHECK: "tile.bulk_load"({{.*}}) {map = 0 : i64}
// CHECK: "tile.bulk_load"({{.*}}) {map = 1 : i64}
// CHECK-NOT: "tile.bulk_load"
// CHECK: "tile.launch_next"()
// CHECK: } else {
// CHECK: "tile.launch_wait"()
// CHECK: "tile.mma_async"

// LLVM: llvm.func @k0
// LLVM-NOT: griddepcontrol
// LLVM: nvvm.barrier
// LLVM: griddepcontrol.wait;
// LLVM: cp.async.bulk.tensor
// LLVM: llvm.nvvm.griddepcontrol.launch.dependents
// LLVM: griddepcontrol.wait;
// LLVM-NOT: griddepcontrol
func.func @main(%x: tensor<1x4096xbf16> {strata.name = "x"}, %w: tensor<4096x4096xbf16> {strata.name = "w"}) -> (tensor<1x4096xf32> {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"} : (tensor<1x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<1x4096xf32>
  return %0 : tensor<1x4096xf32>
}
