// Rows numbered across two dims of a buffer are one dim of its map, whatever says which tile it is; not where a coordinate
// may be outside its dim.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu | FileCheck %s

// CHECK-DAG: #[[ROWS:.*]] = affine_map<()[s0] -> (256, s0 * 49)>
// CHECK: func.func private @digits
// CHECK-SAME: strata.maps = [{box = array<i64: 64, 128>, buffer = 0 : i64, sizes = #[[ROWS]], steps = array<i64: 1, 1>, strides = array<i64: 512>
// CHECK: func.func private @shifted
// CHECK-SAME: strata.maps = [{box = array<i64: 64, 64>, buffer = 1 : i64

#w = affine_map<(d0, d1)[s0] -> (d0, d1 + s0 * 64)>
#y = affine_map<(d0, d1)[s0] -> (d0 + s0 * 128, d1)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#past = affine_map<(d0, d1)[s0, s1] -> ((d0 + s0 * 128) floordiv 49, (d0 + s0 * 128) mod 49 - 1, d1 + s1 * 64)>
#end = affine_map<(d0, d1)[s0, s1] -> (d0 + (s0 mod 3) * 128, d1)>
!x = memref<?x49x256xf16, {sizes = affine_map<()[s0] -> (s0, 49, 256)>}>
!y = memref<?x64xf32, {sizes = affine_map<()[s0] -> (s0 * 49, 64)>}>
func.func @main(%x: !x, %w: memref<64x256xf16>, %y: !y, %z: memref<256x64xf32>) attributes {strata.symbols = [{name = "b", min = 1 : i64, max = 7 : i64, multiple = 1 : i64}]} {
  call @digits(%x, %w, %y) : (!x, memref<64x256xf16>, !y) -> ()
  call @shifted(%x, %w, %z) : (!x, memref<64x256xf16>, memref<256x64xf32>) -> ()
  return
}
func.func private @digits(%x: !x, %w: memref<64x256xf16>, %y: !y)
    attributes {strata.schedule = {kind = "contract", threads = 256, group = 256, producers = 128, blocks = 2, slots = 4,
                                   tile = array<i64: 128, 64, 64>, warps = array<i64: 8, 1>, mma = "wgmma.f16"}} {
  %n = "strata.size"() {symbol = 0 : i64} : () -> index
  scf.forall (%t) in (3) {
    %z = arith.constant 0.0 : f32
    %zero = vector.broadcast %z : f32 to vector<128x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (vector<128x64xf32>) {
      %u = "tile.load"(%x, %t, %k, %n) {map = affine_map<(d0, d1)[s0, s1, s2] -> ((d0 + (s0 mod 3) * 128) floordiv 49, (d0 + (s0 mod 3) * 128) mod 49, d1 + s1 * 64)>,
          mask = affine_set<(d0, d1)[s0, s1, s2] : (s2 * 49 - 1 - (d0 + (s0 mod 3) * 128) >= 0)>} : (!x, index, index, index) -> vector<128x64xf16>
      %v = "tile.load"(%w, %k) {map = #w} : (memref<64x256xf16>, index) -> vector<64x64xf16>
      %b = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %a {tile.mma = "wgmma.f16"} : vector<128x64xf16>, vector<64x64xf16> into vector<128x64xf32>
      scf.yield %b : vector<128x64xf32>
    } {tile.pipeline}
    "tile.store"(%s, %y, %t, %n) {map = #end, mask = affine_set<(d0, d1)[s0, s1] : (s1 * 49 - 1 - (d0 + (s0 mod 3) * 128) >= 0)>} : (vector<128x64xf32>, !y, index, index) -> ()
  }
  return
}
func.func private @shifted(%x: !x, %w: memref<64x256xf16>, %y: memref<256x64xf32>)
    attributes {strata.schedule = {kind = "contract", threads = 256, group = 256, producers = 128, blocks = 2, slots = 4,
                                   tile = array<i64: 128, 64, 64>, warps = array<i64: 8, 1>, mma = "wgmma.f16"}} {
  scf.forall (%t) in (2) {
    %z = arith.constant 0.0 : f32
    %zero = vector.broadcast %z : f32 to vector<128x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (vector<128x64xf32>) {
      %u = "tile.load"(%x, %t, %k) {map = #past, pad = 0.0 : f16, mask = affine_set<(d0, d1)[s0, s1] : ((d0 + s0 * 128) mod 49 - 1 >= 0)>} : (!x, index, index) -> vector<128x64xf16>
      %v = "tile.load"(%w, %k) {map = #w} : (memref<64x256xf16>, index) -> vector<64x64xf16>
      %b = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %u, %v, %a {tile.mma = "wgmma.f16"} : vector<128x64xf16>, vector<64x64xf16> into vector<128x64xf32>
      scf.yield %b : vector<128x64xf32>
    } {tile.pipeline}
    "tile.store"(%s, %y, %t) {map = #y} : (vector<128x64xf32>, memref<256x64xf32>, index) -> ()
  }
  return
}
