// Constants before the wait: a product that memory decides has the first steps of its weights copied before it waits for
// the kernel in front, as many as there are slots; their slots' other operand follows behind the wait.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu | FileCheck %s

// The block has two tasks, of whose first the steps 0 and 1 come early. Announced is what both operands bring.
// CHECK-LABEL: func.func @weights
// CHECK: strata.maps = [{{.*}}buffer = 1 : i64{{.*}}buffer = 0 : i64
// CHECK: %[[END:.*]] = arith.minui
// CHECK: scf.for {{.*}} to %[[END]]
// CHECK: "tile.barrier_expect"{{.*}} {bytes = 16384 : i64}
// CHECK: "tile.bulk_load"{{.*}} {map = 0 : i64}
// CHECK-NOT: "tile.bulk_load"
// CHECK: "tile.launch_wait"
// CHECK: scf.for
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: %[[EARLY:.*]] = arith.minui
// CHECK: %[[OTHERS:.*]] = arith.select %[[FIRST]], %[[EARLY]], %[[LOWER:.*]] : index
// CHECK: scf.for {{.*}} = %[[LOWER]] to %[[OTHERS]]
// CHECK-NOT: "tile.barrier_
// CHECK: "tile.bulk_load"{{.*}} {map = 1 : i64}
// CHECK-NOT: "tile.bulk_load"
// CHECK: scf.for {{.*}} = %[[OTHERS]] to
// CHECK: "tile.barrier_wait"
// CHECK: "tile.barrier_expect"{{.*}} {bytes = 16384 : i64}
// CHECK: "tile.bulk_load"{{.*}} {map = 1 : i64}
// CHECK: "tile.bulk_load"{{.*}} {map = 0 : i64}
// CHECK-NOT: "tile.bulk_load"
// CHECK: "tile.mma_async"

// What the caller gives, another kernel or @prepare writes is none: the kernel waits first.
// CHECK-LABEL: func.func @input
// CHECK-NOT: "tile.bulk_load"
// CHECK: "tile.launch_wait"
// CHECK: "tile.bulk_load"
// CHECK-LABEL: func.func @written
// CHECK-NOT: "tile.bulk_load"
// CHECK: "tile.launch_wait"
// CHECK: "tile.bulk_load"
// CHECK-LABEL: func.func @prepared
// CHECK-NOT: "tile.bulk_load"
// CHECK: "tile.launch_wait"
// CHECK: "tile.bulk_load"

// Nor does one fetch early that its operations decide.
// CHECK-LABEL: func.func @busy
// CHECK-NOT: "tile.bulk_load"
// CHECK: "tile.launch_wait"
// CHECK: "tile.bulk_load"

