// RUN: strata-opt %s --target=nvgpu --device=sm_90a --multistream=1 --pipeline=affine-streams,affine-memory-plan | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --multistream=1 --multistream-max-parallel=2 --pipeline=affine-streams | FileCheck %s --check-prefix=FEW
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --multistream=all --multistream-extra-streams=1 --pipeline=affine-streams | FileCheck %s --check-prefix=ALL
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-streams | FileCheck %s --check-prefix=OFF

// Three chains: @a, which leaves the first half of what @join reads, then @b, whose results, of the other half, no one of
// them depends on; @c and what reads it; and @d, whose flags its nests do not name, behind who clears them. They meet in
// @join. The longest is on the call's stream. %t, %u and %f live for all of the region: none takes another's place. @fill
// keeps all of the card busy: two of them gain nothing, unless that is not asked.

// CHECK: memref.alloc() {strata.offset = [[T:[0-9]+]] : i64} : memref<64xf32>
// CHECK: memref.alloc() {strata.offset = [[U:[0-9]+]] : i64} : memref<64xf32>
// CHECK-NOT: strata.offset = [[T]]
// CHECK: call @a(%arg0, %{{.*}}) {strata.region = 0 : i64, strata.stream = 1 : i64}
// CHECK: call @c(%arg0, %{{.*}}) {strata.region = 0 : i64, strata.stream = 0 : i64}
// CHECK: call @b(%arg0, %{{.*}}) {strata.region = 0 : i64, strata.stream = 2 : i64}
// CHECK: call @c(%{{.*}}, %{{.*}}) {strata.region = 0 : i64, strata.stream = 0 : i64}
// CHECK: call @clear(%{{.*}}) {strata.region = 0 : i64, strata.stream = [[S:[0-9]]] : i64}
// CHECK: call @d(%arg0, %{{.*}}, %{{.*}}) {strata.region = 0 : i64, strata.stream = [[S]] : i64}
// CHECK: call @join(%{{.*}}, %{{.*}}, %arg1) :
// CHECK: call @fill(%arg1, %arg2) :
// CHECK: call @fill(%arg1, %arg3) :

// FEW: call @a(%arg0, %{{.*}}) {strata.region = 0 : i64, strata.stream = 1 : i64}
// FEW: call @c(%arg0, %{{.*}}) {strata.region = 0 : i64, strata.stream = 0 : i64}
// FEW: call @b(%arg0, %{{.*}}) {strata.region = 1 : i64
// FEW: call @c(%{{.*}}, %{{.*}}) {strata.region = 1 : i64

// ALL-NOT: strata.stream = 2
// ALL: call @fill(%arg1, %arg2) {strata.region = 2 : i64, strata.stream = 0 : i64}
// ALL: call @fill(%arg1, %arg3) {strata.region = 2 : i64, strata.stream = 1 : i64}

// OFF-NOT: strata.region
func.func @main(%x: memref<64xf32> {strata.name = "x"}, %y: memref<64xf32> {strata.name = "y", strata.output},
                %p: memref<64xf32> {strata.name = "p", strata.output}, %q: memref<64xf32> {strata.name = "q", strata.output}) {
  %t = memref.alloc() : memref<64xf32>
  %u = memref.alloc() : memref<64xf32>
  %v = memref.alloc() : memref<64xf32>
  %w = memref.alloc() : memref<64xf32>
  %f = memref.alloc() : memref<64xf32>
  call @a(%x, %t) : (memref<64xf32>, memref<64xf32>) -> ()
  call @c(%x, %u) : (memref<64xf32>, memref<64xf32>) -> ()
  call @b(%x, %t) : (memref<64xf32>, memref<64xf32>) -> ()
  call @c(%u, %v) : (memref<64xf32>, memref<64xf32>) -> ()
  call @clear(%f) : (memref<64xf32>) -> ()
  call @d(%x, %w, %f) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  call @join(%t, %v, %y) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  call @fill(%y, %p) : (memref<64xf32>, memref<64xf32>) -> ()
  call @fill(%y, %q) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @a(%x: memref<64xf32>, %y: memref<64xf32>) attributes {strata.predicted = 12000 : i64, strata.schedule = {kind = "map"}} {
  affine.parallel (%i) = (0) to (32) {
    %a = affine.load %x[%i] : memref<64xf32>
    affine.store %a, %y[%i] : memref<64xf32>
  } {strata.nest = "a"}
  return
}
func.func private @b(%x: memref<64xf32>, %y: memref<64xf32>) attributes {strata.predicted = 11000 : i64, strata.schedule = {kind = "map"}} {
  affine.parallel (%i) = (0) to (32) {
    %a = affine.load %x[%i] : memref<64xf32>
    affine.store %a, %y[%i + 32] : memref<64xf32>
  } {strata.nest = "b"}
  return
}
func.func private @c(%x: memref<64xf32>, %y: memref<64xf32>) attributes {strata.predicted = 13000 : i64, strata.schedule = {kind = "map"}} {
  affine.parallel (%i) = (0) to (64) {
    %a = affine.load %x[%i] : memref<64xf32>
    affine.store %a, %y[%i] : memref<64xf32>
  } {strata.nest = "c"}
  return
}
func.func private @clear(%f: memref<64xf32>) attributes {strata.predicted = 2100 : i64, strata.schedule = {kind = "map"}} {
  affine.parallel (%i) = (0) to (64) {
    %zero = arith.constant 0.0 : f32
    affine.store %zero, %f[%i] : memref<64xf32>
  } {strata.nest = "flags"}
  return
}
func.func private @d(%x: memref<64xf32>, %y: memref<64xf32>, %f: memref<64xf32>) attributes {strata.predicted = 9000 : i64, strata.schedule = {kind = "map"}} {
  affine.parallel (%i) = (0) to (64) {
    %a = affine.load %x[%i] : memref<64xf32>
    affine.store %a, %y[%i] : memref<64xf32>
  } {strata.nest = "d"}
  return
}
func.func private @join(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) attributes {strata.predicted = 12000 : i64, strata.schedule = {kind = "map"}} {
  affine.parallel (%i) = (0) to (64) {
    %a = affine.load %x[%i] : memref<64xf32>
    %b = affine.load %y[%i] : memref<64xf32>
    %c = arith.addf %a, %b : f32
    affine.store %c, %z[%i] : memref<64xf32>
  } {strata.nest = "join"}
  return
}
func.func private @fill(%x: memref<64xf32>, %y: memref<64xf32>) attributes {strata.predicted = 50000 : i64, strata.bytes = 240000000 : i64, strata.schedule = {kind = "map"}} {
  affine.parallel (%i) = (0) to (64) {
    %a = affine.load %x[%i] : memref<64xf32>
    affine.store %a, %y[%i] : memref<64xf32>
  } {strata.nest = "fill"}
  return
}
