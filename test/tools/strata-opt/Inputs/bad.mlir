// -----
func.func @main(%x: tensor<4xf32>) {
  %0 = "strata.neg"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// -----
func.func @last(%x: tensor<5xf32>) {
  return
}
