// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=affine-add-scratch | FileCheck %s
// RUN: strata-opt %s --target=cpu --pipeline=affine-add-scratch | FileCheck %s --check-prefix=CPU

// Each call of a product whose blocks leave sums to one another has memory for them and flags, which a kernel in front
// sets to zero: 3 blocks' tiles of 128 x 64.

// CHECK-LABEL: func.func @main
// CHECK: %[[SUMS:.*]] = memref.alloc() : memref<24576xi32>
// CHECK: %[[FLAGS:.*]] = memref.alloc() : memref<3xi32>
// CHECK: call @k0_flags(%[[FLAGS]]) : (memref<3xi32>) -> ()
// CHECK: call @k0(%arg0, %arg1, %[[SUMS]], %[[FLAGS]])
// CHECK: %[[SUMS_2:.*]] = memref.alloc() : memref<24576xi32>
// CHECK: %[[FLAGS_2:.*]] = memref.alloc() : memref<3xi32>
// CHECK: call @k0_flags(%[[FLAGS_2]]) : (memref<3xi32>) -> ()
// CHECK: call @k0(%arg1, %arg1, %[[SUMS_2]], %[[FLAGS_2]])
// CHECK: call @k1(%arg0, %arg1) :

// Blocks that take the next task have its number, from zero on.
// CHECK: %[[COUNTER:.*]] = memref.alloc() : memref<1xi32>
// CHECK: call @k2_flags(%[[COUNTER]]) : (memref<1xi32>) -> ()
// CHECK: call @k2(%arg0, %arg1, %[[COUNTER]])

// CHECK-LABEL: func.func @prepare
// CHECK: call @k1

// CHECK: func.func private @k0_flags(%[[ARG:.*]]: memref<3xi32>) attributes {strata.schedule = {group = 1 : i64, kind = "map"
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (3)
// CHECK: affine.store %c0_i32, %[[ARG]][%[[I]]]
// CHECK: func.func private @k0(%arg0: memref<128x128xf32>, %arg1: memref<128x128xf32>, %arg2: memref<24576xi32>, %arg3: memref<3xi32>)

// What constants decide has its tasks whole, and in turn.
// CHECK: func.func private @k1(%arg0: memref<128x128xf32>, %arg1: memref<128x128xf32>) attributes
// CHECK-NOT: stream
// CHECK-SAME: {blocks = 2 : i64

// CHECK: func.func private @k2_flags
// CHECK: affine.parallel (%{{.*}}) = (0) to (1)
// CHECK: func.func private @k2(%arg0: memref<128x128xf32>, %arg1: memref<128x128xf32>, %arg2: memref<1xi32>)
// CHECK-SAME: dynamic = 1 : i64

// CHECK: func.func private @k3(%arg0: memref<128x128xf32>, %arg1: memref<128x128xf32>) attributes {strata.schedule = {blocks = 2 : i64, kind = "segment_attention", tile

// CPU-NOT: flags
module {
  memref.global "private" @c : memref<128x128xf32>
  memref.global "private" @prepared : memref<128x128xf32>
  func.func @main(%x: memref<128x128xf32>, %y: memref<128x128xf32>) {
    call @k0(%x, %y) : (memref<128x128xf32>, memref<128x128xf32>) -> ()
    call @k0(%y, %y) : (memref<128x128xf32>, memref<128x128xf32>) -> ()
    call @k1(%x, %y) : (memref<128x128xf32>, memref<128x128xf32>) -> ()
    call @k2(%x, %y) : (memref<128x128xf32>, memref<128x128xf32>) -> ()
    return
  }
  func.func @prepare() {
    %c = memref.get_global @c : memref<128x128xf32>
    %p = memref.get_global @prepared : memref<128x128xf32>
    call @k1(%c, %p) : (memref<128x128xf32>, memref<128x128xf32>) -> ()
    call @k3(%c, %p) : (memref<128x128xf32>, memref<128x128xf32>) -> ()
    return
  }
  func.func private @k0(%x: memref<128x128xf32>, %y: memref<128x128xf32>) attributes {strata.schedule = {kind = "contract", blocks = 3 : i64, stream = 1 : i64, tile = array<i64: 128, 64, 32>}} {
    return
  }
  func.func private @k1(%x: memref<128x128xf32>, %y: memref<128x128xf32>) attributes {strata.schedule = {kind = "contract", blocks = 2 : i64, stream = 1 : i64, tile = array<i64: 128, 64, 32>}} {
    return
  }
  func.func private @k2(%x: memref<128x128xf32>, %y: memref<128x128xf32>) attributes {strata.schedule = {kind = "segment_attention", blocks = 3 : i64, dynamic = 1 : i64, tile = array<i64: 128, 64, 32>}} {
    return
  }
  func.func private @k3(%x: memref<128x128xf32>, %y: memref<128x128xf32>) attributes {strata.schedule = {kind = "segment_attention", blocks = 2 : i64, dynamic = 1 : i64, row_slots = 2 : i64, tile = array<i64: 128, 64, 32>}} {
    return
  }
}
