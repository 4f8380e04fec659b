func.func @main(%a: tensor<4x57x57x64xf16> {strata.name = "a"}, %b: tensor<128x3x3x64xf16> {strata.name = "b"}) -> tensor<4x28x28x128xf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(n, p, q, k, r, s, c) -> (n, p * 2 + r, q * 2 + s, c)>, affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>, affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>], zero_pad = false, origin = "conv"} : (tensor<4x57x57x64xf16>, tensor<128x3x3x64xf16>) -> tensor<4x28x28x128xf16>
  return %0 : tensor<4x28x28x128xf16>
}
