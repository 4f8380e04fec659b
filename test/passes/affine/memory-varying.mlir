// RUN: strata-opt %s --pipeline=affine-memory-plan | FileCheck %s

// %a and %c, which are never there together, lie below %b, which meets both. What is larger, %a or %c, depends on the
// sizes: the offset of %b, behind both, is a derived symbol. Sizes are rounded up to multiples of 256 bytes where they
// are none.
// CHECK-DAG: #[[A:.*]] = affine_map<()[s0] -> (s0 * 256)>
// CHECK-DAG: #[[C:.*]] = affine_map<()[s0, s1] -> (((s1 * 12) ceildiv 256) * 256)>
// CHECK-DAG: #[[POOL:.*]] = affine_map<()[s0, s1, s2] -> (s2 + 512)>
// CHECK-DAG: #[[B:.*]] = affine_map<()[s0, s1, s2] -> (s2)>
// CHECK-LABEL: func.func @main
// CHECK-SAME: strata.pool_size = #[[POOL]]
// CHECK-SAME: lhs = #{{.*}}, max = 9223372036854775807 : i64, min = 0 : i64, multiple = 1 : i64, name = "memory", op = "max"
// CHECK: memref.alloc({{.*}}) {strata.offset = 0 : i64} : memref<?x64xf32
// CHECK: memref.alloc() {strata.offset = #[[B]]} : memref<100xf32>
// CHECK: memref.alloc({{.*}}) {strata.offset = 0 : i64} : memref<3x?xf32
#a = affine_map<()[s0] -> (s0, 64)>
#c = affine_map<()[s0, s1] -> (3, s1)>
func.func private @k(memref<?x64xf32, {sizes = #a}>)
func.func private @k1(memref<?x64xf32, {sizes = #a}>, memref<100xf32>)
func.func private @k2(memref<100xf32>, memref<3x?xf32, {sizes = #c}>)
func.func @main() attributes {strata.symbols = [{name = "batch", min = 1, max = 64, multiple = 1},
                                                {name = "length", min = 0, max = 4096, multiple = 1, likely = [100]}]} {
  %n = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?x64xf32, {sizes = #a}>
  %b = memref.alloc() : memref<100xf32>
  %c = memref.alloc(%n) : memref<3x?xf32, {sizes = #c}>
  call @k(%a) : (memref<?x64xf32, {sizes = #a}>) -> ()
  call @k1(%a, %b) : (memref<?x64xf32, {sizes = #a}>, memref<100xf32>) -> ()
  call @k2(%b, %c) : (memref<100xf32>, memref<3x?xf32, {sizes = #c}>) -> ()
  return
}
