// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-schedule | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-schedule > %t.mlir
// RUN: strata %t.mlir --target=nvgpu --device=sm_90a --compile-from=affine --compile-to=gpu --aot-name=m -o %t
// RUN: FileCheck %s --check-prefix=CODE < %t/m.gpu.mlir

// Rows whose length varies: the likely length, as if it were known; then what groups of 4 to 256 threads hold, aligned or
// not, from the length on that the one before holds. Of rows that begin anywhere 8 threads have one of 32: with groups of 16
// these rows would no longer be few.
// CHECK-DAG: #[[LIKELY:.*]] = affine_set<()[s0] : (s0 - 1024 == 0)>
// CHECK-DAG: #[[FEW:.*]] = affine_set<()[s0] : (-s0 + 32 >= 0)>
// CHECK-DAG: #[[HALF:.*]] = affine_set<()[s0] : (s0 - 33 >= 0, -s0 + 128 >= 0, s0 mod 8 == 0)>
// CHECK-DAG: #[[ANY:.*]] = affine_set<()[s0] : (s0 - 257 >= 0, -s0 + 512 >= 0)>
// CHECK-DAG: #[[BLOCK:.*]] = affine_set<()[s0] : (s0 - 769 >= 0, -s0 + 1024 >= 0, s0 mod 8 == 0)>
// CHECK: func.func private @k(
// CHECK-SAME: strata.variants = [@k_v1, @k_v2, @k_v3, @k_v4, @k_v5, @k_v6, @k_v7, @k_v8, @k_v9, @k_v10, @k_v11, @k_v12]
// CHECK: func.func private @k_v1({{.*}}group = 32 : i64, {{.*}}tile = array<i64: 1024>}, strata.when = #[[LIKELY]]}
// CHECK: func.func private @k_v2({{.*}}group = 8 : i64, {{.*}}tile = array<i64: 32>}, strata.when = #[[FEW]]}
// CHECK: func.func private @k_v3({{.*}}group = 16 : i64, {{.*}}tile = array<i64: 128>}, strata.when = #[[HALF]]}
// CHECK: func.func private @k_v8({{.*}}group = 32 : i64, {{.*}}tile = array<i64: 512>}, strata.when = #[[ANY]]}
// CHECK: func.func private @k_v10({{.*}}group = 64 : i64, {{.*}}tile = array<i64: 1024>}, strata.when = #[[BLOCK]]}

// Rows that begin anywhere are stored element by element: neighbouring threads have neighbours, though the weights that
// they share are aligned. Elements in front of the least length, 257, are there: of a thread's sixteen eight are asked
// for, when %x is read, when %w is, and when they are stored.
// CODE-LABEL: func.func @k_v8(
// CODE-NOT: vector.load
// CODE-COUNT-24: arith.cmpi sge
// CODE-NOT: arith.cmpi sge
// CODE-LABEL: func.func @k_v9(
// CODE: vector.load
// CODE: vector.store
#x = affine_map<()[s0] -> (4096, s0)>
#w = affine_map<()[s0] -> (s0)>
!x = memref<4096x?xbf16, {sizes = #x}>
!w = memref<?xbf16, {sizes = #w}>
func.func @main(%x: !x {strata.name = "x"}, %w: !w {strata.name = "w"}, %y: !x {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "length", min = 1 : i64, max = 131072 : i64, multiple = 1 : i64, likely = [1024]}]} {
  call @k(%x, %w, %y) : (!x, !w, !x) -> ()
  return
}
func.func private @k(%x: !x, %w: !w, %y: !x) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %t = memref.alloc() : memref<4096xf32>
  affine.parallel (%i) = (0) to (4096) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to %n iter_args(%a = %zero) -> (f32) {
      %e = affine.load %x[%i, %k] : !x
      %f = arith.extf %e : bf16 to f32
      %m = arith.addf %a, %f fastmath<reassoc> : f32
      affine.yield %m : f32
    }
    affine.store %s, %t[%i] : memref<4096xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%i, %k) = (0, 0) to (4096, symbol(%n)) {
    %e = affine.load %x[%i, %k] : !x
    %f = arith.extf %e : bf16 to f32
    %s = affine.load %t[%i] : memref<4096xf32>
    %u = affine.load %w[%k] : !w
    %v = arith.extf %u : bf16 to f32
    %p = arith.mulf %f, %s : f32
    %q = arith.mulf %p, %v : f32
    %r = arith.truncf %q : f32 to bf16
    affine.store %r, %y[%i, %k] : !x
  } {strata.nest = "mul"}
  return
}
