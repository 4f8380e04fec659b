// RUN: strata %s --target=nvgpu --device=sm_90a --polyblocks-disable-reduce-reduce-fusion --explain --compile-to=affine -o %t | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s < %t/strata_mlir_artifact.affine.mlir
// RUN: strata %s --target=nvgpu --device=sm_80 --compile-to=affine -o %t.80
// RUN: FileCheck %s --check-prefix=APART < %t.80/strata_mlir_artifact.affine.mlir

// Products that do not depend on one another share a launch, whatever their operands: one moves up to the other, past
// what it does not depend on. One that reads their results does not.
// SAID: product k0: with 2 of k0, 4096 x 768 x 768: {{.*}} us in one launch, {{[0-9.]+}} apart{{$}}
// SAID-NEXT: product k0: 4096 x 768 x 768, 1 times
// SAID-NEXT: wgmma.bf16 {{.*}}, chosen
// SAID: product k3: with 1 of k2, 256 x 256 x 2048: {{.*}} apart{{$}}
// SAID: product k3: with 1 of k4, 256 x 256 x 2048: {{.*}} apart{{$}}
// SAID: product k3: 256 x 2048 x 2048, 1 times
// SAID: product k0: 2 calls share a launch
// SAID: product k3: 3 calls share a launch
// SAID: a run: 4 launches
// CHECK: call @k0(%arg0, %arg2, %arg9) {strata.launch = 0 : i64}
// CHECK-NEXT: call @k0(%arg1, %arg3, %arg11) {strata.launch = 0 : i64}
// CHECK-NEXT: call @k0(%arg9, %arg4, %arg10) :
// CHECK-NEXT: call @k1
// CHECK-NEXT: call @k2({{.*}}) {strata.launch = 1 : i64}
// CHECK-NEXT: call @k3({{.*}}) {strata.launch = 1 : i64}
// CHECK-NEXT: call @k4({{.*}}) {strata.launch = 1 : i64}
// CHECK-NEXT: return
// Products of other sizes take the schedule of the largest, which is chosen for the tiles of all.
// CHECK-DAG: func.func private @k2({{.*}}strata.schedule = [[LARGEST:{[^}]*}]]
// CHECK-DAG: func.func private @k3({{.*}}strata.schedule = [[LARGEST]]
// CHECK-DAG: func.func private @k4({{.*}}strata.schedule = [[LARGEST]]
// Those that are not pipelined share one where the model finds it no slower, whatever their tiles and however long they
// take (share_launches_products.mlir).
// APART-NOT: strata.launch
// APART: call @k0({{.*}}) {strata.launch = 0 : i64}
// APART-NEXT: call @k0({{.*}}) {strata.launch = 0 : i64}
// APART-NEXT: call @k0(%arg9, %arg4, %arg10) {strata.launch = 1 : i64}
// APART-NEXT: call @k3({{.*}}) {strata.launch = 1 : i64}
// APART-NEXT: call @k4({{.*}}) {strata.launch = 1 : i64}
// APART-NEXT: call @k2({{.*}}) {strata.launch = 1 : i64}
// APART-NOT: strata.launch
#nn = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#nt = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%x: tensor<4096x768xbf16> {strata.name = "x"}, %p: tensor<4096x768xbf16> {strata.name = "p"},
                %a: tensor<768x768xbf16> {strata.name = "a"}, %b: tensor<768x768xbf16> {strata.name = "b"},
                %c: tensor<768x768xbf16> {strata.name = "c"}, %t: tensor<256x2048xbf16> {strata.name = "t"},
                %q: tensor<2048x2048xbf16> {strata.name = "q"}, %k: tensor<2048x256xbf16> {strata.name = "wk"},
                %v: tensor<256x2048xbf16> {strata.name = "wv"})
    -> (tensor<4096x768xbf16> {strata.name = "k"}, tensor<4096x768xbf16> {strata.name = "w"},
        tensor<4096x768xbf16> {strata.name = "v"}, tensor<4096xbf16> {strata.name = "z"},
        tensor<256x2048xbf16> {strata.name = "r"}, tensor<256x256xbf16> {strata.name = "s"},
        tensor<256x256xbf16> {strata.name = "u"}) {
  %0 = "strata.contract"(%x, %a) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<4096x768xbf16>, tensor<768x768xbf16>) -> tensor<4096x768xbf16>
  %1 = "strata.contract"(%0, %c) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<4096x768xbf16>, tensor<768x768xbf16>) -> tensor<4096x768xbf16>
  %2 = "strata.contract"(%p, %b) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<4096x768xbf16>, tensor<768x768xbf16>) -> tensor<4096x768xbf16>
  %3 = "strata.reduce"(%1) {kind = "max", axes = array<i64: 1>} : (tensor<4096x768xbf16>) -> tensor<4096xbf16>
  %4 = "strata.contract"(%t, %k) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<256x2048xbf16>, tensor<2048x256xbf16>) -> tensor<256x256xbf16>
  %5 = "strata.contract"(%t, %q) {maps = #nn, zero_pad = false, origin = "matmul"} : (tensor<256x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<256x2048xbf16>
  %6 = "strata.contract"(%t, %v) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<256x2048xbf16>, tensor<256x2048xbf16>) -> tensor<256x256xbf16>
  return %0, %1, %2, %3, %5, %4, %6 : tensor<4096x768xbf16>, tensor<4096x768xbf16>, tensor<4096x768xbf16>, tensor<4096xbf16>, tensor<256x2048xbf16>, tensor<256x256xbf16>, tensor<256x256xbf16>
}
