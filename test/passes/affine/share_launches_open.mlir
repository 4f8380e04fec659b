// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-share-launches | FileCheck %s
// RUN: strata-opt %s --target=cpu --pipeline=affine-share-launches | FileCheck %s --check-prefix=CPU

// Kernels share a launch of a GPU whatever their sizes are, and so do those that have variants for some sizes.
// CHECK: call @first({{.*}}) {strata.launch = 0 : i64}
// CHECK-NEXT: call @second({{.*}}) {strata.launch = 0 : i64}
// CHECK-NEXT: call @third({{.*}}) {strata.launch = 0 : i64}
// CHECK-NOT: strata.launch
// CHECK: return
// CPU-NOT: strata.launch
#n = affine_map<()[s0, s1] -> (s0 * 8)>
#m = affine_map<()[s0, s1] -> (s1 * 8)>
#schedule = {kind = "map", threads = 64, group = 1, tile = array<i64: 4>}
module {
  func.func @main(%x: memref<?xf32, {sizes = #n}> {strata.name = "x"}, %y: memref<?xf32, {sizes = #m}> {strata.name = "y"},
                  %a: memref<?xf32, {sizes = #n}> {strata.name = "a", strata.output},
                  %b: memref<?xf32, {sizes = #m}> {strata.name = "b", strata.output},
                  %c: memref<?xf32, {sizes = #m}> {strata.name = "c", strata.output})
      attributes {strata.symbols = [{name = "n", min = 1, likely = [8]}, {name = "m", min = 1, likely = [8]}]} {
    call @first(%x, %a) : (memref<?xf32, {sizes = #n}>, memref<?xf32, {sizes = #n}>) -> ()
    call @second(%y, %b) : (memref<?xf32, {sizes = #m}>, memref<?xf32, {sizes = #m}>) -> ()
    call @third(%y, %c) : (memref<?xf32, {sizes = #m}>, memref<?xf32, {sizes = #m}>) -> ()
    return
  }
  func.func private @first(%x: memref<?xf32, {sizes = #n}>, %y: memref<?xf32, {sizes = #n}>)
      attributes {strata.schedule = #schedule} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    affine.parallel (%i) = (0) to (symbol(%n) * 8) {
      %0 = affine.load %x[%i] : memref<?xf32, {sizes = #n}>
      %1 = arith.negf %0 : f32
      affine.store %1, %y[%i] : memref<?xf32, {sizes = #n}>
    } {strata.nest = "neg"}
    return
  }
  func.func private @second(%x: memref<?xf32, {sizes = #m}>, %y: memref<?xf32, {sizes = #m}>)
      attributes {strata.schedule = #schedule} {
    %m = "strata.size"() {symbol = 1 : i64} : () -> index
    affine.parallel (%i) = (0) to (symbol(%m) * 8) {
      %0 = affine.load %x[%i] : memref<?xf32, {sizes = #m}>
      %1 = math.absf %0 : f32
      affine.store %1, %y[%i] : memref<?xf32, {sizes = #m}>
    } {strata.nest = "abs"}
    return
  }
  func.func private @third(%x: memref<?xf32, {sizes = #m}>, %y: memref<?xf32, {sizes = #m}>)
      attributes {strata.schedule = #schedule, strata.variants = [@third_v1]} {
    %m = "strata.size"() {symbol = 1 : i64} : () -> index
    affine.parallel (%i) = (0) to (symbol(%m) * 8) {
      %0 = affine.load %x[%i] : memref<?xf32, {sizes = #m}>
      %1 = math.exp %0 : f32
      affine.store %1, %y[%i] : memref<?xf32, {sizes = #m}>
    } {strata.nest = "exp"}
    return
  }
  func.func private @third_v1(%x: memref<?xf32, {sizes = #m}>, %y: memref<?xf32, {sizes = #m}>)
      attributes {strata.schedule = {kind = "map", threads = 32, group = 1, tile = array<i64: 1>},
                  strata.when = affine_set<()[s0, s1] : (4 - s1 >= 0)>} {
    %m = "strata.size"() {symbol = 1 : i64} : () -> index
    affine.parallel (%i) = (0) to (symbol(%m) * 8) {
      %0 = affine.load %x[%i] : memref<?xf32, {sizes = #m}>
      %1 = math.exp %0 : f32
      affine.store %1, %y[%i] : memref<?xf32, {sizes = #m}>
    } {strata.nest = "exp"}
    return
  }
}
