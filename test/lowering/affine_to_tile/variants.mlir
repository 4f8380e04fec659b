// RUN: strata-opt %s --split-input-file --pipeline=affine-to-tile --device=x86-64-v4 | FileCheck %s
// RUN: strata-opt %s --split-input-file --pipeline=affine-to-tile,tile-to-cpu --device=x86-64-v4 | FileCheck %s --check-prefix=CPU

// In a variant its condition is known: of few rows there is one tile of just so many, a number of rows is a loop of static
// length, and a size that is a number is no argument of the kernel.
// CHECK-LABEL: func.func private @k(
// CHECK-SAME: strata.variants = [@k_v1, @k_v2]
// CHECK: vector.outerproduct %{{.*}} : vector<8xf32>, vector<32xf32>
// CHECK: vector.outerproduct %{{.*}} : vector<4xf32>, vector<32xf32>
// CHECK: vector.outerproduct %{{.*}} : vector<2xf32>, vector<32xf32>
// CHECK-LABEL: func.func private @k_v1(
// CHECK-SAME: strata.when = #[[FEW:.*]]}
// CHECK: vector.outerproduct %{{.*}} : vector<3xf32>, vector<32xf32>
// CHECK: vector.outerproduct %{{.*}} : vector<2xf32>, vector<32xf32>
// CHECK-NOT: vector.outerproduct
// CHECK-LABEL: func.func private @k_v2(
// CHECK: scf.forall (%{{.*}}) in (1)
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c2{{.*}} step %c1
// CHECK: vector.outerproduct %{{.*}} : vector<8xf32>, vector<32xf32>
// CHECK-NOT: vector.outerproduct

// CPU: func.func private @k({{.*}}strata.sizes = #{{.*}}strata.variants = [@k_v1, @k_v2]}
// CPU: func.func private @k_v1({{.*}}strata.sizes = #{{.*}}strata.when = #
// CPU: func.func private @k_v2({{.*}} attributes {strata.scratch = 0 : i64, strata.tasks = 1 : i64, strata.when = #
// CPU: module @kernels
// CPU: func.func @k_v2(%{{.*}}: memref<0xf32>, %{{.*}}: memref<64x32xf32>, %{{.*}}: memref<0xf32>, %{{.*}}: index, %{{.*}}: index, %{{.*}}: memref<0xi8>)
#x = affine_map<()[s0, s1] -> (s0 * s1, 64)>
#y = affine_map<()[s0, s1] -> (s0 * s1, 32)>
!x = memref<?x64xf32, {sizes = #x}>
!y = memref<?x32xf32, {sizes = #y}>
func.func @main(%x: !x {strata.name = "x"}, %w: memref<64x32xf32> {strata.name = "w"}, %y: !y {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "batch", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64},
                                  {name = "seq", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64}]} {
  call @k(%x, %w, %y) : (!x, memref<64x32xf32>, !y) -> ()
  return
}
func.func private @k(%x: !x, %w: memref<64x32xf32>, %y: !y)
    attributes {strata.variants = [@k_v1, @k_v2], strata.schedule = {kind = "contract", tile = array<i64: 8, 32>}} {
  %b = "strata.size"() {symbol = 0 : i64} : () -> index
  %s = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%b) * symbol(%s), 32) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : !x
      %1 = affine.load %w[%k, %j] : memref<64x32xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %sum, %y[%i, %j] : !y
  } {strata.nest = "contract"}
  return
}
func.func private @k_v1(%x: !x, %w: memref<64x32xf32>, %y: !y)
    attributes {strata.when = affine_set<()[s0, s1] : (s0 * s1 - 2 >= 0, 3 - s0 * s1 >= 0)>,
                strata.schedule = {kind = "contract", tile = array<i64: 3, 32>}} {
  %b = "strata.size"() {symbol = 0 : i64} : () -> index
  %s = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%b) * symbol(%s), 32) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : !x
      %1 = affine.load %w[%k, %j] : memref<64x32xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %sum, %y[%i, %j] : !y
  } {strata.nest = "contract"}
  return
}
func.func private @k_v2(%x: !x, %w: memref<64x32xf32>, %y: !y)
    attributes {strata.when = affine_set<()[s0, s1] : (s0 - 1 == 0, s1 - 16 == 0)>,
                strata.schedule = {kind = "contract", tile = array<i64: 8, 32>}} {
  %b = "strata.size"() {symbol = 0 : i64} : () -> index
  %s = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%b) * symbol(%s), 32) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : !x
      %1 = affine.load %w[%k, %j] : memref<64x32xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %sum, %y[%i, %j] : !y
  } {strata.nest = "contract"}
  return
}

// -----

// A variant that its kind cannot take is none: the kernel itself takes its sizes.
// CHECK-LABEL: func.func private @k(
// CHECK-SAME: attributes {strata.schedule = {kind = "map"}}
// CHECK-NOT: @k_v1
#n = affine_map<()[s0] -> (s0)>
!n = memref<?xf32, {sizes = #n}>
func.func @main(%x: !n {strata.name = "x"}, %y: !n {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64}]} {
  call @k(%x, %y) : (!n, !n) -> ()
  return
}
func.func private @k(%x: !n, %y: !n) attributes {strata.variants = [@k_v1], strata.schedule = {kind = "map"}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %v = affine.load %x[%i] : !n
    %w = arith.negf %v : f32
    affine.store %w, %y[%i] : !n
  } {strata.nest = "neg"}
  return
}
func.func private @k_v1(%x: !n, %y: !n) attributes {strata.when = affine_set<()[s0] : (8 - s0 >= 0)>,
                                                   strata.schedule = {kind = "contract", tile = array<i64: 8, 8>}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %v = affine.load %x[%i] : !n
    %w = arith.negf %v : f32
    affine.store %w, %y[%i] : !n
  } {strata.nest = "neg"}
  return
}
