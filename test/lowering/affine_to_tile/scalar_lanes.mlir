// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-to-tile | FileCheck %s

// A group of threads has a task: all of them do the same, but for what differs from lane to lane, which is vectors.
// CHECK-LABEL: func.func private @largest
// CHECK: scf.forall (%[[I:.*]]) in (3)
// CHECK: %[[CHUNKS:.*]] = memref.load %{{.*}} : memref<3xindex>
// CHECK: %[[LEAST:.*]] = vector.broadcast %{{.*}} : i64 to vector<128xi64>
// CHECK: %[[LANES:.*]] = scf.for %[[N:.*]] = %{{.*}} to %[[CHUNKS]] step %{{.*}} iter_args(%[[A:.*]] = %[[LEAST]]) -> (vector<128xi64>)
// CHECK: %[[X:.*]] = "tile.load"(%[[M:.*]], %[[I]], %[[N]]) {map = [[MAP:#[a-z0-9]*]], strata.lanes} : {{.*}} -> vector<128xi64>
// CHECK: %[[Y:.*]] = arith.addi %[[X]], %{{.*}} : vector<128xi64>
// CHECK: "tile.store"(%[[Y]], %[[M]], %[[I]], %[[N]]) {map = [[MAP]], strata.lanes}
// CHECK: arith.maxsi %[[A]], %[[Y]] : vector<128xi64>
// CHECK: %[[R:.*]] = vector.multi_reduction <maxsi>, %[[LANES]], %{{.*}} [0] : vector<128xi64> to i64
// CHECK: memref.store %[[R]]
func.func private @largest(%m: memref<3x512xi64>, %n: memref<3xindex>, %y: memref<3xi64>)
    attributes {strata.schedule = {kind = "scalar", threads = 64 : i64, group = 64 : i64}} {
  affine.parallel (%i) = (0) to (3) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %lanes = arith.constant 128 : index
    %least = arith.constant -9 : i64
    %seven = arith.constant 7 : i64
    %chunks = affine.load %n[%i] : memref<3xindex>
    %r = scf.for %lane = %zero to %lanes step %one iter_args(%a = %least) -> (i64) {
      %s = scf.for %c = %zero to %chunks step %one iter_args(%b = %least) -> (i64) {
        %first = arith.muli %c, %lanes : index
        %at = arith.addi %first, %lane : index
        %x = memref.load %m[%i, %at] : memref<3x512xi64>
        %z = arith.addi %x, %seven : i64
        memref.store %z, %m[%i, %at] : memref<3x512xi64>
        %d = arith.maxsi %b, %z : i64
        scf.yield %d : i64
      }
      %t = arith.maxsi %a, %s : i64
      scf.yield %t : i64
    } {strata.lanes = 128 : i64}
    affine.store %r, %y[%i] : memref<3xi64>
  } {strata.nest = "largest", strata.serial}
  return
}

// What lanes read of a combination that is not complete is what those in front of them give, and a lane's number is a
// vector where it is a value.
// CHECK-LABEL: func.func private @running
// CHECK: %[[X:.*]] = "tile.load"
// CHECK: %[[STEP:.*]] = vector.step : vector<128xindex>
// CHECK: %[[N:.*]] = arith.index_cast %[[STEP]] : vector<128xindex> to vector<128xi64>
// CHECK: %[[Z:.*]] = arith.addi %[[X]], %[[N]] : vector<128xi64>
// CHECK: %[[S:.*]]:2 = "tile.scan"(%[[Z]], %{{.*}}) {kind = #vector.kind<add>} : (vector<128xi64>, i64) -> (vector<128xi64>, i64)
// CHECK: "tile.store"(%[[S]]#0
// CHECK: %[[T:.*]]:2 = "tile.scan"(%{{.*}}, %[[S]]#1) {exclusive, kind = #vector.kind<add>}
// CHECK: "tile.store"(%[[T]]#0
// CHECK: memref.store %[[T]]#1
func.func private @running(%m: memref<3x128xi64>, %n: memref<3x128xi64>, %y: memref<3xi64>)
    attributes {strata.schedule = {kind = "scalar", threads = 64 : i64, group = 64 : i64}} {
  affine.parallel (%i) = (0) to (3) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %lanes = arith.constant 128 : index
    %none = arith.constant 0 : i64
    %r = scf.for %lane = %zero to %lanes step %one iter_args(%a = %none) -> (i64) {
      %x = memref.load %m[%i, %lane] : memref<3x128xi64>
      %p = arith.index_cast %lane : index to i64
      %z = arith.addi %x, %p : i64
      %s = arith.addi %a, %z : i64
      memref.store %s, %n[%i, %lane] : memref<3x128xi64>
      scf.yield %s : i64
    } {strata.lanes = 128 : i64}
    %q = scf.for %lane = %zero to %lanes step %one iter_args(%a = %r) -> (i64) {
      %x = memref.load %m[%i, %lane] : memref<3x128xi64>
      %s = arith.addi %a, %x : i64
      memref.store %a, %m[%i, %lane] : memref<3x128xi64>
      scf.yield %s : i64
    } {strata.lanes = 128 : i64}
    affine.store %q, %y[%i] : memref<3xi64>
  } {strata.nest = "running", strata.serial}
  return
}
