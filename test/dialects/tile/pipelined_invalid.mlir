// RUN: not strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm --split-input-file 2>&1 | FileCheck %s

// What IRDL cannot say of the ops of pipelined products, and what the device has not.

// CHECK: tile.barrier_init has barriers that are no memref<Nxi64, 3>
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %words = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<256xf32, 3>
    "tile.barrier_init"(%words, %c0) {count = 1 : i64}
      : (memref<256xf32, 3>, index) -> ()
    return
  }
} }

// -----

// CHECK: tile.barrier_expect has more than one number of bytes beside the most
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %full = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<4xi64, 3>
    "tile.barrier_expect"(%full, %c0, %c0, %c0) {bytes = 16 : i64} : (memref<4xi64, 3>, index, index, index) -> ()
    return
  }
} }

// -----

// CHECK: tile.bulk_load names a map that its function does not have
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64,
      strata.maps = [{buffer = 0 : i64, type = f32, sizes = array<i64: 32>, strides = array<i64>, box = array<i64: 32>, steps = array<i64: 1>, swizzle = 0 : i64}]} {
    %c0 = arith.constant 0 : index
    %words = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<256xf32, 3>
    %full = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<4xi64, 3>
    "tile.bulk_load"(%words, %c0, %full, %c0, %c0) {map = 1 : i64}
      : (memref<256xf32, 3>, index, memref<4xi64, 3>, index, index) -> ()
    return
  }
} }

// -----

// CHECK: tile.bulk_multicast has other than one coordinate a dim of its map
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64,
      strata.maps = [{buffer = 0 : i64, type = f32, sizes = array<i64: 32>, strides = array<i64>, box = array<i64: 32>, steps = array<i64: 1>, swizzle = 0 : i64}]} {
    %c0 = arith.constant 0 : index
    %words = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<256xf32, 3>
    %full = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<4xi64, 3>
    "tile.bulk_multicast"(%words, %c0, %full, %c0, %c0) {map = 0 : i64}
      : (memref<256xf32, 3>, index, memref<4xi64, 3>, index, index) -> ()
    return
  }
} }

// -----

// CHECK: tile.bulk_store has other than one coordinate a dim of its map
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64,
      strata.maps = [{buffer = 0 : i64, type = f32, sizes = array<i64: 32>, strides = array<i64>, box = array<i64: 32>, steps = array<i64: 1>, swizzle = 0 : i64}]} {
    %c0 = arith.constant 0 : index
    %words = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<256xf32, 3>
    "tile.bulk_store"(%words, %c0, %c0, %c0) {map = 0 : i64}
      : (memref<256xf32, 3>, index, index, index) -> ()
    return
  }
} }

// -----

// CHECK: tile.bulk_store has memory that is no memref of rank 1 in space 3
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64,
      strata.maps = [{buffer = 0 : i64, type = f32, sizes = array<i64: 32>, strides = array<i64>, box = array<i64: 32>, steps = array<i64: 1>, swizzle = 0 : i64}]} {
    %c0 = arith.constant 0 : index
    "tile.bulk_store"(%x, %c0, %c0) {map = 0 : i64}
      : (memref<32xf32>, index, index) -> ()
    return
  }
} }

// -----

// CHECK: func.func has a map whose strides are not multiples of 16 bytes
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64,
      strata.maps = [{buffer = 0 : i64, type = f32, sizes = array<i64: 8, 3>, strides = array<i64: 36>, box = array<i64: 8, 3>, steps = array<i64: 1, 1>, swizzle = 0 : i64}]} {
    return
  }
} }

// -----

// CHECK: func.func has a map whose box is not 1 to 256 elements along each dim
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64,
      strata.maps = [{buffer = 0 : i64, type = f32, sizes = array<i64: 512>, strides = array<i64>, box = array<i64: 512>, steps = array<i64: 1>, swizzle = 0 : i64}]} {
    return
  }
} }

// -----

// CHECK: tile.fence is of neither 'shared', 'barriers' nor 'warp'
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    "tile.fence"() {of = "all"} : () -> ()
    return
  }
} }

// -----

// CHECK: tile.group_barrier has threads that are no whole warps
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c1 = arith.constant 1 : index
    "tile.group_barrier"(%c1) {threads = 40 : i64} : (index) -> ()
    return
  }
} }

// -----

// CHECK: tile.registers has a count that is no multiple of 8 from 24 to 256
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    "tile.registers"() {count = 42 : i64, more = false} : () -> ()
    return
  }
} }

// -----

// CHECK: tile.mma_fence has other than one result a sum
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %z = arith.constant 0.0 : f32
    %f:2 = "tile.mma_fence"(%z) : (f32) -> (f32, f32)
    return
  }
} }

// -----

// CHECK: tile.mma_async has other than n / 2 sums
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %words = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<256xf32, 3>
    %d = "tile.mma_async"(%words, %c0, %words, %c0, %z) {kind = "wgmma.tf32", n = 8 : i64,
        left = array<i64: 0, 128, 0, 1024>, right = array<i64: 0, 128, 0, 1024>}
      : (memref<256xf32, 3>, index, memref<256xf32, 3>, index, f32) -> f32
    return
  }
} }

