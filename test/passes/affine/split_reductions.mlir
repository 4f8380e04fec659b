// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=affine-split-reductions | FileCheck %s
// RUN: strata-opt %s --split-input-file --pipeline=affine-split-reductions | FileCheck %s --check-prefix=CPU

// Few columns of many elements: partial sums of the type that is summed up in, then their sum; the rounding comes last.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = memref.alloc() : memref<[[PARTS:[0-9]+]]x64xf32>
// CHECK: affine.parallel (%[[T:.*]], %[[J:.*]]) = (0, 0) to ([[PARTS]], 64) {
// CHECK: affine.for %[[K:.*]] = 0 to [[SIZE:[0-9]+]] iter_args
// CHECK: affine.load %arg0[%[[T]] * [[SIZE]] + %[[K]], %[[J]]] : memref<100000x64xf16>
// CHECK: affine.store {{.*}}, %[[P]][%[[T]], %[[J]]]
// CHECK: affine.parallel (%[[J2:.*]]) = (0) to (64) {
// CHECK: %[[S:.*]] = affine.for %[[T2:.*]] = 0 to [[PARTS]] iter_args
// CHECK: affine.load %[[P]][%[[T2]], %[[J2]]]
// CHECK: %[[R:.*]] = arith.truncf %[[S]] : f32 to f16
// CHECK: affine.store %[[R]], %arg1[%[[J2]]]
// CPU-LABEL: func.func @main
// CPU-NOT: memref.alloc
func.func @main(%x: memref<100000x64xf16> {strata.name = "x"}, %y: memref<64xf16> {strata.name = "y", strata.output}, %z: memref<4096xf16> {strata.name = "z", strata.output}, %v: memref<4096x64xf16> {strata.name = "v"}) {
  affine.parallel (%j) = (0) to (64) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 100000 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %x[%k, %j] : memref<100000x64xf16>
      %w = arith.extf %e : f16 to f32
      %n = arith.addf %a, %w : f32
      affine.yield %n : f32
    }
    %r = arith.truncf %s : f32 to f16
    affine.store %r, %y[%j] : memref<64xf16>
  } {strata.nest = "reduce"}
  // Rows enough stay one nest.
  // CHECK: affine.parallel (%{{.*}}) = (0) to (4096) {
  // CHECK: affine.for %{{.*}} = 0 to 64 iter_args
  // CHECK-NOT: affine.parallel
  affine.parallel (%i) = (0) to (4096) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %v[%i, %k] : memref<4096x64xf16>
      %w = arith.extf %e : f16 to f32
      %n = arith.addf %a, %w : f32
      affine.yield %n : f32
    }
    %r = arith.truncf %s : f32 to f16
    affine.store %r, %z[%i] : memref<4096xf16>
  } {strata.nest = "reduce"}
  return
}

// -----

// A matrix and a vector: each result is summed up like a column.
// CHECK-LABEL: func.func @main
// CHECK: memref.alloc() : memref<{{[0-9]+}}x1536xf32>
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to ({{[0-9]+}}, 1536)
// CHECK: affine.parallel (%{{.*}}) = (0) to (1536)
// CPU-LABEL: func.func @main
// CPU-NOT: memref.alloc
func.func @main(%x: memref<1024xf32> {strata.name = "x"}, %w: memref<1024x1536xf32> {strata.name = "w"}, %y: memref<1536xf32> {strata.name = "y", strata.output}) {
  affine.parallel (%j) = (0) to (1536) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 1024 iter_args(%a = %zero) -> (f32) {
      %u = affine.load %x[%k] : memref<1024xf32>
      %v = affine.load %w[%k, %j] : memref<1024x1536xf32>
      %p = arith.mulf %u, %v : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%j] : memref<1536xf32>
  } {strata.nest = "contract"}
  return
}

// -----

