// RUN: strata-opt %s --pipeline=affine-split-prepare | FileCheck %s

// What depends on constants only moves to @prepare: its last result becomes a global, what lies between is allocated
// there.
// CHECK-LABEL: func.func @main
// CHECK-NOT: memref.get_global @w
// CHECK: %[[P:.*]] = memref.get_global @prepared_0 : memref<8x4xf32>
// CHECK-NEXT: %[[T:.*]] = memref.alloc()
// CHECK-NEXT: call @twice(%arg0, %[[T]])
// CHECK-NEXT: call @sum(%[[P]], %[[T]], %arg1)
// CHECK-NEXT: return
// CHECK-LABEL: func.func @prepare()
// CHECK: %[[W:.*]] = memref.get_global @w
// CHECK: %[[C:.*]] = memref.collapse_shape %[[W]]
// CHECK: %[[Q:.*]] = memref.alloc() : memref<8x4xf32>
// CHECK: call @pack(%[[C]], %[[Q]])
// CHECK: %[[R:.*]] = memref.get_global @prepared_0
// CHECK: call @twice(%[[Q]], %[[R]])
// CHECK-NEXT: return
// CHECK: memref.global "private" @prepared_0 : memref<8x4xf32>
memref.global "private" @w : memref<4x8xf32>
func.func private @pack(%w: memref<32xf32>, %p: memref<8x4xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (8, 4) {
    %v = affine.load %w[%j * 8 + %i] : memref<32xf32>
    affine.store %v, %p[%i, %j] : memref<8x4xf32>
  } {strata.nest = "pack"}
  return
}
func.func private @twice(%p: memref<8x4xf32>, %q: memref<8x4xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (8, 4) {
    %v = affine.load %p[%i, %j] : memref<8x4xf32>
    %s = arith.addf %v, %v : f32
    affine.store %s, %q[%i, %j] : memref<8x4xf32>
  } {strata.nest = "add"}
  return
}
func.func private @sum(%p: memref<8x4xf32>, %q: memref<8x4xf32>, %y: memref<8x4xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (8, 4) {
    %v = affine.load %p[%i, %j] : memref<8x4xf32>
    %u = affine.load %q[%i, %j] : memref<8x4xf32>
    %s = arith.addf %v, %u : f32
    affine.store %s, %y[%i, %j] : memref<8x4xf32>
  } {strata.nest = "add"}
  return
}
func.func @main(%x: memref<8x4xf32> {strata.name = "x"}, %y: memref<8x4xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<4x8xf32>
  %p = memref.alloc() : memref<8x4xf32>
  %q = memref.alloc() : memref<8x4xf32>
  %t = memref.alloc() : memref<8x4xf32>
  %c = memref.collapse_shape %w [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  call @pack(%c, %p) : (memref<32xf32>, memref<8x4xf32>) -> ()
  call @twice(%p, %q) : (memref<8x4xf32>, memref<8x4xf32>) -> ()
  call @twice(%x, %t) : (memref<8x4xf32>, memref<8x4xf32>) -> ()
  call @sum(%q, %t, %y) : (memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>) -> ()
  return
}
