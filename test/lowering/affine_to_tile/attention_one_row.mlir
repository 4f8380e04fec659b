// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-to-tile | FileCheck %s

// Attention of one query a head: a task's tile has it as its only row. The rows behind it are read of other heads, and
// not stored; keys and values are the task's head's.
// CHECK-DAG: #[[ROWS:map[0-9]*]] = affine_map<(d0, d1)[s0] -> (d0 + s0, d1)>
// CHECK-DAG: #[[KEYS:map[0-9]*]] = affine_map<(d0, d1)[s0, s1] -> (s0, d0 + s1 * 128, d1)>
// CHECK-DAG: #[[ONE:set[0-9]*]] = affine_set<(d0, d1)[s0] : (-d0 >= 0)>
// CHECK-LABEL: func.func private @k2
// CHECK: scf.forall (%{{.*}}) in (64)
// CHECK: "tile.load"(%arg0, %[[AT:.*]]) {map = #[[ROWS]], mask = #[[ONE]]}
// CHECK: "tile.load"(%arg1, %[[AT]], %{{.*}}) {map = #[[KEYS]]}
// CHECK: "tile.load"(%arg2, %[[AT]], %{{.*}})
// CHECK: "tile.store"(%{{.*}}, %arg3, %[[AT]]) {map = #[[ROWS]], mask = #[[ONE]]}
func.func private @k2(%arg0: memref<64x64xf16>, %arg1: memref<64x512x64xf16>, %arg2: memref<64x512x64xf16>, %arg3: memref<64x64xf16>) attributes {strata.schedule = {blocks = 64 : i64, group = 128 : i64, kind = "attention", mma = "wgmma.f16", producers = 128 : i64, slots = 2 : i64, threads = 128 : i64, tile = array<i64: 64, 128, 64>}} {
  %alloc = memref.alloc() : memref<64x512xf16>
  %alloc_0 = memref.alloc() : memref<64x512xf16>
  %alloc_1 = memref.alloc() : memref<64xf32>
  %alloc_2 = memref.alloc() : memref<64x512xf32>
  %alloc_3 = memref.alloc() : memref<64x512xf32>
  %alloc_4 = memref.alloc() : memref<64xf32>
  %alloc_5 = memref.alloc() : memref<64xf32>
  %alloc_6 = memref.alloc() : memref<64x512xf16>
  affine.parallel (%arg4, %arg5) = (0, 0) to (64, 512) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = affine.for %arg6 = 0 to 64 iter_args(%arg7 = %cst) -> (f32) {
      %2 = affine.load %arg0[%arg4, %arg6] : memref<64x64xf16>
      %3 = arith.extf %2 : f16 to f32
      %4 = affine.load %arg1[%arg4, %arg5, %arg6] : memref<64x512x64xf16>
      %5 = arith.extf %4 : f16 to f32
      %6 = arith.mulf %3, %5 fastmath<reassoc,arcp,contract,afn> : f32
      %7 = arith.addf %arg7, %6 fastmath<reassoc,arcp,contract,afn> : f32
      affine.yield %7 : f32
    }
    %1 = arith.truncf %0 : f32 to f16
    affine.store %1, %alloc[%arg4, %arg5] : memref<64x512xf16>
  } {strata.nest = "contract"}
  affine.parallel (%arg4, %arg5) = (0, 0) to (64, 512) {
    %0 = affine.load %alloc[%arg4, %arg5] : memref<64x512xf16>
    %1 = arith.extf %0 : f16 to f32
    %cst = arith.constant 1.250000e-01 : f32
    %2 = arith.mulf %1, %cst fastmath<reassoc,arcp,contract,afn> : f32
    %3 = arith.truncf %2 : f32 to f16
    affine.store %3, %alloc_0[%arg4, %arg5] : memref<64x512xf16>
  } {strata.nest = "mul"}
  affine.parallel (%arg4) = (0) to (64) {
    %cst = arith.constant 0xFF800000 : f32
    %0 = affine.for %arg5 = 0 to 512 iter_args(%arg6 = %cst) -> (f32) {
      %1 = affine.load %alloc_0[%arg4, %arg5] : memref<64x512xf16>
      %2 = arith.extf %1 : f16 to f32
      %3 = arith.maximumf %arg6, %2 fastmath<reassoc,arcp,contract,afn> : f32
      affine.yield %3 : f32
    }
    affine.store %0, %alloc_1[%arg4] : memref<64xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%arg4, %arg5) = (0, 0) to (64, 512) {
    %0 = affine.load %alloc_0[%arg4, %arg5] : memref<64x512xf16>
    %1 = arith.extf %0 : f16 to f32
    %2 = affine.load %alloc_1[%arg4] : memref<64xf32>
    %3 = arith.subf %1, %2 fastmath<reassoc,arcp,contract,afn> : f32
    affine.store %3, %alloc_2[%arg4, %arg5] : memref<64x512xf32>
  } {strata.nest = "sub"}
  affine.parallel (%arg4, %arg5) = (0, 0) to (64, 512) {
    %0 = affine.load %alloc_2[%arg4, %arg5] : memref<64x512xf32>
    %1 = math.exp %0 fastmath<reassoc,arcp,contract,afn> : f32
    affine.store %1, %alloc_3[%arg4, %arg5] : memref<64x512xf32>
  } {strata.nest = "exp"}
  affine.parallel (%arg4) = (0) to (64) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = affine.for %arg5 = 0 to 512 iter_args(%arg6 = %cst) -> (f32) {
      %1 = affine.load %alloc_3[%arg4, %arg5] : memref<64x512xf32>
      %2 = arith.addf %arg6, %1 fastmath<reassoc,arcp,contract,afn> : f32
      affine.yield %2 : f32
    }
    affine.store %0, %alloc_4[%arg4] : memref<64xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%arg4) = (0) to (64) {
    %cst = arith.constant 1.000000e+00 : f32
    %0 = affine.load %alloc_4[%arg4] : memref<64xf32>
    %1 = arith.divf %cst, %0 fastmath<reassoc,arcp,contract,afn> : f32
    affine.store %1, %alloc_5[%arg4] : memref<64xf32>
  } {strata.nest = "div"}
  affine.parallel (%arg4, %arg5) = (0, 0) to (64, 512) {
    %0 = affine.load %alloc_3[%arg4, %arg5] : memref<64x512xf32>
    %1 = affine.load %alloc_5[%arg4] : memref<64xf32>
    %2 = arith.mulf %0, %1 fastmath<reassoc,arcp,contract,afn> : f32
    %3 = arith.truncf %2 : f32 to f16
    affine.store %3, %alloc_6[%arg4, %arg5] : memref<64x512xf16>
  } {strata.nest = "mul"}
  affine.parallel (%arg4, %arg5) = (0, 0) to (64, 64) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = affine.for %arg6 = 0 to 512 iter_args(%arg7 = %cst) -> (f32) {
      %2 = affine.load %alloc_6[%arg4, %arg6] : memref<64x512xf16>
      %3 = arith.extf %2 : f16 to f32
      %4 = affine.load %arg2[%arg4, %arg6, %arg5] : memref<64x512x64xf16>
      %5 = arith.extf %4 : f16 to f32
      %6 = arith.mulf %3, %5 fastmath<reassoc,arcp,contract,afn> : f32
      %7 = arith.addf %arg7, %6 fastmath<reassoc,arcp,contract,afn> : f32
      affine.yield %7 : f32
    }
    %1 = arith.truncf %0 : f32 to f16
    affine.store %1, %arg3[%arg4, %arg5] : memref<64x64xf16>
  } {strata.nest = "contract"}
  return
}
