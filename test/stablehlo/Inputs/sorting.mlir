"builtin.module"() <{sym_name = "jit_sorting"}> ({
  "func.func"() <{function_type = (tensor<6x7xf32>, tensor<3xi32>) -> (tensor<6x7xf32>, tensor<6x7xf32>, tensor<6x7xi32>, tensor<6x3xf32>, tensor<6x3xi32>, tensor<6xf32>, tensor<6x7xf32>, tensor<6x7xf32>, tensor<3xi32>, tensor<7xi32>, tensor<6xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3][0]"}, {jax.result_info = "result[3][1]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5][0]"}, {jax.result_info = "result[5][1]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg62: tensor<6x7xf32>, %arg63: tensor<3xi32>):
    %147 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %148 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %149 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %150 = "func.call"(%arg62) <{callee = @sort}> : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %151 = "func.call"(%arg62) <{callee = @sort_0}> : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %152 = "func.call"(%arg62) <{callee = @argsort}> : (tensor<6x7xf32>) -> tensor<6x7xi32>
    %153:2 = "stablehlo.composite"(%arg62) <{composite_attributes = {k = 3 : i64}, decomposition = @chlo.top_k.impl_1, name = "chlo.top_k", version = 1 : i32}> : (tensor<6x7xf32>) -> (tensor<6x3xf32>, tensor<6x3xi32>)
    %154 = "func.call"(%arg62) <{callee = @median}> : (tensor<6x7xf32>) -> tensor<6xf32>
    %155 = "stablehlo.broadcast_in_dim"(%arg63) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %156 = "stablehlo.convert"(%155) : (tensor<3x1xi32>) -> tensor<3x1xf32>
    %157 = "stablehlo.broadcast_in_dim"(%149) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x1xf32>
    %158 = "stablehlo.multiply"(%156, %157) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %159 = "stablehlo.broadcast_in_dim"(%158) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<3x1xf32>) -> tensor<3x7xf32>
    %160 = "stablehlo.slice"(%159) <{limit_indices = array<i64: 1, 7>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<3x7xf32>) -> tensor<1x7xf32>
    %161 = "stablehlo.broadcast_in_dim"(%148) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x7xf32>
    %162 = "stablehlo.multiply"(%arg62, %161) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    %163 = "stablehlo.convert"(%160) : (tensor<1x7xf32>) -> tensor<1x7xf32>
    %164 = "stablehlo.broadcast_in_dim"(%163) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x7xf32>) -> tensor<6x7xf32>
    %165 = "stablehlo.add"(%164, %162) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    %166 = "stablehlo.add"(%165, %arg62) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    %167:2 = "stablehlo.sort"(%arg62, %166) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg64: tensor<f32>, %arg65: tensor<f32>, %arg66: tensor<f32>, %arg67: tensor<f32>):
      %176 = "stablehlo.compare"(%arg64, %148) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %177 = "stablehlo.select"(%176, %148, %arg64) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %178 = "stablehlo.compare"(%arg64, %arg64) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %179 = "stablehlo.select"(%178, %147, %177) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %180 = "stablehlo.compare"(%arg65, %148) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %181 = "stablehlo.select"(%180, %148, %arg65) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %182 = "stablehlo.compare"(%arg65, %arg65) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %183 = "stablehlo.select"(%182, %147, %181) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %184 = "stablehlo.compare"(%179, %183) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%184) : (tensor<i1>) -> ()
    }) : (tensor<6x7xf32>, tensor<6x7xf32>) -> (tensor<6x7xf32>, tensor<6x7xf32>)
    %168 = "func.call"(%arg63) <{callee = @sort_1}> : (tensor<3xi32>) -> tensor<3xi32>
    %169 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xf32>
    %170 = "stablehlo.slice"(%arg62) <{limit_indices = array<i64: 1, 7>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x7xf32>) -> tensor<1x7xf32>
    %171 = "stablehlo.reshape"(%170) : (tensor<1x7xf32>) -> tensor<7xf32>
    %172 = "func.call"(%169, %171) <{callee = @searchsorted}> : (tensor<8xf32>, tensor<7xf32>) -> tensor<7xi32>
    %173 = "func.call"(%arg62) <{callee = @partition}> : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %174 = "stablehlo.slice"(%173) <{limit_indices = array<i64: 6, 3>, start_indices = array<i64: 0, 2>, strides = array<i64: 1, 1>}> : (tensor<6x7xf32>) -> tensor<6x1xf32>
    %175 = "stablehlo.reshape"(%174) : (tensor<6x1xf32>) -> tensor<6xf32>
    "func.return"(%150, %151, %152, %153#0, %153#1, %154, %167#0, %167#1, %168, %172, %175) : (tensor<6x7xf32>, tensor<6x7xf32>, tensor<6x7xi32>, tensor<6x3xf32>, tensor<6x3xi32>, tensor<6xf32>, tensor<6x7xf32>, tensor<6x7xf32>, tensor<3xi32>, tensor<7xi32>, tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> (tensor<6x3xf32>, tensor<6x3xi32>), sym_name = "chlo.top_k.impl_1", sym_visibility = "private"}> ({
  ^bb0(%arg57: tensor<6x7xf32>):
    %142 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<6x7xi32>
    %143:2 = "stablehlo.sort"(%arg57, %142) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg58: tensor<f32>, %arg59: tensor<f32>, %arg60: tensor<i32>, %arg61: tensor<i32>):
      %146 = "stablehlo.compare"(%arg58, %arg59) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%146) : (tensor<i1>) -> ()
    }) : (tensor<6x7xf32>, tensor<6x7xi32>) -> (tensor<6x7xf32>, tensor<6x7xi32>)
    %144 = "stablehlo.slice"(%143#0) <{limit_indices = array<i64: 6, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x7xf32>) -> tensor<6x3xf32>
    %145 = "stablehlo.slice"(%143#1) <{limit_indices = array<i64: 6, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x7xi32>) -> tensor<6x3xi32>
    "func.return"(%144, %145) : (tensor<6x3xf32>, tensor<6x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<6x7xf32>, sym_name = "sort", sym_visibility = "private"}> ({
  ^bb0(%arg54: tensor<6x7xf32>):
    %130 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %131 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %132 = "stablehlo.sort"(%arg54) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg55: tensor<f32>, %arg56: tensor<f32>):
      %133 = "stablehlo.compare"(%arg55, %131) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %134 = "stablehlo.select"(%133, %131, %arg55) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %135 = "stablehlo.compare"(%arg55, %arg55) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %136 = "stablehlo.select"(%135, %130, %134) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %137 = "stablehlo.compare"(%arg56, %131) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %138 = "stablehlo.select"(%137, %131, %arg56) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %139 = "stablehlo.compare"(%arg56, %arg56) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %140 = "stablehlo.select"(%139, %130, %138) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %141 = "stablehlo.compare"(%136, %140) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%141) : (tensor<i1>) -> ()
    }) : (tensor<6x7xf32>) -> tensor<6x7xf32>
    "func.return"(%132) : (tensor<6x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<6x7xf32>, sym_name = "sort_0", sym_visibility = "private"}> ({
  ^bb0(%arg51: tensor<6x7xf32>):
    %117 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %118 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %119 = "stablehlo.sort"(%arg51) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg52: tensor<f32>, %arg53: tensor<f32>):
      %121 = "stablehlo.compare"(%arg52, %118) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %122 = "stablehlo.select"(%121, %118, %arg52) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %123 = "stablehlo.compare"(%arg52, %arg52) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %124 = "stablehlo.select"(%123, %117, %122) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %125 = "stablehlo.compare"(%arg53, %118) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %126 = "stablehlo.select"(%125, %118, %arg53) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %127 = "stablehlo.compare"(%arg53, %arg53) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %128 = "stablehlo.select"(%127, %117, %126) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %129 = "stablehlo.compare"(%124, %128) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%129) : (tensor<i1>) -> ()
    }) : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %120 = "stablehlo.reverse"(%119) <{dimensions = array<i64: 1>}> : (tensor<6x7xf32>) -> tensor<6x7xf32>
    "func.return"(%120) : (tensor<6x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<6x7xi32>, sym_name = "argsort", sym_visibility = "private"}> ({
  ^bb0(%arg46: tensor<6x7xf32>):
    %104 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %105 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %106 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<6x7xi32>
    %107:2 = "stablehlo.sort"(%arg46, %106) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg47: tensor<f32>, %arg48: tensor<f32>, %arg49: tensor<i32>, %arg50: tensor<i32>):
      %108 = "stablehlo.compare"(%arg47, %105) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %109 = "stablehlo.select"(%108, %105, %arg47) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %110 = "stablehlo.compare"(%arg47, %arg47) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %111 = "stablehlo.select"(%110, %104, %109) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %112 = "stablehlo.compare"(%arg48, %105) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %113 = "stablehlo.select"(%112, %105, %arg48) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %114 = "stablehlo.compare"(%arg48, %arg48) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %115 = "stablehlo.select"(%114, %104, %113) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %116 = "stablehlo.compare"(%111, %115) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%116) : (tensor<i1>) -> ()
    }) : (tensor<6x7xf32>, tensor<6x7xi32>) -> (tensor<6x7xf32>, tensor<6x7xi32>)
    "func.return"(%107#1) : (tensor<6x7xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<6xf32>, sym_name = "median", sym_visibility = "private"}> ({
  ^bb0(%arg45: tensor<6x7xf32>):
    %102 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %103 = "func.call"(%arg45, %102) <{callee = @quantile}> : (tensor<6x7xf32>, tensor<f32>) -> tensor<6xf32>
    "func.return"(%103) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>, tensor<f32>) -> tensor<6xf32>, sym_name = "quantile", sym_visibility = "private"}> ({
  ^bb0(%arg39: tensor<6x7xf32>, %arg40: tensor<f32>):
    %64 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %65 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %66 = "stablehlo.constant"() <{value = dense<7.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %67 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %68 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %69 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %70 = "stablehlo.compare"(%arg39, %arg39) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xi1>
    %71 = "stablehlo.reduce"(%70, %69) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg43: tensor<i1>, %arg44: tensor<i1>):
      %101 = "stablehlo.or"(%arg43, %arg44) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%101) : (tensor<i1>) -> ()
    }) : (tensor<6x7xi1>, tensor<i1>) -> tensor<6xi1>
    %72 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi1>) -> tensor<6x1xi1>
    %73 = "func.call"(%72, %68, %arg39) <{callee = @_where}> : (tensor<6x1xi1>, tensor<f32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    %74 = "stablehlo.sort"(%73) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg41: tensor<f32>, %arg42: tensor<f32>):
      %92 = "stablehlo.compare"(%arg41, %67) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %93 = "stablehlo.select"(%92, %67, %arg41) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %94 = "stablehlo.compare"(%arg41, %arg41) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %95 = "stablehlo.select"(%94, %68, %93) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %96 = "stablehlo.compare"(%arg42, %67) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %97 = "stablehlo.select"(%96, %67, %arg42) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %98 = "stablehlo.compare"(%arg42, %arg42) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %99 = "stablehlo.select"(%98, %68, %97) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %100 = "stablehlo.compare"(%95, %99) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%100) : (tensor<i1>) -> ()
    }) : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %75 = "stablehlo.subtract"(%66, %65) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %76 = "stablehlo.multiply"(%arg40, %75) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %77 = "stablehlo.floor"(%76) : (tensor<f32>) -> tensor<f32>
    %78 = "stablehlo.ceil"(%76) : (tensor<f32>) -> tensor<f32>
    %79 = "stablehlo.subtract"(%66, %65) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %80 = "stablehlo.clamp"(%67, %77, %79) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %81 = "stablehlo.subtract"(%66, %65) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %82 = "stablehlo.clamp"(%67, %78, %81) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %83 = "stablehlo.convert"(%80) : (tensor<f32>) -> tensor<i32>
    %84 = "stablehlo.convert"(%82) : (tensor<f32>) -> tensor<i32>
    %85 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %86 = "stablehlo.gather"(%74, %85) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, slice_sizes = array<i64: 6, 1>}> : (tensor<6x7xf32>, tensor<1xi32>) -> tensor<6xf32>
    %87 = "stablehlo.broadcast_in_dim"(%84) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %88 = "stablehlo.gather"(%74, %87) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, slice_sizes = array<i64: 6, 1>}> : (tensor<6x7xf32>, tensor<1xi32>) -> tensor<6xf32>
    %89 = "stablehlo.add"(%86, %88) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %90 = "stablehlo.broadcast_in_dim"(%64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %91 = "stablehlo.multiply"(%89, %90) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%91) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x1xi1>, tensor<f32>, tensor<6x7xf32>) -> tensor<6x7xf32>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg36: tensor<6x1xi1>, %arg37: tensor<f32>, %arg38: tensor<6x7xf32>):
    %60 = "stablehlo.convert"(%arg37) : (tensor<f32>) -> tensor<f32>
    %61 = "stablehlo.broadcast_in_dim"(%arg36) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<6x1xi1>) -> tensor<6x7xi1>
    %62 = "stablehlo.broadcast_in_dim"(%60) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x7xf32>
    %63 = "stablehlo.select"(%61, %62, %arg38) : (tensor<6x7xi1>, tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    "func.return"(%63) : (tensor<6x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xi32>) -> tensor<3xi32>, sym_name = "sort_1", sym_visibility = "private"}> ({
  ^bb0(%arg33: tensor<3xi32>):
    %58 = "stablehlo.sort"(%arg33) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg34: tensor<i32>, %arg35: tensor<i32>):
      %59 = "stablehlo.compare"(%arg34, %arg35) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%59) : (tensor<i1>) -> ()
    }) : (tensor<3xi32>) -> tensor<3xi32>
    "func.return"(%58) : (tensor<3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<7xf32>) -> tensor<7xi32>, sym_name = "searchsorted", sym_visibility = "private"}> ({
  ^bb0(%arg31: tensor<8xf32>, %arg32: tensor<7xf32>):
    %57 = "func.call"(%arg31, %arg32) <{callee = @_searchsorted_scan_impl}> : (tensor<8xf32>, tensor<7xf32>) -> tensor<7xi32>
    "func.return"(%57) : (tensor<7xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<7xf32>) -> tensor<7xi32>, sym_name = "_searchsorted_scan_impl", sym_visibility = "private"}> ({
  ^bb0(%arg29: tensor<8xf32>, %arg30: tensor<7xf32>):
    %56 = "func.call"(%arg29, %arg30) <{callee = @_searchsorted_scan_impl_2}> : (tensor<8xf32>, tensor<7xf32>) -> tensor<7xi32>
    "func.return"(%56) : (tensor<7xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<7xf32>) -> tensor<7xi32>, sym_name = "_searchsorted_scan_impl_2", sym_visibility = "private"}> ({
  ^bb0(%arg17: tensor<8xf32>, %arg18: tensor<7xf32>):
    %44 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %45 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %46 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %47 = "stablehlo.constant"() <{value = dense<8> : tensor<ui32>}> : () -> tensor<ui32>
    %48 = "stablehlo.constant"() <{value = dense<0> : tensor<ui32>}> : () -> tensor<ui32>
    %49 = "stablehlo.broadcast_in_dim"(%48) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %50 = "stablehlo.broadcast_in_dim"(%47) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %51:5 = "stablehlo.while"(%arg17, %arg18, %46, %49, %50) ({
    ^bb0(%arg24: tensor<8xf32>, %arg25: tensor<7xf32>, %arg26: tensor<i32>, %arg27: tensor<7xui32>, %arg28: tensor<7xui32>):
      %55 = "stablehlo.compare"(%arg26, %45) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%55) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg19: tensor<8xf32>, %arg20: tensor<7xf32>, %arg21: tensor<i32>, %arg22: tensor<7xui32>, %arg23: tensor<7xui32>):
      %53:2 = "func.call"(%arg19, %arg20, %arg22, %arg23) <{callee = @closed_call}> : (tensor<8xf32>, tensor<7xf32>, tensor<7xui32>, tensor<7xui32>) -> (tensor<7xui32>, tensor<7xui32>)
      %54 = "stablehlo.add"(%arg21, %44) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg19, %arg20, %54, %53#0, %53#1) : (tensor<8xf32>, tensor<7xf32>, tensor<i32>, tensor<7xui32>, tensor<7xui32>) -> ()
    }) : (tensor<8xf32>, tensor<7xf32>, tensor<i32>, tensor<7xui32>, tensor<7xui32>) -> (tensor<8xf32>, tensor<7xf32>, tensor<i32>, tensor<7xui32>, tensor<7xui32>)
    %52 = "stablehlo.convert"(%51#4) : (tensor<7xui32>) -> tensor<7xi32>
    "func.return"(%52) : (tensor<7xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<7xf32>, tensor<7xui32>, tensor<7xui32>) -> (tensor<7xui32>, tensor<7xui32>), sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<8xf32>, %arg14: tensor<7xf32>, %arg15: tensor<7xui32>, %arg16: tensor<7xui32>):
    %18 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %19 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %20 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %21 = "stablehlo.subtract"(%arg16, %arg15) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %22 = "func.call"(%21, %20) <{callee = @floor_divide}> : (tensor<7xui32>, tensor<i32>) -> tensor<7xui32>
    %23 = "stablehlo.add"(%arg15, %22) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %24 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64: 0>}> : (tensor<7xui32>) -> tensor<7x1xui32>
    %25 = "stablehlo.gather"(%arg13, %24) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<8xf32>, tensor<7x1xui32>) -> tensor<7x1xf32>
    %26 = "stablehlo.reshape"(%25) : (tensor<7x1xf32>) -> tensor<7xf32>
    %27 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %28 = "stablehlo.compare"(%arg14, %27) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %29 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %30 = "stablehlo.select"(%28, %29, %arg14) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %31 = "stablehlo.compare"(%arg14, %arg14) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %32 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %33 = "stablehlo.select"(%31, %32, %30) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %34 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %35 = "stablehlo.compare"(%26, %34) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %36 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %37 = "stablehlo.select"(%35, %36, %26) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %38 = "stablehlo.compare"(%26, %26) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %39 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %40 = "stablehlo.select"(%38, %39, %37) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %41 = "stablehlo.compare"(%33, %40) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %42 = "stablehlo.select"(%41, %arg15, %23) : (tensor<7xi1>, tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %43 = "stablehlo.select"(%41, %23, %arg16) : (tensor<7xi1>, tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    "func.return"(%42, %43) : (tensor<7xui32>, tensor<7xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<7xui32>, tensor<i32>) -> tensor<7xui32>, sym_name = "floor_divide", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<7xui32>, %arg12: tensor<i32>):
    %15 = "stablehlo.convert"(%arg12) : (tensor<i32>) -> tensor<ui32>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %17 = "stablehlo.divide"(%arg11, %16) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    "func.return"(%17) : (tensor<7xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<6x7xf32>, sym_name = "partition", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<6x7xf32>):
    %10 = "stablehlo.negate"(%arg10) : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %11:2 = "stablehlo.composite"(%10) <{composite_attributes = {k = 3 : i64}, decomposition = @chlo.top_k.impl, name = "chlo.top_k", version = 1 : i32}> : (tensor<6x7xf32>) -> (tensor<6x3xf32>, tensor<6x3xi32>)
    %12 = "stablehlo.negate"(%11#0) : (tensor<6x3xf32>) -> tensor<6x3xf32>
    %13:2 = "stablehlo.composite"(%arg10) <{composite_attributes = {k = 4 : i64}, decomposition = @chlo.top_k.impl_0, name = "chlo.top_k", version = 1 : i32}> : (tensor<6x7xf32>) -> (tensor<6x4xf32>, tensor<6x4xi32>)
    %14 = "stablehlo.concatenate"(%12, %13#0) <{dimension = 1 : i64}> : (tensor<6x3xf32>, tensor<6x4xf32>) -> tensor<6x7xf32>
    "func.return"(%14) : (tensor<6x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> (tensor<6x4xf32>, tensor<6x4xi32>), sym_name = "chlo.top_k.impl_0", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<6x7xf32>):
    %5 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<6x7xi32>
    %6:2 = "stablehlo.sort"(%arg5, %5) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<i32>, %arg9: tensor<i32>):
      %9 = "stablehlo.compare"(%arg6, %arg7) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%9) : (tensor<i1>) -> ()
    }) : (tensor<6x7xf32>, tensor<6x7xi32>) -> (tensor<6x7xf32>, tensor<6x7xi32>)
    %7 = "stablehlo.slice"(%6#0) <{limit_indices = array<i64: 6, 4>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x7xf32>) -> tensor<6x4xf32>
    %8 = "stablehlo.slice"(%6#1) <{limit_indices = array<i64: 6, 4>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x7xi32>) -> tensor<6x4xi32>
    "func.return"(%7, %8) : (tensor<6x4xf32>, tensor<6x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> (tensor<6x3xf32>, tensor<6x3xi32>), sym_name = "chlo.top_k.impl", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<6x7xf32>):
    %0 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<6x7xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %4 = "stablehlo.compare"(%arg1, %arg2) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%4) : (tensor<i1>) -> ()
    }) : (tensor<6x7xf32>, tensor<6x7xi32>) -> (tensor<6x7xf32>, tensor<6x7xi32>)
    %2 = "stablehlo.slice"(%1#0) <{limit_indices = array<i64: 6, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x7xf32>) -> tensor<6x3xf32>
    %3 = "stablehlo.slice"(%1#1) <{limit_indices = array<i64: 6, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x7xi32>) -> tensor<6x3xi32>
    "func.return"(%2, %3) : (tensor<6x3xf32>, tensor<6x3xi32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
