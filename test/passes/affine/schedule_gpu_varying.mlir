// Maps and rows on GPUs where sizes vary: costs are those of likely sizes, widths are what divides every size, and what
// is held in registers is what the longest rows have, if they can be held.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-schedule | FileCheck %s

// CHECK-DAG: #[[FEW:.*]] = affine_set<()[s0] : (-s0 + 1055 >= 0)>

!flat = memref<?xf32, {sizes = affine_map<()[s0] -> (s0)>}>
!any = memref<?x?xf32, {sizes = affine_map<()[s0, s1] -> (s0, s1)>}>
!eights = memref<?x?xf32, {sizes = affine_map<()[s0, s1, s2] -> (s0, s2)>}>
!turned = memref<?x?xf32, {sizes = affine_map<()[s0, s1] -> (s1, s0)>}>
!short = memref<?x?xf32, {sizes = affine_map<()[s0, s1, s2, s3] -> (s0, s3)>}>
!known = memref<?x768xf32, {sizes = affine_map<()[s0] -> (s0, 768)>}>

func.func @main(%a: !flat, %b: !any, %c: !eights, %d: !turned, %e: !short, %f: !known) attributes {strata.symbols = [
    {name = "n", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64, likely = [4096]},
    {name = "m", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64, likely = [128]},
    {name = "eights", min = 8 : i64, max = 2147483640 : i64, multiple = 8 : i64, likely = [128]},
    {name = "short", min = 1 : i64, max = 300 : i64, multiple = 1 : i64, likely = [128]}]} {
  call @flat(%a) : (!flat) -> ()
  call @any(%b) : (!any) -> ()
  call @eights(%c) : (!eights) -> ()
  call @turned(%b, %d) : (!any, !turned) -> ()
  call @of_row(%a, %f) : (!flat, !known) -> ()
  call @rows(%b, %a) : (!any, !flat) -> ()
  call @short_rows(%e, %a) : (!short, !flat) -> ()
  call @known_rows(%f, %a) : (!known, !flat) -> ()
  return
}

// CHECK-LABEL: func.func private @flat
// CHECK-SAME: strata.schedule = {group = 64 : i64, kind = "map", threads = 64 : i64, tile = array<i64: 256>}
func.func private @flat(%x: !flat) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %v = affine.load %x[%i] : !flat
    %r = arith.addf %v, %v : f32
    affine.store %r, %x[%i] : !flat
  } {strata.nest = "add"}
  return
}

// Rows begin anywhere.
// CHECK-LABEL: func.func private @any
// CHECK-SAME: strata.schedule = {group = 1 : i64, kind = "map", threads = 256 : i64, tile = array<i64: 1>}
func.func private @any(%x: !any) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %m = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%m)) {
    %v = affine.load %x[%i, %j] : !any
    %r = arith.addf %v, %v : f32
    affine.store %r, %x[%i, %j] : !any
  } {strata.nest = "add"}
  return
}

// CHECK-LABEL: func.func private @eights
// CHECK-SAME: strata.schedule = {group = 1 : i64, kind = "map", threads = 256 : i64, tile = array<i64: 4>}
func.func private @eights(%x: !eights) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %m = "strata.size"() {symbol = 2 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%m)) {
    %v = affine.load %x[%i, %j] : !eights
    %r = arith.addf %v, %v : f32
    affine.store %r, %x[%i, %j] : !eights
  } {strata.nest = "add"}
  return
}

// CHECK-LABEL: func.func private @turned
// CHECK-SAME: strata.schedule = {group = 128 : i64, kind = "map", threads = 128 : i64, tile = array<i64: 32, 64>}
func.func private @turned(%x: !any, %y: !turned) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %m = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%m), symbol(%n)) {
    %v = affine.load %x[%j, %i] : !any
    affine.store %v, %y[%i, %j] : !turned
  } {strata.nest = "copy"}
  return
}

// Those up to four times the likely length are held.
// CHECK-LABEL: func.func private @rows
// CHECK-SAME: strata.schedule = {group = 32 : i64, kind = "rows", threads = {{.*}} : i64, tile = array<i64: 512>}
func.func private @rows(%x: !any, %y: !flat) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %m = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to %m iter_args(%a = %z) -> (f32) {
      %u = affine.load %x[%i, %k] : !any
      %v = arith.addf %a, %u : f32
      affine.yield %v : f32
    }
    affine.store %s, %y[%i] : !flat
  } {strata.nest = "reduce"}
  return
}

// CHECK-LABEL: func.func private @short_rows
// CHECK-SAME: strata.schedule = {group = 32 : i64, kind = "rows", threads = {{.*}} : i64, tile = array<i64: 300>}
func.func private @short_rows(%x: !short, %y: !flat) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %m = "strata.size"() {symbol = 3 : i64} : () -> index
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to %m iter_args(%a = %z) -> (f32) {
      %u = affine.load %x[%i, %k] : !short
      %v = arith.addf %a, %u : f32
      affine.yield %v : f32
    }
    affine.store %s, %y[%i] : !flat
  } {strata.nest = "reduce"}
  return
}

// As where the number of rows is known.
// A warp each; where that leaves most of the card without work, a block each.
// CHECK-LABEL: func.func private @known_rows(
// CHECK-SAME: strata.schedule = {group = 32 : i64, kind = "rows", threads = {{.*}} : i64, tile = array<i64: 768>}
// CHECK-SAME: strata.variants = [@known_rows_v1]
// CHECK-LABEL: func.func private @known_rows_v1(
// CHECK-SAME: strata.schedule = {group = 128 : i64, kind = "rows", threads = 128 : i64, tile = array<i64: 768>}
// CHECK-SAME: strata.when = #[[FEW]]}
func.func private @known_rows(%x: !known, %y: !flat) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 768 iter_args(%a = %z) -> (f32) {
      %u = affine.load %x[%i, %k] : !known
      %v = arith.addf %a, %u : f32
      affine.yield %v : f32
    }
    affine.store %s, %y[%i] : !flat
  } {strata.nest = "reduce"}
  return
}

// A value a row is not turned: threads take pieces of rows.
// CHECK-LABEL: func.func private @of_row(
// CHECK-SAME: strata.schedule = {group = 1 : i64, kind = "map", threads = 256 : i64, tile = array<i64: 4>}
func.func private @of_row(%x: !flat, %y: !known) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 768) {
    %v = affine.load %x[%i] : !flat
    %r = math.cos %v : f32
    affine.store %r, %y[%i, %j] : !known
  } {strata.nest = "cos"}
  return
}
