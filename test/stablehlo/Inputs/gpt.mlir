"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{function_type = (tensor<?x?xi32>) -> tensor<?x?x20xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg46: tensor<?x?xi32>):
    %475 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %476 = "stablehlo.get_dimension_size"(%arg46) <{dimension = 0 : i64}> : (tensor<?x?xi32>) -> tensor<i32>
    %477 = "stablehlo.get_dimension_size"(%arg46) <{dimension = 1 : i64}> : (tensor<?x?xi32>) -> tensor<i32>
    %478 = "stablehlo.compare"(%476, %475) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.custom_call"(%478, %476) <{api_version = 2 : i32, call_target_name = "shape_assertion", has_side_effect = true}> {error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'. Using the following polymorphic shapes specifications: args[0].shape = (b, s). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details."} : (tensor<i1>, tensor<i32>) -> ()
    %479 = "stablehlo.compare"(%477, %475) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.custom_call"(%479, %476, %477) <{api_version = 2 : i32, call_target_name = "shape_assertion", has_side_effect = true}> {error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 's'. Using the following polymorphic shapes specifications: args[0].shape = (b, s). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0].shape[0] (= {0}), 's' = {1} from specification 's' for dimension args[0].shape[1] (= {1}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details."} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
    %480 = "func.call"(%476, %477, %arg46) <{callee = @_wrapped_jax_export_main}> : (tensor<i32>, tensor<i32>, tensor<?x?xi32>) -> tensor<?x?x20xf32>
    "func.return"(%480) : (tensor<?x?x20xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {jax.global_constant = "s"}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<?x?xi32>) -> tensor<?x?x20xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "_wrapped_jax_export_main", sym_visibility = "private"}> ({
  ^bb0(%arg27: tensor<i32>, %arg28: tensor<i32>, %arg29: tensor<?x?xi32>):
    %105 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %106 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %107 = "stablehlo.constant"() <{value = dense<0.797884583> : tensor<f32>}> : () -> tensor<f32>
    %108 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<f32>}> : () -> tensor<f32>
    %109 = "stablehlo.constant"() <{value = dense<16> : tensor<1xi32>}> : () -> tensor<1xi32>
    %110 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %111 = "stablehlo.constant"() <{value = dense<-3.40282347E+38> : tensor<f32>}> : () -> tensor<f32>
    %112 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %113 = "stablehlo.constant"() <{value = dense<4> : tensor<1xi32>}> : () -> tensor<1xi32>
    %114 = "stablehlo.constant"() <{value = dense<2> : tensor<1xi32>}> : () -> tensor<1xi32>
    %115 = "stablehlo.constant"() <{value = dense<9.99999997E-7> : tensor<f32>}> : () -> tensor<f32>
    %116 = "stablehlo.constant"() <{value = dense<8.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %117 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %118 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %119 = "stablehlo.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %120 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %121 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %122 = "stablehlo.constant"() <{value = dense<"0xF101C43C3FBDD13D25ABC0BD296DF63E8DE4F8BEFE61EEBEB0134D3D9B95803EDAEFC8BBF7ED76BEA2C05FBE4D61E43D16C2803E3A769E3E57CC14BD5C67E3BDBBE0D9BE2F535CBE44CD76BF83EEF5BD94D168BE244613BD7A1DAEBE53E4E33D43D965BE3ADD513EA343C2BE409A403F684D84BE51A02EBF0DD3943E5F697E3EE3B7143F56988FBE69C4F2BD9B07EBBCE45ACC3D6045AC3B814755BFE817E83E50629BBEB4707D3E89E2373DEBE9C03E3439B03E2391C33C8A7D09BE9E07DB3E94279A3E521C0B3FCCC196BE87DC0D3EA29BD8BC6458393E1D2AB2BD22609D3DF76382BE12D32DBE58DA95BE0540383E0C07C5BECD61E3BEBC0904BC9FC1CF3E2341A83D6D73043D6E2C423FBCB2073FB79801BE68A9AE3E914D0B3EB28CBF3EC019303E58F559BED337D23DD9A1FD3E0C9ACF3E478DDE3E308840BED07387BE77FCB73D0CE5363C5D5E563F1D16F6BD72084A3F11890F3FC92FF9BD63DD273EDF0F07BEAE93803E0236933EBAF9D0BE9148573ECF8F55BE76E7013E6965123F03C7D0BE07B27E3E1E5F7C3E9399B8BEBB4093BE61B1753E09F33EBE7A1E2F3E8A36433EC756D1BE758AA63E36EFB83E17CB223E4DDC55BFE8C2E0BEC9F778BE6DEFC6BD9F89DFBD6584503ECCF69F3E0EEFAABDAF7B293FFBAA08BEC709A83E93B8003F622E11BB3DD9253FDB098ABE1A343EBD8CBDB73EBEB4043E50B31F3FE1812EBD3900BC3DC9F5C93EABCC9B3E15242ABF825FC2BEEBFC4A3EA8DF3B3CF1B300BF27BA853EE15499BE6791B53EECA0583FA448053C458464BEE3E9D03C756DB53D6B630CBE383747BDE3F6313E1B2605BE80A6543E056769BE0322EF3E1743F2BEA5DF18BD3511F73EAC6885BDF8DDA9BE67ABDFBE54B8163DEBB149BC"> : tensor<20x8xf32>}> : () -> tensor<20x8xf32>
    %123 = "stablehlo.constant"() <{value = dense<"0x5F7124BE85D7CEBEF5AD19BF2F300DBFC2CFA1BE2105123C2F0FC4BE98A9473E87CC7CBFCEFB69BE606CF5BDE2E89BBE82F84A3F25A82FBDF4C0D13E32007A3EB43465BEA67C2D3E72ACC73E64B5ABBD18C5A43E996E3B3DF09984BEA459A5BE95A722BFE809873E08BBE73EB8B003BE930E6ABED798833ED049EFBE89FE123E70462DBECAAE67BE0E132F3E33990B3F22C8883E601C833EE0A78ABD53CE733EF97513BF0A5759BE4BCB163E460032BE4D0A8F3D435DDD3ED25415BED73C053F0318C23EBB3E7E3E36B8DCBE51776B3D169420BFF3BED5BE527678BE4DCC3FBFFBB6BABE346CC2BE294E1CBF45B41CBE835874BDAA35923EA1A8ACBD2B840BBFA2DF573DA88088BEF71D5E3E6E2FACBD7913E53E35C5BF3E2882303F67F0183C43A095BE76BF213E7555123D4B96B7BEB0CC54BB4BD340BEC4136DBE6E5D463E745E35BF1FB794BE6ED9363DAE5D723FAA63993E3BADE2BD16148BBDD77987BEFE77F2BE00944CBE437EB7BE4ACED23D867920BDC7819B3E80DB843E4BB3DA3E1D23FD3E3E0747BD9BED523D09A414BED329173E33271ABEADFCB7BEA53DC5BD44683C3EE2A84F3F5CE0A0BC5FFE67BED596FB3D0D235B3E7CE0D03EC48A67BF519753BEF1BD21BFA209DB3CA8628DBE08A8DF3E03C377BDB74B1EBDF013483EEBA986BED87F77BE01045EBE67768DBDA72303BD077627BF7FA9BEBE62C3943E0E04493EA2C8343DA096393FA3A57EBE96E513BFF551993EE5B2873EFCA27DBCC27CECBD560FA2BED3E406BE00BDDBBE53E564BDE3D82DBEA88755BC81D510BD9602BD3EC8BFF4BE4E64283FF20BE43E6A750DBF199396BE364EDF3E63E7283E9ADA0CBD16B5BA3E0DC4B53F538FA73D3B5CC1BE834409BE3A05CA3E7D11EE3EF70056BE7F57923E19E436BE3050593E5009A3BE96664EBDACA5EC3E243417BF826D323F0815B9BD11E4FBBB5EAF723EB2163C3FF625733EB18AD73E8B8EA3BE66A5CFBE32F1213ED651CDBE3EB4D53D1DC2F3BD7EB919BF0A5F353FB7CC87BEADA9EABD198297BE84E5EBBDFF228C3CE35B6A3EDE6F603D8F0EE2BE0A4A783A9D0F75BEEF5E123F484FA6BD25DA673EF23D68BE603E8D3DD056C2BCCB0E883E1CCA12BEDD5FADBC7B0D753DE827F2BE8B11F1BD8A7D093FBD31AC3D74467BBC2442993E7684E0BDF6DFE2BD83FA6B3C4FDF3BBF27678C3E89F2B2BE068F723FCC3D41BE1FBF17BFA82EC83EC577E5BEA80FDB3E798CD4BD2031EBBD227A92BE791B14BF8244B63EC87F473E919107BED50D29BFF74AE03E48A918BD43E7B7BE7E05B0BDA65F4EBEB7A0E43C468E253E54082D3C421EBFBDA26D3FBC61A1243F393190BED8778B3E23DD9D3DC27963BC8CCD133F9F5C09BEBD36AB3EE8C65E3EB0ECD93E1E923C3FB6A228BE7326153F83F13CBEDE6EA0BE3B37363F7D5D68BE"> : tensor<32x8xf32>}> : () -> tensor<32x8xf32>
    %124 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<8xf32>}> : () -> tensor<8xf32>
    %125 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<8xf32>}> : () -> tensor<8xf32>
    %126 = "stablehlo.constant"() <{value = dense<[[[-0.458341092, 0.543485403, 0.214554712, -0.248770401], [-0.654802561, -0.0808785185, -0.46166116, 0.170122683]], [[0.208766803, 0.211527631, 0.00869743247, 0.00704367412], [0.389625937, 0.0603427924, -0.312818527, -0.793926179]], [[-0.322616279, 0.464950085, 0.297775745, -0.0316541791], [0.244220793, 0.174823523, -0.315654218, 0.0657081529]], [[-0.354976743, 0.136248678, 0.284460127, -0.450479865], [-0.0712510794, -0.432896227, -0.225684404, -0.141842544]], [[-0.572817624, 0.412679464, -0.010238152, -0.197985411], [0.167024985, -0.191405967, 0.486793458, 0.592667341]], [[0.761051297, -0.401738912, -0.0352222808, -0.0349071957], [-0.00266664033, -0.113546163, -0.781972408, -0.155572236]], [[-0.34604767, 0.13093394, -0.304591596, 0.104692258], [0.526685596, -0.0703774914, 0.0990875288, -0.461584687]], [[-0.764695167, -0.0193809476, -0.36872533, -0.181109458], [-0.496679097, 0.136405438, 0.218693063, 0.0430856906]]]> : tensor<8x2x4xf32>}> : () -> tensor<8x2x4xf32>
    %127 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<2x4xf32>}> : () -> tensor<2x4xf32>
    %128 = "stablehlo.constant"() <{value = dense<[[[-0.221522823, 0.527813554, -0.00869433581, 0.348867893], [-0.134371698, 0.328408837, 0.139200896, 0.401982546]], [[0.189770266, 0.252075762, -0.162493482, -0.521931946], [0.149687931, 2.950530e-01, -0.370786667, -0.421849102]], [[-0.00540333474, -0.245587334, 0.553776205, -0.181552023], [0.0415279642, 0.265713155, -0.268394411, 0.0590954684]], [[0.358165383, -5.371370e-01, 0.0353067443, 0.524735689], [-0.552494049, 0.361033678, -0.0462201871, -0.71936959]], [[-0.303034246, 0.0436390564, -0.11631833, -0.0702425763], [-0.285600662, 0.17782183, -0.258563131, -0.457805187]], [[-0.161982089, -0.634346425, -0.116673052, 0.051124189], [0.242342874, -0.260826468, -0.162982523, 0.484079599]], [[-0.197054729, -0.313988298, 0.0505633801, -0.110667206], [-0.138231903, -6.945570e-01, 3.884550e-01, 0.250628114]], [[-0.0130184032, 0.594759583, 0.34066245, 0.320213526], [-0.232459262, 0.164528906, -0.0156968255, 0.167459384]]]> : tensor<8x2x4xf32>}> : () -> tensor<8x2x4xf32>
    %129 = "stablehlo.constant"() <{value = dense<[[[-0.614777624, -0.0499655828, 0.520608187, -0.307001054], [-0.082933113, -0.313406289, -0.328942716, 0.0486968644]], [[0.0659384429, 0.283723146, -0.166260809, 0.731962382], [-0.0356322117, 0.0468595624, 0.586654603, 0.19137156]], [[-0.164848849, -0.24464865, -0.0487440974, -0.332535446], [-0.412882686, 0.541682601, -0.579261959, 0.0303393751]], [[0.498517394, 0.519177437, -0.352226883, -0.0330186673], [-0.558997691, -0.131862342, -0.146807477, 0.584449947]], [[-0.542916059, -0.0415246263, 0.704117775, -0.277729422], [-0.208714977, 0.0729394928, 0.398415238, -0.399605304]], [[0.205056712, 0.183711305, 5.729810e-01, -0.0616019443], [0.152073428, -0.745238959, -6.783210e-01, 8.630450e-02]], [[0.133234635, 0.154366627, 0.00932374876, -0.397687435], [0.0409103744, 0.0290409848, 0.250002384, -0.54002744]], [[-0.0923474952, -0.177652061, 0.313815206, 0.231373727], [0.670502841, -0.713669062, 0.189006552, -0.250879765]]]> : tensor<8x2x4xf32>}> : () -> tensor<8x2x4xf32>
    %130 = "stablehlo.constant"() <{value = dense<[[[0.19649905, 0.0182525814, 0.0593942367, -0.109435372, 0.167533904, -0.0803954377, -0.150797054, -0.606693446], [0.144751593, -0.560537875, 0.396585047, -0.316700488, -0.749889612, 7.58223643E-4, -0.0823069289, -0.679208338], [0.0726594478, -0.15097405, 0.42905435, -0.420121372, 4.297330e-03, 0.05823192, -0.611192942, 0.0376472101], [-0.327598184, -0.670693278, 0.0324245878, -0.322662354, 0.31923005, -0.645478904, -0.204635724, 0.204739228]], [[-0.125052392, -0.310236096, 0.546324909, -0.361840934, -0.181891933, 0.182837322, 0.29172051, -0.145261765], [-0.0770461261, 0.0755982697, 2.858780e-01, -0.568434179, -0.79242599, 0.511428893, 0.31447506, 0.100645959], [-0.029139949, 0.304475814, 0.25581935, -0.574533522, 0.463140517, -0.451289386, 0.285334259, 0.450117379], [6.091780e-02, 0.217785865, 0.222659856, 0.539435387, 0.328631252, -0.427261889, 0.146952093, -0.353285879]]]> : tensor<2x4x8xf32>}> : () -> tensor<2x4x8xf32>
    %131 = "stablehlo.constant"() <{value = dense<"0x3A39A63E197F293F99AB833E8736AA3E37DED33D62AB81BD698243BF24943BBFBFEE92BD06CC9CBD7857E43EEEB494BE8812E53E0E7EAEBEDF3849BF5A09303EDEF32FBFBD68C6BD8B15FD3D32CB453E34CEEB3E56C61A3F9ABA8CBD61131D3F497AE0BDD739A9BE85F68E3E5FF008BF59A3283E3B90DEBE56F29DBD6DE3B13EC8A459BEE21B203E69FF4ABDC6F392BE6F9157BDB2DA0EBF68187A3EF1BA613E45EB15BFE264DD3D9831BFBCA367873DC14D88BE75E60E3DA5ECF13BF71AF1BB4ED811BFEB93BB3EF0C0E03E9B84D1BDFDB8E53E5DE9F63D9C60293F591BE53EA24B68BE47DD01BFF54960BE9879083F3C0B6CBE9EA5FF3EDA180E3D129541BE1F8F13BE7D60BA3EA7DD1F3E87F85FBD95D4083D2C4905BF6F5F31BEF5550D3E329B45BE136B8CBDB44C31BFAA1BF63E1BBD09BFA173E4BEA78F1BBFB973DD3E156D2FBE627AD5BE58DAD83ED47E0DBFAEA8963CB876EA3E97BE9B3E9FB3DC396CC537BF260B01BFAF8CD8BE610D21BE32E5423E8C11A1BC76BBCFBE8B2FDD3EE927B4BD9E0D903B083B36BF73E1CA3DA5ED933E38FCEEBEEFF8943E8B91D5BDE16A2EBFC887153F7DE67D3E4EAC8BBE4036D33E7C21823E5B2A503EF6ECA5BE67AACF3E0C18F9BC330F0D3F4674C6BEB015DCBDAB98A43E8B1A1FBEE9EA2A3D5DF80CBFB76F893D0DF021BF78A470BE70374F3E0F04343FCE3B78BEA4FF09B9"> : tensor<8x16xf32>}> : () -> tensor<8x16xf32>
    %132 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<16xf32>}> : () -> tensor<16xf32>
    %133 = "stablehlo.constant"() <{value = dense<"0x5A89A23EEA0C54BE9A5B8FBEF84562BE2FBCB43D23F6E1BE9803B63E23DDD83DDB350CBD3527D43D4E612ABEA58BA8BEC167C0BEF86CF1BD56371EBEABA5973EA29ADD3E8F1C193E0D33E4BE80439B3D3E366BBDC8DB9C3E3B9BCDBE22178B3EECC6DBBD37D564BEBC343BBD6042DD3D2F9A56BDD610E93D1134ADBE3A3E6B3D265D863E0908BEBE68E5C2BD427BE53EC85915BEA77B53BE5CE6203E650D6E3E9C8ADC3E669AB7BE3D5C12BE5419643EEEA49EBD23EAB0BD3466A1BE6CA505BEBD4683BECE4466BE0005893E7D9195BE8D2935BEED49E4BEDABE403EECE4A1BEED367CBE0FE4A2BE385BFBBCE750D4BDDD26C8BC7A80C73E061EB13E6B7C573E3D96B63EE4280CBF836AF93EF3FE5ABD78E7103D9C701CBDEFF5813D7C93AF3EF30461BEE657313DB2207EBDB929293D4A43083F5CB7A0BEF04542BDBFCE00BD23DE42BEDFB6893EE3CD883E69BB11BE9116F83DA6E93FBEC725883EC607F93E759AAB3E5856B33EB1767BBEB7F4BE3E191F913E69D1DC3D6859893EB96EF63B45BA9C3D3460AB3D03BD99BD59D6AF3DB045B83DDB6C5EBEE2A9CF3EC9C635BE2D50F9BE40EE25BE5035B9BEFB95C33CC56667BD18A6ACBE08A86BBE357F0B3FBD12A3BCB448F53D339B72BD99304C3E5DCF8A3D9E779ABEF82880BC37EDD53EAE79C73C328E9E3C5E73BF3DB8BD2DBE19D3503E4AAFD2BEA6128B3EEC4942BE"> : tensor<16x8xf32>}> : () -> tensor<16x8xf32>
    %134 = "stablehlo.constant"() <{value = dense<"0xD4FEFD3CF394DABC8ABD4ABE4E121B3F48114ABF39B3F0BD77D410BFAE5DC33C054973BE21D1313E644A013F649064BD310616BF0E28D23E63FA2FBB0A21883D2D11B2BE3DA5E4BE677A9FBD08A9743E274F1E3E797B083FD5ED553EFFB2DB3E966FD7BE1A8D5A3E9013F0BEE42D813EDFC1353E5A6B213E6076F63D3B32D73EE656D5BE13B1173F9F993ABE049E98BEE1A5473FFF02A2BE0BF575BE71CFBABE6427BDBEB1D73D3F78BD97BE35807B3E606386BE97284F3E69F6C9BE0F97593EB4F6063F15E2DCBCE1C63CBE06DD9CBEEB15023E677CFBBDA67CF53C1CB9DBBEB1AE933E8CD4863E21ADA83EDEB9FDBC161756B983E50CBE0BC5A8BEDF2AAABD2FF590BE9726CA3E3B8C0E3FFEB92CBF65750B3F6988C0BDB6A7923E4DB0F33E0ECF333ED9F83FBE6015AB3EC6D4CEBE77B773BEF9DC0ABF38D183BE8BF0B63E536C4EBE877DFE3E83C036BF97AFD8BE505B90BCE473BB3D043BF23C915F63BA5EB0DBBE61E5ACBE2DEE143EA1E13DBF053EEA3ED655023EA5780E3F01A2DCBEB6228CBE743A8E3E4549133F0CB0D2BE3EF732BF3A8CBABE38F8F83ED0D3E83E12A14FBDD96A873EDA96B9BCF682513E82ADC3BE3709CB3E93A069BEB10B22BEDD1714BE0C4214BFB393FFBCFCF9E8BDCB6EBFBEE11BCABEB53ED2BBA33338BF87270BBE8F44F83E68A7BD3E914BE0BD2FEBC53ED635153FACB92FBCF09D973ECFB1293E8FF8EFBDE66352BE43D61D3FAEC7F93D29863D3EA6EE44BF399AD83ED5EFE9BD8F3B5A3E122DCBBEF84D3CBFF0A293BEC362CEBD05E546BE9CD9C7BEFAB707BF8DBA9A3DE918223E34FC403F444EF9BEB968C73EF0A0A33E92A7DDBD8B3F693D8A36103EDD9186BE392474BE24B63B3F799C143FC00D90BEB62446BF"> : tensor<8x20xf32>}> : () -> tensor<8x20xf32>
    %135 = "func.call"(%arg27, %arg28, %122, %arg29) <{callee = @_take}> : (tensor<i32>, tensor<i32>, tensor<20x8xf32>, tensor<?x?xi32>) -> tensor<?x?x8xf32>
    %136 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %137 = "stablehlo.dynamic_iota"(%136) <{iota_dimension = 0 : i64}> : (tensor<1xi32>) -> tensor<?xi32>
    %138 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %139 = "stablehlo.dynamic_broadcast_in_dim"(%121, %138) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %140 = "stablehlo.multiply"(%139, %137) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %141 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %142 = "stablehlo.dynamic_broadcast_in_dim"(%120, %141) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %143 = "stablehlo.add"(%142, %140) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %144 = "func.call"(%arg27, %arg28, %123, %143) <{callee = @_take_0}> : (tensor<i32>, tensor<i32>, tensor<32x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
    %145 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %146 = "stablehlo.concatenate"(%119, %145, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %147 = "stablehlo.dynamic_broadcast_in_dim"(%144, %146) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<?x8xf32>, tensor<3xi32>) -> tensor<1x?x8xf32>
    %148 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %149 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %150 = "stablehlo.concatenate"(%148, %149, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %151 = "stablehlo.dynamic_broadcast_in_dim"(%147, %150) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x?x8xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %152 = "stablehlo.add"(%135, %151) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %153 = "stablehlo.multiply"(%152, %152) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %154 = "stablehlo.reduce"(%152, %117) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg44: tensor<f32>, %arg45: tensor<f32>):
      %474 = "stablehlo.add"(%arg44, %arg45) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%474) : (tensor<f32>) -> ()
    }) : (tensor<?x?x8xf32>, tensor<f32>) -> tensor<?x?xf32>
    %155 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %156 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %157 = "stablehlo.concatenate"(%155, %156) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %158 = "stablehlo.dynamic_broadcast_in_dim"(%116, %157) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
    %159 = "stablehlo.divide"(%154, %158) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %160 = "stablehlo.reduce"(%153, %117) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg42: tensor<f32>, %arg43: tensor<f32>):
      %473 = "stablehlo.add"(%arg42, %arg43) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%473) : (tensor<f32>) -> ()
    }) : (tensor<?x?x8xf32>, tensor<f32>) -> tensor<?x?xf32>
    %161 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %162 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %163 = "stablehlo.concatenate"(%161, %162) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %164 = "stablehlo.dynamic_broadcast_in_dim"(%116, %163) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
    %165 = "stablehlo.divide"(%160, %164) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %166 = "stablehlo.multiply"(%159, %159) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %167 = "stablehlo.subtract"(%165, %166) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %168 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %169 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %170 = "stablehlo.concatenate"(%168, %169) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %171 = "stablehlo.dynamic_broadcast_in_dim"(%117, %170) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
    %172 = "stablehlo.maximum"(%171, %167) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %173 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %174 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %175 = "stablehlo.concatenate"(%173, %174, %119) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %176 = "stablehlo.dynamic_broadcast_in_dim"(%159, %175) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x1xf32>
    %177 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %178 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %179 = "stablehlo.concatenate"(%177, %178, %119) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %180 = "stablehlo.dynamic_broadcast_in_dim"(%172, %179) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x1xf32>
    %181 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %182 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %183 = "stablehlo.concatenate"(%181, %182, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %184 = "stablehlo.dynamic_broadcast_in_dim"(%176, %183) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x?x1xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %185 = "stablehlo.subtract"(%152, %184) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %186 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %187 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %188 = "stablehlo.concatenate"(%186, %187, %119) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %189 = "stablehlo.dynamic_broadcast_in_dim"(%115, %188) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x?x1xf32>
    %190 = "stablehlo.add"(%180, %189) : (tensor<?x?x1xf32>, tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
    %191 = "stablehlo.rsqrt"(%190) : (tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
    %192 = "stablehlo.reshape"(%124) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %193 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %194 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %195 = "stablehlo.concatenate"(%193, %194, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %196 = "stablehlo.dynamic_broadcast_in_dim"(%191, %195) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x?x1xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %197 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %198 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %199 = "stablehlo.concatenate"(%197, %198, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %200 = "stablehlo.dynamic_broadcast_in_dim"(%192, %199) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %201 = "stablehlo.multiply"(%196, %200) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %202 = "stablehlo.multiply"(%185, %201) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %203 = "stablehlo.reshape"(%125) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %204 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %205 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %206 = "stablehlo.concatenate"(%204, %205, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %207 = "stablehlo.dynamic_broadcast_in_dim"(%203, %206) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %208 = "stablehlo.add"(%202, %207) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %209 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %210 = "stablehlo.dynamic_iota"(%209) <{iota_dimension = 0 : i64}> : (tensor<1xi32>) -> tensor<?xi32>
    %211 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %212 = "stablehlo.dynamic_broadcast_in_dim"(%121, %211) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %213 = "stablehlo.multiply"(%212, %210) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %214 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %215 = "stablehlo.dynamic_broadcast_in_dim"(%120, %214) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %216 = "stablehlo.add"(%215, %213) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %217 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %218 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %219 = "stablehlo.concatenate"(%217, %218) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %220 = "stablehlo.dynamic_broadcast_in_dim"(%216, %219) <{broadcast_dimensions = array<i64: 1>}> : (tensor<?xi32>, tensor<2xi32>) -> tensor<?x?xi32>
    %221 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %222 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %223 = "stablehlo.concatenate"(%221, %222, %119) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %224 = "stablehlo.dynamic_broadcast_in_dim"(%220, %223) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x?xi32>, tensor<3xi32>) -> tensor<?x?x1xi32>
    %225 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %226 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %227 = "stablehlo.concatenate"(%225, %119, %226) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %228 = "stablehlo.dynamic_broadcast_in_dim"(%220, %227) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<?x?xi32>, tensor<3xi32>) -> tensor<?x1x?xi32>
    %229 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %230 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %231 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %232 = "stablehlo.concatenate"(%229, %230, %231) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %233 = "stablehlo.dynamic_broadcast_in_dim"(%224, %232) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x?x1xi32>, tensor<3xi32>) -> tensor<?x?x?xi32>
    %234 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %235 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %236 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %237 = "stablehlo.concatenate"(%234, %235, %236) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %238 = "stablehlo.dynamic_broadcast_in_dim"(%228, %237) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x1x?xi32>, tensor<3xi32>) -> tensor<?x?x?xi32>
    %239 = "stablehlo.compare"(%233, %238) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<?x?x?xi32>, tensor<?x?x?xi32>) -> tensor<?x?x?xi1>
    %240 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %241 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %242 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %243 = "stablehlo.concatenate"(%240, %119, %241, %242) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %244 = "stablehlo.dynamic_broadcast_in_dim"(%239, %243) <{broadcast_dimensions = array<i64: 0, 2, 3>}> : (tensor<?x?x?xi1>, tensor<4xi32>) -> tensor<?x1x?x?xi1>
    %245 = "stablehlo.convert"(%244) : (tensor<?x1x?x?xi1>) -> tensor<?x1x?x?xf32>
    %246 = "stablehlo.dot_general"(%208, %126) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<?x?x8xf32>, tensor<8x2x4xf32>) -> tensor<?x?x2x4xf32>
    %247 = "stablehlo.reshape"(%127) : (tensor<2x4xf32>) -> tensor<1x1x2x4xf32>
    %248 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %249 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %250 = "stablehlo.concatenate"(%248, %249, %114, %113) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %251 = "stablehlo.dynamic_broadcast_in_dim"(%247, %250) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x2x4xf32>, tensor<4xi32>) -> tensor<?x?x2x4xf32>
    %252 = "stablehlo.add"(%246, %251) : (tensor<?x?x2x4xf32>, tensor<?x?x2x4xf32>) -> tensor<?x?x2x4xf32>
    %253 = "stablehlo.dot_general"(%208, %128) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<?x?x8xf32>, tensor<8x2x4xf32>) -> tensor<?x?x2x4xf32>
    %254 = "stablehlo.reshape"(%127) : (tensor<2x4xf32>) -> tensor<1x1x2x4xf32>
    %255 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %256 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %257 = "stablehlo.concatenate"(%255, %256, %114, %113) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %258 = "stablehlo.dynamic_broadcast_in_dim"(%254, %257) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x2x4xf32>, tensor<4xi32>) -> tensor<?x?x2x4xf32>
    %259 = "stablehlo.add"(%253, %258) : (tensor<?x?x2x4xf32>, tensor<?x?x2x4xf32>) -> tensor<?x?x2x4xf32>
    %260 = "stablehlo.dot_general"(%208, %129) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<?x?x8xf32>, tensor<8x2x4xf32>) -> tensor<?x?x2x4xf32>
    %261 = "stablehlo.reshape"(%127) : (tensor<2x4xf32>) -> tensor<1x1x2x4xf32>
    %262 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %263 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %264 = "stablehlo.concatenate"(%262, %263, %114, %113) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %265 = "stablehlo.dynamic_broadcast_in_dim"(%261, %264) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x2x4xf32>, tensor<4xi32>) -> tensor<?x?x2x4xf32>
    %266 = "stablehlo.add"(%260, %265) : (tensor<?x?x2x4xf32>, tensor<?x?x2x4xf32>) -> tensor<?x?x2x4xf32>
    %267 = "stablehlo.sqrt"(%112) : (tensor<f32>) -> tensor<f32>
    %268 = "stablehlo.convert"(%267) : (tensor<f32>) -> tensor<f32>
    %269 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %270 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %271 = "stablehlo.concatenate"(%269, %270, %114, %113) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %272 = "stablehlo.dynamic_broadcast_in_dim"(%268, %271) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<4xi32>) -> tensor<?x?x2x4xf32>
    %273 = "stablehlo.divide"(%252, %272) : (tensor<?x?x2x4xf32>, tensor<?x?x2x4xf32>) -> tensor<?x?x2x4xf32>
    %274 = "stablehlo.dot_general"(%273, %259) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>}> : (tensor<?x?x2x4xf32>, tensor<?x?x2x4xf32>) -> tensor<?x2x?x?xf32>
    %275 = "func.call"(%arg27, %arg28, %245, %274, %111) <{callee = @_where_2}> : (tensor<i32>, tensor<i32>, tensor<?x1x?x?xf32>, tensor<?x2x?x?xf32>, tensor<f32>) -> tensor<?x2x?x?xf32>
    %276 = "stablehlo.reduce"(%275, %110) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg40: tensor<f32>, %arg41: tensor<f32>):
      %472 = "stablehlo.maximum"(%arg40, %arg41) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%472) : (tensor<f32>) -> ()
    }) : (tensor<?x2x?x?xf32>, tensor<f32>) -> tensor<?x2x?xf32>
    %277 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %278 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %279 = "stablehlo.concatenate"(%277, %114, %278) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %280 = "stablehlo.dynamic_broadcast_in_dim"(%110, %279) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x2x?xf32>
    %281 = "stablehlo.maximum"(%280, %276) : (tensor<?x2x?xf32>, tensor<?x2x?xf32>) -> tensor<?x2x?xf32>
    %282 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %283 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %284 = "stablehlo.concatenate"(%282, %114, %283, %119) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %285 = "stablehlo.dynamic_broadcast_in_dim"(%281, %284) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x2x?xf32>, tensor<4xi32>) -> tensor<?x2x?x1xf32>
    %286 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %287 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %288 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %289 = "stablehlo.concatenate"(%286, %114, %287, %288) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %290 = "stablehlo.dynamic_broadcast_in_dim"(%285, %289) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<?x2x?x1xf32>, tensor<4xi32>) -> tensor<?x2x?x?xf32>
    %291 = "stablehlo.subtract"(%275, %290) : (tensor<?x2x?x?xf32>, tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
    %292 = "stablehlo.exponential"(%291) : (tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
    %293 = "stablehlo.reduce"(%292, %117) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg38: tensor<f32>, %arg39: tensor<f32>):
      %471 = "stablehlo.add"(%arg38, %arg39) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%471) : (tensor<f32>) -> ()
    }) : (tensor<?x2x?x?xf32>, tensor<f32>) -> tensor<?x2x?xf32>
    %294 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %295 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %296 = "stablehlo.concatenate"(%294, %114, %295, %119) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %297 = "stablehlo.dynamic_broadcast_in_dim"(%293, %296) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x2x?xf32>, tensor<4xi32>) -> tensor<?x2x?x1xf32>
    %298 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %299 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %300 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %301 = "stablehlo.concatenate"(%298, %114, %299, %300) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %302 = "stablehlo.dynamic_broadcast_in_dim"(%297, %301) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<?x2x?x1xf32>, tensor<4xi32>) -> tensor<?x2x?x?xf32>
    %303 = "stablehlo.divide"(%292, %302) : (tensor<?x2x?x?xf32>, tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
    %304 = "stablehlo.dot_general"(%266, %303) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [3]>}> : (tensor<?x?x2x4xf32>, tensor<?x2x?x?xf32>) -> tensor<?x2x4x?xf32>
    %305 = "stablehlo.transpose"(%304) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<?x2x4x?xf32>) -> tensor<?x?x2x4xf32>
    %306 = "stablehlo.dot_general"(%305, %130) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [0, 1]>}> : (tensor<?x?x2x4xf32>, tensor<2x4x8xf32>) -> tensor<?x?x8xf32>
    %307 = "stablehlo.reshape"(%125) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %308 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %309 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %310 = "stablehlo.concatenate"(%308, %309, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %311 = "stablehlo.dynamic_broadcast_in_dim"(%307, %310) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %312 = "stablehlo.add"(%306, %311) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %313 = "stablehlo.add"(%152, %312) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %314 = "stablehlo.multiply"(%313, %313) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %315 = "stablehlo.reduce"(%313, %117) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg36: tensor<f32>, %arg37: tensor<f32>):
      %470 = "stablehlo.add"(%arg36, %arg37) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%470) : (tensor<f32>) -> ()
    }) : (tensor<?x?x8xf32>, tensor<f32>) -> tensor<?x?xf32>
    %316 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %317 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %318 = "stablehlo.concatenate"(%316, %317) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %319 = "stablehlo.dynamic_broadcast_in_dim"(%116, %318) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
    %320 = "stablehlo.divide"(%315, %319) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %321 = "stablehlo.reduce"(%314, %117) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg34: tensor<f32>, %arg35: tensor<f32>):
      %469 = "stablehlo.add"(%arg34, %arg35) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%469) : (tensor<f32>) -> ()
    }) : (tensor<?x?x8xf32>, tensor<f32>) -> tensor<?x?xf32>
    %322 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %323 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %324 = "stablehlo.concatenate"(%322, %323) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %325 = "stablehlo.dynamic_broadcast_in_dim"(%116, %324) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
    %326 = "stablehlo.divide"(%321, %325) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %327 = "stablehlo.multiply"(%320, %320) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %328 = "stablehlo.subtract"(%326, %327) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %329 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %330 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %331 = "stablehlo.concatenate"(%329, %330) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %332 = "stablehlo.dynamic_broadcast_in_dim"(%117, %331) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
    %333 = "stablehlo.maximum"(%332, %328) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %334 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %335 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %336 = "stablehlo.concatenate"(%334, %335, %119) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %337 = "stablehlo.dynamic_broadcast_in_dim"(%320, %336) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x1xf32>
    %338 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %339 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %340 = "stablehlo.concatenate"(%338, %339, %119) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %341 = "stablehlo.dynamic_broadcast_in_dim"(%333, %340) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x1xf32>
    %342 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %343 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %344 = "stablehlo.concatenate"(%342, %343, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %345 = "stablehlo.dynamic_broadcast_in_dim"(%337, %344) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x?x1xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %346 = "stablehlo.subtract"(%313, %345) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %347 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %348 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %349 = "stablehlo.concatenate"(%347, %348, %119) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %350 = "stablehlo.dynamic_broadcast_in_dim"(%115, %349) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x?x1xf32>
    %351 = "stablehlo.add"(%341, %350) : (tensor<?x?x1xf32>, tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
    %352 = "stablehlo.rsqrt"(%351) : (tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
    %353 = "stablehlo.reshape"(%124) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %354 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %355 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %356 = "stablehlo.concatenate"(%354, %355, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %357 = "stablehlo.dynamic_broadcast_in_dim"(%352, %356) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x?x1xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %358 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %359 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %360 = "stablehlo.concatenate"(%358, %359, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %361 = "stablehlo.dynamic_broadcast_in_dim"(%353, %360) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %362 = "stablehlo.multiply"(%357, %361) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %363 = "stablehlo.multiply"(%346, %362) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %364 = "stablehlo.reshape"(%125) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %365 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %366 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %367 = "stablehlo.concatenate"(%365, %366, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %368 = "stablehlo.dynamic_broadcast_in_dim"(%364, %367) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %369 = "stablehlo.add"(%363, %368) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %370 = "stablehlo.dot_general"(%369, %131) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<?x?x8xf32>, tensor<8x16xf32>) -> tensor<?x?x16xf32>
    %371 = "stablehlo.reshape"(%132) : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %372 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %373 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %374 = "stablehlo.concatenate"(%372, %373, %109) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %375 = "stablehlo.dynamic_broadcast_in_dim"(%371, %374) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x16xf32>, tensor<3xi32>) -> tensor<?x?x16xf32>
    %376 = "stablehlo.add"(%370, %375) : (tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %377 = "stablehlo.multiply"(%376, %376) : (tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %378 = "stablehlo.multiply"(%377, %376) : (tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %379 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %380 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %381 = "stablehlo.concatenate"(%379, %380, %109) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %382 = "stablehlo.dynamic_broadcast_in_dim"(%108, %381) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x?x16xf32>
    %383 = "stablehlo.multiply"(%382, %378) : (tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %384 = "stablehlo.add"(%376, %383) : (tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %385 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %386 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %387 = "stablehlo.concatenate"(%385, %386, %109) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %388 = "stablehlo.dynamic_broadcast_in_dim"(%107, %387) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x?x16xf32>
    %389 = "stablehlo.multiply"(%388, %384) : (tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %390 = "stablehlo.tanh"(%389) : (tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %391 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %392 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %393 = "stablehlo.concatenate"(%391, %392, %109) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %394 = "stablehlo.dynamic_broadcast_in_dim"(%106, %393) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x?x16xf32>
    %395 = "stablehlo.add"(%394, %390) : (tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %396 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %397 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %398 = "stablehlo.concatenate"(%396, %397, %109) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %399 = "stablehlo.dynamic_broadcast_in_dim"(%105, %398) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x?x16xf32>
    %400 = "stablehlo.multiply"(%399, %395) : (tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %401 = "stablehlo.multiply"(%376, %400) : (tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %402 = "stablehlo.dot_general"(%401, %133) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<?x?x16xf32>, tensor<16x8xf32>) -> tensor<?x?x8xf32>
    %403 = "stablehlo.reshape"(%125) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %404 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %405 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %406 = "stablehlo.concatenate"(%404, %405, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %407 = "stablehlo.dynamic_broadcast_in_dim"(%403, %406) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %408 = "stablehlo.add"(%402, %407) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %409 = "stablehlo.add"(%313, %408) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %410 = "stablehlo.multiply"(%409, %409) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %411 = "stablehlo.reduce"(%409, %117) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg32: tensor<f32>, %arg33: tensor<f32>):
      %468 = "stablehlo.add"(%arg32, %arg33) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%468) : (tensor<f32>) -> ()
    }) : (tensor<?x?x8xf32>, tensor<f32>) -> tensor<?x?xf32>
    %412 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %413 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %414 = "stablehlo.concatenate"(%412, %413) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %415 = "stablehlo.dynamic_broadcast_in_dim"(%116, %414) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
    %416 = "stablehlo.divide"(%411, %415) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %417 = "stablehlo.reduce"(%410, %117) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg30: tensor<f32>, %arg31: tensor<f32>):
      %467 = "stablehlo.add"(%arg30, %arg31) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%467) : (tensor<f32>) -> ()
    }) : (tensor<?x?x8xf32>, tensor<f32>) -> tensor<?x?xf32>
    %418 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %419 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %420 = "stablehlo.concatenate"(%418, %419) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %421 = "stablehlo.dynamic_broadcast_in_dim"(%116, %420) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
    %422 = "stablehlo.divide"(%417, %421) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %423 = "stablehlo.multiply"(%416, %416) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %424 = "stablehlo.subtract"(%422, %423) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %425 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %426 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %427 = "stablehlo.concatenate"(%425, %426) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %428 = "stablehlo.dynamic_broadcast_in_dim"(%117, %427) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
    %429 = "stablehlo.maximum"(%428, %424) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %430 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %431 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %432 = "stablehlo.concatenate"(%430, %431, %119) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %433 = "stablehlo.dynamic_broadcast_in_dim"(%416, %432) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x1xf32>
    %434 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %435 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %436 = "stablehlo.concatenate"(%434, %435, %119) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %437 = "stablehlo.dynamic_broadcast_in_dim"(%429, %436) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x1xf32>
    %438 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %439 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %440 = "stablehlo.concatenate"(%438, %439, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %441 = "stablehlo.dynamic_broadcast_in_dim"(%433, %440) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x?x1xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %442 = "stablehlo.subtract"(%409, %441) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %443 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %444 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %445 = "stablehlo.concatenate"(%443, %444, %119) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %446 = "stablehlo.dynamic_broadcast_in_dim"(%115, %445) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x?x1xf32>
    %447 = "stablehlo.add"(%437, %446) : (tensor<?x?x1xf32>, tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
    %448 = "stablehlo.rsqrt"(%447) : (tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
    %449 = "stablehlo.reshape"(%124) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %450 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %451 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %452 = "stablehlo.concatenate"(%450, %451, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %453 = "stablehlo.dynamic_broadcast_in_dim"(%448, %452) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x?x1xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %454 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %455 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %456 = "stablehlo.concatenate"(%454, %455, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %457 = "stablehlo.dynamic_broadcast_in_dim"(%449, %456) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %458 = "stablehlo.multiply"(%453, %457) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %459 = "stablehlo.multiply"(%442, %458) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %460 = "stablehlo.reshape"(%125) : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %461 = "stablehlo.reshape"(%arg27) : (tensor<i32>) -> tensor<1xi32>
    %462 = "stablehlo.reshape"(%arg28) : (tensor<i32>) -> tensor<1xi32>
    %463 = "stablehlo.concatenate"(%461, %462, %118) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %464 = "stablehlo.dynamic_broadcast_in_dim"(%460, %463) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %465 = "stablehlo.add"(%459, %464) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %466 = "stablehlo.dot_general"(%465, %134) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<?x?x8xf32>, tensor<8x20xf32>) -> tensor<?x?x20xf32>
    "func.return"(%466) : (tensor<?x?x20xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {jax.global_constant = "s"}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<20x8xf32>, tensor<?x?xi32>) -> tensor<?x?x8xf32>, sym_name = "_take", sym_visibility = "private"}> ({
  ^bb0(%arg21: tensor<i32>, %arg22: tensor<i32>, %arg23: tensor<20x8xf32>, %arg24: tensor<?x?xi32>):
    %59 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %60 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %61 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %62 = "stablehlo.constant"() <{value = dense<19> : tensor<1xi32>}> : () -> tensor<1xi32>
    %63 = "stablehlo.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %64 = "stablehlo.constant"() <{value = dense<20> : tensor<i32>}> : () -> tensor<i32>
    %65 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %66 = "stablehlo.reshape"(%arg21) : (tensor<i32>) -> tensor<1xi32>
    %67 = "stablehlo.reshape"(%arg22) : (tensor<i32>) -> tensor<1xi32>
    %68 = "stablehlo.concatenate"(%66, %67) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %69 = "stablehlo.dynamic_broadcast_in_dim"(%65, %68) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<2xi32>) -> tensor<?x?xi32>
    %70 = "stablehlo.compare"(%arg24, %69) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi1>
    %71 = "stablehlo.reshape"(%arg21) : (tensor<i32>) -> tensor<1xi32>
    %72 = "stablehlo.reshape"(%arg22) : (tensor<i32>) -> tensor<1xi32>
    %73 = "stablehlo.concatenate"(%71, %72) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %74 = "stablehlo.dynamic_broadcast_in_dim"(%64, %73) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<2xi32>) -> tensor<?x?xi32>
    %75 = "stablehlo.add"(%arg24, %74) : (tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi32>
    %76 = "func.call"(%arg21, %arg22, %70, %75, %arg24) <{callee = @_where}> : (tensor<i32>, tensor<i32>, tensor<?x?xi1>, tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi32>
    %77 = "stablehlo.reshape"(%arg21) : (tensor<i32>) -> tensor<1xi32>
    %78 = "stablehlo.reshape"(%arg22) : (tensor<i32>) -> tensor<1xi32>
    %79 = "stablehlo.concatenate"(%77, %78, %63) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %80 = "stablehlo.dynamic_broadcast_in_dim"(%76, %79) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x?xi32>, tensor<3xi32>) -> tensor<?x?x1xi32>
    %81 = "stablehlo.reshape"(%arg21) : (tensor<i32>) -> tensor<1xi32>
    %82 = "stablehlo.reshape"(%arg22) : (tensor<i32>) -> tensor<1xi32>
    %83 = "stablehlo.concatenate"(%81, %82, %63) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %84 = "stablehlo.dynamic_broadcast_in_dim"(%65, %83) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<3xi32>) -> tensor<?x?x1xi32>
    %85 = "stablehlo.compare"(%80, %84) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<?x?x1xi32>, tensor<?x?x1xi32>) -> tensor<?x?x1xi1>
    %86 = "stablehlo.broadcast_in_dim"(%62) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %87 = "stablehlo.reshape"(%arg21) : (tensor<i32>) -> tensor<1xi32>
    %88 = "stablehlo.reshape"(%arg22) : (tensor<i32>) -> tensor<1xi32>
    %89 = "stablehlo.concatenate"(%87, %88, %63) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %90 = "stablehlo.dynamic_broadcast_in_dim"(%86, %89) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xi32>, tensor<3xi32>) -> tensor<?x?x1xi32>
    %91 = "stablehlo.compare"(%80, %90) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<?x?x1xi32>, tensor<?x?x1xi32>) -> tensor<?x?x1xi1>
    %92 = "stablehlo.and"(%85, %91) : (tensor<?x?x1xi1>, tensor<?x?x1xi1>) -> tensor<?x?x1xi1>
    %93 = "stablehlo.reduce"(%92, %61) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg25: tensor<i1>, %arg26: tensor<i1>):
      %104 = "stablehlo.and"(%arg25, %arg26) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%104) : (tensor<i1>) -> ()
    }) : (tensor<?x?x1xi1>, tensor<i1>) -> tensor<?x?xi1>
    %94 = "stablehlo.gather"(%arg23, %80) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 8>}> : (tensor<20x8xf32>, tensor<?x?x1xi32>) -> tensor<?x?x8xf32>
    %95 = "stablehlo.reshape"(%arg21) : (tensor<i32>) -> tensor<1xi32>
    %96 = "stablehlo.reshape"(%arg22) : (tensor<i32>) -> tensor<1xi32>
    %97 = "stablehlo.concatenate"(%95, %96, %60) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %98 = "stablehlo.dynamic_broadcast_in_dim"(%93, %97) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<?x?xi1>, tensor<3xi32>) -> tensor<?x?x8xi1>
    %99 = "stablehlo.reshape"(%arg21) : (tensor<i32>) -> tensor<1xi32>
    %100 = "stablehlo.reshape"(%arg22) : (tensor<i32>) -> tensor<1xi32>
    %101 = "stablehlo.concatenate"(%99, %100, %60) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %102 = "stablehlo.dynamic_broadcast_in_dim"(%59, %101) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<3xi32>) -> tensor<?x?x8xf32>
    %103 = "stablehlo.select"(%98, %94, %102) : (tensor<?x?x8xi1>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    "func.return"(%103) : (tensor<?x?x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {jax.global_constant = "s"}, {}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<?x?xi1>, tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi32>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg16: tensor<i32>, %arg17: tensor<i32>, %arg18: tensor<?x?xi1>, %arg19: tensor<?x?xi32>, %arg20: tensor<?x?xi32>):
    %58 = "stablehlo.select"(%arg18, %arg19, %arg20) : (tensor<?x?xi1>, tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi32>
    "func.return"(%58) : (tensor<?x?xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {jax.global_constant = "s"}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<32x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>, sym_name = "_take_0", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<i32>, %arg11: tensor<i32>, %arg12: tensor<32x8xf32>, %arg13: tensor<?xi32>):
    %21 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %22 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %23 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %24 = "stablehlo.constant"() <{value = dense<31> : tensor<1xi32>}> : () -> tensor<1xi32>
    %25 = "stablehlo.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %26 = "stablehlo.constant"() <{value = dense<32> : tensor<i32>}> : () -> tensor<i32>
    %27 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %28 = "stablehlo.reshape"(%arg11) : (tensor<i32>) -> tensor<1xi32>
    %29 = "stablehlo.dynamic_broadcast_in_dim"(%27, %28) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %30 = "stablehlo.compare"(%arg13, %29) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi1>
    %31 = "stablehlo.reshape"(%arg11) : (tensor<i32>) -> tensor<1xi32>
    %32 = "stablehlo.dynamic_broadcast_in_dim"(%26, %31) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %33 = "stablehlo.add"(%arg13, %32) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %34 = "func.call"(%arg10, %arg11, %30, %33, %arg13) <{callee = @_where_1}> : (tensor<i32>, tensor<i32>, tensor<?xi1>, tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %35 = "stablehlo.reshape"(%arg11) : (tensor<i32>) -> tensor<1xi32>
    %36 = "stablehlo.concatenate"(%35, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %37 = "stablehlo.dynamic_broadcast_in_dim"(%34, %36) <{broadcast_dimensions = array<i64: 0>}> : (tensor<?xi32>, tensor<2xi32>) -> tensor<?x1xi32>
    %38 = "stablehlo.reshape"(%arg11) : (tensor<i32>) -> tensor<1xi32>
    %39 = "stablehlo.concatenate"(%38, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %40 = "stablehlo.dynamic_broadcast_in_dim"(%27, %39) <{broadcast_dimensions = array<i64>}> : (tensor<i32>, tensor<2xi32>) -> tensor<?x1xi32>
    %41 = "stablehlo.compare"(%37, %40) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<?x1xi32>, tensor<?x1xi32>) -> tensor<?x1xi1>
    %42 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64: 1>}> : (tensor<1xi32>) -> tensor<1x1xi32>
    %43 = "stablehlo.reshape"(%arg11) : (tensor<i32>) -> tensor<1xi32>
    %44 = "stablehlo.concatenate"(%43, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %45 = "stablehlo.dynamic_broadcast_in_dim"(%42, %44) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi32>, tensor<2xi32>) -> tensor<?x1xi32>
    %46 = "stablehlo.compare"(%37, %45) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<?x1xi32>, tensor<?x1xi32>) -> tensor<?x1xi1>
    %47 = "stablehlo.and"(%41, %46) : (tensor<?x1xi1>, tensor<?x1xi1>) -> tensor<?x1xi1>
    %48 = "stablehlo.reduce"(%47, %23) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg14: tensor<i1>, %arg15: tensor<i1>):
      %57 = "stablehlo.and"(%arg14, %arg15) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%57) : (tensor<i1>) -> ()
    }) : (tensor<?x1xi1>, tensor<i1>) -> tensor<?xi1>
    %49 = "stablehlo.gather"(%arg12, %37) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<32x8xf32>, tensor<?x1xi32>) -> tensor<?x8xf32>
    %50 = "stablehlo.reshape"(%arg11) : (tensor<i32>) -> tensor<1xi32>
    %51 = "stablehlo.concatenate"(%50, %22) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %52 = "stablehlo.dynamic_broadcast_in_dim"(%48, %51) <{broadcast_dimensions = array<i64: 0>}> : (tensor<?xi1>, tensor<2xi32>) -> tensor<?x8xi1>
    %53 = "stablehlo.reshape"(%arg11) : (tensor<i32>) -> tensor<1xi32>
    %54 = "stablehlo.concatenate"(%53, %22) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %55 = "stablehlo.dynamic_broadcast_in_dim"(%21, %54) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
    %56 = "stablehlo.select"(%52, %49, %55) : (tensor<?x8xi1>, tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    "func.return"(%56) : (tensor<?x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {jax.global_constant = "s"}, {}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<?xi1>, tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, sym_name = "_where_1", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<?xi1>, %arg8: tensor<?xi32>, %arg9: tensor<?xi32>):
    %20 = "stablehlo.select"(%arg7, %arg8, %arg9) : (tensor<?xi1>, tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    "func.return"(%20) : (tensor<?xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {jax.global_constant = "s"}, {}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<?x1x?x?xf32>, tensor<?x2x?x?xf32>, tensor<f32>) -> tensor<?x2x?x?xf32>, sym_name = "_where_2", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<?x1x?x?xf32>, %arg3: tensor<?x2x?x?xf32>, %arg4: tensor<f32>):
    %0 = "stablehlo.constant"() <{value = dense<2> : tensor<1xi32>}> : () -> tensor<1xi32>
    %1 = "stablehlo.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %4 = "stablehlo.reshape"(%arg1) : (tensor<i32>) -> tensor<1xi32>
    %5 = "stablehlo.reshape"(%arg1) : (tensor<i32>) -> tensor<1xi32>
    %6 = "stablehlo.concatenate"(%3, %1, %4, %5) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %7 = "stablehlo.dynamic_broadcast_in_dim"(%2, %6) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<4xi32>) -> tensor<?x1x?x?xf32>
    %8 = "stablehlo.compare"(%arg2, %7) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<?x1x?x?xf32>, tensor<?x1x?x?xf32>) -> tensor<?x1x?x?xi1>
    %9 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %10 = "stablehlo.reshape"(%arg1) : (tensor<i32>) -> tensor<1xi32>
    %11 = "stablehlo.reshape"(%arg1) : (tensor<i32>) -> tensor<1xi32>
    %12 = "stablehlo.concatenate"(%9, %0, %10, %11) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %13 = "stablehlo.dynamic_broadcast_in_dim"(%8, %12) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<?x1x?x?xi1>, tensor<4xi32>) -> tensor<?x2x?x?xi1>
    %14 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %15 = "stablehlo.reshape"(%arg1) : (tensor<i32>) -> tensor<1xi32>
    %16 = "stablehlo.reshape"(%arg1) : (tensor<i32>) -> tensor<1xi32>
    %17 = "stablehlo.concatenate"(%14, %0, %15, %16) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %18 = "stablehlo.dynamic_broadcast_in_dim"(%arg4, %17) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<4xi32>) -> tensor<?x2x?x?xf32>
    %19 = "stablehlo.select"(%13, %arg3, %18) : (tensor<?x2x?x?xi1>, tensor<?x2x?x?xf32>, tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
    "func.return"(%19) : (tensor<?x2x?x?xf32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
