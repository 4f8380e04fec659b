func.func @main(%a: tensor<16x1024x1024xbf16> {strata.name = "a"}, %b: tensor<16x1024x1024xbf16> {strata.name = "b"}) -> tensor<16x1024x1024xbf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>, affine_map<(b, i, j, k) -> (b, i, j)>], zero_pad = false, origin = "matmul"} : (tensor<16x1024x1024xbf16>, tensor<16x1024x1024xbf16>) -> tensor<16x1024x1024xbf16>
  return %0 : tensor<16x1024x1024xbf16>
}
