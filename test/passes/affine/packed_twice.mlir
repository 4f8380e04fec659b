// RUN: strata-opt %s --pipeline=affine-schedule | FileCheck %s

// What a GPU's schedule packed is packed again where @prepare is scheduled for the host: the kernels have names of their
// own.
// CHECK-LABEL: func.func private @k0_pack(%{{.*}}: memref<1001x16xf32>
// CHECK-LABEL: func.func private @k0_pack2(
// CHECK-LABEL: func.func private @k0(
// CHECK-LABEL: func.func @main
// CHECK: call @k0_pack(%{{.*}}, %[[W:.*]]) :
// CHECK: call @k0_pack2(%[[W]], %[[P:.*]]) :
// CHECK: call @k0(%{{.*}}, %[[P]], %{{.*}}) :
memref.global "private" @x : memref<32x16xf32>
memref.global "private" @w : memref<1001x16xf32>
func.func private @k0_pack(%w: memref<1001x16xf32>, %p: memref<16x1001xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (16, 1001) {
    %v = affine.load %w[%j, %i] : memref<1001x16xf32>
    affine.store %v, %p[%i, %j] : memref<16x1001xf32>
  } {strata.nest = "pack"}
  return
}
func.func private @k0(%x: memref<32x16xf32>, %w: memref<16x1001xf32>, %y: memref<32x1001xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (32, 1001) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 16 iter_args(%a = %z) -> f32 {
      %u = affine.load %x[%i, %k] : memref<32x16xf32>
      %v = affine.load %w[%k, %j] : memref<16x1001xf32>
      %p = arith.mulf %u, %v : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<32x1001xf32>
  } {strata.nest = "contract"}
  return
}
func.func @main(%y: memref<32x1001xf32> {strata.name = "y", strata.output}) {
  %x = memref.get_global @x : memref<32x16xf32>
  %w = memref.get_global @w : memref<1001x16xf32>
  %p = memref.alloc() : memref<16x1001xf32>
  call @k0_pack(%w, %p) : (memref<1001x16xf32>, memref<16x1001xf32>) -> ()
  call @k0(%x, %p, %y) : (memref<32x16xf32>, memref<16x1001xf32>, memref<32x1001xf32>) -> ()
  return
}
