// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-share-launches | FileCheck %s

// Where sizes vary a view is of our own dialect, and its buffer's all the same: @second reads what @first has written
// through another one.
#x = affine_map<()[s0] -> (s0, 8)>
#v = affine_map<()[s0] -> (s0 * 8)>
// CHECK: call @first
// CHECK-NOT: strata.launch
// CHECK: call @second
// CHECK-NOT: strata.launch
// CHECK: return
module {
  func.func @main(%x: memref<?x8xf32, {sizes = #x}> {strata.name = "x"},
                  %y: memref<?x8xf32, {sizes = #x}> {strata.name = "y", strata.output},
                  %z: memref<?x8xf32, {sizes = #x}> {strata.name = "z", strata.output})
      attributes {strata.symbols = [{name = "n", min = 1, likely = [8]}]} {
    %xs = "strata.view"(%x) : (memref<?x8xf32, {sizes = #x}>) -> memref<?xf32, {sizes = #v}>
    %ys = "strata.view"(%y) : (memref<?x8xf32, {sizes = #x}>) -> memref<?xf32, {sizes = #v}>
    call @first(%xs, %ys) : (memref<?xf32, {sizes = #v}>, memref<?xf32, {sizes = #v}>) -> ()
    call @second(%y, %z) : (memref<?x8xf32, {sizes = #x}>, memref<?x8xf32, {sizes = #x}>) -> ()
    return
  }
  func.func private @first(%x: memref<?xf32, {sizes = #v}>, %y: memref<?xf32, {sizes = #v}>)
      attributes {strata.schedule = {kind = "map", threads = 64, group = 1, tile = array<i64: 4>}} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    affine.parallel (%i) = (0) to (symbol(%n) * 8) {
      %a = affine.load %x[%i] : memref<?xf32, {sizes = #v}>
      %b = arith.negf %a : f32
      affine.store %b, %y[%i] : memref<?xf32, {sizes = #v}>
    } {strata.nest = "neg"}
    return
  }
  func.func private @second(%x: memref<?x8xf32, {sizes = #x}>, %y: memref<?x8xf32, {sizes = #x}>)
      attributes {strata.schedule = {kind = "map", threads = 64, group = 1, tile = array<i64: 4>}} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 8) {
      %a = affine.load %x[%i, %j] : memref<?x8xf32, {sizes = #x}>
      %b = math.absf %a : f32
      affine.store %b, %y[%i, %j] : memref<?x8xf32, {sizes = #x}>
    } {strata.nest = "abs"}
    return
  }
}
