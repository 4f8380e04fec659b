// Every elementwise op reads, verifies and prints, on the widest and the narrowest type it takes.
// RUN: strata-opt %s | FileCheck %s

// CHECK-LABEL: @neg
func.func @neg(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.neg"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.neg"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.neg"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.neg"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: "strata.neg"(%{{.*}}) : (tensor<2x3xi64>) -> tensor<2x3xi64>
  %2 = "strata.neg"(%i64) : (tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.neg"(%{{.*}}) : (tensor<2x3xi8>) -> tensor<2x3xi8>
  %3 = "strata.neg"(%i8) : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @abs
func.func @abs(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.abs"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.abs"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.abs"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.abs"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: "strata.abs"(%{{.*}}) : (tensor<2x3xi64>) -> tensor<2x3xi64>
  %2 = "strata.abs"(%i64) : (tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.abs"(%{{.*}}) : (tensor<2x3xi8>) -> tensor<2x3xi8>
  %3 = "strata.abs"(%i8) : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @ceil
func.func @ceil(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.ceil"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.ceil"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.ceil"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.ceil"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @floor
func.func @floor(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.floor"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.floor"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.floor"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.floor"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @trunc
func.func @trunc(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.trunc"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.trunc"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.trunc"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.trunc"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @round_even
func.func @round_even(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.round_even"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.round_even"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.round_even"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.round_even"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @sqrt
func.func @sqrt(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.sqrt"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.sqrt"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.sqrt"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.sqrt"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @rsqrt
func.func @rsqrt(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.rsqrt"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.rsqrt"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.rsqrt"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.rsqrt"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @exp
func.func @exp(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.exp"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.exp"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.exp"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.exp"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @exp2
func.func @exp2(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.exp2"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.exp2"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.exp2"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.exp2"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @expm1
func.func @expm1(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.expm1"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.expm1"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.expm1"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.expm1"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @log
func.func @log(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.log"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.log"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.log"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.log"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @log1p
func.func @log1p(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.log1p"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.log1p"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.log1p"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.log1p"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @sin
func.func @sin(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.sin"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.sin"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.sin"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.sin"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @cos
func.func @cos(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.cos"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.cos"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.cos"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.cos"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @tan
func.func @tan(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.tan"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.tan"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.tan"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.tan"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @asin
func.func @asin(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.asin"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.asin"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.asin"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.asin"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @acos
func.func @acos(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.acos"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.acos"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.acos"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.acos"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @atan
func.func @atan(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.atan"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.atan"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.atan"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.atan"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @sinh
func.func @sinh(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.sinh"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.sinh"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.sinh"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.sinh"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @cosh
func.func @cosh(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.cosh"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.cosh"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.cosh"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.cosh"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @tanh
func.func @tanh(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.tanh"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.tanh"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.tanh"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.tanh"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @asinh
func.func @asinh(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.asinh"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.asinh"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.asinh"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.asinh"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @acosh
func.func @acosh(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.acosh"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.acosh"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.acosh"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.acosh"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @atanh
func.func @atanh(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.atanh"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.atanh"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.atanh"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.atanh"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @erf
func.func @erf(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.erf"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.erf"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.erf"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.erf"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @is_nan
func.func @is_nan(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.is_nan"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %0 = "strata.is_nan"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "strata.is_nan"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xi1>
  %1 = "strata.is_nan"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @is_inf
func.func @is_inf(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.is_inf"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %0 = "strata.is_inf"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "strata.is_inf"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xi1>
  %1 = "strata.is_inf"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @not
func.func @not(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>, %i1: tensor<2x3xi1>) {
  // CHECK: "strata.not"(%{{.*}}) : (tensor<2x3xi64>) -> tensor<2x3xi64>
  %0 = "strata.not"(%i64) : (tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.not"(%{{.*}}) : (tensor<2x3xi8>) -> tensor<2x3xi8>
  %1 = "strata.not"(%i8) : (tensor<2x3xi8>) -> tensor<2x3xi8>
  // CHECK: "strata.not"(%{{.*}}) : (tensor<2x3xi1>) -> tensor<2x3xi1>
  %2 = "strata.not"(%i1) : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @add
func.func @add(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.add"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.add"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.add"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.add"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: "strata.add"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %2 = "strata.add"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.add"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %3 = "strata.add"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @sub
func.func @sub(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.sub"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.sub"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.sub"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.sub"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: "strata.sub"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %2 = "strata.sub"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.sub"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %3 = "strata.sub"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @mul
func.func @mul(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.mul"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.mul"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.mul"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.mul"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: "strata.mul"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %2 = "strata.mul"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.mul"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %3 = "strata.mul"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @div
func.func @div(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.div"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.div"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.div"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.div"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: "strata.div"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %2 = "strata.div"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.div"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %3 = "strata.div"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @div_u
func.func @div_u(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.div_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %0 = "strata.div_u"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.div_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %1 = "strata.div_u"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @rem
func.func @rem(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.rem"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.rem"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.rem"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.rem"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: "strata.rem"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %2 = "strata.rem"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.rem"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %3 = "strata.rem"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @rem_u
func.func @rem_u(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.rem_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %0 = "strata.rem_u"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.rem_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %1 = "strata.rem_u"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @pow
func.func @pow(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.pow"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.pow"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.pow"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.pow"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: "strata.pow"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %2 = "strata.pow"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.pow"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %3 = "strata.pow"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @atan2
func.func @atan2(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>) {
  // CHECK: "strata.atan2"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.atan2"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.atan2"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.atan2"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// CHECK-LABEL: @min
func.func @min(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.min"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.min"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.min"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.min"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: "strata.min"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %2 = "strata.min"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.min"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %3 = "strata.min"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @max
func.func @max(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.max"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.max"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.max"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = "strata.max"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: "strata.max"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %2 = "strata.max"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.max"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %3 = "strata.max"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @min_u
func.func @min_u(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.min_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %0 = "strata.min_u"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.min_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %1 = "strata.min_u"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @max_u
func.func @max_u(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.max_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %0 = "strata.max_u"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.max_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %1 = "strata.max_u"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @and
func.func @and(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>, %i1: tensor<2x3xi1>) {
  // CHECK: "strata.and"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %0 = "strata.and"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.and"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %1 = "strata.and"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  // CHECK: "strata.and"(%{{.*}}, %{{.*}}) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %2 = "strata.and"(%i1, %i1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @or
func.func @or(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>, %i1: tensor<2x3xi1>) {
  // CHECK: "strata.or"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %0 = "strata.or"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.or"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %1 = "strata.or"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  // CHECK: "strata.or"(%{{.*}}, %{{.*}}) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %2 = "strata.or"(%i1, %i1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @xor
func.func @xor(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>, %i1: tensor<2x3xi1>) {
  // CHECK: "strata.xor"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %0 = "strata.xor"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.xor"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %1 = "strata.xor"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  // CHECK: "strata.xor"(%{{.*}}, %{{.*}}) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %2 = "strata.xor"(%i1, %i1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @shl
func.func @shl(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.shl"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %0 = "strata.shl"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.shl"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %1 = "strata.shl"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @shr
func.func @shr(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.shr"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %0 = "strata.shr"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.shr"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %1 = "strata.shr"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @shr_u
func.func @shr_u(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.shr_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %0 = "strata.shr_u"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: "strata.shr_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %1 = "strata.shr_u"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @eq
func.func @eq(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>, %i1: tensor<2x3xi1>) {
  // CHECK: "strata.eq"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %0 = "strata.eq"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "strata.eq"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xi1>
  %1 = "strata.eq"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xi1>
  // CHECK: "strata.eq"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  %2 = "strata.eq"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  // CHECK: "strata.eq"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  %3 = "strata.eq"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  // CHECK: "strata.eq"(%{{.*}}, %{{.*}}) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %4 = "strata.eq"(%i1, %i1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @ne
func.func @ne(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>, %i1: tensor<2x3xi1>) {
  // CHECK: "strata.ne"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %0 = "strata.ne"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "strata.ne"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xi1>
  %1 = "strata.ne"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xi1>
  // CHECK: "strata.ne"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  %2 = "strata.ne"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  // CHECK: "strata.ne"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  %3 = "strata.ne"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  // CHECK: "strata.ne"(%{{.*}}, %{{.*}}) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %4 = "strata.ne"(%i1, %i1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @lt
func.func @lt(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.lt"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %0 = "strata.lt"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "strata.lt"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xi1>
  %1 = "strata.lt"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xi1>
  // CHECK: "strata.lt"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  %2 = "strata.lt"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  // CHECK: "strata.lt"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  %3 = "strata.lt"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @le
func.func @le(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.le"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %0 = "strata.le"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "strata.le"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xi1>
  %1 = "strata.le"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xi1>
  // CHECK: "strata.le"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  %2 = "strata.le"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  // CHECK: "strata.le"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  %3 = "strata.le"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @gt
func.func @gt(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.gt"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %0 = "strata.gt"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "strata.gt"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xi1>
  %1 = "strata.gt"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xi1>
  // CHECK: "strata.gt"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  %2 = "strata.gt"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  // CHECK: "strata.gt"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  %3 = "strata.gt"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @ge
func.func @ge(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.ge"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %0 = "strata.ge"(%f32, %f32) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "strata.ge"(%{{.*}}, %{{.*}}) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xi1>
  %1 = "strata.ge"(%f16, %f16) : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xi1>
  // CHECK: "strata.ge"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  %2 = "strata.ge"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  // CHECK: "strata.ge"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  %3 = "strata.ge"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @lt_u
func.func @lt_u(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.lt_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  %0 = "strata.lt_u"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  // CHECK: "strata.lt_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  %1 = "strata.lt_u"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @le_u
func.func @le_u(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.le_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  %0 = "strata.le_u"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  // CHECK: "strata.le_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  %1 = "strata.le_u"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @gt_u
func.func @gt_u(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.gt_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  %0 = "strata.gt_u"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  // CHECK: "strata.gt_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  %1 = "strata.gt_u"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @ge_u
func.func @ge_u(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.ge_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  %0 = "strata.ge_u"(%i64, %i64) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  // CHECK: "strata.ge_u"(%{{.*}}, %{{.*}}) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  %1 = "strata.ge_u"(%i8, %i8) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @select
func.func @select(%b: tensor<2x3xi1>, %f32: tensor<2x3xf32>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.select"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "strata.select"(%b, %f32, %f32) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "strata.select"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x3xi1>, tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %1 = "strata.select"(%b, %i8, %i8) : (tensor<2x3xi1>, tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @convert
func.func @convert(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>, %i1: tensor<2x3xi1>) {
  // CHECK: "strata.convert"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xi32>
  %0 = "strata.convert"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xi32>
  // CHECK: "strata.convert"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xf64>
  %1 = "strata.convert"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xf64>
  // CHECK: "strata.convert"(%{{.*}}) : (tensor<2x3xi64>) -> tensor<2x3xbf16>
  %2 = "strata.convert"(%i64) : (tensor<2x3xi64>) -> tensor<2x3xbf16>
  // CHECK: "strata.convert"(%{{.*}}) : (tensor<2x3xi8>) -> tensor<2x3xi1>
  %3 = "strata.convert"(%i8) : (tensor<2x3xi8>) -> tensor<2x3xi1>
  // CHECK: "strata.convert"(%{{.*}}) : (tensor<2x3xi1>) -> tensor<2x3xf32>
  %4 = "strata.convert"(%i1) : (tensor<2x3xi1>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @convert_u
func.func @convert_u(%i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>) {
  // CHECK: "strata.convert_u"(%{{.*}}) : (tensor<2x3xi64>) -> tensor<2x3xf32>
  %0 = "strata.convert_u"(%i64) : (tensor<2x3xi64>) -> tensor<2x3xf32>
  // CHECK: "strata.convert_u"(%{{.*}}) : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %1 = "strata.convert_u"(%i8) : (tensor<2x3xi8>) -> tensor<2x3xi32>
  return
}

// CHECK-LABEL: @convert_to_u
func.func @convert_to_u(%f32: tensor<2x3xf32>, %f16: tensor<2x3xf16>, %i64: tensor<2x3xi64>, %i8: tensor<2x3xi8>, %i1: tensor<2x3xi1>) {
  // CHECK: "strata.convert_to_u"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xi8>
  %0 = "strata.convert_to_u"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xi8>
  // CHECK: "strata.convert_to_u"(%{{.*}}) : (tensor<2x3xf16>) -> tensor<2x3xi64>
  %1 = "strata.convert_to_u"(%f16) : (tensor<2x3xf16>) -> tensor<2x3xi64>
  // CHECK: "strata.convert_to_u"(%{{.*}}) : (tensor<2x3xi64>) -> tensor<2x3xi8>
  %2 = "strata.convert_to_u"(%i64) : (tensor<2x3xi64>) -> tensor<2x3xi8>
  // CHECK: "strata.convert_to_u"(%{{.*}}) : (tensor<2x3xi8>) -> tensor<2x3xi64>
  %3 = "strata.convert_to_u"(%i8) : (tensor<2x3xi8>) -> tensor<2x3xi64>
  // CHECK: "strata.convert_to_u"(%{{.*}}) : (tensor<2x3xi1>) -> tensor<2x3xi8>
  %4 = "strata.convert_to_u"(%i1) : (tensor<2x3xi1>) -> tensor<2x3xi8>
  return
}

// CHECK-LABEL: @bitcast
func.func @bitcast(%f32: tensor<2x3xf32>, %i16: tensor<2x3xi16>) {
  // CHECK: "strata.bitcast"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xi32>
  %0 = "strata.bitcast"(%f32) : (tensor<2x3xf32>) -> tensor<2x3xi32>
  // CHECK: "strata.bitcast"(%{{.*}}) : (tensor<2x3xi16>) -> tensor<2x3xf16>
  %1 = "strata.bitcast"(%i16) : (tensor<2x3xi16>) -> tensor<2x3xf16>
  return
}
