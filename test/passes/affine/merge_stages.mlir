// RUN: strata-opt %s --affine-merge-stages | FileCheck %s

// One staged copy of %x for both products, and of %b as long as nobody writes to it.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = memref.alloc() : memref<8x16xf16>
// CHECK: call @k0_stage(%arg0, %[[P]])
// CHECK: call @k0(%[[P]], %[[T:[a-z0-9_]+]])
// CHECK-NOT: call @k1_stage(%arg0
// CHECK: call @k1(%[[P]], %{{.*}})
// CHECK: call @k1_stage(%[[T]], %[[Q:[a-z0-9_]+]])
// CHECK-NEXT: call @k1(%[[Q]], %{{.*}})
// CHECK-NEXT: call @k1(%[[Q]], %[[T]])
// CHECK: call @k0_stage(%[[T]], %[[R:[a-z0-9_]+]])
// CHECK-NEXT: call @k1(%[[R]], %{{.*}})
// CHECK-NOT: @k1_stage2
func.func @main(%x: memref<8x11xf16>, %y: memref<8x11xf16> {strata.output}) {
  %t = memref.alloc() : memref<8x11xf16>
  %p = memref.alloc() : memref<8x16xf16>
  call @k0_stage(%x, %p) : (memref<8x11xf16>, memref<8x16xf16>) -> ()
  call @k0(%p, %t) : (memref<8x16xf16>, memref<8x11xf16>) -> ()
  %q = memref.alloc() : memref<8x16xf16>
  call @k1_stage2(%x, %q) : (memref<8x11xf16>, memref<8x16xf16>) -> ()
  call @k1(%q, %y) : (memref<8x16xf16>, memref<8x11xf16>) -> ()
  %r = memref.alloc() : memref<8x16xf16>
  call @k1_stage(%t, %r) : (memref<8x11xf16>, memref<8x16xf16>) -> ()
  call @k1(%r, %y) : (memref<8x16xf16>, memref<8x11xf16>) -> ()
  %u = memref.alloc() : memref<8x16xf16>
  call @k0_stage(%t, %u) : (memref<8x11xf16>, memref<8x16xf16>) -> ()
  call @k1(%u, %t) : (memref<8x16xf16>, memref<8x11xf16>) -> ()
  %v = memref.alloc() : memref<8x16xf16>
  call @k0_stage(%t, %v) : (memref<8x11xf16>, memref<8x16xf16>) -> ()
  call @k1(%v, %y) : (memref<8x16xf16>, memref<8x11xf16>) -> ()
  return
}
func.func private @k0_stage(%x: memref<8x11xf16>, %p: memref<8x16xf16>) {
  affine.parallel (%i, %j) = (0, 0) to (8, 11) {
    %0 = affine.load %x[%i, %j] : memref<8x11xf16>
    affine.store %0, %p[%i, %j] : memref<8x16xf16>
  } {strata.nest = "stage"}
  return
}
func.func private @k1_stage(%a: memref<8x11xf16>, %b: memref<8x16xf16>) {
  affine.parallel (%i, %j) = (0, 0) to (8, 11) {
    %0 = affine.load %a[%i, %j] : memref<8x11xf16>
    affine.store %0, %b[%i, %j] : memref<8x16xf16>
  } {strata.nest = "stage"}
  return
}
func.func private @k1_stage2(%a: memref<8x11xf16>, %b: memref<8x16xf16>) {
  affine.parallel (%i, %j) = (0, 0) to (8, 11) {
    %0 = affine.load %a[%i, %j] : memref<8x11xf16>
    affine.store %0, %b[%i, %j] : memref<8x16xf16>
  } {strata.nest = "stage"}
  return
}
func.func private @k0(%p: memref<8x16xf16>, %t: memref<8x11xf16>) {
  affine.parallel (%i, %j) = (0, 0) to (8, 11) {
    %0 = affine.load %p[%i, %j] : memref<8x16xf16>
    affine.store %0, %t[%i, %j] : memref<8x11xf16>
  } {strata.nest = "copy"}
  return
}
func.func private @k1(%p: memref<8x16xf16>, %t: memref<8x11xf16>) {
  affine.parallel (%i, %j) = (0, 0) to (8, 11) {
    %0 = affine.load %p[%i, %j] : memref<8x16xf16>
    %1 = arith.addf %0, %0 : f16
    affine.store %1, %t[%i, %j] : memref<8x11xf16>
  } {strata.nest = "add"}
  return
}
