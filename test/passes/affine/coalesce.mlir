// RUN: strata-opt %s --pipeline=affine-coalesce | FileCheck %s

// Dims of extent 1 go, dims that all accesses walk as one merge, and the calls pass views.
// CHECK-LABEL: func.func private @all
// CHECK-SAME: (%[[X:.*]]: memref<512xf32>, %[[Y:.*]]: memref<512xf32>)
// CHECK: affine.parallel (%[[N:.*]]) = (0) to (512)
// CHECK: affine.load %[[X]][%[[N]]]
// CHECK: affine.store %{{.*}}, %[[Y]][%[[N]]]
func.func private @all(%x: memref<1x8x64xf32>, %y: memref<8x64xf32>) {
  affine.parallel (%u, %i, %j) = (0, 0, 0) to (1, 8, 64) {
    %p = affine.load %x[%u, %i, %j] : memref<1x8x64xf32>
    affine.store %p, %y[%i, %j] : memref<8x64xf32>
  } {strata.nest = "copy"}
  return
}

// A broadcast keeps its dim apart; a batch and its rows become rows.
// CHECK-LABEL: func.func private @matmul
// CHECK-SAME: (%[[X:.*]]: memref<24x16xf32>, %[[W:.*]]: memref<16x5xf32>, %[[B:.*]]: memref<5xf32>, %[[Y:.*]]: memref<24x5xf32>)
// CHECK: %[[T:.*]] = memref.alloc() : memref<24x5xf32>
// CHECK: affine.parallel (%[[M:.*]], %[[N:.*]]) = (0, 0) to (24, 5)
// CHECK: affine.load %[[X]][%[[M]], %{{.*}}]
// CHECK: affine.store %{{.*}}, %[[T]][%[[M]], %[[N]]]
// CHECK: affine.parallel (%[[M2:.*]], %[[N2:.*]]) = (0, 0) to (24, 5)
// CHECK: affine.load %[[B]][%[[N2]]]
func.func private @matmul(%x: memref<2x12x16xf32>, %w: memref<16x5xf32>, %b: memref<1x1x5xf32>, %y: memref<2x12x5xf32>) {
  %t = memref.alloc() : memref<2x12x5xf32>
  affine.parallel (%n, %i, %j) = (0, 0, 0) to (2, 12, 5) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 16 iter_args(%a = %z) -> f32 {
      %p = affine.load %x[%n, %i, %k] : memref<2x12x16xf32>
      %q = affine.load %w[%k, %j] : memref<16x5xf32>
      %r = arith.mulf %p, %q : f32
      %m = arith.addf %a, %r : f32
      affine.yield %m : f32
    }
    affine.store %s, %t[%n, %i, %j] : memref<2x12x5xf32>
  } {strata.nest = "contract"}
  affine.parallel (%n, %i, %j) = (0, 0, 0) to (2, 12, 5) {
    %p = affine.load %t[%n, %i, %j] : memref<2x12x5xf32>
    %q = affine.load %b[0, 0, %j] : memref<1x1x5xf32>
    %r = arith.addf %p, %q : f32
    affine.store %r, %y[%n, %i, %j] : memref<2x12x5xf32>
  } {strata.nest = "add"}
  return
}

// What one nest of a kernel cannot merge, the nests it works with do not merge either: here the last one transposes.
// CHECK-LABEL: func.func private @transposed
// CHECK-SAME: memref<2x12x5xf32>
// CHECK: affine.parallel ({{.*}}) = (0, 0, 0) to (2, 12, 5)
// CHECK: affine.parallel ({{.*}}) = (0, 0, 0) to (2, 12, 5)
func.func private @transposed(%x: memref<2x12x5xf32>, %y: memref<12x2x5xf32>) {
  %t = memref.alloc() : memref<2x12x5xf32>
  affine.parallel (%n, %i, %j) = (0, 0, 0) to (2, 12, 5) {
    %p = affine.load %x[%n, %i, %j] : memref<2x12x5xf32>
    %q = arith.negf %p : f32
    affine.store %q, %t[%n, %i, %j] : memref<2x12x5xf32>
  } {strata.nest = "neg"}
  affine.parallel (%n, %i, %j) = (0, 0, 0) to (2, 12, 5) {
    %p = affine.load %t[%n, %i, %j] : memref<2x12x5xf32>
    affine.store %p, %y[%i, %n, %j] : memref<12x2x5xf32>
  } {strata.nest = "copy"}
  return
}

