// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s < %t/strata_mlir_artifact.affine.mlir

// Products of one value whose number of rows varies share a launch if that is faster in the mean over the sizes, with one
// plan of variants: schedules and conditions are those of all.
// SAID: product k1: with k0: 0.{{.*}} of the time that it takes apart, the mean of {{.*}} sizes{{$}}
// SAID: product k1: 2 calls share a launch
// SAID: a run: 1 launches
// CHECK: call @k0({{.*}}) {strata.launch = 0 : i64}
// CHECK-NEXT: call @k1({{.*}}) {strata.launch = 0 : i64}
// CHECK: func.func private @k0({{.*}}strata.schedule = [[ALL:{[^}]*}]]
// CHECK-SAME: strata.variants = [@k0_v1
// CHECK: func.func private @k0_v1({{.*}}strata.schedule = [[FEW:{[^}]*}]], {{.*}}strata.when = [[WHEN:#set[0-9]*]]
// CHECK: func.func private @k1({{.*}}strata.schedule = [[ALL]]
// CHECK-SAME: strata.variants = [@k1_v1
// CHECK: func.func private @k1_v1({{.*}}strata.schedule = [[FEW]], {{.*}}strata.when = [[WHEN]]
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#x = affine_map<()[s0] -> (s0, 256)>
#y = affine_map<()[s0] -> (s0, 136)>
#z = affine_map<()[s0] -> (s0, 328)>
func.func @main(%x: tensor<?x256xf16, #x> {strata.name = "x"}, %v: tensor<256x136xf16> {strata.name = "v"},
                %w: tensor<256x328xf16> {strata.name = "w"})
    -> (tensor<?x136xf16, #y> {strata.name = "y"}, tensor<?x328xf16, #z> {strata.name = "z"}) attributes {strata.symbols = [
    {name = "rows", min = 1 : i64, max = 4096 : i64, multiple = 1 : i64, likely = [64, 512]}]} {
  %y = "strata.contract"(%x, %v) {maps = #nn, zero_pad = false, origin = "matmul"}
      : (tensor<?x256xf16, #x>, tensor<256x136xf16>) -> tensor<?x136xf16, #y>
  %z = "strata.contract"(%x, %w) {maps = #nn, zero_pad = false, origin = "matmul"}
      : (tensor<?x256xf16, #x>, tensor<256x328xf16>) -> tensor<?x328xf16, #z>
  return %y, %z : tensor<?x136xf16, #y>, tensor<?x328xf16, #z>
}
