"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{function_type = (tensor<?x7x4xf32>) -> tensor<?x7x8xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg93: tensor<?x7x4xf32>):
    %252 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %253 = "stablehlo.get_dimension_size"(%arg93) <{dimension = 0 : i64}> : (tensor<?x7x4xf32>) -> tensor<i32>
    %254 = "stablehlo.compare"(%253, %252) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.custom_call"(%254, %253) <{api_version = 2 : i32, call_target_name = "shape_assertion", has_side_effect = true}> {error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'. Using the following polymorphic shapes specifications: args[0].shape = (b, 7, 4). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details."} : (tensor<i1>, tensor<i32>) -> ()
    %255 = "func.call"(%253, %arg93) <{callee = @_wrapped_jax_export_main}> : (tensor<i32>, tensor<?x7x4xf32>) -> tensor<?x7x8xf32>
    "func.return"(%255) : (tensor<?x7x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}], function_type = (tensor<i32>, tensor<?x7x4xf32>) -> tensor<?x7x8xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "_wrapped_jax_export_main", sym_visibility = "private"}> ({
  ^bb0(%arg57: tensor<i32>, %arg58: tensor<?x7x4xf32>):
    %210 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %211 = "stablehlo.constant"() <{value = dense<7> : tensor<1xi32>}> : () -> tensor<1xi32>
    %212 = "stablehlo.constant"() <{value = dense<7> : tensor<i32>}> : () -> tensor<i32>
    %213 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %214 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %215 = "stablehlo.constant"() <{value = dense<-1> : tensor<i32>}> : () -> tensor<i32>
    %216 = "stablehlo.constant"() <{value = dense<[[0.127713084, 0.115204871, -0.627466678, 0.241797134, 0.0268147513, -0.680388033, 0.0688084885, -0.22328262], [-0.526863813, 0.137364164, -0.114088647, -0.0590304583, 0.750679135, 0.146960065, 0.0551774465, -3.144580e-01], [0.124660313, 0.248169214, 0.133676171, -3.522680e-01, 0.375555247, -0.36948511, 0.209595561, 0.677803933], [0.397698551, 0.643886328, 0.176440939, 0.549838185, 0.160962835, 0.244011074, 0.0823263451, -0.0395582356], [-0.373468429, 0.0198693573, -0.310786277, 0.229103029, -0.264081866, 0.257270277, 0.689843654, 0.315021396], [-0.547692537, 0.0723580644, 0.1990477, 0.488566399, -0.0987487658, -0.264524221, -0.467393249, 0.343946368], [0.286154509, -0.437489301, -0.431346506, 0.264067054, 0.358581632, 0.32709229, -0.280106813, 0.396102875], [-0.105210513, 0.542820573, -0.471169353, -0.388224185, -0.246454269, 0.276158422, -0.4107458, 0.125867724]]> : tensor<8x8xf32>}> : () -> tensor<8x8xf32>
    %217 = "stablehlo.constant"() <{value = dense<[[-0.0934605598, 0.0358985215, -0.316060513, 0.323474139, 0.556768596, -0.565221667, 0.393790036, 0.0301536918], [0.203603655, 0.185831979, -0.467112452, -0.0309282783, -0.148368031, -0.220679089, -3.711480e-01, -0.704555631], [-0.641746521, 0.158500984, -0.38699609, 0.00825157575, 0.221258104, 0.222118333, -0.497971445, 0.258722812], [0.449842632, -0.0368274823, -0.486222863, 0.31157285, -0.370113075, -0.0248135198, -0.0914888531, 0.562872469], [0.245602861, 0.365053058, 0.417779416, 0.641454041, 0.268216819, 0.126087382, -0.361509711, -0.043418847], [-0.151381284, 0.558368921, 2.646780e-01, -0.227186605, -0.321874827, -0.601409137, -0.115437202, 0.254985631], [-0.37393105, -5.734810e-01, 0.186235681, 0.442299187, -0.364829719, -0.335435718, -0.207453221, -0.111032687], [0.335487962, -0.404696494, 0.128278166, -0.372232407, 0.416428149, -0.302927107, -0.513596058, 0.199244037]]> : tensor<8x8xf32>}> : () -> tensor<8x8xf32>
    %218 = "stablehlo.constant"() <{value = dense<[[0.651728034, -0.167396307, -0.430591047, -0.358686686, -0.145755202, 0.300279021, -0.307358503, -0.165175915], [-0.101136751, -0.744014084, 0.0130096488, -0.0934349447, 0.368759274, -0.450231045, -0.234834149, -0.182966158], [0.646231949, -0.225478321, 0.263734072, 0.445590198, -1.93515545E-4, -0.113107026, 0.50046134, -0.0135212028], [0.112153418, 0.461748332, -0.334510356, 0.327921152, 0.539697647, -0.178127676, -0.105212346, -0.469795793], [0.267745167, 0.174398735, -0.0863344669, 0.0545303524, 0.223197356, -0.331308782, -0.323677361, 7.893800e-01], [-0.0314068273, 0.0872165933, -0.468850136, -0.419092566, -0.110765323, -0.480405509, 0.592577755, 0.0417262241], [-0.248495847, -0.339752823, -0.62262398, 0.485306233, 0.0217455234, 0.336910665, 0.146810398, 0.253180087], [-0.0200915635, 0.0302635543, -0.134293586, 0.377355099, -0.699242234, -0.456659913, -0.333741874, -0.171427041]]> : tensor<8x8xf32>}> : () -> tensor<8x8xf32>
    %219 = "stablehlo.constant"() <{value = dense<[[0.342113137, 0.619623899, 0.396498561, -0.100375742, -0.488902152, 0.290191978, 0.0160172842, 0.0908032432], [-0.161448389, -0.441674083, -0.016529901, -0.495515257, -0.14322935, 0.679824888, -0.0661059171, 0.214483663], [-0.421818495, -0.292101264, 0.267039895, 0.475853622, -0.597886086, -0.139365911, -0.154050618, 0.195900097], [-0.106463641, 0.10016381, -0.355190396, 0.334148079, -0.0797976404, 0.280842572, 0.79137361, 0.17118755], [0.669125676, -0.446573734, -0.118150085, -0.148567125, -0.32988435, -0.354800731, 0.205750763, 0.199425325], [0.277928531, -0.107671775, 0.361973435, 0.383023649, 0.493887454, 0.194180176, -0.0940361917, 0.585625291], [-0.307908177, -0.0220704712, 0.571768463, -0.416610062, 0.145136535, -0.339519829, 0.500540793, 0.131692514], [-0.218739226, 0.337825179, -0.416103154, -0.252892107, -0.0530227199, -0.276528776, -0.208931506, 0.691374838]]> : tensor<8x8xf32>}> : () -> tensor<8x8xf32>
    %220 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<8xf32>}> : () -> tensor<8xf32>
    %221 = "stablehlo.constant"() <{value = dense<[[0.0920497253, -0.00877272896, -1.03908503, 0.692422807, 0.0332789533, 0.0334106609, -0.305336654, -0.0136051429], [0.0298047885, -0.415013462, -0.526745856, -0.688942968, 0.471725702, -0.497940332, 0.125118732, 0.182836547], [0.375606805, 0.505819321, 0.552966952, 0.435720861, -7.840280e-02, -0.605927467, -0.140691862, -0.884125292], [0.246641874, -0.334346265, 0.607277214, -0.529402435, -0.788549602, -1.02787423, -0.176299378, 0.138136297]]> : tensor<4x8xf32>}> : () -> tensor<4x8xf32>
    %222 = "stablehlo.constant"() <{value = dense<[[-0.110218078, 0.462508023, -0.279627681, 0.628636956, 0.299251586, -0.908105731, 0.361941874, -0.544219315], [-0.719252049, 0.20896554, -0.0486028865, 0.619960486, -0.152757943, 0.419440657, 0.314422816, 1.06579781], [0.0775663406, -0.370307028, 0.577260435, 0.491345108, 0.00191404228, -0.00152559078, -0.518398941, -0.871814906], [-0.356962353, 0.715493857, -0.56991148, 1.10806727, 0.858526289, 0.158934459, -0.514738262, -0.679861128]]> : tensor<4x8xf32>}> : () -> tensor<4x8xf32>
    %223 = "stablehlo.constant"() <{value = dense<[[-0.977327585, -4.372600e-02, 0.544256508, -0.642573297, 0.125966966, -0.432082921, -0.729321658, 0.25987488], [-0.596701801, -0.345433414, 0.684104681, 0.0959296897, -0.079039216, -1.04463077, -0.507536769, 0.553680658], [-0.550937831, 0.737522125, -0.168487728, 0.480657339, -0.830774247, 0.432495564, 0.00367440912, -0.087393254], [1.06464899, 0.224964365, -0.253486812, 0.270056456, 0.624272108, 0.00928705186, -0.608316957, -0.35986954]]> : tensor<4x8xf32>}> : () -> tensor<4x8xf32>
    %224 = "stablehlo.constant"() <{value = dense<[[0.397804797, -0.00875554047, 0.235918835, 0.602687835, 0.0913127661, 0.845819056, -0.110016376, 0.497618228], [0.11530529, -0.325049043, 0.252513021, 0.464499205, 0.126605257, 0.00116081035, 0.705362141, -0.562312663], [0.674767852, 0.32220608, -1.569180e-01, -0.236321613, 0.200623631, 0.987087965, -0.0695686266, 0.200493351], [0.635844231, -0.0267511308, -1.01845562, -0.356184483, -0.186400235, 0.652393281, 0.331863642, 0.201955333]]> : tensor<4x8xf32>}> : () -> tensor<4x8xf32>
    %225 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %226 = "stablehlo.constant"() <{value = dense<32> : tensor<i32>}> : () -> tensor<i32>
    %227 = "stablehlo.shift_right_logical"(%225, %226) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %228 = "stablehlo.convert"(%227) : (tensor<i32>) -> tensor<ui32>
    %229 = "stablehlo.broadcast_in_dim"(%228) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<1xui32>
    %230 = "stablehlo.and"(%225, %215) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %231 = "stablehlo.convert"(%230) : (tensor<i32>) -> tensor<ui32>
    %232 = "stablehlo.broadcast_in_dim"(%231) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<1xui32>
    %233 = "stablehlo.concatenate"(%229, %232) <{dimension = 0 : i64}> : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
    %234 = "func.call"(%arg57, %233) <{callee = @_threefry_split}> : (tensor<i32>, tensor<2xui32>) -> tensor<2x2xui32>
    %235 = "stablehlo.reshape"(%arg57) : (tensor<i32>) -> tensor<1xi32>
    %236 = "stablehlo.concatenate"(%235, %213) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %237 = "stablehlo.dynamic_broadcast_in_dim"(%214, %236) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
    %238 = "stablehlo.reshape"(%arg57) : (tensor<i32>) -> tensor<1xi32>
    %239 = "stablehlo.concatenate"(%238, %213) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %240 = "stablehlo.dynamic_broadcast_in_dim"(%214, %239) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
    %241 = "stablehlo.transpose"(%arg58) <{permutation = array<i64: 1, 0, 2>}> : (tensor<?x7x4xf32>) -> tensor<7x?x4xf32>
    %242 = "stablehlo.reshape"(%arg57) : (tensor<i32>) -> tensor<1xi32>
    %243 = "stablehlo.concatenate"(%211, %242, %213) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %244 = "stablehlo.dynamic_broadcast_in_dim"(%214, %243) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<7x?x8xf32>
    %245:17 = "stablehlo.while"(%241, %216, %217, %218, %219, %220, %220, %220, %220, %221, %222, %223, %224, %225, %237, %240, %244) ({
    ^bb0(%arg76: tensor<7x?x4xf32>, %arg77: tensor<8x8xf32>, %arg78: tensor<8x8xf32>, %arg79: tensor<8x8xf32>, %arg80: tensor<8x8xf32>, %arg81: tensor<8xf32>, %arg82: tensor<8xf32>, %arg83: tensor<8xf32>, %arg84: tensor<8xf32>, %arg85: tensor<4x8xf32>, %arg86: tensor<4x8xf32>, %arg87: tensor<4x8xf32>, %arg88: tensor<4x8xf32>, %arg89: tensor<i32>, %arg90: tensor<?x8xf32>, %arg91: tensor<?x8xf32>, %arg92: tensor<7x?x8xf32>):
      %251 = "stablehlo.compare"(%arg89, %212) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%251) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg59: tensor<7x?x4xf32>, %arg60: tensor<8x8xf32>, %arg61: tensor<8x8xf32>, %arg62: tensor<8x8xf32>, %arg63: tensor<8x8xf32>, %arg64: tensor<8xf32>, %arg65: tensor<8xf32>, %arg66: tensor<8xf32>, %arg67: tensor<8xf32>, %arg68: tensor<4x8xf32>, %arg69: tensor<4x8xf32>, %arg70: tensor<4x8xf32>, %arg71: tensor<4x8xf32>, %arg72: tensor<i32>, %arg73: tensor<?x8xf32>, %arg74: tensor<?x8xf32>, %arg75: tensor<7x?x8xf32>):
      %247 = "func.call"(%arg57, %arg59, %arg72) <{callee = @dynamic_index_in_dim}> : (tensor<i32>, tensor<7x?x4xf32>, tensor<i32>) -> tensor<?x4xf32>
      %248:3 = "func.call"(%arg57, %arg60, %arg61, %arg62, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %arg69, %arg70, %arg71, %arg73, %arg74, %247) <{callee = @closed_call_0}> : (tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>)
      %249 = "func.call"(%arg57, %arg75, %248#2, %arg72) <{callee = @dynamic_update_index_in_dim}> : (tensor<i32>, tensor<7x?x8xf32>, tensor<?x8xf32>, tensor<i32>) -> tensor<7x?x8xf32>
      %250 = "stablehlo.add"(%arg72, %210) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg59, %arg60, %arg61, %arg62, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %arg69, %arg70, %arg71, %250, %248#0, %248#1, %249) : (tensor<7x?x4xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<7x?x8xf32>) -> ()
    }) : (tensor<7x?x4xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<7x?x8xf32>) -> (tensor<7x?x4xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<7x?x8xf32>)
    %246 = "stablehlo.transpose"(%245#16) <{permutation = array<i64: 1, 0, 2>}> : (tensor<7x?x8xf32>) -> tensor<?x7x8xf32>
    "func.return"(%246) : (tensor<?x7x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}], function_type = (tensor<i32>, tensor<2xui32>) -> tensor<2x2xui32>, sym_name = "_threefry_split", sym_visibility = "private"}> ({
  ^bb0(%arg55: tensor<i32>, %arg56: tensor<2xui32>):
    %193 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %194 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %195 = "stablehlo.slice"(%arg56) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %196 = "stablehlo.reshape"(%195) : (tensor<1xui32>) -> tensor<ui32>
    %197 = "stablehlo.slice"(%arg56) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %198 = "stablehlo.reshape"(%197) : (tensor<1xui32>) -> tensor<ui32>
    %199 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2xui64>
    %200 = "stablehlo.broadcast_in_dim"(%194) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<2xui64>
    %201 = "stablehlo.multiply"(%200, %199) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %202 = "stablehlo.broadcast_in_dim"(%193) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<2xui64>
    %203 = "stablehlo.shift_right_logical"(%201, %202) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %204 = "stablehlo.convert"(%201) : (tensor<2xui64>) -> tensor<2xui32>
    %205 = "stablehlo.convert"(%203) : (tensor<2xui64>) -> tensor<2xui32>
    %206:2 = "func.call"(%arg55, %196, %198, %205, %204) <{callee = @threefry2x32}> : (tensor<i32>, tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
    %207 = "stablehlo.broadcast_in_dim"(%206#0) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xui32>) -> tensor<2x1xui32>
    %208 = "stablehlo.broadcast_in_dim"(%206#1) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xui32>) -> tensor<2x1xui32>
    %209 = "stablehlo.concatenate"(%207, %208) <{dimension = 1 : i64}> : (tensor<2x1xui32>, tensor<2x1xui32>) -> tensor<2x2xui32>
    "func.return"(%209) : (tensor<2x2xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>), sym_name = "threefry2x32", sym_visibility = "private"}> ({
  ^bb0(%arg32: tensor<i32>, %arg33: tensor<ui32>, %arg34: tensor<ui32>, %arg35: tensor<2xui32>, %arg36: tensor<2xui32>):
    %177 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %178 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
    %179 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %180 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %181 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %182 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %183 = "stablehlo.xor"(%arg33, %arg34) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %184 = "stablehlo.xor"(%183, %180) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %185 = "stablehlo.broadcast_in_dim"(%arg33) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %186 = "stablehlo.add"(%arg35, %185) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %187 = "stablehlo.broadcast_in_dim"(%arg34) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %188 = "stablehlo.add"(%arg36, %187) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %189:9 = "stablehlo.while"(%179, %179, %186, %188, %arg34, %184, %arg33, %181, %182) ({
    ^bb0(%arg46: tensor<i32>, %arg47: tensor<i32>, %arg48: tensor<2xui32>, %arg49: tensor<2xui32>, %arg50: tensor<ui32>, %arg51: tensor<ui32>, %arg52: tensor<ui32>, %arg53: tensor<4xui32>, %arg54: tensor<4xui32>):
      %192 = "stablehlo.compare"(%arg46, %178) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%192) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg37: tensor<i32>, %arg38: tensor<i32>, %arg39: tensor<2xui32>, %arg40: tensor<2xui32>, %arg41: tensor<ui32>, %arg42: tensor<ui32>, %arg43: tensor<ui32>, %arg44: tensor<4xui32>, %arg45: tensor<4xui32>):
      %190:8 = "func.call"(%arg32, %arg38, %arg39, %arg40, %arg41, %arg42, %arg43, %arg44, %arg45) <{callee = @closed_call}> : (tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %191 = "stablehlo.add"(%arg37, %177) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%191, %190#0, %190#1, %190#2, %190#3, %190#4, %190#5, %190#6, %190#7) : (tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%189#2, %189#3) : (tensor<2xui32>, tensor<2xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg23: tensor<i32>, %arg24: tensor<i32>, %arg25: tensor<2xui32>, %arg26: tensor<2xui32>, %arg27: tensor<ui32>, %arg28: tensor<ui32>, %arg29: tensor<ui32>, %arg30: tensor<4xui32>, %arg31: tensor<4xui32>):
    %126 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %127 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %128 = "stablehlo.add"(%arg24, %127) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %129 = "stablehlo.slice"(%arg30) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %130 = "stablehlo.reshape"(%129) : (tensor<1xui32>) -> tensor<ui32>
    %131 = "stablehlo.add"(%arg25, %arg26) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %132 = "stablehlo.broadcast_in_dim"(%130) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %133 = "stablehlo.shift_left"(%arg26, %132) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %134 = "stablehlo.subtract"(%126, %130) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %135 = "stablehlo.broadcast_in_dim"(%134) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %136 = "stablehlo.shift_right_logical"(%arg26, %135) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %137 = "stablehlo.or"(%133, %136) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %138 = "stablehlo.xor"(%131, %137) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %139 = "stablehlo.slice"(%arg30) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %140 = "stablehlo.reshape"(%139) : (tensor<1xui32>) -> tensor<ui32>
    %141 = "stablehlo.add"(%131, %138) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %142 = "stablehlo.broadcast_in_dim"(%140) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %143 = "stablehlo.shift_left"(%138, %142) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %144 = "stablehlo.subtract"(%126, %140) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %145 = "stablehlo.broadcast_in_dim"(%144) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %146 = "stablehlo.shift_right_logical"(%138, %145) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %147 = "stablehlo.or"(%143, %146) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %148 = "stablehlo.xor"(%141, %147) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %149 = "stablehlo.slice"(%arg30) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %150 = "stablehlo.reshape"(%149) : (tensor<1xui32>) -> tensor<ui32>
    %151 = "stablehlo.add"(%141, %148) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %152 = "stablehlo.broadcast_in_dim"(%150) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %153 = "stablehlo.shift_left"(%148, %152) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %154 = "stablehlo.subtract"(%126, %150) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %155 = "stablehlo.broadcast_in_dim"(%154) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %156 = "stablehlo.shift_right_logical"(%148, %155) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %157 = "stablehlo.or"(%153, %156) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %158 = "stablehlo.xor"(%151, %157) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %159 = "stablehlo.slice"(%arg30) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %160 = "stablehlo.reshape"(%159) : (tensor<1xui32>) -> tensor<ui32>
    %161 = "stablehlo.add"(%151, %158) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %162 = "stablehlo.broadcast_in_dim"(%160) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %163 = "stablehlo.shift_left"(%158, %162) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %164 = "stablehlo.subtract"(%126, %160) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %165 = "stablehlo.broadcast_in_dim"(%164) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %166 = "stablehlo.shift_right_logical"(%158, %165) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %167 = "stablehlo.or"(%163, %166) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %168 = "stablehlo.xor"(%161, %167) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %169 = "stablehlo.broadcast_in_dim"(%arg27) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %170 = "stablehlo.add"(%161, %169) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %171 = "stablehlo.broadcast_in_dim"(%arg28) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %172 = "stablehlo.add"(%168, %171) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %173 = "stablehlo.add"(%arg24, %127) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %174 = "stablehlo.convert"(%173) : (tensor<i32>) -> tensor<ui32>
    %175 = "stablehlo.broadcast_in_dim"(%174) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %176 = "stablehlo.add"(%172, %175) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    "func.return"(%128, %170, %176, %arg28, %arg29, %arg27, %arg31, %arg30) : (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}, {}], function_type = (tensor<i32>, tensor<7x?x4xf32>, tensor<i32>) -> tensor<?x4xf32>, sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg20: tensor<i32>, %arg21: tensor<7x?x4xf32>, %arg22: tensor<i32>):
    %104 = "stablehlo.constant"() <{value = dense<7> : tensor<1xi32>}> : () -> tensor<1xi32>
    %105 = "stablehlo.constant"() <{value = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %106 = "stablehlo.constant"() <{value = dense<4> : tensor<1xi32>}> : () -> tensor<1xi32>
    %107 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %108 = "stablehlo.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %109 = "stablehlo.reshape"(%arg20) : (tensor<i32>) -> tensor<1xi32>
    %110 = "stablehlo.concatenate"(%108, %109, %106) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %111 = "stablehlo.concatenate"(%105, %105, %105) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %112 = "stablehlo.reshape"(%arg22) : (tensor<i32>) -> tensor<1xi32>
    %113 = "stablehlo.reshape"(%107) : (tensor<i32>) -> tensor<1xi32>
    %114 = "stablehlo.reshape"(%107) : (tensor<i32>) -> tensor<1xi32>
    %115 = "stablehlo.concatenate"(%112, %113, %114) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %116 = "stablehlo.reshape"(%arg20) : (tensor<i32>) -> tensor<1xi32>
    %117 = "stablehlo.concatenate"(%104, %116, %106) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %118 = "stablehlo.subtract"(%117, %110) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %119 = "stablehlo.clamp"(%111, %115, %118) : (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %120 = "stablehlo.add"(%119, %110) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %121 = "stablehlo.concatenate"(%108, %108, %108) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %122 = "stablehlo.real_dynamic_slice"(%arg21, %119, %120, %121) : (tensor<7x?x4xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x?x4xf32>
    %123 = "stablehlo.reshape"(%arg20) : (tensor<i32>) -> tensor<1xi32>
    %124 = "stablehlo.concatenate"(%123, %106) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %125 = "stablehlo.dynamic_reshape"(%122, %124) : (tensor<1x?x4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
    "func.return"(%125) : (tensor<?x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>), sym_name = "closed_call_0", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<i32>, %arg5: tensor<8x8xf32>, %arg6: tensor<8x8xf32>, %arg7: tensor<8x8xf32>, %arg8: tensor<8x8xf32>, %arg9: tensor<8xf32>, %arg10: tensor<8xf32>, %arg11: tensor<8xf32>, %arg12: tensor<8xf32>, %arg13: tensor<4x8xf32>, %arg14: tensor<4x8xf32>, %arg15: tensor<4x8xf32>, %arg16: tensor<4x8xf32>, %arg17: tensor<?x8xf32>, %arg18: tensor<?x8xf32>, %arg19: tensor<?x4xf32>):
    %7 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.constant"() <{value = dense<24> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "stablehlo.constant"() <{value = dense<16> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "stablehlo.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "stablehlo.constant"() <{value = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %13 = "stablehlo.constant"() <{value = dense<32> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "stablehlo.concatenate"(%arg5, %arg6, %arg7, %arg8) <{dimension = 1 : i64}> : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x32xf32>
    %15 = "stablehlo.concatenate"(%arg9, %arg10, %arg11, %arg12) <{dimension = 0 : i64}> : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<32xf32>
    %16 = "stablehlo.dot_general"(%arg18, %14) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<?x8xf32>, tensor<8x32xf32>) -> tensor<?x32xf32>
    %17 = "stablehlo.reshape"(%15) : (tensor<32xf32>) -> tensor<1x32xf32>
    %18 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %19 = "stablehlo.concatenate"(%18, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %20 = "stablehlo.dynamic_broadcast_in_dim"(%17, %19) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x32xf32>, tensor<2xi32>) -> tensor<?x32xf32>
    %21 = "stablehlo.add"(%16, %20) : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
    %22 = "stablehlo.concatenate"(%12, %12) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %23 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %24 = "stablehlo.concatenate"(%23, %11) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %25 = "stablehlo.concatenate"(%10, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %26 = "stablehlo.real_dynamic_slice"(%21, %22, %24, %25) : (tensor<?x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x8xf32>
    %27 = "stablehlo.concatenate"(%12, %11) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %28 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %29 = "stablehlo.concatenate"(%28, %9) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %30 = "stablehlo.concatenate"(%10, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %31 = "stablehlo.real_dynamic_slice"(%21, %27, %29, %30) : (tensor<?x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x8xf32>
    %32 = "stablehlo.concatenate"(%12, %9) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %33 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %34 = "stablehlo.concatenate"(%33, %8) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %35 = "stablehlo.concatenate"(%10, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %36 = "stablehlo.real_dynamic_slice"(%21, %32, %34, %35) : (tensor<?x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x8xf32>
    %37 = "stablehlo.concatenate"(%12, %8) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %38 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %39 = "stablehlo.concatenate"(%38, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %40 = "stablehlo.concatenate"(%10, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %41 = "stablehlo.real_dynamic_slice"(%21, %37, %39, %40) : (tensor<?x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x8xf32>
    %42 = "stablehlo.concatenate"(%arg13, %arg14, %arg15, %arg16) <{dimension = 1 : i64}> : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x32xf32>
    %43 = "stablehlo.dot_general"(%arg19, %42) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<?x4xf32>, tensor<4x32xf32>) -> tensor<?x32xf32>
    %44 = "stablehlo.concatenate"(%12, %12) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %45 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %46 = "stablehlo.concatenate"(%45, %11) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %47 = "stablehlo.concatenate"(%10, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %48 = "stablehlo.real_dynamic_slice"(%43, %44, %46, %47) : (tensor<?x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x8xf32>
    %49 = "stablehlo.concatenate"(%12, %11) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %50 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %51 = "stablehlo.concatenate"(%50, %9) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %52 = "stablehlo.concatenate"(%10, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %53 = "stablehlo.real_dynamic_slice"(%43, %49, %51, %52) : (tensor<?x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x8xf32>
    %54 = "stablehlo.concatenate"(%12, %9) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %55 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %56 = "stablehlo.concatenate"(%55, %8) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %57 = "stablehlo.concatenate"(%10, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %58 = "stablehlo.real_dynamic_slice"(%43, %54, %56, %57) : (tensor<?x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x8xf32>
    %59 = "stablehlo.concatenate"(%12, %8) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %60 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %61 = "stablehlo.concatenate"(%60, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %62 = "stablehlo.concatenate"(%10, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %63 = "stablehlo.real_dynamic_slice"(%43, %59, %61, %62) : (tensor<?x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x8xf32>
    %64 = "stablehlo.add"(%26, %48) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %65 = "stablehlo.negate"(%64) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %66 = "stablehlo.exponential"(%65) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %67 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %68 = "stablehlo.concatenate"(%67, %11) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %69 = "stablehlo.dynamic_broadcast_in_dim"(%7, %68) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
    %70 = "stablehlo.add"(%69, %66) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %71 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %72 = "stablehlo.concatenate"(%71, %11) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %73 = "stablehlo.dynamic_broadcast_in_dim"(%7, %72) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
    %74 = "stablehlo.divide"(%73, %70) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %75 = "stablehlo.add"(%31, %53) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %76 = "stablehlo.negate"(%75) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %77 = "stablehlo.exponential"(%76) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %78 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %79 = "stablehlo.concatenate"(%78, %11) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %80 = "stablehlo.dynamic_broadcast_in_dim"(%7, %79) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
    %81 = "stablehlo.add"(%80, %77) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %82 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %83 = "stablehlo.concatenate"(%82, %11) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %84 = "stablehlo.dynamic_broadcast_in_dim"(%7, %83) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
    %85 = "stablehlo.divide"(%84, %81) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %86 = "stablehlo.add"(%36, %58) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %87 = "stablehlo.tanh"(%86) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %88 = "stablehlo.add"(%41, %63) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %89 = "stablehlo.negate"(%88) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %90 = "stablehlo.exponential"(%89) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %91 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %92 = "stablehlo.concatenate"(%91, %11) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %93 = "stablehlo.dynamic_broadcast_in_dim"(%7, %92) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
    %94 = "stablehlo.add"(%93, %90) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %95 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %96 = "stablehlo.concatenate"(%95, %11) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %97 = "stablehlo.dynamic_broadcast_in_dim"(%7, %96) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
    %98 = "stablehlo.divide"(%97, %94) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %99 = "stablehlo.multiply"(%85, %arg17) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %100 = "stablehlo.multiply"(%74, %87) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %101 = "stablehlo.add"(%99, %100) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %102 = "stablehlo.tanh"(%101) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %103 = "stablehlo.multiply"(%98, %102) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    "func.return"(%101, %103, %103) : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}, {}, {}], function_type = (tensor<i32>, tensor<7x?x8xf32>, tensor<?x8xf32>, tensor<i32>) -> tensor<7x?x8xf32>, sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<7x?x8xf32>, %arg2: tensor<?x8xf32>, %arg3: tensor<i32>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "stablehlo.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %4 = "stablehlo.concatenate"(%2, %3, %1) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %5 = "stablehlo.dynamic_broadcast_in_dim"(%arg2, %4) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<?x8xf32>, tensor<3xi32>) -> tensor<1x?x8xf32>
    %6 = "stablehlo.dynamic_update_slice"(%arg1, %5, %arg3, %0, %0) : (tensor<7x?x8xf32>, tensor<1x?x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<7x?x8xf32>
    "func.return"(%6) : (tensor<7x?x8xf32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
