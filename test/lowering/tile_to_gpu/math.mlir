// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=sm_90a | FileCheck %s

// Functions where there is no libm.

// The remainder is exact: multiply-adds that round nothing, and larger quotients in a branch of their own, through
// multiples of the divisor. No quotient here may be approximate.
// CHECK-LABEL: func.func @remainder(
// CHECK-NOT: arith.remf
// CHECK: scf.if
// CHECK: scf.for
// CHECK: arith.divf %{{.*}}, %{{[^ ]*}} : f32
// CHECK: math.trunc
// CHECK: math.fma
// CHECK: math.copysign
func.func private @remainder(%x: memref<32xf32>, %y: memref<32xf32>, %z: memref<32xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf32>) -> vector<32xf32>
    %b = "tile.load"(%y) {map = affine_map<(i) -> (i)>} : (memref<32xf32>) -> vector<32xf32>
    %r = arith.remf %a, %b fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    "tile.store"(%r, %z) {map = affine_map<(i) -> (i)>} : (vector<32xf32>, memref<32xf32>) -> ()
  }
  return
}

// The machine's logarithm is not used next to 1.
// CHECK-LABEL: func.func @log(
// CHECK: %[[F:.*]] = arith.subf
// CHECK: math.log2 {{.*}} fastmath<arcp,contract,afn>
// CHECK: %[[SIZE:.*]] = math.absf %[[F]]
// CHECK: %[[NEAR:.*]] = arith.cmpf olt, %[[SIZE]]
// CHECK: arith.select %[[NEAR]]
func.func private @log(%x: memref<32xf32>, %z: memref<32xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf32>) -> vector<32xf32>
    %r = math.log %a fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    "tile.store"(%r, %z) {map = affine_map<(i) -> (i)>} : (vector<32xf32>, memref<32xf32>) -> ()
  }
  return
}

// Large angles are reduced in integers, in a branch of their own; a tangent's once.
// CHECK-LABEL: func.func @tan(
// CHECK: scf.if
// CHECK: arith.mului_extended
// CHECK: scf.yield
// CHECK-NOT: scf.if
// CHECK: arith.divf
func.func private @tan(%x: memref<32xf64>, %z: memref<32xf64>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf64>) -> vector<32xf64>
    %r = math.tan %a : vector<32xf64>
    "tile.store"(%r, %z) {map = affine_map<(i) -> (i)>} : (vector<32xf64>, memref<32xf64>) -> ()
  }
  return
}

// 1 + erf a: erfc's logarithm is a polynomial, which needs no bound.
// CHECK-LABEL: func.func @erf_beside_one(
// CHECK: %[[SIZE:.*]] = math.absf
// CHECK-COUNT-5: math.fma %{{.*}}, %[[SIZE]], %{{.*}} : f32
// CHECK: math.exp2
// CHECK-NOT: math.fma
// CHECK: math.copysign
func.func private @erf_beside_one(%x: memref<32xf32>, %z: memref<32xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf32>) -> vector<32xf32>
    %e = math.erf %a fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    %one = arith.constant 1.000000e+00 : f32
    %ones = vector.broadcast %one : f32 to vector<32xf32>
    %s = arith.addf %ones, %e fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    "tile.store"(%s, %z) {map = affine_map<(i) -> (i)>} : (vector<32xf32>, memref<32xf32>) -> ()
  }
  return
}

// Not of what is added to anything else.
// CHECK-LABEL: func.func @erf(
// CHECK-NOT: math.exp2
// CHECK: arith.divf
func.func private @erf(%x: memref<32xf32>, %z: memref<32xf16>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf32>) -> vector<32xf32>
    %e = math.erf %a fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    %s = arith.addf %a, %e fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    %r = arith.truncf %s : vector<32xf32> to vector<32xf16>
    "tile.store"(%r, %z) {map = affine_map<(i) -> (i)>} : (vector<32xf16>, memref<32xf16>) -> ()
  }
  return
}

