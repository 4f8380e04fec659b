// RUN: strata-opt %s --split-input-file --pipeline=affine-schedule --device=x86-64-v4 | FileCheck %s

// The rows of a convolution's tile are pixels, which are as many at any size, not images, which are likely more but may be
// one. Where there are many at any size they are images.
// CHECK: func.func private @pixels({{.*}}strata.schedule = {kind = "contract", tile = array<i64: 7, {{[0-9]+}}>}}
// CHECK-NOT: strata.when
// CHECK: func.func private @images({{.*}}strata.schedule = {kind = "contract", tile = array<i64: {{(9|1[0-9])}}, {{[0-9]+}}>}}
#n = affine_map<()[s0] -> (s0, 9, 9, 64)>
#m = affine_map<()[s0] -> (s0, 7, 7, 64)>
#t = affine_map<()[s0] -> (s0 + 40, 9, 9, 64)>
#u = affine_map<()[s0] -> (s0 + 40, 7, 7, 64)>
!x = memref<?x9x9x64xf32, {sizes = #n}>
!y = memref<?x7x7x64xf32, {sizes = #m}>
!v = memref<?x9x9x64xf32, {sizes = #t}>
!z = memref<?x7x7x64xf32, {sizes = #u}>
!w = memref<3x3x64x64xf32>
func.func @main(%x: !x {strata.name = "x"}, %v: !v {strata.name = "v"}, %w: !w {strata.name = "w"},
                %y: !y {strata.name = "y", strata.output}, %z: !z {strata.name = "z", strata.output})
    attributes {strata.symbols = [{name = "batch", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [1, 8, 32]}]} {
  call @pixels(%x, %w, %y) : (!x, !w, !y) -> ()
  call @images(%v, %w, %z) : (!v, !w, !z) -> ()
  return
}
func.func private @pixels(%x: !x, %w: !w, %y: !y) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%b, %i, %j, %o) = (0, 0, 0, 0) to (symbol(%n), 7, 7, 64) {
    %zero = arith.constant 0.0 : f32
    %0 = affine.for %k = 0 to 3 iter_args(%p = %zero) -> (f32) {
      %1 = affine.for %l = 0 to 3 iter_args(%q = %p) -> (f32) {
        %2 = affine.for %c = 0 to 64 iter_args(%a = %q) -> (f32) {
          %3 = affine.load %x[%b, %i + %k, %j + %l, %c] : !x
          %4 = affine.load %w[%k, %l, %c, %o] : !w
          %5 = arith.mulf %3, %4 : f32
          %6 = arith.addf %a, %5 : f32
          affine.yield %6 : f32
        }
        affine.yield %2 : f32
      }
      affine.yield %1 : f32
    }
    affine.store %0, %y[%b, %i, %j, %o] : !y
  } {strata.nest = "contract"}
  return
}
func.func private @images(%x: !v, %w: !w, %y: !z) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%b, %i, %j, %o) = (0, 0, 0, 0) to (symbol(%n) + 40, 7, 7, 64) {
    %zero = arith.constant 0.0 : f32
    %0 = affine.for %k = 0 to 3 iter_args(%p = %zero) -> (f32) {
      %1 = affine.for %l = 0 to 3 iter_args(%q = %p) -> (f32) {
        %2 = affine.for %c = 0 to 64 iter_args(%a = %q) -> (f32) {
          %3 = affine.load %x[%b, %i + %k, %j + %l, %c] : !v
          %4 = affine.load %w[%k, %l, %c, %o] : !w
          %5 = arith.mulf %3, %4 : f32
          %6 = arith.addf %a, %5 : f32
          affine.yield %6 : f32
        }
        affine.yield %2 : f32
      }
      affine.yield %1 : f32
    }
    affine.store %0, %y[%b, %i, %j, %o] : !z
  } {strata.nest = "contract"}
  return
}

// -----

// A depthwise convolution is rows along its channels where images are of any number and width.
// CHECK: func.func private @depthwise({{.*}}strata.schedule = {kind = "rows"}
#n = affine_map<()[s0, s1] -> (s0, 9, s1 + 2, 64)>
#m = affine_map<()[s0, s1] -> (s0, 7, s1, 64)>
!x = memref<?x9x?x64xf32, {sizes = #n}>
!y = memref<?x7x?x64xf32, {sizes = #m}>
!w = memref<64x3x3xf32>
func.func @main(%x: !x {strata.name = "x"}, %w: !w {strata.name = "w"},
                %y: !y {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "batch", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [1, 8]},
                                  {name = "width", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [32]}]} {
  call @depthwise(%x, %w, %y) : (!x, !w, !y) -> ()
  return
}
func.func private @depthwise(%x: !x, %w: !w, %y: !y) {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %m = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%b, %i, %j, %c) = (0, 0, 0, 0) to (symbol(%n), 7, symbol(%m), 64) {
    %zero = arith.constant 0.0 : f32
    %0 = affine.for %k = 0 to 3 iter_args(%p = %zero) -> (f32) {
      %1 = affine.for %l = 0 to 3 iter_args(%q = %p) -> (f32) {
        %3 = affine.load %x[%b, %i + %k, %j + %l, %c] : !x
        %4 = affine.load %w[%c, %k, %l] : !w
        %5 = arith.mulf %3, %4 : f32
        %6 = arith.addf %q, %5 : f32
        affine.yield %6 : f32
      }
      affine.yield %1 : f32
    }
    affine.store %0, %y[%b, %i, %j, %c] : !y
  } {strata.nest = "contract"}
  return
}
