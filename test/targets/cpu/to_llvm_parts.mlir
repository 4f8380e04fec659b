// RUN: strata-opt %s --pipeline=tile-to-cpu,cpu-to-llvm --device=x86-64-v4 | FileCheck %s

// Kernels are converted a few at a time, each time with all that is declared: functions of libm, which kernels of
// several such parts call, are declared once afterwards, and kernels are in their order.

// CHECK: module @kernels
// CHECK-DAG: llvm.func @asinf(f32) -> f32
// CHECK-DAG: llvm.func @acosf(f32) -> f32
// CHECK-NOT: llvm.func @a
// CHECK: llvm.func @k0(
// CHECK: llvm.call @asinf(
// CHECK: llvm.func @k1(
// CHECK: llvm.call @acosf(
// CHECK: llvm.func @k2(
// CHECK: llvm.call @asinf(
// CHECK: llvm.func @k3(
// CHECK: llvm.call @acosf(
// CHECK: llvm.func @k4(
// CHECK: llvm.call @asinf(
// CHECK: llvm.func @k5(
// CHECK: llvm.call @acosf(
// CHECK-NOT: llvm.func
// CHECK-NOT: func.func
func.func private @k0(%x: memref<16xf32>, %y: memref<16xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<16xf32>) -> vector<16xf32>
    %f = math.asin %v : vector<16xf32>
    "tile.store"(%f, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

func.func private @k1(%x: memref<16xf32>, %y: memref<16xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<16xf32>) -> vector<16xf32>
    %f = math.acos %v : vector<16xf32>
    "tile.store"(%f, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

func.func private @k2(%x: memref<16xf32>, %y: memref<16xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<16xf32>) -> vector<16xf32>
    %f = math.asin %v : vector<16xf32>
    "tile.store"(%f, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

func.func private @k3(%x: memref<16xf32>, %y: memref<16xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<16xf32>) -> vector<16xf32>
    %f = math.acos %v : vector<16xf32>
    "tile.store"(%f, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

func.func private @k4(%x: memref<16xf32>, %y: memref<16xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<16xf32>) -> vector<16xf32>
    %f = math.asin %v : vector<16xf32>
    "tile.store"(%f, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

func.func private @k5(%x: memref<16xf32>, %y: memref<16xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<16xf32>) -> vector<16xf32>
    %f = math.acos %v : vector<16xf32>
    "tile.store"(%f, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

func.func @main(%x: memref<16xf32>, %y: memref<16xf32>) {
  func.call @k0(%x, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  func.call @k1(%x, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  func.call @k2(%x, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  func.call @k3(%x, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  func.call @k4(%x, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  func.call @k5(%x, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  return
}
