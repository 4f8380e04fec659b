// Rows found by numbers in memory are copied by vectors on a GPU: the number is read once for each of them.
// RUN: strata-opt %s --target=nvgpu --device=sm_90a --strata-to-affine --affine-group --affine-coalesce --affine-schedule --affine-to-tile | FileCheck %s

// CHECK: kind = "map"
// CHECK: scf.forall
// CHECK: %[[I:.*]] = "tile.load"(%{{.*}}) {{.*}} -> i64
// CHECK: "tile.load"({{.*}}) {{.*}} -> vector<{{[0-9]+}}xf16>
// CHECK: "tile.store"({{.*}}) {{.*}}vector<{{[0-9]+}}xf16>
func.func @main(%x: tensor<5000x256xf16> {strata.name = "x"}, %i: tensor<3000xi64> {strata.name = "i"}) -> (tensor<3000x256xf16> {strata.name = "y"}) {
  %y = "strata.gather"(%x, %i) {axis = 0 : i64, batch_dims = 0 : i64} : (tensor<5000x256xf16>, tensor<3000xi64>) -> tensor<3000x256xf16>
  return %y : tensor<3000x256xf16>
}
