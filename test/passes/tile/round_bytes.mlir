// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-round-bytes | FileCheck %s

// What is rounded, saturated and converted to a byte becomes the low bits of a float at 1.5 * 2^23, and back that float
// less that. A byte with a sign becomes a float by its bits. Where NaN may be it is 0.

module {
  // CHECK-LABEL: func.func private @k0
  // CHECK-NOT: arith.fptosi
  // CHECK: %[[X:.*]] = "tile.load"(%arg0)
  // CHECK: %[[L:.*]] = arith.maxnumf %[[X]], %{{.*}}
  // CHECK: %[[C:.*]] = arith.minnumf %[[L]], %{{.*}}
  // CHECK: arith.constant 0x4B400000 : f32
  // CHECK: %[[T:.*]] = arith.addf %[[C]], %{{.*}}
  // CHECK: %[[I:.*]] = arith.bitcast %[[T]] : vector<8xf32> to vector<8xi32>
  // CHECK: arith.constant 3 : i32
  // CHECK: %[[J:.*]] = arith.addi %[[I]], %{{.*}}
  // CHECK: %[[Q:.*]] = arith.trunci %[[J]] : vector<8xi32> to vector<8xi8>
  // CHECK: "tile.store"(%[[Q]], %arg1)
  // CHECK: arith.constant 0xCB3FFFFD : f32
  // CHECK: %[[F:.*]] = arith.addf %[[T]], %{{.*}}
  // CHECK: "tile.store"(%[[F]], %arg2)
  func.func private @k0(%arg0: memref<8xf32>, %arg1: memref<8xi8>, %arg2: memref<8xf32>) {
    scf.forall (%i) in (1) {
      %x = "tile.load"(%arg0) {map = affine_map<(d0) -> (d0)>} : (memref<8xf32>) -> vector<8xf32>
      %r = math.roundeven %x : vector<8xf32>
      %three = arith.constant dense<3.0> : vector<8xf32>
      %a = arith.addf %r, %three : vector<8xf32>
      %low = arith.constant dense<-128.0> : vector<8xf32>
      %high = arith.constant dense<127.0> : vector<8xf32>
      %is_more = arith.cmpf ogt, %a, %low : vector<8xf32>
      %m = arith.select %is_more, %a, %low : vector<8xi1>, vector<8xf32>
      %is_less = arith.cmpf olt, %m, %high : vector<8xf32>
      %s = arith.select %is_less, %m, %high : vector<8xi1>, vector<8xf32>
      %q = arith.fptosi %s : vector<8xf32> to vector<8xi8>
      "tile.store"(%q, %arg1) {map = affine_map<(d0) -> (d0)>} : (vector<8xi8>, memref<8xi8>) -> ()
      %f = arith.sitofp %q : vector<8xi8> to vector<8xf32>
      "tile.store"(%f, %arg2) {map = affine_map<(d0) -> (d0)>} : (vector<8xf32>, memref<8xf32>) -> ()
    }
    return
  }

  // CHECK-LABEL: func.func private @k1
  // CHECK: %[[X:.*]] = "tile.load"(%arg0)
  // CHECK: arith.cmpf oeq, %[[X]], %[[X]]
  // CHECK: arith.select
  // CHECK: arith.maxnumf
  // CHECK-NOT: arith.fptoui
  func.func private @k1(%arg0: memref<8xf32>, %arg1: memref<8xi8>) {
    scf.forall (%i) in (1) {
      %x = "tile.load"(%arg0) {map = affine_map<(d0) -> (d0)>} : (memref<8xf32>) -> vector<8xf32>
      %r = math.roundeven %x : vector<8xf32>
      %zero = arith.constant dense<0.0> : vector<8xf32>
      %high = arith.constant dense<255.0> : vector<8xf32>
      %is_number = arith.cmpf oeq, %r, %r : vector<8xf32>
      %n = arith.select %is_number, %r, %zero : vector<8xi1>, vector<8xf32>
      %is_more = arith.cmpf ogt, %n, %zero : vector<8xf32>
      %m = arith.select %is_more, %n, %zero : vector<8xi1>, vector<8xf32>
      %is_less = arith.cmpf olt, %m, %high : vector<8xf32>
      %s = arith.select %is_less, %m, %high : vector<8xi1>, vector<8xf32>
      %q = arith.fptoui %s : vector<8xf32> to vector<8xi8>
      "tile.store"(%q, %arg1) {map = affine_map<(d0) -> (d0)>} : (vector<8xi8>, memref<8xi8>) -> ()
    }
    return
  }

  // CHECK-LABEL: func.func private @k2
  // CHECK: %[[B:.*]] = "tile.load"(%arg0)
  // CHECK: %[[W:.*]] = arith.extui %[[B]] : vector<8xi8> to vector<8xi32>
  // CHECK: arith.constant 1258291328 : i32
  // CHECK: %[[O:.*]] = arith.xori %[[W]], %{{.*}}
  // CHECK: %[[F:.*]] = arith.bitcast %[[O]] : vector<8xi32> to vector<8xf32>
  // CHECK: arith.constant 0xCB000080 : f32
  // CHECK: %[[Y:.*]] = arith.addf %[[F]], %{{.*}}
  // CHECK: "tile.store"(%[[Y]], %arg1)
  func.func private @k2(%arg0: memref<8xi8>, %arg1: memref<8xf32>) {
    scf.forall (%i) in (1) {
      %b = "tile.load"(%arg0) {map = affine_map<(d0) -> (d0)>} : (memref<8xi8>) -> vector<8xi8>
      %f = arith.sitofp %b : vector<8xi8> to vector<8xf32>
      "tile.store"(%f, %arg1) {map = affine_map<(d0) -> (d0)>} : (vector<8xf32>, memref<8xf32>) -> ()
    }
    return
  }
}
