// RUN: strata-opt %s --pipeline=affine-schedule | FileCheck %s

// A constant operand is packed into panels by a kernel of its own; the kernel reads the panels.
// CHECK-LABEL: func.func private @k0_pack
// CHECK-SAME: memref<16x1001xf32>, %{{.*}}: memref<{{[0-9]+}}x16x[[W:[0-9]+]]xf32>
// CHECK: affine.if
// CHECK-LABEL: func.func private @k0(
// CHECK-SAME: kind = "contract"
// CHECK-LABEL: func.func @main
// CHECK: %[[G:.*]] = memref.get_global @w
// CHECK: %[[P:.*]] = memref.alloc()
// CHECK: call @k0_pack(%[[G]], %[[P]])
// CHECK: call @k0(%{{.*}}, %[[P]], %{{.*}})
memref.global "private" @w : memref<16x1001xf32>
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
func.func @main(%x: memref<32x16xf32> {strata.name = "x"}, %y: memref<32x1001xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<16x1001xf32>
  call @k0(%x, %w, %y) : (memref<32x16xf32>, memref<16x1001xf32>, memref<32x1001xf32>) -> ()
  return
}
