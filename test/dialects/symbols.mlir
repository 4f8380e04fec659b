// The table of symbols: what an entry leaves out is as if nothing were known; what is malformed is an error.
// RUN: strata %s --dim=n=2147483647 --compile-to=import | FileCheck %s --check-prefix=GOOD
// RUN: sed 's/"n"/"n", min = 2, max = 1/' %s > %t.mlir && not strata %t.mlir --compile-to=import 2>&1 | FileCheck %s
// RUN: sed 's/"n"/"n", multiple = 0/' %s > %t.mlir && not strata %t.mlir --compile-to=import 2>&1 | FileCheck %s
// RUN: sed 's/"n"/"n", likely = 8/' %s > %t.mlir && not strata %t.mlir --compile-to=import 2>&1 | FileCheck %s
// RUN: sed 's/floordiv/over/' %s > %t.mlir && not strata %t.mlir --compile-to=import 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: sed 's/lhs\(.*\)(s0)/lhs\1(s1)/' %s > %t.mlir && not strata %t.mlir --compile-to=import 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: sed 's/}\]/}, {name = "k"}]/' %s > %t.mlir && not strata %t.mlir --compile-to=import 2>&1 | FileCheck %s --check-prefix=THIRD

// GOOD-NOT: strata.symbols
// GOOD: tensor<2147483647xf32>
// CHECK: strata.symbols: entry 0: expected name
// SECOND: strata.symbols: entry 1: expected name
// THIRD: strata.symbols: entry 2: expected name
func.func @main(%x: tensor<?xf32, affine_map<()[s0, s1] -> (s0)>>) -> tensor<?xf32, affine_map<()[s0, s1] -> (s0)>>
    attributes {strata.symbols = [{name = "n"}, {
      name = "half", op = "floordiv", lhs = affine_map<()[s0, s1] -> (s0)>, rhs = affine_map<()[s0] -> (2)>}]} {
  return %x : tensor<?xf32, affine_map<()[s0, s1] -> (s0)>>
}
