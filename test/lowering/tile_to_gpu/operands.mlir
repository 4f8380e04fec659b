// Where operands of pipelined products come from (operands.def): windows of an image, pieces of a matrix, registers; the
// right ones are boxes.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu | FileCheck %s

#window = affine_map<(d0, d1)[s0, s1] -> ((d0 + s0 * 128) floordiv 64, (d0 floordiv 8) mod 8 + s1 floordiv 3 - 1, d0 mod 8 + s1 mod 3 - 1, d1)>
#taps = affine_map<(d0, d1)[s0] -> (d0, s0 floordiv 3, s0 mod 3, d1)>
#pieces = affine_map<(d0, d1)[s0, s1] -> (s0, d0 floordiv 32, d0 mod 32, d1 + s1 * 64)>
#x = affine_map<(d0, d1)[s0, s1] -> (d0 + s0 * 128, d1 + s1 * 64)>
#w = affine_map<(d0, d1)[s0] -> (d0, d1 + s0 * 64)>
#y = affine_map<(d0, d1)[s0] -> (d0 + s0 * 128, d1)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// One copy has all pixels of a tile, whatever rows of the image they are of.
// CHECK: func.func private @window
// CHECK-SAME: strata.maps = [{ahead, box = array<i64: 64, 128, 1, 1>, buffer = 0 : i64, lower = array<i64: -1, -1>
// CHECK-SAME: {box = array<i64: 64, 1, 64>, buffer = 1 : i64
// Four boxes of 32 rows; all of their bytes are announced at once.
// CHECK: func.func private @pieces
// CHECK-SAME: strata.maps = [{box = array<i64: 64, 32, 1, 1>, buffer = 0 : i64

// CHECK-LABEL: func.func @window
// CHECK: "tile.barrier_expect"({{.*}}) {bytes = 24576 : i64}
// CHECK: "tile.bulk_load"({{.*}}) {map = 0 : i64}
// CHECK: "tile.bulk_load"({{.*}}) {map = 1 : i64}
// CHECK-NOT: tile.bulk_load
func.func private @window(%x: memref<4x8x8x64xf16>, %w: memref<64x3x3x64xf16>, %y: memref<256x64xf32>)
    attributes {strata.schedule = {kind = "contract", threads = 256, group = 256, producers = 128, blocks = 2, slots = 4,
                                   tile = array<i64: 128, 64, 64>, warps = array<i64: 8, 1>, mma = "wgmma.f16"}} {
  scf.forall (%t) in (2) {
    %z = arith.constant 0.0 : f32
    %zero = vector.broadcast %z : f32 to vector<128x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %s = scf.for %k = %c0 to %c9 step %c1 iter_args(%a = %zero) -> (vector<128x64xf32>) {
      %u = "tile.load"(%x, %t, %k) {map = #window, pad = 0.0 : f16} : (memref<4x8x8x64xf16>, index, index) -> vector<128x64xf16>
      %v = "tile.load"(%w, %k) {map = #taps} : (memref<64x3x3x64xf16>, index) -> vector<64x64xf16>
      %b = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %a {tile.mma = "wgmma.f16"} : vector<128x64xf16>, vector<64x64xf16> into vector<128x64xf32>
      scf.yield %b : vector<128x64xf32>
    } {tile.pipeline}
    "tile.store"(%s, %y, %t) {map = #y} : (vector<128x64xf32>, memref<256x64xf32>, index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @pieces
// CHECK: "tile.barrier_expect"({{.*}}) {bytes = 24576 : i64}
// CHECK-COUNT-4: "tile.bulk_load"({{.*}}) {map = 0 : i64}
// CHECK: "tile.bulk_load"({{.*}}) {map = 1 : i64}
// CHECK-NOT: tile.bulk_load
func.func private @pieces(%x: memref<2x4x48x256xf16>, %w: memref<64x256xf16>, %y: memref<256x64xf32>)
    attributes {strata.schedule = {kind = "contract", threads = 256, group = 256, producers = 128, blocks = 2, slots = 4,
                                   tile = array<i64: 128, 64, 64>, warps = array<i64: 8, 1>, mma = "wgmma.f16"}} {
  scf.forall (%t) in (2) {
    %z = arith.constant 0.0 : f32
    %zero = vector.broadcast %z : f32 to vector<128x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (vector<128x64xf32>) {
      %u = "tile.load"(%x, %t, %k) {map = #pieces} : (memref<2x4x48x256xf16>, index, index) -> vector<128x64xf16>
      %v = "tile.load"(%w, %k) {map = #w} : (memref<64x256xf16>, index) -> vector<64x64xf16>
      %b = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %a {tile.mma = "wgmma.f16"} : vector<128x64xf16>, vector<64x64xf16> into vector<128x64xf32>
      scf.yield %b : vector<128x64xf32>
    } {tile.pipeline}
    "tile.store"(%s, %y, %t) {map = #y} : (vector<128x64xf32>, memref<256x64xf32>, index) -> ()
  }
  return
}

// What is converted is stored by all producers, each of whom arrives; one of them announces the other operand's box.
// CHECK-LABEL: func.func @registers
// CHECK: vector.load {{.*}} : memref<65536xf32>, vector<4xf32>
// CHECK: "tile.barrier_wait"
// CHECK: vector.store {{.*}} : memref<32768xf16, 3>, vector<4xf16>
// CHECK: "tile.fence"() {of = "shared"}
// CHECK: scf.if
// CHECK: "tile.barrier_expect"({{.*}}) {bytes = 8192 : i64}
// CHECK: "tile.bulk_load"
// CHECK: } else {
// CHECK: "tile.barrier_arrive"
// CHECK-NOT: tile.bulk_load
func.func private @registers(%x: memref<256x256xf32>, %w: memref<64x256xf16>, %y: memref<256x64xf32>)
    attributes {strata.schedule = {kind = "contract", threads = 256, group = 256, producers = 128, blocks = 2, slots = 4,
                                   tile = array<i64: 128, 64, 64>, warps = array<i64: 8, 1>, mma = "wgmma.f16"}} {
  scf.forall (%t) in (2) {
    %z = arith.constant 0.0 : f32
    %zero = vector.broadcast %z : f32 to vector<128x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (vector<128x64xf32>) {
      %r = "tile.load"(%x, %t, %k) {map = #x} : (memref<256x256xf32>, index, index) -> vector<128x64xf32>
      %u = arith.truncf %r : vector<128x64xf32> to vector<128x64xf16>
      %v = "tile.load"(%w, %k) {map = #w} : (memref<64x256xf16>, index) -> vector<64x64xf16>
      %b = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %a {tile.mma = "wgmma.f16"} : vector<128x64xf16>, vector<64x64xf16> into vector<128x64xf32>
      scf.yield %b : vector<128x64xf32>
    } {tile.pipeline}
    "tile.store"(%s, %y, %t) {map = #y} : (vector<128x64xf32>, memref<256x64xf32>, index) -> ()
  }
  return
}
