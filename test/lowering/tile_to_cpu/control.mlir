// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v4 | FileCheck %s

// What loops carry and branches yield are the pieces.
// CHECK-LABEL: func.func @loop(
// CHECK: %[[R:.*]]:2 = scf.for %{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (vector<16xf32>, vector<4xf32>)
// CHECK: arith.addf %[[A]], %{{.*}} : vector<16xf32>
// CHECK: arith.addf %[[B]], %{{.*}} : vector<4xf32>
// CHECK: scf.yield %{{.*}}, %{{.*}} : vector<16xf32>, vector<4xf32>
// CHECK: %[[I:.*]]:2 = scf.if %{{.*}} -> (vector<16xf32>, vector<4xf32>)
// CHECK: scf.yield %[[R]]#0, %[[R]]#1
// CHECK: vector.store %[[I]]#0
// CHECK: vector.store %[[I]]#1
func.func private @loop(%x: memref<8x20xf32>, %y: memref<20xf32>) {
  %zero = arith.constant dense<0.0> : vector<20xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.forall (%t) in (1) {
    %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %zero) -> (vector<20xf32>) {
      %v = "tile.load"(%x, %i) {map = affine_map<(d)[i] -> (i, d)>} : (memref<8x20xf32>, index) -> vector<20xf32>
      %n = arith.addf %a, %v : vector<20xf32>
      scf.yield %n : vector<20xf32>
    }
    %c = arith.cmpi eq, %t, %c1 : index
    %r = scf.if %c -> (vector<20xf32>) {
      scf.yield %s : vector<20xf32>
    } else {
      %n = arith.negf %s : vector<20xf32>
      scf.yield %n : vector<20xf32>
    }
    "tile.store"(%r, %y) {map = affine_map<(d) -> (d)>} : (vector<20xf32>, memref<20xf32>) -> ()
  }
  return
}

// Scalar code stays as it is, but for its functions and its memory.
// CHECK-LABEL: func.func @scalar(
// CHECK: memref.view
// CHECK: affine.for %{{.*}} = 0 to 7 iter_args
// CHECK: affine.load
// CHECK: func.call @asinf(%{{.*}}) : (f32) -> f32
// CHECK: affine.yield
func.func private @scalar(%x: memref<7xf32>, %y: memref<1xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  scf.forall (%t) in (1) {
    %u = memref.alloc() : memref<7xf32>
    %s = affine.for %i = 0 to 7 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i] : memref<7xf32>
      %w = math.asin %v : f32
      memref.store %w, %u[%i] : memref<7xf32>
      %n = arith.addf %a, %w : f32
      affine.yield %n : f32
    }
    memref.store %s, %y[%c0] : memref<1xf32>
  }
  return
}
