// Attention: rows once a task, keys and values through rings of their own; scores of the next step are under way while
// the weights of this one multiply its values, and everything between the two waits depends on the scores alone. Weights
// are packed and sums rescaled behind the second one, which a wait that is over keeps from moving up. Lanes carry their
// own parts of the rows' sums.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu | FileCheck %s

// CHECK-LABEL: func.func @attention
// CHECK: "tile.barrier_expect"(%{{[^,]*}}, %{{[^,]*}}) {bytes = 8192 : i64}
// CHECK: "tile.bulk_load"(%[[Q:[^,]*]], %{{[^,]*}}, %{{[^,]*}}, {{.*}} {map = 0 : i64}
// CHECK: scf.for
// CHECK: "tile.bulk_load"(%[[K:[^,]*]], %{{[^,]*}}, %[[KEYS_FULL:[^,]*]], {{.*}} {map = 1 : i64}
// CHECK: "tile.bulk_load"(%[[V:[^,]*]], %{{[^,]*}}, %[[VALUES_FULL:[^,]*]], {{.*}} {map = 2 : i64}
// CHECK-COUNT-16: vector.load %[[Q]][%{{.*}}] : memref<4096xbf16, 3>, vector<2xbf16>
// CHECK: "tile.mma_left"
// CHECK: "tile.barrier_arrive"
// CHECK: "tile.barrier_wait"(%[[KEYS_FULL]],
// CHECK: "tile.mma_registers"({{.*}}, %[[K]], %{{[^,]*}}) {kind = "wgmma.bf16", n = 64 : i64, right = array<i64: 0, 128, 0, 1024>}
// CHECK-COUNT-3: "tile.mma_registers"
// CHECK: "tile.mma_wait"{{.*}} {pending = 0 : i64}
// CHECK: "tile.mma_left"
// CHECK: scf.for
// CHECK: "tile.barrier_wait"(%[[KEYS_FULL]],
// CHECK-NEXT: "tile.mma_fence"() : () -> ()
// CHECK-COUNT-4: "tile.mma_registers"
// CHECK: "tile.mma_commit"
// CHECK: "tile.barrier_wait"(%[[VALUES_FULL]],
// CHECK-NEXT: "tile.mma_fence"(%
// CHECK: "tile.mma_registers"({{.*}}%[[V]],{{.*}} {kind = "wgmma.bf16", n = 64 : i64, right = array<i64: 1, 128, 8192, 1024>}
// CHECK-COUNT-3: "tile.mma_registers"
// CHECK: "tile.mma_commit"
// CHECK: "tile.mma_wait"{{.*}} {pending = 1 : i64}
// CHECK-COUNT-4: gpu.shuffle
// CHECK: "tile.barrier_wait"(%[[VALUES_FULL]],
// CHECK-NOT: arith.truncf
// CHECK-NOT: gpu.shuffle
// CHECK: "tile.mma_wait"{{.*}} {pending = 0 : i64}
// CHECK: arith.truncf
// CHECK: "tile.mma_left"
// CHECK: scf.yield
// CHECK: "tile.barrier_wait"(%[[VALUES_FULL]],
// CHECK: "tile.mma_registers"
// CHECK: "tile.mma_wait"{{.*}} {pending = 0 : i64}
// CHECK: "tile.bulk_store"
#q = affine_map<(d0, d1)[s0, s1, s2] -> (s0, d0 + s2 * 64, s1, d1)>
#k = affine_map<(d0, d1)[s0, s1, s2] -> (s0, d0 + s2 * 64, s1, d1)>
#v = affine_map<(d0, d1)[s0, s1, s2] -> (s0, d1 + s2 * 64, s1, d0)>
#bias = affine_map<(d0)[s0, s1] -> (s0, d0 + s1 * 64)>
#rows = affine_set<(d0, d1)[s0, s1, s2] : (-d0 - s2 * 64 + 99 >= 0)>
#kcols = affine_set<(d0, d1)[s0, s1, s2] : (-d0 - s2 * 64 + 99 >= 0)>
#vcols = affine_set<(d0, d1)[s0, s1, s2] : (-d1 - s2 * 64 + 99 >= 0)>
#bcols = affine_set<(d0)[s0, s1] : (-d0 - s1 * 64 + 99 >= 0)>
#left = affine_map<(d0) -> (d0 * -64 + 100)>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#nk = affine_map<(d0, d1, d2) -> (d1, d2)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
func.func private @attention(%q: memref<1x100x2x64xbf16>, %k: memref<1x100x2x64xbf16>, %v: memref<1x100x2x64xbf16>, %mask: memref<1x100xf32>, %o: memref<1x100x2x64xbf16>) attributes {strata.schedule = {
    blocks = 2 : i64, group = 128 : i64, kind = "attention", mma = "wgmma.bf16", producers = 128 : i64,
    slots = 2 : i64, threads = 128 : i64, tile = array<i64: 64, 64, 64>}} {
  scf.forall (%t) in (4) {
    %b = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%t)
    %h = affine.apply affine_map<(d0) -> ((d0 floordiv 2) mod 2)>(%t)
    %i = affine.apply affine_map<(d0) -> (d0 mod 2)>(%t)
    %rows = "tile.load"(%q, %b, %h, %i) {map = #q, mask = #rows} : (memref<1x100x2x64xbf16>, index, index, index) -> vector<64x64xbf16>
    %lowest = arith.constant -3.40282347E+38 : f32
    %m0 = vector.broadcast %lowest : f32 to vector<64xf32>
    %zero = arith.constant 0.0 : f32
    %l0 = vector.broadcast %zero : f32 to vector<64xf32>
    %o0 = vector.broadcast %zero : f32 to vector<64x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %steps = arith.constant 2 : index
    %r:3 = scf.for %j = %c0 to %steps step %c1 iter_args(%m = %m0, %l = %l0, %w = %o0) -> (vector<64xf32>, vector<64xf32>, vector<64x64xf32>) {
      %c = affine.apply affine_map<(d0) -> (2 - d0 - 1)>(%j)
      %keys = "tile.load"(%k, %b, %h, %c) {map = #k, mask = #kcols} : (memref<1x100x2x64xbf16>, index, index, index) -> vector<64x64xbf16>
      %start = vector.broadcast %zero : f32 to vector<64x64xf32>
      %s = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %rows, %keys, %start {tile.mma = "wgmma.bf16"} : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
      %at = vector.step : vector<64xindex>
      %left = affine.apply #left(%c)
      %ends = vector.broadcast %left : index to vector<64xindex>
      %is = arith.cmpi slt, %at, %ends : vector<64xindex>
      %isb = vector.broadcast %is : vector<64xi1> to vector<64x64xi1>
      %never = arith.constant 0xFF800000 : f32
      %nv = vector.broadcast %never : f32 to vector<64x64xf32>
      %s1 = arith.select %isb, %s, %nv : vector<64x64xi1>, vector<64x64xf32>
      %m1 = vector.multi_reduction <maximumf>, %s1, %m [1] : vector<64x64xf32> to vector<64xf32>
      %f = arith.constant 1.803368801e-01 : f32
      %fr = vector.broadcast %f : f32 to vector<64xf32>
      %fs = vector.broadcast %f : f32 to vector<64x64xf32>
      %mf = arith.mulf %m1, %fr fastmath<contract> : vector<64xf32>
      %mb = vector.broadcast %mf : vector<64xf32> to vector<64x64xf32>
      %mt = vector.transpose %mb, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
      %sf = arith.mulf %s1, %fs fastmath<contract> : vector<64x64xf32>
      %d = arith.subf %sf, %mt fastmath<contract> : vector<64x64xf32>
      %p = math.exp2 %d fastmath<afn> : vector<64x64xf32>
      %dm = arith.subf %m, %m1 : vector<64xf32>
      %dmf = arith.mulf %dm, %fr : vector<64xf32>
      %alpha = math.exp2 %dmf fastmath<afn> : vector<64xf32>
      %l1 = arith.mulf %l, %alpha fastmath<contract> : vector<64xf32>
      %l2 = vector.multi_reduction <add>, %p, %l1 [1] : vector<64x64xf32> to vector<64xf32>
      %weights = arith.truncf %p : vector<64x64xf32> to vector<64x64xbf16>
      %values = "tile.load"(%v, %b, %h, %c) {map = #v, mask = #vcols} : (memref<1x100x2x64xbf16>, index, index, index) -> vector<64x64xbf16>
      %f0 = vector.broadcast %alpha : vector<64xf32> to vector<64x64xf32>
      %f1 = vector.transpose %f0, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
      %w1 = arith.mulf %w, %f1 fastmath<contract> : vector<64x64xf32>
      %w2 = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %weights, %values, %w1 {tile.mma = "wgmma.bf16"} : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
      scf.yield %m1, %l2, %w2 : vector<64xf32>, vector<64xf32>, vector<64x64xf32>
    } {tile.pipeline}
    %one = arith.constant dense<1.0> : vector<64xf32>
    %inverse = arith.divf %one, %r#1 fastmath<arcp> : vector<64xf32>
    %i0 = vector.broadcast %inverse : vector<64xf32> to vector<64x64xf32>
    %i1 = vector.transpose %i0, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
    %y = arith.mulf %r#2, %i1 : vector<64x64xf32>
    %z = arith.truncf %y : vector<64x64xf32> to vector<64x64xbf16>
    "tile.store"(%z, %o, %b, %h, %i) {map = #q, mask = #rows} : (vector<64x64xbf16>, memref<1x100x2x64xbf16>, index, index, index) -> ()
  }
  return
}
}