// Loops merge as well; quotient and remainder become the number they are of.
// CHECK-LABEL: func.func private @loops
// CHECK-SAME: (%[[X:.*]]: memref<48x7xf32>, %[[V:.*]]: memref<48xf32>, %[[Y:.*]]: memref<7xf32>)
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (7)
// CHECK: affine.for %[[K:.*]] = 0 to 48
// CHECK-NOT: affine.for
// CHECK: affine.load %[[X]][%[[K]], %[[I]]]
// CHECK: affine.load %[[V]][%[[K]]]
func.func private @loops(%x: memref<6x8x7xf32>, %v: memref<3x16xf32>, %y: memref<7xf32>) {
  affine.parallel (%i) = (0) to (7) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %r = 0 to 6 iter_args(%a = %z) -> f32 {
      %s1 = affine.for %k = 0 to 8 iter_args(%a1 = %a) -> f32 {
        %p = affine.load %x[%r, %k, %i] : memref<6x8x7xf32>
        %q = affine.load %v[(%r * 8 + %k) floordiv 16, (%r * 8 + %k) mod 16] : memref<3x16xf32>
        %m = arith.mulf %p, %q : f32
        %n = arith.addf %a1, %m : f32
        affine.yield %n : f32
      }
      affine.yield %s1 : f32
    }
    affine.store %s, %y[%i] : memref<7xf32>
  } {strata.nest = "contract"}
  return
}

// A guard that tests one dim keeps it.
// CHECK-LABEL: func.func private @padded
// CHECK-SAME: (%{{.*}}: memref<6x8xf32>, %{{.*}}: memref<6x10xf32>)
// CHECK: affine.parallel ({{.*}}) = (0, 0) to (6, 10)
func.func private @padded(%x: memref<1x6x8xf32>, %y: memref<1x6x10xf32>) {
  affine.parallel (%u, %i, %j) = (0, 0, 0) to (1, 6, 10) {
    %p = affine.if affine_set<(d0) : (d0 - 1 >= 0, 8 - d0 >= 0)>(%j) -> f32 {
      %q = affine.load %x[%u, %i, %j - 1] : memref<1x6x8xf32>
      affine.yield %q : f32
    } else {
      %z = arith.constant 0.0 : f32
      affine.yield %z : f32
    }
    affine.store %p, %y[%u, %i, %j] : memref<1x6x10xf32>
  } {strata.nest = "pad"}
  return
}

// Roots that walk the same points go on doing so, though the second alone could merge its dims.
// CHECK-LABEL: func.func private @siblings
// CHECK: affine.parallel ({{.*}}) = (0, 0) to (6, 67)
// CHECK: affine.parallel ({{.*}}) = (0, 0) to (6, 67)
func.func private @siblings(%x: memref<67x6xf32>, %s: memref<f32>, %y: memref<6x67xf32>, %z: memref<6x67xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (6, 67) {
    %p = affine.load %x[%j, %i] : memref<67x6xf32>
    affine.store %p, %y[%i, %j] : memref<6x67xf32>
  } {strata.nest = "transpose"}
  affine.parallel (%i, %j) = (0, 0) to (6, 67) {
    %p = affine.load %s[] : memref<f32>
    affine.store %p, %z[%i, %j] : memref<6x67xf32>
  } {strata.nest = "copy"}
  return
}

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = memref.collapse_shape %arg0 {{\[}}[0, 1, 2]{{\]}} : memref<1x8x64xf32> into memref<512xf32>
// CHECK: %[[B:.*]] = memref.collapse_shape %arg1 {{\[}}[0, 1]{{\]}} : memref<8x64xf32> into memref<512xf32>
// CHECK: call @all(%[[A]], %[[B]])
// CHECK-NOT: collapse_shape
// CHECK: call @all(%[[A]], %[[B]])
func.func @main(%x: memref<1x8x64xf32> {strata.name = "x"}, %y: memref<8x64xf32> {strata.name = "y", strata.output}) {
  call @all(%x, %y) : (memref<1x8x64xf32>, memref<8x64xf32>) -> ()
  call @all(%x, %y) : (memref<1x8x64xf32>, memref<8x64xf32>) -> ()
  return
}

