// RUN: strata-opt %s --pipeline=affine-to-tile --device=x86-64-v4 | FileCheck %s

// Tiles of rows whose number varies ask for what is needed later of a panel that no first-level cache holds; what is left
// of few rows reads it as fast as it comes, and does not.
// CHECK-LABEL: func.func private @k
// CHECK: -> (vector<8x48xf32>)
// CHECK: memref.prefetch %arg1
// CHECK: -> (vector<4x48xf32>)
// CHECK: memref.prefetch %arg1
// CHECK: -> (vector<3x48xf32>)
// CHECK-NOT: memref.prefetch %arg1
// CHECK: -> (vector<48xf32>)
// CHECK-NOT: memref.prefetch %arg1
// CHECK: return
#x = affine_map<()[s0] -> (s0, 4096)>
#y = affine_map<()[s0] -> (s0, 48)>
!x = memref<?x4096xf32, {sizes = #x}>
!y = memref<?x48xf32, {sizes = #y}>
func.func @main(%x: !x {strata.name = "x"}, %w: memref<4096x48xf32> {strata.name = "w"}, %y: !y {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "rows", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [8]}]} {
  call @k(%x, %w, %y) : (!x, memref<4096x48xf32>, !y) -> ()
  return
}
func.func private @k(%x: !x, %w: memref<4096x48xf32>, %y: !y)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 8, 48>}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 48) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 4096 iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : !x
      %1 = affine.load %w[%k, %j] : memref<4096x48xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %sum, %y[%i, %j] : !y
  } {strata.nest = "contract"}
  return
}
