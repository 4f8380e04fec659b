// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --pipeline=affine-tf32 | FileCheck %s
// RUN: strata-opt %s --split-input-file --target=nvgpu --device=sm_90a --mm-conv-precision-mode=mixed_fp16_fp32 --pipeline=affine-tf32 | FileCheck %s --check-prefix=ASKED
// RUN: strata-opt %s --split-input-file --pipeline=affine-tf32 | FileCheck %s --check-prefix=ASKED

// An input and a constant: both are read as f32, the constant where its rounded copy was; what converted the input is
// gone.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:arg0]]: memref<2048x512xf32>
// CHECK: %[[C:.*]] = memref.alloc() : memref<512x1024xf32>
// CHECK-NOT: arith.truncf
// CHECK: affine.store %{{.*}}, %[[C]]
// CHECK: strata.nest = "convert"
// CHECK-NEXT: affine.parallel (%[[I:.*]], %[[J:.*]]) = (0, 0) to (2048, 1024)
// CHECK: affine.for %[[K:.*]] = 0 to 512
// CHECK-DAG: affine.load %[[X]][%[[I]], %[[K]]] : memref<2048x512xf32>
// CHECK-DAG: affine.load %[[C]][%[[K]], %[[J]]] : memref<512x1024xf32>
// CHECK-NOT: arith.extf
// CHECK: strata.nest = "contract", strata.tf32
// ASKED-LABEL: func.func @main
// ASKED-COUNT-2: arith.truncf
// ASKED-COUNT-2: arith.extf
// ASKED-NOT: strata.tf32
memref.global "private" @w : memref<512x1024xf32>
func.func @main(%x: memref<2048x512xf32> {strata.name = "x"}, %y: memref<2048x1024xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<512x1024xf32>
  %a = memref.alloc() : memref<2048x512xf16>
  %b = memref.alloc() : memref<512x1024xf16>
  affine.parallel (%i, %j) = (0, 0) to (2048, 512) {
    %e = affine.load %x[%i, %j] : memref<2048x512xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %a[%i, %j] : memref<2048x512xf16>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (512, 1024) {
    %e = affine.load %w[%i, %j] : memref<512x1024xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %b[%i, %j] : memref<512x1024xf16>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (2048, 1024) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 512 iter_args(%c = %zero) -> (f32) {
      %p = affine.load %a[%i, %k] : memref<2048x512xf16>
      %pw = arith.extf %p : f16 to f32
      %q = affine.load %b[%k, %j] : memref<512x1024xf16>
      %qw = arith.extf %q : f16 to f32
      %m = arith.mulf %pw, %qw : f32
      %n = arith.addf %c, %m : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<2048x1024xf32>
  } {strata.nest = "contract"}
  return
}

// -----

// Two inputs, one of which is turned as it is converted: read where it lies.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:arg0]]: memref<16x512x256xf32>{{.*}}%[[Z:arg1]]: memref<16x256x256xf32>
// CHECK-NOT: memref.alloc
// CHECK-NEXT: affine.parallel (%[[H:.*]], %[[I:.*]], %[[J:.*]]) = (0, 0, 0) to (16, 512, 256)
// CHECK: affine.for %[[K:.*]] = 0 to 256
// CHECK-DAG: affine.load %[[X]][%[[H]], %[[I]], %[[K]]]
// CHECK-DAG: affine.load %[[Z]][%[[H]], %[[J]], %[[K]]]
// CHECK: strata.tf32
func.func @main(%x: memref<16x512x256xf32> {strata.name = "x"}, %z: memref<16x256x256xf32> {strata.name = "z"}, %y: memref<16x512x256xf32> {strata.name = "y", strata.output}) {
  %a = memref.alloc() : memref<16x512x256xf16>
  %b = memref.alloc() : memref<16x256x256xf16>
  affine.parallel (%h, %i, %j) = (0, 0, 0) to (16, 512, 256) {
    %e = affine.load %x[%h, %i, %j] : memref<16x512x256xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %a[%h, %i, %j] : memref<16x512x256xf16>
  } {strata.nest = "convert"}
  affine.parallel (%h, %i, %j) = (0, 0, 0) to (16, 256, 256) {
    %e = affine.load %z[%h, %j, %i] : memref<16x256x256xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %b[%h, %i, %j] : memref<16x256x256xf16>
  } {strata.nest = "convert"}
  affine.parallel (%h, %i, %j) = (0, 0, 0) to (16, 512, 256) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 256 iter_args(%c = %zero) -> (f32) {
      %p = affine.load %a[%h, %i, %k] : memref<16x512x256xf16>
      %pw = arith.extf %p : f16 to f32
      %q = affine.load %b[%h, %k, %j] : memref<16x256x256xf16>
      %qw = arith.extf %q : f16 to f32
      %m = arith.mulf %pw, %qw : f32
      %n = arith.addf %c, %m : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%h, %i, %j] : memref<16x512x256xf32>
  } {strata.nest = "contract"}
  return
}

// -----

// So many products that f16's rate is worth a kernel in front; and an input that somebody else reads rounded, too.
// CHECK-LABEL: func.func @main
// CHECK-NOT: strata.tf32
// CHECK: return
func.func @main(%x: memref<4096x4096xf32> {strata.name = "x"}, %z: memref<4096x4096xf32> {strata.name = "z"}, %y: memref<4096x4096xf32> {strata.name = "y", strata.output}, %u: memref<64x4096xf32> {strata.name = "u"}, %v: memref<512x4096xf32> {strata.name = "v"}, %t: memref<64x512xf32> {strata.name = "t", strata.output}, %o: memref<64x4096xf16> {strata.name = "o", strata.output}) {
  %a = memref.alloc() : memref<4096x4096xf16>
  %b = memref.alloc() : memref<4096x4096xf16>
  %d = memref.alloc() : memref<64x4096xf16>
  %g = memref.alloc() : memref<512x4096xf16>
  affine.parallel (%i, %j) = (0, 0) to (4096, 4096) {
    %e = affine.load %x[%i, %j] : memref<4096x4096xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %a[%i, %j] : memref<4096x4096xf16>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (4096, 4096) {
    %e = affine.load %z[%i, %j] : memref<4096x4096xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %b[%i, %j] : memref<4096x4096xf16>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (4096, 4096) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 4096 iter_args(%c = %zero) -> (f32) {
      %p = affine.load %a[%i, %k] : memref<4096x4096xf16>
      %pw = arith.extf %p : f16 to f32
      %q = affine.load %b[%j, %k] : memref<4096x4096xf16>
      %qw = arith.extf %q : f16 to f32
      %m = arith.mulf %pw, %qw : f32
      %n = arith.addf %c, %m : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<4096x4096xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (64, 4096) {
    %e = affine.load %u[%i, %j] : memref<64x4096xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %d[%i, %j] : memref<64x4096xf16>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (512, 4096) {
    %e = affine.load %v[%i, %j] : memref<512x4096xf32>
    %r = arith.truncf %e : f32 to f16
    affine.store %r, %g[%i, %j] : memref<512x4096xf16>
  } {strata.nest = "convert"}
  affine.parallel (%i, %j) = (0, 0) to (64, 512) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 4096 iter_args(%c = %zero) -> (f32) {
      %p = affine.load %d[%i, %k] : memref<64x4096xf16>
      %pw = arith.extf %p : f16 to f32
      %q = affine.load %g[%j, %k] : memref<512x4096xf16>
      %qw = arith.extf %q : f16 to f32
      %m = arith.mulf %pw, %qw : f32
      %n = arith.addf %c, %m : f32
      affine.yield %n : f32
    }
    affine.store %s, %t[%i, %j] : memref<64x512xf32>
  } {strata.nest = "contract"}
  affine.parallel (%i, %j) = (0, 0) to (64, 4096) {
    %e = affine.load %d[%i, %j] : memref<64x4096xf16>
    affine.store %e, %o[%i, %j] : memref<64x4096xf16>
  } {strata.nest = "copy"}
  return
}