// -----

// CHECK: tile.mma_registers has a left operand that is no vector<2xf16>, vector<2xbf16> or vector<1xf32>
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<0.0> : vector<4xf16>
    %words = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<512xf16, 3>
    %d:4 = "tile.mma_registers"(%a, %a, %a, %a, %words, %c0) {kind = "wgmma.f16", n = 8 : i64,
        right = array<i64: 0, 128, 0, 1024>}
      : (vector<4xf16>, vector<4xf16>, vector<4xf16>, vector<4xf16>, memref<512xf16, 3>, index) -> (f32, f32, f32, f32)
    return
  }
} }

// -----

// CHECK: tile.mma_left has operands that are no vector<2xf16>, vector<2xbf16> or vector<1xf32>
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %a = arith.constant dense<0.0> : vector<2xf32>
    %b = "tile.mma_left"(%a) : (vector<2xf32>) -> vector<2xf32>
    return
  }
} }

// -----

// CHECK: tile.mma_async has a layout that is not crossed, swizzle, lead, stride
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %words = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<256xf32, 3>
    %d:4 = "tile.mma_async"(%words, %c0, %words, %c0, %z, %z, %z, %z) {kind = "wgmma.tf32", n = 8 : i64,
        left = array<i64: 0, 128, 1024>, right = array<i64: 0, 128, 0, 1024>}
      : (memref<256xf32, 3>, index, memref<256xf32, 3>, index, f32, f32, f32, f32) -> (f32, f32, f32, f32)
    return
  }
} }

// -----

// CHECK: operands of sm_90a's 'wgmma.tf32' cannot be crossed
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %words = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<256xf32, 3>
    %d:4 = "tile.mma_async"(%words, %c0, %words, %c0, %z, %z, %z, %z) {kind = "wgmma.tf32", n = 8 : i64,
        left = array<i64: 1, 128, 0, 1024>, right = array<i64: 0, 128, 0, 1024>}
      : (memref<256xf32, 3>, index, memref<256xf32, 3>, index, f32, f32, f32, f32) -> (f32, f32, f32, f32)
    return
  }
} }

// -----

// CHECK: sm_90a has no matrix instruction 'm16n8k16.f16'
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %words = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<256xf32, 3>
    %d:4 = "tile.mma_async"(%words, %c0, %words, %c0, %z, %z, %z, %z) {kind = "m16n8k16.f16", n = 8 : i64,
        left = array<i64: 0, 128, 0, 1024>, right = array<i64: 0, 128, 0, 1024>}
      : (memref<256xf32, 3>, index, memref<256xf32, 3>, index, f32, f32, f32, f32) -> (f32, f32, f32, f32)
    return
  }
} }

// -----

// CHECK: tile.flag_raise has flags that are no memref<Nxi32> in global memory
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    "tile.flag_raise"(%x, %c0) : (memref<32xf32>, index) -> ()
    return
  }
} }

// -----

// CHECK: tile.flag_count has flags that are no memref<Nxi32> in global memory
module { module @kernels {
  func.func @k(%counter: memref<1xi64>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %before = "tile.flag_count"(%counter, %c0) : (memref<1xi64>, index) -> i32
    return
  }
} }

// -----

// CHECK: tile.flag_await has flags that are no memref<Nxi32> in global memory
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %flags = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<256xi32, 3>
    "tile.flag_await"(%flags, %c0) : (memref<256xi32, 3>, index) -> ()
    return
  }
} }

// -----

// CHECK: tile.load_crossed has a result of other than four elements of 16 bits or eight of 8
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %words = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<512xf16, 3>
    %a = "tile.load_crossed"(%words, %c0) : (memref<512xf16, 3>, index) -> vector<8xf16>
    return
  }
} }

// -----

// CHECK: tile.load_crossed has memory that is no memref of rank 1 in space 3
module { module @kernels {
  func.func @k(%x: memref<32xf16>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %a = "tile.load_crossed"(%x, %c0) : (memref<32xf16>, index) -> vector<4xf16>
    return
  }
} }

// -----

// CHECK: tile.load_turned has a result of other than eight elements of 16 bits
module { module @kernels {
  func.func @k(%x: memref<32xf16>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %a = "tile.load_turned"(%x, %c0) : (memref<32xf16>, index) -> vector<4xf16>
    return
  }
} }

// -----

// CHECK: tile.load_turned has memory that is no memref of rank 1 of its elements
module { module @kernels {
  func.func @k(%x: memref<32xf32>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %a = "tile.load_turned"(%x, %c0) : (memref<32xf32>, index) -> vector<8xf16>
    return
  }
} }

// -----

// CHECK: tile.load_matrices has a fragment of other than 16 bytes
module { module @kernels {
  func.func @k(%x: memref<32xf32>, %shared: memref<1024xi8, 3>) attributes {strata.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %words = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<512xf16, 3>
    %a = "tile.load_matrices"(%words, %c0) : (memref<512xf16, 3>, index) -> vector<4xf16>
    return
  }
} }
