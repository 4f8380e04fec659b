"builtin.module"() <{sym_name = "jit__unnamed_function"}> ({
  "func.func"() <{function_type = (tensor<?x8xf32>) -> tensor<?x4xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg4: tensor<?x8xf32>):
    %37 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %38 = "stablehlo.get_dimension_size"(%arg4) <{dimension = 0 : i64}> : (tensor<?x8xf32>) -> tensor<i32>
    %39 = "stablehlo.compare"(%38, %37) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.custom_call"(%39, %38) <{api_version = 2 : i32, call_target_name = "shape_assertion", has_side_effect = true}> {error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'. Using the following polymorphic shapes specifications: args[0].shape = (b, 8). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details."} : (tensor<i1>, tensor<i32>) -> ()
    %40 = "func.call"(%38, %arg4) <{callee = @_wrapped_jax_export_main}> : (tensor<i32>, tensor<?x8xf32>) -> tensor<?x4xf32>
    "func.return"(%40) : (tensor<?x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}], function_type = (tensor<i32>, tensor<?x8xf32>) -> tensor<?x4xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "_wrapped_jax_export_main", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<?x8xf32>):
    %6 = "stablehlo.constant"() <{value = dense<4> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "stablehlo.constant"() <{value = dense<16> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "stablehlo.constant"() <{value = dense<"0xDA531DBECD9A503EA15094BD345E993E35AA10BE255CA6BE69945EBEFDD1703D818738BEEC3E50BEC5B5983D5A11F33DC19C68BEE600973EE230C53D805AAE3EF4D823BDDAC28F3EFF54A63E3859FEBB5D41DF3D790536BE8FD13F3D691CACBE83C8B0BDEDE6933E47C6A4BDA2D31A3D30331EBD3586B7BD78FE573E8FE7953E04015FBE8A6E6EBE9BD59D3E693719BE0025333D65706A3DA1758A3D902252BC2D94F1BD9E4793BE453C933E6688A33E2CC66FBDA7502DBD56741D3E7409143E03772DBC702C8BBEBFA7053E238E773E221A97BE5174D7BDA69B18BBDC78A43E9F121DBE37331DBE383385BE0D0E7DBEDE4656BCDB4183BEBFFF90BE536E753CC055E5BD46DAC23DC404E93C0C1E4BBEA737003E651FA53EFD6892BE0E4A123E36D9E43A7F4BE5BDCB8C22BE63C848BD9EB8A9BD812371BE68C9003E7DDA543E5C9E50BD897D82BED7EDEE3D37E6163D499C883E0B47F83DE158303D8676A5393829BCBD3B444F3EFADB89BE6ABB2BBEB14F89398C9199BE2FDB99BE74E4C3BD8205FBBCF138813E54F97BBE8EEEE4BD2CEA0D3D0A26E1BD883A753EC5A491BE0D569BBD1D39433EC50E943E25CD21BEF6F1893ECE30AE3E936FB4BD651020BD930FA53EC5E891BE3219123E309F8DBEBAD8DF3DF1BAA0BDB060953D7B537D3EBE359B3DF1B70ABE59C2993EC1B8CEBD78BFB13D0843EEBC3F96BCBD5444B83C"> : tensor<16x8xf32>}> : () -> tensor<16x8xf32>
    %9 = "stablehlo.constant"() <{value = dense<[-0.279808968, -0.110317439, -0.260874838, 0.219295442, -0.216083944, 0.0958281904, 0.230873778, -0.034426555, -0.270692021, 0.020158248, -0.325763285, -0.24589929, 0.246570438, -8.81206302E-4, 0.0047306465, 0.0119064841]> : tensor<16xf32>}> : () -> tensor<16xf32>
    %10 = "stablehlo.constant"() <{value = dense<"0xE072213DDC0D0FBE34B84ABE9822A3BDB4772FBE50F5663D40182E3E4872C33DBCF40ABE7CC53E3E006EFABA20C7B13DB0A26FBDD888C7BDF0335F3D5CB60B3E104A26BD341A1ABEFCB22B3EE859D13DF0B428BE8078213E48F8D63DFCF276BEE4035CBEC0BE293C306E623E045720BE40D6FCBC100E1BBDD0A8A43D00AB41BB5C3577BEA0B1173E985E493EE49A243E28CA6A3E98789DBD00488E3D002878BA8009673ED490783E6076D63C08DE9F3D302A1FBEB00241BDB84BABBD7031A83D3C3606BE405B743EA8B5923DA0FED33D0022ADBB44F83E3E48F982BDB80F893D54893E3EBC34103E54C2403EA0F06E3EB0F581BD049A1A3E644231BE347A7BBEBCB4603E208E66BE3CF25C3E6C047C3E20EFDABC489FCF3D10103CBE10DE2B3EA8777FBED04E5FBD5037C23D40E8013C7035633E4CBC04BE9CE80F3E88CE87BD404409BC6838C4BD209155BE90C7483E5812F6BDC008E4BC0841FA3D78D4743EF06034BD803378BD5007A13DC0D1243DF00971BD04FC293EF427033EE0A89E3CDCE641BE64E35B3E407A523D9051BA3DC86A153ED056153E9CBD7EBEA8DE24BE4032FE3CA89EA83D2006A6BDF84B3A3EC06F69BC8C12013EEC3E203E50AE34BEC8FAD5BDC8350A3E8C6D003E903DC1BD7058673ED074563EE0FFA2BC488DB3BDF81F1A3E8836F13DA855EFBDD46D213E403EB3BD30EE233E08110E3EC4CD793EA44D51BEBC983E3EF0165D3DB423173E40A797BC609CFBBC2031D13C282B55BE207F70BE70DE4CBD681E83BD4805FCBD882A0ABEA4C63F3E30F860BEE4310DBEA4E5223EE4AD40BE48F577BE687185BD4050833DC8909CBDD837E1BDAC8431BE54D11EBE003FAE3C585C8ABDECC3593E102197BD38FD76BEB0731BBEF8FBEABD7080E7BD641005BEA021B1BDA8A3BEBD8032CA3B10576EBDB0E4B2BD00EC6ABA446E2DBE103728BE008F023E5091783D549036BEA08376BDD0F643BDA04E4EBEE016D9BCA01AB83C2487763E8060553CE4DA673E0899773EA04D0D3DA0B8EF3D4C62143EFC5274BEA851E23DD0BA44BE08CDFCBD645259BE2CA0603E28833D3E40AE293CD44016BE002A433BEC315ABE4843303E8022C93BE0D94C3EA42719BE90CEF43DE02FAB3C804B55BD48766CBE08F66B3ED06F823DBC5E1C3E18BCBB3D181532BEE00D22BD0011173CB85D35BE0057503D785245BE28534BBE80A5E0BB205A41BEE43B373EC8D951BE8085F53C3016153DDC7E163EE8DC3CBE802E00BC748D47BE88D2923D98C601BED89DB33D14685D3EC4D204BE386D98BDF813113E941E38BE582491BD747A2DBE14E67B3E64AF333EF823DABD189CBE3D10F5033DF4242A3E10B10CBE84836EBEBCD8483ED4E10C3E9C2C09BE10C86D3E90D8773ED09E74BEE011E1BDF0CE3A3D889E303E00729F3C247B0C3E900E733E8C767BBE"> : tensor<16x16xf32>}> : () -> tensor<16x16xf32>
    %11 = "stablehlo.constant"() <{value = dense<[-0.204582036, -0.0688959956, 0.060803473, -0.170786798, -0.0154430866, -0.159327686, 0.0525841117, 0.23255682, -0.0480187535, -0.164596379, 0.175358355, 0.166805744, 0.214410901, 0.0157217979, -0.0803810358, 0.139411449]> : tensor<16xf32>}> : () -> tensor<16xf32>
    %12 = "stablehlo.constant"() <{value = dense<[[-0.215574503, -0.152616739, -0.125050247, -0.0122509599, -0.0218247771, 0.171406448, -0.151467383, -0.15879637, 0.0200704932, 0.00477272272, -0.201018333, -0.00196677446, 0.120899856, -0.212719858, -0.0957524776, -0.00660544634], [0.096509695, -0.186814785, 0.209383845, 0.215502143, -0.20661366, -0.0268504024, 0.00604462624, 0.104432702, -0.13521558, 0.144619763, 0.105266213, -0.061562717, 0.170076966, 0.164578855, -0.110244334, -0.0105146766], [-0.0981160402, -0.112056196, 0.0223867893, -0.0485259891, 0.238937855, 0.0585184693, -0.198665082, -0.240079522, 0.238927782, 0.204445422, -0.136950493, -0.186641693, -0.0930489302, 0.243878067, -0.0550362468, 0.177669406], [0.0610010623, -0.154512584, -0.0172882676, -0.126900077, -0.155291438, 0.120740891, -0.220552802, -0.0484696627, 0.246257842, 0.0662159324, -0.238875508, 0.0187377334, 0.0875917077, 0.221836507, -0.0665394664, 0.239656389]]> : tensor<4x16xf32>}> : () -> tensor<4x16xf32>
    %13 = "stablehlo.constant"() <{value = dense<[0.122843504, -0.0774782896, 0.125108123, -0.115908325]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %14 = "stablehlo.dot_general"(%8, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<16x8xf32>, tensor<?x8xf32>) -> tensor<16x?xf32>
    %15 = "stablehlo.transpose"(%14) <{permutation = array<i64: 1, 0>}> : (tensor<16x?xf32>) -> tensor<?x16xf32>
    %16 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 1>}> : (tensor<16xf32>) -> tensor<1x16xf32>
    %17 = "stablehlo.reshape"(%arg2) : (tensor<i32>) -> tensor<1xi32>
    %18 = "stablehlo.concatenate"(%17, %7) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %19 = "stablehlo.dynamic_broadcast_in_dim"(%16, %18) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x16xf32>, tensor<2xi32>) -> tensor<?x16xf32>
    %20 = "stablehlo.add"(%15, %19) : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %21 = "func.call"(%arg2, %20) <{callee = @relu}> : (tensor<i32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %22 = "stablehlo.dot_general"(%10, %21) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<16x16xf32>, tensor<?x16xf32>) -> tensor<16x?xf32>
    %23 = "stablehlo.transpose"(%22) <{permutation = array<i64: 1, 0>}> : (tensor<16x?xf32>) -> tensor<?x16xf32>
    %24 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64: 1>}> : (tensor<16xf32>) -> tensor<1x16xf32>
    %25 = "stablehlo.reshape"(%arg2) : (tensor<i32>) -> tensor<1xi32>
    %26 = "stablehlo.concatenate"(%25, %7) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %27 = "stablehlo.dynamic_broadcast_in_dim"(%24, %26) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x16xf32>, tensor<2xi32>) -> tensor<?x16xf32>
    %28 = "stablehlo.add"(%23, %27) : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %29 = "func.call"(%arg2, %28) <{callee = @relu}> : (tensor<i32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %30 = "stablehlo.dot_general"(%12, %29) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<4x16xf32>, tensor<?x16xf32>) -> tensor<4x?xf32>
    %31 = "stablehlo.transpose"(%30) <{permutation = array<i64: 1, 0>}> : (tensor<4x?xf32>) -> tensor<?x4xf32>
    %32 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1x4xf32>
    %33 = "stablehlo.reshape"(%arg2) : (tensor<i32>) -> tensor<1xi32>
    %34 = "stablehlo.concatenate"(%33, %6) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %35 = "stablehlo.dynamic_broadcast_in_dim"(%32, %34) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
    %36 = "stablehlo.add"(%31, %35) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    "func.return"(%36) : (tensor<?x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}], function_type = (tensor<i32>, tensor<?x16xf32>) -> tensor<?x16xf32>, sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<?x16xf32>):
    %0 = "stablehlo.constant"() <{value = dense<16> : tensor<1xi32>}> : () -> tensor<1xi32>
    %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %3 = "stablehlo.concatenate"(%2, %0) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %4 = "stablehlo.dynamic_broadcast_in_dim"(%1, %3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x16xf32>
    %5 = "stablehlo.maximum"(%arg1, %4) : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    "func.return"(%5) : (tensor<?x16xf32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
