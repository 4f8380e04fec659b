// RUN: strata-opt %s --pipeline=tile-to-cpu --device=x86-64-v4 | FileCheck %s

// A kernel moves to @kernels and leaves a declaration; the task space becomes a loop over task numbers, and memory of a
// task a place in the thread's scratch, aligned to 64 bytes.
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0) -> (d0 mod 3)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0) -> (d0 floordiv 3)>
// CHECK: func.func private @k(memref<6xf32>) attributes {strata.scratch = 192 : i64, strata.tasks = 6 : i64}
// CHECK: func.func @main
// CHECK: call @k
// CHECK: module @kernels
// CHECK: func.func @k(%{{.*}}: memref<6xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index, %[[SCRATCH:.*]]: memref<192xi8>)
// CHECK: scf.for %[[TASK:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: affine.apply #[[COLUMN]](%[[TASK]])
// CHECK: affine.apply #[[ROW]](%[[TASK]])
// CHECK: %[[FIRST:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[SCRATCH]][%[[FIRST]]][] : memref<192xi8> to memref<5xf32>
// CHECK: %[[SECOND:.*]] = arith.constant 64 : index
// CHECK: memref.view %[[SCRATCH]][%[[SECOND]]][] : memref<192xi8> to memref<9x3xf32>
// CHECK: return
func.func private @k(%x: memref<6xf32>) {
  scf.forall (%i, %j) in (2, 3) {
    %t = memref.alloc() {tile.scratch} : memref<5xf32>
    %u = memref.alloc() : memref<9x3xf32>
    %p = affine.apply affine_map<(i, j) -> (i * 3 + j)>(%i, %j)
    %v = memref.load %x[%p] : memref<6xf32>
    memref.store %v, %t[%j] : memref<5xf32>
    memref.store %v, %u[%i, %j] : memref<9x3xf32>
  }
  return
}

func.func @main(%x: memref<6xf32>) {
  func.call @k(%x) : (memref<6xf32>) -> ()
  return
}

// Several task spaces: each takes those of the tasks asked for that are behind the ones before, in the same scratch.
// CHECK: func.func @spaces(%{{.*}}: memref<8xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index, %[[SCRATCH:.*]]: memref<128xi8>)
// CHECK: %[[MOST:.*]] = arith.maxsi %[[BEGIN]], %c0
// CHECK: arith.minsi %{{.*}}, %c3
// CHECK: scf.for
// CHECK: %[[FROM:.*]] = arith.maxsi %[[BEGIN]], %c3
// CHECK-NEXT: %[[BEHIND:.*]] = arith.subi %[[FROM]], %c3
// CHECK: %[[FIRST:.*]] = arith.minsi %[[BEHIND]], %c5
// CHECK: %[[TO:.*]] = arith.maxsi %[[END]], %c3
// CHECK: %[[LAST:.*]] = arith.minsi %{{.*}}, %c5
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// CHECK: memref.view %[[SCRATCH]][%c0{{.*}}] : memref<128xi8> to memref<20xf32>
func.func private @spaces(%x: memref<8xf32>) {
  scf.forall (%i) in (3) {
    %t = memref.alloc() {tile.scratch} : memref<5xf32>
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %t[%i] : memref<5xf32>
  }
  scf.forall (%i) in (5) {
    %t = memref.alloc() {tile.scratch} : memref<20xf32>
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %t[%i] : memref<20xf32>
  }
  return
}
