// Sizes over symbols: types, attributes and values read, verify and print; --dim gives symbols numbers, and what is made
// of them is numbers then, too.
// RUN: strata-opt %s | FileCheck %s
// RUN: strata %s --compile-to=graph | FileCheck %s --check-prefix=GRAPH
// RUN: strata %s --dim=n=6 --dim=k=9 --compile-to=import | FileCheck %s --check-prefix=BOUND
// RUN: strata %s --dim=k=9 --compile-to=import | FileCheck %s --check-prefix=PART
// RUN: not strata %s --dim=n=5 --compile-to=import 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not strata %s --dim=m=5 --compile-to=import 2>&1 | FileCheck %s --check-prefix=NAME

// RANGE: --dim n=5: expected 2 to 8, a multiple of 2
// NAME: the model has no dimension 'm'; it has n, k

// CHECK-DAG: #[[HIGH:map[0-9]*]] = affine_map<()[s0] -> (-s0 + 9, 0)>
// CHECK-DAG: #[[FROM:map[0-9]*]] = affine_map<()[s0] -> (-s0 + 7, 0)>
// CHECK-DAG: #[[SUM:map[0-9]*]] = affine_map<()[s0, s1] -> (s0 + s1)>
// CHECK: strata.symbols = [{{.*}}name = "n"}, {{.*}}name = "k"}, {{.*}}name = "min(n, k)", op = "min"
// GRAPH: tensor<?x3xf32
// BOUND-NOT: strata.symbols
// PART: strata.symbols = [{likely = [4], max = 8 : i64, min = 2 : i64, multiple = 2 : i64, name = "n"}]
func.func @main(%x: tensor<?x3xf32, affine_map<()[s0] -> (s0, 3)>>, %y: tensor<?xi64, affine_map<()[s0, s1] -> (s1)>>)
    -> (tensor<?x3xf32, affine_map<()[s0] -> (s0 + 2, 3)>>, tensor<?x3xf32, affine_map<()[s0, s1, s2] -> (s2, 3)>>,
        tensor<?xi64, affine_map<()[s0, s1] -> (s1)>>, tensor<2x?xf32, affine_map<()[s0] -> (2, (s0 floordiv 2) * 3)>>)
    attributes {strata.symbols = [
      {name = "n", min = 2, max = 8, multiple = 2, likely = [4]}, {name = "k", min = 9, max = 9, multiple = 1, likely = []},
      {name = "min(n, k)", min = 2, max = 8, multiple = 1, op = "min", lhs = affine_map<()[s0] -> (s0)>,
       rhs = affine_map<()[s0, s1] -> (s1)>}]} {
  // CHECK: "strata.pad"{{.*}}high = #[[HIGH]],
  // BOUND: "strata.pad"{{.*}}high = array<i64: 3, 0>{{.*}} -> tensor<9x3xf32>
  %p = "strata.pad"(%x) {low = array<i64: 0, 0>, high = affine_map<()[s0] -> (9 - s0, 0)>, value = 0.0 : f32}
    : (tensor<?x3xf32, affine_map<()[s0] -> (s0, 3)>>) -> tensor<9x3xf32>
  // CHECK: "strata.slice"{{.*}}starts = #[[FROM]],
  // BOUND: "strata.slice"{{.*}}starts = array<i64: 1, 0>{{.*}} -> tensor<8x3xf32>
  %s = "strata.slice"(%p) {starts = affine_map<()[s0] -> (7 - s0, 0)>, steps = array<i64: 1, 1>}
    : (tensor<9x3xf32>) -> tensor<?x3xf32, affine_map<()[s0] -> (s0 + 2, 3)>>
  // BOUND: -> tensor<6x3xf32>
  %m = "strata.slice"(%p) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>}
    : (tensor<9x3xf32>) -> tensor<?x3xf32, affine_map<()[s0, s1, s2] -> (s2, 3)>>
  // CHECK: "strata.dims"() {values = #[[SUM]]} : () -> tensor<1xi64>
  // BOUND: "strata.dims"() {values = array<i64: 15>} : () -> tensor<1xi64>
  %d = "strata.dims"() {values = affine_map<()[s0, s1] -> (s0 + s1)>} : () -> tensor<1xi64>
  %b = "strata.broadcast"(%d) {map = affine_map<(i) -> (0)>}
    : (tensor<1xi64>) -> tensor<?xi64, affine_map<()[s0, s1] -> (s1)>>
  %z = "strata.add"(%y, %b) : (tensor<?xi64, affine_map<()[s0, s1] -> (s1)>>, tensor<?xi64, affine_map<()[s0, s1] -> (s1)>>)
    -> tensor<?xi64, affine_map<()[s0, s1] -> (s1)>>
  %f = "strata.slice"(%x) {starts = array<i64: 0, 0>, steps = array<i64: 2, 1>}
    : (tensor<?x3xf32, affine_map<()[s0] -> (s0, 3)>>) -> tensor<?x3xf32, affine_map<()[s0] -> (s0 floordiv 2, 3)>>
  %g = "strata.broadcast"(%f) {map = affine_map<(a, b, c) -> (b, c)>}
    : (tensor<?x3xf32, affine_map<()[s0] -> (s0 floordiv 2, 3)>>)
    -> tensor<2x?x3xf32, affine_map<()[s0] -> (2, s0 floordiv 2, 3)>>
  // BOUND: "strata.reshape"{{.*}} -> tensor<2x9xf32>
  %r = "strata.reshape"(%g) : (tensor<2x?x3xf32, affine_map<()[s0] -> (2, s0 floordiv 2, 3)>>)
    -> tensor<2x?xf32, affine_map<()[s0] -> (2, (s0 floordiv 2) * 3)>>
  return %s, %m, %z, %r : tensor<?x3xf32, affine_map<()[s0] -> (s0 + 2, 3)>>,
    tensor<?x3xf32, affine_map<()[s0, s1, s2] -> (s2, 3)>>, tensor<?xi64, affine_map<()[s0, s1] -> (s1)>>,
    tensor<2x?xf32, affine_map<()[s0] -> (2, (s0 floordiv 2) * 3)>>
}
