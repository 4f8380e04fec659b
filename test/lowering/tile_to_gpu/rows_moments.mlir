// Mean and variance of rows that four warps have, 128 elements a warp, with one wait for them; what is made of the
// differences is a product and one row's number. The maximum behind it has another wait: what one task's warps leave is
// read before the next one's, and no task ends with a barrier.
// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=sm_90a | FileCheck %s
// Without fast math each is computed by itself.
// RUN: sed 's/ fastmath<[^>]*>//; s/ {tile.contracts}//' %s > %t.mlir
// RUN: strata-opt %t.mlir --pipeline=tile-to-gpu --target=nvgpu --device=sm_90a | FileCheck %s --check-prefix=APART
// RUN: strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --device=sm_90a --polyblocks-disable-unsafe-math-canonicalizations | FileCheck %s --check-prefix=APART

// CHECK: func.func @k({{.*}}strata.maps
// CHECK: scf.for
// CHECK: "tile.barrier_wait"
// CHECK: "tile.barrier_arrive"
// Differences from an element of the warp's own, which its first lane has, of each of four rows; their sums and their
// squares', each as lanes share four results out.
// CHECK-COUNT-4: gpu.shuffle idx {{.*}}, %c0
// CHECK: arith.subf {{.*}} fastmath<contract>
// CHECK-COUNT-12: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: arith.constant 7.812500e-03
// CHECK: memref.store {{.*}} : memref<32xf32, 3>
// CHECK: memref.store {{.*}} : memref<32xf32, 3>
// CHECK: "tile.group_barrier"({{.*}}) {threads = 128 : i64}
// CHECK-NOT: barrier
// CHECK-COUNT-8: memref.load {{.*}} : memref<32xf32, 3>
// Two parts of 128 elements, then two of 256.
// CHECK-DAG: arith.constant 6.400000e+01
// CHECK-DAG: arith.constant 1.280000e+02
// CHECK: "tile.barrier_wait"
// CHECK: math.rsqrt
// The maximum.
// CHECK: "tile.group_barrier"({{.*}}) {threads = 128 : i64}
// CHECK: vector.store {{.*}} : memref<32768xf32>, vector<4xf32>
// CHECK-NOT: barrier
// CHECK: scf.yield

// APART-COUNT-6: gpu.shuffle xor
// APART: "tile.group_barrier"
// APART-COUNT-6: gpu.shuffle xor
// APART: "tile.group_barrier"
// APART: math.{{r?}}sqrt
#rows = affine_map<(d0, d1)[s0] -> (d0 + s0 * 8, d1)>
module {
  func.func @main(%x: memref<64x512xf32>, %y: memref<512x64xf32>, %z: memref<64x512xf32>) {
    call @k(%x, %y, %z) : (memref<64x512xf32>, memref<512x64xf32>, memref<64x512xf32>) -> ()
    return
  }
  func.func private @k(%x: memref<64x512xf32>, %y: memref<512x64xf32>, %z: memref<64x512xf32>) attributes
      {strata.bytes = 393216 : i64, strata.schedule = {kind = "rows", threads = 256 : i64, group = 256 : i64, blocks = 2 : i64, tile = array<i64: 512, 8>}} {
    scf.forall (%t) in (8) {
      %a = "tile.load"(%x, %t) {map = #rows} : (memref<64x512xf32>, index) -> vector<8x512xf32>
      %b = "tile.load"(%y, %t) {map = affine_map<(d0, d1)[s0] -> (d1, d0 + s0 * 8)>} : (memref<512x64xf32>, index) -> vector<8x512xf32>
      %v = arith.addf %a, %b fastmath<reassoc,arcp,contract,afn> : vector<8x512xf32>
      %zero = arith.constant 0.0 : f32
      %zeros = vector.broadcast %zero : f32 to vector<8xf32>
      %s = vector.multi_reduction <add>, %v, %zeros {tile.contracts} [1] : vector<8x512xf32> to vector<8xf32>
      %n = arith.constant 0.001953125 : f32
      %ns = vector.broadcast %n : f32 to vector<8xf32>
      %m = arith.mulf %s, %ns fastmath<reassoc,arcp,contract,afn> : vector<8xf32>
      %m0 = vector.broadcast %m : vector<8xf32> to vector<512x8xf32>
      %m1 = vector.transpose %m0, [1, 0] : vector<512x8xf32> to vector<8x512xf32>
      %d = arith.subf %v, %m1 fastmath<reassoc,arcp,contract,afn> : vector<8x512xf32>
      %e = arith.mulf %d, %d fastmath<reassoc,arcp,contract,afn> : vector<8x512xf32>
      %q = vector.multi_reduction <add>, %e, %zeros {tile.contracts} [1] : vector<8x512xf32> to vector<8xf32>
      %r = math.rsqrt %q fastmath<reassoc,arcp,contract,afn> : vector<8xf32>
      %r0 = vector.broadcast %r : vector<8xf32> to vector<512x8xf32>
      %r1 = vector.transpose %r0, [1, 0] : vector<512x8xf32> to vector<8x512xf32>
      %f = arith.mulf %d, %r1 fastmath<reassoc,arcp,contract,afn> : vector<8x512xf32>
      %g = vector.multi_reduction <maximumf>, %f, %zeros [1] : vector<8x512xf32> to vector<8xf32>
      %g0 = vector.broadcast %g : vector<8xf32> to vector<512x8xf32>
      %g1 = vector.transpose %g0, [1, 0] : vector<512x8xf32> to vector<8x512xf32>
      %h = arith.addf %f, %g1 : vector<8x512xf32>
      "tile.store"(%h, %z, %t) {map = #rows} : (vector<8x512xf32>, memref<64x512xf32>, index) -> ()
    }
    return
  }
}
