// RUN: strata-opt %s --target=nvgpu --device=sm_80 --affine-schedule | FileCheck %s --check-prefixes=CHECK,F16
// RUN: strata-opt %s --target=nvgpu --device=sm_80 --polyblocks-gpu-no-tensor-core --affine-schedule | FileCheck %s --check-prefixes=CHECK,FMA

func.func @main(%x: memref<4096x4096xf16>, %w: memref<4096x4096xf16>, %y: memref<4096x4096xf32>,
                %a: memref<64x4096xf16>, %b: memref<4096x64xf16>, %c: memref<64x64xf32>,
                %v: memref<4096xf16>, %r: memref<4096xf32>, %i: memref<8x8x16xf16>, %o: memref<8x8x32xf32>) {
  func.call @large(%x, %w, %y) : (memref<4096x4096xf16>, memref<4096x4096xf16>, memref<4096x4096xf32>) -> ()
  func.call @deep(%a, %b, %c) : (memref<64x4096xf16>, memref<4096x64xf16>, memref<64x64xf32>) -> ()
  func.call @vector(%v, %w, %r) : (memref<4096xf16>, memref<4096x4096xf16>, memref<4096xf32>) -> ()
  %k = memref.get_global @filter : memref<32x16x9xf16>
  func.call @filters(%i, %k, %o) : (memref<8x8x16xf16>, memref<32x16x9xf16>, memref<8x8x32xf32>) -> ()
  return
}
memref.global "private" @filter : memref<32x16x9xf16>

// Enough tiles for every processor: the largest.
// CHECK: func.func private @large
// F16-SAME: kind = "contract", mma = "m16n8k16.f16", slots = {{[34]}} : i64, threads = 256 : i64, tile = array<i64: 128, 256, {{32|64}}>, warps = array<i64: 2, 4>
// FMA-SAME: kind = "contract", threads = 128 : i64, tile = array<i64: 128, 128, 8>, warps = array<i64: 2, 2>
func.func private @large(%x: memref<4096x4096xf16>, %w: memref<4096x4096xf16>, %y: memref<4096x4096xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (4096, 4096) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 4096 iter_args(%a = %z) -> (f32) {
      %u = affine.load %x[%i, %k] : memref<4096x4096xf16>
      %ue = arith.extf %u : f16 to f32
      %v = affine.load %w[%k, %j] : memref<4096x4096xf16>
      %ve = arith.extf %v : f16 to f32
      %p = arith.mulf %ue, %ve : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<4096x4096xf32>
  } {strata.nest = "contract"}
  return
}

// Few tiles, many steps: several warps of one tile take a part of every step each.
// CHECK: func.func private @deep
// F16-SAME: kind = "contract", mma = "m16n8k16.f16", slots = 8 : i64, threads = {{128|256}} : i64, tile = array<i64: 32, 32, {{128|256}}>, warps = array<i64: 1, 1>
func.func private @deep(%x: memref<64x4096xf16>, %w: memref<4096x64xf16>, %y: memref<64x64xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 4096 iter_args(%a = %z) -> (f32) {
      %u = affine.load %x[%i, %k] : memref<64x4096xf16>
      %ue = arith.extf %u : f16 to f32
      %v = affine.load %w[%k, %j] : memref<4096x64xf16>
      %ve = arith.extf %v : f16 to f32
      %p = arith.mulf %ue, %ve : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i, %j] : memref<64x64xf32>
  } {strata.nest = "contract"}
  return
}

// One row: not for tiles.
// CHECK: func.func private @vector
// CHECK-SAME: kind = "rows"
func.func private @vector(%x: memref<4096xf16>, %w: memref<4096x4096xf16>, %y: memref<4096xf32>) {
  affine.parallel (%j) = (0) to (4096) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 4096 iter_args(%a = %z) -> (f32) {
      %u = affine.load %x[%k] : memref<4096xf16>
      %ue = arith.extf %u : f16 to f32
      %v = affine.load %w[%k, %j] : memref<4096x4096xf16>
      %ve = arith.extf %v : f16 to f32
      %p = arith.mulf %ue, %ve : f32
      %n = arith.addf %a, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%j] : memref<4096xf32>
  } {strata.nest = "contract"}
  return
}

// Constant weights whose steps and rows lie apart: packed, the filters side by side.
// CHECK: func.func private @filters_pack({{.*}}memref<32x16x9xf16>, {{.*}}memref<1x16x9x32xf16>)
// CHECK: func.func private @filters(
// CHECK-SAME: kind = "contract"
// CHECK: affine.load %arg1[0, %{{.*}}, %{{.*}}, %{{.*}}] : memref<1x16x9x32xf16>
func.func private @filters(%x: memref<8x8x16xf16>, %w: memref<32x16x9xf16>, %y: memref<8x8x32xf32>) {
  affine.parallel (%p, %q, %f) = (0, 0, 0) to (8, 8, 32) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %c = 0 to 16 iter_args(%a = %z) -> (f32) {
      %s1 = affine.for %r = 0 to 9 iter_args(%a1 = %a) -> (f32) {
        %u = affine.load %x[%p, %q, %c] : memref<8x8x16xf16>
        %ue = arith.extf %u : f16 to f32
        %v = affine.load %w[%f, %c, %r] : memref<32x16x9xf16>
        %ve = arith.extf %v : f16 to f32
        %m = arith.mulf %ue, %ve : f32
        %n = arith.addf %a1, %m : f32
        affine.yield %n : f32
      }
      affine.yield %s1 : f32
    }
    affine.store %s, %y[%p, %q, %f] : memref<8x8x32xf32>
  } {strata.nest = "contract"}
  return
}
