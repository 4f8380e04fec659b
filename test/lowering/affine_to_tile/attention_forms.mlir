// RUN: strata-opt %s --target=nvgpu --device=sm_90a --split-input-file --pipeline=strata-decompose,strata-to-affine,affine-layout,affine-narrow,affine-pad,affine-group,affine-coalesce,affine-schedule,affine-to-tile | FileCheck %s

// Forms of attention from the graph to its tile.

// Without a softmax the scores are the weights, zero where there is no column, and the result alone is carried. A head
// dim of 40 is read as 48, three of the instruction's steps, whose end the mask leaves out; values are what they are.
// CHECK-DAG: #[[Q:.*]] = affine_set<(d0, d1)[s0, s1] : (-d1 + 39 >= 0, -d0 - s1 * 64 + 129 >= 0)>
// CHECK-DAG: #[[K:.*]] = affine_set<(d0, d1)[s0] : (-d1 + 39 >= 0, -d0 + 76 >= 0)>
// CHECK-DAG: #[[V:.*]] = affine_set<(d0, d1)[s0] : (-d1 + 76 >= 0)>
// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: call @
// CHECK-NEXT: return
// CHECK: kind = "attention"
// CHECK: %[[ROWS:.*]] = "tile.load"({{.*}}, mask = #[[Q]]} : {{.*}} -> vector<64x48xf16>
// CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}) -> (vector<64x40xf32>) {
// CHECK: %[[KEYS:.*]] = "tile.load"({{.*}}, mask = #[[K]]} : {{.*}} -> vector<80x48xf16>
// CHECK: %[[S:.*]] = vector.contract {{.*}} %[[ROWS]], %[[KEYS]], {{.*}} into vector<64x80xf32>
// CHECK: %[[R:.*]] = arith.maximumf %[[S]],
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[ZEROS:.*]] = vector.broadcast %[[ZERO]]
// CHECK: %[[W:.*]] = arith.select %{{.*}}, %[[R]], %[[ZEROS]] : vector<64x80xi1>, vector<64x80xf32>
// CHECK: %[[W16:.*]] = arith.truncf %[[W]]
// CHECK: %[[VALUES:.*]] = "tile.load"({{.*}}, mask = #[[V]]} : {{.*}} -> vector<40x80xf16>
// CHECK: %[[O1:.*]] = vector.contract {{.*}} %[[W16]], %[[VALUES]], %[[O]]
// CHECK: scf.yield %[[O1]]
// CHECK: "tile.store"
func.func @main(%q: tensor<4x130x40xf16> {strata.name = "q"}, %k: tensor<4x77x40xf16> {strata.name = "k"}, %v: tensor<4x77x40xf16> {strata.name = "v"}) -> (tensor<4x130x40xf16> {strata.name = "y"}) {
  %s = "strata.contract"(%q, %k) {maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>], zero_pad = false, origin = "matmul"} : (tensor<4x130x40xf16>, tensor<4x77x40xf16>) -> tensor<4x130x77xf16>
  %z = "strata.constant"() {value = dense<0.0> : tensor<4x130x77xf16>} : () -> tensor<4x130x77xf16>
  %w = "strata.max"(%s, %z) : (tensor<4x130x77xf16>, tensor<4x130x77xf16>) -> tensor<4x130x77xf16>
  %y = "strata.contract"(%w, %v) {maps = [affine_map<(b, i, e, j) -> (b, i, j)>, affine_map<(b, i, e, j) -> (b, j, e)>, affine_map<(b, i, e, j) -> (b, i, e)>], zero_pad = false, origin = "matmul"} : (tensor<4x130x77xf16>, tensor<4x77x40xf16>) -> tensor<4x130x40xf16>
  return %y : tensor<4x130x40xf16>
}

// -----