!x = memref<64x256xf16>
!w = memref<128x256xf16>
!y = memref<64x128xf16>
#steps = affine_map<(d0, d1)[s0] -> (d0, d1 + s0 * 64)>
#rows = affine_map<(d0, d1)[s0, s1] -> (d0 + s0 * 64, d1 + s1 * 64)>
#result = affine_map<(d0, d1)[s0] -> (d0, d1 + s0 * 64)>
memref.global "private" @w : !w
memref.global "private" @v : !w
memref.global "private" @p : !y
func.func @prepare() {
  %w = memref.get_global @w : !w
  %p = memref.get_global @p : !y
  %u = memref.alloc() {strata.offset = 0 : i64} : !x
  call @prepared(%u, %w, %p) : (!x, !w, !y) -> ()
  return
}
func.func @main(%x: !x {strata.name = "x"}, %g: !w {strata.name = "g"}, %y: !y {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : !w
  %v = memref.get_global @v : !w
  call @weights(%x, %w, %y) : (!x, !w, !y) -> ()
  call @input(%x, %g, %y) : (!x, !w, !y) -> ()
  call @written(%x, %v, %y) : (!x, !w, !y) -> ()
  call @fill(%v) : (!w) -> ()
  call @prepared(%x, %w, %y) : (!x, !w, !y) -> ()
  call @busy(%x, %w, %y) : (!x, !w, !y) -> ()
  return
}
func.func private @fill(%w: !w) attributes {strata.schedule = {group = 32 : i64, kind = "map", threads = 32 : i64, tile = array<i64: 256>}} {
  scf.forall (%t) in (128) {
    %zero = arith.constant 0.000000e+00 : f16
    %row = vector.broadcast %zero : f16 to vector<256xf16>
    "tile.store"(%row, %w, %t) {map = affine_map<(d0)[s0] -> (s0, d0)>} : (vector<256xf16>, !w, index) -> ()
  }
  return
}
func.func private @weights(%a: !x, %b: !w, %y: !y) attributes {strata.bytes = 114688 : i64, strata.flops = 4194304 : i64,
    strata.schedule = {blocks = 1 : i64, group = 128 : i64, kind = "contract", mma = "wgmma.f16", producers = 128 : i64,
                       slots = 2 : i64, threads = 128 : i64, tile = array<i64: 64, 64, 64>, warps = array<i64: 4, 1>}} {
  scf.forall (%t) in (2) {
    %zero = arith.constant 0.000000e+00 : f32
    %start = vector.broadcast %zero : f32 to vector<64x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %start) -> (vector<64x64xf32>) {
      %u = "tile.load"(%a, %k) {map = #steps} : (!x, index) -> vector<64x64xf16>
      %v = "tile.load"(%b, %t, %k) {map = #rows} : (!w, index, index) -> vector<64x64xf16>
      %m = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
      scf.yield %m : vector<64x64xf32>
    } {tile.pipeline}
    %half = arith.truncf %sum : vector<64x64xf32> to vector<64x64xf16>
    "tile.store"(%half, %y, %t) {map = #result} : (vector<64x64xf16>, !y, index) -> ()
  }
  return
}
func.func private @input(%a: !x, %b: !w, %y: !y) attributes {strata.bytes = 114688 : i64, strata.flops = 4194304 : i64,
    strata.schedule = {blocks = 1 : i64, group = 128 : i64, kind = "contract", mma = "wgmma.f16", producers = 128 : i64,
                       slots = 2 : i64, threads = 128 : i64, tile = array<i64: 64, 64, 64>, warps = array<i64: 4, 1>}} {
  scf.forall (%t) in (2) {
    %zero = arith.constant 0.000000e+00 : f32
    %start = vector.broadcast %zero : f32 to vector<64x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %start) -> (vector<64x64xf32>) {
      %u = "tile.load"(%a, %k) {map = #steps} : (!x, index) -> vector<64x64xf16>
      %v = "tile.load"(%b, %t, %k) {map = #rows} : (!w, index, index) -> vector<64x64xf16>
      %m = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
      scf.yield %m : vector<64x64xf32>
    } {tile.pipeline}
    %half = arith.truncf %sum : vector<64x64xf32> to vector<64x64xf16>
    "tile.store"(%half, %y, %t) {map = #result} : (vector<64x64xf16>, !y, index) -> ()
  }
  return
}
func.func private @written(%a: !x, %b: !w, %y: !y) attributes {strata.bytes = 114688 : i64, strata.flops = 4194304 : i64,
    strata.schedule = {blocks = 1 : i64, group = 128 : i64, kind = "contract", mma = "wgmma.f16", producers = 128 : i64,
                       slots = 2 : i64, threads = 128 : i64, tile = array<i64: 64, 64, 64>, warps = array<i64: 4, 1>}} {
  scf.forall (%t) in (2) {
    %zero = arith.constant 0.000000e+00 : f32
    %start = vector.broadcast %zero : f32 to vector<64x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %start) -> (vector<64x64xf32>) {
      %u = "tile.load"(%a, %k) {map = #steps} : (!x, index) -> vector<64x64xf16>
      %v = "tile.load"(%b, %t, %k) {map = #rows} : (!w, index, index) -> vector<64x64xf16>
      %m = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
      scf.yield %m : vector<64x64xf32>
    } {tile.pipeline}
    %half = arith.truncf %sum : vector<64x64xf32> to vector<64x64xf16>
    "tile.store"(%half, %y, %t) {map = #result} : (vector<64x64xf16>, !y, index) -> ()
  }
  return
}
func.func private @prepared(%a: !x, %b: !w, %y: !y) attributes {strata.bytes = 114688 : i64, strata.flops = 4194304 : i64,
    strata.schedule = {blocks = 1 : i64, group = 128 : i64, kind = "contract", mma = "wgmma.f16", producers = 128 : i64,
                       slots = 2 : i64, threads = 128 : i64, tile = array<i64: 64, 64, 64>, warps = array<i64: 4, 1>}} {
  scf.forall (%t) in (2) {
    %zero = arith.constant 0.000000e+00 : f32
    %start = vector.broadcast %zero : f32 to vector<64x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %start) -> (vector<64x64xf32>) {
      %u = "tile.load"(%a, %k) {map = #steps} : (!x, index) -> vector<64x64xf16>
      %v = "tile.load"(%b, %t, %k) {map = #rows} : (!w, index, index) -> vector<64x64xf16>
      %m = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
      scf.yield %m : vector<64x64xf32>
    } {tile.pipeline}
    %half = arith.truncf %sum : vector<64x64xf32> to vector<64x64xf16>
    "tile.store"(%half, %y, %t) {map = #result} : (vector<64x64xf16>, !y, index) -> ()
  }
  return
}
func.func private @busy(%a: !x, %b: !w, %y: !y) attributes {strata.bytes = 114688 : i64, strata.flops = 419430400 : i64,
    strata.schedule = {blocks = 1 : i64, group = 128 : i64, kind = "contract", mma = "wgmma.f16", producers = 128 : i64,
                       slots = 2 : i64, threads = 128 : i64, tile = array<i64: 64, 64, 64>, warps = array<i64: 4, 1>}} {
  scf.forall (%t) in (2) {
    %zero = arith.constant 0.000000e+00 : f32
    %start = vector.broadcast %zero : f32 to vector<64x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %start) -> (vector<64x64xf32>) {
      %u = "tile.load"(%a, %k) {map = #steps} : (!x, index) -> vector<64x64xf16>
      %v = "tile.load"(%b, %t, %k) {map = #rows} : (!w, index, index) -> vector<64x64xf16>
      %m = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %s {tile.mma = "wgmma.f16"} : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
      scf.yield %m : vector<64x64xf32>
    } {tile.pipeline}
    %half = arith.truncf %sum : vector<64x64xf32> to vector<64x64xf16>
    "tile.store"(%half, %y, %t) {map = #result} : (vector<64x64xf16>, !y, index) -> ()
  }
  return
}
