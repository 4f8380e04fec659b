// Two products of one row that meet elementwise are a kernel of rows where no such product has tiles: both results of a
// column are summed up beside one another, along weights that were turned.
// RUN: strata-opt %s --target=amdgpu --device=gfx950 --pipeline=affine-split-reductions,affine-group,affine-coalesce,affine-schedule | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_80 --pipeline=affine-split-reductions,affine-group,affine-coalesce,affine-schedule | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = memref.alloc() : memref<2816x1024xf16>
// CHECK: %[[V:.*]] = memref.alloc() : memref<2816x1024xf16>
// CHECK: call @[[PAIR:.*]](%arg0, %[[W]], %[[V]], %arg1)
// CHECK-NEXT: return
// CHECK: func.func private @[[PAIR]]({{.*}}kind = "rows"
// CHECK-COUNT-2: affine.for {{.*}} iter_args
// CHECK: math.exp
// CHECK: arith.mulf
// CHECK: return
memref.global "private" @w : memref<1024x2816xf16>
memref.global "private" @v : memref<1024x2816xf16>
func.func @main(%x: memref<1024xf16> {strata.name = "x"}, %y: memref<2816xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<1024x2816xf16>
  %v = memref.get_global @v : memref<1024x2816xf16>
  %sums = memref.alloc() : memref<2816xf32>
  %t = memref.alloc() : memref<2816xf32>
  %e = memref.alloc() : memref<2816xf32>
  affine.parallel (%j) = (0) to (2816) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 1024 iter_args(%a = %zero) -> (f32) {
      %b = affine.load %x[%k] : memref<1024xf16>
      %c = affine.load %w[%k, %j] : memref<1024x2816xf16>
      %f = arith.extf %b : f16 to f32
      %g = arith.extf %c : f16 to f32
      %p = arith.mulf %f, %g : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %sums[%j] : memref<2816xf32>
  } {strata.nest = "contract"}
  affine.parallel (%j) = (0) to (2816) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 1024 iter_args(%a = %zero) -> (f32) {
      %b = affine.load %x[%k] : memref<1024xf16>
      %c = affine.load %v[%k, %j] : memref<1024x2816xf16>
      %f = arith.extf %b : f16 to f32
      %g = arith.extf %c : f16 to f32
      %p = arith.mulf %f, %g : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %t[%j] : memref<2816xf32>
  } {strata.nest = "contract"}
  affine.parallel (%j) = (0) to (2816) {
    %l0 = affine.load %sums[%j] : memref<2816xf32>
    %r = math.exp %l0 : f32
    affine.store %r, %e[%j] : memref<2816xf32>
  } {strata.nest = "exp"}
  affine.parallel (%j) = (0) to (2816) {
    %l0 = affine.load %e[%j] : memref<2816xf32>
    %l1 = affine.load %t[%j] : memref<2816xf32>
    %r = arith.mulf %l0, %l1 : f32
    affine.store %r, %y[%j] : memref<2816xf32>
  } {strata.nest = "mul"}
  return
}