// A choice among scores that are rounded to 16 bits is made before the rounding.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: call @
// CHECK-NEXT: return
// CHECK: %[[S:.*]] = vector.contract {{.*}} into vector<64x128xf32>
// CHECK: %[[LOW:.*]] = arith.constant -1.000000e+04 : f16
// CHECK: %[[LOWS:.*]] = vector.broadcast %[[LOW]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[LOWS]] : vector<64x128xf16> to vector<64x128xf32>
// CHECK: %[[C:.*]] = arith.select %{{.*}}, %[[S]], %[[WIDE]] : vector<64x128xi1>, vector<64x128xf32>
// CHECK: vector.multi_reduction <maximumf>, %[[C]],
func.func @main(%q: tensor<4x256x64xf16> {strata.name = "q"}, %k: tensor<4x256x64xf16> {strata.name = "k"}, %v: tensor<4x256x64xf16> {strata.name = "v"}, %m: tensor<4x256x256xi1> {strata.name = "m"}) -> (tensor<4x256x64xf16> {strata.name = "y"}) {
  %s = "strata.contract"(%q, %k) {maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>], zero_pad = false, origin = "matmul"} : (tensor<4x256x64xf16>, tensor<4x256x64xf16>) -> tensor<4x256x256xf16>
  %low = "strata.constant"() {value = dense<-1.0e4> : tensor<4x256x256xf16>} : () -> tensor<4x256x256xf16>
  %c = "strata.select"(%m, %s, %low) : (tensor<4x256x256xi1>, tensor<4x256x256xf16>, tensor<4x256x256xf16>) -> tensor<4x256x256xf16>
  %w = "strata.softmax"(%c) {axes = array<i64: 2>} : (tensor<4x256x256xf16>) -> tensor<4x256x256xf16>
  %y = "strata.contract"(%w, %v) {maps = [affine_map<(b, i, e, j) -> (b, i, j)>, affine_map<(b, i, e, j) -> (b, j, e)>, affine_map<(b, i, e, j) -> (b, i, e)>], zero_pad = false, origin = "matmul"} : (tensor<4x256x256xf16>, tensor<4x256x64xf16>) -> tensor<4x256x64xf16>
  return %y : tensor<4x256x64xf16>
}

// -----

// Tokens that are pixels, 10 rows of 20: two dims of rows and two of columns are one each, as the scores' rows of 20 have
// no padding.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: call @
// CHECK-NEXT: return
// CHECK: func.func private @k0(%{{.*}}: memref<2x200x192xf16>, %{{.*}}: memref<2x200x64xf16>)
// CHECK: kind = "attention"
// CHECK: vector.contract {{.*}} into vector<64x208xf32>
func.func @main(%x: tensor<2x10x20x192xf16> {strata.name = "x"}) -> (tensor<2x10x20x64xf16> {strata.name = "y"}) {
  %q = "strata.slice"(%x) {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<2x10x20x192xf16>) -> tensor<2x10x20x64xf16>
  %k = "strata.slice"(%x) {starts = array<i64: 0, 0, 0, 64>, steps = array<i64: 1, 1, 1, 1>} : (tensor<2x10x20x192xf16>) -> tensor<2x10x20x64xf16>
  %v = "strata.slice"(%x) {starts = array<i64: 0, 0, 0, 128>, steps = array<i64: 1, 1, 1, 1>} : (tensor<2x10x20x192xf16>) -> tensor<2x10x20x64xf16>
  %s = "strata.contract"(%q, %k) {maps = [affine_map<(b, i, j, m, n, d) -> (b, i, j, d)>, affine_map<(b, i, j, m, n, d) -> (b, m, n, d)>, affine_map<(b, i, j, m, n, d) -> (b, i, j, m, n)>], zero_pad = false, origin = "matmul"} : (tensor<2x10x20x64xf16>, tensor<2x10x20x64xf16>) -> tensor<2x10x20x10x20xf16>
  %w = "strata.softmax"(%s) {axes = array<i64: 3, 4>} : (tensor<2x10x20x10x20xf16>) -> tensor<2x10x20x10x20xf16>
  %y = "strata.contract"(%w, %v) {maps = [affine_map<(b, i, j, e, m, n) -> (b, i, j, m, n)>, affine_map<(b, i, j, e, m, n) -> (b, m, n, e)>, affine_map<(b, i, j, e, m, n) -> (b, i, j, e)>], zero_pad = false, origin = "matmul"} : (tensor<2x10x20x10x20xf16>, tensor<2x10x20x64xf16>) -> tensor<2x10x20x64xf16>
  return %y : tensor<2x10x20x64xf16>
}
