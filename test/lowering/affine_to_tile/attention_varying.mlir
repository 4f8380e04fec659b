// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-to-tile | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-to-tile,tile-to-gpu | FileCheck %s --check-prefix=GPU

// Batch, queries and keys vary, and keys are those of a cache and the queries: counts of tasks and of blocks of columns
// are expressions of sizes, rows and columns beyond the last ones are masked, and rows' ends are the task's and the
// cache's. A tile sees at most as many blocks as the last one.
// CHECK-DAG: #[[TASKS:.*]] = affine_map<()[s0, s1] -> ((s0 * ((s1 + 63) floordiv 64)) * 3)>
// CHECK-DAG: #[[HEAD:.*]] = affine_map<(d0)[s0] -> ((d0 floordiv ((s0 + 63) floordiv 64)) mod 3)>
// CHECK-DAG: #[[BATCH:.*]] = affine_map<(d0)[s0] -> (d0 floordiv (((s0 + 63) floordiv 64) * 3))>
// CHECK-DAG: #[[TILE:.*]] = affine_map<(d0)[s0] -> (d0 mod ((s0 + 63) floordiv 64))>
// CHECK-DAG: #[[COUNT:.*]] = affine_map<(d0)[s0] -> (d0 + (s0 + 63) floordiv 64 + 1)>
// CHECK-DAG: #[[BLOCK:.*]] = affine_map<(d0, d1)[s0] -> (d1 + (s0 + 63) floordiv 64 - d0)>
// CHECK-DAG: #[[SEEN:.*]] = affine_map<(d0, d1)[s0] -> (d0 * 64 - d1 * 64 + s0 + 1)>
// CHECK-DAG: #[[MOST:.*]] = affine_map<()[s0, s1, s2] -> ((s1 + 63) floordiv 64 + (s2 + 63) floordiv 64)>
// CHECK-DAG: #[[ROWS:.*]] = affine_set<(d0, d1)[s0, s1, s2, s3] : (-d0 - s3 * 64 + s0 - 1 >= 0)>
// CHECK-DAG: #[[KEYS:.*]] = affine_set<(d0, d1)[s0, s1, s2, s3, s4] : (-d0 - s4 * 64 + s0 + s1 - 1 >= 0)>
// CHECK-LABEL: func.func private @causal
// CHECK-DAG: %[[B:.*]] = "strata.size"() {symbol = 0 : i64}
// CHECK-DAG: %[[P:.*]] = "strata.size"() {symbol = 1 : i64}
// CHECK-DAG: %[[S:.*]] = "strata.size"() {symbol = 2 : i64}
// CHECK: %[[N:.*]] = affine.apply #[[TASKS]]()[%[[B]], %[[S]]]
// CHECK: scf.forall (%[[T:.*]]) in (%[[N]])
// CHECK: affine.apply #[[HEAD]](%[[T]])[%[[S]]]
// CHECK: affine.apply #[[BATCH]](%[[T]])[%[[S]]]
// CHECK: %[[I:.*]] = affine.apply #[[TILE]](%[[T]])[%[[S]]]
// CHECK: "tile.load"({{.*}}mask = #[[ROWS]]}
// CHECK: %[[UPPER:.*]] = affine.apply #[[COUNT]](%[[I]])[%[[P]]]
// CHECK: scf.for %[[J:[^ ]*]] = %{{.*}} to %[[UPPER]]
// CHECK: %[[BLOCK_NUMBER:.*]] = affine.apply #[[BLOCK]](%[[J]], %[[I]])[%[[P]]]
// CHECK: "tile.load"({{.*}}mask = #[[KEYS]]}
// CHECK: affine.apply #[[SEEN]](%[[I]], %[[BLOCK_NUMBER]])[%[[P]]]
// CHECK: } {tile.most = #[[MOST]], tile.pipeline}
// CHECK: "tile.store"({{.*}}mask = #[[ROWS]]}

