// RUN: strata-opt %s --split-input-file --strata-split-contracts --strata-simplify --strata-dce | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// A packed gate: both halves are products of their own, the bias is cut as well. Weights stay where they are.
// CHECK-LABEL: @gate
// CHECK-DAG: %[[HI:.*]] = "strata.slice"(%arg1) {starts = array<i64: 0, 5>, {{.*}} -> tensor<9x5xf32>
// CHECK-DAG: %[[LO:.*]] = "strata.slice"(%arg1) {starts = array<i64: 0, 0>, {{.*}} -> tensor<9x5xf32>
// CHECK-DAG: "strata.contract"(%arg0, %[[LO]]) {{.*}} -> tensor<4x5xf32>
// CHECK-DAG: "strata.contract"(%arg0, %[[HI]]) {{.*}} -> tensor<4x5xf32>
// CHECK-COUNT-2: "strata.add"{{.*}} tensor<4x5xf32>
// CHECK-NOT: tensor<4x10xf32>
// CHECK: return
func.func @gate(%x: tensor<4x9xf32>, %w: tensor<9x10xf32>, %b: tensor<10xf32>) -> tensor<4x5xf32> {
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9xf32>, tensor<9x10xf32>) -> tensor<4x10xf32>
  %1 = "strata.broadcast"(%b) {map = affine_map<(m, n) -> (n)>} : (tensor<10xf32>) -> tensor<4x10xf32>
  %2 = "strata.add"(%0, %1) : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
  %3 = "strata.slice"(%2) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<4x10xf32>) -> tensor<4x5xf32>
  %4 = "strata.slice"(%2) {starts = array<i64: 0, 5>, steps = array<i64: 1, 1>} : (tensor<4x10xf32>) -> tensor<4x5xf32>
  %5 = "strata.tanh"(%3) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %6 = "strata.mul"(%5, %4) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %6 : tensor<4x5xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Parts that are results, of any widths, behind an op with several readers.
// CHECK-LABEL: @results
// CHECK-DAG: "strata.contract"{{.*}} -> tensor<8192x2xf32>
// CHECK-DAG: "strata.contract"{{.*}} -> tensor<8192x3xf32>
// CHECK-DAG: "strata.contract"{{.*}} -> tensor<8192x5xf32>
// CHECK-COUNT-3: "strata.exp"
// CHECK-COUNT-3: "strata.mul"
// CHECK-NOT: tensor<8192x10xf32>
func.func @results(%x: tensor<8192x9xf32>, %w: tensor<9x10xf32>) -> (tensor<4096x2x2xf32>, tensor<8192x3xf32>, tensor<8192x5xf32>) {
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<8192x9xf32>, tensor<9x10xf32>) -> tensor<8192x10xf32>
  %1 = "strata.exp"(%0) : (tensor<8192x10xf32>) -> tensor<8192x10xf32>
  %2 = "strata.mul"(%0, %1) : (tensor<8192x10xf32>, tensor<8192x10xf32>) -> tensor<8192x10xf32>
  %3 = "strata.slice"(%2) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<8192x10xf32>) -> tensor<8192x2xf32>
  %4 = "strata.slice"(%2) {starts = array<i64: 0, 2>, steps = array<i64: 1, 1>} : (tensor<8192x10xf32>) -> tensor<8192x3xf32>
  %5 = "strata.slice"(%2) {starts = array<i64: 0, 5>, steps = array<i64: 1, 1>} : (tensor<8192x10xf32>) -> tensor<8192x5xf32>
  %6 = "strata.reshape"(%3) : (tensor<8192x2xf32>) -> tensor<4096x2x2xf32>
  return %6, %4, %5 : tensor<4096x2x2xf32>, tensor<8192x3xf32>, tensor<8192x5xf32>
}

// Few results are copied in no time.
// CHECK-LABEL: @few_results
// CHECK: "strata.contract"{{.*}} -> tensor<4x10xf32>
func.func @few_results(%x: tensor<4x9xf32>, %w: tensor<9x10xf32>) -> (tensor<4x3xf32>, tensor<4x7xf32>) {
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9xf32>, tensor<9x10xf32>) -> tensor<4x10xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<4x10xf32>) -> tensor<4x3xf32>
  %2 = "strata.slice"(%0) {starts = array<i64: 0, 3>, steps = array<i64: 1, 1>} : (tensor<4x10xf32>) -> tensor<4x7xf32>
  return %1, %2 : tensor<4x3xf32>, tensor<4x7xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Left whole: parts that products read, four parts that meet, overlapping parts, a whole that is read as well.
// CHECK-LABEL: @read
// CHECK: "strata.contract"{{.*}} -> tensor<4x10xf32>
func.func @read(%x: tensor<4x9xf32>, %w: tensor<9x10xf32>) -> tensor<4x4xf32> {
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9xf32>, tensor<9x10xf32>) -> tensor<4x10xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<4x10xf32>) -> tensor<4x5xf32>
  %2 = "strata.slice"(%0) {starts = array<i64: 0, 5>, steps = array<i64: 1, 1>} : (tensor<4x10xf32>) -> tensor<4x5xf32>
  %3 = "strata.contract"(%1, %2) {maps = [#lhs, affine_map<(m, n, k) -> (n, k)>, #out], zero_pad = false, origin = "matmul"} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// CHECK-LABEL: @cell
// CHECK: "strata.contract"{{.*}} -> tensor<4x12xf32>
func.func @cell(%x: tensor<4x9xf32>, %w: tensor<9x12xf32>) -> tensor<4x4xf32> {
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9xf32>, tensor<9x12xf32>) -> tensor<4x12xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<4x12xf32>) -> tensor<4x4xf32>
  %2 = "strata.slice"(%0) {starts = array<i64: 0, 4>, steps = array<i64: 1, 1>} : (tensor<4x12xf32>) -> tensor<4x4xf32>
  %3 = "strata.slice"(%0) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<4x12xf32>) -> tensor<4x4xf32>
  %4 = "strata.mul"(%1, %2) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = "strata.add"(%4, %3) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %5 : tensor<4x4xf32>
}

// CHECK-LABEL: @overlapping
// CHECK: "strata.contract"{{.*}} -> tensor<4x10xf32>
func.func @overlapping(%x: tensor<4x9xf32>, %w: tensor<9x10xf32>) -> tensor<4x6xf32> {
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9xf32>, tensor<9x10xf32>) -> tensor<4x10xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<4x10xf32>) -> tensor<4x6xf32>
  %2 = "strata.slice"(%0) {starts = array<i64: 0, 4>, steps = array<i64: 1, 1>} : (tensor<4x10xf32>) -> tensor<4x6xf32>
  %3 = "strata.mul"(%1, %2) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// CHECK-LABEL: @whole
// CHECK: "strata.contract"{{.*}} -> tensor<4x10xf32>
func.func @whole(%x: tensor<4x9xf32>, %w: tensor<9x10xf32>) -> (tensor<4x5xf32>, tensor<4xf32>) {
  %0 = "strata.contract"(%x, %w) {maps = [#lhs, #rhs, #out], zero_pad = false, origin = "matmul"} : (tensor<4x9xf32>, tensor<9x10xf32>) -> tensor<4x10xf32>
  %1 = "strata.slice"(%0) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<4x10xf32>) -> tensor<4x5xf32>
  %2 = "strata.reduce"(%0) {kind = "max", axes = array<i64: 1>} : (tensor<4x10xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4x5xf32>, tensor<4xf32>
}
