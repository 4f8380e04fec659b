// Long rows are sorted by their digits: on a GPU three nests a digit, of parts of 4096 elements; on a cpu two of whole
// rows, and digits are wider. The first pass reads the operand, and positions are where elements are; the last stores the
// results.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --pipeline=strata-to-affine | FileCheck %s
// RUN: strata-opt %s --target=cpu --pipeline=strata-to-affine | FileCheck %s --check-prefix=CPU

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<600000xf16>, %[[V:[a-z0-9]+]]: memref<600000xf16> {strata.output}, %[[P:[a-z0-9]+]]: memref<600000xi64>
// CHECK: %[[COUNTS:.*]] = memref.alloc() : memref<256x148xi32>
// CHECK: affine.parallel (%[[PART:.*]]) = (0) to (148)
// CHECK: memref.store %{{.*}}, %[[COUNTS]][%{{.*}}, %[[PART]]]
// CHECK: %[[FIRST:.*]] = affine.apply #{{.*}}(%[[PART]])
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]]
// CHECK: memref.load %[[X]]
// CHECK: {strata.digit = {bits = 8 : i64, descending = 1 : i64, shift = 0 : i64, unsigned = 0 : i64}}
// CHECK: {strata.nest = "sort_count", strata.serial}
// CHECK: %[[TOTALS:.*]] = memref.alloc() : memref<256xi32>
// CHECK: affine.parallel (%{{.*}}) = (0) to (256)
// CHECK: {strata.lanes = 148 : i64}
// CHECK: memref.store %{{.*}}, %[[TOTALS]]
// CHECK: {strata.nest = "sort_offsets", strata.serial}
// CHECK: %[[KEYS:.*]] = memref.alloc() : memref<600000xf16>
// CHECK: %[[POSITIONS:.*]] = memref.alloc() : memref<600000xi32>
// CHECK: memref.load %[[TOTALS]]
// CHECK: memref.store %{{.*}}, %[[KEYS]]
// CHECK: memref.store %{{.*}}, %[[POSITIONS]]
// CHECK: {strata.nest = "sort_place", strata.serial}
// CHECK: shift = 8 : i64
// CHECK: {strata.nest = "sort_count", strata.serial}
// CHECK: {strata.nest = "sort_offsets", strata.serial}
// CHECK: memref.load %[[KEYS]]
// CHECK: memref.store %{{.*}}, %[[V]]
// CHECK: memref.load %[[POSITIONS]]
// CHECK: memref.store %{{.*}}, %[[P]]
// CHECK: {strata.nest = "sort_place", strata.serial}
// CHECK-NOT: strata.nest

// CPU: memref.alloc() : memref<256x1xi32>
// CPU-NOT: sort_offsets
// CPU-COUNT-2: {strata.nest = "sort_place", strata.serial}
// CPU-NOT: strata.nest
func.func @main(%x: tensor<600000xf16>) -> (tensor<600000xf16>, tensor<600000xi64>) {
  %0:2 = "strata.sort"(%x) {axis = 0 : i64, descending = true, unsigned = false} : (tensor<600000xf16>) -> (tensor<600000xf16>, tensor<600000xi64>)
  return %0#0, %0#1 : tensor<600000xf16>, tensor<600000xi64>
}
