// Blocks of attention within sequences take the next task that none has begun, of a counter.
// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=gpu -o - | FileCheck %s
// RUN: sed 's/tensor<5xi64>/tensor<2xi64>/g; s/tensor<640x/tensor<64x/g' %s > %t.few.mlir
// RUN: strata %t.few.mlir --target=nvgpu --device=sm_90a --compile-to=tile -o - | FileCheck %s --check-prefix=FEW
// RUN: strata %t.few.mlir --target=nvgpu --device=sm_90a --compile-to=tile -o - | sed 's/kind = "segment_attention"/dynamic = 1 : i64, &/' > %t.mlir
// RUN: not strata-opt %t.mlir --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: strata %t.few.mlir --target=nvgpu --device=sm_90a --compile-to=tile -o - | sed 's/slots = 2/row_slots = 2 : i64, &/' > %t.slots
// RUN: not strata-opt %t.slots --target=nvgpu --device=sm_90a --pipeline=tile-to-gpu 2>&1 | FileCheck %s --check-prefix=SLOTS

// 640 rows of 4 sequences are 9 tiles at most, of 32 heads, of 132 blocks.
// CHECK: call @[[KERNEL:k[0-9]+]]_flags
// CHECK: func.func @[[KERNEL]](%arg0: memref<9x6xi64>, {{.*}}, %[[COUNTER:.*]]: memref<1xi32>, %{{[^:]*}}: memref<{{[0-9]+}}xi8, 3>)

// The thread that fetches draws the next number, reads what the table says of the task, and tells it.
// CHECK: "tile.launch_wait"
// CHECK: %[[RAN:.*]]:5 = scf.while (%[[TASK:[^ ]*]] = %block_id_x,
// CHECK: %[[IS_TASK:.*]] = arith.cmpi ult, %[[TASK]], %c288{{[^ ]*}} : index
// CHECK: scf.condition(%[[IS_TASK]])
// CHECK: %[[COUNT:.*]] = "tile.flag_count"(%[[COUNTER]], %{{.*}}) : (memref<1xi32>, index) -> i32
// CHECK: %[[BEFORE:.*]] = arith.index_cast %[[COUNT]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[BEFORE]], %c132
// CHECK: %[[TABLE:.*]] = memref.reinterpret_cast %arg0
// CHECK: %[[FIRST:.*]] = memref.load %[[TABLE]][
// CHECK: "tile.barrier_wait"(%[[EMPTY:[^,]*]], %{{[^)]*}}) : (memref<1xi64, 3>
// CHECK: memref.store %{{[^ ]+}}, %[[MESSAGE:[^ ]+]][%
// CHECK: memref.store %[[FIRST]], %[[MESSAGE]][%
// CHECK: "tile.barrier_arrive"(%[[FULL:[^,]*]],
// CHECK: "tile.bulk_load"
// CHECK: scf.yield %[[NEXT]],
// CHECK: "tile.barrier_wait"(%[[EMPTY]],
// CHECK: %[[END:.*]] = arith.index_cast %[[RAN]]#0
// CHECK: memref.store %[[END]], %[[MESSAGE]][%
// CHECK: "tile.barrier_arrive"(%[[FULL]],

// Consumers are told, all threads of them, and read no table.
// CHECK: "tile.barrier_wait"(%[[FULL]],
// CHECK-COUNT-6: memref.load %[[MESSAGE]][%
// CHECK: "tile.barrier_arrive"(%[[EMPTY]],
// CHECK-NOT: memref.reinterpret_cast %arg0
// CHECK: scf.while
// CHECK: "tile.mma_{{async|registers}}"
// CHECK: "tile.barrier_wait"(%[[FULL]], %{{[^)]*}}) : (memref<1xi64, 3>
// CHECK: %[[TAKEN:.*]] = memref.load %[[MESSAGE]][%
// CHECK: "tile.barrier_arrive"(%[[EMPTY]],
// CHECK: %[[NEXT_TASK:.*]] = arith.index_cast %[[TAKEN]]
// CHECK: scf.yield %[[NEXT_TASK]],

// Each block has one task; nobody clears a counter.
// FEW-NOT: flags
// FEW: kind = "segment_attention"
// FEW-NOT: dynamic

// NONE: vector.contract: tasks of a counter, without one, is not supported on GPUs
// SLOTS: rows in other than one slot, or in two of tasks of a counter, is not supported on GPUs
func.func @main(%q: tensor<640x32x64xf16> {strata.name = "q"}, %k: tensor<640x32x64xf16> {strata.name = "k"},
                %v: tensor<640x32x64xf16> {strata.name = "v"}, %o: tensor<5xi64> {strata.name = "o"})
    -> (tensor<640x32x64xf16> {strata.name = "y"}) {
  %m = "strata.segment_rows"(%o) : (tensor<5xi64>) -> tensor<640xi64>
  %y = "strata.segment_attention"(%q, %k, %v, %m, %o, %o) {causal = true, scale = 0.125}
      : (tensor<640x32x64xf16>, tensor<640x32x64xf16>, tensor<640x32x64xf16>, tensor<640xi64>, tensor<5xi64>, tensor<5xi64>) -> tensor<640x32x64xf16>
  return %y : tensor<640x32x64xf16>
}
