// RUN: strata %s --target=nvgpu --device=emulated --compile-to=tile --mlir-disable-fast-math -o %t.tile.mlir
// RUN: strata-opt %t.tile.mlir --target=nvgpu --device=emulated --pipeline=affine-memory-plan,tile-to-gpu,guard-launches | FileCheck %s
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=llvm | FileCheck %s --check-prefix=LLVM
// RUN: sed 's/strata.condition, //' %s > %t.mlir && strata %t.mlir --target=nvgpu --device=emulated --compile-to=gpu | FileCheck %s --check-prefix=CLOSED
// RUN: strata %s --compile-to=cpu | FileCheck %s --check-prefix=CLOSED

// The kernel of the loop's body does nothing where its guard says so; those of @main have none.
// CHECK: func.func private @k0_k1(
// CHECK-SAME: strata.guarded
// CHECK-NEXT: func.func private @k2(
// CHECK-NOT: strata.guarded
// CHECK-LABEL: module @kernels
// CHECK: func.func @k0_k1(%{{.*}}: memref<5xf32>, %{{.*}}: memref<i8>, %{{.*}}: memref<i8>, [[GUARD:%.*]]: i64, %{{.*}}: memref<0xi8, 3>)
// CHECK-SAME: strata.guarded
// CHECK: [[HAS:%.*]] = arith.cmpi ne, [[GUARD]],
// CHECK: [[ON:%.*]]:3 = scf.if [[HAS]] -> (i1, i64, i64)
// CHECK: llvm.inttoptr [[GUARD]]
// CHECK: scf.if [[ON]]#0 {
// CHECK: arith.addf
// CHECK: } else {
// CHECK: llvm.store volatile
// CHECK: func.func @k2(%{{.*}}: memref<5xf32>, %{{.*}}: memref<5xf32>, %{{.*}}: memref<0xi8, 3>)
// CHECK-NOT: strata.guarded
// CHECK: func.func @begin_loop(
// CHECK: func.func @take_state(
// CHECK-SAME: strata.guarded

// The guard is read behind the wait for the kernels in front.
// LLVM: llvm.func @k0_k1(
// LLVM: griddepcontrol.wait
// LLVM: llvm.inttoptr
// LLVM: llvm.cond_br
// LLVM: llvm.store volatile {{.*}} : i32, !llvm.ptr<1>

// CLOSED-NOT: strata.guarded
// CLOSED-NOT: begin_loop
func.func private @loop0(tensor<i1>, tensor<5xf32>) -> (tensor<i1>, tensor<5xf32>) attributes {strata.body = @loop0_body, strata.count = 9 : i64, strata.condition, strata.parts = array<i64: 2, 0, 0, 0>, strata.reversed = array<i64>}
func.func @loop0_body(%go: tensor<i1>, %x: tensor<5xf32>) -> (tensor<i1>, tensor<5xf32>) {
  %y = "strata.add"(%x, %x) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %go, %y : tensor<i1>, tensor<5xf32>
}
func.func @main(%go: tensor<i1> {strata.name = "go"}, %x: tensor<5xf32> {strata.name = "x"}) -> (tensor<5xf32> {strata.name = "y"}) {
  %z = "strata.exp"(%x) : (tensor<5xf32>) -> tensor<5xf32>
  %went, %y = call @loop0(%go, %z) : (tensor<i1>, tensor<5xf32>) -> (tensor<i1>, tensor<5xf32>)
  return %y : tensor<5xf32>
}
