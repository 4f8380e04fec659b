// RUN: strata-opt %s --pipeline=affine-coalesce | FileCheck %s

// What is computed element by element is one dim, whose size is the product of all. Rows are those of all batches; but 64
// rows, a number, stay beside a batch that varies: what is left over of tiles of them is known. Operands are views.
#x = affine_map<()[s0, s1] -> (s0, s1, 32)>
#z = affine_map<()[s0] -> (s0, 64, 32)>
#v = affine_map<()[s0] -> (s0, 64)>
// CHECK-DAG: #[[ALL:.*]] = affine_map<()[s0, s1] -> ((s0 * s1) * 32)>
// CHECK-DAG: #[[SUMS:.*]] = affine_map<()[s0] -> (s0, 64)>
// CHECK: "strata.view"(%{{.*}}) : (memref<?x?x32xf32, {{.*}}>) -> memref<?xf32, {sizes = #[[ALL]]}>
// CHECK: func.func private @k0
// CHECK: affine.parallel (%[[E:.*]]) = (0) to
// CHECK: affine.load %{{.*}}[%[[E]]] : memref<?xf32
// CHECK: func.func private @k1
// CHECK: affine.parallel (%[[I:.*]], %[[J:.*]]) = (0, 0) to (symbol(%{{.*}}), 64)
// CHECK: affine.load %{{.*}}[%[[I]], %[[J]], %{{.*}}] : memref<?x64x32xf32
module {
  func.func @main(%x: memref<?x?x32xf32, {sizes = #x}> {strata.name = "x"}, %y: memref<?x?x32xf32, {sizes = #x}> {strata.name = "y", strata.output},
                  %z: memref<?x64x32xf32, {sizes = #z}> {strata.name = "z"}, %v: memref<?x64xf32, {sizes = #v}> {strata.name = "v", strata.output})
      attributes {strata.symbols = [{name = "batch", min = 1, likely = [1, 8]}, {name = "sequence", min = 1, likely = [128]}]} {
    call @k0(%x, %y) : (memref<?x?x32xf32, {sizes = #x}>, memref<?x?x32xf32, {sizes = #x}>) -> ()
    call @k1(%z, %v) : (memref<?x64x32xf32, {sizes = #z}>, memref<?x64xf32, {sizes = #v}>) -> ()
    return
  }
  func.func private @k0(%x: memref<?x?x32xf32, {sizes = #x}>, %y: memref<?x?x32xf32, {sizes = #x}>) {
    %b = "strata.size"() {symbol = 0 : i64} : () -> index
    %s = "strata.size"() {symbol = 1 : i64} : () -> index
    affine.parallel (%i, %j, %k) = (0, 0, 0) to (symbol(%b), symbol(%s), 32) {
      %p = affine.load %x[%i, %j, %k] : memref<?x?x32xf32, {sizes = #x}>
      %e = math.exp %p : f32
      affine.store %e, %y[%i, %j, %k] : memref<?x?x32xf32, {sizes = #x}>
    } {strata.nest = "exp"}
    return
  }
  func.func private @k1(%x: memref<?x64x32xf32, {sizes = #z}>, %y: memref<?x64xf32, {sizes = #v}>) {
    %b = "strata.size"() {symbol = 0 : i64} : () -> index
    affine.parallel (%i, %j) = (0, 0) to (symbol(%b), 64) {
      %zero = arith.constant 0.0 : f32
      %sum = affine.for %k = 0 to 32 iter_args(%a = %zero) -> (f32) {
        %p = affine.load %x[%i, %j, %k] : memref<?x64x32xf32, {sizes = #z}>
        %n = arith.addf %a, %p : f32
        affine.yield %n : f32
      }
      affine.store %sum, %y[%i, %j] : memref<?x64xf32, {sizes = #v}>
    } {strata.nest = "reduce"}
    return
  }
}