// Two dims that one nest stores and another reads as digits of one number are one, and so are those at which a number's
// digits are put together.
// CHECK-LABEL: func.func private @digits
// CHECK-SAME: (%[[X:.*]]: memref<2x40xf32>, %[[Y:.*]]: memref<2xf32>)
// CHECK: affine.parallel (%{{.*}}, %[[N:.*]]) = (0, 0) to (2, 40)
// CHECK: affine.load %[[X]][%{{.*}}, %[[N]]]
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (2, 40)
// CHECK: affine.parallel (%{{.*}}) = (0) to (2)
// CHECK: affine.for %{{.*}} = 0 to 40
// CHECK-NOT: affine.for
// CHECK: return
func.func private @digits(%x: memref<2x5x8xf32>, %y: memref<2xf32>) {
  %t = memref.alloc() : memref<2x5x8xf32>
  %u = memref.alloc() : memref<2x40xf32>
  affine.parallel (%b, %i, %j) = (0, 0, 0) to (2, 5, 8) {
    %p = affine.load %x[%b, %i, %j] : memref<2x5x8xf32>
    affine.store %p, %t[%b, %i, %j] : memref<2x5x8xf32>
  } {strata.nest = "copy"}
  affine.parallel (%b, %n) = (0, 0) to (2, 40) {
    %p = affine.load %t[%b, %n floordiv 8, %n mod 8] : memref<2x5x8xf32>
    %q = math.exp %p : f32
    affine.store %q, %u[%b, %n] : memref<2x40xf32>
  } {strata.nest = "exp"}
  affine.parallel (%b) = (0) to (2) {
    %z = arith.constant 0.0 : f32
    %r = affine.for %i = 0 to 5 iter_args(%a = %z) -> f32 {
      %s = affine.for %j = 0 to 8 iter_args(%c = %a) -> f32 {
        %p = affine.load %u[%b, %i * 8 + %j] : memref<2x40xf32>
        %v = arith.addf %c, %p : f32
        affine.yield %v : f32
      }
      affine.yield %s : f32
    }
    affine.store %r, %y[%b] : memref<2xf32>
  } {strata.nest = "reduce"}
  return
}

// A dim that is the last digit of a coordinate merges with the next coordinate, the digits before it stay. One that is
// added to others, as a window's place, does not.
// CHECK-LABEL: func.func private @last_digit
// CHECK-SAME: (%[[X:.*]]: memref<120xf32>, %{{.*}}: memref<3xf32>)
// CHECK: affine.parallel (%[[G:.*]]) = (0) to (3)
// CHECK: affine.for %[[N:.*]] = 0 to 40
// CHECK-NOT: affine.for
// CHECK: affine.load %[[X]][%[[G]] * 40 + %[[N]]]
func.func private @last_digit(%x: memref<15x8xf32>, %y: memref<3xf32>) {
  affine.parallel (%g) = (0) to (3) {
    %z = arith.constant 0.0 : f32
    %r = affine.for %i = 0 to 5 iter_args(%a = %z) -> f32 {
      %s = affine.for %j = 0 to 8 iter_args(%c = %a) -> f32 {
        %p = affine.load %x[%g * 5 + %i, %j] : memref<15x8xf32>
        %v = arith.addf %c, %p : f32
        affine.yield %v : f32
      }
      affine.yield %s : f32
    }
    affine.store %r, %y[%g] : memref<3xf32>
  } {strata.nest = "reduce"}
  return
}
// CHECK-LABEL: func.func private @window
// CHECK: affine.for %{{.*}} = 0 to 3
// CHECK-NEXT: affine.for %{{.*}} = 0 to 8
func.func private @window(%x: memref<15x8xf32>, %y: memref<13xf32>) {
  affine.parallel (%g) = (0) to (13) {
    %z = arith.constant 0.0 : f32
    %r = affine.for %i = 0 to 3 iter_args(%a = %z) -> f32 {
      %s = affine.for %j = 0 to 8 iter_args(%c = %a) -> f32 {
        %p = affine.load %x[%g + %i, %j] : memref<15x8xf32>
        %v = arith.addf %c, %p : f32
        affine.yield %v : f32
      }
      affine.yield %s : f32
    }
    affine.store %r, %y[%g] : memref<13xf32>
  } {strata.nest = "reduce"}
  return
}
