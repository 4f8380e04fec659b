// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu | FileCheck %s

// What every thread has already is renamed: a column's mean, broadcast along the rows it was reduced over.
// CHECK-LABEL: func.func @rename(
// CHECK-NOT: gpu.barrier
// CHECK: vector.store
func.func private @rename(%x: memref<16x128xf32>, %y: memref<16x128xf32>) attributes {strata.schedule = {kind = "rows", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %zero = arith.constant dense<0.0> : vector<128xf32>
    %a = "tile.load"(%x) {map = affine_map<(i, j) -> (i, j)>} : (memref<16x128xf32>) -> vector<16x128xf32>
    %s = vector.multi_reduction <add>, %a, %zero [0] : vector<16x128xf32> to vector<128xf32>
    %b = vector.broadcast %s : vector<128xf32> to vector<16x128xf32>
    %d = arith.subf %a, %b : vector<16x128xf32>
    "tile.store"(%d, %y) {map = affine_map<(i, j) -> (i, j)>} : (vector<16x128xf32>, memref<16x128xf32>) -> ()
  }
  return
}

// A square plus its transpose: through shared memory, where every fourth row, as many as a thread holds, moves on by 16
// bytes.
// CHECK-LABEL: func.func @exchange(
// CHECK-SAME: strata.shared = 4224
// CHECK: vector.load {{.*}} {tile.readonly}
// CHECK: vector.store {{.*}} : memref<1056xf32, 3>
// CHECK: gpu.barrier
// CHECK: memref.load {{.*}} : memref<1056xf32, 3>
// CHECK: arith.addf
func.func private @exchange(%x: memref<32x32xf32>, %y: memref<32x32xf32>) attributes {strata.schedule = {kind = "map", threads = 128, group = 128}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i, j) -> (i, j)>} : (memref<32x32xf32>) -> vector<32x32xf32>
    %b = vector.transpose %a, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
    %s = arith.addf %a, %b : vector<32x32xf32>
    "tile.store"(%s, %y) {map = affine_map<(i, j) -> (i, j)>} : (vector<32x32xf32>, memref<32x32xf32>) -> ()
  }
  return
}

// Indices, which have no form in memory, pass as integers.
// CHECK-LABEL: func.func @indices(
// CHECK: arith.index_cast {{.*}} : index to i64
// CHECK: gpu.barrier
// CHECK: memref.load {{.*}} : memref<{{[0-9]+}}xi64, 3>
// CHECK: arith.index_cast {{.*}} : i64 to index
func.func private @indices(%x: memref<32x32xi32>, %y: memref<32x32xi32>) attributes {strata.schedule = {kind = "map", threads = 128, group = 128}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i, j) -> (i, j)>} : (memref<32x32xi32>) -> vector<32x32xi32>
    %i = arith.index_cast %a : vector<32x32xi32> to vector<32x32xindex>
    %b = vector.transpose %i, [1, 0] : vector<32x32xindex> to vector<32x32xindex>
    %c = arith.index_cast %b : vector<32x32xindex> to vector<32x32xi32>
    %s = arith.addi %a, %c : vector<32x32xi32>
    "tile.store"(%s, %y) {map = affine_map<(i, j) -> (i, j)>} : (vector<32x32xi32>, memref<32x32xi32>) -> ()
  }
  return
}

// 22 rows, of which threads load 24 and are to have 32: those that are to have the last do not read what nobody has written.
// CHECK-LABEL: func.func @edge(
// CHECK-COUNT-3: vector.store {{.*}} : memref<{{[0-9]+}}xf32, 3>, vector<4xf32>
// CHECK: gpu.barrier
// CHECK: %[[LAST:.*]] = arith.constant 22 : index
// CHECK: %[[THERE:.*]] = arith.cmpi sle, %{{.*}}, %[[LAST]] : index
// CHECK: scf.if %[[THERE]] -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
// CHECK-COUNT-4: vector.load {{.*}} : memref<{{[0-9]+}}xf32, 3>, vector<4xf32>
func.func private @edge(%x: memref<22x64xf32>, %y: memref<64x22xf32>) attributes {strata.schedule = {kind = "map", threads = 128, group = 128}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i, j) -> (i, j)>} : (memref<22x64xf32>) -> vector<22x64xf32>
    "tile.store"(%a, %y) {map = affine_map<(i, j) -> (j, i)>} : (vector<22x64xf32>, memref<64x22xf32>) -> ()
  }
  return
}
