// RUN: not strata-opt %s --target=nvgpu --device=sm_80 --pipeline=kernels-to-llvm 2>&1 | FileCheck %s
// RUN: not strata-opt %s --target=amdgpu --device=gfx942 --pipeline=kernels-to-llvm 2>&1 | FileCheck %s --check-prefix=AMD

// CHECK: kernels-to-llvm: sm_80 has no pipelined products, got tile.bulk_commit
// AMD: kernels-to-llvm: gfx942 has no pipelined products, got tile.bulk_commit
module {
  builtin.module @kernels {
    func.func @k(%x: memref<32xf32>, %shared: memref<0xi8, 3>) attributes {strata.threads = 128 : i64} {
      "tile.bulk_commit"() : () -> ()
      return
    }
  }
}
