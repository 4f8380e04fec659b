// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu | FileCheck %s

// Rows of 1025 into rows of 1032, a vector of eight a thread: two words and a shift, unless a word lies beyond the buffer;
// then element by element. What is outside the mask is zero.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[WORDS:.*]]:2 = scf.if %{{.*}} -> (vector<8xf16>, vector<8xf16>)
// CHECK-COUNT-2: vector.load %{{.*}} {tile.readonly} : memref<65600xf16>, vector<8xf16>
// CHECK: } else {
// CHECK-COUNT-8: memref.load
// CHECK: %[[FROM:.*]] = arith.select %{{.*}} : index
// CHECK: "tile.funnel"(%[[WORDS]]#0, %[[WORDS]]#1, %[[FROM]]) : (vector<8xf16>, vector<8xf16>, index) -> vector<8xf16>
// CHECK-COUNT-7: arith.select %{{.*}} : f16
// CHECK: vector.store %{{.*}} : memref<66048xf16>, vector<8xf16>
func.func private @rows(%x: memref<64x1025xf16>, %y: memref<64x1032xf16>) attributes {strata.schedule = {kind = "map", threads = 256, group = 1}} {
  scf.forall (%t) in (8256) {
    %i = affine.apply affine_map<(t) -> (t floordiv 129)>(%t)
    %j = affine.apply affine_map<(t) -> (t mod 129)>(%t)
    %a = "tile.load"(%x, %i, %j) {map = affine_map<(c)[i, j] -> (i, j * 8 + c)>, mask = affine_set<(c)[i, j] : (1024 - j * 8 - c >= 0)>} : (memref<64x1025xf16>, index, index) -> vector<8xf16>
    "tile.store"(%a, %y, %i, %j) {map = affine_map<(c)[i, j] -> (i, j * 8 + c)>} : (vector<8xf16>, memref<64x1032xf16>, index, index) -> ()
  }
  return
}

// Known to lie inside: no branch.
// CHECK-LABEL: func.func @inside(
// CHECK-NOT: scf.if
// CHECK-COUNT-2: vector.load %{{.*}} {tile.readonly} : memref<1024xf32>, vector<4xf32>
// CHECK: "tile.funnel"
// CHECK: return
func.func private @inside(%x: memref<1024xf32>, %y: memref<128xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(c) -> (c + 3)>} : (memref<1024xf32>) -> vector<128xf32>
    "tile.store"(%a, %y) {map = affine_map<(c) -> (c)>} : (vector<128xf32>, memref<128xf32>) -> ()
  }
  return
}

// Pairs that begin anywhere are as many loads by words as by elements.
// CHECK-LABEL: func.func @pairs(
// CHECK-NOT: "tile.funnel"
// CHECK-COUNT-2: memref.load
// CHECK-NOT: memref.load
// CHECK: return
func.func private @pairs(%x: memref<1024xf32>, %y: memref<64xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(c) -> (c + 3)>} : (memref<1024xf32>) -> vector<64xf32>
    "tile.store"(%a, %y) {map = affine_map<(c) -> (c)>} : (vector<64xf32>, memref<64xf32>) -> ()
  }
  return
}

// So are aligned pairs of which the mask may take one.
// CHECK-LABEL: func.func @masked_pairs(
// CHECK-NOT: vector.load
// CHECK-COUNT-2: memref.load
// CHECK: return
func.func private @masked_pairs(%x: memref<1024xf32>, %y: memref<1280xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (20) {
    %a = "tile.load"(%x, %t) {map = affine_map<(c)[t] -> (c + t * 64)>, mask = affine_set<(c)[t] : (1000 - c - t * 64 >= 0)>} : (memref<1024xf32>, index) -> vector<64xf32>
    "tile.store"(%a, %y, %t) {map = affine_map<(c)[t] -> (c + t * 64)>} : (vector<64xf32>, memref<1280xf32>, index) -> ()
  }
  return
}