// A product of few tiles whose reduction has no divisor: parts of whole steps, the last of them shorter.
// CHECK-DAG: #[[INSIDE:.*]] = affine_set<(d0, d1) : (d0 * -[[SIZE:[0-9]+]] - d1 + 3390 >= 0)>
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = memref.alloc() : memref<[[PARTS:[0-9]+]]x17x1000xf32>
// CHECK: affine.parallel (%[[T:.*]], %{{.*}}, %{{.*}}) = (0, 0, 0) to ([[PARTS]], 17, 1000) {
// CHECK: affine.for %[[K:.*]] = 0 to [[SIZE]] iter_args
// CHECK: affine.if #[[INSIDE]](%[[T]], %[[K]]) -> f16 {
// CHECK-NEXT: affine.load %arg0[%{{.*}}, %[[T]] * [[SIZE]] + %[[K]]] : memref<17x3391xf16>
// CHECK: affine.if #[[INSIDE]](%[[T]], %[[K]]) -> f16 {
// CHECK-NEXT: affine.load %arg1[%{{.*}}, %[[T]] * [[SIZE]] + %[[K]]] : memref<1000x3391xf16>
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (17, 1000) {
// CHECK: affine.for %{{.*}} = 0 to [[PARTS]] iter_args
func.func @main(%x: memref<17x3391xf16> {strata.name = "x"}, %w: memref<1000x3391xf16> {strata.name = "w"}, %y: memref<17x1000xf32> {strata.name = "y", strata.output}) {
  affine.parallel (%i, %j) = (0, 0) to (17, 1000) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 3391 iter_args(%a = %zero) -> (f32) {
      %u = affine.load %x[%i, %k] : memref<17x3391xf16>
      %v = affine.load %w[%j, %k] : memref<1000x3391xf16>
      %f = arith.extf %u : f16 to f32
      %g = arith.extf %v : f16 to f32
      %p = arith.mulf %f, %g : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<17x1000xf32>
  } {strata.nest = "contract"}
  return
}

// -----

// Too few results for the card, summed up by threads, of a length without divisors: parts of eights as long as one
// another but for the last.
// CHECK-DAG: #[[END:.*]] = affine_set<(d0, d1) : (d0 * -[[LENGTH:[0-9]+]] - d1 + 760 >= 0)>
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = memref.alloc() : memref<[[PARTS:4[0-9]]]x2x92xf32>
// CHECK: affine.parallel (%[[T:.*]], %{{.*}}, %{{.*}}) = (0, 0, 0) to ([[PARTS]], 2, 92) {
// CHECK: affine.for %[[K:.*]] = 0 to [[LENGTH]] iter_args
// CHECK: affine.if #[[END]](%[[T]], %[[K]]) -> f16 {
// CHECK: affine.if #[[END]](%[[T]], %[[K]]) -> f16 {
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (2, 92) {
// CHECK: affine.for %{{.*}} = 0 to [[PARTS]] iter_args
// CPU-LABEL: func.func @main
// CPU-NOT: memref.alloc
func.func @main(%x: memref<761x2xf16> {strata.name = "x"}, %w: memref<761x92xf16> {strata.name = "w"}, %y: memref<2x92xf32> {strata.name = "y", strata.output}) {
  affine.parallel (%i, %j) = (0, 0) to (2, 92) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 761 iter_args(%a = %zero) -> (f32) {
      %u = affine.load %x[%k, %i] : memref<761x2xf16>
      %v = affine.load %w[%k, %j] : memref<761x92xf16>
      %f = arith.extf %u : f16 to f32
      %g = arith.extf %v : f16 to f32
      %p = arith.mulf %f, %g : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<2x92xf32>
  } {strata.nest = "contract"}
  return
}

// -----

// Mean and variance of a row that no cluster of blocks holds: parts of it, each with a mean of its own, then what
// combines them.
// CHECK-LABEL: func.func @main
// CHECK: affine.parallel (%[[R:.*]], %[[T:.*]]) = (0, 0) to (2, [[PARTS:[0-9]+]]) {
// CHECK: affine.load %arg0[%[[R]], %[[T]] * [[SIZE:[0-9]+]] + %{{.*}}] : memref<2x2097152xf16>
// CHECK: affine.store %{{.*}}, %[[S:.*]][%[[R]], %[[T]]] : memref<2x[[PARTS]]xf32>
// CHECK: affine.parallel (%[[R:.*]], %[[T:.*]]) = (0, 0) to (2, [[PARTS]]) {
// CHECK: %[[K:.*]] = arith.constant
// CHECK: arith.mulf %{{.*}}, %[[K]]
// CHECK: affine.store %{{.*}}, %[[M:.*]][%[[R]], %[[T]]]
// CHECK: affine.parallel (%[[R:.*]]) = (0) to (2) {
// CHECK: affine.for %[[T:.*]] = 0 to [[PARTS]]
// CHECK: affine.load %[[S]][%[[R]], %[[T]]]
// CHECK: affine.store %{{.*}}, %[[A:.*]][%[[R]]]
// CHECK: affine.load %[[A]][%{{.*}}]
// CHECK: affine.store %{{.*}}, %[[ALL:.*]][%{{.*}}] : memref<2xf32>
// The difference that the norm is made of is from the mean of the row, that which is squared from the mean of the part.
// CHECK: affine.parallel (%[[R:.*]], %{{.*}}) = (0, 0) to (2, 2097152) {
// CHECK: affine.load %[[ALL]][%[[R]]]
// CHECK: affine.parallel (%[[R:.*]], %[[T:.*]], %[[N:.*]]) = (0, 0, 0) to (2, [[PARTS]], [[SIZE]]) {
// CHECK: affine.load %[[M]][%[[R]], %[[T]]]
// CHECK: arith.subf
// CHECK: affine.parallel (%[[R:.*]], %[[T:.*]], %[[N:.*]]) = (0, 0, 0) to (2, [[PARTS]], [[SIZE]]) {
// CHECK: arith.mulf
// CHECK: affine.store %{{.*}}, %[[Q:.*]][%[[R]], %[[T]], %[[N]]]
// CHECK: affine.load %[[Q]][
// CHECK: affine.store %{{.*}}, %[[V:.*]][%{{.*}}, %{{.*}}] : memref<2x[[PARTS]]xf32>
// CHECK: affine.parallel (%[[R:.*]], %[[T:.*]]) = (0, 0) to (2, [[PARTS]]) {
// CHECK-DAG: affine.load %[[M]][%[[R]], %[[T]]]
// CHECK-DAG: affine.load %[[ALL]][%[[R]]]
// CHECK-DAG: affine.load %[[V]][%[[R]], %[[T]]]
// CHECK: affine.store %{{.*}}, %[[E:.*]][%[[R]], %[[T]]]
// CHECK: affine.for %[[T:.*]] = 0 to [[PARTS]]
// CHECK: affine.load %[[E]][%{{.*}}, %[[T]]]
// CPU-LABEL: func.func @main
// CPU: affine.for %{{.*}} = 0 to 2097152
func.func @main(%x: memref<2x2097152xf16> {strata.name = "x"}, %y: memref<2x2097152xf32> {strata.name = "y", strata.output}) {
  %s = memref.alloc() : memref<2xf32>
  affine.parallel (%i) = (0) to (2) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %k = 0 to 2097152 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %x[%i, %k] : memref<2x2097152xf16>
      %w = arith.extf %e : f16 to f32
      %n = arith.addf %a, %w : f32
      affine.yield %n : f32
    }
    affine.store %r, %s[%i] : memref<2xf32>
  } {strata.nest = "reduce"}
  %m = memref.alloc() : memref<2xf32>
  affine.parallel (%i) = (0) to (2) {
    %e = affine.load %s[%i] : memref<2xf32>
    %c = arith.constant 4.76837158203125E-7 : f32
    %r = arith.mulf %e, %c : f32
    affine.store %r, %m[%i] : memref<2xf32>
  } {strata.nest = "mul"}
  %d = memref.alloc() : memref<2x2097152xf32>
  affine.parallel (%i, %k) = (0, 0) to (2, 2097152) {
    %e = affine.load %x[%i, %k] : memref<2x2097152xf16>
    %w = arith.extf %e : f16 to f32
    %a = affine.load %m[%i] : memref<2xf32>
    %r = arith.subf %w, %a : f32
    affine.store %r, %d[%i, %k] : memref<2x2097152xf32>
  } {strata.nest = "sub"}
  %q = memref.alloc() : memref<2x2097152xf32>
  affine.parallel (%i, %k) = (0, 0) to (2, 2097152) {
    %e = affine.load %d[%i, %k] : memref<2x2097152xf32>
    %f = affine.load %d[%i, %k] : memref<2x2097152xf32>
    %r = arith.mulf %e, %f : f32
    affine.store %r, %q[%i, %k] : memref<2x2097152xf32>
  } {strata.nest = "mul"}
  %v = memref.alloc() : memref<2xf32>
  affine.parallel (%i) = (0) to (2) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %k = 0 to 2097152 iter_args(%a = %zero) -> (f32) {
      %e = affine.load %q[%i, %k] : memref<2x2097152xf32>
      %n = arith.addf %a, %e : f32
      affine.yield %n : f32
    }
    affine.store %r, %v[%i] : memref<2xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%i, %k) = (0, 0) to (2, 2097152) {
    %e = affine.load %d[%i, %k] : memref<2x2097152xf32>
    %a = affine.load %v[%i] : memref<2xf32>
    %r = arith.divf %e, %a : f32
    affine.store %r, %y[%i, %k] : memref<2x2097152xf32>
  } {strata.nest = "div"}
  return
}

