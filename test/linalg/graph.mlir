// What structured operations become: strata's contractions, windows, reductions and gathers, whatever their names.
// RUN: strata %s --compile-to=graph | FileCheck %s

#nk = affine_map<(m, n, k) -> (n, k)>
#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#rows = affine_map<(i, j, d) -> (i, j)>
#all = affine_map<(i, j, d) -> (i, j, d)>

// CHECK: func.func @main(%arg0: tensor<4x8xf32> {strata.name = "x"}
func.func @main(%x: tensor<4x8xf32> {strata.name = "x"}, %w: tensor<6x8xf32>, %image: tensor<1x8x8x3xf32>,
                %kernel: tensor<3x3x3x4xf32>, %h: tensor<4x8xf16>, %v: tensor<6x8xf16>, %table: tensor<9x5xf32>,
                %index: tensor<2x3xi64>)
    -> (tensor<4x6xf32>, tensor<1x8x8x4xf32>, tensor<4x6xf32>, tensor<1x4x4x3xf32>, tensor<2x3x5xf32>, tensor<4xi64>,
        tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<4x6xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x6xf32>) -> tensor<4x6xf32>

  // A product with a transposed operand, and no sum with zero.
  // CHECK: %[[MATMUL:.*]] = "strata.contract"(%arg0, %arg1) {{.*}}(tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  %matmul = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<4x8xf32>, tensor<6x8xf32>)
      outs(%f0 : tensor<4x6xf32>) -> tensor<4x6xf32>

  // A convolution has the padding in front of it.
  // CHECK: %[[CONV:.*]] = "strata.contract"(%arg2, %arg3) {{.*}}origin = "conv"{{.*}}(tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
  %padded = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x8x8x3xf32> to tensor<1x10x10x3xf32>
  %e1 = tensor.empty() : tensor<1x8x8x4xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %conv = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%padded, %kernel : tensor<1x10x10x3xf32>, tensor<3x3x3x4xf32>) outs(%f1 : tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>

  // Factors of f16 that are widened are multiplied as they are.
  // CHECK: %[[WIDE:.*]] = "strata.contract"(%arg4, %arg5) {{.*}}(tensor<4x8xf16>, tensor<6x8xf16>) -> tensor<4x6xf32>
  %wide = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %v : tensor<4x8xf16>, tensor<6x8xf16>) outs(%f0 : tensor<4x6xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %p = arith.extf %a : f16 to f32
    %q = arith.extf %b : f16 to f32
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %c, %r : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>

  // CHECK: %[[POOL:.*]] = "strata.window"(%arg2) {{.*}}kind = "max"{{.*}}strides = array<i64: 1, 2, 2, 1>
  %window = tensor.empty() : tensor<2x2xf32>
  %e2 = tensor.empty() : tensor<1x4x4x3xf32>
  %f2 = linalg.fill ins(%low : f32) outs(%e2 : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  %pool = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%image, %window : tensor<1x8x8x3xf32>, tensor<2x2xf32>) outs(%f2 : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>

  // Rows of a table, not its elements one by one.
  // CHECK: %[[ROWS:.*]] = "strata.gather"(%arg6, %arg7) {{.*}}-> tensor<2x3x5xf32>
  %e3 = tensor.empty() : tensor<2x3x5xf32>
  %rows = linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%index : tensor<2x3xi64>) outs(%e3 : tensor<2x3x5xf32>) {
  ^bb0(%i: i64, %out: f32):
    %row = arith.index_cast %i : i64 to index
    %column = linalg.index 2 : index
    %r = tensor.extract %table[%row, %column] : tensor<9x5xf32>
    linalg.yield %r : f32
  } -> tensor<2x3x5xf32>

  // CHECK: %[[BEST:.*]] = "strata.arg_reduce"(%arg0) {axis = 1 : i64, kind = "max"
  %none = arith.constant 0 : i64
  %e4 = tensor.empty() : tensor<4xf32>
  %e5 = tensor.empty() : tensor<4xi64>
  %f4 = linalg.fill ins(%low : f32) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %f5 = linalg.fill ins(%none : i64) outs(%e5 : tensor<4xi64>) -> tensor<4xi64>
  %best:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%f4, %f5 : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%a: f32, %there: f32, %place: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %m = arith.maximumf %a, %there : f32
    %c = arith.cmpf ogt, %a, %there : f32
    %n = arith.select %c, %k, %place : i64
    linalg.yield %m, %n : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)

  // CHECK: %[[SUM:.*]] = "strata.reduce"(%arg0) {axes = array<i64: 0>, kind = "add"} : (tensor<4x8xf32>) -> tensor<8xf32>
  %e6 = tensor.empty() : tensor<8xf32>
  %f6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%f6 : tensor<8xf32>) dimensions = [0]

  // CHECK: return %[[MATMUL]], %[[CONV]], %[[WIDE]], %[[POOL]], %[[ROWS]], %[[BEST]], %[[SUM]]
  return %matmul, %conv, %wide, %pool, %rows, %best#1, %sum : tensor<4x6xf32>, tensor<1x8x8x4xf32>, tensor<4x6xf32>,
      tensor<1x4x4x3xf32>, tensor<2x3x5xf32>, tensor<4xi64>, tensor<8xf32>
}
