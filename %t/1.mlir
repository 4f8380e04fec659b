func.func @main(%a: tensor<4096x3072xbf16> {strata.name = "a"}, %b: tensor<3072x768xbf16> {strata.name = "b"}) -> tensor<4096x768xbf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<4096x3072xbf16>, tensor<3072x768xbf16>) -> tensor<4096x768xbf16>
  return %0 : tensor<4096x768xbf16>
}
