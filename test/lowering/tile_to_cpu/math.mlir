// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v4 | FileCheck %s
// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v2 | FileCheck %s --check-prefix=SSE

// Functions of f32 are polynomials, the same for vectors and scalars, fused where the processor can.
// CHECK-LABEL: func.func @exponential(
// CHECK-NOT: math.exp
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT: call
// CHECK: math.fma {{.*}} : f32
// CHECK: return
// SSE-LABEL: func.func @exponential(
// SSE-NOT: math.fma
// SSE: return
func.func private @exponential(%x: memref<17xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<17xf32>) -> vector<17xf32>
    %e = math.exp %v : vector<17xf32>
    "tile.store"(%e, %x) {map = affine_map<(d) -> (d)>} : (vector<17xf32>, memref<17xf32>) -> ()
  }
  return
}

// What has no expansion is called in libm, lane by lane; f64 always.
// CHECK-LABEL: func.func @libm(
// CHECK-COUNT-2: call @atanf(%{{.*}}) : (f32) -> f32
// CHECK: vector.from_elements {{.*}} : vector<2xf32>
// CHECK-COUNT-2: call @exp(%{{.*}}) : (f64) -> f64
func.func private @libm(%x: memref<2xf32>, %y: memref<2xf64>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<2xf32>) -> vector<2xf32>
    %e = math.atan %v : vector<2xf32>
    "tile.store"(%e, %x) {map = affine_map<(d) -> (d)>} : (vector<2xf32>, memref<2xf32>) -> ()
    %w = "tile.load"(%y) {map = affine_map<(d) -> (d)>} : (memref<2xf64>) -> vector<2xf64>
    %f = math.exp %w : vector<2xf64>
    "tile.store"(%f, %y) {map = affine_map<(d) -> (d)>} : (vector<2xf64>, memref<2xf64>) -> ()
  }
  return
}

// bf16 is converted by shifts everywhere, f16 by instructions where there are any. Arithmetic on both is f32's.
// CHECK-LABEL: func.func @halves(
// CHECK: arith.shli
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xf16>
// SSE-LABEL: func.func @halves(
// SSE-NOT: arith.extf
// SSE-NOT: arith.truncf
// SSE: return
func.func private @halves(%x: memref<16xbf16>, %y: memref<16xf16>, %z: memref<16xf32>) {
  scf.forall (%t) in (1) {
    %f = "tile.load"(%z) {map = affine_map<(d) -> (d)>} : (memref<16xf32>) -> vector<16xf32>
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<16xbf16>) -> vector<16xbf16>
    %e = arith.addf %v, %v : vector<16xbf16>
    "tile.store"(%e, %x) {map = affine_map<(d) -> (d)>} : (vector<16xbf16>, memref<16xbf16>) -> ()
    %w = "tile.load"(%y) {map = affine_map<(d) -> (d)>} : (memref<16xf16>) -> vector<16xf16>
    %g = arith.extf %w : vector<16xf16> to vector<16xf32>
    %h = arith.truncf %g : vector<16xf32> to vector<16xf16>
    "tile.store"(%h, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf16>, memref<16xf16>) -> ()
    "tile.store"(%f, %z) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}
