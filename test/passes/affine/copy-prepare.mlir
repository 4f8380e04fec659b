// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-split-prepare,affine-copy-prepare | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-split-prepare >%t.before
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-split-prepare,affine-copy-prepare >%t.after
// RUN: diff %t.before %t.after

// The host gets a copy of @prepare and of what it calls; the device's own stays as it is, with its schedules, and so does
// @main. test/e2e/gpu_library_test.py runs both.
// CHECK-DAG: func.func private @scale({{.*}}) attributes {strata.schedule = {{.*}}threads = 64
// CHECK-DAG: func.func private @sum({{.*}}) attributes {strata.schedule = {{.*}}threads = 128
// CHECK-DAG: func.func @prepare()
// CHECK-DAG: func.func @main(
memref.global "private" @w : memref<8x4xf32>
func.func private @scale(%p: memref<8x4xf32>, %q: memref<8x4xf32>)
    attributes {strata.schedule = {group = 1 : i64, kind = "map", threads = 64 : i64, tile = array<i64: 4>}} {
  affine.parallel (%i, %j) = (0, 0) to (8, 4) {
    %v = affine.load %p[%i, %j] : memref<8x4xf32>
    %s = arith.addf %v, %v : f32
    affine.store %s, %q[%i, %j] : memref<8x4xf32>
  } {strata.nest = "add"}
  return
}
func.func private @sum(%p: memref<8x4xf32>, %q: memref<8x4xf32>, %y: memref<8x4xf32>)
    attributes {strata.schedule = {group = 1 : i64, kind = "map", threads = 128 : i64, tile = array<i64: 4>}} {
  affine.parallel (%i, %j) = (0, 0) to (8, 4) {
    %v = affine.load %p[%i, %j] : memref<8x4xf32>
    %u = affine.load %q[%i, %j] : memref<8x4xf32>
    %s = arith.addf %v, %u : f32
    affine.store %s, %y[%i, %j] : memref<8x4xf32>
  } {strata.nest = "add"}
  return
}
func.func @main(%x: memref<8x4xf32> {strata.name = "x"}, %y: memref<8x4xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<8x4xf32>
  %q = memref.alloc() : memref<8x4xf32>
  call @scale(%w, %q) : (memref<8x4xf32>, memref<8x4xf32>) -> ()
  call @sum(%q, %x, %y) : (memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>) -> ()
  return
}
