// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v4 | FileCheck %s

// One task needs no loop around it.
// CHECK: func.func private @k(memref<6xf32>) attributes {strata.scratch = 0 : i64, strata.tasks = 1 : i64}
// CHECK: func.func @k(%[[X:.*]]: memref<6xf32>, %{{.*}}: index, %{{.*}}: index,
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: arith.constant 1.0
// CHECK-NEXT: memref.store %{{.*}}, %[[X]][%[[ZERO]]]
func.func private @k(%x: memref<6xf32>) {
  scf.forall (%i) in (1) {
    %c = arith.constant 1.0 : f32
    memref.store %c, %x[%i] : memref<6xf32>
  }
  return
}

func.func @main(%x: memref<6xf32>) {
  func.call @k(%x) : (memref<6xf32>) -> ()
  return
}
