// RUN: strata-opt %s --strata-simplify --strata-cse --strata-dce | FileCheck %s
// RUN: strata-opt %s --strata-simplify --strata-cse --strata-dce \
// RUN:   --polyblocks-disable-unsafe-math-canonicalizations | FileCheck %s --check-prefix=SAFE

// CHECK-LABEL: @identities
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0
func.func @identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = "strata.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %zero = "strata.constant"() {value = dense<0.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %minus_zero = "strata.constant"() {value = dense<-0.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "strata.mul"(%one, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "strata.div"(%x, %one) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "strata.add"(%x, %minus_zero) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "strata.sub"(%x, %zero) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -0 + 0 is 0, and NaN * 0 is NaN.
// CHECK-LABEL: @no_identities
// CHECK: strata.add
// CHECK: strata.mul
func.func @no_identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = "strata.constant"() {value = dense<0.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "strata.add"(%x, %zero) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "strata.mul"(%x, %zero) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// In front of a product nobody sees which zero it was; a quotient does, and so does who gets the result.
// CHECK-LABEL: @zero_before_product
// CHECK-NOT: strata.add
// CHECK: %[[H:.*]] = "strata.convert"(%arg0)
// CHECK: "strata.contract"(%[[H]], %arg1)
// SAFE-LABEL: @zero_before_product
// SAFE-NOT: strata.add
// SAFE: return
func.func @zero_before_product(%x: tensor<4x4xf32>, %w: tensor<4x4xf16>) -> tensor<4x4xf32> {
  %zero = "strata.constant"() {value = dense<0.0> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %lowest = "strata.constant"() {value = dense<0xFF800000> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %0 = "strata.add"(%x, %zero) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "strata.max"(%0, %lowest) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = "strata.convert"(%1) : (tensor<4x4xf32>) -> tensor<4x4xf16>
  %3 = "strata.contract"(%2, %w) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}
// CHECK-LABEL: @zero_before_more
// CHECK: %[[Z:.*]] = "strata.add"
// CHECK: "strata.div"(%arg0, %[[Z]])
func.func @zero_before_more(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = "strata.constant"() {value = dense<0.0> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %0 = "strata.add"(%w, %zero) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "strata.div"(%x, %0) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = "strata.contract"(%x, %0) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: @integers
// CHECK-NEXT: %[[ZERO:.*]] = "strata.constant"() {value = dense<0> : tensor<4xi32>}
// CHECK-NEXT: return %arg0, %[[ZERO]], %[[ZERO]]
func.func @integers(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = "strata.constant"() {value = dense<0> : tensor<4xi32>} : () -> tensor<4xi32>
  %0 = "strata.add"(%x, %zero) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = "strata.mul"(%zero, %x) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = "strata.sub"(%x, %x) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @booleans
// CHECK-NEXT: return %arg0, %arg0
func.func @booleans(%x: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
  %true = "strata.constant"() {value = dense<true> : tensor<4xi1>} : () -> tensor<4xi1>
  %0 = "strata.and"(%x, %true) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = "strata.not"(%x) : (tensor<4xi1>) -> tensor<4xi1>
  %2 = "strata.not"(%1) : (tensor<4xi1>) -> tensor<4xi1>
  return %0, %2 : tensor<4xi1>, tensor<4xi1>
}

// x / 4 is exactly x * 0.25; x / 3 is only nearly x * (1 / 3).
// CHECK-LABEL: @division
// CHECK: dense<2.500000e-01>
// CHECK: strata.mul
// CHECK: dense<0.333333343>
// CHECK: strata.mul
// SAFE-LABEL: @division
// SAFE: strata.mul
// SAFE: strata.div
func.func @division(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %four = "strata.constant"() {value = dense<4.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %three = "strata.constant"() {value = dense<3.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "strata.div"(%x, %four) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "strata.div"(%x, %three) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Half precision has too few bits for a rounded reciprocal.
// CHECK-LABEL: @half
// CHECK: strata.div
func.func @half(%x: tensor<4xf16>) -> tensor<4xf16> {
  %three = "strata.constant"() {value = dense<3.0> : tensor<4xf16>} : () -> tensor<4xf16>
  %0 = "strata.div"(%x, %three) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// The end of a normalisation: one reciprocal root a row.
// CHECK-LABEL: @normalise
// CHECK: %[[R:.*]] = "strata.rsqrt"(%arg1) : (tensor<2xf32>)
// CHECK: %[[B:.*]] = "strata.broadcast"(%[[R]])
// CHECK: "strata.mul"(%arg0, %[[B]])
// SAFE-LABEL: @normalise
// SAFE: strata.sqrt
// SAFE: strata.div
func.func @normalise(%x: tensor<2x4xf32>, %v: tensor<2xf32>) -> tensor<2x4xf32> {
  %0 = "strata.sqrt"(%v) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "strata.reshape"(%0) : (tensor<2xf32>) -> tensor<2x1xf32>
  %2 = "strata.broadcast"(%1) {map = affine_map<(a, b) -> (a, 0)>} : (tensor<2x1xf32>) -> tensor<2x4xf32>
  %3 = "strata.div"(%x, %2) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// CHECK-LABEL: @merge_constants
// CHECK: dense<1.500000e+01>
// CHECK-NEXT: strata.mul
// CHECK-NEXT: return
// SAFE-LABEL: @merge_constants
// SAFE-COUNT-2: strata.mul
func.func @merge_constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = "strata.constant"() {value = dense<3.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %five = "strata.constant"() {value = dense<5.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "strata.mul"(%x, %three) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "strata.mul"(%0, %five) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The product that is used twice is not computed twice.
// CHECK-LABEL: @shared
// CHECK-COUNT-2: strata.mul
func.func @shared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %three = "strata.constant"() {value = dense<3.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %five = "strata.constant"() {value = dense<5.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "strata.mul"(%x, %three) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "strata.mul"(%0, %five) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @power
// CHECK: "strata.mul"(%arg0, %arg0)
// CHECK: strata.sqrt
// CHECK-NOT: strata.pow
// SAFE-LABEL: @power
// SAFE: "strata.mul"(%arg0, %arg0)
// SAFE: strata.pow
func.func @power(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = "strata.constant"() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %half = "strata.constant"() {value = dense<0.5> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "strata.pow"(%x, %two) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "strata.pow"(%x, %half) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @conversions
// CHECK-NEXT: return %arg0
func.func @conversions(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = "strata.convert"(%x) : (tensor<4xf16>) -> tensor<4xf32>
  %1 = "strata.convert"(%0) : (tensor<4xf32>) -> tensor<4xf16>
  return %1 : tensor<4xf16>
}

// The first of these rounds.
// CHECK-LABEL: @rounding
// CHECK-COUNT-2: strata.convert
func.func @rounding(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "strata.convert"(%x) : (tensor<4xf32>) -> tensor<4xf16>
  %1 = "strata.convert"(%0) : (tensor<4xf16>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @select
// CHECK-NEXT: %[[S:.*]] = "strata.select"(%arg0, %arg2, %arg1)
// CHECK-NEXT: return %arg1, %arg1, %[[S]]
func.func @select(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = "strata.constant"() {value = dense<true> : tensor<4xi1>} : () -> tensor<4xi1>
  %not = "strata.not"(%c) : (tensor<4xi1>) -> tensor<4xi1>
  %0 = "strata.select"(%true, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "strata.select"(%c, %x, %x) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "strata.select"(%not, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Computed before it is broadcast.
// CHECK-LABEL: @narrow
// CHECK: %[[A:.*]] = "strata.add"(%arg0, %arg1) : (tensor<4xf32>, tensor<4xf32>)
// CHECK: %[[E:.*]] = "strata.exp"(%[[A]])
// CHECK: "strata.broadcast"(%[[E]])
func.func @narrow(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = "strata.broadcast"(%x) {map = affine_map<(a, b) -> (b)>} : (tensor<4xf32>) -> tensor<8x4xf32>
  %1 = "strata.broadcast"(%y) {map = affine_map<(a, b) -> (b)>} : (tensor<4xf32>) -> tensor<8x4xf32>
  %2 = "strata.add"(%0, %1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %3 = "strata.exp"(%2) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// Rows plus columns are a full matrix.
// CHECK-LABEL: @not_narrow
// CHECK: "strata.add"{{.*}} -> tensor<4x4xf32>
func.func @not_narrow(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = "strata.broadcast"(%x) {map = affine_map<(a, b) -> (b)>} : (tensor<4xf32>) -> tensor<4x4xf32>
  %1 = "strata.broadcast"(%y) {map = affine_map<(a, b) -> (a)>} : (tensor<4xf32>) -> tensor<4x4xf32>
  %2 = "strata.add"(%0, %1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// CHECK-LABEL: @reduce_ones
// CHECK: "strata.reshape"(%arg0)
// CHECK-NOT: strata.reduce
func.func @reduce_ones(%x: tensor<4x1xf32>) -> tensor<4xf32> {
  %0 = "strata.reduce"(%x) {kind = "max", axes = array<i64: 1>} : (tensor<4x1xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}


// To a product it is all the same which zero it reads; to nobody else. A bound that bounds nothing goes.
// CHECK-LABEL: func.func @zeros_of_products(%arg0
// CHECK-NEXT: %[[ZERO:.*]] = "strata.constant"
// CHECK-NEXT: %[[T:.*]] = "strata.transpose"(%arg0)
// CHECK-NEXT: %[[P:.*]] = "strata.contract"(%[[T]], %arg0)
// CHECK-NEXT: %[[S:.*]] = "strata.add"(%arg0, %[[ZERO]])
// CHECK-NEXT: %[[Q:.*]] = "strata.contract"(%[[S]], %arg0)
// CHECK-NEXT: return %[[P]], %[[Q]], %[[S]]
func.func @zeros_of_products(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = "strata.constant"() {value = dense<0.0> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %lowest = "strata.constant"() {value = dense<0xFF800000> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %highest = "strata.constant"() {value = dense<0x7F800000> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %0 = "strata.add"(%x, %zero) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "strata.max"(%0, %lowest) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = "strata.transpose"(%1) {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = "strata.contract"(%2, %x) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = "strata.add"(%x, %zero) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = "strata.min"(%4, %highest) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = "strata.contract"(%5, %x) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3, %6, %5 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
