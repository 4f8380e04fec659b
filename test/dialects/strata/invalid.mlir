// What the verifier says of ops that break their rules.
// RUN: strata-opt %s --split-input-file --verify-diagnostics

func.func @result_shape(%x: tensor<2x3xf32>) {
  // expected-error @below {{strata.neg: result 0: expected tensor<2x3xf32>, got tensor<2x4xf32>}}
  %0 = "strata.neg"(%x) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @operand_type(%x: tensor<2x3xi32>) {
  // expected-error @below {{strata.sqrt: operand 0: the op does not take i32}}
  %0 = "strata.sqrt"(%x) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @operand_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{expects exactly 2 operands}}
  %0 = "strata.add"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @missing_attribute(%x: tensor<2x3xf32>) {
  // expected-error @below {{op attribute "permutation" is expected but not provided}}
  %0 = "strata.transpose"(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @axis(%x: tensor<2x3xf32>) {
  // expected-error @below {{strata.reduce: axes}}
  %0 = "strata.reduce"(%x) {kind = "add", axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @combiner(%x: tensor<2x3xf32>) {
  // expected-error @below {{strata.reduce: kind: expected a combiner, got 'frob'}}
  %0 = "strata.reduce"(%x) {kind = "frob", axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @permutation(%x: tensor<2x3xf32>) {
  // expected-error @below {{strata.transpose: permutation}}
  %0 = "strata.transpose"(%x) {permutation = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @element_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{strata.reshape}}
  %0 = "strata.reshape"(%x) : (tensor<2x3xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @slice_outside(%x: tensor<2x3xf32>) {
  // expected-error @below {{strata.slice}}
  %0 = "strata.slice"(%x) {starts = array<i64: 1, 0>, steps = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @contract_sizes(%a: tensor<4x8xf32>, %b: tensor<7x6xf32>) {
  // expected-error @below {{strata.contract: maps: dim d2 has two sizes}}
  %0 = "strata.contract"(%a, %b) {origin = "", zero_pad = false,
    maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]}
    : (tensor<4x8xf32>, tensor<7x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @reshape_symbolic(%x: tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>) {
  // expected-error @below {{strata.reshape: the number of elements changes}}
  %0 = "strata.reshape"(%x) : (tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>) -> tensor<?xf32, affine_map<()[s0] -> (s0 * 4 + 1)>>
  return
}

// -----

func.func @add_symbolic(%x: tensor<?xf32, affine_map<()[s0] -> (s0)>>, %y: tensor<?xf32, affine_map<()[s0, s1] -> (s1)>>) {
  // expected-error @below {{strata.add: operand 1: expected tensor<s0xf32>, got tensor<s1xf32>}}
  %0 = "strata.add"(%x, %y) : (tensor<?xf32, affine_map<()[s0] -> (s0)>>, tensor<?xf32, affine_map<()[s0, s1] -> (s1)>>) -> tensor<?xf32, affine_map<()[s0] -> (s0)>>
  return
}

// -----

func.func @dims_count() {
  // expected-error @below {{strata.dims: result: expected one dim of 2 i64s}}
  %0 = "strata.dims"() {values = affine_map<()[s0] -> (s0, 3)>} : () -> tensor<3xi64>
  return
}

// -----

func.func @jagged_offsets(%x: tensor<20x3xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{strata.jagged_sum: operand 1: expected offsets, one dim of i32 or i64, got 1 of f32}}
  %0 = "strata.jagged_sum"(%x, %o) : (tensor<20x3xf32>, tensor<4xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @jagged_sequences(%x: tensor<20x3xf32>, %o: tensor<4xi64>) {
  // expected-error @below {{strata.jagged_sum: result 0: expected tensor<3x3xf32>, got tensor<4x3xf32>}}
  %0 = "strata.jagged_sum"(%x, %o) : (tensor<20x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @segment_offsets(%o: tensor<1xi64>) {
  // expected-error @below {{strata.segment_rows: operand 0: expected 2 offsets or more, got 1}}
  %0 = "strata.segment_rows"(%o) : (tensor<1xi64>) -> tensor<20xi64>
  return
}

// -----

func.func @segment_heads(%q: tensor<20x3x4xf32>, %k: tensor<20x2x4xf32>, %m: tensor<20xi64>, %o: tensor<4xi64>) {
  // expected-error @below {{strata.segment_attention: 3 heads are not groups of 2}}
  %0 = "strata.segment_attention"(%q, %k, %k, %m, %o, %o) {causal = false, scale = 1.0}
      : (tensor<20x3x4xf32>, tensor<20x2x4xf32>, tensor<20x2x4xf32>, tensor<20xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<20x3x4xf32>
  return
}

// -----

func.func @suppress_sides(%x: tensor<1x5x7xf32>, %s: tensor<1x2x7xf32>, %t: tensor<f32>, %n: tensor<i64>) {
  // expected-error @below {{strata.suppress: operand 0: expected 4 sides in dim 1}}
  %0:2 = "strata.suppress"(%x, %s, %t, %t, %n) {room = array<i64: 3>} : (tensor<1x5x7xf32>, tensor<1x2x7xf32>, tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<6x3xi64>, tensor<i64>)
  return
}

// -----

func.func @suppress_boxes(%x: tensor<1x4x6xf32>, %s: tensor<1x2x7xf32>, %t: tensor<f32>, %n: tensor<i64>) {
  // expected-error @below {{strata.suppress: dim 2 of operand 0 differs from dim 2 of operand 1}}
  %0:2 = "strata.suppress"(%x, %s, %t, %t, %n) {room = array<i64: 3>} : (tensor<1x4x6xf32>, tensor<1x2x7xf32>, tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<6x3xi64>, tensor<i64>)
  return
}

// -----

func.func @suppress_most(%x: tensor<1x4x7xf32>, %s: tensor<1x2x7xf32>, %t: tensor<f32>, %n: tensor<i32>) {
  // expected-error @below {{strata.suppress: operand 4: expected 0 dims of i64, got 0 of i32}}
  %0:2 = "strata.suppress"(%x, %s, %t, %t, %n) {room = array<i64: 3>} : (tensor<1x4x7xf32>, tensor<1x2x7xf32>, tensor<f32>, tensor<f32>, tensor<i32>) -> (tensor<6x3xi64>, tensor<i64>)
  return
}

// -----

func.func @suppress_room(%x: tensor<1x4x7xf32>, %s: tensor<1x2x7xf32>, %t: tensor<f32>, %n: tensor<i64>) {
  // expected-error @below {{strata.suppress: room: expected one size, got 2}}
  %0:2 = "strata.suppress"(%x, %s, %t, %t, %n) {room = array<i64: 3, 4>} : (tensor<1x4x7xf32>, tensor<1x2x7xf32>, tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<6x3xi64>, tensor<i64>)
  return
}

// -----

func.func @tree_nodes(%x: tensor<10x2xf32>, %n: tensor<11xi32>, %r: tensor<1x1x2xi32>, %v: tensor<2x1xf32>) {
  // expected-error @below {{strata.trees: operand 1: expected 4 numbers a node}}
  %0 = "strata.trees"(%x, %n, %r, %v) {kind = "add"} : (tensor<10x2xf32>, tensor<11xi32>, tensor<1x1x2xi32>, tensor<2x1xf32>) -> tensor<10x1x1xf32>
  return
}

// -----

func.func @tree_roots(%x: tensor<10x2xf32>, %n: tensor<12xi32>, %r: tensor<1x1x3xi32>, %v: tensor<2x1xf32>) {
  // expected-error @below {{strata.trees: operand 2: expected 2 numbers a root}}
  %0 = "strata.trees"(%x, %n, %r, %v) {kind = "add"} : (tensor<10x2xf32>, tensor<12xi32>, tensor<1x1x3xi32>, tensor<2x1xf32>) -> tensor<10x1x1xf32>
  return
}
