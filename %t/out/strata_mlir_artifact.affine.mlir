module {
  func.func @main(%arg0: memref<4096x4096xbf16> {strata.name = "a"}, %arg1: memref<4096x4096xbf16> {strata.name = "b"}, %arg2: memref<4096x4096xbf16> {strata.output}) {
    call @k0(%arg0, %arg1, %arg2) : (memref<4096x4096xbf16>, memref<4096x4096xbf16>, memref<4096x4096xbf16>) -> ()
    return
  }
  func.func private @k0(%arg0: memref<4096x4096xbf16>, %arg1: memref<4096x4096xbf16>, %arg2: memref<4096x4096xbf16>) attributes {strata.bytes = 100663296 : i64, strata.flops = 137438953472 : i64, strata.predicted = 367091 : i64, strata.schedule = {group = 128 : i64, kind = "contract", mma = "m16n8k16.bf16", slots = 3 : i64, threads = 128 : i64, tile = array<i64: 128, 128, 64>, warps = array<i64: 2, 2>}} {
    affine.parallel (%arg3, %arg4) = (0, 0) to (4096, 4096) {
      %cst = arith.constant 0.000000e+00 : f32
      %0 = affine.for %arg5 = 0 to 4096 iter_args(%arg6 = %cst) -> (f32) {
        %2 = affine.load %arg0[%arg3, %arg5] : memref<4096x4096xbf16>
        %3 = arith.extf %2 : bf16 to f32
        %4 = affine.load %arg1[%arg4, %arg5] : memref<4096x4096xbf16>
        %5 = arith.extf %4 : bf16 to f32
        %6 = arith.mulf %3, %5 fastmath<reassoc,arcp,contract,afn> : f32
        %7 = arith.addf %arg6, %6 fastmath<reassoc,arcp,contract,afn> : f32
        affine.yield %7 : f32
      }
      %1 = arith.truncf %0 : f32 to bf16
      affine.store %1, %arg2[%arg3, %arg4] : memref<4096x4096xbf16>
    } {strata.nest = "contract"}
    return
  }
}
