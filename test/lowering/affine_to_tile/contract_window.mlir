// RUN: strata-opt %s --pipeline=affine-to-tile | FileCheck %s

// A dilated convolution: a row of taps that lies outside for all of a tile's rows is neither packed nor multiplied; the
// columns of a tile reach inside for each tap.
// CHECK-LABEL: func.func private @dilated
// CHECK: %[[FIRST:.*]] = arith.maxsi %{{.*}}, %{{.*}} : index
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %{{.*}} : index
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]] step
// CHECK: "tile.store"({{.*}} memref<6x{{.*}}xf32>
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]] step {{.*}} -> (vector<6x16xf32>)
// CHECK-NOT: arith.maxsi
// CHECK: vector.outerproduct
func.func private @dilated(%x: memref<6x6x16xf32>, %w: memref<3x3x16x16xf32>, %y: memref<6x6x16xf32>)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 6, 16>}} {
  affine.parallel (%i, %j, %f) = (0, 0, 0) to (6, 6, 16) {
    %z = arith.constant 0.0 : f32
    %s0 = affine.for %k = 0 to 3 iter_args(%a0 = %z) -> f32 {
      %s1 = affine.for %l = 0 to 3 iter_args(%a1 = %a0) -> f32 {
        %s2 = affine.for %c = 0 to 16 iter_args(%a = %a1) -> f32 {
          %u = affine.if affine_set<(i, j, k, l) : (i + k * 4 - 4 >= 0, -i - k * 4 + 9 >= 0, j + l - 1 >= 0, -j - l + 6 >= 0)>(%i, %j, %k, %l) -> f32 {
            %r = affine.load %x[%i + %k * 4 - 4, %j + %l - 1, %c] : memref<6x6x16xf32>
            affine.yield %r : f32
          } else {
            %zero = arith.constant 0.0 : f32
            affine.yield %zero : f32
          }
          %v = affine.load %w[%k, %l, %c, %f] : memref<3x3x16x16xf32>
          %p = arith.mulf %u, %v : f32
          %n = arith.addf %a, %p : f32
          affine.yield %n : f32
        }
        affine.yield %s2 : f32
      }
      affine.yield %s1 : f32
    }
    affine.store %s0, %y[%i, %j, %f] : memref<6x6x16xf32>
  } {strata.nest = "contract"}
  return
}

// What is not zero outside is read everywhere.
// CHECK-LABEL: func.func private @padded_with_ones
// CHECK-NOT: arith.maxsi
// CHECK: return
func.func private @padded_with_ones(%x: memref<6x6x16xf32>, %w: memref<3x16x16xf32>, %y: memref<6x6x16xf32>)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 6, 16>}} {
  affine.parallel (%i, %j, %f) = (0, 0, 0) to (6, 6, 16) {
    %z = arith.constant 0.0 : f32
    %s0 = affine.for %k = 0 to 3 iter_args(%a0 = %z) -> f32 {
      %s2 = affine.for %c = 0 to 16 iter_args(%a = %a0) -> f32 {
        %u = affine.if affine_set<(i, k) : (i + k * 4 - 4 >= 0, -i - k * 4 + 9 >= 0)>(%i, %k) -> f32 {
          %r = affine.load %x[%i + %k * 4 - 4, %j, %c] : memref<6x6x16xf32>
          affine.yield %r : f32
        } else {
          %one = arith.constant 1.0 : f32
          affine.yield %one : f32
        }
        %v = affine.load %w[%k, %c, %f] : memref<3x16x16xf32>
        %p = arith.mulf %u, %v : f32
        %n = arith.addf %a, %p : f32
        affine.yield %n : f32
      }
      affine.yield %s2 : f32
    }
    affine.store %s0, %y[%i, %j, %f] : memref<6x6x16xf32>
  } {strata.nest = "contract"}
  return
}
