// RUN: strata-opt %s --pipeline=affine-layout | FileCheck %s

// Channels of a convolution's result lie last where the number of images varies, too: dims keep their sizes, and the
// allocation its operand.
// CHECK: #[[SIZES:.*]] = affine_map<()[s0] -> (s0, 8, 8, 16)>
// CHECK: %[[N:.*]] = "strata.size"
// CHECK: memref.alloc(%[[N]]) : memref<?x8x8x16xf32, {sizes = #[[SIZES]]}>
// CHECK: affine.parallel (%[[I:.*]], %[[H:.*]], %[[W:.*]], %[[C:.*]]) = (0, 0, 0, 0) to (symbol(%[[N]]), 8, 8, 16)
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[H]], %[[W]], %[[C]]]
// CHECK: affine.parallel (%[[J:.*]], %[[D:.*]], %[[Y:.*]], %[[X:.*]]) = (0, 0, 0, 0) to (symbol(%[[N]]), 16, 8, 8)
// CHECK: affine.load %{{.*}}[%[[J]], %[[Y]], %[[X]], %[[D]]]
#x = affine_map<()[s0] -> (s0, 4, 8, 8)>
#y = affine_map<()[s0] -> (s0, 16, 8, 8)>
module {
  memref.global "private" @w : memref<16x4xf32>
  func.func @main(%x: memref<?x4x8x8xf32, {sizes = #x}> {strata.name = "x"}, %y: memref<?x16x8x8xf32, {sizes = #y}> {strata.name = "y", strata.output})
      attributes {strata.symbols = [{name = "batch", min = 1, likely = [1, 8]}]} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    %w = memref.get_global @w : memref<16x4xf32>
    %t = memref.alloc(%n) : memref<?x16x8x8xf32, {sizes = #y}>
    affine.parallel (%i, %c, %h, %v) = (0, 0, 0, 0) to (symbol(%n), 16, 8, 8) {
      %zero = arith.constant 0.0 : f32
      %s = affine.for %k = 0 to 4 iter_args(%a = %zero) -> (f32) {
        %p = affine.load %x[%i, %k, %h, %v] : memref<?x4x8x8xf32, {sizes = #x}>
        %q = affine.load %w[%c, %k] : memref<16x4xf32>
        %m = arith.mulf %p, %q : f32
        %b = arith.addf %a, %m : f32
        affine.yield %b : f32
      }
      affine.store %s, %t[%i, %c, %h, %v] : memref<?x16x8x8xf32, {sizes = #y}>
    } {strata.nest = "contract"}
    affine.parallel (%i, %c, %h, %v) = (0, 0, 0, 0) to (symbol(%n), 16, 8, 8) {
      %p = affine.load %t[%i, %c, %h, %v] : memref<?x16x8x8xf32, {sizes = #y}>
      %e = math.exp %p : f32
      affine.store %e, %y[%i, %c, %h, %v] : memref<?x16x8x8xf32, {sizes = #y}>
    } {strata.nest = "exp"}
    return
  }
}
