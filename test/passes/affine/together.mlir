// RUN: strata %s --target=nvgpu --device=sm_90a --explain --compile-to=affine -o %t | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s < %t/strata_mlir_artifact.affine.mlir

// Small products that have nothing in common share a launch where that is faster, with the longest reductions first.
// Large ones do not, nor what is summed in another type, which has a launch of its own. Those whose results go through
// much code do while no processor has tiles of several of them (together_code.mlir).
// SAID: product k1: no launch with k0, of which it is independent: they share no operand, and one takes long enough alone
// SAID: product k4: with 1 of k1, 256 x 512 x 1024: {{.*}} us in one launch, {{[0-9.]+}} apart{{$}}
// SAID: product k4: with 1 of k3, 128 x 512 x 1024: inf us in one launch, {{.*}}, left apart
// SAID: product k4: with 1 of k5, 64 x 512 x 512: inf us in one launch, {{.*}}, left apart
// SAID: product k4: with 1 of k7, 96 x 512 x 256: {{.*}} us in one launch, {{[0-9.]+}} apart{{$}}
// SAID: product k4: with 1 of k2, 64 x 256 x 512: {{.*}} us in one launch, {{[0-9.]+}} apart{{$}}
// SAID: product k4: with 1 of k6, 64 x 256 x 512: {{.*}} us in one launch, {{[0-9.]+}} apart{{$}}
// SAID: product k3: with 1 of k5, 64 x 512 x 512: {{.*}} us in one launch, {{[0-9.]+}} apart{{$}}
// SAID: product k4: 5 calls share a launch
// SAID: product k3: 2 calls share a launch
// SAID: a run: 3 launches
// CHECK: call @k0({{.*}}) :
// CHECK-NEXT: call @k1({{.*}}) {strata.launch = [[FIRST:[0-9]+]] : i64}
// CHECK-NEXT: call @k2({{.*}}) {strata.launch = [[FIRST]] : i64}
// CHECK-NEXT: call @k4({{.*}}) {strata.launch = [[FIRST]] : i64}
// CHECK-NEXT: call @k6({{.*}}) {strata.launch = [[FIRST]] : i64}
// CHECK-NEXT: call @k7({{.*}}) {strata.launch = [[FIRST]] : i64}
// CHECK-NEXT: call @k3({{.*}}) {strata.launch = [[SECOND:[0-9]+]] : i64}
// CHECK-NEXT: call @k5({{.*}}) {strata.launch = [[SECOND]] : i64}
#nt = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
func.func @main(%a0: tensor<4096x4096xbf16> {strata.name = "a0"}, %b0: tensor<4096x4096xbf16> {strata.name = "b0"},
                %a1: tensor<256x1024xbf16> {strata.name = "a1"}, %b1: tensor<512x1024xbf16> {strata.name = "b1"},
                %a2: tensor<64x512xbf16> {strata.name = "a2"}, %b2: tensor<256x512xbf16> {strata.name = "b2"},
                %a3: tensor<128x1024xi8> {strata.name = "a3"}, %b3: tensor<512x1024xi8> {strata.name = "b3"},
                %a4: tensor<512x512xbf16> {strata.name = "a4"}, %b4: tensor<1024x512xbf16> {strata.name = "b4"},
                %a5: tensor<64x512xi8> {strata.name = "a5"}, %b5: tensor<512x512xi8> {strata.name = "b5"},
                %a6: tensor<64x512xbf16> {strata.name = "a6"}, %b6: tensor<256x512xbf16> {strata.name = "b6"},
                %a7: tensor<96x256xbf16> {strata.name = "a7"}, %b7: tensor<512x256xbf16> {strata.name = "b7"})
    -> (tensor<4096x4096xbf16>, tensor<256x512xbf16>, tensor<64x256xbf16>, tensor<128x512xi32>, tensor<512x1024xbf16>,
        tensor<64x512xi32>, tensor<64x256xbf16>, tensor<96x512xbf16>) {
  %0 = "strata.contract"(%a0, %b0) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  %1 = "strata.contract"(%a1, %b1) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<256x1024xbf16>, tensor<512x1024xbf16>) -> tensor<256x512xbf16>
  %2 = "strata.contract"(%a2, %b2) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<64x512xbf16>, tensor<256x512xbf16>) -> tensor<64x256xbf16>
  %3 = "strata.contract"(%a3, %b3) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<128x1024xi8>, tensor<512x1024xi8>) -> tensor<128x512xi32>
  %4 = "strata.contract"(%a4, %b4) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<512x512xbf16>, tensor<1024x512xbf16>) -> tensor<512x1024xbf16>
  %5 = "strata.contract"(%a5, %b5) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<64x512xi8>, tensor<512x512xi8>) -> tensor<64x512xi32>
  %6 = "strata.contract"(%a6, %b6) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<64x512xbf16>, tensor<256x512xbf16>) -> tensor<64x256xbf16>
  %7 = "strata.gelu"(%6) : (tensor<64x256xbf16>) -> tensor<64x256xbf16>
  %8 = "strata.contract"(%a7, %b7) {maps = #nt, zero_pad = false, origin = "matmul"} : (tensor<96x256xbf16>, tensor<512x256xbf16>) -> tensor<96x512xbf16>
  %9 = "strata.gelu"(%8) : (tensor<96x512xbf16>) -> tensor<96x512xbf16>
  return %0, %1, %2, %3, %4, %5, %7, %9 : tensor<4096x4096xbf16>, tensor<256x512xbf16>, tensor<64x256xbf16>, tensor<128x512xi32>, tensor<512x1024xbf16>, tensor<64x512xi32>, tensor<64x256xbf16>, tensor<96x512xbf16>
}
