func.func @main(%a: tensor<512x1025xf16> {strata.name = "a"}, %b: tensor<520x1025xf16> {strata.name = "b"}) -> tensor<512x520xf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<512x1025xf16>, tensor<520x1025xf16>) -> tensor<512x520xf16>
  return %0 : tensor<512x520xf16>
}
