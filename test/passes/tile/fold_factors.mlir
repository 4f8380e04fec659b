// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-fold-factors | FileCheck %s
// RUN: strata-opt %s --device=x86-64-v3 --pipeline=tile-fold-factors | FileCheck %s --check-prefix=KEPT

// A known factor of a sum is one of its terms' where these have one already, or are the same along a dim; not without
// fast math, nor of what a term would need a multiplication for, nor of a sum that something else reads.

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0) -> (d0)>
module {
  // CHECK-LABEL: func.func private @k0
  // CHECK: %[[X:.*]] = "tile.load"(%arg0)
  // CHECK: %[[B:.*]] = "tile.load"(%arg1)
  // CHECK: %[[C:.*]] = arith.constant 1.500000e+00 : f32
  // CHECK: %[[CS:.*]] = vector.broadcast %[[C]]
  // CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[CS]] fastmath<reassoc,contract> : vector<4x8xf32>
  // CHECK: %[[F:.*]] = arith.mulf %[[B]], %{{.*}} fastmath<reassoc,contract> : vector<8xf32>
  // CHECK: %[[R:.*]] = vector.broadcast %[[F]] : vector<8xf32> to vector<4x8xf32>
  // CHECK: %[[S:.*]] = arith.addf %[[P]], %[[R]] fastmath<reassoc,contract> : vector<4x8xf32>
  // CHECK-NOT: arith.mulf
  // CHECK: "tile.store"(%[[S]], %arg2)
  // KEPT-LABEL: func.func private @k0
  // KEPT: arith.addf
  // KEPT: arith.mulf {{.*}} vector<4x8xf32>
  func.func private @k0(%arg0: memref<4x8xf32>, %arg1: memref<8xf32>, %arg2: memref<4x8xf32>) {
    scf.forall (%i) in (1) {
      %x = "tile.load"(%arg0) {map = #all} : (memref<4x8xf32>) -> vector<4x8xf32>
      %b = "tile.load"(%arg1) {map = #row} : (memref<8xf32>) -> vector<8xf32>
      %half = arith.constant 0.5 : f32
      %h = vector.broadcast %half : f32 to vector<4x8xf32>
      %p = arith.mulf %x, %h fastmath<reassoc,contract> : vector<4x8xf32>
      %r = vector.broadcast %b : vector<8xf32> to vector<4x8xf32>
      %s = arith.addf %p, %r fastmath<reassoc,contract> : vector<4x8xf32>
      %three = arith.constant dense<3.0> : vector<4x8xf32>
      %y = arith.mulf %s, %three fastmath<reassoc,contract> : vector<4x8xf32>
      "tile.store"(%y, %arg2) {map = #all} : (vector<4x8xf32>, memref<4x8xf32>) -> ()
    }
    return
  }
  // CHECK-LABEL: func.func private @k1
  // CHECK: %[[S:.*]] = arith.addf
  // CHECK: arith.mulf %[[S]], {{.*}} fastmath<reassoc,contract>
  // CHECK: %[[T:.*]] = arith.addf {{.*}} : vector<8xf32>
  // CHECK: arith.mulf %[[T]]
  // CHECK: %[[U:.*]] = arith.addf
  // CHECK: arith.mulf %[[U]]
  func.func private @k1(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: memref<8xf32>, %arg3: memref<8xf32>,
                        %arg4: memref<8xf32>) {
    scf.forall (%i) in (1) {
      %x = "tile.load"(%arg0) {map = #row} : (memref<8xf32>) -> vector<8xf32>
      %b = "tile.load"(%arg1) {map = #row} : (memref<8xf32>) -> vector<8xf32>
      %h = arith.constant dense<0.5> : vector<8xf32>
      %p = arith.mulf %x, %h fastmath<reassoc,contract> : vector<8xf32>
      %s = arith.addf %p, %b fastmath<reassoc,contract> : vector<8xf32>
      %y = arith.mulf %s, %h fastmath<reassoc,contract> : vector<8xf32>
      "tile.store"(%y, %arg2) {map = #row} : (vector<8xf32>, memref<8xf32>) -> ()
      %q = arith.mulf %b, %h : vector<8xf32>
      %r = arith.mulf %x, %h : vector<8xf32>
      %t = arith.addf %q, %r : vector<8xf32>
      %z = arith.mulf %t, %h : vector<8xf32>
      "tile.store"(%z, %arg3) {map = #row} : (vector<8xf32>, memref<8xf32>) -> ()
      %v = arith.mulf %x, %h fastmath<reassoc,contract> : vector<8xf32>
      %w = arith.mulf %b, %h fastmath<reassoc,contract> : vector<8xf32>
      %u = arith.addf %v, %w fastmath<reassoc,contract> : vector<8xf32>
      %k = arith.mulf %u, %h fastmath<reassoc,contract> : vector<8xf32>
      %l = arith.addf %k, %u fastmath<reassoc,contract> : vector<8xf32>
      "tile.store"(%l, %arg4) {map = #row} : (vector<8xf32>, memref<8xf32>) -> ()
    }
    return
  }
}
