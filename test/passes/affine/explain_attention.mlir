// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t | FileCheck %s
// RUN: strata %s --target=nvgpu --device=emulated_fma --explain --compile-to=affine -o %t | FileCheck %s --check-prefix=FMA
// RUN: strata %s --target=cpu --device=x86-64-v4 --explain --compile-to=affine -o %t | FileCheck %s --check-prefix=CPU

// Why two products with something between are one kernel, or are not.
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#w = affine_map<(b, i, e, j) -> (b, i, j)>
#v = affine_map<(b, i, e, j) -> (b, j, e)>
#y = affine_map<(b, i, e, j) -> (b, i, e)>
// CHECK-DAG: attention contract#1 <- contract#0: 128 x 256, 16 times: {{.*}} us instead of {{.*}} in two kernels
// CHECK-DAG: attention contract#3 <- contract#2: no, others read what lies between
// CHECK-DAG: attention contract#7 <- contract#4: no, the reductions between are no softmax
// CHECK-DAG: attention contract#9 <- contract#8: no, a head dim above 256
// CHECK-DAG: attention contract#11 <- contract#10: no, the copy engine does not take an operand: rows that do not begin at multiples of 16 bytes, or too many dims
// Threads that load operands themselves take rows that begin anywhere.
// FMA-DAG: attention contract#1 <- contract#0: 128 x 256, 16 times: {{.*}} us instead of {{.*}} in two kernels
// FMA-DAG: attention contract#3 <- contract#2: no, others read what lies between
// FMA-DAG: attention contract#7 <- contract#4: no, the reductions between are no softmax
// FMA-DAG: attention contract#9 <- contract#8: no, a head dim above 256
// FMA-DAG: attention contract#11 <- contract#10: 128 x 256, 16 times: {{.*}} us instead of {{.*}} in two kernels
// FMA: attention k0: 128 rows, 256 columns of 64, values of 64, 16 times, no softmax
// FMA-NEXT: attention k0:   multiply-adds {{.*}} warps, {{.*}} us ({{.*}}), chosen
// CPU-DAG: attention contract#1 <- contract#0: one kernel, tiles of {{[0-9]+}} x {{[0-9]+}}, {{[0-9]+}}
// CPU-DAG: attention contract#3 <- contract#2: no, others read what lies between
// CPU-DAG: attention contract#7 <- contract#4: no, the reductions between are no softmax
// CPU-DAG: attention contract#9 <- contract#8: one kernel
// CPU-DAG: attention contract#11 <- contract#10: one kernel
func.func @main(%a: tensor<16x128x64xf16> {strata.name = "a"}, %b: tensor<16x256x64xf16> {strata.name = "b"}, %c: tensor<16x256x64xf16> {strata.name = "c"}, %d: tensor<16x128x320xf16> {strata.name = "d"}, %e: tensor<16x256x320xf16> {strata.name = "e"}, %f: tensor<16x128x36xf16> {strata.name = "f"}, %g: tensor<16x256x36xf16> {strata.name = "g"}) -> (tensor<16x128x64xf16> {strata.name = "p"}, tensor<16x128x64xf16> {strata.name = "q"}, tensor<16x128x256xf16> {strata.name = "r"}, tensor<16x128x64xf16> {strata.name = "s"}, tensor<16x128x64xf16> {strata.name = "t"}, tensor<16x128x64xf16> {strata.name = "u"}) {
  %0 = "strata.contract"(%a, %b) {maps = [#q, #k, #s], zero_pad = false, origin = "matmul"} : (tensor<16x128x64xf16>, tensor<16x256x64xf16>) -> tensor<16x128x256xf16>
  %1 = "strata.contract"(%0, %c) {maps = [#w, #v, #y], zero_pad = false, origin = "matmul"} : (tensor<16x128x256xf16>, tensor<16x256x64xf16>) -> tensor<16x128x64xf16>
  %2 = "strata.contract"(%a, %c) {maps = [#q, #k, #s], zero_pad = false, origin = "matmul"} : (tensor<16x128x64xf16>, tensor<16x256x64xf16>) -> tensor<16x128x256xf16>
  %3 = "strata.contract"(%2, %b) {maps = [#w, #v, #y], zero_pad = false, origin = "matmul"} : (tensor<16x128x256xf16>, tensor<16x256x64xf16>) -> tensor<16x128x64xf16>
  %4 = "strata.contract"(%1, %c) {maps = [#q, #k, #s], zero_pad = false, origin = "matmul"} : (tensor<16x128x64xf16>, tensor<16x256x64xf16>) -> tensor<16x128x256xf16>
  %m = "strata.reduce"(%4) {axes = array<i64: 2>, kind = "max"} : (tensor<16x128x256xf16>) -> tensor<16x128xf16>
  %n = "strata.broadcast"(%m) {map = affine_map<(b, i, j) -> (b, i)>} : (tensor<16x128xf16>) -> tensor<16x128x256xf16>
  %5 = "strata.sub"(%4, %n) : (tensor<16x128x256xf16>, tensor<16x128x256xf16>) -> tensor<16x128x256xf16>
  %6 = "strata.contract"(%5, %c) {maps = [#w, #v, #y], zero_pad = false, origin = "matmul"} : (tensor<16x128x256xf16>, tensor<16x256x64xf16>) -> tensor<16x128x64xf16>
  %7 = "strata.contract"(%d, %e) {maps = [#q, #k, #s], zero_pad = false, origin = "matmul"} : (tensor<16x128x320xf16>, tensor<16x256x320xf16>) -> tensor<16x128x256xf16>
  %8 = "strata.contract"(%7, %c) {maps = [#w, #v, #y], zero_pad = false, origin = "matmul"} : (tensor<16x128x256xf16>, tensor<16x256x64xf16>) -> tensor<16x128x64xf16>
  %9 = "strata.contract"(%f, %g) {maps = [#q, #k, #s], zero_pad = false, origin = "matmul"} : (tensor<16x128x36xf16>, tensor<16x256x36xf16>) -> tensor<16x128x256xf16>
  %10 = "strata.contract"(%9, %c) {maps = [#w, #v, #y], zero_pad = false, origin = "matmul"} : (tensor<16x128x256xf16>, tensor<16x256x64xf16>) -> tensor<16x128x64xf16>
  return %1, %3, %2, %6, %8, %10 : tensor<16x128x64xf16>, tensor<16x128x64xf16>, tensor<16x128x256xf16>, tensor<16x128x64xf16>, tensor<16x128x64xf16>, tensor<16x128x64xf16>
}
