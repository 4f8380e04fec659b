// RUN: strata-opt %s --pipeline=tile-to-cpu,cpu-to-llvm --device=x86-64-v4 | FileCheck %s

// Kernels become functions of bare pointers; the rest of the module stays at its level.
// CHECK: func.func @main
// CHECK: module @kernels
// CHECK: llvm.func @asinf(f32) -> f32
// CHECK: llvm.func @k(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK-NOT: unrealized_conversion_cast
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: llvm.intr.fma
// CHECK: llvm.store {{.*}} {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
func.func private @k(%x: memref<16xf32>, %y: memref<16xf32>) {
  scf.forall (%t) in (1) {
    %v = "tile.load"(%x) {map = affine_map<(d) -> (d)>} : (memref<16xf32>) -> vector<16xf32>
    %e = math.exp %v : vector<16xf32>
    %f = math.asin %e : vector<16xf32>
    "tile.store"(%f, %y) {map = affine_map<(d) -> (d)>} : (vector<16xf32>, memref<16xf32>) -> ()
  }
  return
}

func.func @main(%x: memref<16xf32>, %y: memref<16xf32>) {
  func.call @k(%x, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  return
}
