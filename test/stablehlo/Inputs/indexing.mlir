"builtin.module"() <{sym_name = "jit_indexing"}> ({
  "func.func"() <{function_type = (tensor<8x8xf32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<3x8xf32>, tensor<8x3xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<8x3xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x3xf32>, tensor<3x8xf32>, tensor<3x3xf32>, tensor<8x8xf32>, tensor<8x1xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg60: tensor<8x8xf32>, %arg61: tensor<3xi32>, %arg62: tensor<3xi32>):
    %230 = "stablehlo.constant"() <{value = dense<7.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %231 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %232 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %233 = "stablehlo.constant"() <{value = dense<9.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %234 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %235 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
    %236 = "stablehlo.constant"() <{value = dense<2.500000e-01> : tensor<f32>}> : () -> tensor<f32>
    %237 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %238 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %239 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %240 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %241 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %242 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %243 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %244 = "stablehlo.compare"(%arg61, %243) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %245 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %246 = "stablehlo.add"(%arg61, %245) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %247 = "stablehlo.select"(%244, %246, %arg61) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %248 = "stablehlo.broadcast_in_dim"(%247) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %249 = "stablehlo.gather"(%arg60, %248) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<8x8xf32>, tensor<3x1xi32>) -> tensor<3x8xf32>
    %250 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %251 = "stablehlo.compare"(%arg61, %250) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %252 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %253 = "stablehlo.add"(%arg61, %252) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %254 = "stablehlo.select"(%251, %253, %arg61) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %255 = "stablehlo.broadcast_in_dim"(%254) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %256 = "stablehlo.gather"(%arg60, %255) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 8, 1>}> : (tensor<8x8xf32>, tensor<3x1xi32>) -> tensor<8x3xf32>
    %257 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %258 = "stablehlo.compare"(%arg61, %257) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %259 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %260 = "stablehlo.add"(%arg61, %259) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %261 = "stablehlo.select"(%258, %260, %arg61) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %262 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %263 = "stablehlo.compare"(%arg61, %262) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %264 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %265 = "stablehlo.add"(%arg61, %264) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %266 = "stablehlo.select"(%263, %265, %arg61) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %267 = "stablehlo.broadcast_in_dim"(%261) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %268 = "stablehlo.broadcast_in_dim"(%266) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %269 = "stablehlo.concatenate"(%267, %268) <{dimension = 1 : i64}> : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %270 = "stablehlo.gather"(%arg60, %269) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x8xf32>, tensor<3x2xi32>) -> tensor<3xf32>
    %271 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %272 = "stablehlo.compare"(%arg61, %271) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %273 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %274 = "stablehlo.add"(%arg61, %273) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %275 = "stablehlo.select"(%272, %274, %arg61) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %276 = "stablehlo.broadcast_in_dim"(%275) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %277 = "stablehlo.broadcast_in_dim"(%240) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3x1xi32>
    %278 = "stablehlo.concatenate"(%276, %277) <{dimension = 1 : i64}> : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %279 = "stablehlo.gather"(%arg60, %278) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<8x8xf32>, tensor<3x2xi32>) -> tensor<3x2xf32>
    %280 = "func.call"(%arg60, %arg61) <{callee = @_take}> : (tensor<8x8xf32>, tensor<3xi32>) -> tensor<8x3xf32>
    %281 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %282 = "stablehlo.compare"(%arg61, %281) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %283 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %284 = "stablehlo.add"(%arg61, %283) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %285 = "stablehlo.select"(%282, %284, %arg61) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %286 = "stablehlo.broadcast_in_dim"(%285) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %287 = "stablehlo.broadcast_in_dim"(%239) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x8xf32>
    %288 = "stablehlo.scatter"(%arg60, %286, %287) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg75: tensor<f32>, %arg76: tensor<f32>):
      "stablehlo.return"(%arg76) : (tensor<f32>) -> ()
    }) : (tensor<8x8xf32>, tensor<3x1xi32>, tensor<3x8xf32>) -> tensor<8x8xf32>
    %289 = "stablehlo.broadcast_in_dim"(%240) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %290 = "stablehlo.broadcast_in_dim"(%238) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %291 = "stablehlo.scatter"(%arg60, %289, %290) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
    ^bb0(%arg73: tensor<f32>, %arg74: tensor<f32>):
      %388 = "stablehlo.add"(%arg73, %arg74) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%388) : (tensor<f32>) -> ()
    }) : (tensor<8x8xf32>, tensor<1xi32>, tensor<8xf32>) -> tensor<8x8xf32>
    %292 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %293 = "stablehlo.compare"(%arg61, %292) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %294 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %295 = "stablehlo.add"(%arg61, %294) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %296 = "stablehlo.select"(%293, %295, %arg61) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %297 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %298 = "stablehlo.compare"(%arg61, %297) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %299 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %300 = "stablehlo.add"(%arg61, %299) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %301 = "stablehlo.select"(%298, %300, %arg61) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %302 = "stablehlo.broadcast_in_dim"(%296) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %303 = "stablehlo.broadcast_in_dim"(%301) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %304 = "stablehlo.concatenate"(%302, %303) <{dimension = 1 : i64}> : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %305 = "stablehlo.broadcast_in_dim"(%237) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3xf32>
    %306 = "stablehlo.scatter"(%arg60, %304, %305) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%arg71: tensor<f32>, %arg72: tensor<f32>):
      %387 = "stablehlo.multiply"(%arg71, %arg72) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%387) : (tensor<f32>) -> ()
    }) : (tensor<8x8xf32>, tensor<3x2xi32>, tensor<3xf32>) -> tensor<8x8xf32>
    %307 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %308 = "stablehlo.compare"(%arg62, %307) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %309 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %310 = "stablehlo.add"(%arg62, %309) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %311 = "stablehlo.select"(%308, %310, %arg62) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %312 = "stablehlo.broadcast_in_dim"(%311) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %313 = "stablehlo.broadcast_in_dim"(%236) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x8xf32>
    %314 = "stablehlo.scatter"(%arg60, %312, %313) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg69: tensor<f32>, %arg70: tensor<f32>):
      %386 = "stablehlo.maximum"(%arg69, %arg70) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%386) : (tensor<f32>) -> ()
    }) : (tensor<8x8xf32>, tensor<3x1xi32>, tensor<3x8xf32>) -> tensor<8x8xf32>
    %315 = "func.call"(%arg60) <{callee = @argsort}> : (tensor<8x8xf32>) -> tensor<8x8xi32>
    %316 = "func.call"(%arg60, %315) <{callee = @take_along_axis}> : (tensor<8x8xf32>, tensor<8x8xi32>) -> tensor<8x8xf32>
    %317 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xi32>
    %318 = "func.call"(%317, %235) <{callee = @remainder}> : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
    %319 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %320 = "stablehlo.compare"(%318, %319) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %321 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %322 = "stablehlo.add"(%318, %321) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %323 = "stablehlo.select"(%320, %322, %318) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %324 = "stablehlo.broadcast_in_dim"(%323) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %325 = "stablehlo.gather"(%arg60, %324) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 3>}> : (tensor<8x8xf32>, tensor<8x1xi32>) -> tensor<8x3xf32>
    %326 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %327 = "stablehlo.compare"(%arg62, %326) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %328 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %329 = "stablehlo.add"(%arg62, %328) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %330 = "stablehlo.select"(%327, %329, %arg62) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %331 = "stablehlo.broadcast_in_dim"(%330) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %332 = "stablehlo.gather"(%arg60, %331) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<8x8xf32>, tensor<3x1xi32>) -> tensor<3x8xf32>
    %333 = "stablehlo.slice"(%arg62) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<3xi32>) -> tensor<1xi32>
    %334 = "stablehlo.reshape"(%333) : (tensor<1xi32>) -> tensor<i32>
    %335 = "stablehlo.compare"(%334, %242) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %336 = "stablehlo.add"(%334, %241) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %337 = "stablehlo.select"(%335, %336, %334) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %338 = "stablehlo.dynamic_slice"(%arg60, %337, %234) <{slice_sizes = array<i64: 3, 3>}> : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x3xf32>
    %339 = "stablehlo.slice"(%arg60) <{limit_indices = array<i64: 2, 2>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x8xf32>) -> tensor<2x2xf32>
    %340 = "stablehlo.broadcast_in_dim"(%233) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2xf32>
    %341 = "stablehlo.multiply"(%339, %340) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %342 = "stablehlo.slice"(%arg62) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<3xi32>) -> tensor<1xi32>
    %343 = "stablehlo.reshape"(%342) : (tensor<1xi32>) -> tensor<i32>
    %344 = "stablehlo.compare"(%343, %242) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %345 = "stablehlo.add"(%343, %241) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %346 = "stablehlo.select"(%344, %345, %343) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %347 = "stablehlo.dynamic_update_slice"(%arg60, %341, %346, %232) : (tensor<8x8xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
    %348 = "stablehlo.slice"(%arg62) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<3xi32>) -> tensor<1xi32>
    %349 = "stablehlo.reshape"(%348) : (tensor<1xi32>) -> tensor<i32>
    %350 = "func.call"(%arg60, %349) <{callee = @dynamic_index_in_dim}> : (tensor<8x8xf32>, tensor<i32>) -> tensor<8x1xf32>
    %351 = "stablehlo.slice"(%arg60) <{limit_indices = array<i64: 3, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x8xf32>) -> tensor<3x3xf32>
    %352 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %353 = "stablehlo.compare"(%arg62, %352) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %354 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %355 = "stablehlo.add"(%arg62, %354) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %356 = "stablehlo.select"(%353, %355, %arg62) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %357 = "stablehlo.broadcast_in_dim"(%356) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %358 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3x1xi32>
    %359 = "stablehlo.concatenate"(%357, %358) <{dimension = 1 : i64}> : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %360 = "stablehlo.scatter"(%arg60, %359, %351) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%arg67: tensor<f32>, %arg68: tensor<f32>):
      "stablehlo.return"(%arg68) : (tensor<f32>) -> ()
    }) : (tensor<8x8xf32>, tensor<3x2xi32>, tensor<3x3xf32>) -> tensor<8x8xf32>
    %361 = "stablehlo.slice"(%arg60) <{limit_indices = array<i64: 1, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x8xf32>) -> tensor<1x8xf32>
    %362 = "stablehlo.reshape"(%361) : (tensor<1x8xf32>) -> tensor<8xf32>
    %363 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3xf32>
    %364 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3xf32>
    %365 = "stablehlo.multiply"(%364, %364) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %366 = "func.call"(%362, %363, %365) <{callee = @_interp}> : (tensor<8xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<8xf32>
    %367 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xi32>
    %368 = "func.call"(%367, %231) <{callee = @remainder}> : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
    %369 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %370 = "stablehlo.compare"(%368, %369) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %371 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %372 = "stablehlo.add"(%368, %371) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %373 = "stablehlo.select"(%370, %372, %368) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %374 = "stablehlo.broadcast_in_dim"(%373) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %375 = "stablehlo.broadcast_in_dim"(%230) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %376 = "stablehlo.scatter"(%arg60, %374, %375) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg65: tensor<f32>, %arg66: tensor<f32>):
      "stablehlo.return"(%arg66) : (tensor<f32>) -> ()
    }) : (tensor<8x8xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<8x8xf32>
    %377 = "stablehlo.slice"(%arg60) <{limit_indices = array<i64: 3, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x8xf32>) -> tensor<3x8xf32>
    %378 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %379 = "stablehlo.compare"(%arg62, %378) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %380 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %381 = "stablehlo.add"(%arg62, %380) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %382 = "stablehlo.select"(%379, %381, %arg62) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %383 = "stablehlo.broadcast_in_dim"(%382) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %384 = "stablehlo.scatter"(%arg60, %383, %377) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg63: tensor<f32>, %arg64: tensor<f32>):
      %385 = "stablehlo.add"(%arg63, %arg64) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%385) : (tensor<f32>) -> ()
    }) : (tensor<8x8xf32>, tensor<3x1xi32>, tensor<3x8xf32>) -> tensor<8x8xf32>
    "func.return"(%249, %256, %270, %279, %280, %288, %291, %306, %314, %316, %325, %332, %338, %347, %350, %360, %366, %376, %384) : (tensor<3x8xf32>, tensor<8x3xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<8x3xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x3xf32>, tensor<3x8xf32>, tensor<3x3xf32>, tensor<8x8xf32>, tensor<8x1xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x8xf32>, tensor<3xi32>) -> tensor<8x3xf32>, sym_name = "_take", sym_visibility = "private"}> ({
  ^bb0(%arg56: tensor<8x8xf32>, %arg57: tensor<3xi32>):
    %207 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %208 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %209 = "stablehlo.constant"() <{value = dense<7> : tensor<1xi32>}> : () -> tensor<1xi32>
    %210 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %211 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %212 = "stablehlo.broadcast_in_dim"(%211) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %213 = "stablehlo.compare"(%arg57, %212) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %214 = "stablehlo.broadcast_in_dim"(%210) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3xi32>
    %215 = "stablehlo.add"(%arg57, %214) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %216 = "func.call"(%213, %215, %arg57) <{callee = @_where}> : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %217 = "stablehlo.broadcast_in_dim"(%216) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %218 = "stablehlo.broadcast_in_dim"(%211) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3x1xi32>
    %219 = "stablehlo.compare"(%217, %218) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
    %220 = "stablehlo.broadcast_in_dim"(%209) <{broadcast_dimensions = array<i64: 1>}> : (tensor<1xi32>) -> tensor<1x1xi32>
    %221 = "stablehlo.broadcast_in_dim"(%220) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi32>) -> tensor<3x1xi32>
    %222 = "stablehlo.compare"(%217, %221) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
    %223 = "stablehlo.and"(%219, %222) : (tensor<3x1xi1>, tensor<3x1xi1>) -> tensor<3x1xi1>
    %224 = "stablehlo.reduce"(%223, %208) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg58: tensor<i1>, %arg59: tensor<i1>):
      %229 = "stablehlo.and"(%arg58, %arg59) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%229) : (tensor<i1>) -> ()
    }) : (tensor<3x1xi1>, tensor<i1>) -> tensor<3xi1>
    %225 = "stablehlo.gather"(%arg56, %217) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 8, 1>}> : (tensor<8x8xf32>, tensor<3x1xi32>) -> tensor<8x3xf32>
    %226 = "stablehlo.broadcast_in_dim"(%224) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xi1>) -> tensor<8x3xi1>
    %227 = "stablehlo.broadcast_in_dim"(%207) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x3xf32>
    %228 = "stablehlo.select"(%226, %225, %227) : (tensor<8x3xi1>, tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    "func.return"(%228) : (tensor<8x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg53: tensor<3xi1>, %arg54: tensor<3xi32>, %arg55: tensor<3xi32>):
    %206 = "stablehlo.select"(%arg53, %arg54, %arg55) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    "func.return"(%206) : (tensor<3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x8xf32>) -> tensor<8x8xi32>, sym_name = "argsort", sym_visibility = "private"}> ({
  ^bb0(%arg48: tensor<8x8xf32>):
    %193 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %194 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %195 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
    %196:2 = "stablehlo.sort"(%arg48, %195) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg49: tensor<f32>, %arg50: tensor<f32>, %arg51: tensor<i32>, %arg52: tensor<i32>):
      %197 = "stablehlo.compare"(%arg49, %194) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %198 = "stablehlo.select"(%197, %194, %arg49) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %199 = "stablehlo.compare"(%arg49, %arg49) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %200 = "stablehlo.select"(%199, %193, %198) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %201 = "stablehlo.compare"(%arg50, %194) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %202 = "stablehlo.select"(%201, %194, %arg50) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %203 = "stablehlo.compare"(%arg50, %arg50) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %204 = "stablehlo.select"(%203, %193, %202) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %205 = "stablehlo.compare"(%200, %204) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%205) : (tensor<i1>) -> ()
    }) : (tensor<8x8xf32>, tensor<8x8xi32>) -> (tensor<8x8xf32>, tensor<8x8xi32>)
    "func.return"(%196#1) : (tensor<8x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x8xf32>, tensor<8x8xi32>) -> tensor<8x8xf32>, sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg44: tensor<8x8xf32>, %arg45: tensor<8x8xi32>):
    %171 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %172 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %173 = "stablehlo.constant"() <{value = dense<7> : tensor<1xi32>}> : () -> tensor<1xi32>
    %174 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %175 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %176 = "stablehlo.broadcast_in_dim"(%175) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
    %177 = "stablehlo.compare"(%arg45, %176) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %178 = "stablehlo.broadcast_in_dim"(%174) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
    %179 = "stablehlo.add"(%arg45, %178) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %180 = "stablehlo.select"(%177, %179, %arg45) : (tensor<8x8xi1>, tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %181 = "stablehlo.reshape"(%180) : (tensor<8x8xi32>) -> tensor<8x8x1xi32>
    %182 = "stablehlo.broadcast_in_dim"(%175) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8x1xi32>
    %183 = "stablehlo.compare"(%181, %182) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x8x1xi32>, tensor<8x8x1xi32>) -> tensor<8x8x1xi1>
    %184 = "stablehlo.broadcast_in_dim"(%173) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %185 = "stablehlo.broadcast_in_dim"(%184) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xi32>) -> tensor<8x8x1xi32>
    %186 = "stablehlo.compare"(%181, %185) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<8x8x1xi32>, tensor<8x8x1xi32>) -> tensor<8x8x1xi1>
    %187 = "stablehlo.and"(%183, %186) : (tensor<8x8x1xi1>, tensor<8x8x1xi1>) -> tensor<8x8x1xi1>
    %188 = "stablehlo.reduce"(%187, %172) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg46: tensor<i1>, %arg47: tensor<i1>):
      %192 = "stablehlo.and"(%arg46, %arg47) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%192) : (tensor<i1>) -> ()
    }) : (tensor<8x8x1xi1>, tensor<i1>) -> tensor<8x8xi1>
    %189 = "stablehlo.gather"(%arg44, %181) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x8xf32>, tensor<8x8x1xi32>) -> tensor<8x8xf32>
    %190 = "stablehlo.broadcast_in_dim"(%171) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %191 = "stablehlo.select"(%188, %189, %190) : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%191) : (tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>, sym_name = "remainder", sym_visibility = "private"}> ({
  ^bb0(%arg42: tensor<8xi32>, %arg43: tensor<i32>):
    %153 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %154 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %155 = "stablehlo.convert"(%arg43) : (tensor<i32>) -> tensor<i32>
    %156 = "stablehlo.compare"(%155, %154) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %157 = "func.call"(%156, %153, %155) <{callee = @_where_0}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %158 = "stablehlo.broadcast_in_dim"(%157) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %159 = "stablehlo.remainder"(%arg42, %158) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %160 = "stablehlo.broadcast_in_dim"(%154) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %161 = "stablehlo.compare"(%159, %160) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %162 = "stablehlo.broadcast_in_dim"(%154) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %163 = "stablehlo.compare"(%159, %162) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %164 = "stablehlo.compare"(%157, %154) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %165 = "stablehlo.broadcast_in_dim"(%164) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<8xi1>
    %166 = "stablehlo.compare"(%163, %165) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
    %167 = "stablehlo.and"(%166, %161) : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
    %168 = "stablehlo.broadcast_in_dim"(%157) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %169 = "stablehlo.add"(%159, %168) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %170 = "stablehlo.select"(%167, %169, %159) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    "func.return"(%170) : (tensor<8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "_where_0", sym_visibility = "private"}> ({
  ^bb0(%arg39: tensor<i1>, %arg40: tensor<i32>, %arg41: tensor<i32>):
    %152 = "stablehlo.select"(%arg39, %arg40, %arg41) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%152) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x8xf32>, tensor<i32>) -> tensor<8x1xf32>, sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg37: tensor<8x8xf32>, %arg38: tensor<i32>):
    %146 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %147 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %148 = "stablehlo.compare"(%arg38, %147) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %149 = "stablehlo.add"(%arg38, %146) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %150 = "stablehlo.select"(%148, %149, %arg38) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %151 = "stablehlo.dynamic_slice"(%arg37, %147, %150) <{slice_sizes = array<i64: 8, 1>}> : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x1xf32>
    "func.return"(%151) : (tensor<8x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<8xf32>, sym_name = "_interp", sym_visibility = "private"}> ({
  ^bb0(%arg34: tensor<8xf32>, %arg35: tensor<3xf32>, %arg36: tensor<3xf32>):
    %55 = "stablehlo.constant"() <{value = dense<1.42108547E-14> : tensor<f32>}> : () -> tensor<f32>
    %56 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %57 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %58 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %59 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %60 = "func.call"(%arg35, %arg34) <{callee = @searchsorted}> : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xi32>
    %61 = "func.call"(%60, %59, %58) <{callee = @clip}> : (tensor<8xi32>, tensor<i32>, tensor<i32>) -> tensor<8xi32>
    %62 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %63 = "stablehlo.compare"(%61, %62) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %64 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %65 = "stablehlo.add"(%61, %64) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %66 = "stablehlo.select"(%63, %65, %61) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %67 = "stablehlo.broadcast_in_dim"(%66) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %68 = "stablehlo.gather"(%arg36, %67) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<8x1xi32>) -> tensor<8xf32>
    %69 = "stablehlo.broadcast_in_dim"(%59) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %70 = "stablehlo.subtract"(%61, %69) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %71 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %72 = "stablehlo.compare"(%70, %71) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %73 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %74 = "stablehlo.add"(%70, %73) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %75 = "stablehlo.select"(%72, %74, %70) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %76 = "stablehlo.broadcast_in_dim"(%75) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %77 = "stablehlo.gather"(%arg36, %76) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<8x1xi32>) -> tensor<8xf32>
    %78 = "stablehlo.subtract"(%68, %77) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %79 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %80 = "stablehlo.compare"(%61, %79) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %81 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %82 = "stablehlo.add"(%61, %81) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %83 = "stablehlo.select"(%80, %82, %61) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %84 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %85 = "stablehlo.gather"(%arg35, %84) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<8x1xi32>) -> tensor<8xf32>
    %86 = "stablehlo.broadcast_in_dim"(%59) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %87 = "stablehlo.subtract"(%61, %86) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %88 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %89 = "stablehlo.compare"(%87, %88) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %90 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %91 = "stablehlo.add"(%87, %90) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %92 = "stablehlo.select"(%89, %91, %87) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %93 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %94 = "stablehlo.gather"(%arg35, %93) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<8x1xi32>) -> tensor<8xf32>
    %95 = "stablehlo.subtract"(%85, %94) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %96 = "stablehlo.broadcast_in_dim"(%59) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %97 = "stablehlo.subtract"(%61, %96) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %98 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %99 = "stablehlo.compare"(%97, %98) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %100 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %101 = "stablehlo.add"(%97, %100) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %102 = "stablehlo.select"(%99, %101, %97) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %103 = "stablehlo.broadcast_in_dim"(%102) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %104 = "stablehlo.gather"(%arg35, %103) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<8x1xi32>) -> tensor<8xf32>
    %105 = "stablehlo.subtract"(%arg34, %104) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %106 = "stablehlo.abs"(%95) : (tensor<8xf32>) -> tensor<8xf32>
    %107 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %108 = "stablehlo.compare"(%106, %107) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %109 = "stablehlo.broadcast_in_dim"(%59) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %110 = "stablehlo.subtract"(%61, %109) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %111 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %112 = "stablehlo.compare"(%110, %111) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %113 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %114 = "stablehlo.add"(%110, %113) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %115 = "stablehlo.select"(%112, %114, %110) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %116 = "stablehlo.broadcast_in_dim"(%115) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %117 = "stablehlo.gather"(%arg36, %116) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<8x1xi32>) -> tensor<8xf32>
    %118 = "stablehlo.broadcast_in_dim"(%59) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %119 = "stablehlo.subtract"(%61, %118) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %120 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %121 = "stablehlo.compare"(%119, %120) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %122 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %123 = "stablehlo.add"(%119, %122) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %124 = "stablehlo.select"(%121, %123, %119) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %125 = "stablehlo.broadcast_in_dim"(%124) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %126 = "stablehlo.gather"(%arg36, %125) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<8x1xi32>) -> tensor<8xf32>
    %127 = "func.call"(%108, %59, %95) <{callee = @_where_2}> : (tensor<8xi1>, tensor<i32>, tensor<8xf32>) -> tensor<8xf32>
    %128 = "stablehlo.divide"(%105, %127) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %129 = "stablehlo.multiply"(%128, %78) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %130 = "stablehlo.add"(%126, %129) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %131 = "func.call"(%108, %117, %130) <{callee = @_where_3}> : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %132 = "stablehlo.slice"(%arg36) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<3xf32>) -> tensor<1xf32>
    %133 = "stablehlo.reshape"(%132) : (tensor<1xf32>) -> tensor<f32>
    %134 = "stablehlo.slice"(%arg35) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<3xf32>) -> tensor<1xf32>
    %135 = "stablehlo.reshape"(%134) : (tensor<1xf32>) -> tensor<f32>
    %136 = "stablehlo.broadcast_in_dim"(%135) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %137 = "stablehlo.compare"(%arg34, %136) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %138 = "func.call"(%137, %133, %131) <{callee = @_where_4}> : (tensor<8xi1>, tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
    %139 = "stablehlo.slice"(%arg36) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<3xf32>) -> tensor<1xf32>
    %140 = "stablehlo.reshape"(%139) : (tensor<1xf32>) -> tensor<f32>
    %141 = "stablehlo.slice"(%arg35) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<3xf32>) -> tensor<1xf32>
    %142 = "stablehlo.reshape"(%141) : (tensor<1xf32>) -> tensor<f32>
    %143 = "stablehlo.broadcast_in_dim"(%142) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %144 = "stablehlo.compare"(%arg34, %143) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %145 = "func.call"(%144, %140, %138) <{callee = @_where_4}> : (tensor<8xi1>, tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
    "func.return"(%145) : (tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xf32>, tensor<8xf32>) -> tensor<8xi32>, sym_name = "searchsorted", sym_visibility = "private"}> ({
  ^bb0(%arg32: tensor<3xf32>, %arg33: tensor<8xf32>):
    %54 = "func.call"(%arg32, %arg33) <{callee = @_searchsorted_scan_impl}> : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xi32>
    "func.return"(%54) : (tensor<8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xf32>, tensor<8xf32>) -> tensor<8xi32>, sym_name = "_searchsorted_scan_impl", sym_visibility = "private"}> ({
  ^bb0(%arg30: tensor<3xf32>, %arg31: tensor<8xf32>):
    %53 = "func.call"(%arg30, %arg31) <{callee = @_searchsorted_scan_impl_1}> : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xi32>
    "func.return"(%53) : (tensor<8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xf32>, tensor<8xf32>) -> tensor<8xi32>, sym_name = "_searchsorted_scan_impl_1", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<3xf32>, %arg19: tensor<8xf32>):
    %41 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %42 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %43 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %44 = "stablehlo.constant"() <{value = dense<3> : tensor<ui32>}> : () -> tensor<ui32>
    %45 = "stablehlo.constant"() <{value = dense<0> : tensor<ui32>}> : () -> tensor<ui32>
    %46 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<8xui32>
    %47 = "stablehlo.broadcast_in_dim"(%44) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<8xui32>
    %48:5 = "stablehlo.while"(%arg18, %arg19, %43, %46, %47) ({
    ^bb0(%arg25: tensor<3xf32>, %arg26: tensor<8xf32>, %arg27: tensor<i32>, %arg28: tensor<8xui32>, %arg29: tensor<8xui32>):
      %52 = "stablehlo.compare"(%arg27, %42) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%52) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg20: tensor<3xf32>, %arg21: tensor<8xf32>, %arg22: tensor<i32>, %arg23: tensor<8xui32>, %arg24: tensor<8xui32>):
      %50:2 = "func.call"(%arg20, %arg21, %arg23, %arg24) <{callee = @closed_call}> : (tensor<3xf32>, tensor<8xf32>, tensor<8xui32>, tensor<8xui32>) -> (tensor<8xui32>, tensor<8xui32>)
      %51 = "stablehlo.add"(%arg22, %41) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg20, %arg21, %51, %50#0, %50#1) : (tensor<3xf32>, tensor<8xf32>, tensor<i32>, tensor<8xui32>, tensor<8xui32>) -> ()
    }) : (tensor<3xf32>, tensor<8xf32>, tensor<i32>, tensor<8xui32>, tensor<8xui32>) -> (tensor<3xf32>, tensor<8xf32>, tensor<i32>, tensor<8xui32>, tensor<8xui32>)
    %49 = "stablehlo.convert"(%48#4) : (tensor<8xui32>) -> tensor<8xi32>
    "func.return"(%49) : (tensor<8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xf32>, tensor<8xf32>, tensor<8xui32>, tensor<8xui32>) -> (tensor<8xui32>, tensor<8xui32>), sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<3xf32>, %arg15: tensor<8xf32>, %arg16: tensor<8xui32>, %arg17: tensor<8xui32>):
    %15 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %18 = "stablehlo.subtract"(%arg17, %arg16) : (tensor<8xui32>, tensor<8xui32>) -> tensor<8xui32>
    %19 = "func.call"(%18, %17) <{callee = @floor_divide}> : (tensor<8xui32>, tensor<i32>) -> tensor<8xui32>
    %20 = "stablehlo.add"(%arg16, %19) : (tensor<8xui32>, tensor<8xui32>) -> tensor<8xui32>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xui32>) -> tensor<8x1xui32>
    %22 = "stablehlo.gather"(%arg14, %21) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<8x1xui32>) -> tensor<8x1xf32>
    %23 = "stablehlo.reshape"(%22) : (tensor<8x1xf32>) -> tensor<8xf32>
    %24 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %25 = "stablehlo.compare"(%arg15, %24) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %26 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %27 = "stablehlo.select"(%25, %26, %arg15) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %28 = "stablehlo.compare"(%arg15, %arg15) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %29 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %30 = "stablehlo.select"(%28, %29, %27) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %31 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %32 = "stablehlo.compare"(%23, %31) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %33 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %34 = "stablehlo.select"(%32, %33, %23) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %35 = "stablehlo.compare"(%23, %23) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %36 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %37 = "stablehlo.select"(%35, %36, %34) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %38 = "stablehlo.compare"(%30, %37) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %39 = "stablehlo.select"(%38, %arg16, %20) : (tensor<8xi1>, tensor<8xui32>, tensor<8xui32>) -> tensor<8xui32>
    %40 = "stablehlo.select"(%38, %20, %arg17) : (tensor<8xi1>, tensor<8xui32>, tensor<8xui32>) -> tensor<8xui32>
    "func.return"(%39, %40) : (tensor<8xui32>, tensor<8xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xui32>, tensor<i32>) -> tensor<8xui32>, sym_name = "floor_divide", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<8xui32>, %arg13: tensor<i32>):
    %12 = "stablehlo.convert"(%arg13) : (tensor<i32>) -> tensor<ui32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<8xui32>
    %14 = "stablehlo.divide"(%arg12, %13) : (tensor<8xui32>, tensor<8xui32>) -> tensor<8xui32>
    "func.return"(%14) : (tensor<8xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xi32>, tensor<i32>, tensor<i32>) -> tensor<8xi32>, sym_name = "clip", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<8xi32>, %arg10: tensor<i32>, %arg11: tensor<i32>):
    %6 = "stablehlo.convert"(%arg10) : (tensor<i32>) -> tensor<i32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %8 = "stablehlo.maximum"(%7, %arg9) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %9 = "stablehlo.convert"(%arg11) : (tensor<i32>) -> tensor<i32>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %11 = "stablehlo.minimum"(%10, %8) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    "func.return"(%11) : (tensor<8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xi1>, tensor<i32>, tensor<8xf32>) -> tensor<8xf32>, sym_name = "_where_2", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<8xi1>, %arg7: tensor<i32>, %arg8: tensor<8xf32>):
    %3 = "stablehlo.convert"(%arg7) : (tensor<i32>) -> tensor<f32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %5 = "stablehlo.select"(%arg6, %4, %arg8) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    "func.return"(%5) : (tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>, sym_name = "_where_3", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<8xi1>, %arg4: tensor<8xf32>, %arg5: tensor<8xf32>):
    %2 = "stablehlo.select"(%arg3, %arg4, %arg5) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    "func.return"(%2) : (tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xi1>, tensor<f32>, tensor<8xf32>) -> tensor<8xf32>, sym_name = "_where_4", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8xi1>, %arg1: tensor<f32>, %arg2: tensor<8xf32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %1 = "stablehlo.select"(%arg0, %0, %arg2) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    "func.return"(%1) : (tensor<8xf32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
