// Tasks and tiles of GPUs where sizes vary: counts are values, and what hangs over an edge is masked.
// RUN: strata-opt %s --target=nvgpu --pipeline=affine-to-tile | FileCheck %s

!x = memref<?x?xf32, {sizes = affine_map<()[s0, s1] -> (s0, s1)>}>
!row = memref<?xf32, {sizes = affine_map<()[s0] -> (s0)>}>

// CHECK-DAG: #[[TASKS:.*]] = affine_map<()[s0, s1] -> (s0 * ((s1 + 1023) floordiv 1024))>
// CHECK-DAG: #[[TILE:.*]] = affine_map<(d0)[s0] -> (d0 mod (s0 ceildiv 1024))>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0)[s0] -> (d0 floordiv (s0 ceildiv 1024))>
// CHECK-DAG: #[[FULL:.*]] = affine_map<()[s0] -> (s0 floordiv 1024)>
// CHECK-DAG: #[[EDGE:.*]] = affine_set<(d0)[s0, s1, s2] : (-d0 - s1 * 1024 + s0 - 1 >= 0)>
// CHECK-DAG: #[[LENGTH:.*]] = affine_set<(d0)[s0, s1] : (-d0 + s0 - 1 >= 0)>
// CHECK-DAG: #[[REST:.*]] = affine_set<(d0)[s0, s1] : (-d0 + s0 mod 512 - 1 >= 0)>
// CHECK-DAG: #[[TILES:.*]] = affine_map<()[s0] -> (s0 floordiv 512)>
// CHECK-DAG: #[[LEFT:.*]] = affine_map<()[s0] -> ((s0 mod 512) ceildiv 512)>
// CHECK-DAG: #[[SQUARES:.*]] = affine_map<()[s0, s1] -> (((s0 + 31) floordiv 32) * ((s1 + 63) floordiv 64))>
// CHECK-DAG: #[[SQUARE:.*]] = affine_set<(d0, d1)[s0, s1, s2, s3] : (-d0 - s3 * 64 + s1 - 1 >= 0, -d1 - s2 * 32 + s0 - 1 >= 0)>
// CHECK-DAG: #[[POINTS:.*]] = affine_map<()[s0, s1] -> (s0 * s1)>
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0)[s0] -> (d0 mod s0)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0)[s0] -> (d0 floordiv s0)>

// The code of full tiles has no mask.
// CHECK-LABEL: func.func private @map
// CHECK-DAG: %[[N:.*]] = "strata.size"() {symbol = 0 : i64}
// CHECK-DAG: %[[M:.*]] = "strata.size"() {symbol = 1 : i64}
// CHECK: %[[COUNT:.*]] = affine.apply #[[TASKS]]()[%[[N]], %[[M]]]
// CHECK: scf.forall (%[[T:.*]]) in (%[[COUNT]])
// CHECK: %[[I:.*]] = affine.apply #[[TILE]](%[[T]])[%[[M]]]
// CHECK: affine.apply #[[ROW]](%[[T]])[%[[M]]]
// CHECK: %[[K:.*]] = affine.apply #[[FULL]]()[%[[M]]]
// CHECK: %[[IS_FULL:.*]] = arith.cmpi slt, %[[I]], %[[K]]
// CHECK: scf.if %[[IS_FULL]]
// CHECK: "tile.load"(%arg0, {{.*}}) {map = {{[^,]*}}} : {{.*}} -> vector<1024xf32>
// CHECK: } else {
// CHECK: "tile.load"(%arg0, %[[M]], {{.*}}) {map = {{.*}}, mask = #[[EDGE]]} : {{.*}} -> vector<1024xf32>
// CHECK: "tile.store"({{.*}}mask = #[[EDGE]]
func.func private @map(%x: !x, %y: !x)
    attributes {strata.schedule = {kind = "map", threads = 256, group = 256, tile = array<i64: 1024>}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %m = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%m)) {
    %v = affine.load %x[%i, %j] : !x
    %w = arith.negf %v : f32
    affine.store %w, %y[%i, %j] : !x
  } {strata.nest = "neg"}
  return
}

// CHECK-LABEL: func.func private @transposition
// CHECK: %[[COUNT:.*]] = affine.apply #[[SQUARES]]
// CHECK: scf.forall {{.*}} in (%[[COUNT]])
// CHECK: "tile.load"({{.*}}mask = #[[SQUARE]]} : {{.*}} -> vector<64x32xf32>
// CHECK: "tile.store"({{.*}}mask = #[[SQUARE]]}
func.func private @transposition(%x: !x, %y: memref<?x?xf32, {sizes = affine_map<()[s0, s1] -> (s1, s0)>}>)
    attributes {strata.schedule = {kind = "map", threads = 128, group = 128, tile = array<i64: 32, 64>}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %m = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%m), symbol(%n)) {
    %v = affine.load %x[%j, %i] : !x
    affine.store %v, %y[%i, %j] : memref<?x?xf32, {sizes = affine_map<()[s0, s1] -> (s1, s0)>}>
  } {strata.nest = "transpose"}
  return
}

