// RUN: strata-opt %s --pipeline=affine-to-tile --device=x86-64-v4 | FileCheck %s

// A product that its kind cannot take becomes scalar loops with what follows it. What they hand on has a size that
// varies, of which tasks have no memory: each call gives the kernel a buffer.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = memref.alloc(%{{.*}}) : memref<?x40xf32, {sizes = #[[ROWS:.*]]}>
// CHECK-NEXT: call @k(%arg0, %arg1, %arg2, %[[T]])
// CHECK: %[[U:.*]] = memref.alloc(%{{.*}}) : memref<?x40xf32, {sizes = #[[ROWS]]}>
// CHECK-NEXT: call @k(%arg2, %arg1, %arg3, %[[U]])
// CHECK-LABEL: func.func private @k
// CHECK-SAME: %[[Y:[a-z0-9]*]]: memref<?x40xf32, {sizes = #[[ROWS]]}>, %[[P:[a-z0-9]*]]: memref<?x40xf32, {sizes = #[[ROWS]]}>)
// CHECK-NOT: memref.alloc
// CHECK: arith.mulf
// CHECK: memref.store %{{.*}}, %[[P]][
// CHECK: memref.load %[[P]][
// CHECK: arith.negf
// CHECK: memref.store %{{.*}}, %[[Y]][
func.func @main(%x: memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}> {strata.name = "x"},
                %v: memref<40x?xf32, {sizes = affine_map<()[s0] -> (40, s0)>}> {strata.name = "v"},
                %y: memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}> {strata.name = "y", strata.output},
                %z: memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}> {strata.name = "z", strata.output})
    attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64, likely = [64]}]} {
  call @k(%x, %v, %y) : (memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}>, memref<40x?xf32, {sizes = affine_map<()[s0] -> (40, s0)>}>, memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}>) -> ()
  call @k(%y, %v, %z) : (memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}>, memref<40x?xf32, {sizes = affine_map<()[s0] -> (40, s0)>}>, memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}>) -> ()
  return
}
func.func private @k(%x: memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}>,
                     %v: memref<40x?xf32, {sizes = affine_map<()[s0] -> (40, s0)>}>,
                     %y: memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}>)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 6, 32>}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %t = memref.alloc(%n) : memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}>
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 40) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to affine_map<()[s0] -> (s0)>()[%n] iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, 0] : memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}>
      %1 = affine.load %v[%j, %k] : memref<40x?xf32, {sizes = affine_map<()[s0] -> (40, s0)>}>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %s, %t[%i, %j] : memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 40) {
    %0 = affine.load %t[%i, %j] : memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}>
    %1 = arith.negf %0 : f32
    affine.store %1, %y[%i, %j] : memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}>
  } {strata.nest = "neg"}
  return
}
