func.func @main(%a: tensor<128x4096xf16> {strata.name = "a"}, %b: tensor<4096x4096xf16> {strata.name = "b"}) -> tensor<128x4096xf16> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<128x4096xf16>, tensor<4096x4096xf16>) -> tensor<128x4096xf16>
  return %0 : tensor<128x4096xf16>
}
