// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm | FileCheck %s
// RUN: strata-opt %s --target=nvgpu --device=emulated_90 --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=HOST

// Level 4's ops of pipelined products. Maps are parameters behind the buffers; shared memory begins where the exchange of
// units does.
module {
  builtin.module @kernels {
    // CHECK: llvm.mlir.global external @copies_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    // CHECK: llvm.func @copies(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %[[LOADED:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %[[STORED:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 160, 1, 1>}
    // HOST: llvm.func @copies(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[LOADED:.*]]: !llvm.ptr, %[[STORED:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
    func.func @copies(%x: memref<256x1024xbf16>, %flags: memref<4xi32>, %shared: memref<16512xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 160 : i64, strata.shared = 16512 : i64, strata.index_bits = 32 : i64,
        strata.maps = [
          {buffer = 0 : i64, type = bf16, sizes = array<i64: 1024, 256>, strides = array<i64: 2048>,
           box = array<i64: 64, 128>, steps = array<i64: 1, 1>, swizzle = 128 : i64},
          {buffer = 0 : i64, type = bf16, sizes = array<i64: 8, 8, 8, 8, 8>, strides = array<i64: 16, 128, 1024, 8192>,
           box = array<i64: 8, 8, 1, 1, 1>, steps = array<i64: 1, 1, 1, 1, 1>, swizzle = 0 : i64}]} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c64 = arith.constant 64 : index
      %place = arith.constant 16384 : index
      %parity = arith.constant 1 : i32
      %t = gpu.thread_id x
      %slots = memref.view %shared[%c0][] : memref<16512xi8, 3> to memref<8192xbf16, 3>
      %full = memref.view %shared[%place][] : memref<16512xi8, 3> to memref<4xi64, 3>
      // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16384 : i32) : i32
      // CHECK: llvm.call_intrinsic "llvm.nvvm.mbarrier.init.shared"(%{{.*}}, %{{.*}}) : (!llvm.ptr<3>, i32) -> ()
      // CHECK: llvm.call_intrinsic "llvm.nvvm.fence.mbarrier_init.release.cluster"() : () -> ()
      // HOST: llvm.call @strata_emulated_phase_init(%{{.*}}, %{{.*}}) : (!llvm.ptr, i32) -> ()
      // HOST-NOT: fence
      "tile.barrier_init"(%full, %t) {count = 2 : i64} : (memref<4xi64, 3>, index) -> ()
      "tile.fence"() {of = "barriers"} : () -> ()
      // CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
      gpu.barrier
      // CHECK: "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32"
      "tile.registers"() {count = 40 : i64, more = false} : () -> ()
      // CHECK: llvm.call_intrinsic "llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta"(%{{.*}}, %[[BYTES]]) : (!llvm.ptr<3>, i32) -> i64
      // HOST: llvm.call @strata_emulated_phase_expect(%{{.*}}, %{{.*}}) : (!llvm.ptr, i32) -> ()
      "tile.barrier_expect"(%full, %t) {bytes = 16384 : i64} : (memref<4xi64, 3>, index) -> ()
      // CHECK: llvm.inline_asm has_side_effects "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$3, $4}], [$2]; // map {{[0-9]+}}", "r,l,r,r,r,~{memory}" %{{.*}}, %[[LOADED]], %{{.*}}, %{{.*}}, %{{.*}} : (i32, !llvm.ptr, i32, i32, i32) -> ()
      // HOST: llvm.call @strata_emulated_bulk_load(%[[LOADED]], %{{.*}}, %{{.*}}, %[[C0:.*]], %[[C1:.*]], %[[ZERO:.*]], %[[ZERO]], %[[ZERO]]) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32, i32) -> ()
      "tile.bulk_load"(%slots, %c64, %full, %t, %c64, %t) {map = 0 : i64} : (memref<8192xbf16, 3>, index, memref<4xi64, 3>, index, index, index) -> ()
      // To blocks 0 and 1 of the cluster; an arrival at block 1's barrier.
      // CHECK: llvm.inline_asm has_side_effects "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1, {$4, $5}], [$2], $3; // map {{[0-9]+}}", "r,l,r,h,r,r,~{memory}" %{{.*}}, %[[LOADED]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (i32, !llvm.ptr, i32, i16, i32, i32) -> ()
      // CHECK: llvm.inline_asm has_side_effects "{{.*}}mapa.shared::cluster.u32 place, $0, $1;{{.*}}mbarrier.arrive.shared::cluster.b64 _, [place];{{.*}}", "r,r,~{memory}" %{{.*}}, %{{.*}} : (i32, i32) -> ()
      // HOST: llvm.call @strata_emulated_bulk_multicast(%[[LOADED]], %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i16, i32, i32, i32, i32, i32) -> ()
      // HOST: llvm.call @strata_emulated_phase_signal(%{{.*}}, %{{.*}}) : (!llvm.ptr, i32) -> ()
      "tile.bulk_multicast"(%slots, %c64, %full, %t, %c3, %c64, %t) {map = 0 : i64} : (memref<8192xbf16, 3>, index, memref<4xi64, 3>, index, index, index, index) -> ()
      "tile.barrier_signal"(%full, %t, %c1) : (memref<4xi64, 3>, index, index) -> ()
      // CHECK: llvm.inline_asm has_side_effects "{{.*}}mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;{{.*}}", "r,r,~{memory}" %{{.*}}, %{{.*}} : (i32, i32) -> ()
      // HOST: llvm.call @strata_emulated_phase_wait(%{{.*}}, %{{.*}}) : (!llvm.ptr, i32) -> ()
      "tile.barrier_wait"(%full, %t, %parity) : (memref<4xi64, 3>, index, i32) -> ()
      // CHECK: llvm.inline_asm has_side_effects "st.release.gpu.global.u32 [$0], $1;", "l,r,~{memory}" %{{.*}}, %{{.*}} : (!llvm.ptr<1>, i32) -> ()
      // CHECK: llvm.inline_asm has_side_effects "{{.*}}ld.acquire.gpu.global.u32 flag, [$0];{{.*}}", "l,~{memory}" %{{.*}} : (!llvm.ptr<1>) -> ()
      // HOST: llvm.call @strata_emulated_flag_raise(%{{.*}}) : (!llvm.ptr) -> ()
      // HOST: llvm.call @strata_emulated_flag_await(%{{.*}}) : (!llvm.ptr) -> ()
      // CHECK: llvm.inline_asm has_side_effects "atom.relaxed.gpu.global.add.u32 $0, [$1], 1;", "=r,l,~{memory}" %{{.*}} : (!llvm.ptr<1>) -> i32
      // HOST: llvm.call @strata_emulated_flag_count(%{{.*}}) : (!llvm.ptr) -> i32
      "tile.flag_raise"(%flags, %t) : (memref<4xi32>, index) -> ()
      "tile.flag_await"(%flags, %t) : (memref<4xi32>, index) -> ()
      %before = "tile.flag_count"(%flags, %t) : (memref<4xi32>, index) -> i32
      // CHECK: llvm.call_intrinsic "llvm.nvvm.mbarrier.arrive.shared"(%{{.*}}) : (!llvm.ptr<3>) -> i64
      // HOST: llvm.call @strata_emulated_phase_arrive(%{{.*}}) : (!llvm.ptr) -> ()
      "tile.barrier_arrive"(%full, %t) : (memref<4xi64, 3>, index) -> ()
      // CHECK: "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32"
      // CHECK: "llvm.nvvm.fence.proxy.async.shared_cta"
      // CHECK: "llvm.nvvm.barrier.cta.sync.aligned.count"(%{{.*}}, %{{.*}}) : (i32, i32) -> ()
      // HOST: llvm.call @strata_emulated_group_barrier(%{{.*}}, %{{.*}}) : (i32, i32) -> ()
      "tile.registers"() {count = 232 : i64, more = true} : () -> ()
      "tile.fence"() {of = "shared"} : () -> ()
      "tile.group_barrier"(%c1) {threads = 128 : i64} : (index) -> ()
      // CHECK: llvm.inline_asm has_side_effects "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [$1, {$2, $3, $4, $5, $6}], [$0]; // map {{[0-9]+}}", "r,l,r,r,r,r,r,~{memory}" %{{.*}}, %[[STORED]],
      // HOST: llvm.call @strata_emulated_bulk_store(%[[STORED]], %{{.*}}) : (!llvm.ptr, !llvm.ptr, i32, i32, i32, i32, i32) -> ()
      "tile.bulk_store"(%slots, %c0, %c0, %c0, %t, %t, %t) {map = 1 : i64} : (memref<8192xbf16, 3>, index, index, index, index, index, index) -> ()
      // CHECK: "llvm.nvvm.cp.async.bulk.commit.group"
      // CHECK: "llvm.nvvm.cp.async.bulk.wait.group.read"
      "tile.bulk_commit"() : () -> ()
      "tile.bulk_wait"() {pending = 1 : i64} : () -> ()
      return
    }

    // Sums go through every op, so that nothing moves across.
    // CHECK-LABEL: llvm.func @products
    // The left operand's descriptor: swizzle 1 at bit 62, stride 1024 / 16 at bit 32, lead 1 at bit 16; the right one's:
    // swizzle 2, stride 512 / 16, lead 4096 / 16.
    // CHECK-DAG: %[[MASK:.*]] = llvm.mlir.constant(16383 : i32) : i32
    // CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(65536 : i32) : i32
    // CHECK-DAG: %[[LEAD:.*]] = llvm.mlir.constant(16777216 : i32) : i32
    // CHECK-DAG: %[[LEFT:.*]] = llvm.mlir.constant(4611686293305294848 : i64) : i64
    // CHECK-DAG: %[[RIGHT:.*]] = llvm.mlir.constant(-9223371899415822336 : i64) : i64
    // CHECK: llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;", "=f,=f,=f,=f,0,1,2,3,~{memory}" {{.*}} -> !llvm.struct<(f32, f32, f32, f32)>
    // CHECK: llvm.and %{{.*}}, %[[MASK]] : i32
    // CHECK: llvm.or %{{.*}}, %[[ONE]] : i32
    // CHECK: llvm.or %{{.*}}, %[[LEFT]] : i64
    // CHECK: llvm.or %{{.*}}, %[[LEAD]] : i32
    // CHECK: llvm.or %{{.*}}, %[[RIGHT]] : i64
    // CHECK: llvm.inline_asm has_side_effects "{{.*}}wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, p, 1, 1, 0, 1;{{.*}}", "=f,=f,=f,=f,0,1,2,3,l,l,~{memory}" {{.*}} : (f32, f32, f32, f32, i64, i64) -> !llvm.struct<(f32, f32, f32, f32)>
    // CHECK: "llvm.nvvm.wgmma.commit_group.sync.aligned"
    // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
    // HOST-LABEL: llvm.func @products
    // HOST: %[[LAYOUTS:.*]] = llvm.alloca %{{.*}} x !llvm.array<8 x i64>
    // HOST: llvm.call @strata_emulated_mma_async(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    func.func @products(%y: memref<128x4xf32>, %shared: memref<16384xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 128 : i64, strata.shared = 16384 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %t = gpu.thread_id x
      %zero = arith.constant 0.0 : f32
      %left = memref.view %shared[%c0][] : memref<16384xi8, 3> to memref<8192xbf16, 3>
      %f:4 = "tile.mma_fence"(%zero, %zero, %zero, %zero) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
      %d:4 = "tile.mma_async"(%left, %c16, %left, %t, %f#0, %f#1, %f#2, %f#3) {kind = "wgmma.bf16", n = 8 : i64,
          left = array<i64: 0, 128, 0, 1024>, right = array<i64: 1, 64, 4096, 512>}
        : (memref<8192xbf16, 3>, index, memref<8192xbf16, 3>, index, f32, f32, f32, f32) -> (f32, f32, f32, f32)
      "tile.mma_commit"() : () -> ()
      %w:4 = "tile.mma_wait"(%d#0, %d#1, %d#2, %d#3) {pending = 0 : i64} : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
      %v = vector.from_elements %w#0, %w#1, %w#2, %w#3 : vector<4xf32>
      vector.store %v, %y[%t, %c0] : memref<128x4xf32>, vector<4xf32>
      return
    }

    // A left operand in registers, and a product that starts its sums.
    // CHECK-LABEL: llvm.func @registers
    // CHECK: llvm.inline_asm has_side_effects "", "=r,=r,0,1,~{memory}" {{.*}} : (i32, i32) -> !llvm.struct<(i32, i32)>
    // CHECK: llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;", "~{memory}" : () -> ()
    // CHECK: llvm.inline_asm has_side_effects "{{.*}}setp.ne.b32 p, 0, 0;{{.*}}wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$4, $5, $6, $7}, $8, p, 1, 1, 1;{{.*}}", "=f,=f,=f,=f,r,r,r,r,l,~{memory}" {{.*}} : (i32, i32, i32, i32, i64) -> !llvm.struct<(f32, f32, f32, f32)>
    // CHECK: llvm.inline_asm has_side_effects "{{.*}}setp.ne.b32 p, 1, 0;{{.*}} {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, p, 1, 1, 1;{{.*}}", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l,~{memory}"
    // HOST-LABEL: llvm.func @registers
    // HOST: llvm.call @strata_emulated_mma_registers(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    func.func @registers(%y: memref<128x4xf32>, %a: memref<128x4xbf16>, %shared: memref<16384xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 128 : i64, strata.shared = 16384 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %t = gpu.thread_id x
      %right = memref.view %shared[%c0][] : memref<16384xi8, 3> to memref<8192xbf16, 3>
      %u = vector.load %a[%t, %c0] : memref<128x4xbf16>, vector<2xbf16>
      %v = vector.load %a[%t, %c2] : memref<128x4xbf16>, vector<2xbf16>
      %l:2 = "tile.mma_left"(%u, %v) : (vector<2xbf16>, vector<2xbf16>) -> (vector<2xbf16>, vector<2xbf16>)
      "tile.mma_fence"() : () -> ()
      %d:4 = "tile.mma_registers"(%l#0, %l#1, %l#0, %l#1, %right, %c0) {kind = "wgmma.bf16", n = 8 : i64,
          right = array<i64: 1, 128, 0, 1024>}
        : (vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, memref<8192xbf16, 3>, index) -> (f32, f32, f32, f32)
      %e:4 = "tile.mma_registers"(%l#0, %l#1, %l#0, %l#1, %right, %c0, %d#0, %d#1, %d#2, %d#3) {kind = "wgmma.bf16",
          n = 8 : i64, right = array<i64: 1, 128, 0, 1024>}
        : (vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, memref<8192xbf16, 3>, index, f32, f32, f32, f32) -> (f32, f32, f32, f32)
      %w = vector.from_elements %e#0, %e#1, %e#2, %e#3 : vector<4xf32>
      vector.store %w, %y[%t, %c0] : memref<128x4xf32>, vector<4xf32>
      return
    }

    // Elements as the row names them, whatever they are in memory.
    // CHECK-LABEL: llvm.func @types
    // CHECK: wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, $8, $9, p, 1, 1;
    // CHECK: wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {$0, $1, $2, $3}, $8, $9, p, 1, 1;
    // CHECK: wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e5m2 {$0, $1, $2, $3}, $8, $9, p, 1, 1;
    // CHECK: wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {$0, $1, $2, $3}, $8, $9, p;{{.*}}", "=r,=r,=r,=r,0,1,2,3,l,l,~{memory}"
    func.func @types(%y: memref<128x4xf32>, %z: memref<128x4xi32>, %shared: memref<16384xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 128 : i64, strata.shared = 16384 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %zero = arith.constant 0.0 : f32
      %izero = arith.constant 0 : i32
      %words = memref.view %shared[%c0][] : memref<16384xi8, 3> to memref<4096xf32, 3>
      %bytes = memref.view %shared[%c0][] : memref<16384xi8, 3> to memref<16384xi8, 3>
      %a:4 = "tile.mma_async"(%words, %c0, %words, %c0, %zero, %zero, %zero, %zero) {kind = "wgmma.tf32", n = 8 : i64,
          left = array<i64: 0, 128, 0, 1024>, right = array<i64: 0, 128, 0, 1024>}
        : (memref<4096xf32, 3>, index, memref<4096xf32, 3>, index, f32, f32, f32, f32) -> (f32, f32, f32, f32)
      %b:4 = "tile.mma_async"(%bytes, %c0, %bytes, %c0, %a#0, %a#1, %a#2, %a#3) {kind = "wgmma.e4m3", n = 8 : i64,
          left = array<i64: 0, 128, 0, 1024>, right = array<i64: 0, 128, 0, 1024>}
        : (memref<16384xi8, 3>, index, memref<16384xi8, 3>, index, f32, f32, f32, f32) -> (f32, f32, f32, f32)
      %c:4 = "tile.mma_async"(%bytes, %c0, %bytes, %c0, %b#0, %b#1, %b#2, %b#3) {kind = "wgmma.e5m2", n = 8 : i64,
          left = array<i64: 0, 128, 0, 1024>, right = array<i64: 0, 128, 0, 1024>}
        : (memref<16384xi8, 3>, index, memref<16384xi8, 3>, index, f32, f32, f32, f32) -> (f32, f32, f32, f32)
      %d:4 = "tile.mma_async"(%bytes, %c0, %bytes, %c0, %izero, %izero, %izero, %izero) {kind = "wgmma.s8", n = 8 : i64,
          left = array<i64: 0, 128, 0, 1024>, right = array<i64: 0, 128, 0, 1024>}
        : (memref<16384xi8, 3>, index, memref<16384xi8, 3>, index, i32, i32, i32, i32) -> (i32, i32, i32, i32)
      %v = vector.from_elements %c#0, %c#1, %c#2, %c#3 : vector<4xf32>
      vector.store %v, %y[%t, %c0] : memref<128x4xf32>, vector<4xf32>
      %u = vector.from_elements %d#0, %d#1, %d#2, %d#3 : vector<4xi32>
      vector.store %u, %z[%t, %c0] : memref<128x4xi32>, vector<4xi32>
      return
    }
  }
}
