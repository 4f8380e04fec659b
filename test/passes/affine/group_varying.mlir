// RUN: strata-opt %s --split-input-file --pipeline=affine-group | FileCheck %s

// Nests whose sizes are equal expressions are one kernel, as those of equal numbers are; what it keeps to itself has the
// kernel's own sizes, a product of two here, which is computed in it.
// CHECK-LABEL: func.func @main
// CHECK-NOT: memref.alloc
// CHECK: call @k0(%arg0, %arg1)
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @k0
// CHECK-DAG: %[[M:.*]] = "strata.size"() {symbol = 1 : i64}
// CHECK-DAG: %[[N:.*]] = "strata.size"() {symbol = 0 : i64}
// CHECK: %[[S:.*]] = affine.apply #{{.*}}()[%[[N]], %[[M]]]
// CHECK: memref.alloc(%[[S]])
// CHECK: strata.nest = "exp"
// CHECK: strata.nest = "neg"
func.func @main(%x: memref<?x4xf32, {sizes = affine_map<()[s0, s1] -> (s0 * s1, 4)>}> {strata.name = "x"},
                %y: memref<?x4xf32, {sizes = affine_map<()[s0, s1] -> (s0 * s1, 4)>}> {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64, likely = [8]},
                                  {name = "m", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64, likely = [8]}]} {
  %m = "strata.size"() {symbol = 1 : i64} : () -> index
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %s = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%n, %m]
  %t = memref.alloc(%s) : memref<?x4xf32, {sizes = affine_map<()[s0, s1] -> (s0 * s1, 4)>}>
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n) * symbol(%m), 4) {
    %0 = affine.load %x[%i, %j] : memref<?x4xf32, {sizes = affine_map<()[s0, s1] -> (s0 * s1, 4)>}>
    %1 = math.exp %0 : f32
    affine.store %1, %t[%i, %j] : memref<?x4xf32, {sizes = affine_map<()[s0, s1] -> (s0 * s1, 4)>}>
  } {strata.nest = "exp"}
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n) * symbol(%m), 4) {
    %0 = affine.load %t[%i, %j] : memref<?x4xf32, {sizes = affine_map<()[s0, s1] -> (s0 * s1, 4)>}>
    %1 = arith.negf %0 : f32
    affine.store %1, %y[%i, %j] : memref<?x4xf32, {sizes = affine_map<()[s0, s1] -> (s0 * s1, 4)>}>
  } {strata.nest = "neg"}
  return
}

// -----

// Sizes that may differ are not the same points, however alike the symbols are: two kernels.
// CHECK-LABEL: func.func @main
// CHECK: call @k0
// CHECK-NEXT: call @k1
// CHECK-NEXT: return
func.func @main(%x: memref<?xf32, {sizes = affine_map<()[s0] -> (s0)>}> {strata.name = "x"},
                %z: memref<?xf32, {sizes = affine_map<()[s0, s1] -> (s1)>}> {strata.name = "z"},
                %y: memref<?xf32, {sizes = affine_map<()[s0] -> (s0)>}> {strata.name = "y", strata.output},
                %w: memref<?xf32, {sizes = affine_map<()[s0, s1] -> (s1)>}> {strata.name = "w", strata.output})
    attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64, likely = [8]},
                                  {name = "m", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64, likely = [8]}]} {
  %m = "strata.size"() {symbol = 1 : i64} : () -> index
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %0 = affine.load %x[%i] : memref<?xf32, {sizes = affine_map<()[s0] -> (s0)>}>
    affine.store %0, %y[%i] : memref<?xf32, {sizes = affine_map<()[s0] -> (s0)>}>
  } {strata.nest = "copy"}
  affine.parallel (%i) = (0) to (symbol(%m)) {
    %0 = affine.load %z[%i] : memref<?xf32, {sizes = affine_map<()[s0, s1] -> (s1)>}>
    affine.store %0, %w[%i] : memref<?xf32, {sizes = affine_map<()[s0, s1] -> (s1)>}>
  } {strata.nest = "copy"}
  return
}

// -----

// A product of sums whose length varies, over an operand that is turned, has no form but scalar loops: what follows it
// is a kernel of its own. Where the operand lies along the results it is one with it.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-3: call @
// CHECK-NEXT: return
// CHECK: strata.nest = "turned"
// CHECK-LABEL: func.func private @k1
// CHECK: strata.nest = "neg"
// CHECK-LABEL: func.func private @k2
// CHECK: strata.nest = "plain"
// CHECK: strata.nest = "neg"
func.func @main(%x: memref<6x?xf32, {sizes = affine_map<()[s0] -> (6, s0)>}> {strata.name = "x"},
                %v: memref<40x?xf32, {sizes = affine_map<()[s0] -> (40, s0)>}> {strata.name = "v"},
                %w: memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}> {strata.name = "w"},
                %y: memref<6x40xf32> {strata.name = "y", strata.output}, %z: memref<6x40xf32> {strata.name = "z", strata.output})
    attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64, likely = [64]}]} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %t = memref.alloc() : memref<6x40xf32>
  %u = memref.alloc() : memref<6x40xf32>
  affine.parallel (%i, %j) = (0, 0) to (6, 40) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to affine_map<()[s0] -> (s0)>()[%n] iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : memref<6x?xf32, {sizes = affine_map<()[s0] -> (6, s0)>}>
      %1 = affine.load %v[%j, %k] : memref<40x?xf32, {sizes = affine_map<()[s0] -> (40, s0)>}>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %s, %t[%i, %j] : memref<6x40xf32>
  } {strata.nest = "turned"}
  affine.parallel (%i, %j) = (0, 0) to (6, 40) {
    %0 = affine.load %t[%i, %j] : memref<6x40xf32>
    %1 = arith.negf %0 : f32
    affine.store %1, %y[%i, %j] : memref<6x40xf32>
  } {strata.nest = "neg"}
  affine.parallel (%i, %j) = (0, 0) to (6, 40) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to affine_map<()[s0] -> (s0)>()[%n] iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : memref<6x?xf32, {sizes = affine_map<()[s0] -> (6, s0)>}>
      %1 = affine.load %w[%k, %j] : memref<?x40xf32, {sizes = affine_map<()[s0] -> (s0, 40)>}>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %s, %u[%i, %j] : memref<6x40xf32>
  } {strata.nest = "plain"}
  affine.parallel (%i, %j) = (0, 0) to (6, 40) {
    %0 = affine.load %u[%i, %j] : memref<6x40xf32>
    %1 = arith.negf %0 : f32
    affine.store %1, %z[%i, %j] : memref<6x40xf32>
  } {strata.nest = "neg"}
  return
}
