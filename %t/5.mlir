func.func @main(%a: tensor<256x1024xf32> {strata.name = "a"}, %b: tensor<256x1024xf32> {strata.name = "b"}) -> tensor<256x256xf32> {
  %0 = "strata.contract"(%a, %b) {maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], zero_pad = false, origin = "matmul"} : (tensor<256x1024xf32>, tensor<256x1024xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
