// A serial nest that walks rows between numbers from memory runs along its innermost dim by vectors, and a product of rows
// with matrices found so; where the bounds differ along it, it stays scalar.
// RUN: strata-opt %s --device=x86-64-v3 --affine-schedule --affine-to-tile | FileCheck %s

// CHECK-LABEL: func.func private @reduce(
// CHECK-SAME: strata.schedule = {kind = "map"}
// CHECK: %[[BEGIN:.*]] = arith.minsi
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: scf.for %[[R:[a-z0-9]+]] = %[[BEGIN]] to %[[END]] step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<24xf32>)
// CHECK:   "tile.load"(%arg0, %[[R]]) {{.*}} -> vector<24xf32>
// CHECK:   arith.addf %{{.*}} : vector<24xf32>
// CHECK: "tile.store"
func.func private @reduce(%x: memref<20x24xf32>, %o: memref<4xi64>, %y: memref<3x24xf32>) {
  affine.parallel (%b, %j) = (0, 0) to (3, 24) {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c20 = arith.constant 20 : index
    %0 = affine.load %o[%b] : memref<4xi64>
    %1 = affine.load %o[%b + 1] : memref<4xi64>
    %2 = arith.index_cast %0 : i64 to index
    %3 = arith.maxsi %2, %c0 : index
    %begin = arith.minsi %3, %c20 : index
    %4 = arith.index_cast %1 : i64 to index
    %5 = arith.maxsi %4, %begin : index
    %end = arith.minsi %5, %c20 : index
    %s = scf.for %r = %begin to %end step %c1 iter_args(%a = %zero) -> (f32) {
      %v = memref.load %x[%r, %j] : memref<20x24xf32>
      %n = arith.addf %a, %v : f32
      scf.yield %n : f32
    }
    affine.store %s, %y[%b, %j] : memref<3x24xf32>
  } {strata.nest = "segment_reduce", strata.serial}
  return
}

// CHECK-LABEL: func.func private @contract(
// CHECK-SAME: strata.schedule = {kind = "map"}
// CHECK: scf.for %[[K:[a-z0-9]+]] = %{{.*}} -> (vector<16xf32>)
// CHECK-DAG: "tile.load"(%arg0, %{{.*}}, %[[K]]) {{.*}} -> f32
// CHECK-DAG: "tile.load"(%arg1, %[[K]], %{{.*}}) {{.*}} -> vector<16xf32>
func.func private @contract(%x: memref<20x8xf32>, %w: memref<3x8x16xf32>, %m: memref<20xi64>, %y: memref<20x16xf32>) {
  affine.parallel (%r, %n) = (0, 0) to (20, 16) {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %0 = affine.load %m[%r] : memref<20xi64>
    %1 = arith.index_cast %0 : i64 to index
    %2 = arith.minsi %1, %c2 : index
    %3 = arith.maxsi %2, %c0 : index
    %s = affine.for %k = 0 to 8 iter_args(%a = %zero) -> (f32) {
      %u = affine.load %x[%r, %k] : memref<20x8xf32>
      %v = memref.load %w[%3, %k, %n] : memref<3x8x16xf32>
      %p = arith.mulf %u, %v : f32
      %q = arith.addf %a, %p : f32
      affine.yield %q : f32
    }
    affine.store %s, %y[%r, %n] : memref<20x16xf32>
  } {strata.nest = "segment_contract", strata.serial}
  return
}

// The bounds of the loop depend on the innermost dim.
// CHECK-LABEL: func.func private @lengths(
// CHECK-SAME: strata.schedule = {kind = "scalar"}
func.func private @lengths(%x: memref<20xf32>, %o: memref<25xi64>, %y: memref<24xf32>) {
  affine.parallel (%b) = (0) to (24) {
    %zero = arith.constant 0.0 : f32
    %c1 = arith.constant 1 : index
    %0 = affine.load %o[%b] : memref<25xi64>
    %1 = affine.load %o[%b + 1] : memref<25xi64>
    %begin = arith.index_cast %0 : i64 to index
    %end = arith.index_cast %1 : i64 to index
    %s = scf.for %r = %begin to %end step %c1 iter_args(%a = %zero) -> (f32) {
      %v = memref.load %x[%r] : memref<20xf32>
      %n = arith.addf %a, %v : f32
      scf.yield %n : f32
    }
    affine.store %s, %y[%b] : memref<24xf32>
  } {strata.nest = "segment_reduce", strata.serial}
  return
}

// A loop may carry several values.
// CHECK-LABEL: func.func private @several(
// CHECK: %[[S:.*]]:2 = scf.for {{.*}} -> (vector<16xf32>, vector<16xi32>)
// CHECK: arith.sitofp %[[S]]#1 : vector<16xi32> to vector<16xf32>
func.func private @several(%x: memref<8x16xf32>, %i: memref<8x16xi32>, %y: memref<4x16xf32>) {
  affine.parallel (%r, %n) = (0, 0) to (4, 16) {
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : i32
    %s:2 = affine.for %k = 0 to 8 iter_args(%a = %zero, %b = %none) -> (f32, i32) {
      %u = affine.load %x[%k, %n] : memref<8x16xf32>
      %v = affine.load %i[%k, %n] : memref<8x16xi32>
      %p = arith.addf %a, %u : f32
      %q = arith.addi %b, %v : i32
      affine.yield %p, %q : f32, i32
    }
    %t = arith.sitofp %s#1 : i32 to f32
    %z = arith.mulf %s#0, %t : f32
    affine.store %z, %y[%r, %n] : memref<4x16xf32>
  } {strata.nest = "several", strata.serial}
  return
}

func.func @main(%x: memref<20x24xf32> {strata.name = "x"}, %o: memref<4xi64> {strata.name = "o"},
                %u: memref<20x8xf32> {strata.name = "u"}, %w: memref<3x8x16xf32> {strata.name = "w"},
                %m: memref<20xi64> {strata.name = "m"}, %l: memref<20xf32> {strata.name = "l"},
                %p: memref<25xi64> {strata.name = "p"},
                %q: memref<8x16xf32> {strata.name = "q"}, %i: memref<8x16xi32> {strata.name = "i"},
                %y: memref<3x24xf32> {strata.name = "y", strata.output},
                %z: memref<20x16xf32> {strata.name = "z", strata.output},
                %t: memref<24xf32> {strata.name = "t", strata.output},
                %v: memref<4x16xf32> {strata.name = "v", strata.output}) {
  call @reduce(%x, %o, %y) : (memref<20x24xf32>, memref<4xi64>, memref<3x24xf32>) -> ()
  call @contract(%u, %w, %m, %z) : (memref<20x8xf32>, memref<3x8x16xf32>, memref<20xi64>, memref<20x16xf32>) -> ()
  call @lengths(%l, %p, %t) : (memref<20xf32>, memref<25xi64>, memref<24xf32>) -> ()
  call @several(%q, %i, %v) : (memref<8x16xf32>, memref<8x16xi32>, memref<4x16xf32>) -> ()
  return
}
