func.func @main(%a: tensor<64x64xf16> {strata.name = "a"}, %b: tensor<64x64xf16> {strata.name = "b"}) -> tensor<64x64xf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}
