// RUN: strata-opt %s --split-input-file --pipeline=affine-schedule --device=x86-64-v4 | FileCheck %s

// Products of few rows, which fit one tile, have variants: the model finds that what is left of a tile costs too much.
// Those of fewer rows have wider tiles, as registers are left. More than three there are never.
// CHECK-DAG: #[[FEW:.*]] = affine_set<()[s0, s1] : (-(s0 * s1) + 4 >= 0)>
// CHECK-DAG: #[[MORE:.*]] = affine_set<()[s0, s1] : (s0 * s1 - 5 >= 0, -(s0 * s1) + 8 >= 0)>
// CHECK: func.func private @k({{.*}}strata.schedule = {kind = "contract", tile = array<i64: [[R:[0-9]+]], [[C:[0-9]+]]>}, strata.variants = [@k_v1, @k_v2]}
// CHECK: func.func private @k_v1({{.*}}strata.schedule = {kind = "contract", tile = array<i64: 4, 96>}, strata.when = #[[FEW]]}
// CHECK: "strata.size"
// CHECK: func.func private @k_v2({{.*}}strata.schedule = {kind = "contract", tile = array<i64: 8, {{[0-9]+}}>}, strata.when = #[[MORE]]}
#x = affine_map<()[s0, s1] -> (s0 * s1, 768)>
!x = memref<?x768xf32, {sizes = #x}>
func.func @main(%x: !x {strata.name = "x"}, %w: memref<768x768xf32> {strata.name = "w"}, %y: !x {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "batch", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [1, 8]},
                                  {name = "seq", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [1, 128]}]} {
  call @k(%x, %w, %y) : (!x, memref<768x768xf32>, !x) -> ()
  return
}
func.func private @k(%x: !x, %w: memref<768x768xf32>, %y: !x) {
  %b = "strata.size"() {symbol = 0 : i64} : () -> index
  %s = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%b) * symbol(%s), 768) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 768 iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : !x
      %1 = affine.load %w[%k, %j] : memref<768x768xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %sum, %y[%i, %j] : !x
  } {strata.nest = "contract"}
  return
}

// -----

// Where there are always many rows, no variant is worth its code; and panels are what they are for all variants.
// CHECK: func.func private @many(
// CHECK-NOT: strata.variants
// CHECK: func.func private @packed({{.*}}%{{.*}}: memref<16x768x48xf32>{{.*}}tile = array<i64: {{[0-9]+}}, 48>}, strata.variants
// CHECK: func.func private @packed_v1({{.*}}%{{.*}}: memref<16x768x48xf32>{{.*}}tile = array<i64: {{[0-9]+}}, 48>}, strata.when
#x = affine_map<()[s0] -> (s0 + 1000, 768)>
#y = affine_map<()[s0] -> (s0, 768)>
!x = memref<?x768xf32, {sizes = #x}>
!y = memref<?x768xf32, {sizes = #y}>
memref.global "private" @w : memref<768x768xf32>
func.func @main(%x: !x {strata.name = "x"}, %w: memref<768x768xf32> {strata.name = "w"}, %y: !x {strata.name = "y", strata.output},
                %z: !y {strata.name = "z"}, %o: !y {strata.name = "o", strata.output})
    attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [1]}]} {
  %c = memref.get_global @w : memref<768x768xf32>
  call @many(%x, %w, %y) : (!x, memref<768x768xf32>, !x) -> ()
  call @packed(%z, %c, %o) : (!y, memref<768x768xf32>, !y) -> ()
  return
}
func.func private @many(%x: !x, %w: memref<768x768xf32>, %y: !x) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n) + 1000, 768) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 768 iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : !x
      %1 = affine.load %w[%k, %j] : memref<768x768xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %sum, %y[%i, %j] : !x
  } {strata.nest = "contract"}
  return
}
func.func private @packed(%x: !y, %w: memref<768x768xf32>, %y: !y) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 768) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 768 iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : !y
      %1 = affine.load %w[%k, %j] : memref<768x768xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %sum, %y[%i, %j] : !y
  } {strata.nest = "contract"}
  return
}