// Rows of at most a tile are one masked vector, of which reductions take the elements that are there; others go tile by
// tile, and the last one alone is masked.
// CHECK-LABEL: func.func private @rows
// CHECK-DAG: %[[N:.*]] = "strata.size"() {symbol = 0 : i64}
// CHECK-DAG: %[[M:.*]] = "strata.size"() {symbol = 1 : i64}
// CHECK: scf.forall (%[[T:.*]]) in (%[[N]])
// CHECK: %[[IS_SHORT:.*]] = arith.cmpi sle, %[[M]], %c512
// CHECK: scf.if %[[IS_SHORT]]
// CHECK: %[[X:.*]] = "tile.load"(%arg0, %[[M]], %[[T]]) {map = {{.*}}, mask = #[[LENGTH]]} : {{.*}} -> vector<512xf32>
// CHECK: %[[IS:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : vector<512xindex>
// CHECK: %[[LOWEST:.*]] = vector.broadcast %{{.*}} : f32 to vector<512xf32>
// CHECK: %[[THERE:.*]] = arith.select %[[IS]], %[[X]], %[[LOWEST]]
// CHECK: vector.multi_reduction <maximumf>, %[[THERE]]
// CHECK: "tile.store"({{.*}}mask = #[[LENGTH]]
// CHECK: } else {
// CHECK: %[[FULL:.*]] = affine.apply #[[TILES]]()[%[[M]]]
// CHECK: %[[MAX:.*]] = scf.for %{{.*}} = %{{.*}} to %[[FULL]]
// CHECK-NOT: mask
// CHECK: scf.yield
// CHECK: %[[ONE:.*]] = affine.apply #[[LEFT]]()[%[[M]]]
// CHECK: %[[ALL:.*]] = scf.for %{{.*}} = %{{.*}} to %[[ONE]] {{.*}} iter_args(%{{.*}} = %[[MAX]])
// CHECK: "tile.load"({{.*}}mask = #[[REST]]
// CHECK: arith.select
// CHECK: vector.multi_reduction <maximumf>, %[[ALL]]
// CHECK: "tile.store"({{.*}}) {map = {{[^,]*}}} : (vector<512xf32>
// CHECK: "tile.store"({{.*}}mask = #[[REST]]
func.func private @rows(%x: !x, %y: !x)
    attributes {strata.schedule = {kind = "rows", threads = 64, group = 32, tile = array<i64: 512>}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %m = "strata.size"() {symbol = 1 : i64} : () -> index
  %t = memref.alloc(%n) : !row
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %low = arith.constant 0xFF800000 : f32
    %s = affine.for %k = 0 to %m iter_args(%a = %low) -> (f32) {
      %u = affine.load %x[%i, %k] : !x
      %v = arith.maximumf %a, %u : f32
      affine.yield %v : f32
    }
    affine.store %s, %t[%i] : !row
  } {strata.nest = "reduce"}
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%m)) {
    %u = affine.load %x[%i, %j] : !x
    %s = affine.load %t[%i] : !row
    %v = arith.subf %u, %s : f32
    affine.store %v, %y[%i, %j] : !x
  } {strata.nest = "sub"}
  return
}

// Rows of a known length have no mask, whatever their number.
// CHECK-LABEL: func.func private @known
// CHECK: scf.forall {{.*}} in (%{{.*}})
// CHECK-NOT: scf.if
// CHECK: "tile.load"(%arg0, {{.*}}) {map = {{[^,]*}}} : {{.*}} -> vector<96xf32>
func.func private @known(%x: memref<?x96xf32, {sizes = affine_map<()[s0] -> (s0, 96)>}>, %y: !row)
    attributes {strata.schedule = {kind = "rows", threads = 64, group = 32, tile = array<i64: 96>}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 96 iter_args(%a = %z) -> (f32) {
      %u = affine.load %x[%i, %k] : memref<?x96xf32, {sizes = affine_map<()[s0] -> (s0, 96)>}>
      %v = arith.addf %a, %u : f32
      affine.yield %v : f32
    }
    affine.store %s, %y[%i] : !row
  } {strata.nest = "reduce"}
  return
}

// A thread a point: its coordinates are quotients and remainders of sizes.
// CHECK-LABEL: func.func private @scalar
// CHECK: %[[COUNT:.*]] = affine.apply #[[POINTS]]
// CHECK: scf.forall (%[[T:.*]]) in (%[[COUNT]])
// CHECK-DAG: affine.apply #[[LAST]](%[[T]])
// CHECK-DAG: affine.apply #[[FIRST]](%[[T]])
// CHECK: memref.store
func.func private @scalar(%x: !x, %y: !x) attributes {strata.schedule = {kind = "scalar", threads = 128, group = 1}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  %m = "strata.size"() {symbol = 1 : i64} : () -> index
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%m)) {
    %v = affine.load %x[%i, %j] : !x
    affine.store %v, %y[%i, %j] : !x
  } {strata.nest = "copy", strata.serial}
  return
}

func.func @main() attributes {strata.symbols = [
    {name = "n", min = 1 : i64, max = 1048576 : i64, multiple = 1 : i64, likely = [64]},
    {name = "m", min = 1 : i64, max = 1048576 : i64, multiple = 1 : i64, likely = [128]}]} {
  return
}
