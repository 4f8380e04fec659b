// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v4 | FileCheck %s

// Step 1: vector loads from the flat buffer, a constant apart.
// CHECK-LABEL: func.func @contiguous(
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [320], strides: [1] : memref<4x80xf32> to memref<320xf32>
// CHECK: %[[BASE:.*]] = affine.apply
// CHECK: vector.load %[[FLAT]][%[[BASE]]] : memref<320xf32>, vector<16xf32>
// CHECK: %[[NEXT:.*]] = arith.addi %[[BASE]], %c16
// CHECK: vector.load %[[FLAT]][%[[NEXT]]] : memref<320xf32>, vector<16xf32>
func.func private @contiguous(%x: memref<4x80xf32>, %y: memref<32xf32>) {
  scf.forall (%t) in (4) {
    %v = "tile.load"(%x, %t) {map = affine_map<(d)[t] -> (t, d + 3)>} : (memref<4x80xf32>, index) -> vector<32xf32>
    "tile.store"(%v, %y) {map = affine_map<(d) -> (d)>} : (vector<32xf32>, memref<32xf32>) -> ()
  }
  return
}

// Step 0: a scalar load and a broadcast. Step 2: two loads, the second drawn back to end at the last element. Step -1: a
// reversal. Step 9: a gather.
// CHECK-LABEL: func.func @steps(
// CHECK: memref.load
// CHECK-NEXT: vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK: vector.load
// CHECK: arith.addi %{{.*}}, %c15
// CHECK: vector.load
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK: vector.shuffle {{.*}} [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
// CHECK: vector.gather
func.func private @steps(%x: memref<150xf32>, %y: memref<16xf32>) {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x, %t) {map = affine_map<(d)[t] -> (t)>} : (memref<150xf32>, index) -> vector<16xf32>
    "tile.store"(%a, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
    %b = "tile.load"(%x) {map = affine_map<(d) -> (d * 2)>} : (memref<150xf32>) -> vector<16xf32>
    "tile.store"(%b, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
    %c = "tile.load"(%x) {map = affine_map<(d) -> (15 - d)>} : (memref<150xf32>) -> vector<16xf32>
    "tile.store"(%c, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
    %e = "tile.load"(%x) {map = affine_map<(d) -> (d * 9)>} : (memref<150xf32>) -> vector<16xf32>
    "tile.store"(%e, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

// A row that may be outside moves the address inside and selects the padding; a column that may be outside is a mask.
// CHECK-LABEL: func.func @padded(
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %c3{{.*}} : index
// CHECK: %[[WHERE:.*]] = arith.select %[[INSIDE]], %{{.*}}, %c0{{.*}} : index
// CHECK: %[[V:.*]] = vector.load %{{.*}}[%[[WHERE]]]
// CHECK: arith.select %[[INSIDE]], %[[V]], %{{.*}} : vector<16xf32>
// CHECK: %[[MASK:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: vector.maskedload %{{.*}}[%{{.*}}], %[[MASK]]
func.func private @padded(%x: memref<3x16xf32>, %y: memref<16xf32>) {
  scf.forall (%t) in (5) {
    %a = "tile.load"(%x, %t) {map = affine_map<(d)[t] -> (t - 1, d)>, pad = 0.0 : f32} : (memref<3x16xf32>, index) -> vector<16xf32>
    "tile.store"(%a, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
    %b = "tile.load"(%x) {map = affine_map<(d) -> (1, d - 3)>, pad = 0.0 : f32} : (memref<3x16xf32>) -> vector<16xf32>
    "tile.store"(%b, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

// What the bounds of the loop allow is not checked: rows 0 to 2 are inside.
// CHECK-LABEL: func.func @inside(
// CHECK-NOT: arith.cmpi
// CHECK: return
func.func private @inside(%x: memref<3x16xf32>, %y: memref<16xf32>) {
  scf.forall (%t) in (3) {
    %a = "tile.load"(%x, %t) {map = affine_map<(d)[t] -> (t, d)>, pad = 0.0 : f32} : (memref<3x16xf32>, index) -> vector<16xf32>
    "tile.store"(%a, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

// A division that the loop's step makes linear, and one that stays: its coordinates are computed lane by lane.
// CHECK-LABEL: func.func @divided(
// CHECK: vector.load
// CHECK-NOT: vector.gather
// CHECK: vector.store
// CHECK: arith.floordivsi %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: vector.gather
func.func private @divided(%x: memref<6x64xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c320 = arith.constant 320 : index
  scf.forall (%t) in (1) {
    scf.for %i = %c0 to %c320 step %c16 {
      %a = "tile.load"(%x, %i) {map = affine_map<(d)[i] -> ((i + d) floordiv 64, (i + d) mod 64)>} : (memref<6x64xf32>, index) -> vector<16xf32>
      "tile.store"(%a, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
    }
    %b = "tile.load"(%x) {map = affine_map<(d) -> (d floordiv 3, d mod 3)>} : (memref<6x64xf32>) -> vector<16xf32>
    "tile.store"(%b, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

// A vector that lies across is loaded along memory and transposed in registers: log2(4) rounds of 4 shuffles.
// CHECK-LABEL: func.func @across(
// CHECK-COUNT-4: vector.load {{.*}}, vector<4xf32>
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: vector.store {{.*}}, vector<4xf32>
func.func private @across(%x: memref<9x7xf32>, %y: memref<4x4xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(i, j) -> (j, i)>} : (memref<9x7xf32>) -> vector<4x4xf32>
    "tile.store"(%v, %y) {map = affine_map<(i, j) -> (i, j)>} : (vector<4x4xf32>, memref<4x4xf32>) -> ()
  }
  return
}

// A result larger than the caches goes past them if the buffer turns out to be aligned.
// CHECK-LABEL: func.func @large(
// CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[REST:.*]] = arith.andi %[[ADDRESS]], %c15
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if %[[ALIGNED]]
// CHECK-NEXT: vector.store {{.*}} {alignment = 16 : i64, nontemporal = true}
// CHECK: else
// CHECK-NOT: nontemporal
// CHECK: return
func.func private @large(%x: memref<16xf32>, %y: memref<8388608xf32>) {
  scf.forall (%t) in (524288) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<16xf32>) -> vector<16xf32>
    "tile.store"(%v, %y, %t) {map = affine_map<(d)[t] -> (t * 16 + d)>} : (vector<16xf32>, memref<8388608xf32>, index) -> ()
  }
  return
}
