// RUN: strata-opt %s --split-input-file --pipeline=affine-schedule --device=x86-64-v4 | FileCheck %s

// A product whose other operand comes from memory has a variant for few rows, which are one tile: each tile more reads all
// of it again. It is made for a product of sizes, as the rows are one.
// CHECK: #[[FEW:.*]] = affine_set<()[s0, s1] : (-(s0 * s1) + 7 >= 0)>
// CHECK: func.func private @k({{.*}}strata.schedule = {kind = "contract", tile = array<i64: 8, 48>}, strata.variants = [@k_v1]}
// CHECK: func.func private @k_v1({{.*}}strata.schedule = {kind = "contract", tile = array<i64: 8, {{[0-9]+}}>}, strata.when = #[[FEW]]}
// CHECK: "strata.size"
// CHECK: strata.nest = "contract"
#x = affine_map<()[s0, s1] -> (s0 * s1, 4096)>
#y = affine_map<()[s0, s1] -> (s0 * s1, 1024)>
!x = memref<?x4096xf32, {sizes = #x}>
!y = memref<?x1024xf32, {sizes = #y}>
func.func @main(%x: !x {strata.name = "x"}, %w: memref<4096x1024xf32> {strata.name = "w"}, %y: !y {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "batch", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [1, 8]},
                                  {name = "seq", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [1, 128]}]} {
  call @k(%x, %w, %y) : (!x, memref<4096x1024xf32>, !y) -> ()
  return
}
func.func private @k(%x: !x, %w: memref<4096x1024xf32>, %y: !y) {
  %b = "strata.size"() {symbol = 0 : i64} : () -> index
  %s = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%b) * symbol(%s), 1024) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 4096 iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : !x
      %1 = affine.load %w[%k, %j] : memref<4096x1024xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %sum, %y[%i, %j] : !y
  } {strata.nest = "contract"}
  return
}

// -----

// None where there are always many rows, or where the operand stays in a cache. Panels are the same for all variants.
// CHECK: func.func private @many(
// CHECK-NOT: strata.variants
// CHECK: func.func private @cached(
// CHECK-NOT: strata.variants
// CHECK: func.func private @packed({{.*}}%{{.*}}: memref<22x4096x48xf32>{{.*}}tile = array<i64: {{[0-9]+}}, 48>}, strata.variants = [@packed_v1]
// CHECK: func.func private @packed_v1({{.*}}%{{.*}}: memref<22x4096x48xf32>{{.*}}tile = array<i64: 8, 48>}, strata.when = #
!m4096 = memref<?x4096xf32, {sizes = affine_map<()[s0] -> (s0 + 1000, 4096)>}>
!m1024 = memref<?x1024xf32, {sizes = affine_map<()[s0] -> (s0 + 1000, 1024)>}>
!m768 = memref<?x768xf32, {sizes = affine_map<()[s0] -> (s0 + 1000, 768)>}>
!f4096 = memref<?x4096xf32, {sizes = affine_map<()[s0] -> (s0, 4096)>}>
!f1024 = memref<?x1024xf32, {sizes = affine_map<()[s0] -> (s0, 1024)>}>
!f768 = memref<?x768xf32, {sizes = affine_map<()[s0] -> (s0, 768)>}>
memref.global "private" @w : memref<4096x1024xf32>
func.func @main(%x: !m4096 {strata.name = "x"}, %z: !f4096 {strata.name = "z"}, %c: !f768 {strata.name = "c"},
                %w: memref<4096x1024xf32> {strata.name = "w"}, %v: memref<768x768xf32> {strata.name = "v"},
                %p: !m1024 {strata.name = "p", strata.output}, %q: !f768 {strata.name = "q", strata.output}, %r: !f1024 {strata.name = "r", strata.output})
    attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [1]}]} {
  %g = memref.get_global @w : memref<4096x1024xf32>
  call @many(%x, %w, %p) : (!m4096, memref<4096x1024xf32>, !m1024) -> ()
  call @cached(%c, %v, %q) : (!f768, memref<768x768xf32>, !f768) -> ()
  call @packed(%z, %g, %r) : (!f4096, memref<4096x1024xf32>, !f1024) -> ()
  return
}
func.func private @many(%x: !m4096, %w: memref<4096x1024xf32>, %y: !m1024) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n) + 1000, 1024) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 4096 iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : !m4096
      %1 = affine.load %w[%k, %j] : memref<4096x1024xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %sum, %y[%i, %j] : !m1024
  } {strata.nest = "contract"}
  return
}
func.func private @cached(%x: !f768, %w: memref<768x768xf32>, %y: !f768) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 768) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 768 iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : !f768
      %1 = affine.load %w[%k, %j] : memref<768x768xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %sum, %y[%i, %j] : !f768
  } {strata.nest = "contract"}
  return
}
func.func private @packed(%x: !f4096, %w: memref<4096x1024xf32>, %y: !f1024) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 1024) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 4096 iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : !f4096
      %1 = affine.load %w[%k, %j] : memref<4096x1024xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %sum, %y[%i, %j] : !f1024
  } {strata.nest = "contract"}
  return
}
