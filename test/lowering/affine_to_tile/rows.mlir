// RUN: strata-opt %s --pipeline=affine-to-tile | FileCheck %s

// Softmax: vectors along the row, the dear exp kept in scratch, nothing else stored in between.
// CHECK-LABEL: func.func private @softmax
// CHECK: scf.forall
// CHECK: scf.for
// CHECK: vector.multi_reduction <maximumf>, %{{.*}} [0] : vector<48xf32> to f32
// CHECK: %[[E:.*]] = memref.alloc() {tile.scratch} : memref<48xf32>
// CHECK: math.exp %{{.*}} : vector<48xf32>
// CHECK: "tile.store"(%{{.*}}, %[[E]])
// CHECK: vector.multi_reduction <add>, %{{.*}} [0] : vector<48xf32> to f32
// CHECK: "tile.load"(%[[E]])
// CHECK: arith.divf %{{.*}} : vector<48xf32>
// CHECK: "tile.store"
// CHECK-NOT: math.exp
// CHECK: return
func.func private @softmax(%x: memref<32x48xf32>, %y: memref<32x48xf32>) attributes {strata.schedule = {kind = "rows"}} {
  %m = memref.alloc() : memref<32xf32>
  %e = memref.alloc() : memref<32x48xf32>
  %l = memref.alloc() : memref<32xf32>
  affine.parallel (%i) = (0) to (32) {
    %n = arith.constant 0xFF800000 : f32
    %r = affine.for %j = 0 to 48 iter_args(%a = %n) -> f32 {
      %v = affine.load %x[%i, %j] : memref<32x48xf32>
      %w = arith.maximumf %a, %v : f32
      affine.yield %w : f32
    }
    affine.store %r, %m[%i] : memref<32xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%i, %j) = (0, 0) to (32, 48) {
    %v = affine.load %x[%i, %j] : memref<32x48xf32>
    %w = affine.load %m[%i] : memref<32xf32>
    %d = arith.subf %v, %w : f32
    %p = math.exp %d : f32
    affine.store %p, %e[%i, %j] : memref<32x48xf32>
  } {strata.nest = "exp"}
  affine.parallel (%i) = (0) to (32) {
    %z = arith.constant 0.0 : f32
    %r = affine.for %j = 0 to 48 iter_args(%a = %z) -> f32 {
      %v = affine.load %e[%i, %j] : memref<32x48xf32>
      %w = arith.addf %a, %v fastmath<reassoc> : f32
      affine.yield %w : f32
    }
    affine.store %r, %l[%i] : memref<32xf32>
  } {strata.nest = "reduce"}
  affine.parallel (%i, %j) = (0, 0) to (32, 48) {
    %v = affine.load %e[%i, %j] : memref<32x48xf32>
    %w = affine.load %l[%i] : memref<32xf32>
    %q = arith.divf %v, %w fastmath<arcp> : f32
    affine.store %q, %y[%i, %j] : memref<32x48xf32>
  } {strata.nest = "div"}
  return
}

// A column sum: one vector element a column, no combining at the end.
// CHECK-LABEL: func.func private @columns
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<64xf32>)
// CHECK-NOT: multi_reduction
// CHECK: "tile.store"({{.*}}) {{.*}} : (vector<64xf32>, memref<64xf32>) -> ()
func.func private @columns(%x: memref<16x64xf32>, %y: memref<64xf32>) attributes {strata.schedule = {kind = "rows"}} {
  affine.parallel (%j) = (0) to (64) {
    %z = arith.constant 0.0 : f32
    %r = affine.for %i = 0 to 16 iter_args(%a = %z) -> f32 {
      %v = affine.load %x[%i, %j] : memref<16x64xf32>
      %w = arith.addf %a, %v : f32
      affine.yield %w : f32
    }
    affine.store %r, %y[%j] : memref<64xf32>
  } {strata.nest = "reduce"}
  return
}