// The copy engine ends at the sizes, and blocks are a number, whatever the tasks are.
// GPU: #[[KEY_SIZES:.*]] = affine_map<()[s0, s1, s2] -> (192, s1 + s2, s0)>
// GPU: func.func private @causal({{.*}}strata.blocks = 131 : i64{{.*}}sizes = #[[KEY_SIZES]]
// GPU: module @kernels
// GPU: func.func @causal(%{{.*}}, %[[BATCHES:[^ ]*]]: index, %[[PAST:[^ ]*]]: index, %[[QUERIES:[^ ]*]]: index, %{{.*}}: memref<{{.*}}xi8, 3>)
// GPU: tile.bulk_load
// GPU: tile.mma_
!o = memref<?x?x192xf16, {sizes = affine_map<()[s0, s1, s2] -> (s0, s2, 192)>}>
!c = memref<?x?x192xf16, {sizes = affine_map<()[s0, s1, s2] -> (s0, s1 + s2, 192)>}>
!r = memref<?x3x?xf32, {sizes = affine_map<()[s0, s1, s2] -> (s0, 3, s2)>}>
!s = memref<?x3x?x?xf32, {sizes = affine_map<()[s0, s1, s2] -> (s0, 3, s2, s1 + s2)>}>
!w = memref<?x3x?x?xf16, {sizes = affine_map<()[s0, s1, s2] -> (s0, 3, s2, s1 + s2)>}>
module {
func.func @main(%q0: !o, %k0: !c, %v0: !c, %out: !o) attributes {strata.symbols = [
    {name = "batch", min = 1 : i64, max = 64 : i64, multiple = 1 : i64, likely = [1, 8]},
    {name = "past", min = 0 : i64, max = 100000 : i64, multiple = 1 : i64, likely = [128, 1024]},
    {name = "sequence", min = 1 : i64, max = 100000 : i64, multiple = 1 : i64, likely = [1, 128, 512]}]} {
  call @causal(%q0, %k0, %v0, %out) : (!o, !c, !c, !o) -> ()
  return
}
func.func private @causal(%q0: !o, %k0: !c, %v0: !c, %out: !o)
    attributes {strata.schedule = {kind = "attention", threads = 128, group = 128, tile = array<i64: 64, 64, 64>,
                                   mma = "wgmma.f16", producers = 128, slots = 2, blocks = 131}} {
  %nb = "strata.size"() {symbol = 0 : i64} : () -> index
  %past = "strata.size"() {symbol = 1 : i64} : () -> index
  %seq = "strata.size"() {symbol = 2 : i64} : () -> index
  %m = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%seq, %past]
  %ss = memref.alloc(%nb, %seq, %m) : !s
  %ms = memref.alloc(%nb, %seq) : !r
  %es = memref.alloc(%nb, %seq, %m) : !s
  %ls = memref.alloc(%nb, %seq) : !r
  %ws = memref.alloc(%nb, %seq, %m) : !w
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (symbol(%nb), 3, symbol(%seq), symbol(%seq) + symbol(%past)) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %d = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %q = affine.load %q0[%b, %i, %h * 64 + %d] : !o
      %qw = arith.extf %q : f16 to f32
      %k = affine.load %k0[%b, %j, %h * 64 + %d] : !c
      %kw = arith.extf %k : f16 to f32
      %p = arith.mulf %qw, %kw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %c = arith.constant 1.250000e-01 : f32
    %u = arith.mulf %sum, %c : f32
    %ri = arith.index_cast %i : index to i32
    %ci = arith.index_cast %j : index to i32
    %pi = arith.index_cast %past : index to i32
    %rp = arith.addi %ri, %pi : i32
    %seen = arith.cmpi sge, %rp, %ci : i32
    %none = arith.constant 0xFF800000 : f32
    %f = arith.select %seen, %u, %none : f32
    affine.store %f, %ss[%b, %h, %i, %j] : !s
  } {strata.nest = "scores"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (symbol(%nb), 3, symbol(%seq)) {
    %least = arith.constant 0xFF800000 : f32
    %r = affine.for %j = 0 to affine_map<()[s0, s1] -> (s0 + s1)>()[%seq, %past] iter_args(%a = %least) -> (f32) {
      %x = affine.load %ss[%b, %h, %i, %j] : !s
      %n = arith.maximumf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ms[%b, %h, %i] : !r
  } {strata.nest = "max"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (symbol(%nb), 3, symbol(%seq), symbol(%seq) + symbol(%past)) {
    %x = affine.load %ss[%b, %h, %i, %j] : !s
    %y = affine.load %ms[%b, %h, %i] : !r
    %d = arith.subf %x, %y : f32
    %z = math.exp %d : f32
    affine.store %z, %es[%b, %h, %i, %j] : !s
  } {strata.nest = "exp"}
  affine.parallel (%b, %h, %i) = (0, 0, 0) to (symbol(%nb), 3, symbol(%seq)) {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %j = 0 to affine_map<()[s0, s1] -> (s0 + s1)>()[%seq, %past] iter_args(%a = %zero) -> (f32) {
      %x = affine.load %es[%b, %h, %i, %j] : !s
      %n = arith.addf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %r, %ls[%b, %h, %i] : !r
  } {strata.nest = "sum"}
  affine.parallel (%b, %h, %i, %j) = (0, 0, 0, 0) to (symbol(%nb), 3, symbol(%seq), symbol(%seq) + symbol(%past)) {
    %x = affine.load %es[%b, %h, %i, %j] : !s
    %y = affine.load %ls[%b, %h, %i] : !r
    %d = arith.divf %x, %y : f32
    %nan = arith.cmpf uno, %d, %d : f32
    %zero = arith.constant 0.0 : f32
    %g = arith.select %nan, %zero, %d : f32
    %t = arith.truncf %g : f32 to f16
    affine.store %t, %ws[%b, %h, %i, %j] : !w
  } {strata.nest = "div"}
  affine.parallel (%b, %i, %h, %v) = (0, 0, 0, 0) to (symbol(%nb), symbol(%seq), 3, 64) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %j = 0 to affine_map<()[s0, s1] -> (s0 + s1)>()[%seq, %past] iter_args(%a = %zero) -> (f32) {
      %x = affine.load %ws[%b, %h, %i, %j] : !w
      %xw = arith.extf %x : f16 to f32
      %y = affine.load %v0[%b, %j, %h * 64 + %v] : !c
      %yw = arith.extf %y : f16 to f32
      %p = arith.mulf %xw, %yw : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    %t = arith.truncf %sum : f32 to f16
    affine.store %t, %out[%b, %i, %h * 64 + %v] : !o
  } {strata.nest = "weighted"}
  return
}
}
