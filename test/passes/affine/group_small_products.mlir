// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// Products of small matrices join the parts of their operand on its way: no tile fetches it in bulk. The larger ones
// below have theirs put together first.
// CHECK-DAG: kernel {{.*}} 2 nests (concat contract)
// CHECK-DAG: kernel {{.*}} 1 nests (concat)
// CHECK-DAG: kernel {{.*}} 1 nests (contract)
// CHECK: a run: 3 launches
#tn = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
func.func @main(%d: tensor<1024x64xf16> {strata.name = "d"}, %e: tensor<1024x1664xf16> {strata.name = "e"},
                %f: tensor<1024x64xf16> {strata.name = "f"}, %g: tensor<1024x6080xf16> {strata.name = "g"})
    -> (tensor<1024x27x27xf16> {strata.name = "y"}, tensor<1024x96x96xf16> {strata.name = "z"}) {
  %0 = "strata.concat"(%d, %e) {axis = 1 : i64} : (tensor<1024x64xf16>, tensor<1024x1664xf16>) -> tensor<1024x1728xf16>
  %1 = "strata.reshape"(%0) : (tensor<1024x1728xf16>) -> tensor<1024x27x64xf16>
  %2 = "strata.contract"(%1, %1) {maps = #tn, zero_pad = false, origin = "matmul"} : (tensor<1024x27x64xf16>, tensor<1024x27x64xf16>) -> tensor<1024x27x27xf16>
  %3 = "strata.concat"(%f, %g) {axis = 1 : i64} : (tensor<1024x64xf16>, tensor<1024x6080xf16>) -> tensor<1024x6144xf16>
  %4 = "strata.reshape"(%3) : (tensor<1024x6144xf16>) -> tensor<1024x96x64xf16>
  %5 = "strata.contract"(%4, %4) {maps = #tn, zero_pad = false, origin = "matmul"} : (tensor<1024x96x64xf16>, tensor<1024x96x64xf16>) -> tensor<1024x96x96xf16>
  return %2, %5 : tensor<1024x27x27xf16>, tensor<1024x96x96xf16>
}
