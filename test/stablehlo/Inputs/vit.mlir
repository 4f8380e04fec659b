"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{function_type = (tensor<?x8x8x3xf32>) -> tensor<?x3xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg18: tensor<?x8x8x3xf32>):
    %289 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %290 = "stablehlo.get_dimension_size"(%arg18) <{dimension = 0 : i64}> : (tensor<?x8x8x3xf32>) -> tensor<i32>
    %291 = "stablehlo.compare"(%290, %289) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.custom_call"(%291, %290) <{api_version = 2 : i32, call_target_name = "shape_assertion", has_side_effect = true}> {error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'. Using the following polymorphic shapes specifications: args[0].shape = (b, 8, 8, 3). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details."} : (tensor<i1>, tensor<i32>) -> ()
    %292 = "func.call"(%290, %arg18) <{callee = @_wrapped_jax_export_main}> : (tensor<i32>, tensor<?x8x8x3xf32>) -> tensor<?x3xf32>
    "func.return"(%292) : (tensor<?x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}], function_type = (tensor<i32>, tensor<?x8x8x3xf32>) -> tensor<?x3xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "_wrapped_jax_export_main", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<?x8x8x3xf32>):
    %0 = "stablehlo.constant"() <{value = dense<3> : tensor<1xi32>}> : () -> tensor<1xi32>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.constant"() <{value = dense<0.797884583> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.constant"() <{value = dense<16> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.constant"() <{value = dense<9.99999997E-7> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.constant"() <{value = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "stablehlo.constant"() <{value = dense<8.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "stablehlo.constant"() <{value = dense<4> : tensor<1xi32>}> : () -> tensor<1xi32>
    %15 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "stablehlo.constant"() <{value = dense<2> : tensor<1xi32>}> : () -> tensor<1xi32>
    %17 = "stablehlo.constant"() <{value = dense<"0x82A523BE4023FFBDD39ECC3D7E9C143EEEC3393DF2AADE3B643DC3BD8C6D04BD693F68BE8A5FFB3DB75F2CBE66BE91BD33B0DDBD9565C53CBBF43BBE4B367DBE35698C3C2513B3BD655413BE939ECF3D43B58FBE229A743ED2C36ABE8BD86EBEE0B2B5BD1FA79FBDE3D3A4BB2392F9BC7289B9BD1B71D53BF26CB5BD9409D7BD1C8A903C8B3C1A3EB3C4533E13E790BE41BF8EBDFA2B42BD16F3B0BC52466B3D3FB2053E8972113D2F8E68BE925B713E29A04A3E91CD3DBBCC68863DDD356CBD9437AD3D432AAEBCCA1A8F3DDFBC523E0CB296BCAC74DFBCD828DA3DC36617BE60F55CBD90B40ABEEC6B583E6592B3BDDFC8263E77C30F3D3A7B3C3E570B30BEE8E45FBD81E539BE3D8BF03D127740BD7BE126BE5EA9F13D35C4C83CF6CD023EE79FEC3D8D446CBE82528CBEA159283CE6108E3A8C865FBDF417BE3CC40F7FBE858C4ABE18A0423E76358CBDCD1221BC81B9063E3B62E03CE9C6B3BD7379293E408C8FBD83DCF23C7C2AA43D4EF6C4BDB3383ABE0F6205BD1FBFC53D86BA15BE20731BBDEC719E3D9A27963D5D9DC13DC097FC3D8D3931BE1CC10E3E8C9F2E3ED3E7AF3D1069E7BC2AEC5CBC0B4981BED6242DBE813DB93D4131143EF23AEBBD37E08D3A0C672E3E578893BEAAFE473E3C93963C6560053E02E37C3D38C2EDBD98686FBD7183613DB6061C3E5554A1BD07891D3B6CB9C43D093D6ABED4F575BE1247A53EE0D62DBDD302C03D2369E3BDDFE62FBD1F33A6BC20915BBEBFABC7BC20F540BE90646DBD453DC03D3D8C59BDDBFB12BEF213903E7CB7A83D7C5F273E92BDFD3D82A161BDD05C48BD7ACF153E9D4795BEB19761BDD003953DFF18893E2B8664BE4C2F8B3E155120BEA166BCBD700979BE9BDF98BE0AD9393DB954013D37DBE23C9BF3E83D0D0DD63DBF15913D1A6FBCBDABC3AFBD18D5F93D6BCEED3DBAE8893E9636ECBDB9AD863E20418E3E815E12BCA2BCF7BD5131033E7DF58BBDA8B3533ED41B093EAC8C90BE570697BEFD368DBE8A2A893E0DC16BBE72C99D3B46AC9E3EB88DE43DC1E044BD0D71CCBD6074D63C79BE3A3DB7CA943BCB2709BE9A3506BD360D9DBDB4D9453E5BFA0FBEA5459BBE4432683DC49B17BE08E381BED271643EF11F273E50B00A3D98BC3CBDED39113DC73195BEBC599BBE58CE2FBDEC50DD3CEA4C52BE23E56CBC33E4833E5FEB7D3E048B063D6B3C80BD46E0543EA705AF3D40F3943C412581BE15BC0EBEC1FB8EBEDF6219BDD729833EB547203EF100513B8037293D02B01DBE3EE5B73D7F0D973E787782BDC72E26BE7654643E8D6CD4BC4F462FBDC192783EB1EC0ABE817950BDC70B07BE64ADAB3DDF2979BE001F793EB89C22BE74FC3ABE281C3BBE6124B23DC3BF51BCF54733BE6338AFBC717639BE14D6BE3D4A1A57BE89D6F93CFC0D603E3C1A743D87906A3D7CD82EBE9C1932BED2305ABEACDC8EBEAC3A3ABEED9EEBBD73F9843DA239C23D8847AA3CFC61DA3DA512B53D0AFE54BEBA8654BD67ABE7BDD3BF2A3EA94C62BD685400BED38E843B18475BBDF8951DBD2E1A523E9C42BFBDE8BB973D5531643ECA06B53D76F06CBBEE17E9BD6B04B73DDBC6553EBF6CB83AAE98E93C18E21A3CFE68083D2C4A413E19B2D7BDFBBEF1BDCF6D08BD1772CC3CDB686D3D392E86BDEE08D03D5D3E083D4CF986BE57CB27BD84CAE53DCED1A9BDBCC9973D1D610A3E48F84A3E3DCF67BE0D3C803CD6295ABEB7CED83DE431DB3D46CB273E8765AB3D4B561ABC2DB6B83D9F76273E93B9CDBC52D698BEB4F8783EF6B1B13D0D9C93BE5641133E61E5493E09AAF5BB35732F3E36CF1C3EC1C70DBDB951BB3DFA77323E41EE7EBD4551303D87E3E63D9BF8173E9E1AD63C037B39BC6C269E3D5215F43D67E755BECA08E03DDAAD9F3EEE6A583EF3DC853CE1D08ABE20210BBEE532DBBD643E5A3EB593F4BD3898D43DBF0925BE5E10B4BDA39ECFBD6E2C82BC51BB78BE679AD73D94998CBEFEC8453E3974453EAE4EB43C899D2B3ED98949BD434416BE1CCB1CBC9EC5AA3DD80DDEBD9EC44DBE0632FEBDC9E3823DB02A19BEC59863BE6C281DBEF999A43DD53E3EBE101938BE40C1423E7C2313BE4BE807BE467833BE0FD7363E8930E3BD3B01D8BDBFDF19BD967A42BE696B40BDE9E590BE3734233E39D59ABE"> : tensor<4x4x3x8xf32>}> : () -> tensor<4x4x3x8xf32>
    %18 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<8xf32>}> : () -> tensor<8xf32>
    %19 = "stablehlo.constant"() <{value = dense<[[[0.0162495915, 0.00308130682, 0.016613584, 0.0104041547, -0.01359763, 0.00467219157, 0.00155509717, -1.21950987E-4]]]> : tensor<1x1x8xf32>}> : () -> tensor<1x1x8xf32>
    %20 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<8xf32>}> : () -> tensor<8xf32>
    %21 = "stablehlo.constant"() <{value = dense<[[[-0.458341092, 0.543485403, 0.214554712, -0.248770401], [-0.654802561, -0.0808785185, -0.46166116, 0.170122683]], [[0.208766803, 0.211527631, 0.00869743247, 0.00704367412], [0.389625937, 0.0603427924, -0.312818527, -0.793926179]], [[-0.322616279, 0.464950085, 0.297775745, -0.0316541791], [0.244220793, 0.174823523, -0.315654218, 0.0657081529]], [[-0.354976743, 0.136248678, 0.284460127, -0.450479865], [-0.0712510794, -0.432896227, -0.225684404, -0.141842544]], [[-0.572817624, 0.412679464, -0.010238152, -0.197985411], [0.167024985, -0.191405967, 0.486793458, 0.592667341]], [[0.761051297, -0.401738912, -0.0352222808, -0.0349071957], [-0.00266664033, -0.113546163, -0.781972408, -0.155572236]], [[-0.34604767, 0.13093394, -0.304591596, 0.104692258], [0.526685596, -0.0703774914, 0.0990875288, -0.461584687]], [[-0.764695167, -0.0193809476, -0.36872533, -0.181109458], [-0.496679097, 0.136405438, 0.218693063, 0.0430856906]]]> : tensor<8x2x4xf32>}> : () -> tensor<8x2x4xf32>
    %22 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<2x4xf32>}> : () -> tensor<2x4xf32>
    %23 = "stablehlo.constant"() <{value = dense<[[[-0.221522823, 0.527813554, -0.00869433581, 0.348867893], [-0.134371698, 0.328408837, 0.139200896, 0.401982546]], [[0.189770266, 0.252075762, -0.162493482, -0.521931946], [0.149687931, 2.950530e-01, -0.370786667, -0.421849102]], [[-0.00540333474, -0.245587334, 0.553776205, -0.181552023], [0.0415279642, 0.265713155, -0.268394411, 0.0590954684]], [[0.358165383, -5.371370e-01, 0.0353067443, 0.524735689], [-0.552494049, 0.361033678, -0.0462201871, -0.71936959]], [[-0.303034246, 0.0436390564, -0.11631833, -0.0702425763], [-0.285600662, 0.17782183, -0.258563131, -0.457805187]], [[-0.161982089, -0.634346425, -0.116673052, 0.051124189], [0.242342874, -0.260826468, -0.162982523, 0.484079599]], [[-0.197054729, -0.313988298, 0.0505633801, -0.110667206], [-0.138231903, -6.945570e-01, 3.884550e-01, 0.250628114]], [[-0.0130184032, 0.594759583, 0.34066245, 0.320213526], [-0.232459262, 0.164528906, -0.0156968255, 0.167459384]]]> : tensor<8x2x4xf32>}> : () -> tensor<8x2x4xf32>
    %24 = "stablehlo.constant"() <{value = dense<[[[-0.614777624, -0.0499655828, 0.520608187, -0.307001054], [-0.082933113, -0.313406289, -0.328942716, 0.0486968644]], [[0.0659384429, 0.283723146, -0.166260809, 0.731962382], [-0.0356322117, 0.0468595624, 0.586654603, 0.19137156]], [[-0.164848849, -0.24464865, -0.0487440974, -0.332535446], [-0.412882686, 0.541682601, -0.579261959, 0.0303393751]], [[0.498517394, 0.519177437, -0.352226883, -0.0330186673], [-0.558997691, -0.131862342, -0.146807477, 0.584449947]], [[-0.542916059, -0.0415246263, 0.704117775, -0.277729422], [-0.208714977, 0.0729394928, 0.398415238, -0.399605304]], [[0.205056712, 0.183711305, 5.729810e-01, -0.0616019443], [0.152073428, -0.745238959, -6.783210e-01, 8.630450e-02]], [[0.133234635, 0.154366627, 0.00932374876, -0.397687435], [0.0409103744, 0.0290409848, 0.250002384, -0.54002744]], [[-0.0923474952, -0.177652061, 0.313815206, 0.231373727], [0.670502841, -0.713669062, 0.189006552, -0.250879765]]]> : tensor<8x2x4xf32>}> : () -> tensor<8x2x4xf32>
    %25 = "stablehlo.constant"() <{value = dense<[[[0.19649905, 0.0182525814, 0.0593942367, -0.109435372, 0.167533904, -0.0803954377, -0.150797054, -0.606693446], [0.144751593, -0.560537875, 0.396585047, -0.316700488, -0.749889612, 7.58223643E-4, -0.0823069289, -0.679208338], [0.0726594478, -0.15097405, 0.42905435, -0.420121372, 4.297330e-03, 0.05823192, -0.611192942, 0.0376472101], [-0.327598184, -0.670693278, 0.0324245878, -0.322662354, 0.31923005, -0.645478904, -0.204635724, 0.204739228]], [[-0.125052392, -0.310236096, 0.546324909, -0.361840934, -0.181891933, 0.182837322, 0.29172051, -0.145261765], [-0.0770461261, 0.0755982697, 2.858780e-01, -0.568434179, -0.79242599, 0.511428893, 0.31447506, 0.100645959], [-0.029139949, 0.304475814, 0.25581935, -0.574533522, 0.463140517, -0.451289386, 0.285334259, 0.450117379], [6.091780e-02, 0.217785865, 0.222659856, 0.539435387, 0.328631252, -0.427261889, 0.146952093, -0.353285879]]]> : tensor<2x4x8xf32>}> : () -> tensor<2x4x8xf32>
    %26 = "stablehlo.constant"() <{value = dense<"0x3A39A63E197F293F99AB833E8736AA3E37DED33D62AB81BD698243BF24943BBFBFEE92BD06CC9CBD7857E43EEEB494BE8812E53E0E7EAEBEDF3849BF5A09303EDEF32FBFBD68C6BD8B15FD3D32CB453E34CEEB3E56C61A3F9ABA8CBD61131D3F497AE0BDD739A9BE85F68E3E5FF008BF59A3283E3B90DEBE56F29DBD6DE3B13EC8A459BEE21B203E69FF4ABDC6F392BE6F9157BDB2DA0EBF68187A3EF1BA613E45EB15BFE264DD3D9831BFBCA367873DC14D88BE75E60E3DA5ECF13BF71AF1BB4ED811BFEB93BB3EF0C0E03E9B84D1BDFDB8E53E5DE9F63D9C60293F591BE53EA24B68BE47DD01BFF54960BE9879083F3C0B6CBE9EA5FF3EDA180E3D129541BE1F8F13BE7D60BA3EA7DD1F3E87F85FBD95D4083D2C4905BF6F5F31BEF5550D3E329B45BE136B8CBDB44C31BFAA1BF63E1BBD09BFA173E4BEA78F1BBFB973DD3E156D2FBE627AD5BE58DAD83ED47E0DBFAEA8963CB876EA3E97BE9B3E9FB3DC396CC537BF260B01BFAF8CD8BE610D21BE32E5423E8C11A1BC76BBCFBE8B2FDD3EE927B4BD9E0D903B083B36BF73E1CA3DA5ED933E38FCEEBEEFF8943E8B91D5BDE16A2EBFC887153F7DE67D3E4EAC8BBE4036D33E7C21823E5B2A503EF6ECA5BE67AACF3E0C18F9BC330F0D3F4674C6BEB015DCBDAB98A43E8B1A1FBEE9EA2A3D5DF80CBFB76F893D0DF021BF78A470BE70374F3E0F04343FCE3B78BEA4FF09B9"> : tensor<8x16xf32>}> : () -> tensor<8x16xf32>
    %27 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<16xf32>}> : () -> tensor<16xf32>
    %28 = "stablehlo.constant"() <{value = dense<"0x5A89A23EEA0C54BE9A5B8FBEF84562BE2FBCB43D23F6E1BE9803B63E23DDD83DDB350CBD3527D43D4E612ABEA58BA8BEC167C0BEF86CF1BD56371EBEABA5973EA29ADD3E8F1C193E0D33E4BE80439B3D3E366BBDC8DB9C3E3B9BCDBE22178B3EECC6DBBD37D564BEBC343BBD6042DD3D2F9A56BDD610E93D1134ADBE3A3E6B3D265D863E0908BEBE68E5C2BD427BE53EC85915BEA77B53BE5CE6203E650D6E3E9C8ADC3E669AB7BE3D5C12BE5419643EEEA49EBD23EAB0BD3466A1BE6CA505BEBD4683BECE4466BE0005893E7D9195BE8D2935BEED49E4BEDABE403EECE4A1BEED367CBE0FE4A2BE385BFBBCE750D4BDDD26C8BC7A80C73E061EB13E6B7C573E3D96B63EE4280CBF836AF93EF3FE5ABD78E7103D9C701CBDEFF5813D7C93AF3EF30461BEE657313DB2207EBDB929293D4A43083F5CB7A0BEF04542BDBFCE00BD23DE42BEDFB6893EE3CD883E69BB11BE9116F83DA6E93FBEC725883EC607F93E759AAB3E5856B33EB1767BBEB7F4BE3E191F913E69D1DC3D6859893EB96EF63B45BA9C3D3460AB3D03BD99BD59D6AF3DB045B83DDB6C5EBEE2A9CF3EC9C635BE2D50F9BE40EE25BE5035B9BEFB95C33CC56667BD18A6ACBE08A86BBE357F0B3FBD12A3BCB448F53D339B72BD99304C3E5DCF8A3D9E779ABEF82880BC37EDD53EAE79C73C328E9E3C5E73BF3DB8BD2DBE19D3503E4AAFD2BEA6128B3EEC4942BE"> : tensor<16x8xf32>}> : () -> tensor<16x8xf32>
    %29 = "stablehlo.constant"() <{value = dense<[[3.100530e-02, -0.0266823526, -0.197988659], [0.605748057, -0.78932619, -0.11752934], [-0.565741956, 0.0238483809, -0.237583235], [0.173649326, 0.505041361, -0.0558017641], [-5.860320e-01, 0.410461843, -0.0026852123], [0.066469267, -0.347787291, -0.446573168], [-0.0778701826, 0.238926053, 0.154598817], [0.533134043, 0.20891507, 4.291000e-01]]> : tensor<8x3xf32>}> : () -> tensor<8x3xf32>
    %30 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<3xf32>}> : () -> tensor<3xf32>
    %31 = "stablehlo.convolution"(%arg1, %17) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 4, 4>}> : (tensor<?x8x8x3xf32>, tensor<4x4x3x8xf32>) -> tensor<?x2x2x8xf32>
    %32 = "stablehlo.reshape"(%18) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %33 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %34 = "stablehlo.concatenate"(%33, %16, %16, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %35 = "stablehlo.dynamic_broadcast_in_dim"(%32, %34) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>, tensor<4xi32>) -> tensor<?x2x2x8xf32>
    %36 = "stablehlo.add"(%31, %35) : (tensor<?x2x2x8xf32>, tensor<?x2x2x8xf32>) -> tensor<?x2x2x8xf32>
    %37 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %38 = "stablehlo.concatenate"(%37, %14, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %39 = "stablehlo.dynamic_reshape"(%36, %38) : (tensor<?x2x2x8xf32>, tensor<3xi32>) -> tensor<?x4x8xf32>
    %40 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %41 = "stablehlo.concatenate"(%40, %13, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %42 = "stablehlo.dynamic_broadcast_in_dim"(%19, %41) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x1x8xf32>
    %43 = "stablehlo.concatenate"(%42, %39) <{dimension = 1 : i64}> : (tensor<?x1x8xf32>, tensor<?x4x8xf32>) -> tensor<?x5x8xf32>
    %44 = "stablehlo.multiply"(%43, %43) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %45 = "stablehlo.reduce"(%43, %12) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
      %288 = "stablehlo.add"(%arg16, %arg17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%288) : (tensor<f32>) -> ()
    }) : (tensor<?x5x8xf32>, tensor<f32>) -> tensor<?x5xf32>
    %46 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %47 = "stablehlo.concatenate"(%46, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %48 = "stablehlo.dynamic_broadcast_in_dim"(%11, %47) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>
    %49 = "stablehlo.divide"(%45, %48) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %50 = "stablehlo.reduce"(%44, %12) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %287 = "stablehlo.add"(%arg14, %arg15) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%287) : (tensor<f32>) -> ()
    }) : (tensor<?x5x8xf32>, tensor<f32>) -> tensor<?x5xf32>
    %51 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %52 = "stablehlo.concatenate"(%51, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %53 = "stablehlo.dynamic_broadcast_in_dim"(%11, %52) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>
    %54 = "stablehlo.divide"(%50, %53) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %55 = "stablehlo.multiply"(%49, %49) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %56 = "stablehlo.subtract"(%54, %55) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %57 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %58 = "stablehlo.concatenate"(%57, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %59 = "stablehlo.dynamic_broadcast_in_dim"(%12, %58) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>
    %60 = "stablehlo.maximum"(%59, %56) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %61 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %62 = "stablehlo.concatenate"(%61, %10, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %63 = "stablehlo.dynamic_broadcast_in_dim"(%49, %62) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x5xf32>, tensor<3xi32>) -> tensor<?x5x1xf32>
    %64 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %65 = "stablehlo.concatenate"(%64, %10, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %66 = "stablehlo.dynamic_broadcast_in_dim"(%60, %65) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x5xf32>, tensor<3xi32>) -> tensor<?x5x1xf32>
    %67 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %68 = "stablehlo.concatenate"(%67, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %69 = "stablehlo.dynamic_broadcast_in_dim"(%63, %68) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x5x1xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %70 = "stablehlo.subtract"(%43, %69) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %71 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %72 = "stablehlo.concatenate"(%71, %10, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %73 = "stablehlo.dynamic_broadcast_in_dim"(%9, %72) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x5x1xf32>
    %74 = "stablehlo.add"(%66, %73) : (tensor<?x5x1xf32>, tensor<?x5x1xf32>) -> tensor<?x5x1xf32>
    %75 = "stablehlo.rsqrt"(%74) : (tensor<?x5x1xf32>) -> tensor<?x5x1xf32>
    %76 = "stablehlo.reshape"(%20) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %77 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %78 = "stablehlo.concatenate"(%77, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %79 = "stablehlo.dynamic_broadcast_in_dim"(%75, %78) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x5x1xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %80 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %81 = "stablehlo.concatenate"(%80, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %82 = "stablehlo.dynamic_broadcast_in_dim"(%76, %81) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %83 = "stablehlo.multiply"(%79, %82) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %84 = "stablehlo.multiply"(%70, %83) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %85 = "stablehlo.reshape"(%18) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %86 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %87 = "stablehlo.concatenate"(%86, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %88 = "stablehlo.dynamic_broadcast_in_dim"(%85, %87) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %89 = "stablehlo.add"(%84, %88) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %90 = "stablehlo.dot_general"(%89, %21) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<?x5x8xf32>, tensor<8x2x4xf32>) -> tensor<?x5x2x4xf32>
    %91 = "stablehlo.reshape"(%22) : (tensor<2x4xf32>) -> tensor<1x1x2x4xf32>
    %92 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %93 = "stablehlo.concatenate"(%92, %10, %16, %14) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %94 = "stablehlo.dynamic_broadcast_in_dim"(%91, %93) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x2x4xf32>, tensor<4xi32>) -> tensor<?x5x2x4xf32>
    %95 = "stablehlo.add"(%90, %94) : (tensor<?x5x2x4xf32>, tensor<?x5x2x4xf32>) -> tensor<?x5x2x4xf32>
    %96 = "stablehlo.dot_general"(%89, %23) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<?x5x8xf32>, tensor<8x2x4xf32>) -> tensor<?x5x2x4xf32>
    %97 = "stablehlo.reshape"(%22) : (tensor<2x4xf32>) -> tensor<1x1x2x4xf32>
    %98 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %99 = "stablehlo.concatenate"(%98, %10, %16, %14) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %100 = "stablehlo.dynamic_broadcast_in_dim"(%97, %99) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x2x4xf32>, tensor<4xi32>) -> tensor<?x5x2x4xf32>
    %101 = "stablehlo.add"(%96, %100) : (tensor<?x5x2x4xf32>, tensor<?x5x2x4xf32>) -> tensor<?x5x2x4xf32>
    %102 = "stablehlo.dot_general"(%89, %24) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<?x5x8xf32>, tensor<8x2x4xf32>) -> tensor<?x5x2x4xf32>
    %103 = "stablehlo.reshape"(%22) : (tensor<2x4xf32>) -> tensor<1x1x2x4xf32>
    %104 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %105 = "stablehlo.concatenate"(%104, %10, %16, %14) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %106 = "stablehlo.dynamic_broadcast_in_dim"(%103, %105) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x2x4xf32>, tensor<4xi32>) -> tensor<?x5x2x4xf32>
    %107 = "stablehlo.add"(%102, %106) : (tensor<?x5x2x4xf32>, tensor<?x5x2x4xf32>) -> tensor<?x5x2x4xf32>
    %108 = "stablehlo.sqrt"(%8) : (tensor<f32>) -> tensor<f32>
    %109 = "stablehlo.convert"(%108) : (tensor<f32>) -> tensor<f32>
    %110 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %111 = "stablehlo.concatenate"(%110, %10, %16, %14) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %112 = "stablehlo.dynamic_broadcast_in_dim"(%109, %111) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<4xi32>) -> tensor<?x5x2x4xf32>
    %113 = "stablehlo.divide"(%95, %112) : (tensor<?x5x2x4xf32>, tensor<?x5x2x4xf32>) -> tensor<?x5x2x4xf32>
    %114 = "stablehlo.dot_general"(%113, %101) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>}> : (tensor<?x5x2x4xf32>, tensor<?x5x2x4xf32>) -> tensor<?x2x5x5xf32>
    %115 = "stablehlo.reduce"(%114, %7) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %286 = "stablehlo.maximum"(%arg12, %arg13) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%286) : (tensor<f32>) -> ()
    }) : (tensor<?x2x5x5xf32>, tensor<f32>) -> tensor<?x2x5xf32>
    %116 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %117 = "stablehlo.concatenate"(%116, %16, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %118 = "stablehlo.dynamic_broadcast_in_dim"(%7, %117) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x2x5xf32>
    %119 = "stablehlo.maximum"(%118, %115) : (tensor<?x2x5xf32>, tensor<?x2x5xf32>) -> tensor<?x2x5xf32>
    %120 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %121 = "stablehlo.concatenate"(%120, %16, %10, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %122 = "stablehlo.dynamic_broadcast_in_dim"(%119, %121) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x2x5xf32>, tensor<4xi32>) -> tensor<?x2x5x1xf32>
    %123 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %124 = "stablehlo.concatenate"(%123, %16, %10, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %125 = "stablehlo.dynamic_broadcast_in_dim"(%122, %124) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<?x2x5x1xf32>, tensor<4xi32>) -> tensor<?x2x5x5xf32>
    %126 = "stablehlo.subtract"(%114, %125) : (tensor<?x2x5x5xf32>, tensor<?x2x5x5xf32>) -> tensor<?x2x5x5xf32>
    %127 = "stablehlo.exponential"(%126) : (tensor<?x2x5x5xf32>) -> tensor<?x2x5x5xf32>
    %128 = "stablehlo.reduce"(%127, %12) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %285 = "stablehlo.add"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%285) : (tensor<f32>) -> ()
    }) : (tensor<?x2x5x5xf32>, tensor<f32>) -> tensor<?x2x5xf32>
    %129 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %130 = "stablehlo.concatenate"(%129, %16, %10, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %131 = "stablehlo.dynamic_broadcast_in_dim"(%128, %130) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x2x5xf32>, tensor<4xi32>) -> tensor<?x2x5x1xf32>
    %132 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %133 = "stablehlo.concatenate"(%132, %16, %10, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %134 = "stablehlo.dynamic_broadcast_in_dim"(%131, %133) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<?x2x5x1xf32>, tensor<4xi32>) -> tensor<?x2x5x5xf32>
    %135 = "stablehlo.divide"(%127, %134) : (tensor<?x2x5x5xf32>, tensor<?x2x5x5xf32>) -> tensor<?x2x5x5xf32>
    %136 = "stablehlo.dot_general"(%107, %135) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [3]>}> : (tensor<?x5x2x4xf32>, tensor<?x2x5x5xf32>) -> tensor<?x2x4x5xf32>
    %137 = "stablehlo.transpose"(%136) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<?x2x4x5xf32>) -> tensor<?x5x2x4xf32>
    %138 = "stablehlo.dot_general"(%137, %25) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [0, 1]>}> : (tensor<?x5x2x4xf32>, tensor<2x4x8xf32>) -> tensor<?x5x8xf32>
    %139 = "stablehlo.reshape"(%18) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %140 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %141 = "stablehlo.concatenate"(%140, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %142 = "stablehlo.dynamic_broadcast_in_dim"(%139, %141) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %143 = "stablehlo.add"(%138, %142) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %144 = "stablehlo.add"(%43, %143) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %145 = "stablehlo.multiply"(%144, %144) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %146 = "stablehlo.reduce"(%144, %12) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %284 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%284) : (tensor<f32>) -> ()
    }) : (tensor<?x5x8xf32>, tensor<f32>) -> tensor<?x5xf32>
    %147 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %148 = "stablehlo.concatenate"(%147, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %149 = "stablehlo.dynamic_broadcast_in_dim"(%11, %148) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>
    %150 = "stablehlo.divide"(%146, %149) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %151 = "stablehlo.reduce"(%145, %12) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %283 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%283) : (tensor<f32>) -> ()
    }) : (tensor<?x5x8xf32>, tensor<f32>) -> tensor<?x5xf32>
    %152 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %153 = "stablehlo.concatenate"(%152, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %154 = "stablehlo.dynamic_broadcast_in_dim"(%11, %153) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>
    %155 = "stablehlo.divide"(%151, %154) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %156 = "stablehlo.multiply"(%150, %150) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %157 = "stablehlo.subtract"(%155, %156) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %158 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %159 = "stablehlo.concatenate"(%158, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %160 = "stablehlo.dynamic_broadcast_in_dim"(%12, %159) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>
    %161 = "stablehlo.maximum"(%160, %157) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %162 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %163 = "stablehlo.concatenate"(%162, %10, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %164 = "stablehlo.dynamic_broadcast_in_dim"(%150, %163) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x5xf32>, tensor<3xi32>) -> tensor<?x5x1xf32>
    %165 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %166 = "stablehlo.concatenate"(%165, %10, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %167 = "stablehlo.dynamic_broadcast_in_dim"(%161, %166) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x5xf32>, tensor<3xi32>) -> tensor<?x5x1xf32>
    %168 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %169 = "stablehlo.concatenate"(%168, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %170 = "stablehlo.dynamic_broadcast_in_dim"(%164, %169) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x5x1xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %171 = "stablehlo.subtract"(%144, %170) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %172 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %173 = "stablehlo.concatenate"(%172, %10, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %174 = "stablehlo.dynamic_broadcast_in_dim"(%9, %173) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x5x1xf32>
    %175 = "stablehlo.add"(%167, %174) : (tensor<?x5x1xf32>, tensor<?x5x1xf32>) -> tensor<?x5x1xf32>
    %176 = "stablehlo.rsqrt"(%175) : (tensor<?x5x1xf32>) -> tensor<?x5x1xf32>
    %177 = "stablehlo.reshape"(%20) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %178 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %179 = "stablehlo.concatenate"(%178, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %180 = "stablehlo.dynamic_broadcast_in_dim"(%176, %179) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x5x1xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %181 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %182 = "stablehlo.concatenate"(%181, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %183 = "stablehlo.dynamic_broadcast_in_dim"(%177, %182) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %184 = "stablehlo.multiply"(%180, %183) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %185 = "stablehlo.multiply"(%171, %184) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %186 = "stablehlo.reshape"(%18) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %187 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %188 = "stablehlo.concatenate"(%187, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %189 = "stablehlo.dynamic_broadcast_in_dim"(%186, %188) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %190 = "stablehlo.add"(%185, %189) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %191 = "stablehlo.dot_general"(%190, %26) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<?x5x8xf32>, tensor<8x16xf32>) -> tensor<?x5x16xf32>
    %192 = "stablehlo.reshape"(%27) : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %193 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %194 = "stablehlo.concatenate"(%193, %10, %6) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %195 = "stablehlo.dynamic_broadcast_in_dim"(%192, %194) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x16xf32>, tensor<3xi32>) -> tensor<?x5x16xf32>
    %196 = "stablehlo.add"(%191, %195) : (tensor<?x5x16xf32>, tensor<?x5x16xf32>) -> tensor<?x5x16xf32>
    %197 = "stablehlo.multiply"(%196, %196) : (tensor<?x5x16xf32>, tensor<?x5x16xf32>) -> tensor<?x5x16xf32>
    %198 = "stablehlo.multiply"(%197, %196) : (tensor<?x5x16xf32>, tensor<?x5x16xf32>) -> tensor<?x5x16xf32>
    %199 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %200 = "stablehlo.concatenate"(%199, %10, %6) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %201 = "stablehlo.dynamic_broadcast_in_dim"(%5, %200) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x5x16xf32>
    %202 = "stablehlo.multiply"(%201, %198) : (tensor<?x5x16xf32>, tensor<?x5x16xf32>) -> tensor<?x5x16xf32>
    %203 = "stablehlo.add"(%196, %202) : (tensor<?x5x16xf32>, tensor<?x5x16xf32>) -> tensor<?x5x16xf32>
    %204 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %205 = "stablehlo.concatenate"(%204, %10, %6) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %206 = "stablehlo.dynamic_broadcast_in_dim"(%4, %205) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x5x16xf32>
    %207 = "stablehlo.multiply"(%206, %203) : (tensor<?x5x16xf32>, tensor<?x5x16xf32>) -> tensor<?x5x16xf32>
    %208 = "stablehlo.tanh"(%207) : (tensor<?x5x16xf32>) -> tensor<?x5x16xf32>
    %209 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %210 = "stablehlo.concatenate"(%209, %10, %6) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %211 = "stablehlo.dynamic_broadcast_in_dim"(%3, %210) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x5x16xf32>
    %212 = "stablehlo.add"(%211, %208) : (tensor<?x5x16xf32>, tensor<?x5x16xf32>) -> tensor<?x5x16xf32>
    %213 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %214 = "stablehlo.concatenate"(%213, %10, %6) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %215 = "stablehlo.dynamic_broadcast_in_dim"(%2, %214) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x5x16xf32>
    %216 = "stablehlo.multiply"(%215, %212) : (tensor<?x5x16xf32>, tensor<?x5x16xf32>) -> tensor<?x5x16xf32>
    %217 = "stablehlo.multiply"(%196, %216) : (tensor<?x5x16xf32>, tensor<?x5x16xf32>) -> tensor<?x5x16xf32>
    %218 = "stablehlo.dot_general"(%217, %28) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<?x5x16xf32>, tensor<16x8xf32>) -> tensor<?x5x8xf32>
    %219 = "stablehlo.reshape"(%18) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %220 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %221 = "stablehlo.concatenate"(%220, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %222 = "stablehlo.dynamic_broadcast_in_dim"(%219, %221) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %223 = "stablehlo.add"(%218, %222) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %224 = "stablehlo.add"(%144, %223) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %225 = "stablehlo.multiply"(%224, %224) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %226 = "stablehlo.reduce"(%224, %12) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %282 = "stablehlo.add"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%282) : (tensor<f32>) -> ()
    }) : (tensor<?x5x8xf32>, tensor<f32>) -> tensor<?x5xf32>
    %227 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %228 = "stablehlo.concatenate"(%227, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %229 = "stablehlo.dynamic_broadcast_in_dim"(%11, %228) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>
    %230 = "stablehlo.divide"(%226, %229) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %231 = "stablehlo.reduce"(%225, %12) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %281 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%281) : (tensor<f32>) -> ()
    }) : (tensor<?x5x8xf32>, tensor<f32>) -> tensor<?x5xf32>
    %232 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %233 = "stablehlo.concatenate"(%232, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %234 = "stablehlo.dynamic_broadcast_in_dim"(%11, %233) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>
    %235 = "stablehlo.divide"(%231, %234) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %236 = "stablehlo.multiply"(%230, %230) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %237 = "stablehlo.subtract"(%235, %236) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %238 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %239 = "stablehlo.concatenate"(%238, %10) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %240 = "stablehlo.dynamic_broadcast_in_dim"(%12, %239) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>
    %241 = "stablehlo.maximum"(%240, %237) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %242 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %243 = "stablehlo.concatenate"(%242, %10, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %244 = "stablehlo.dynamic_broadcast_in_dim"(%230, %243) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x5xf32>, tensor<3xi32>) -> tensor<?x5x1xf32>
    %245 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %246 = "stablehlo.concatenate"(%245, %10, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %247 = "stablehlo.dynamic_broadcast_in_dim"(%241, %246) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x5xf32>, tensor<3xi32>) -> tensor<?x5x1xf32>
    %248 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %249 = "stablehlo.concatenate"(%248, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %250 = "stablehlo.dynamic_broadcast_in_dim"(%244, %249) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x5x1xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %251 = "stablehlo.subtract"(%224, %250) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %252 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %253 = "stablehlo.concatenate"(%252, %10, %13) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %254 = "stablehlo.dynamic_broadcast_in_dim"(%9, %253) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x5x1xf32>
    %255 = "stablehlo.add"(%247, %254) : (tensor<?x5x1xf32>, tensor<?x5x1xf32>) -> tensor<?x5x1xf32>
    %256 = "stablehlo.rsqrt"(%255) : (tensor<?x5x1xf32>) -> tensor<?x5x1xf32>
    %257 = "stablehlo.reshape"(%20) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %258 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %259 = "stablehlo.concatenate"(%258, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %260 = "stablehlo.dynamic_broadcast_in_dim"(%256, %259) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x5x1xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %261 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %262 = "stablehlo.concatenate"(%261, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %263 = "stablehlo.dynamic_broadcast_in_dim"(%257, %262) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %264 = "stablehlo.multiply"(%260, %263) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %265 = "stablehlo.multiply"(%251, %264) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %266 = "stablehlo.reshape"(%18) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %267 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %268 = "stablehlo.concatenate"(%267, %10, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %269 = "stablehlo.dynamic_broadcast_in_dim"(%266, %268) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x5x8xf32>
    %270 = "stablehlo.add"(%265, %269) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
    %271 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %272 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %273 = "stablehlo.concatenate"(%272, %13, %15) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %274 = "stablehlo.dynamic_gather"(%270, %271, %273) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = true}> : (tensor<?x5x8xf32>, tensor<1xi32>, tensor<3xi32>) -> tensor<?x8xf32>
    %275 = "stablehlo.dot_general"(%274, %29) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<?x8xf32>, tensor<8x3xf32>) -> tensor<?x3xf32>
    %276 = "stablehlo.reshape"(%30) : (tensor<3xf32>) -> tensor<1x3xf32>
    %277 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %278 = "stablehlo.concatenate"(%277, %0) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %279 = "stablehlo.dynamic_broadcast_in_dim"(%276, %278) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
    %280 = "stablehlo.add"(%275, %279) : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    "func.return"(%280) : (tensor<?x3xf32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
