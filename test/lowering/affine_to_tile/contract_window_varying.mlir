// RUN: strata-opt %s --pipeline=affine-to-tile --device=x86-64-v4 | FileCheck %s

// The rows of taps that reach inside, of images whose height and width vary: where they end is said by sizes.
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0)[s0] -> ((-d0 + s0 + 3) floordiv 4 + 1)>
// CHECK-LABEL: func.func private @dilated
// CHECK: %[[H:.*]] = "strata.size"() {symbol = 0 : i64}
// CHECK: %[[BELOW:.*]] = affine.apply #[[LAST]](%{{.*}})[%[[H]]]
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %[[BELOW]] : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]] step
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]] step {{.*}} -> (vector<14x16xf32>)
// CHECK: vector.outerproduct
#x = affine_map<()[s0, s1] -> (s0, s1, 16)>
!x = memref<?x?x16xf32, {sizes = #x}>
func.func @main(%x: !x {strata.name = "x"}, %w: memref<3x3x16x16xf32> {strata.name = "w"}, %y: !x {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "h", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [6]},
                                  {name = "w", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [64]}]} {
  call @dilated(%x, %w, %y) : (!x, memref<3x3x16x16xf32>, !x) -> ()
  return
}
func.func private @dilated(%x: !x, %w: memref<3x3x16x16xf32>, %y: !x)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 14, 16>}} {
  %h = "strata.size"() {symbol = 0 : i64} : () -> index
  %v = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%i, %j, %f) = (0, 0, 0) to (symbol(%h), symbol(%v), 16) {
    %z = arith.constant 0.0 : f32
    %s0 = affine.for %k = 0 to 3 iter_args(%a0 = %z) -> f32 {
      %s1 = affine.for %l = 0 to 3 iter_args(%a1 = %a0) -> f32 {
        %s2 = affine.for %c = 0 to 16 iter_args(%a = %a1) -> f32 {
          %u = affine.if affine_set<(i, j, k, l)[h, v] : (i + k * 4 - 4 >= 0, h + 3 - i - k * 4 >= 0, j + l - 1 >= 0, v - j - l >= 0)>(%i, %j, %k, %l)[%h, %v] -> f32 {
            %r = affine.load %x[%i + %k * 4 - 4, %j + %l - 1, %c] : !x
            affine.yield %r : f32
          } else {
            %zero = arith.constant 0.0 : f32
            affine.yield %zero : f32
          }
          %q = affine.load %w[%k, %l, %c, %f] : memref<3x3x16x16xf32>
          %p = arith.mulf %u, %q : f32
          %n = arith.addf %a, %p : f32
          affine.yield %n : f32
        }
        affine.yield %s2 : f32
      }
      affine.yield %s1 : f32
    }
    affine.store %s0, %y[%i, %j, %f] : !x
  } {strata.nest = "contract"}
  return
}
