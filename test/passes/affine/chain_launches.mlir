// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-chain-launches | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-chain-launches --polyblocks-disable-affine-fusion | FileCheck %s --check-prefix=OFF
// RUN: strata-opt %s --device=x86-64-v4 --pipeline=affine-chain-launches | FileCheck %s --check-prefix=OFF
// RUN: sed 's/segment_contract/contract/' %s > %t.mlir
// RUN: strata-opt %t.mlir --target=nvgpu --device=sm_90a --pipeline=affine-chain-launches | FileCheck %s --check-prefix=OFF

// In front of experts' products kernels of few elements are a chain, whatever they read of one another, of a block that
// has room for the largest: 8 rows by 32 threads. One behind that does not depend on what keeps it apart moves to the
// chain; one that reads the product's result does not, nor what has more tasks than a block carries out, nor the product.

// CHECK-LABEL: func.func @main
// CHECK: call @rows(%arg0, %[[S:.*]]) {strata.chain = 256 : i64, strata.launch = 0 : i64}
// CHECK-NEXT: call @copy(%[[S]], %[[T:.*]]) {strata.chain = 256 : i64, strata.launch = 0 : i64}
// CHECK-NEXT: call @copy(%[[T]], %arg3) {strata.chain = 256 : i64, strata.launch = 0 : i64}
// CHECK-NEXT: call @many(%arg1, %{{.*}}) :
// CHECK-NEXT: call @product(%{{.*}}, %[[U:.*]]) :
// CHECK-NEXT: call @copy(%[[U]], %arg4) :
// CHECK-NEXT: return
// OFF-NOT: strata.chain
func.func @main(%x: memref<8x64xf32> {strata.name = "x"}, %w: memref<4096xf32> {strata.name = "w"}, %y: memref<4096xf32> {strata.name = "y", strata.output},
                %z: memref<8xf32> {strata.name = "z", strata.output}, %v: memref<8xf32> {strata.name = "v", strata.output}) {
  %s = memref.alloc() : memref<8xf32>
  %t = memref.alloc() : memref<8xf32>
  %u = memref.alloc() : memref<8xf32>
  call @rows(%x, %s) : (memref<8x64xf32>, memref<8xf32>) -> ()
  call @copy(%s, %t) : (memref<8xf32>, memref<8xf32>) -> ()
  call @many(%w, %y) : (memref<4096xf32>, memref<4096xf32>) -> ()
  call @product(%t, %u) : (memref<8xf32>, memref<8xf32>) -> ()
  call @copy(%u, %v) : (memref<8xf32>, memref<8xf32>) -> ()
  call @copy(%t, %z) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
func.func private @rows(%x: memref<8x64xf32>, %y: memref<8xf32>) attributes {strata.bytes = 2080 : i64, strata.schedule = {kind = "rows", threads = 64, group = 32, tile = array<i64: 64>}} {
  affine.parallel (%i) = (0) to (8) {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<8x64xf32>
      %n = arith.addf %a, %v : f32
      affine.yield %n : f32
    }
    affine.store %s, %y[%i] : memref<8xf32>
  } {strata.nest = "reduce"}
  return
}
func.func private @copy(%x: memref<8xf32>, %y: memref<8xf32>) attributes {strata.bytes = 64 : i64, strata.schedule = {kind = "map", threads = 64, group = 1, tile = array<i64: 4>}} {
  affine.parallel (%i) = (0) to (8) {
    %a = affine.load %x[%i] : memref<8xf32>
    affine.store %a, %y[%i] : memref<8xf32>
  } {strata.nest = "copy"}
  return
}
func.func private @many(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {strata.bytes = 32768 : i64, strata.schedule = {kind = "map", threads = 64, group = 1, tile = array<i64: 1>}} {
  affine.parallel (%i) = (0) to (4096) {
    %a = affine.load %x[%i] : memref<4096xf32>
    affine.store %a, %y[%i] : memref<4096xf32>
  } {strata.nest = "copy"}
  return
}
func.func private @product(%x: memref<8xf32>, %y: memref<8xf32>) attributes {strata.bytes = 64 : i64, strata.schedule = {kind = "scalar", threads = 64, group = 1}} {
  affine.parallel (%i) = (0) to (8) {
    %a = affine.load %x[%i] : memref<8xf32>
    affine.store %a, %y[%i] : memref<8xf32>
  } {strata.nest = "segment_contract", strata.serial}
  return
}
