"builtin.module"() <{sym_name = "jit_reductions"}> ({
  "func.func"() <{function_type = (tensor<6x7xf32>, tensor<3xi32>) -> (tensor<6xi32>, tensor<7xi32>, tensor<f32>, tensor<6xf32>, tensor<6xi1>, tensor<i1>, tensor<i32>, tensor<i32>, tensor<6xf32>, tensor<7xf32>, tensor<6x7xf32>, tensor<6x7xf32>, tensor<6x7xf32>, tensor<3xi32>, tensor<f32>, tensor<6x7xf32>, tensor<7xf32>, tensor<i32>, tensor<f32>, tensor<7xf32>, tensor<6x4xf32>, tensor<2x7xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}, {jax.result_info = "result[19]"}, {jax.result_info = "result[20]"}, {jax.result_info = "result[21]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg50: tensor<6x7xf32>, %arg51: tensor<3xi32>):
    %97 = "stablehlo.constant"() <{value = dense<-5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %98 = "stablehlo.constant"() <{value = dense<0x7F800000> : tensor<f32>}> : () -> tensor<f32>
    %99 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %100 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %101 = "stablehlo.constant"() <{value = dense<-2147483648> : tensor<i32>}> : () -> tensor<i32>
    %102 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %103 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %104 = "stablehlo.constant"() <{value = dense<-9.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %105 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %106 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %107 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %108 = "func.call"(%arg50) <{callee = @argmax}> : (tensor<6x7xf32>) -> tensor<6xi32>
    %109 = "func.call"(%arg50) <{callee = @argmin}> : (tensor<6x7xf32>) -> tensor<7xi32>
    %110 = "stablehlo.reduce"(%arg50, %107) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg78: tensor<f32>, %arg79: tensor<f32>):
      %175 = "stablehlo.maximum"(%arg78, %arg79) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%175) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<f32>
    %111 = "stablehlo.reduce"(%arg50, %106) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg76: tensor<f32>, %arg77: tensor<f32>):
      %174 = "stablehlo.multiply"(%arg76, %arg77) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%174) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<6xf32>
    %112 = "stablehlo.broadcast_in_dim"(%106) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x7xf32>
    %113 = "stablehlo.compare"(%arg50, %112) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xi1>
    %114 = "stablehlo.reduce"(%113, %105) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg74: tensor<i1>, %arg75: tensor<i1>):
      %173 = "stablehlo.or"(%arg74, %arg75) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%173) : (tensor<i1>) -> ()
    }) : (tensor<6x7xi1>, tensor<i1>) -> tensor<6xi1>
    %115 = "stablehlo.broadcast_in_dim"(%104) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x7xf32>
    %116 = "stablehlo.compare"(%arg50, %115) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xi1>
    %117 = "stablehlo.reduce"(%116, %103) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg72: tensor<i1>, %arg73: tensor<i1>):
      %172 = "stablehlo.and"(%arg72, %arg73) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%172) : (tensor<i1>) -> ()
    }) : (tensor<6x7xi1>, tensor<i1>) -> tensor<i1>
    %118 = "stablehlo.reduce"(%arg51, %102) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg70: tensor<i32>, %arg71: tensor<i32>):
      %171 = "stablehlo.add"(%arg70, %arg71) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%171) : (tensor<i32>) -> ()
    }) : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    %119 = "stablehlo.reduce"(%arg51, %101) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg68: tensor<i32>, %arg69: tensor<i32>):
      %170 = "stablehlo.maximum"(%arg68, %arg69) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%170) : (tensor<i32>) -> ()
    }) : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    %120 = "func.call"(%arg50, %102) <{callee = @_var}> : (tensor<6x7xf32>, tensor<i32>) -> tensor<6xf32>
    %121 = "func.call"(%arg50, %102) <{callee = @_std}> : (tensor<6x7xf32>, tensor<i32>) -> tensor<7xf32>
    %122 = "func.call"(%arg50) <{callee = @cumsum}> : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %123 = "func.call"(%arg50) <{callee = @cumprod}> : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %124 = "func.call"(%arg50) <{callee = @cummax}> : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %125 = "func.call"(%arg51) <{callee = @cumsum_4}> : (tensor<3xi32>) -> tensor<3xi32>
    %126 = "func.call"(%arg50) <{callee = @norm}> : (tensor<6x7xf32>) -> tensor<f32>
    %127 = "stablehlo.reduce"(%arg50, %107) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg66: tensor<f32>, %arg67: tensor<f32>):
      %169 = "stablehlo.maximum"(%arg66, %arg67) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%169) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<6xf32>
    %128 = "stablehlo.broadcast_in_dim"(%107) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %129 = "stablehlo.maximum"(%128, %127) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %130 = "stablehlo.broadcast_in_dim"(%129) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xf32>) -> tensor<6x1xf32>
    %131 = "stablehlo.broadcast_in_dim"(%130) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<6x1xf32>) -> tensor<6x7xf32>
    %132 = "stablehlo.subtract"(%arg50, %131) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    %133 = "stablehlo.exponential"(%132) : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %134 = "stablehlo.reduce"(%133, %100) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg64: tensor<f32>, %arg65: tensor<f32>):
      %168 = "stablehlo.add"(%arg64, %arg65) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%168) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<6xf32>
    %135 = "stablehlo.broadcast_in_dim"(%134) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xf32>) -> tensor<6x1xf32>
    %136 = "stablehlo.broadcast_in_dim"(%135) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<6x1xf32>) -> tensor<6x7xf32>
    %137 = "stablehlo.divide"(%133, %136) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    %138 = "stablehlo.reduce"(%arg50, %107) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg62: tensor<f32>, %arg63: tensor<f32>):
      %167 = "stablehlo.maximum"(%arg62, %arg63) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%167) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<7xf32>
    %139 = "stablehlo.broadcast_in_dim"(%107) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %140 = "stablehlo.maximum"(%139, %138) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %141 = "stablehlo.is_finite"(%140) : (tensor<7xf32>) -> tensor<7xi1>
    %142 = "stablehlo.broadcast_in_dim"(%100) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %143 = "stablehlo.select"(%141, %140, %142) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %144 = "stablehlo.broadcast_in_dim"(%143) <{broadcast_dimensions = array<i64: 1>}> : (tensor<7xf32>) -> tensor<1x7xf32>
    %145 = "stablehlo.broadcast_in_dim"(%144) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x7xf32>) -> tensor<6x7xf32>
    %146 = "stablehlo.subtract"(%arg50, %145) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    %147 = "stablehlo.exponential"(%146) : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %148 = "stablehlo.reduce"(%147, %100) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg60: tensor<f32>, %arg61: tensor<f32>):
      %166 = "stablehlo.add"(%arg60, %arg61) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%166) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<7xf32>
    %149 = "stablehlo.abs"(%148) : (tensor<7xf32>) -> tensor<7xf32>
    %150 = "stablehlo.log"(%149) : (tensor<7xf32>) -> tensor<7xf32>
    %151 = "stablehlo.add"(%150, %143) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %152 = "func.call"(%arg51) <{callee = @reduce}> : (tensor<3xi32>) -> tensor<i32>
    %153 = "stablehlo.reduce"(%arg50, %100) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg58: tensor<f32>, %arg59: tensor<f32>):
      %165 = "stablehlo.add"(%arg58, %arg59) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%165) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<f32>
    %154 = "stablehlo.add"(%99, %153) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %155 = "stablehlo.reduce"(%arg50, %98) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg56: tensor<f32>, %arg57: tensor<f32>):
      %164 = "stablehlo.minimum"(%arg56, %arg57) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%164) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<7xf32>
    %156 = "stablehlo.broadcast_in_dim"(%97) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %157 = "stablehlo.minimum"(%156, %155) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %158 = "stablehlo.broadcast_in_dim"(%100) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %159 = "stablehlo.reduce_window"(%arg50, %158) <{padding = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg54: tensor<f32>, %arg55: tensor<f32>):
      %163 = "stablehlo.add"(%arg54, %arg55) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%163) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<6x4xf32>
    %160 = "stablehlo.broadcast_in_dim"(%107) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %161 = "stablehlo.reduce_window"(%arg50, %160) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg52: tensor<f32>, %arg53: tensor<f32>):
      %162 = "stablehlo.maximum"(%arg52, %arg53) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%162) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<2x7xf32>
    "func.return"(%108, %109, %110, %111, %114, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %137, %151, %152, %154, %157, %159, %161) : (tensor<6xi32>, tensor<7xi32>, tensor<f32>, tensor<6xf32>, tensor<6xi1>, tensor<i1>, tensor<i32>, tensor<i32>, tensor<6xf32>, tensor<7xf32>, tensor<6x7xf32>, tensor<6x7xf32>, tensor<6x7xf32>, tensor<3xi32>, tensor<f32>, tensor<6x7xf32>, tensor<7xf32>, tensor<i32>, tensor<f32>, tensor<7xf32>, tensor<6x4xf32>, tensor<2x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<6xi32>, sym_name = "argmax", sym_visibility = "private"}> ({
  ^bb0(%arg45: tensor<6x7xf32>):
    %84 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %85 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %86 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<6x7xi32>
    %87:2 = "stablehlo.reduce"(%arg45, %86, %85, %84) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg46: tensor<f32>, %arg47: tensor<i32>, %arg48: tensor<f32>, %arg49: tensor<i32>):
      %88 = "stablehlo.compare"(%arg46, %arg48) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %89 = "stablehlo.compare"(%arg46, %arg46) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %90 = "stablehlo.or"(%88, %89) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %91 = "stablehlo.compare"(%arg46, %arg48) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %92 = "stablehlo.compare"(%arg47, %arg49) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %93 = "stablehlo.and"(%91, %92) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %94 = "stablehlo.or"(%90, %93) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %95 = "stablehlo.select"(%90, %arg46, %arg48) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %96 = "stablehlo.select"(%94, %arg47, %arg49) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%95, %96) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<6x7xf32>, tensor<6x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
    "func.return"(%87#1) : (tensor<6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<7xi32>, sym_name = "argmin", sym_visibility = "private"}> ({
  ^bb0(%arg40: tensor<6x7xf32>):
    %71 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %72 = "stablehlo.constant"() <{value = dense<0x7F800000> : tensor<f32>}> : () -> tensor<f32>
    %73 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<6x7xi32>
    %74:2 = "stablehlo.reduce"(%arg40, %73, %72, %71) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg41: tensor<f32>, %arg42: tensor<i32>, %arg43: tensor<f32>, %arg44: tensor<i32>):
      %75 = "stablehlo.compare"(%arg41, %arg43) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %76 = "stablehlo.compare"(%arg41, %arg41) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %77 = "stablehlo.or"(%75, %76) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %78 = "stablehlo.compare"(%arg41, %arg43) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %79 = "stablehlo.compare"(%arg42, %arg44) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %80 = "stablehlo.and"(%78, %79) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %81 = "stablehlo.or"(%77, %80) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %82 = "stablehlo.select"(%77, %arg41, %arg43) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %83 = "stablehlo.select"(%81, %arg42, %arg44) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%82, %83) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<6x7xf32>, tensor<6x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
    "func.return"(%74#1) : (tensor<7xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>, tensor<i32>) -> tensor<6xf32>, sym_name = "_var", sym_visibility = "private"}> ({
  ^bb0(%arg34: tensor<6x7xf32>, %arg35: tensor<i32>):
    %52 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %53 = "stablehlo.constant"() <{value = dense<7.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %54 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %55 = "stablehlo.reduce"(%arg34, %54) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg38: tensor<f32>, %arg39: tensor<f32>):
      %70 = "stablehlo.add"(%arg38, %arg39) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%70) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<6xf32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xf32>) -> tensor<6x1xf32>
    %57 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x1xf32>
    %58 = "stablehlo.divide"(%56, %57) : (tensor<6x1xf32>, tensor<6x1xf32>) -> tensor<6x1xf32>
    %59 = "stablehlo.broadcast_in_dim"(%58) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<6x1xf32>) -> tensor<6x7xf32>
    %60 = "stablehlo.subtract"(%arg34, %59) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    %61 = "stablehlo.multiply"(%60, %60) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    %62 = "stablehlo.convert"(%arg35) : (tensor<i32>) -> tensor<f32>
    %63 = "stablehlo.subtract"(%53, %62) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %64 = "stablehlo.reduce"(%61, %54) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg36: tensor<f32>, %arg37: tensor<f32>):
      %69 = "stablehlo.add"(%arg36, %arg37) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%69) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<6xf32>
    %65 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %66 = "stablehlo.divide"(%64, %65) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %67 = "stablehlo.compare"(%63, %54) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %68 = "func.call"(%67, %66, %52) <{callee = @_where}> : (tensor<i1>, tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
    "func.return"(%68) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i1>, tensor<6xf32>, tensor<f32>) -> tensor<6xf32>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg31: tensor<i1>, %arg32: tensor<6xf32>, %arg33: tensor<f32>):
    %49 = "stablehlo.convert"(%arg33) : (tensor<f32>) -> tensor<f32>
    %50 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %51 = "stablehlo.select"(%arg31, %arg32, %50) : (tensor<i1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%51) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>, tensor<i32>) -> tensor<7xf32>, sym_name = "_std", sym_visibility = "private"}> ({
  ^bb0(%arg29: tensor<6x7xf32>, %arg30: tensor<i32>):
    %47 = "func.call"(%arg29, %arg30) <{callee = @_var_0}> : (tensor<6x7xf32>, tensor<i32>) -> tensor<7xf32>
    %48 = "stablehlo.sqrt"(%47) : (tensor<7xf32>) -> tensor<7xf32>
    "func.return"(%48) : (tensor<7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>, tensor<i32>) -> tensor<7xf32>, sym_name = "_var_0", sym_visibility = "private"}> ({
  ^bb0(%arg23: tensor<6x7xf32>, %arg24: tensor<i32>):
    %28 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %29 = "stablehlo.constant"() <{value = dense<6.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %30 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %31 = "stablehlo.reduce"(%arg23, %30) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg27: tensor<f32>, %arg28: tensor<f32>):
      %46 = "stablehlo.add"(%arg27, %arg28) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%46) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<7xf32>
    %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64: 1>}> : (tensor<7xf32>) -> tensor<1x7xf32>
    %33 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x7xf32>
    %34 = "stablehlo.divide"(%32, %33) : (tensor<1x7xf32>, tensor<1x7xf32>) -> tensor<1x7xf32>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x7xf32>) -> tensor<6x7xf32>
    %36 = "stablehlo.subtract"(%arg23, %35) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    %37 = "stablehlo.multiply"(%36, %36) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    %38 = "stablehlo.convert"(%arg24) : (tensor<i32>) -> tensor<f32>
    %39 = "stablehlo.subtract"(%29, %38) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %40 = "stablehlo.reduce"(%37, %30) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %45 = "stablehlo.add"(%arg25, %arg26) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%45) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<7xf32>
    %41 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %42 = "stablehlo.divide"(%40, %41) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %43 = "stablehlo.compare"(%39, %30) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %44 = "func.call"(%43, %42, %28) <{callee = @_where_1}> : (tensor<i1>, tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
    "func.return"(%44) : (tensor<7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i1>, tensor<7xf32>, tensor<f32>) -> tensor<7xf32>, sym_name = "_where_1", sym_visibility = "private"}> ({
  ^bb0(%arg20: tensor<i1>, %arg21: tensor<7xf32>, %arg22: tensor<f32>):
    %25 = "stablehlo.convert"(%arg22) : (tensor<f32>) -> tensor<f32>
    %26 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %27 = "stablehlo.select"(%arg20, %arg21, %26) : (tensor<i1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    "func.return"(%27) : (tensor<7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<6x7xf32>, sym_name = "cumsum", sym_visibility = "private"}> ({
  ^bb0(%arg19: tensor<6x7xf32>):
    %24 = "func.call"(%arg19) <{callee = @cumsum_2}> : (tensor<6x7xf32>) -> tensor<6x7xf32>
    "func.return"(%24) : (tensor<6x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<6x7xf32>, sym_name = "cumsum_2", sym_visibility = "private"}> ({
  ^bb0(%arg16: tensor<6x7xf32>):
    %20 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %22 = "stablehlo.reduce_window"(%arg16, %21) <{padding = dense<[[0, 0], [6, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 7>}> ({
    ^bb0(%arg17: tensor<f32>, %arg18: tensor<f32>):
      %23 = "stablehlo.add"(%arg17, %arg18) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%23) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<6x7xf32>
    "func.return"(%22) : (tensor<6x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<6x7xf32>, sym_name = "cumprod", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<6x7xf32>):
    %19 = "func.call"(%arg15) <{callee = @cumprod_3}> : (tensor<6x7xf32>) -> tensor<6x7xf32>
    "func.return"(%19) : (tensor<6x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<6x7xf32>, sym_name = "cumprod_3", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<6x7xf32>):
    %16 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.reduce_window"(%arg12, %16) <{padding = dense<[[5, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 6, 1>}> ({
    ^bb0(%arg13: tensor<f32>, %arg14: tensor<f32>):
      %18 = "stablehlo.multiply"(%arg13, %arg14) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%18) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<6x7xf32>
    "func.return"(%17) : (tensor<6x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<6x7xf32>, sym_name = "cummax", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<6x7xf32>):
    %12 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %14 = "stablehlo.reduce_window"(%arg9, %13) <{padding = dense<[[0, 0], [6, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 7>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %15 = "stablehlo.maximum"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%15) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<6x7xf32>
    "func.return"(%14) : (tensor<6x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xi32>) -> tensor<3xi32>, sym_name = "cumsum_4", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<3xi32>):
    %8 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %10 = "stablehlo.reduce_window"(%arg6, %9) <{padding = dense<[[0, 2]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>}> ({
    ^bb0(%arg7: tensor<i32>, %arg8: tensor<i32>):
      %11 = "stablehlo.add"(%arg7, %arg8) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%11) : (tensor<i32>) -> ()
    }) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    "func.return"(%10) : (tensor<3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x7xf32>) -> tensor<f32>, sym_name = "norm", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<6x7xf32>):
    %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.multiply"(%arg3, %arg3) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
    %5 = "stablehlo.reduce"(%4, %3) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %7 = "stablehlo.add"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%7) : (tensor<f32>) -> ()
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<f32>
    %6 = "stablehlo.sqrt"(%5) : (tensor<f32>) -> tensor<f32>
    "func.return"(%6) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xi32>) -> tensor<i32>, sym_name = "reduce", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3xi32>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = "stablehlo.or"(%arg1, %arg2) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%2) : (tensor<i32>) -> ()
    }) : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    "func.return"(%1) : (tensor<i32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
