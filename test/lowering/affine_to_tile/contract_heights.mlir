// RUN: strata-opt %s --pipeline=affine-to-tile --device=x86-64-v4 | FileCheck %s

// Where rows vary and much follows the sums, tiles of all heights are one loop: the height chooses the sums, which go
// through scratch, and what follows them is there once, row by row.
// CHECK-LABEL: func.func private @k
// CHECK: scf.for {{.*}} iter_args([[FIRST:%.*]] = {{.*}}) -> (index) {
// CHECK: [[LEFT:%.*]] = arith.subi {{.*}}, [[FIRST]]
// CHECK: arith.cmpi uge, [[LEFT]]
// CHECK: [[SUMS:%.*]] = memref.alloc() {tile.scratch} : memref<8x48xf32>
// CHECK: arith.cmpi eq, [[HEIGHT:%.*]], %c8
// CHECK: "tile.store"({{.*}}, [[SUMS]]) {{.*}} (vector<8x48xf32>, memref<8x48xf32>)
// CHECK: "tile.store"({{.*}}, [[SUMS]]) {{.*}} (vector<4x48xf32>, memref<8x48xf32>)
// CHECK: "tile.store"({{.*}}, [[SUMS]]) {{.*}} (vector<3x48xf32>, memref<8x48xf32>)
// CHECK: "tile.store"({{.*}}, [[SUMS]]) {{.*}} (vector<2x48xf32>, memref<8x48xf32>)
// CHECK: "tile.store"({{.*}}, [[SUMS]]) {{.*}} (vector<48xf32>, memref<8x48xf32>)
// CHECK-NOT: math.tanh
// CHECK: scf.for {{.*}} to [[HEIGHT]]
// CHECK: math.tanh {{.*}} : vector<48xf32>
// CHECK-NOT: math.tanh
// CHECK: arith.addi [[FIRST]], [[HEIGHT]]
#x = affine_map<()[s0] -> (s0, 512)>
#y = affine_map<()[s0] -> (s0, 48)>
!x = memref<?x512xf32, {sizes = #x}>
!y = memref<?x48xf32, {sizes = #y}>
func.func @main(%x: !x {strata.name = "x"}, %w: memref<512x48xf32> {strata.name = "w"}, %y: !y {strata.name = "y", strata.output})
    attributes {strata.symbols = [{name = "rows", min = 1 : i64, max = 1024 : i64, multiple = 1 : i64, likely = [8]}]} {
  call @k(%x, %w, %y) : (!x, memref<512x48xf32>, !y) -> ()
  return
}
func.func private @k(%x: !x, %w: memref<512x48xf32>, %y: !y)
    attributes {strata.schedule = {kind = "contract", tile = array<i64: 8, 48>}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %t = memref.alloc(%n) : !y
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 48) {
    %zero = arith.constant 0.0 : f32
    %sum = affine.for %k = 0 to 512 iter_args(%a = %zero) -> (f32) {
      %0 = affine.load %x[%i, %k] : !x
      %1 = affine.load %w[%k, %j] : memref<512x48xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %a, %2 : f32
      affine.yield %3 : f32
    }
    affine.store %sum, %t[%i, %j] : !y
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 48) {
    %0 = affine.load %t[%i, %j] : !y
    %1 = math.tanh %0 : f32
    affine.store %1, %y[%i, %j] : !y
  } {strata.nest = "tanh"}
  return
}
