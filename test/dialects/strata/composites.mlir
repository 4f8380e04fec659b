// Every composite op expands to primitives that verify.
// RUN: strata-opt %s | FileCheck %s
// RUN: strata-opt %s --strata-decompose --verify-each | FileCheck %s --check-prefix=EXPANDED

// CHECK-LABEL: @relu
// CHECK: "strata.relu"(%{{.*}}) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @relu
// EXPANDED-NOT: "strata.relu"
func.func @relu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.relu"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @sigmoid
// CHECK: "strata.sigmoid"(%{{.*}}) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @sigmoid
// EXPANDED-NOT: "strata.sigmoid"
func.func @sigmoid(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.sigmoid"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @silu
// CHECK: "strata.silu"(%{{.*}}) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @silu
// EXPANDED-NOT: "strata.silu"
func.func @silu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.silu"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @softplus
// CHECK: "strata.softplus"(%{{.*}}) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @softplus
// EXPANDED-NOT: "strata.softplus"
func.func @softplus(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.softplus"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @softsign
// CHECK: "strata.softsign"(%{{.*}}) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @softsign
// EXPANDED-NOT: "strata.softsign"
func.func @softsign(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.softsign"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @gelu
// CHECK: "strata.gelu"(%{{.*}}) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @gelu
// EXPANDED-NOT: "strata.gelu"
func.func @gelu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.gelu"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @gelu_tanh
// CHECK: "strata.gelu_tanh"(%{{.*}}) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @gelu_tanh
// EXPANDED-NOT: "strata.gelu_tanh"
func.func @gelu_tanh(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.gelu_tanh"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @mish
// CHECK: "strata.mish"(%{{.*}}) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @mish
// EXPANDED-NOT: "strata.mish"
func.func @mish(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.mish"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @leaky_relu
// CHECK: "strata.leaky_relu"(%{{.*}}) {alpha = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @leaky_relu
// EXPANDED-NOT: "strata.leaky_relu"
func.func @leaky_relu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.leaky_relu"(%x) {alpha = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @elu
// CHECK: "strata.elu"(%{{.*}}) {alpha = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @elu
// EXPANDED-NOT: "strata.elu"
func.func @elu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.elu"(%x) {alpha = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @celu
// CHECK: "strata.celu"(%{{.*}}) {alpha = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @celu
// EXPANDED-NOT: "strata.celu"
func.func @celu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.celu"(%x) {alpha = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @selu
// CHECK: "strata.selu"(%{{.*}}) {alpha = 1.250000e-01 : f64, gamma = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @selu
// EXPANDED-NOT: "strata.selu"
func.func @selu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.selu"(%x) {alpha = 1.250000e-01 : f64, gamma = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @hard_sigmoid
// CHECK: "strata.hard_sigmoid"(%{{.*}}) {alpha = 1.250000e-01 : f64, beta = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @hard_sigmoid
// EXPANDED-NOT: "strata.hard_sigmoid"
func.func @hard_sigmoid(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.hard_sigmoid"(%x) {alpha = 1.250000e-01 : f64, beta = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @hard_swish
// CHECK: "strata.hard_swish"(%{{.*}}) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @hard_swish
// EXPANDED-NOT: "strata.hard_swish"
func.func @hard_swish(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.hard_swish"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @thresholded_relu
// CHECK: "strata.thresholded_relu"(%{{.*}}) {alpha = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @thresholded_relu
// EXPANDED-NOT: "strata.thresholded_relu"
func.func @thresholded_relu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.thresholded_relu"(%x) {alpha = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @prelu
// CHECK: "strata.prelu"(%{{.*}}, %{{.*}}) : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @prelu
// EXPANDED-NOT: "strata.prelu"
func.func @prelu(%x: tensor<2x3x4xf32>, %slope: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.prelu"(%x, %slope) : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @sign
// CHECK: "strata.sign"(%{{.*}}) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @sign
// EXPANDED-NOT: "strata.sign"
func.func @sign(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.sign"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @mod
// CHECK: "strata.mod"(%{{.*}}, %{{.*}}) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @mod
// EXPANDED-NOT: "strata.mod"
func.func @mod(%x: tensor<2x3x4xf32>, %y: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.mod"(%x, %y) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @softmax
// CHECK: "strata.softmax"(%{{.*}}) {axes = array<i64: 2>} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @softmax
// EXPANDED-NOT: "strata.softmax"
func.func @softmax(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.softmax"(%x) {axes = array<i64: 2>} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @log_softmax
// CHECK: "strata.log_softmax"(%{{.*}}) {axes = array<i64: 2>} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @log_softmax
// EXPANDED-NOT: "strata.log_softmax"
func.func @log_softmax(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.log_softmax"(%x) {axes = array<i64: 2>} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @layer_norm
// CHECK: "strata.layer_norm"(%{{.*}}, %{{.*}}, %{{.*}}) {axes = array<i64: 2>, epsilon = 1.250000e-01 : f64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @layer_norm
// EXPANDED-NOT: "strata.layer_norm"
func.func @layer_norm(%x: tensor<2x3x4xf32>, %scale: tensor<4xf32>, %bias: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.layer_norm"(%x, %scale, %bias) {axes = array<i64: 2>, epsilon = 1.250000e-01 : f64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @rms_norm
// CHECK: "strata.rms_norm"(%{{.*}}, %{{.*}}) {axes = array<i64: 2>, epsilon = 1.250000e-01 : f64} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @rms_norm
// EXPANDED-NOT: "strata.rms_norm"
func.func @rms_norm(%x: tensor<2x3x4xf32>, %scale: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.rms_norm"(%x, %scale) {axes = array<i64: 2>, epsilon = 1.250000e-01 : f64} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @normalize
// CHECK: "strata.normalize"(%{{.*}}) {axes = array<i64: 2>, epsilon = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @normalize
// EXPANDED-NOT: "strata.normalize"
func.func @normalize(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.normalize"(%x) {axes = array<i64: 2>, epsilon = 1.250000e-01 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @batch_norm
// CHECK: "strata.batch_norm"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {epsilon = 1.250000e-01 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
// EXPANDED-LABEL: @batch_norm
// EXPANDED-NOT: "strata.batch_norm"
func.func @batch_norm(%x: tensor<2x3x4xf32>, %scale: tensor<3xf32>, %bias: tensor<3xf32>, %mean: tensor<3xf32>, %variance: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %r = "strata.batch_norm"(%x, %scale, %bias, %mean, %variance) {epsilon = 1.250000e-01 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}
