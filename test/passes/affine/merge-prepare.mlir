// RUN: strata-opt %s --pipeline=affine-split-prepare,affine-merge-prepare | FileCheck %s

// Equal kernels that do the same to the same constants run once, chains of them too: @main reads one result for both.
// What they do to another constant stays apart.
// CHECK-LABEL: func.func private @k0_pack
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = memref.get_global @prepared_0
// CHECK: %[[B:.*]] = memref.get_global @prepared_0
// CHECK: %[[C:.*]] = memref.get_global @prepared_2
// CHECK: call @sum(%[[A]], %[[B]], %[[C]], %arg1)
// CHECK-LABEL: func.func @prepare()
// CHECK: %[[W:.*]] = memref.get_global @w
// CHECK: call @k0_pack(%[[W]], %[[T:.*]]) :
// CHECK: %[[P:.*]] = memref.get_global @prepared_0
// CHECK: call @k0_pack(%[[T]], %[[P]]) :
// CHECK-NOT: memref.alloc
// CHECK: %[[V:.*]] = memref.get_global @v
// CHECK: %[[Q:.*]] = memref.get_global @prepared_2
// CHECK: call @k1_pack(%[[V]], %[[Q]]) :
// CHECK-NEXT: return
// CHECK-NOT: memref.global {{.*}} @prepared_1
memref.global "private" @w : memref<8x8xf32>
memref.global "private" @v : memref<8x8xf32>
func.func private @k0_pack(%w: memref<8x8xf32>, %p: memref<8x8xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %x = affine.load %w[%j, %i] : memref<8x8xf32>
    affine.store %x, %p[%i, %j] : memref<8x8xf32>
  } {strata.nest = "pack"}
  return
}
func.func private @k1_pack(%w: memref<8x8xf32>, %p: memref<8x8xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %x = affine.load %w[%j, %i] : memref<8x8xf32>
    affine.store %x, %p[%i, %j] : memref<8x8xf32>
  } {strata.nest = "pack"}
  return
}
func.func private @sum(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>, %y: memref<8x8xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    %u = affine.load %a[%i, %j] : memref<8x8xf32>
    %v = affine.load %b[%i, %j] : memref<8x8xf32>
    %w = affine.load %c[%i, %j] : memref<8x8xf32>
    %s = arith.addf %u, %v : f32
    %t = arith.addf %s, %w : f32
    affine.store %t, %y[%i, %j] : memref<8x8xf32>
  } {strata.nest = "add"}
  return
}
func.func @main(%x: memref<8x8xf32> {strata.name = "x"}, %y: memref<8x8xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<8x8xf32>
  %v = memref.get_global @v : memref<8x8xf32>
  %s = memref.alloc() : memref<8x8xf32>
  %t = memref.alloc() : memref<8x8xf32>
  %a = memref.alloc() : memref<8x8xf32>
  %b = memref.alloc() : memref<8x8xf32>
  %c = memref.alloc() : memref<8x8xf32>
  call @k0_pack(%w, %s) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  call @k0_pack(%s, %a) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  call @k1_pack(%w, %t) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  call @k1_pack(%t, %b) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  call @k1_pack(%v, %c) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  call @sum(%a, %b, %c, %y) : (memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) -> ()
  return
}
