// What TOSA's operations become: channels that are last, zero points and rescaling.
// RUN: strata %s --compile-to=graph | FileCheck %s

// CHECK: func.func @main(%arg0: tensor<?x8x8x3xf32
func.func @main(%x: tensor<?x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %a: tensor<2x3x4xi8>, %b: tensor<2x4x5xi8>)
    -> (tensor<?x8x8x4xf32>, tensor<?x4x4x3xf32>, tensor<2x3x5xi32>) {
  %bias = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %zf = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %zi = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>

  // No transposes around the convolution, nor a sum with a bias of zero.
  // CHECK-NOT: strata.transpose
  // CHECK: %[[CONV:.*]] = "strata.contract"(%arg0, %arg1) {{.*}}origin = "conv"
  %conv = tosa.conv2d %x, %w, %bias, %zf, %zf {acc_type = f32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>,
      dilation = array<i64: 1, 1>} : (tensor<?x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<?x8x8x4xf32>

  // CHECK: %[[POOL:.*]] = "strata.window"(%arg0) {{.*}}kind = "max"
  %pool = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>} :
      (tensor<?x8x8x3xf32>) -> tensor<?x4x4x3xf32>

  // Bytes without zero points are multiplied as they are.
  // CHECK: %[[PRODUCT:.*]] = "strata.contract"(%arg2, %arg3) {{.*}}(tensor<2x3x4xi8>, tensor<2x4x5xi8>) -> tensor<2x3x5xi32>
  %product = tosa.matmul %a, %b, %zi, %zi : (tensor<2x3x4xi8>, tensor<2x4x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3x5xi32>

  // CHECK: return %[[CONV]], %[[POOL]], %[[PRODUCT]]
  return %conv, %pool, %product : tensor<?x8x8x4xf32>, tensor<?x4x4x3xf32>, tensor<2x3x5xi32>
}
