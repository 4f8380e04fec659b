// RUN: strata-opt %s --pipeline=affine-schedule | FileCheck %s
// RUN: strata-opt %s --device=x86-64-v4 --pipeline=affine-schedule | FileCheck %s --check-prefix=AVX512

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
func.func @main(%x: memref<32x16xf32> {strata.name = "x"}, %a: memref<600x1024xf32> {strata.name = "a"}, %b: memref<1024x800xf32> {strata.name = "b"}, %g: memref<600x700xf32> {strata.name = "g"}, %h: memref<700x800xf32> {strata.name = "h"}, %e: memref<9x9x70xf32> {strata.name = "e"}, %y: memref<32x1001xf32> {strata.name = "y", strata.output}, %c: memref<600x800xf32> {strata.name = "c", strata.output}, %i: memref<600x800xf32> {strata.name = "i", strata.output}, %f: memref<7x7x70xf32> {strata.name = "f", strata.output}) {
  %w = memref.get_global @w : memref<16x1001xf32>
  call @k0(%x, %w, %y) : (memref<32x16xf32>, memref<16x1001xf32>, memref<32x1001xf32>) -> ()
  %d = memref.get_global @d : memref<70x3x3xf32>
  call @k2(%e, %d, %f) : (memref<9x9x70xf32>, memref<70x3x3xf32>, memref<7x7x70xf32>) -> ()
  call @k1(%a, %b, %c) : (memref<600x1024xf32>, memref<1024x800xf32>, memref<600x800xf32>) -> ()
  call @k3(%g, %h, %i) : (memref<600x700xf32>, memref<700x800xf32>, memref<600x800xf32>) -> ()
  return
}

// Operands given at run time: the vector side, passed by often, is packed, by rows, over all panels. Of the broadcast
// side, whose rows are a multiple of a way of the first-level cache apart, a tile has no more than the cache has ways.
// CHECK-LABEL: func.func private @k1_pack(
// CHECK-SAME: memref<1024x800xf32>, %{{.*}}: memref<[[T:[0-9]+]]x1024x[[W1:[0-9]+]]xf32>
// CHECK-SAME: kind = "map"}
// CHECK: affine.parallel ({{.*}}) = (0, 0, 0) to (1024, [[T]], [[W1]])
// CHECK-LABEL: func.func private @k1(
// CHECK-SAME: memref<600x1024xf32>
// CHECK-SAME: tile = array<i64: {{.*}}, [[W1]]>
// AVX512-LABEL: func.func private @k1(
// AVX512-SAME: tile = array<i64: 8, 48>
func.func private @k1(%x: memref<600x1024xf32>, %w: memref<1024x800xf32>, %y: memref<600x800xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (600, 800) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 1024 iter_args(%a = %z) -> f32 {
      %u = affine.load %x[%i, %k] : memref<600x1024xf32>
      %v = affine.load %w[%k, %j] : memref<1024x800xf32>
      %p = arith.mulf %u, %v : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<600x800xf32>
  } {strata.nest = "contract"}
  return
}

// Rows that do not lie in each other's way may be more.
// AVX512-LABEL: func.func private @k3(
// AVX512-SAME: tile = array<i64: {{9|1[0-9]}}, 
// CHECK-LABEL: func.func private @k3_pack(
// CHECK-SAME: memref<700x800xf32>
// CHECK-LABEL: func.func private @k3(
// CHECK-SAME: memref<600x700xf32>, %{{.*}}: memref<{{[0-9]+}}x700x{{[0-9]+}}xf32>
func.func private @k3(%x: memref<600x700xf32>, %w: memref<700x800xf32>, %y: memref<600x800xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (600, 800) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 700 iter_args(%a = %z) -> f32 {
      %u = affine.load %x[%i, %k] : memref<600x700xf32>
      %v = affine.load %w[%k, %j] : memref<700x800xf32>
      %p = arith.mulf %u, %v : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<600x800xf32>
  } {strata.nest = "contract"}
  return
}

// Where the dim that is contiguous in the result belongs to both operands, vectors run along it: a depthwise convolution
// with channels last. Its constant operand is packed with that dim innermost, by squares, since it is contiguous along
// another.
// CHECK-LABEL: func.func private @k2_pack(
// CHECK-SAME: memref<70x3x3xf32>, %{{.*}}: memref<1x3x3x70xf32>
// CHECK-SAME: kind = "map", tile = array<i64: 70, 16>
// CHECK-LABEL: func.func private @k2(
// CHECK-SAME: kind = "rows"
memref.global "private" @d : memref<70x3x3xf32>
func.func private @k2(%x: memref<9x9x70xf32>, %w: memref<70x3x3xf32>, %y: memref<7x7x70xf32>) {
  affine.parallel (%i, %j, %c) = (0, 0, 0) to (7, 7, 70) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 3 iter_args(%a = %z) -> f32 {
      %t = affine.for %l = 0 to 3 iter_args(%b = %a) -> f32 {
        %u = affine.load %x[%i + %k, %j + %l, %c] : memref<9x9x70xf32>
        %v = affine.load %w[%c, %k, %l] : memref<70x3x3xf32>
        %p = arith.mulf %u, %v : f32
        %n = arith.addf %b, %p : f32
        affine.yield %n : f32
      }
      affine.yield %t : f32
    }
    affine.store %s, %y[%i, %j, %c] : memref<7x7x70xf32>
  } {strata.nest = "contract"}
  return
}
