// RUN: strata-opt %s --pipeline=affine-memory-plan | FileCheck %s

// %a lives during launches 0 and 1, %b 1 and 2, %c 2 and 3: %c takes the place of %a. A view is its buffer. What nothing
// uses takes no room. Every place is a multiple of 256.
// CHECK-LABEL: func.func @main
// CHECK-SAME: strata.pool_live = 4608 : i64, strata.pool_size = 4608 : i64, strata.pool_sum = 5120 : i64
// CHECK: memref.alloc() {strata.offset = 0 : i64} : memref<1000xf32>
// CHECK: memref.alloc() {strata.offset = 4096 : i64} : memref<100xf32>
// CHECK: memref.alloc() {strata.offset = 0 : i64} : memref<8x16xf32>
// CHECK: memref.alloc() {strata.offset = 0 : i64} : memref<77xf32>
memref.global "private" @w : memref<100xf32>
func.func private @k(memref<1000xf32>)
func.func private @k1(memref<1000xf32>, memref<100xf32>, memref<100xf32>)
func.func private @k2(memref<100xf32>, memref<128xf32>)
func.func private @k3(memref<128xf32>, memref<8x16xf32>)
func.func @main(%y: memref<8x16xf32> {strata.name = "y", strata.output}) {
  %w = memref.get_global @w : memref<100xf32>
  %a = memref.alloc() : memref<1000xf32>
  %b = memref.alloc() : memref<100xf32>
  %c = memref.alloc() : memref<8x16xf32>
  %unused = memref.alloc() : memref<77xf32>
  %v = memref.collapse_shape %c [[0, 1]] : memref<8x16xf32> into memref<128xf32>
  call @k(%a) : (memref<1000xf32>) -> ()
  call @k1(%a, %w, %b) : (memref<1000xf32>, memref<100xf32>, memref<100xf32>) -> ()
  call @k2(%b, %v) : (memref<100xf32>, memref<128xf32>) -> ()
  call @k3(%v, %y) : (memref<128xf32>, memref<8x16xf32>) -> ()
  return
}
