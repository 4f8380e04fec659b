// One nest over the result; the body is the op table's, in the type arithmetic runs in.
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine | FileCheck %s
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine --mlir-disable-fast-math | FileCheck %s --check-prefix=EXACT
// RUN: strata-opt %s --split-input-file --pipeline=strata-to-affine --target=nvgpu | FileCheck %s --check-prefix=GPU

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: memref<8x64xf32> {strata.name = "x"}, %[[Y:.*]]: memref<8x64xf32> {strata.name = "y", strata.output})
// CHECK: affine.parallel (%[[I:.*]], %[[J:.*]]) = (0, 0) to (8, 64)
// CHECK: %[[A:.*]] = affine.load %[[X]][%[[I]], %[[J]]]
// CHECK: %[[B:.*]] = math.exp %[[A]] fastmath<reassoc,arcp,afn> : f32
// CHECK: affine.store %[[B]], %[[Y]][%[[I]], %[[J]]]
// CHECK: strata.nest = "exp"
// EXACT: math.exp %{{.*}} : f32
// GPU: math.exp %{{.*}} fastmath<reassoc,arcp,contract,afn> : f32
func.func @main(%x: tensor<8x64xf32> {strata.name = "x"}) -> (tensor<8x64xf32> {strata.name = "y"}) {
  %0 = "strata.exp"(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----
// f16 is computed in f32; a splat is a constant of the body, in f32 as well; rank 0 has one point.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<f16>, %[[Y:.*]]: memref<f16> {strata.output}
// CHECK: affine.parallel (%{{.*}}) = (0) to (1)
// CHECK: %[[A:.*]] = affine.load %[[X]][]
// CHECK: %[[W:.*]] = arith.extf %[[A]] : f16 to f32
// CHECK: %[[C:.*]] = arith.constant 1.500000e+00 : f32
// CHECK: %[[P:.*]] = arith.mulf %[[W]], %[[C]]
// CHECK: %[[R:.*]] = arith.truncf %[[P]] : f32 to f16
// CHECK: affine.store %[[R]], %[[Y]][]
func.func @main(%x: tensor<f16>) -> tensor<f16> {
  %c = "strata.constant"() {value = dense<1.5> : tensor<f16>} : () -> tensor<f16>
  %0 = "strata.mul"(%x, %c) : (tensor<f16>, tensor<f16>) -> tensor<f16>
  return %0 : tensor<f16>
}

// -----
// Booleans are bytes in memory and i1 in the body. select moves bits and converts nothing.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<4xf16>, %[[Y:.*]]: memref<4xf16>, %{{.*}}: memref<4xf16> {strata.output}
// CHECK: %[[T:.*]] = memref.alloc() : memref<4xi8>
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK: arith.extui %{{.*}} : i1 to i8
// CHECK: strata.nest = "lt"
// CHECK: affine.load %[[T]]
// CHECK: arith.cmpi ne
// CHECK-NOT: arith.extf
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f16
func.func @main(%x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
  %0 = "strata.lt"(%x, %y) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xi1>
  %1 = "strata.select"(%0, %x, %y) : (tensor<4xi1>, tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %1 : tensor<4xf16>
}

// -----
// Integer division has no undefined case; float to integer saturates.
// CHECK-LABEL: func.func @main
// CHECK: arith.cmpi eq
// CHECK: arith.cmpi eq
// CHECK: arith.divsi
// CHECK: %[[N:.*]] = arith.cmpf oeq, %[[Z:.*]], %[[Z]]
// CHECK: %[[R:.*]] = arith.select %[[N]], %[[Z]], %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.cmpf ogt, %[[R]], %[[LOW:.*]] : f32
// CHECK: %[[B:.*]] = arith.select %[[A]], %[[R]], %[[LOW]] : f32
// CHECK: %[[C:.*]] = arith.cmpf olt, %[[B]], %[[HIGH:.*]] : f32
// CHECK: %[[D:.*]] = arith.select %[[C]], %[[B]], %[[HIGH]] : f32
// CHECK: arith.fptosi %[[D]] : f32 to i8
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>, %z: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi8>) {
  %0 = "strata.div"(%x, %y) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = "strata.convert"(%z) : (tensor<4xf32>) -> tensor<4xi8>
  return %0, %1 : tensor<4xi32>, tensor<4xi8>
}

// -----
// No nest for what is empty, none for what nothing depends on.
// CHECK-LABEL: func.func @main
// CHECK-NOT: affine.parallel
// CHECK: return
func.func @main(%x: tensor<0x4xf32>, %y: tensor<4xf32>) -> tensor<0x4xf32> {
  %0 = "strata.neg"(%x) : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %1 = "strata.neg"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<0x4xf32>
}

// -----
// A factor may not be distributed over a sum with a constant, and so that is not reassociated.
// CHECK-LABEL: func.func @main
// CHECK: arith.subf %{{.*}}, %{{.*}} fastmath<arcp,afn> : f32
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,arcp,afn> : f32
// GPU: arith.subf %{{.*}}, %{{.*}} fastmath<arcp,contract,afn> : f32
// EXACT: arith.subf %{{.*}}, %{{.*}} : f32
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "strata.constant"() {value = dense<7.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %1 = "strata.constant"() {value = dense<0.1> : tensor<4xf32>} : () -> tensor<4xf32>
  %2 = "strata.sub"(%x, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "strata.mul"(%2, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
