// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-split-attention | FileCheck %s
// RUN: strata-opt %s --target=cpu --pipeline=affine-split-attention | FileCheck %s --check-prefix=CPU

// Three parts of the columns of two batches of four rows: each call has memory for what they leave, and a call of a
// kernel behind that puts it together, which is the second product's nest without its sum. The nests before it are not
// there any more.
// CHECK-LABEL: func.func @main
// CHECK: %[[MAXIMA:.*]] = memref.alloc() : memref<6x4xf32>
// CHECK: %[[SUMS:.*]] = memref.alloc() : memref<6x4xf32>
// CHECK: %[[RESULTS:.*]] = memref.alloc() : memref<6x4x64xf32>
// CHECK: call @k0({{.*}}, %[[MAXIMA]], %[[SUMS]], %[[RESULTS]])
// CHECK-NEXT: call @k0_sum({{.*}}, %[[MAXIMA]], %[[SUMS]], %[[RESULTS]])
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @k0(
// CHECK-SAME: memref<6x4xf32>, %{{.*}}: memref<6x4xf32>, %{{.*}}: memref<6x4x64xf32>)
// CHECK-LABEL: func.func private @k0_sum(
// CHECK-SAME: kind = "map"
// CHECK-NEXT: affine.parallel (%[[B:.*]], %[[I:.*]], %[[V:.*]]) = (0, 0, 0) to (2, 4, 64)
// CHECK: affine.load %[[M:.*]][%[[B]] * 3, %[[I]]] : memref<6x4xf32>
// CHECK: affine.load %[[M]][%[[B]] * 3 + 2, %[[I]]] : memref<6x4xf32>
// CHECK: affine.load %{{.*}}[%[[B]] * 3 + 2, %[[I]], %[[V]]] : memref<6x4x64xf32>
// CHECK-COUNT-2: arith.maximumf
// CHECK-COUNT-3: math.exp2
// CHECK: %[[QUOTIENT:.*]] = arith.divf
// CHECK: %[[RESULT:.*]] = arith.truncf %[[QUOTIENT]]
// CHECK: affine.store %[[RESULT]], %arg3[%[[B]], %[[I]], %[[V]]]
// CHECK: strata.nest = "parts"
// CHECK-NOT: affine.parallel

// CPU-NOT: k0_sum
module {
  func.func @main(%q: memref<2x4x64xf16>, %k: memref<2x512x64xf16>, %v: memref<2x512x64xf16>, %y: memref<2x4x64xf16>) {
    call @k0(%q, %k, %v, %y) : (memref<2x4x64xf16>, memref<2x512x64xf16>, memref<2x512x64xf16>, memref<2x4x64xf16>) -> ()
    return
  }
  func.func private @k0(%arg0: memref<2x4x64xf16>, %arg1: memref<2x512x64xf16>, %arg2: memref<2x512x64xf16>, %arg3: memref<2x4x64xf16>) attributes {strata.schedule = {blocks = 6 : i64, group = 128 : i64, kind = "attention", mma = "wgmma.f16", producers = 128 : i64, slots = 2 : i64, splits = 3 : i64, threads = 128 : i64, tile = array<i64: 64, 128, 64>}} {
    %alloc = memref.alloc() : memref<2x4x512xf16>
    %alloc_0 = memref.alloc() : memref<2x4xf32>
    %alloc_1 = memref.alloc() : memref<2x4x512xf32>
    %alloc_2 = memref.alloc() : memref<2x4x512xf32>
    %alloc_3 = memref.alloc() : memref<2x4xf32>
    %alloc_4 = memref.alloc() : memref<2x4xf32>
    %alloc_5 = memref.alloc() : memref<2x4x512xf16>
    affine.parallel (%arg4, %arg5, %arg6) = (0, 0, 0) to (2, 4, 512) {
      %cst = arith.constant 0.000000e+00 : f32
      %0 = affine.for %arg7 = 0 to 64 iter_args(%arg8 = %cst) -> (f32) {
        %2 = affine.load %arg0[%arg4, %arg5, %arg7] : memref<2x4x64xf16>
        %3 = arith.extf %2 : f16 to f32
        %4 = affine.load %arg1[%arg4, %arg6, %arg7] : memref<2x512x64xf16>
        %5 = arith.extf %4 : f16 to f32
        %6 = arith.mulf %3, %5 fastmath<reassoc,arcp,contract,afn> : f32
        %7 = arith.addf %arg8, %6 fastmath<reassoc,arcp,contract,afn> : f32
        affine.yield %7 : f32
      }
      %1 = arith.truncf %0 : f32 to f16
      affine.store %1, %alloc[%arg4, %arg5, %arg6] : memref<2x4x512xf16>
    } {strata.nest = "contract"}
    affine.parallel (%arg4, %arg5) = (0, 0) to (2, 4) {
      %cst = arith.constant 0xFF800000 : f32
      %0 = affine.for %arg6 = 0 to 512 iter_args(%arg7 = %cst) -> (f32) {
        %1 = affine.load %alloc[%arg4, %arg5, %arg6] : memref<2x4x512xf16>
        %2 = arith.extf %1 : f16 to f32
        %3 = arith.maximumf %arg7, %2 fastmath<reassoc,arcp,contract,afn> : f32
        affine.yield %3 : f32
      }
      affine.store %0, %alloc_0[%arg4, %arg5] : memref<2x4xf32>
    } {strata.nest = "reduce"}
    affine.parallel (%arg4, %arg5, %arg6) = (0, 0, 0) to (2, 4, 512) {
      %0 = affine.load %alloc[%arg4, %arg5, %arg6] : memref<2x4x512xf16>
      %1 = arith.extf %0 : f16 to f32
      %2 = affine.load %alloc_0[%arg4, %arg5] : memref<2x4xf32>
      %3 = arith.subf %1, %2 fastmath<reassoc,arcp,contract,afn> : f32
      affine.store %3, %alloc_1[%arg4, %arg5, %arg6] : memref<2x4x512xf32>
    } {strata.nest = "sub"}
    affine.parallel (%arg4, %arg5, %arg6) = (0, 0, 0) to (2, 4, 512) {
      %0 = affine.load %alloc_1[%arg4, %arg5, %arg6] : memref<2x4x512xf32>
      %1 = math.exp %0 fastmath<reassoc,arcp,contract,afn> : f32
      affine.store %1, %alloc_2[%arg4, %arg5, %arg6] : memref<2x4x512xf32>
    } {strata.nest = "exp"}
    affine.parallel (%arg4, %arg5) = (0, 0) to (2, 4) {
      %cst = arith.constant 0.000000e+00 : f32
      %0 = affine.for %arg6 = 0 to 512 iter_args(%arg7 = %cst) -> (f32) {
        %1 = affine.load %alloc_2[%arg4, %arg5, %arg6] : memref<2x4x512xf32>
        %2 = arith.addf %arg7, %1 fastmath<reassoc,arcp,contract,afn> : f32
        affine.yield %2 : f32
      }
      affine.store %0, %alloc_3[%arg4, %arg5] : memref<2x4xf32>
    } {strata.nest = "reduce"}
    affine.parallel (%arg4, %arg5) = (0, 0) to (2, 4) {
      %cst = arith.constant 1.000000e+00 : f32
      %0 = affine.load %alloc_3[%arg4, %arg5] : memref<2x4xf32>
      %1 = arith.divf %cst, %0 fastmath<reassoc,arcp,contract,afn> : f32
      affine.store %1, %alloc_4[%arg4, %arg5] : memref<2x4xf32>
    } {strata.nest = "div"}
    affine.parallel (%arg4, %arg5, %arg6) = (0, 0, 0) to (2, 4, 512) {
      %0 = affine.load %alloc_2[%arg4, %arg5, %arg6] : memref<2x4x512xf32>
      %1 = affine.load %alloc_4[%arg4, %arg5] : memref<2x4xf32>
      %2 = arith.mulf %0, %1 fastmath<reassoc,arcp,contract,afn> : f32
      %3 = arith.truncf %2 : f32 to f16
      affine.store %3, %alloc_5[%arg4, %arg5, %arg6] : memref<2x4x512xf16>
    } {strata.nest = "mul"}
    affine.parallel (%arg4, %arg5, %arg6) = (0, 0, 0) to (2, 4, 64) {
      %cst = arith.constant 0.000000e+00 : f32
      %0 = affine.for %arg7 = 0 to 512 iter_args(%arg8 = %cst) -> (f32) {
        %2 = affine.load %alloc_5[%arg4, %arg5, %arg7] : memref<2x4x512xf16>
        %3 = arith.extf %2 : f16 to f32
        %4 = affine.load %arg2[%arg4, %arg7, %arg6] : memref<2x512x64xf16>
        %5 = arith.extf %4 : f16 to f32
        %6 = arith.mulf %3, %5 fastmath<reassoc,arcp,contract,afn> : f32
        %7 = arith.addf %arg8, %6 fastmath<reassoc,arcp,contract,afn> : f32
        affine.yield %7 : f32
      }
      %1 = arith.truncf %0 : f32 to f16
      affine.store %1, %arg3[%arg4, %arg5, %arg6] : memref<2x4x64xf16>
    } {strata.nest = "contract"}
    return
  }
}
