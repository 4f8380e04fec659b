// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=kernels-to-llvm | FileCheck %s --check-prefixes=CHECK,NVPTX
// RUN: strata-opt %s --target=nvgpu --device=emulated --pipeline=kernels-to-llvm | FileCheck %s --check-prefix=HOST
// RUN: strata-opt %s --target=amdgpu --device=gfx942 --pipeline=kernels-to-llvm | FileCheck %s --check-prefixes=CHECK,AMDGCN

// Buffers are global memory, shared memory is sized by the launch, and addresses have the kernel's own width.
module {
  builtin.module @kernels {
    // CHECK: llvm.mlir.global external @k_shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
    // CHECK: llvm.func @k(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>) attributes
    // NVPTX-SAME: {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>}
    // AMDGCN-SAME: {passthrough = {{\[\["amdgpu-agpr-alloc", "0"\]\]}}, rocdl.flat_work_group_size = "128,128", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 128, 1, 1>}
    // NVPTX: llvm.nvvm.griddepcontrol.launch.dependents
    // NVPTX-NEXT: llvm.inline_asm has_side_effects "griddepcontrol.wait;", "~{memory}"
    // AMDGCN-NOT: griddepcontrol
    // HOST: llvm.func @strata_emulated_barrier()
    // HOST: llvm.func @k(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
    func.func @k(%x: memref<64x64xf32>, %y: memref<64x64xf16>, %shared: memref<1024xi8, 3>) attributes {
        strata.blocks = 4 : i64, strata.threads = 128 : i64, strata.shared = 1024 : i64, strata.index_bits = 32 : i64} {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %width = arith.constant 32 : i32
      // NVPTX: llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.ctaid.x"() : () -> i32
      // NVPTX: llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
      // AMDGCN: llvm.call_intrinsic "llvm.amdgcn.workgroup.id.x"() : () -> i32
      // AMDGCN: llvm.call_intrinsic "llvm.amdgcn.workitem.id.x"() : () -> i32
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %i = affine.apply affine_map<()[s0, s1] -> (s0 * 4 + s1)>()[%b, %t]
      %s = memref.view %shared[%c0][] : memref<1024xi8, 3> to memref<128xf32, 3>
      // CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      // CHECK-NEXT: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
      %v = vector.load %x[%i, %c0] {nontemporal = false, tile.readonly} : memref<64x64xf32>, vector<4xf32>
      %e0 = vector.extract %v[0] : f32 from vector<4xf32>
      %e1 = vector.extract %v[1] : f32 from vector<4xf32>
      // NVPTX: "llvm.nvvm.shfl.sync.bfly.i32"
      // AMDGCN: "llvm.amdgcn.ds.bpermute"
      // HOST: llvm.call @strata_emulated_shuffle_xor
      %u, %valid = gpu.shuffle xor %e0, %one, %width : f32
      // NVPTX: "llvm.nvvm.ex2.approx
      // AMDGCN: llvm.call_intrinsic "llvm.amdgcn.exp2"({{.*}}) : (f32) -> f32
      // HOST: llvm.intr.exp2
      %q = math.exp2 %u fastmath<afn> : f32
      // NVPTX: "llvm.nvvm.div.full"
      // Divisors of any size: its mantissa and its exponent apart.
      // AMDGCN: llvm.call_intrinsic "llvm.amdgcn.frexp.exp"({{.*}}) : (f32) -> i32
      // AMDGCN: llvm.call_intrinsic "llvm.ldexp"({{.*}}) : (f32, i32) -> f32
      // AMDGCN: llvm.call_intrinsic "llvm.amdgcn.frexp.mant"({{.*}}) : (f32) -> f32
      // AMDGCN: llvm.call_intrinsic "llvm.amdgcn.rcp"({{.*}}) : (f32) -> f32
      // AMDGCN: llvm.call_intrinsic "llvm.canonicalize"({{.*}}) : (f32) -> f32
      %d = arith.divf %q, %e1 fastmath<reassoc,arcp,contract,afn> : f32
      // Exact division stays LLVM's.
      // CHECK: llvm.fdiv %{{.*}}, %{{.*}} : f32
      %exact = arith.divf %d, %e1 : f32
      // CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
      memref.store %exact, %s[%t] : memref<128xf32, 3>
      // NVPTX: "llvm.nvvm.barrier.cta.sync.aligned.all"
      // AMDGCN: llvm.fence syncscope("workgroup") release
      // AMDGCN-NEXT: "llvm.amdgcn.s.barrier"
      // AMDGCN-NEXT: llvm.fence syncscope("workgroup") acquire
      // HOST: llvm.call @strata_emulated_barrier()
      gpu.barrier
      // Where shared memory alone is ordered AMD's threads do not wait for what they load from other memory.
      // AMDGCN: llvm.fence syncscope("workgroup") release {llvm.mmra = #[[MMRA:mmra_tag]]}
      // AMDGCN-NEXT: "llvm.amdgcn.s.barrier"
      // AMDGCN-NEXT: llvm.fence syncscope("workgroup") acquire {llvm.mmra = #[[MMRA]]}
      gpu.barrier {tile.shared}
      %l = memref.load %s[%c0] : memref<128xf32, 3>
      %h = arith.truncf %l : f32 to f16
      %hh = vector.from_elements %h, %h, %h, %h, %h, %h, %h, %h : vector<8xf16>
      // NVPTX: llvm.inline_asm has_side_effects "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"
      // AMDGCN: llvm.store %{{.*}} {alignment = 16 : i64, nontemporal} : vector<8xf16>, !llvm.ptr<1>
      vector.store %hh, %y[%i, %c0] {nontemporal = true} : memref<64x64xf16>, vector<8xf16>
      // CHECK-NOT: unrealized_conversion_cast
      return
    }

    // A reciprocal is an instruction; a quotient of f64 is exact on AMD's chips, as LLVM's approximation is none where the
    // divisor is infinite. Roots of what may be subnormal are scaled, not those of f16 or of a sum with a constant.
    // CHECK-LABEL: llvm.func @quotients
    func.func @quotients(%x: memref<64xf32>, %y: memref<64xf64>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 32 : i64, strata.shared = 0 : i64, strata.index_bits = 32 : i64} {
      %t = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %a = memref.load %x[%t] : memref<64xf32>
      // NVPTX: "llvm.nvvm.rcp.approx.ftz.f"
      // AMDGCN: llvm.fdiv %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<{{.*}}afn>} : f32
      %r = arith.divf %one, %a fastmath<arcp,afn> : f32
      memref.store %r, %x[%t] : memref<64xf32>
      %b = memref.load %y[%t] : memref<64xf64>
      // NVPTX: llvm.fdiv %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<{{.*}}afn>} : f64
      // AMDGCN: llvm.call_intrinsic "llvm.amdgcn.div.fmas"({{.*}}) : (f64, f64, f64, i1) -> f64
      // AMDGCN: llvm.call_intrinsic "llvm.amdgcn.div.fixup"({{.*}}) : (f64, f64, f64) -> f64
      %q = arith.divf %b, %b fastmath<arcp,afn> : f64
      memref.store %q, %y[%t] : memref<64xf64>
      // AMDGCN: llvm.fcmp "olt"
      // AMDGCN: llvm.call_intrinsic "llvm.ldexp"
      // AMDGCN-NEXT: llvm.call_intrinsic "llvm.amdgcn.rsq"({{.*}}) : (f32) -> f32
      // AMDGCN-NEXT: llvm.call_intrinsic "llvm.ldexp"
      %root = math.rsqrt %a fastmath<afn> : f32
      memref.store %root, %x[%t] : memref<64xf32>
      // AMDGCN-NOT: llvm.ldexp
      // AMDGCN: llvm.call_intrinsic "llvm.amdgcn.rsq"({{.*}}) : (f32) -> f32
      %epsilon = arith.constant 1.0e-12 : f32
      %sum = arith.addf %a, %epsilon : f32
      %root_of_sum = math.rsqrt %sum fastmath<afn> : f32
      memref.store %root_of_sum, %x[%t] : memref<64xf32>
      // AMDGCN-NOT: llvm.ldexp
      // AMDGCN: llvm.call_intrinsic "llvm.amdgcn.sqrt"({{.*}}) : (f32) -> f32
      %narrow = arith.truncf %a : f32 to f16
      %wide = arith.extf %narrow : f16 to f32
      %root_of_narrow = math.sqrt %wide fastmath<afn> : f32
      memref.store %root_of_narrow, %x[%t] : memref<64xf32>
      // AMDGCN-NOT: llvm.ldexp
      // AMDGCN: llvm.return
      return
    }

    // Without strata.index_bits addresses have 64 bits.
    // CHECK-LABEL: llvm.func @wide
    // CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    func.func @wide(%x: memref<64xf32>, %shared: memref<0xi8, 3>) attributes {
        strata.blocks = 1 : i64, strata.threads = 64 : i64, strata.shared = 0 : i64} {
      %t = gpu.thread_id x
      %v = memref.load %x[%t] : memref<64xf32>
      memref.store %v, %x[%t] : memref<64xf32>
      return
    }
  }
}