// -----

// Sums along a size that varies: a fixed number of parts, multiples of 8 rows; what lies beyond the end is not read.
// CHECK: #[[SIZE:map[0-9]*]] = affine_map<()[s0] -> (((s0 + [[LESS:[0-9]+]]) floordiv [[STEP:[0-9]+]]) * 8)>
// CHECK: #[[INSIDE:set[0-9]*]] = affine_set<(d0, d1)[s0] : (-(d0 * (((s0 + [[LESS]]) floordiv [[STEP]]) * 8)) - d1 + s0 - 1 >= 0)>
// CHECK-LABEL: func.func @main
// CHECK: %[[N:.*]] = "strata.size"()
// CHECK: %[[P:.*]] = memref.alloc() : memref<[[PARTS:[0-9]+]]x64xf32>
// CHECK: affine.parallel (%[[T:.*]], %[[J:.*]]) = (0, 0) to ([[PARTS]], 64) {
// CHECK: affine.for %[[K:.*]] = 0 to #[[SIZE]]()[%[[N]]] iter_args
// CHECK: affine.if #[[INSIDE]](%[[T]], %[[K]])[%[[N]]] -> f16 {
// CHECK: affine.load %arg0[{{.*}}, %[[J]]]
// CHECK: } {strata.tail}
// CHECK: affine.parallel (%[[J2:.*]]) = (0) to (64) {
// CHECK: affine.for %[[T2:.*]] = 0 to [[PARTS]] iter_args
// CPU: %[[N:.*]] = "strata.size"()
// CPU: affine.for %{{.*}} = 0 to {{.*}}%[[N]]
func.func @main(%x: memref<?x64xf16, {sizes = affine_map<()[s0] -> (s0, 64)>}> {strata.name = "x"}, %y: memref<64xf32> {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "rows", min = 1, max = 1000000, multiple = 1, likely = [100000]}]} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%j) = (0) to (64) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to %n iter_args(%a = %zero) -> (f32) {
      %e = affine.load %x[%k, %j] : memref<?x64xf16, {sizes = affine_map<()[s0] -> (s0, 64)>}>
      %w = arith.extf %e : f16 to f32
      %m = arith.addf %a, %w : f32
      affine.yield %m : f32
    }
    affine.store %s, %y[%j] : memref<64xf32>
  } {strata.nest = "reduce"}
  return
}
