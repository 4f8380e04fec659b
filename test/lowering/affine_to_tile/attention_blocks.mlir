// RUN: strata %S/../../passes/affine/group_attention_varying.mlir --compile-to=tile --device=x86-64-v3 | FileCheck %s

// Where rows and columns vary, columns are done in blocks of 512, whose keys and values are scratch of known size; the
// last tile's scores are cut off, rows are multiplied by what their maxima have grown by, and divided in the end.
// CHECK: scf.forall
// CHECK-DAG: memref.alloc() {tile.scratch} : memref<1x512x16xf32>
// CHECK: scf.for %[[BLOCK:.*]] = %{{.*}} to %{{.*}} step %c512
// CHECK: arith.minsi
// CHECK: vector.outerproduct
// CHECK: arith.maximumf
// CHECK: arith.cmpi slt
// CHECK: arith.select
// CHECK: math.exp2
// CHECK: arith.divf
