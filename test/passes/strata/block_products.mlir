// RUN: strata-opt %s --split-input-file --device=sapphirerapids --pipeline=strata-block-products,strata-dce | FileCheck %s
// RUN: strata-opt %s --split-input-file --device=aarch64 --pipeline=strata-block-products,strata-dce | FileCheck %s --check-prefix=NONE
// RUN: strata-opt %s --split-input-file --device=sapphirerapids --mlir-disable-fast-math --polyblocks-disable-unsafe-math-canonicalizations --pipeline=strata-block-products,strata-dce | FileCheck %s --check-prefix=NONE
// NONE-NOT: block_contract

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// Blocks of 16 numbers of 48 columns, with one scale and one zero point each; strips of as many columns. The rows become
// three digits of signed bytes, four to a word, beside a scale and a sum of each block.
// CHECK-LABEL: @blocks
// CHECK: %[[SCALE:.*]] = "strata.mul"(%{{.*}}) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK: %[[SUM:.*]] = "strata.reduce"(%{{.*}}) {axes = array<i64: 2>, kind = "add"{{.*}} : (tensor<2x2x16xf32>) -> tensor<2x2xf32>
// CHECK: %[[X:.*]] = "strata.concat"({{.*}}) -> tensor<3x2x2x4xi32>
// CHECK: %[[W:.*]] = "strata.constant"() {value = dense<1431655765> : tensor<1x2x2x48xi32>}
// CHECK: %[[F:.*]] = "strata.transpose"{{.*}} -> tensor<1x2x48xf32>
// CHECK: "strata.convert_to_u"(%{{.*}}) : (tensor<48x2xf32>) -> tensor<48x2xi8>
// CHECK: %[[Z:.*]] = "strata.transpose"{{.*}} -> tensor<1x2x48xi8>
// CHECK: "strata.block_contract"(%[[X]], %[[SCALE]], %[[SUM]], %[[W]], %[[F]], %[[Z]])
func.func @blocks(%x: tensor<2x32xf32>) -> tensor<2x48xf32> {
  %q = "strata.constant"() {value = dense<5> : tensor<48x2x16xi4>} : () -> tensor<48x2x16xi4>
  %z = "strata.constant"() {value = dense<7> : tensor<48x2xi4>} : () -> tensor<48x2xi4>
  %s = "strata.constant"() {value = dense<0.3> : tensor<48x2x1xf32>} : () -> tensor<48x2x1xf32>
  %0 = "strata.convert_u"(%q) : (tensor<48x2x16xi4>) -> tensor<48x2x16xf32>
  %1 = "strata.convert_u"(%z) : (tensor<48x2xi4>) -> tensor<48x2xf32>
  %2 = "strata.broadcast"(%1) {map = affine_map<(n, b, k) -> (n, b)>} : (tensor<48x2xf32>) -> tensor<48x2x16xf32>
  %3 = "strata.sub"(%0, %2) : (tensor<48x2x16xf32>, tensor<48x2x16xf32>) -> tensor<48x2x16xf32>
  %4 = "strata.broadcast"(%s) {map = affine_map<(n, b, k) -> (n, b, 0)>} : (tensor<48x2x1xf32>) -> tensor<48x2x16xf32>
  %5 = "strata.mul"(%3, %4) : (tensor<48x2x16xf32>, tensor<48x2x16xf32>) -> tensor<48x2x16xf32>
  %6 = "strata.reshape"(%5) : (tensor<48x2x16xf32>) -> tensor<48x32xf32>
  %7 = "strata.contract"(%x, %6) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<2x32xf32>, tensor<48x32xf32>) -> tensor<2x48xf32>
  return %7 : tensor<2x48xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// One signed scale a column: a block is as long as it may be, and nibbles are without a sign, eight more. Strips of 64
// columns, of which the last has 6.
// CHECK-LABEL: @columns
// CHECK: "strata.xor"
// CHECK: "strata.block_contract"{{.*}} tensor<2x1x9x64xi32>, tensor<2x1x64xf32>, tensor<2x1x64xi8>) -> tensor<2x128xf32>
// CHECK: "strata.slice"{{.*}} -> tensor<2x70xf32>
func.func @columns(%x: tensor<2x72xf32>) -> tensor<2x70xf32> {
  %q = "strata.constant"() {value = dense<-3> : tensor<72x70xi4>} : () -> tensor<72x70xi4>
  %s = "strata.constant"() {value = dense<0.3> : tensor<1x70xf32>} : () -> tensor<1x70xf32>
  %0 = "strata.convert"(%q) : (tensor<72x70xi4>) -> tensor<72x70xf32>
  %1 = "strata.broadcast"(%s) {map = affine_map<(k, n) -> (0, n)>} : (tensor<1x70xf32>) -> tensor<72x70xf32>
  %2 = "strata.mul"(%0, %1) : (tensor<72x70xf32>, tensor<72x70xf32>) -> tensor<72x70xf32>
  %3 = "strata.contract"(%x, %2) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<2x72xf32>, tensor<72x70xf32>) -> tensor<2x70xf32>
  return %3 : tensor<2x70xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// A zero point that is no whole number, and a scale that differs within a block: products of floats.
// CHECK-LABEL: @half
// CHECK-NOT: block_contract
func.func @half(%x: tensor<2x16xf32>) -> tensor<2x32xf32> {
  %q = "strata.constant"() {value = dense<5> : tensor<32x16xi4>} : () -> tensor<32x16xi4>
  %z = "strata.constant"() {value = dense<7.5> : tensor<32x16xf32>} : () -> tensor<32x16xf32>
  %s = "strata.constant"() {value = dense<0.3> : tensor<32x16xf32>} : () -> tensor<32x16xf32>
  %0 = "strata.convert_u"(%q) : (tensor<32x16xi4>) -> tensor<32x16xf32>
  %1 = "strata.sub"(%0, %z) : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  %2 = "strata.mul"(%1, %s) : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  %3 = "strata.contract"(%x, %2) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<2x16xf32>, tensor<32x16xf32>) -> tensor<2x32xf32>
  return %3 : tensor<2x32xf32>
}

// CHECK-LABEL: @varies
// CHECK-NOT: block_contract
func.func @varies(%x: tensor<2x16xf32>) -> tensor<2x32xf32> {
  %q = "strata.constant"() {value = dense<5> : tensor<32x16xi4>} : () -> tensor<32x16xi4>
  %s = "strata.constant"() {value = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]> : tensor<16xf32>} : () -> tensor<16xf32>
  %0 = "strata.convert_u"(%q) : (tensor<32x16xi4>) -> tensor<32x16xf32>
  %1 = "strata.broadcast"(%s) {map = affine_map<(n, k) -> (k)>} : (tensor<16xf32>) -> tensor<32x16xf32>
  %2 = "strata.mul"(%0, %1) : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  %3 = "strata.contract"(%x, %2) {maps = [#x, #w, #y], zero_pad = false, origin = "matmul"} : (tensor<2x16xf32>, tensor<32x16xf32>) -> tensor<2x32xf32>
  return %3 : tensor<2x32xf32>
}