// tanh has no digits to lose on either side of a bound; what the exponential's product lost is put back, but not in a
// softmax or where 1 is added, as in a sigmoid.
// CHECK-LABEL: func.func @tanh(
// CHECK-COUNT-2: math.fma
// CHECK: math.exp2
// CHECK: arith.divf
// CHECK: arith.select
// CHECK-NOT: math.copysign
func.func private @tanh(%x: memref<32xf32>, %z: memref<32xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf32>) -> vector<32xf32>
    %r = math.tanh %a fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    "tile.store"(%r, %z) {map = affine_map<(i) -> (i)>} : (vector<32xf32>, memref<32xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @exp(
// CHECK: math.exp2
// CHECK-COUNT-2: math.fma
// CHECK: arith.select
func.func private @exp(%x: memref<32xf32>, %z: memref<32xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf32>) -> vector<32xf32>
    %r = math.exp %a fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    "tile.store"(%r, %z) {map = affine_map<(i) -> (i)>} : (vector<32xf32>, memref<32xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @exp_below_greatest(
// CHECK: math.exp2
// CHECK-NOT: math.fma
// CHECK: return
func.func private @exp_below_greatest(%x: memref<32xf32>, %z: memref<32xf32>) attributes {strata.schedule = {kind = "rows", threads = 32, group = 32, tile = array<i64: 32>}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf32>) -> vector<32xf32>
    %low = arith.constant 0xFF800000 : f32
    %m = vector.multi_reduction <maximumf>, %a, %low [0] : vector<32xf32> to f32
    %b = vector.broadcast %m : f32 to vector<32xf32>
    %s = arith.subf %a, %b fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    %r = math.exp %s fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    "tile.store"(%r, %z) {map = affine_map<(i) -> (i)>} : (vector<32xf32>, memref<32xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @exp_beside_one(
// CHECK: math.exp2
// CHECK-NOT: math.fma
// CHECK: return
func.func private @exp_beside_one(%x: memref<32xf32>, %z: memref<32xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf32>) -> vector<32xf32>
    %e = math.exp %a fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    %one = arith.constant 1.000000e+00 : f32
    %ones = vector.broadcast %one : f32 to vector<32xf32>
    %r = arith.addf %e, %ones fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    "tile.store"(%r, %z) {map = affine_map<(i) -> (i)>} : (vector<32xf32>, memref<32xf32>) -> ()
  }
  return
}

// k (1 + erf(c a)) comes straight from a: one polynomial with both factors in it, and no other product.
// CHECK-LABEL: func.func @normal(
// CHECK: %[[A:.*]] = memref.load
// CHECK: %[[SIZE:.*]] = math.absf %[[A]]
// CHECK-COUNT-5: math.fma %{{.*}}, %[[SIZE]], %{{.*}} : f32
// CHECK: %[[TAIL:.*]] = math.exp2
// CHECK: %[[OTHER:.*]] = arith.subf %{{.*}}, %[[TAIL]]
// CHECK: arith.cmpf olt, %[[A]]
// CHECK: %[[NORMAL:.*]] = arith.select %{{.*}}, %[[TAIL]], %[[OTHER]]
// CHECK: memref.store %[[NORMAL]]
func.func private @normal(%x: memref<32xf32>, %z: memref<32xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf32>) -> vector<32xf32>
    %c = arith.constant 0.707106769 : f32
    %cs = vector.broadcast %c : f32 to vector<32xf32>
    %p = arith.mulf %a, %cs fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    %e = math.erf %p fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    %one = arith.constant 1.000000e+00 : f32
    %ones = vector.broadcast %one : f32 to vector<32xf32>
    %s = arith.addf %e, %ones fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    %k = arith.constant 5.000000e-01 : f32
    %ks = vector.broadcast %k : f32 to vector<32xf32>
    %r = arith.mulf %ks, %s fastmath<reassoc,arcp,contract,afn> : vector<32xf32>
    "tile.store"(%r, %z) {map = affine_map<(i) -> (i)>} : (vector<32xf32>, memref<32xf32>) -> ()
  }
  return
}
