"builtin.module"() <{sym_name = "jit_sizes"}> ({
  "func.func"() <{function_type = (tensor<?x8xf32>, tensor<8x6xf32>) -> (tensor<?xf32>, tensor<?x8xf32>, tensor<?xi32>, tensor<?x8xf32>, tensor<6xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xi32>, tensor<?x2xf32>, tensor<8x8xf32>, tensor<?x8xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg41: tensor<?x8xf32>, %arg42: tensor<8x6xf32>):
    %162 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %163 = "stablehlo.get_dimension_size"(%arg41) <{dimension = 0 : i64}> : (tensor<?x8xf32>) -> tensor<i32>
    %164 = "stablehlo.compare"(%163, %162) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.custom_call"(%164, %163) <{api_version = 2 : i32, call_target_name = "shape_assertion", has_side_effect = true}> {error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'. Using the following polymorphic shapes specifications: args[0].shape = (b, 8). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details."} : (tensor<i1>, tensor<i32>) -> ()
    %165:13 = "func.call"(%163, %arg41, %arg42) <{callee = @_wrapped_jax_export_main}> : (tensor<i32>, tensor<?x8xf32>, tensor<8x6xf32>) -> (tensor<?xf32>, tensor<?x8xf32>, tensor<?xi32>, tensor<?x8xf32>, tensor<6xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xi32>, tensor<?x2xf32>, tensor<8x8xf32>, tensor<?x8xf32>)
    "func.return"(%165#0, %165#1, %165#2, %165#3, %165#4, %165#5, %165#6, %165#7, %165#8, %165#9, %165#10, %165#11, %165#12) : (tensor<?xf32>, tensor<?x8xf32>, tensor<?xi32>, tensor<?x8xf32>, tensor<6xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xi32>, tensor<?x2xf32>, tensor<8x8xf32>, tensor<?x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}, {}], function_type = (tensor<i32>, tensor<?x8xf32>, tensor<8x6xf32>) -> (tensor<?xf32>, tensor<?x8xf32>, tensor<?xi32>, tensor<?x8xf32>, tensor<6xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xi32>, tensor<?x2xf32>, tensor<8x8xf32>, tensor<?x8xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}], sym_name = "_wrapped_jax_export_main", sym_visibility = "private"}> ({
  ^bb0(%arg32: tensor<i32>, %arg33: tensor<?x8xf32>, %arg34: tensor<8x6xf32>):
    %61 = "stablehlo.constant"() <{value = dense<2> : tensor<1xi32>}> : () -> tensor<1xi32>
    %62 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %63 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %64 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %65 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %66 = "stablehlo.constant"() <{value = dense<-1> : tensor<i32>}> : () -> tensor<i32>
    %67 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %68 = "stablehlo.constant"() <{value = dense<6> : tensor<1xi32>}> : () -> tensor<1xi32>
    %69 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %70 = "stablehlo.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %71 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %72 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %73 = "stablehlo.dot_general"(%arg33, %arg34) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32>
    %74 = "stablehlo.reduce"(%73, %72) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg39: tensor<f32>, %arg40: tensor<f32>):
      %161 = "stablehlo.maximum"(%arg39, %arg40) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%161) : (tensor<f32>) -> ()
    }) : (tensor<?x6xf32>, tensor<f32>) -> tensor<?xf32>
    %75 = "stablehlo.reshape"(%arg32) : (tensor<i32>) -> tensor<1xi32>
    %76 = "stablehlo.dynamic_broadcast_in_dim"(%72, %75) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %77 = "stablehlo.maximum"(%76, %74) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %78 = "stablehlo.reshape"(%arg32) : (tensor<i32>) -> tensor<1xi32>
    %79 = "stablehlo.concatenate"(%78, %70) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %80 = "stablehlo.dynamic_broadcast_in_dim"(%77, %79) <{broadcast_dimensions = array<i64: 0>}> : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x1xf32>
    %81 = "stablehlo.reshape"(%arg32) : (tensor<i32>) -> tensor<1xi32>
    %82 = "stablehlo.concatenate"(%81, %68) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %83 = "stablehlo.dynamic_broadcast_in_dim"(%80, %82) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x1xf32>, tensor<2xi32>) -> tensor<?x6xf32>
    %84 = "stablehlo.subtract"(%73, %83) : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
    %85 = "stablehlo.exponential"(%84) : (tensor<?x6xf32>) -> tensor<?x6xf32>
    %86 = "stablehlo.reduce"(%85, %67) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %160 = "stablehlo.add"(%arg37, %arg38) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%160) : (tensor<f32>) -> ()
    }) : (tensor<?x6xf32>, tensor<f32>) -> tensor<?xf32>
    %87 = "stablehlo.reshape"(%arg32) : (tensor<i32>) -> tensor<1xi32>
    %88 = "stablehlo.concatenate"(%87, %70) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %89 = "stablehlo.dynamic_broadcast_in_dim"(%86, %88) <{broadcast_dimensions = array<i64: 0>}> : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x1xf32>
    %90 = "stablehlo.reshape"(%arg32) : (tensor<i32>) -> tensor<1xi32>
    %91 = "stablehlo.concatenate"(%90, %68) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %92 = "stablehlo.dynamic_broadcast_in_dim"(%89, %91) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x1xf32>, tensor<2xi32>) -> tensor<?x6xf32>
    %93 = "stablehlo.divide"(%85, %92) : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
    %94 = "stablehlo.convert"(%arg32) : (tensor<i32>) -> tensor<i32>
    %95 = "stablehlo.multiply"(%94, %69) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %96 = "stablehlo.reshape"(%95) : (tensor<i32>) -> tensor<1xi32>
    %97 = "stablehlo.dynamic_reshape"(%93, %96) : (tensor<?x6xf32>, tensor<1xi32>) -> tensor<?xf32>
    %98 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %99 = "stablehlo.convert"(%arg32) : (tensor<i32>) -> tensor<i32>
    %100 = "stablehlo.add"(%99, %66) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %101 = "stablehlo.reshape"(%100) : (tensor<i32>) -> tensor<1xi32>
    %102 = "stablehlo.concatenate"(%101, %64) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %103 = "stablehlo.dynamic_gather"(%arg33, %98, %102) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0]>, indices_are_sorted = true}> : (tensor<?x8xf32>, tensor<1xi32>, tensor<2xi32>) -> tensor<?x8xf32>
    %104 = "stablehlo.reshape"(%arg32) : (tensor<i32>) -> tensor<1xi32>
    %105 = "stablehlo.dynamic_iota"(%104) <{iota_dimension = 0 : i64}> : (tensor<1xi32>) -> tensor<?xi32>
    %106 = "stablehlo.reshape"(%arg32) : (tensor<i32>) -> tensor<1xi32>
    %107 = "stablehlo.dynamic_broadcast_in_dim"(%71, %106) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %108 = "stablehlo.multiply"(%107, %105) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %109 = "stablehlo.reshape"(%arg32) : (tensor<i32>) -> tensor<1xi32>
    %110 = "stablehlo.dynamic_broadcast_in_dim"(%63, %109) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %111 = "stablehlo.add"(%110, %108) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %112 = "stablehlo.concatenate"(%arg33, %arg33) <{dimension = 0 : i64}> : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %113 = "stablehlo.convert"(%arg32) : (tensor<i32>) -> tensor<f32>
    %114 = "stablehlo.reduce"(%93, %67) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg35: tensor<f32>, %arg36: tensor<f32>):
      %159 = "stablehlo.add"(%arg35, %arg36) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%159) : (tensor<f32>) -> ()
    }) : (tensor<?x6xf32>, tensor<f32>) -> tensor<6xf32>
    %115 = "stablehlo.broadcast_in_dim"(%113) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %116 = "stablehlo.divide"(%114, %115) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %117 = "func.call"(%arg32, %arg33, %63) <{callee = @_pad}> : (tensor<i32>, tensor<?x8xf32>, tensor<i32>) -> tensor<?x8xf32>
    %118 = "stablehlo.convert"(%arg32) : (tensor<i32>) -> tensor<i32>
    %119 = "stablehlo.compare"(%66, %63) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %120 = "stablehlo.add"(%66, %118) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %121 = "stablehlo.select"(%119, %120, %66) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %122 = "stablehlo.compare"(%63, %63) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %123 = "stablehlo.add"(%63, %65) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %124 = "stablehlo.select"(%122, %123, %63) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %125 = "stablehlo.dynamic_slice"(%arg33, %121, %124) <{slice_sizes = array<i64: 1, 8>}> : (tensor<?x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %126 = "stablehlo.reshape"(%125) : (tensor<1x8xf32>) -> tensor<8xf32>
    %127 = "stablehlo.convert"(%arg32) : (tensor<i32>) -> tensor<i32>
    %128 = "stablehlo.add"(%127, %71) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %129:2 = "func.call"(%arg32, %128, %62) <{callee = @divmod}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    %130 = "stablehlo.reshape"(%129#0) : (tensor<i32>) -> tensor<1xi32>
    %131 = "stablehlo.dynamic_iota"(%130) <{iota_dimension = 0 : i64}> : (tensor<1xi32>) -> tensor<?xi32>
    %132 = "stablehlo.convert"(%arg32) : (tensor<i32>) -> tensor<i32>
    %133 = "stablehlo.add"(%132, %71) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %134:2 = "func.call"(%arg32, %133, %62) <{callee = @divmod}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    %135 = "stablehlo.reshape"(%134#0) : (tensor<i32>) -> tensor<1xi32>
    %136 = "stablehlo.dynamic_broadcast_in_dim"(%62, %135) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %137 = "stablehlo.multiply"(%136, %131) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %138 = "stablehlo.convert"(%arg32) : (tensor<i32>) -> tensor<i32>
    %139 = "stablehlo.add"(%138, %71) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %140:2 = "func.call"(%arg32, %139, %62) <{callee = @divmod}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    %141 = "stablehlo.reshape"(%140#0) : (tensor<i32>) -> tensor<1xi32>
    %142 = "stablehlo.dynamic_broadcast_in_dim"(%63, %141) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %143 = "stablehlo.add"(%142, %137) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %144 = "stablehlo.convert"(%arg32) : (tensor<i32>) -> tensor<i32>
    %145 = "stablehlo.add"(%144, %71) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %146:2 = "func.call"(%arg32, %145, %62) <{callee = @divmod}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    %147 = "stablehlo.reshape"(%146#0) : (tensor<i32>) -> tensor<1xi32>
    %148 = "stablehlo.concatenate"(%147, %70) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %149 = "stablehlo.dynamic_broadcast_in_dim"(%143, %148) <{broadcast_dimensions = array<i64: 0>}> : (tensor<?xi32>, tensor<2xi32>) -> tensor<?x1xi32>
    %150 = "stablehlo.gather"(%arg33, %149) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 8>}> : (tensor<?x8xf32>, tensor<?x1xi32>) -> tensor<?x8xf32>
    %151 = "func.call"(%arg32, %arg33) <{callee = @sort}> : (tensor<i32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %152 = "func.call"(%arg32, %arg33) <{callee = @argmax}> : (tensor<i32>, tensor<?x8xf32>) -> tensor<8xi32>
    %153 = "stablehlo.reshape"(%arg32) : (tensor<i32>) -> tensor<1xi32>
    %154 = "stablehlo.concatenate"(%153, %61) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %155 = "stablehlo.dynamic_broadcast_in_dim"(%67, %154) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x2xf32>
    %156 = "stablehlo.transpose"(%arg33) <{permutation = array<i64: 1, 0>}> : (tensor<?x8xf32>) -> tensor<8x?xf32>
    %157 = "stablehlo.dot_general"(%156, %arg33) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<8x?xf32>, tensor<?x8xf32>) -> tensor<8x8xf32>
    %158 = "func.call"(%arg32, %arg33) <{callee = @cumsum}> : (tensor<i32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    "func.return"(%97, %103, %111, %112, %116, %117, %126, %150, %151, %152, %155, %157, %158) : (tensor<?xf32>, tensor<?x8xf32>, tensor<?xi32>, tensor<?x8xf32>, tensor<6xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xi32>, tensor<?x2xf32>, tensor<8x8xf32>, tensor<?x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}, {}], function_type = (tensor<i32>, tensor<?x8xf32>, tensor<i32>) -> tensor<?x8xf32>, sym_name = "_pad", sym_visibility = "private"}> ({
  ^bb0(%arg29: tensor<i32>, %arg30: tensor<?x8xf32>, %arg31: tensor<i32>):
    %59 = "stablehlo.convert"(%arg31) : (tensor<i32>) -> tensor<f32>
    %60 = "stablehlo.pad"(%arg30, %59) <{edge_padding_high = array<i64: 1, 0>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
    "func.return"(%60) : (tensor<?x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>), sym_name = "divmod", sym_visibility = "private"}> ({
  ^bb0(%arg26: tensor<i32>, %arg27: tensor<i32>, %arg28: tensor<i32>):
    %57 = "func.call"(%arg26, %arg27, %arg28) <{callee = @floor_divide}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %58 = "func.call"(%arg26, %arg27, %arg28) <{callee = @remainder}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%57, %58) : (tensor<i32>, tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "floor_divide", sym_visibility = "private"}> ({
  ^bb0(%arg23: tensor<i32>, %arg24: tensor<i32>, %arg25: tensor<i32>):
    %46 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %47 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %48 = "stablehlo.divide"(%arg24, %arg25) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %49 = "stablehlo.sign"(%arg24) : (tensor<i32>) -> tensor<i32>
    %50 = "stablehlo.sign"(%arg25) : (tensor<i32>) -> tensor<i32>
    %51 = "stablehlo.compare"(%49, %50) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %52 = "stablehlo.remainder"(%arg24, %arg25) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %53 = "stablehlo.compare"(%52, %47) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %54 = "stablehlo.and"(%51, %53) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %55 = "stablehlo.subtract"(%48, %46) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %56 = "func.call"(%arg23, %54, %55, %48) <{callee = @_where}> : (tensor<i32>, tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%56) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}, {}, {}], function_type = (tensor<i32>, tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg19: tensor<i32>, %arg20: tensor<i1>, %arg21: tensor<i32>, %arg22: tensor<i32>):
    %45 = "stablehlo.select"(%arg20, %arg21, %arg22) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%45) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "remainder", sym_visibility = "private"}> ({
  ^bb0(%arg16: tensor<i32>, %arg17: tensor<i32>, %arg18: tensor<i32>):
    %33 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %34 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %35 = "stablehlo.compare"(%arg18, %34) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %36 = "func.call"(%arg16, %35, %33, %arg18) <{callee = @_where}> : (tensor<i32>, tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %37 = "stablehlo.remainder"(%arg17, %36) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %38 = "stablehlo.compare"(%37, %34) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %39 = "stablehlo.compare"(%37, %34) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %40 = "stablehlo.compare"(%36, %34) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %41 = "stablehlo.compare"(%39, %40) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %42 = "stablehlo.and"(%41, %38) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %43 = "stablehlo.add"(%37, %36) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %44 = "stablehlo.select"(%42, %43, %37) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%44) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}], function_type = (tensor<i32>, tensor<?x8xf32>) -> tensor<?x8xf32>, sym_name = "sort", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<i32>, %arg13: tensor<?x8xf32>):
    %21 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %22 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %23 = "stablehlo.sort"(%arg13) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %24 = "stablehlo.compare"(%arg14, %22) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %25 = "stablehlo.select"(%24, %22, %arg14) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %26 = "stablehlo.compare"(%arg14, %arg14) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %27 = "stablehlo.select"(%26, %21, %25) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %28 = "stablehlo.compare"(%arg15, %22) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %29 = "stablehlo.select"(%28, %22, %arg15) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %30 = "stablehlo.compare"(%arg15, %arg15) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %31 = "stablehlo.select"(%30, %21, %29) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %32 = "stablehlo.compare"(%27, %31) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%32) : (tensor<i1>) -> ()
    }) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    "func.return"(%23) : (tensor<?x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<?x8xf32>) -> tensor<8xi32>, sym_name = "argmax", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<i32>, %arg7: tensor<?x8xf32>):
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %6 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "stablehlo.reshape"(%arg6) : (tensor<i32>) -> tensor<1xi32>
    %9 = "stablehlo.concatenate"(%8, %7) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %10 = "stablehlo.dynamic_iota"(%9) <{iota_dimension = 0 : i64}> : (tensor<2xi32>) -> tensor<?x8xi32>
    %11:2 = "stablehlo.reduce"(%arg7, %10, %6, %5) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<i32>, %arg10: tensor<f32>, %arg11: tensor<i32>):
      %12 = "stablehlo.compare"(%arg8, %arg10) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %13 = "stablehlo.compare"(%arg8, %arg8) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %14 = "stablehlo.or"(%12, %13) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %15 = "stablehlo.compare"(%arg8, %arg10) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %16 = "stablehlo.compare"(%arg9, %arg11) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %17 = "stablehlo.and"(%15, %16) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %18 = "stablehlo.or"(%14, %17) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %19 = "stablehlo.select"(%14, %arg8, %arg10) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %20 = "stablehlo.select"(%18, %arg9, %arg11) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%19, %20) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<?x8xf32>, tensor<?x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
    "func.return"(%11#1) : (tensor<8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}], function_type = (tensor<i32>, tensor<?x8xf32>) -> tensor<?x8xf32>, sym_name = "cumsum", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<i32>, %arg5: tensor<?x8xf32>):
    %4 = "func.call"(%arg4, %arg5) <{callee = @cumsum_0}> : (tensor<i32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    "func.return"(%4) : (tensor<?x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<?x8xf32>) -> tensor<?x8xf32>, sym_name = "cumsum_0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<?x8xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%arg1, %1) <{padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 8>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%3) : (tensor<f32>) -> ()
    }) : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
    "func.return"(%2) : (tensor<?x8xf32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
