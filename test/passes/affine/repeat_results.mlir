// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-repeat-results | FileCheck %s
// RUN: strata-opt %s --target=cpu --device=x86-64-v3 --pipeline=affine-repeat-results | FileCheck %s --check-prefix=ONCE
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --polyblocks-disable-affine-fusion --pipeline=affine-repeat-results | FileCheck %s --check-prefix=ONCE

// A result that is read beside a matrix is computed for that once more, from memory on; %wide is not, which has as many
// points as its reader, nor %sum, a reduction's.
// CHECK-LABEL: func.func @main
// CHECK: affine.store %{{.*}}, %[[S:.*]][%{{.*}}] : memref<64xf32>
// CHECK: {strata.nest = "sin"}
// CHECK: affine.load %[[S]]
// CHECK: affine.store %{{.*}}, %arg2[
// CHECK: {strata.nest = "exp"}
// CHECK: affine.load %arg0
// CHECK: affine.store %{{.*}}, %[[T:.*]][%{{.*}}] : memref<64xf32>
// CHECK: {strata.nest = "sin"}
// CHECK: affine.load %[[T]]
// CHECK: affine.store %{{.*}}, %[[E:.*]][%{{.*}}] : memref<64xf32>
// CHECK: {strata.nest = "exp"}
// CHECK: affine.load %arg1
// CHECK: affine.load %[[E]]
// CHECK: {strata.nest = "mul"}
// CHECK: affine.load %arg3
// CHECK: {strata.nest = "neg"}
// CHECK: {strata.nest = "sum"}
// CHECK: affine.load %arg5
// CHECK: {strata.nest = "sub"}
// CHECK-NOT: strata.nest
// ONCE-COUNT-6: strata.nest
// ONCE-NOT: strata.nest
func.func @main(%r: memref<64xf32> {strata.name = "r"}, %x: memref<128x64xf32> {strata.name = "x"},
                %e: memref<64xf32> {strata.name = "e", strata.output},
                %wide: memref<128x64xf32> {strata.name = "wide", strata.output},
                %y: memref<128x64xf32> {strata.name = "y", strata.output},
                %sum: memref<128xf32> {strata.name = "sum", strata.output},
                %z: memref<128x64xf32> {strata.name = "z", strata.output}) {
  %s = memref.alloc() : memref<64xf32>
  affine.parallel (%j) = (0) to (64) {
    %a = affine.load %r[%j] : memref<64xf32>
    %b = math.sin %a : f32
    affine.store %b, %s[%j] : memref<64xf32>
  } {strata.nest = "sin"}
  affine.parallel (%j) = (0) to (64) {
    %a = affine.load %s[%j] : memref<64xf32>
    %b = math.exp %a : f32
    affine.store %b, %e[%j] : memref<64xf32>
  } {strata.nest = "exp"}
  affine.parallel (%i, %j) = (0, 0) to (128, 64) {
    %a = affine.load %x[%i, %j] : memref<128x64xf32>
    %b = affine.load %e[%j] : memref<64xf32>
    %c = arith.mulf %a, %b : f32
    affine.store %c, %wide[%i, %j] : memref<128x64xf32>
  } {strata.nest = "mul"}
  affine.parallel (%i, %j) = (0, 0) to (128, 64) {
    %a = affine.load %wide[%i, %j] : memref<128x64xf32>
    %b = arith.negf %a : f32
    affine.store %b, %y[%i, %j] : memref<128x64xf32>
  } {strata.nest = "neg"}
  affine.parallel (%i) = (0) to (128) {
    %zero = arith.constant 0.0 : f32
    %t = affine.for %j = 0 to 64 iter_args(%acc = %zero) -> (f32) {
      %a = affine.load %x[%i, %j] : memref<128x64xf32>
      %n = arith.addf %acc, %a : f32
      affine.yield %n : f32
    }
    affine.store %t, %sum[%i] : memref<128xf32>
  } {strata.nest = "sum"}
  affine.parallel (%i, %j) = (0, 0) to (128, 64) {
    %a = affine.load %x[%i, %j] : memref<128x64xf32>
    %b = affine.load %sum[%i] : memref<128xf32>
    %c = arith.subf %a, %b : f32
    affine.store %c, %z[%i, %j] : memref<128x64xf32>
  } {strata.nest = "sub"}
  return
}
