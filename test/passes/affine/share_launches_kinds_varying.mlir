// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-share-launches | FileCheck %s

// Where sizes vary, kernels of several kinds share a launch: @sum's rows, and the copies of @old and @new, which store
// parts of one buffer, through two dims and through three, that lie apart modulo what a head has of it. @mask, which
// can share nothing of what is in front of @read, waits for @sum behind that. @wide, of which the threads of several
// warps wait for one another, has no room in the larger blocks of @old.
#n = affine_map<()[s0] -> (s0)>
#x = affine_map<()[s0] -> (s0, 8)>
#old = affine_map<()[s0, s1] -> (4, s1 * 2)>
#cache = affine_map<()[s0, s1] -> (4, s0 + s1, 2)>
#flat = affine_map<()[s0, s1] -> (4, s0 * 2 + s1 * 2)>
// CHECK-LABEL: func.func @main
// CHECK: call @read({{[^)]*}}) :
// CHECK: call @mask({{[^)]*}}) {strata.launch = 0 : i64}
// CHECK-NEXT: call @sum({{[^)]*}}) {strata.launch = 0 : i64}
// CHECK-NEXT: call @old({{[^)]*}}) {strata.launch = 0 : i64}
// CHECK-NEXT: call @new({{[^)]*}}) {strata.launch = 0 : i64}
// CHECK-NEXT: call @wide({{[^)]*}}) :
// CHECK-NEXT: return
module {
  func.func @main(%x: memref<?x8xf32, {sizes = #x}> {strata.name = "x"},
                  %p: memref<4x?xf32, {sizes = #old}> {strata.name = "p"},
                  %m: memref<?x8xf32, {sizes = #x}> {strata.name = "m", strata.output},
                  %y: memref<4x?x2xf32, {sizes = #cache}> {strata.name = "y", strata.output},
                  %z: memref<?xf32, {sizes = #n}> {strata.name = "z", strata.output},
                  %w: memref<?xf32, {sizes = #n}> {strata.name = "w", strata.output})
      attributes {strata.symbols = [{name = "n", min = 0, likely = [8]}, {name = "past", min = 0, likely = [64]}]} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    %past = "strata.size"() {symbol = 1 : i64} : () -> index
    %past2 = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%past]
    %t = memref.alloc(%n) : memref<?x8xf32, {sizes = #x}>
    %q = memref.alloc(%past2) : memref<4x?xf32, {sizes = #old}>
    %flat = "strata.view"(%y) : (memref<4x?x2xf32, {sizes = #cache}>) -> memref<4x?xf32, {sizes = #flat}>
    call @mask(%x, %m) : (memref<?x8xf32, {sizes = #x}>, memref<?x8xf32, {sizes = #x}>) -> ()
    call @read(%x, %p, %t, %q) : (memref<?x8xf32, {sizes = #x}>, memref<4x?xf32, {sizes = #old}>, memref<?x8xf32, {sizes = #x}>, memref<4x?xf32, {sizes = #old}>) -> ()
    call @sum(%t, %z) : (memref<?x8xf32, {sizes = #x}>, memref<?xf32, {sizes = #n}>) -> ()
    call @old(%q, %flat) : (memref<4x?xf32, {sizes = #old}>, memref<4x?xf32, {sizes = #flat}>) -> ()
    call @new(%t, %y) : (memref<?x8xf32, {sizes = #x}>, memref<4x?x2xf32, {sizes = #cache}>) -> ()
    call @wide(%t, %w) : (memref<?x8xf32, {sizes = #x}>, memref<?xf32, {sizes = #n}>) -> ()
    return
  }
  func.func private @mask(%x: memref<?x8xf32, {sizes = #x}>, %y: memref<?x8xf32, {sizes = #x}>)
      attributes {strata.schedule = {kind = "map", threads = 64, group = 1, tile = array<i64: 4>}} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 8) {
      %0 = affine.load %x[%i, %j] : memref<?x8xf32, {sizes = #x}>
      %1 = arith.negf %0 : f32
      affine.store %1, %y[%i, %j] : memref<?x8xf32, {sizes = #x}>
    } {strata.nest = "neg"}
    return
  }
  func.func private @read(%x: memref<?x8xf32, {sizes = #x}>, %p: memref<4x?xf32, {sizes = #old}>, %y: memref<?x8xf32, {sizes = #x}>, %q: memref<4x?xf32, {sizes = #old}>)
      attributes {strata.schedule = {kind = "scalar", threads = 64, group = 1}} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    %past = "strata.size"() {symbol = 1 : i64} : () -> index
    affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 8) {
      %0 = affine.load %x[%i, %j] : memref<?x8xf32, {sizes = #x}>
      %1 = math.absf %0 : f32
      affine.store %1, %y[%i, %j] : memref<?x8xf32, {sizes = #x}>
    } {strata.nest = "abs"}
    affine.parallel (%i, %j) = (0, 0) to (4, symbol(%past) * 2) {
      %0 = affine.load %p[%i, %j] : memref<4x?xf32, {sizes = #old}>
      affine.store %0, %q[%i, %j] : memref<4x?xf32, {sizes = #old}>
    } {strata.nest = "copy"}
    return
  }
  func.func private @sum(%x: memref<?x8xf32, {sizes = #x}>, %y: memref<?xf32, {sizes = #n}>)
      attributes {strata.schedule = {kind = "rows", threads = 64, group = 32, tile = array<i64: 8>}} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    affine.parallel (%i) = (0) to (symbol(%n)) {
      %zero = arith.constant 0.0 : f32
      %0 = affine.for %k = 0 to 8 iter_args(%a = %zero) -> (f32) {
        %1 = affine.load %x[%i, %k] : memref<?x8xf32, {sizes = #x}>
        %2 = arith.addf %a, %1 : f32
        affine.yield %2 : f32
      }
      affine.store %0, %y[%i] : memref<?xf32, {sizes = #n}>
    } {strata.nest = "reduce"}
    return
  }
  func.func private @old(%x: memref<4x?xf32, {sizes = #old}>, %y: memref<4x?xf32, {sizes = #flat}>)
      attributes {strata.schedule = {kind = "map", threads = 256, group = 1, tile = array<i64: 4>}} {
    %past = "strata.size"() {symbol = 1 : i64} : () -> index
    affine.parallel (%i, %j) = (0, 0) to (4, symbol(%past) * 2) {
      %0 = affine.load %x[%i, %j] : memref<4x?xf32, {sizes = #old}>
      affine.store %0, %y[%i, %j] : memref<4x?xf32, {sizes = #flat}>
    } {strata.nest = "copy"}
    return
  }
  func.func private @new(%x: memref<?x8xf32, {sizes = #x}>, %y: memref<4x?x2xf32, {sizes = #cache}>)
      attributes {strata.schedule = {kind = "map", threads = 64, group = 1, tile = array<i64: 4>}} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    %past = "strata.size"() {symbol = 1 : i64} : () -> index
    affine.parallel (%i, %j, %k) = (0, 0, 0) to (4, symbol(%n), 2) {
      %0 = affine.load %x[%j, %i * 2 + %k] : memref<?x8xf32, {sizes = #x}>
      affine.store %0, %y[%i, %j + symbol(%past), %k] : memref<4x?x2xf32, {sizes = #cache}>
    } {strata.nest = "copy"}
    return
  }
  func.func private @wide(%x: memref<?x8xf32, {sizes = #x}>, %y: memref<?xf32, {sizes = #n}>)
      attributes {strata.schedule = {kind = "rows", threads = 64, group = 64, tile = array<i64: 8>}} {
    %n = "strata.size"() {symbol = 0 : i64} : () -> index
    affine.parallel (%i) = (0) to (symbol(%n)) {
      %zero = arith.constant 0.0 : f32
      %0 = affine.for %k = 0 to 8 iter_args(%a = %zero) -> (f32) {
        %1 = affine.load %x[%i, %k] : memref<?x8xf32, {sizes = #x}>
        %2 = arith.addf %a, %1 : f32
        affine.yield %2 : f32
      }
      affine.store %0, %y[%i] : memref<?xf32, {sizes = #n}>
    } {strata.nest = "reduce"}
    return
  }
}
