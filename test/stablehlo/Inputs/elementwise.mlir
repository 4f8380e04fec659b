"builtin.module"() <{sym_name = "jit_elementwise"}> ({
  "func.func"() <{function_type = (tensor<5x7xf32>, tensor<5xi32>) -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xi32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5x7xi1>, tensor<5x7xi1>, tensor<5x7xi1>, tensor<5x7xi32>, tensor<5xui32>, tensor<5xui8>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}, {jax.result_info = "result[19]"}, {jax.result_info = "result[20]"}, {jax.result_info = "result[21]"}, {jax.result_info = "result[22]"}, {jax.result_info = "result[23]"}, {jax.result_info = "result[24]"}, {jax.result_info = "result[25]"}, {jax.result_info = "result[26]"}, {jax.result_info = "result[27]"}, {jax.result_info = "result[28]"}, {jax.result_info = "result[29]"}, {jax.result_info = "result[30]"}, {jax.result_info = "result[31]"}, {jax.result_info = "result[32]"}, {jax.result_info = "result[33]"}, {jax.result_info = "result[34]"}, {jax.result_info = "result[35]"}, {jax.result_info = "result[36]"}, {jax.result_info = "result[37]"}, {jax.result_info = "result[38]"}, {jax.result_info = "result[39]"}, {jax.result_info = "result[40]"}, {jax.result_info = "result[41]"}, {jax.result_info = "result[42]"}, {jax.result_info = "result[43]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg32: tensor<5x7xf32>, %arg33: tensor<5xi32>):
    %162 = "stablehlo.constant"() <{value = dense<-1> : tensor<i32>}> : () -> tensor<i32>
    %163 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %164 = "stablehlo.constant"() <{value = dense<3.000000e+04> : tensor<f32>}> : () -> tensor<f32>
    %165 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %166 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %167 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %168 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %169 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %170 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %171 = "stablehlo.constant"() <{value = dense<-5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %172 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %173 = "stablehlo.constant"() <{value = dense<3.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %174 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %175 = "stablehlo.floor"(%arg32) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %176 = "stablehlo.ceil"(%arg32) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %177 = "func.call"(%arg32) <{callee = @round}> : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %178 = "stablehlo.exponential_minus_one"(%arg32) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %179 = "stablehlo.abs"(%arg32) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %180 = "stablehlo.log_plus_one"(%179) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %181 = "stablehlo.broadcast_in_dim"(%174) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %182 = "stablehlo.add"(%arg32, %181) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %183 = "stablehlo.atan2"(%arg32, %182) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %184 = "stablehlo.sign"(%arg32) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %185 = "stablehlo.cbrt"(%arg32) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %186 = "stablehlo.convert"(%arg32) : (tensor<5x7xf32>) -> tensor<5x7xi32>
    %187 = "stablehlo.negate"(%arg32) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %188 = "stablehlo.maximum"(%arg32, %187) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %189 = "stablehlo.subtract"(%arg32, %187) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %190 = "stablehlo.compare"(%189, %189) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %191 = "stablehlo.add"(%arg32, %187) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %192 = "stablehlo.abs"(%189) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %193 = "stablehlo.negate"(%192) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %194 = "stablehlo.exponential"(%193) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %195 = "stablehlo.log_plus_one"(%194) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %196 = "stablehlo.add"(%188, %195) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %197 = "stablehlo.select"(%190, %191, %196) : (tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %198 = "func.call"(%arg32) <{callee = @softplus}> : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %199 = "stablehlo.composite"(%arg32) <{decomposition = @chlo.erf.impl, name = "chlo.erf", version = 1 : i32}> : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %200 = "func.call"(%arg32) <{callee = @elu}> : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %201 = "func.call"(%arg32, %173) <{callee = @remainder}> : (tensor<5x7xf32>, tensor<f32>) -> tensor<5x7xf32>
    %202 = "func.call"(%arg32, %173) <{callee = @fmod}> : (tensor<5x7xf32>, tensor<f32>) -> tensor<5x7xf32>
    %203 = "stablehlo.broadcast_in_dim"(%172) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %204 = "stablehlo.compare"(%arg32, %203) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %205 = "stablehlo.convert"(%204) : (tensor<5x7xi1>) -> tensor<5x7xf32>
    %206 = "stablehlo.divide"(%arg32, %205) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %207 = "stablehlo.is_finite"(%206) : (tensor<5x7xf32>) -> tensor<5x7xi1>
    %208 = "stablehlo.broadcast_in_dim"(%172) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %209 = "stablehlo.compare"(%arg32, %208) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %210 = "stablehlo.negate"(%arg32) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %211 = "func.call"(%209, %arg32, %210) <{callee = @_where_0}> : (tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %212 = "func.call"(%arg32, %171, %170) <{callee = @clip}> : (tensor<5x7xf32>, tensor<f32>, tensor<f32>) -> tensor<5x7xf32>
    %213 = "stablehlo.broadcast_in_dim"(%169) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %214 = "stablehlo.xor"(%arg33, %213) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %215 = "func.call"(%arg33, %168) <{callee = @floor_divide}> : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
    %216 = "func.call"(%arg33, %169) <{callee = @remainder_2}> : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
    %217 = "stablehlo.broadcast_in_dim"(%168) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %218 = "stablehlo.shift_left"(%arg33, %217) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %219 = "stablehlo.broadcast_in_dim"(%167) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %220 = "stablehlo.shift_right_arithmetic"(%arg33, %219) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %221 = "stablehlo.broadcast_in_dim"(%167) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %222 = "stablehlo.shift_right_logical"(%arg33, %221) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %223 = "stablehlo.popcnt"(%arg33) : (tensor<5xi32>) -> tensor<5xi32>
    %224 = "stablehlo.not"(%arg33) : (tensor<5xi32>) -> tensor<5xi32>
    %225 = "stablehlo.negate"(%arg33) : (tensor<5xi32>) -> tensor<5xi32>
    %226 = "stablehlo.broadcast_in_dim"(%166) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %227 = "stablehlo.or"(%arg33, %226) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %228 = "stablehlo.broadcast_in_dim"(%165) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %229 = "stablehlo.and"(%arg33, %228) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %230 = "stablehlo.broadcast_in_dim"(%172) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %231 = "stablehlo.compare"(%arg32, %230) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %232 = "stablehlo.broadcast_in_dim"(%174) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %233 = "stablehlo.compare"(%arg32, %232) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %234 = "stablehlo.and"(%231, %233) : (tensor<5x7xi1>, tensor<5x7xi1>) -> tensor<5x7xi1>
    %235 = "stablehlo.broadcast_in_dim"(%172) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %236 = "stablehlo.compare"(%arg32, %235) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %237 = "stablehlo.not"(%236) : (tensor<5x7xi1>) -> tensor<5x7xi1>
    %238 = "stablehlo.broadcast_in_dim"(%172) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %239 = "stablehlo.compare"(%arg32, %238) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %240 = "stablehlo.broadcast_in_dim"(%174) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %241 = "stablehlo.compare"(%arg32, %240) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %242 = "stablehlo.xor"(%239, %241) : (tensor<5x7xi1>, tensor<5x7xi1>) -> tensor<5x7xi1>
    %243 = "stablehlo.bitcast_convert"(%arg32) : (tensor<5x7xf32>) -> tensor<5x7xi32>
    %244 = "stablehlo.bitcast_convert"(%arg33) : (tensor<5xi32>) -> tensor<5xui32>
    %245 = "stablehlo.convert"(%arg33) : (tensor<5xi32>) -> tensor<5xui8>
    %246 = "stablehlo.round_nearest_afz"(%arg32) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %247 = "stablehlo.reduce_precision"(%arg32) <{exponent_bits = 8 : i32, mantissa_bits = 7 : i32}> : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %248 = "stablehlo.broadcast_in_dim"(%164) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %249 = "stablehlo.multiply"(%arg32, %248) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %250 = "stablehlo.reduce_precision"(%249) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %251 = "stablehlo.broadcast_in_dim"(%163) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %252 = "stablehlo.multiply"(%arg32, %251) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %253 = "stablehlo.reduce_precision"(%252) <{exponent_bits = 5 : i32, mantissa_bits = 2 : i32}> : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %254 = "stablehlo.tan"(%arg32) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %255 = "stablehlo.composite"(%arg32) <{decomposition = @chlo.sinh.impl, name = "chlo.sinh", version = 1 : i32}> : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %256 = "func.call"(%arg32, %162, %167) <{callee = @clip_4}> : (tensor<5x7xf32>, tensor<i32>, tensor<i32>) -> tensor<5x7xf32>
    %257 = "stablehlo.composite"(%256) <{decomposition = @chlo.asin.impl, name = "chlo.asin", version = 1 : i32}> : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %258 = "stablehlo.multiply"(%arg32, %arg32) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %259 = "stablehlo.multiply"(%258, %arg32) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %260 = "stablehlo.broadcast_in_dim"(%170) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %261 = "stablehlo.power"(%arg32, %260) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%175, %176, %177, %178, %180, %183, %184, %185, %186, %197, %198, %199, %200, %201, %202, %207, %211, %212, %214, %215, %216, %218, %220, %222, %223, %224, %225, %227, %229, %234, %237, %242, %243, %244, %245, %246, %247, %250, %253, %254, %255, %257, %259, %261) : (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xi32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5x7xi1>, tensor<5x7xi1>, tensor<5x7xi1>, tensor<5x7xi32>, tensor<5xui32>, tensor<5xui8>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x7xf32>) -> tensor<5x7xf32>, sym_name = "chlo.asin.impl", sym_visibility = "private"}> ({
  ^bb0(%arg31: tensor<5x7xf32>):
    %154 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %155 = "stablehlo.subtract"(%154, %arg31) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %156 = "stablehlo.add"(%154, %arg31) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %157 = "stablehlo.multiply"(%155, %156) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %158 = "stablehlo.sqrt"(%157) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %159 = "stablehlo.add"(%154, %158) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %160 = "stablehlo.atan2"(%arg31, %159) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %161 = "stablehlo.add"(%160, %160) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%161) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x7xf32>) -> tensor<5x7xf32>, sym_name = "chlo.sinh.impl", sym_visibility = "private"}> ({
  ^bb0(%arg30: tensor<5x7xf32>):
    %138 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %139 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %140 = "stablehlo.log"(%139) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %141 = "stablehlo.add"(%arg30, %140) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %142 = "stablehlo.exponential"(%141) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %143 = "stablehlo.subtract"(%140, %arg30) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %144 = "stablehlo.exponential"(%143) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %145 = "stablehlo.subtract"(%142, %144) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %146 = "stablehlo.exponential_minus_one"(%arg30) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %147 = "stablehlo.add"(%146, %138) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %148 = "stablehlo.divide"(%146, %147) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %149 = "stablehlo.add"(%146, %148) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %150 = "stablehlo.multiply"(%139, %149) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %151 = "stablehlo.abs"(%arg30) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %152 = "stablehlo.compare"(%151, %138) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %153 = "stablehlo.select"(%152, %150, %145) : (tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%153) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x7xf32>) -> tensor<5x7xf32>, sym_name = "chlo.erf.impl", sym_visibility = "private"}> ({
  ^bb0(%arg29: tensor<5x7xf32>):
    %97 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %98 = "stablehlo.constant"() <{value = dense<-1.000000e+00> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %99 = "stablehlo.constant"() <{value = dense<-0.0142647391> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %100 = "stablehlo.constant"() <{value = dense<-0.00737332925> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %101 = "stablehlo.constant"() <{value = dense<-0.00168282702> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %102 = "stablehlo.constant"() <{value = dense<-2.13374049E-4> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %103 = "stablehlo.constant"() <{value = dense<-1.45660715E-5> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %104 = "stablehlo.constant"() <{value = dense<-0.0160960332> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %105 = "stablehlo.constant"() <{value = dense<-2.954600e-03> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %106 = "stablehlo.constant"() <{value = dense<-7.34990637E-4> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %107 = "stablehlo.constant"() <{value = dense<-5.69250624E-5> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %108 = "stablehlo.constant"() <{value = dense<-2.10102394E-6> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %109 = "stablehlo.constant"() <{value = dense<2.77068146E-8> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %110 = "stablehlo.constant"() <{value = dense<-2.72614237E-10> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %111 = "stablehlo.constant"() <{value = dense<-4.000000e+00> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %112 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<5x7xf32>}> : () -> tensor<5x7xf32>
    %113 = "stablehlo.clamp"(%111, %arg29, %112) : (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %114 = "stablehlo.multiply"(%113, %113) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %115 = "stablehlo.multiply"(%110, %114) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %116 = "stablehlo.add"(%115, %109) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %117 = "stablehlo.multiply"(%116, %114) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %118 = "stablehlo.add"(%117, %108) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %119 = "stablehlo.multiply"(%118, %114) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %120 = "stablehlo.add"(%119, %107) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %121 = "stablehlo.multiply"(%120, %114) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %122 = "stablehlo.add"(%121, %106) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %123 = "stablehlo.multiply"(%122, %114) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %124 = "stablehlo.add"(%123, %105) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %125 = "stablehlo.multiply"(%124, %114) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %126 = "stablehlo.add"(%125, %104) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %127 = "stablehlo.multiply"(%103, %114) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %128 = "stablehlo.add"(%127, %102) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %129 = "stablehlo.multiply"(%128, %114) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %130 = "stablehlo.add"(%129, %101) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %131 = "stablehlo.multiply"(%130, %114) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %132 = "stablehlo.add"(%131, %100) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %133 = "stablehlo.multiply"(%132, %114) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %134 = "stablehlo.add"(%133, %99) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %135 = "stablehlo.multiply"(%113, %126) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %136 = "stablehlo.divide"(%135, %134) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %137 = "stablehlo.clamp"(%98, %136, %97) : (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%137) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x7xf32>) -> tensor<5x7xf32>, sym_name = "round", sym_visibility = "private"}> ({
  ^bb0(%arg28: tensor<5x7xf32>):
    %96 = "stablehlo.round_nearest_even"(%arg28) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%96) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x7xf32>) -> tensor<5x7xf32>, sym_name = "softplus", sym_visibility = "private"}> ({
  ^bb0(%arg27: tensor<5x7xf32>):
    %82 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %83 = "stablehlo.broadcast_in_dim"(%82) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %84 = "stablehlo.maximum"(%arg27, %83) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %85 = "stablehlo.broadcast_in_dim"(%82) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %86 = "stablehlo.subtract"(%arg27, %85) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %87 = "stablehlo.compare"(%86, %86) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %88 = "stablehlo.broadcast_in_dim"(%82) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %89 = "stablehlo.add"(%arg27, %88) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %90 = "stablehlo.abs"(%86) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %91 = "stablehlo.negate"(%90) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %92 = "stablehlo.exponential"(%91) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %93 = "stablehlo.log_plus_one"(%92) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %94 = "stablehlo.add"(%84, %93) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %95 = "stablehlo.select"(%87, %89, %94) : (tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%95) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x7xf32>) -> tensor<5x7xf32>, sym_name = "elu", sym_visibility = "private"}> ({
  ^bb0(%arg26: tensor<5x7xf32>):
    %71 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %72 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %73 = "stablehlo.broadcast_in_dim"(%72) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %74 = "stablehlo.compare"(%arg26, %73) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %75 = "stablehlo.broadcast_in_dim"(%72) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %76 = "stablehlo.compare"(%arg26, %75) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %77 = "func.call"(%76, %72, %arg26) <{callee = @_where}> : (tensor<5x7xi1>, tensor<f32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %78 = "stablehlo.exponential_minus_one"(%77) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %79 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %80 = "stablehlo.multiply"(%79, %78) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %81 = "func.call"(%74, %arg26, %80) <{callee = @_where_0}> : (tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%81) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x7xi1>, tensor<f32>, tensor<5x7xf32>) -> tensor<5x7xf32>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg23: tensor<5x7xi1>, %arg24: tensor<f32>, %arg25: tensor<5x7xf32>):
    %68 = "stablehlo.convert"(%arg24) : (tensor<f32>) -> tensor<f32>
    %69 = "stablehlo.broadcast_in_dim"(%68) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %70 = "stablehlo.select"(%arg23, %69, %arg25) : (tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%70) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>, sym_name = "_where_0", sym_visibility = "private"}> ({
  ^bb0(%arg20: tensor<5x7xi1>, %arg21: tensor<5x7xf32>, %arg22: tensor<5x7xf32>):
    %67 = "stablehlo.select"(%arg20, %arg21, %arg22) : (tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%67) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x7xf32>, tensor<f32>) -> tensor<5x7xf32>, sym_name = "remainder", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<5x7xf32>, %arg19: tensor<f32>):
    %52 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %53 = "stablehlo.convert"(%arg19) : (tensor<f32>) -> tensor<f32>
    %54 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %55 = "stablehlo.remainder"(%arg18, %54) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %56 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %57 = "stablehlo.compare"(%55, %56) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %58 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %59 = "stablehlo.compare"(%55, %58) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %60 = "stablehlo.compare"(%53, %52) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %61 = "stablehlo.broadcast_in_dim"(%60) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<5x7xi1>
    %62 = "stablehlo.compare"(%59, %61) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<5x7xi1>, tensor<5x7xi1>) -> tensor<5x7xi1>
    %63 = "stablehlo.and"(%62, %57) : (tensor<5x7xi1>, tensor<5x7xi1>) -> tensor<5x7xi1>
    %64 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %65 = "stablehlo.add"(%55, %64) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %66 = "stablehlo.select"(%63, %65, %55) : (tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%66) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x7xf32>, tensor<f32>) -> tensor<5x7xf32>, sym_name = "fmod", sym_visibility = "private"}> ({
  ^bb0(%arg16: tensor<5x7xf32>, %arg17: tensor<f32>):
    %49 = "stablehlo.convert"(%arg17) : (tensor<f32>) -> tensor<f32>
    %50 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %51 = "stablehlo.remainder"(%arg16, %50) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%51) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x7xf32>, tensor<f32>, tensor<f32>) -> tensor<5x7xf32>, sym_name = "clip", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<5x7xf32>, %arg14: tensor<f32>, %arg15: tensor<f32>):
    %43 = "stablehlo.convert"(%arg14) : (tensor<f32>) -> tensor<f32>
    %44 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %45 = "stablehlo.maximum"(%44, %arg13) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %46 = "stablehlo.convert"(%arg15) : (tensor<f32>) -> tensor<f32>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %48 = "stablehlo.minimum"(%47, %45) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%48) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>, sym_name = "floor_divide", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<5xi32>, %arg12: tensor<i32>):
    %26 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %27 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %28 = "stablehlo.convert"(%arg12) : (tensor<i32>) -> tensor<i32>
    %29 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %30 = "stablehlo.divide"(%arg11, %29) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %31 = "stablehlo.sign"(%arg11) : (tensor<5xi32>) -> tensor<5xi32>
    %32 = "stablehlo.sign"(%28) : (tensor<i32>) -> tensor<i32>
    %33 = "stablehlo.broadcast_in_dim"(%32) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %34 = "stablehlo.compare"(%31, %33) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %35 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %36 = "stablehlo.remainder"(%arg11, %35) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %37 = "stablehlo.broadcast_in_dim"(%27) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %38 = "stablehlo.compare"(%36, %37) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %39 = "stablehlo.and"(%34, %38) : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
    %40 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %41 = "stablehlo.subtract"(%30, %40) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %42 = "func.call"(%39, %41, %30) <{callee = @_where_1}> : (tensor<5xi1>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    "func.return"(%42) : (tensor<5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5xi1>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>, sym_name = "_where_1", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<5xi1>, %arg9: tensor<5xi32>, %arg10: tensor<5xi32>):
    %25 = "stablehlo.select"(%arg8, %arg9, %arg10) : (tensor<5xi1>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    "func.return"(%25) : (tensor<5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>, sym_name = "remainder_2", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<5xi32>, %arg7: tensor<i32>):
    %7 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %8 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %9 = "stablehlo.convert"(%arg7) : (tensor<i32>) -> tensor<i32>
    %10 = "stablehlo.compare"(%9, %8) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %11 = "func.call"(%10, %7, %9) <{callee = @_where_3}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %13 = "stablehlo.remainder"(%arg6, %12) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %14 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %15 = "stablehlo.compare"(%13, %14) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %16 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %17 = "stablehlo.compare"(%13, %16) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %18 = "stablehlo.compare"(%11, %8) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<5xi1>
    %20 = "stablehlo.compare"(%17, %19) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
    %21 = "stablehlo.and"(%20, %15) : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
    %22 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<5xi32>
    %23 = "stablehlo.add"(%13, %22) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %24 = "stablehlo.select"(%21, %23, %13) : (tensor<5xi1>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    "func.return"(%24) : (tensor<5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "_where_3", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<i1>, %arg4: tensor<i32>, %arg5: tensor<i32>):
    %6 = "stablehlo.select"(%arg3, %arg4, %arg5) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%6) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x7xf32>, tensor<i32>, tensor<i32>) -> tensor<5x7xf32>, sym_name = "clip_4", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<5x7xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>):
    %0 = "stablehlo.convert"(%arg1) : (tensor<i32>) -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %2 = "stablehlo.maximum"(%1, %arg0) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %3 = "stablehlo.convert"(%arg2) : (tensor<i32>) -> tensor<f32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %5 = "stablehlo.minimum"(%4, %2) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%5) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
