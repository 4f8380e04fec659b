// RUN: strata-opt %s --target=amdgpu --device=gfx942 --pipeline=affine-share-launches | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-share-launches | FileCheck %s --check-prefix=PARTS

// A block's threads wait for one another where a tile of a size that varies may be cut short. Where a part of a block
// cannot, such maps share the launch of others whose blocks have no more threads, so that all of a block are there.
// PARTS: call @first({{.*}}) {strata.launch = 0 : i64}
// PARTS-NEXT: call @second({{.*}}) {strata.launch = 0 : i64}
// PARTS-NEXT: call @third({{.*}}) {strata.launch = 0 : i64}
// CHECK: call @first({{.*}}) {strata.launch = 0 : i64}
// CHECK-NEXT: call @third({{.*}}) {strata.launch = 0 : i64}
// CHECK-NEXT: call @second({{[^{]*}}) :
#n = affine_map<()[s0] -> (s0 * 8)>
#whole = {kind = "map", threads = 64, group = 64, tile = array<i64: 256>}
#wide = {kind = "map", threads = 256, group = 1, tile = array<i64: 4>}
#narrow = {kind = "map", threads = 32, group = 1, tile = array<i64: 4>}
module {
  func.func @main(%x: memref<?xf32, {sizes = #n}> {strata.name = "x"},
                  %a: memref<?xf32, {sizes = #n}> {strata.name = "a", strata.output},
                  %b: memref<?xf32, {sizes = #n}> {strata.name = "b", strata.output},
                  %c: memref<?xf32, {sizes = #n}> {strata.name = "c", strata.output})
      attributes {strata.symbols = [{name = "n", min = 1, likely = [8]}]} {
    call @first(%x, %a) : (memref<?xf32, {sizes = #n}>, memref<?xf32, {sizes = #n}>) -> ()
    call @second(%x, %b) : (memref<?xf32, {sizes = #n}>, memref<?xf32, {sizes = #n}>) -> ()
    call @third(%x, %c) : (memref<?xf32, {sizes = #n}>, memref<?xf32, {sizes = #n}>) -> ()
    return
  }
  func.func private @first(%x: memref<?xf32, {sizes = #n}>, %y: memref<?xf32, {sizes = #n}>)
      attributes {strata.schedule = #whole} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    affine.parallel (%i) = (0) to (symbol(%n) * 8) {
      %0 = affine.load %x[%i] : memref<?xf32, {sizes = #n}>
      %1 = arith.negf %0 : f32
      affine.store %1, %y[%i] : memref<?xf32, {sizes = #n}>
    } {strata.nest = "first"}
    return
  }
  func.func private @second(%x: memref<?xf32, {sizes = #n}>, %y: memref<?xf32, {sizes = #n}>)
      attributes {strata.schedule = #wide} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    affine.parallel (%i) = (0) to (symbol(%n) * 8) {
      %0 = affine.load %x[%i] : memref<?xf32, {sizes = #n}>
      %1 = math.absf %0 : f32
      affine.store %1, %y[%i] : memref<?xf32, {sizes = #n}>
    } {strata.nest = "second"}
    return
  }
  func.func private @third(%x: memref<?xf32, {sizes = #n}>, %y: memref<?xf32, {sizes = #n}>)
      attributes {strata.schedule = #narrow} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    affine.parallel (%i) = (0) to (symbol(%n) * 8) {
      %0 = affine.load %x[%i] : memref<?xf32, {sizes = #n}>
      %1 = math.exp %0 : f32
      affine.store %1, %y[%i] : memref<?xf32, {sizes = #n}>
    } {strata.nest = "third"}
    return
  }
}
