#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> ()>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>
module {
  func.func @net(%arg0: tensor<2x3x16x16xf32>, %arg1: tensor<2x5xi64>) -> (tensor<2x6xf32>, tensor<2x8x1x1xf32>, tensor<2x6xf32>, tensor<5x2x4xf32>, tensor<2x10x4xf32>, tensor<2xi64>) {
    %c9_i64 = arith.constant 9 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 5.000000e-01 : f32
    %cst_3 = arith.constant dense<"0xEAE0333EEFAF413EBD44C03DFB03803E4F66A13E74E8BCBE135401BE656D943E45C8263E5727A03D1A8A653E3B80A23EA67092BE0566D1BE1DE5C4BE5B9B1E3FDDF4B3BE1225A0BD5D3D7DBDB5F7AF3E345614BFF07456BC7041CF3EB746BE3E3AB60B3E6922B2BD2EFD153F3EAC0EBFE76BA73E43752D3E93BD493E7675B53DD4118C3DC0DA9E3E4CC9C4BEAFBED4BE85CD5D3D0C688E3C5F735F3D8AB7073FD3BC45BE9E39803E8E39033E58F2493F784EEFBED45E3ABEECEA1BBE0562E13ECAEE8BBE517A0D3F355F083F32BB933E804A153E3BCB04BFDEB1783D002BF4BE8E8DF7BD6DA68A3D30DBD2BD5545A23E565E30BD4B2504BF9BEAB4BEE869D9BE3704D8BDD0EBD43EC4A02C3E95C5E73D2C5FDBBE2D2B4A3FC45A1ABC433E4E3F390A94BE2FD341BE79D65D3F3477B7BE13EB0E3EA8E1E6BD87D28ABE8169383F285FABBE8929993E2778BC3E48AEACBE85E521BFACF217BF567688BE7901983DC3FEE43D490E81BD52C70FBDC73CA63E1E19833E0D48013E699752BEACB4843E5F69773DD5427FBEEEE944BE71B0D13EFC781D3F3AD034BE175431BF5D85483E28289ABEAA067A3EA65300BE52423E3F4C40193D26169A3E825ECFBE5C9470BFA7C5383D5ED5B23DBEDC753EC9083DBE4979DCBE5B9308BF31CE3C3E2B72723E777695BE5F3C34BED18D78BE70B921BFFAED873D0263903E317998BDC3C4F2BE436387BD89DCE83E82C0353F22B4B73D5CA586BE8F6F29BF7DEB03BFE7B8F2BC5E1F9A3D1433AF3DA586B3BD34B003BF358606BF9925493DECB98CBE22B1DE3EDFFCF8BE37F70F3F537F63BE1B5D983D6058983DADD7EABD34D12BBF5AA824BEA7EA013FB696DABE7D311DBFEA6A95BDEEC20CBE1EA5DCBE677080BE553524BE85ED0CBE933D5E3D2D35713E1F1F043EEC4CE93D485F0F3F87EEBA3EF78F78BF22EBF7BD448806BFAA396BBEBB98833ED35789BD3A3912BE5DC3E03E885200BF7E1600BD484F3B3EC3CE033C4588C6BE7B7FF6BBBFD0893EF5E1F33D9AE0D83D70E2D13DEC94383D83D7D3BE8603D3BD2C0F133EBFE284BF9C39813E3359E63D8908B9BE11C17EBED9278BBD7F1E0D3EE555FFBD252BC73E78030D3ED43D86BE81D420BE6C5C9B3D4B9E783EA91C683E7D3F05BD4E1C4C3DCD1509BC4A498C3EAE51A8BE33C54D3E5D121EBFDDF3193E6FE8AE3D8CC602B990FB35BF9CB1053F"> : tensor<8x3x3x3xf32>
    %cst_4 = arith.constant dense<[0.299470395, 0.00848277751, 0.152902439, -0.313127398, 0.170757711, 0.520029068, -0.392695189, 0.897585809]> : tensor<8xf32>
    %cst_5 = arith.constant dense<"0xB08CC13E472CEA3E412690BD200CEDBEB6736EBE654D3C3E5077BEBDDA39763ECE6B4D3D784D49BE7D709F3EA1B2E63E2DE879BE2CBB2E3EA2CD553D47BFBF3D32240EBD7DCAD5BE088FF03E391BB2BE3F9694BECD01603ECD96753D64DB87BE5E7160BECBAC58BD71D914BE55AE5C3E82B1C6BEE406F83D0B9B023F9876893D229A97BE11CC76BE5D776E3CA91055BE99B4D23ECC0B1DBFB0DB0B3F94CC2CBF8FF65FBCC7D3B8BE5AFA8B3E0C1A84BE7D60C1BEAC1FE8BD7D4A0CBE611F25BF3A241B3EB42B4CBFF6C2C83E0553E1BD80A5A23E93FD4CBE605B87BE9F765E3EE96247BEF90F04BF26C7EDBC1705EBBE36FB8CBBC956EB3EA04BA43E86CE213AE54262BD4342D8BD919D59BEA965F23DD79057BD614902BE435AB83D1D3C2CBFF6F3263FEF15573E73DEEDBEAC131D3D7CB2C0BEFD1138BEEDC398BE2158BA3E10E723BFBCEEF1BD55B80CBF495DDFBB80E3D8BD8814F0BEF5B6F53EEF69053F059340BEC826323EB42B4BBD5930A63DE9BD023F5A64B7BD7FEE183FB3BDC4BDF176FFBCC538213FB1E1BB3D71642DBF2677993D06C5DABE1DE00DBFB2E0A0BEAD9ADE3DC603BEBEEB25EFBE12A001BE6B1B0A3E77B26DBE14F7DEBE326739BFCE7884BE6618903EFD05AB3E64CB863EBB546FBD969B303DCF5AD83E194194BED28AF83D5BA61FBF14E4683EBEF419BE4F3AC5BEA1E5833E99A6BDBE1D0494BE5024033F8985B2BE98EA5FBEB03769BE7AF0853E1AAA1CBF9F66D53E2C21A6BD6950D8BD9C0899BEEC9646BD79F2FA3EA74E913D4D279FBEB720EDBD396D363E8CFEE83C49A8AFBD635C4E3E7980F63D22EEB7BEFC6723BF54D52A3E7C801E3F4D128CBE2B8740BDB818E73EE272143F3123B23C5549D53EB31B803EEBB73DBE9D452CBF7F359BBE810FFC3D0C1B0F3ECC6E2BBE7C6192BE348F08BF73630FBF13BC26BD966006BF69FFA4BB513088BED37611BE5E5D353FF4C9833C3988EABD44A96CBD1181FBBE538CE43EAAB1903E729635BE03879C3D5B3B65BE9543073E6033E5BEE597B63DBD1B003FA754183ECC6A49BE1518A23E4372263FFE7D793EC0C1043D74E988BEB8B2143E8F08243F6B1B2CBF6DCAA63E01C9493DC823013F87AC2EBD3DA338BF9DEF293F36DEC5BE8696883E0C2D2EBDA73158BC06E73B3D81523ABEC9BF7E3D1B0AD23D77CE883E2FB22A3D7E8FD93D44ADE23EEFF199BE238ABF3C9643233EE8B6B03E249FADBCF4A4073DD97BEBBD9DABD33EE240DBBDC8E9693EEE170BBD0974283C3BBCD0BE9EDC9A3C3BE821BC7F33FDBEABBC7CBE38EA1ABE107302BFB2BACFBE33CEFA3E9EC8AFBED53492BEBC35EEBE2279D13E20B59C3E633CD93D8508E63C96E427BE1A28C2BD8A1C66BE49B0603EDE446C3E58C19B3ECCD62E3F5761713EF095583E3C4CAB3EB89503BFB8C3CE3A211101BF9997063FD64728BE6A4E173FA72AB53E237F3CBE27A20DBF11D5BFBE6C46B13EB357DBBD55CEFCBE386799BDBA71103F5152093FE67A21BE0957D23D8A26513EB671FCBE7AE735BE90610ABE9EEA093ECF2E2EBEC57CEEBE3F53DD3D76235BBE9A8FD1BE6722D1BE4A3898BDA6A5F73E3E506EBD8D25B73E7EAB3FBFA9218FBE6AB2D6BEFF6DBBBD5372833E00873ABEAC64D4BE5EBFA13E141282BEFB10BA3D59FC62BE3483303EDDEA02BEFAB4873E32F8533E5F8C3D3FF7EDDABCE074A6BEFD29C6BE5DE24BBE771B003EFBA673BE5A9E013F23C0883D9CBEA6BE79051EBE89E659BEEC64733D42FFAEBEE0C9DA3E923DF3BDA1FBA1BD098D9D3E7B7A7FBE57A2EFB982EF183F3E560C3E4895C83D109C22BE03AFA9BE513B153FC8995ABD41F6213FA36F69BEB92DD63EB5298CBDF2420E3ED0A6CF3EE2B5163E20F9883EB85E05BFB7401DBEE97A2E3F7E6C9CBD9084D93D01AC5EBD512A54BE6EFCFEBE75DBC2BE4F940F3F64E3D7BCD8E3CABE384B9ABEAE10953E9DA5A1BE147455BE7792BEBE3DE4D6BE4BB80C3F785C40BD687BDBBD784B4DBE152F733E92DBA73C6492C73D15DE3A3D7DEEF3BDAD2424BE840B14BF3DDC27BEA59F383FD087D3BE4702BF3A4530E53DC1C7CB3EF0D6623F8F7007BE3AB195BEA1EFB43E016A913DFF352B3FEB94773E624864BE7A3C86BDB365103EDCE62A3E418EC1BEEF3224BF0ADB08BF46A8523EA73851BDB9921CBF28053CBEBF4A25BFC9A9B3BD23B093BECC733EBE5558E6BCCD59793D39A0A23C4272DC3E44E34C3FE466913EA97481BDF955803E843D78BE61F18CBE42B194BE8595C73D255FD33EFDCA3D3F4E02E23EDA246E3EE8F26ABEFB4CD13C3280393E8DEA26BDD6F61E3F32F08BBE50C273BED7B8013E3A3F2B3FF6AF1ABF106490BE57CDDB3EA5BF67BE9DB52F3FBE348CBEA302B73E86C8F0BCDFDC1C3E83CAB0BE231009BF475C843E9AAB34BE50CA9CBE"> : tensor<6x72xf32>
    %cst_6 = arith.constant dense<[-0.368430942, -0.34834525, 0.451075554, -0.307547748, -0.18082428, 0.655561447]> : tensor<6xf32>
    %cst_7 = arith.constant dense<[-0.1441053, -0.00188545685, 0.122550301, -0.0986663624, -0.229375541, 0.426294953]> : tensor<6xf32>
    %cst_8 = arith.constant dense<[0.106610231, -0.209831208, -0.461766034, -0.385890692, -0.341515124, -0.718661308]> : tensor<6xf32>
    %cst_9 = arith.constant dense<[[0.391312808, 0.034033563, 0.178884625, -0.472958118], [-0.161702573, -0.0800331756, 0.0251965933, -0.0687619895], [-0.414974779, 0.363949746, 0.236761346, 0.0249533411], [0.344077945, 0.402701139, 0.464635462, 0.0543417968], [-0.104931682, -0.159937307, 0.297077656, -0.23382163], [-0.304508716, 0.184798971, 0.17433472, 0.212183207], [-0.28307268, 0.100245737, 0.30509907, -0.159943819], [-0.0893794521, -0.09931802, 0.506406128, 0.300269544], [-0.446856618, -0.506917179, 0.216703564, -0.0710343644]]> : tensor<9x4xf32>
    %cst_10 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_11 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_12 = arith.constant dense<[[[-0.145642981, 0.275802612, -0.27537027], [0.130135208, -0.424646467, -0.219664678], [-0.0761924237, -0.218607202, -0.0804766566]], [[0.325317621, -0.425695062, -0.398584396], [0.0156864189, -0.188063219, -3.345830e-01], [0.0440109298, -0.188122287, 0.112046733]], [[-0.0132533573, -0.0670716316, -0.0227466524], [0.341080129, 0.438034832, -0.0532014295], [-0.343322515, -0.503763855, -7.445260e-01]], [[-0.391985327, -0.284106553, -0.0175118502], [-0.626846253, 0.476563722, 0.354518592], [0.415056795, -0.170963407, 0.0813337564]], [[-0.31578812, 0.516603172, -0.404341698], [-0.171208441, 0.474471956, 0.829937398], [-0.0305754934, -0.138078079, -0.835710644]], [[0.570150673, 0.102727391, -0.627980291], [0.290452302, 0.204627097, -0.11813321], [-0.185945451, 0.243375108, 0.0779817774]], [[0.162277877, 0.408831567, 3.977300e-01], [0.253504366, 0.195094898, -0.426061571], [-0.371819735, 0.272840917, 0.215734258]], [[0.172727242, 0.280115724, -0.184667781], [0.188307807, -3.296270e-01, 0.0207933802], [0.309775323, -0.225621492, 0.650969326]]]> : tensor<8x3x3xf32>
    %cst_13 = arith.constant 4.000000e+00 : f32
    %cst_14 = arith.constant 6.400000e+01 : f32
    %cst_15 = arith.constant 6.000000e+00 : f32
    %cst_16 = arith.constant 9.99999974E-6 : f32
    %cst_17 = arith.constant 1.41421354 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
      tensor.yield %cst : f32
    } : tensor<2x3x16x16xf32> to tensor<2x3x18x18xf32>
    %0 = tensor.empty() : tensor<2x8x8x8xf32>
    %broadcasted = linalg.broadcast ins(%cst_4 : tensor<8xf32>) outs(%0 : tensor<2x8x8x8xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %cst_3 : tensor<2x3x18x18xf32>, tensor<8x3x3x3xf32>) outs(%broadcasted : tensor<2x8x8x8xf32>) -> tensor<2x8x8x8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<2x8x8x8xf32>) outs(%0 : tensor<2x8x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.cmpf ugt, %in, %cst : f32
      %58 = arith.select %57, %in, %cst : f32
      linalg.yield %58 : f32
    } -> tensor<2x8x8x8xf32>
    %padded_18 = tensor.pad %2 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
      tensor.yield %cst : f32
    } : tensor<2x8x8x8xf32> to tensor<2x8x10x10xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x8x8x8xf32>) -> tensor<2x8x8x8xf32>
    %4 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_18, %cst_12 : tensor<2x8x10x10xf32>, tensor<8x3x3xf32>) outs(%3 : tensor<2x8x8x8xf32>) -> tensor<2x8x8x8xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %cst_10, %cst_11 : tensor<2x8x8x8xf32>, tensor<f32>, tensor<f32>) outs(%0 : tensor<2x8x8x8xf32>) {
    ^bb0(%in: f32, %in_25: f32, %in_26: f32, %out: f32):
      %57 = arith.cmpf ult, %in, %in_25 : f32
      %58 = arith.select %57, %in_25, %in : f32
      %59 = arith.cmpf ugt, %58, %in_26 : f32
      %60 = arith.select %59, %in_26, %58 : f32
      linalg.yield %60 : f32
    } -> tensor<2x8x8x8xf32>
    %padded_19 = tensor.pad %5 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
      tensor.yield %cst_0 : f32
    } : tensor<2x8x8x8xf32> to tensor<2x8x10x10xf32>
    %6 = tensor.empty() : tensor<2x8x4x4xf32>
    %7 = linalg.fill ins(%cst_0 : f32) outs(%6 : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
    %8 = tensor.empty() : tensor<3x3xf32>
    %9 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_19, %8 : tensor<2x8x10x10xf32>, tensor<3x3xf32>) outs(%7 : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
    %10 = tensor.empty() : tensor<2x8x3x3xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<2x8x3x3xf32>) -> tensor<2x8x3x3xf32>
    %12 = tensor.empty() : tensor<2x2xf32>
    %13 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%9, %12 : tensor<2x8x4x4xf32>, tensor<2x2xf32>) outs(%11 : tensor<2x8x3x3xf32>) -> tensor<2x8x3x3xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x8x3x3xf32>) outs(%10 : tensor<2x8x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.divf %in, %cst_13 : f32
      linalg.yield %57 : f32
    } -> tensor<2x8x3x3xf32>
    %collapsed = tensor.collapse_shape %14 [[0], [1, 2, 3]] : tensor<2x8x3x3xf32> into tensor<2x72xf32>
    %15 = tensor.empty() : tensor<72x6xf32>
    %transposed = linalg.transpose ins(%cst_5 : tensor<6x72xf32>) outs(%15 : tensor<72x6xf32>) permutation = [1, 0] 
    %16 = tensor.empty() : tensor<2x6xf32>
    %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<2x6xf32>) -> tensor<2x6xf32>
    %18 = linalg.matmul ins(%collapsed, %transposed : tensor<2x72xf32>, tensor<72x6xf32>) outs(%17 : tensor<2x6xf32>) -> tensor<2x6xf32>
    %19 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%18, %cst_6 : tensor<2x6xf32>, tensor<6xf32>) outs(%16 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.addf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x6xf32>
    %20 = tensor.empty() : tensor<2xi64>
    %21 = linalg.fill ins(%c0_i64 : i64) outs(%20 : tensor<2xi64>) -> tensor<2xi64>
    %22 = tensor.empty() : tensor<2xf32>
    %23 = linalg.fill ins(%cst_0 : f32) outs(%22 : tensor<2xf32>) -> tensor<2xf32>
    %24:2 = linalg.generic {indexing_maps = [#map2, #map4, #map4], iterator_types = ["parallel", "reduction"]} ins(%19 : tensor<2x6xf32>) outs(%23, %21 : tensor<2xf32>, tensor<2xi64>) {
    ^bb0(%in: f32, %out: f32, %out_25: i64):
      %57 = linalg.index 1 : index
      %58 = arith.index_cast %57 : index to i64
      %59 = arith.maximumf %in, %out : f32
      %60 = arith.cmpf ogt, %in, %out : f32
      %61 = arith.select %60, %58, %out_25 : i64
      linalg.yield %59, %61 : f32, i64
    } -> (tensor<2xf32>, tensor<2xi64>)
    %expanded = tensor.expand_shape %24#0 [[0, 1]] output_shape [2, 1] : tensor<2xf32> into tensor<2x1xf32>
    %25 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel"]} ins(%19, %expanded : tensor<2x6xf32>, tensor<2x1xf32>) outs(%16 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.subf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x6xf32>
    %26 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<2x6xf32>) outs(%16 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = math.exp %in : f32
      linalg.yield %57 : f32
    } -> tensor<2x6xf32>
    %27 = tensor.empty() : tensor<2x1xf32>
    %28 = linalg.fill ins(%cst : f32) outs(%27 : tensor<2x1xf32>) -> tensor<2x1xf32>
    %29 = linalg.generic {indexing_maps = [#map2, #map5], iterator_types = ["parallel", "reduction"]} ins(%26 : tensor<2x6xf32>) outs(%28 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.addf %in, %out : f32
      linalg.yield %57 : f32
    } -> tensor<2x1xf32>
    %30 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel"]} ins(%26, %29 : tensor<2x6xf32>, tensor<2x1xf32>) outs(%16 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.divf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x6xf32>
    %31 = tensor.empty() : tensor<2x8x1x1xf32>
    %32 = linalg.fill ins(%cst : f32) outs(%31 : tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map6], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%5 : tensor<2x8x8x8xf32>) outs(%32 : tensor<2x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.addf %in, %out : f32
      linalg.yield %57 : f32
    } -> tensor<2x8x1x1xf32>
    %34 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<2x8x1x1xf32>) outs(%31 : tensor<2x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.divf %in, %cst_14 : f32
      linalg.yield %57 : f32
    } -> tensor<2x8x1x1xf32>
    %35 = linalg.generic {indexing_maps = [#map2, #map5], iterator_types = ["parallel", "reduction"]} ins(%19 : tensor<2x6xf32>) outs(%28 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.addf %in, %out : f32
      linalg.yield %57 : f32
    } -> tensor<2x1xf32>
    %36 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<2x1xf32>) outs(%27 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.divf %in, %cst_15 : f32
      linalg.yield %57 : f32
    } -> tensor<2x1xf32>
    %collapsed_20 = tensor.collapse_shape %36 [[0, 1]] : tensor<2x1xf32> into tensor<2xf32>
    %37 = linalg.generic {indexing_maps = [#map4, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed_20 : tensor<2xf32>) outs(%16 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6xf32>
    %38 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%19, %37 : tensor<2x6xf32>, tensor<2x6xf32>) outs(%16 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.subf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x6xf32>
    %39 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%38, %38 : tensor<2x6xf32>, tensor<2x6xf32>) outs(%16 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.mulf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x6xf32>
    %40 = linalg.generic {indexing_maps = [#map2, #map5], iterator_types = ["parallel", "reduction"]} ins(%39 : tensor<2x6xf32>) outs(%28 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.addf %in, %out : f32
      linalg.yield %57 : f32
    } -> tensor<2x1xf32>
    %41 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%40 : tensor<2x1xf32>) outs(%27 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.divf %in, %cst_15 : f32
      linalg.yield %57 : f32
    } -> tensor<2x1xf32>
    %42 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%41 : tensor<2x1xf32>) outs(%27 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.addf %in, %cst_16 : f32
      linalg.yield %57 : f32
    } -> tensor<2x1xf32>
    %43 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%42 : tensor<2x1xf32>) outs(%27 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = math.rsqrt %in : f32
      linalg.yield %57 : f32
    } -> tensor<2x1xf32>
    %collapsed_21 = tensor.collapse_shape %43 [[0, 1]] : tensor<2x1xf32> into tensor<2xf32>
    %44 = linalg.generic {indexing_maps = [#map4, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed_21 : tensor<2xf32>) outs(%16 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6xf32>
    %45 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%38, %44 : tensor<2x6xf32>, tensor<2x6xf32>) outs(%16 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.mulf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x6xf32>
    %46 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%45, %cst_7 : tensor<2x6xf32>, tensor<6xf32>) outs(%16 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.mulf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x6xf32>
    %47 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%46, %cst_8 : tensor<2x6xf32>, tensor<6xf32>) outs(%16 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.addf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x6xf32>
    %48 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%47 : tensor<2x6xf32>) outs(%16 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.divf %in, %cst_17 : f32
      %58 = math.erf %57 : f32
      %59 = arith.addf %58, %cst_1 : f32
      %60 = arith.mulf %59, %cst_2 : f32
      %61 = arith.mulf %in, %60 : f32
      linalg.yield %61 : f32
    } -> tensor<2x6xf32>
    %49 = tensor.empty() : tensor<2x5xi1>
    %50 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<2x5xi64>) outs(%49 : tensor<2x5xi1>) {
    ^bb0(%in: i64, %out: i1):
      %57 = arith.cmpi slt, %in, %c0_i64 : i64
      linalg.yield %57 : i1
    } -> tensor<2x5xi1>
    %51 = tensor.empty() : tensor<2x5xi64>
    %52 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<2x5xi64>) outs(%51 : tensor<2x5xi64>) {
    ^bb0(%in: i64, %out: i64):
      %57 = arith.addi %in, %c9_i64 : i64
      linalg.yield %57 : i64
    } -> tensor<2x5xi64>
    %53 = linalg.generic {indexing_maps = [#map2, #map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%50, %52, %arg1 : tensor<2x5xi1>, tensor<2x5xi64>, tensor<2x5xi64>) outs(%51 : tensor<2x5xi64>) {
    ^bb0(%in: i1, %in_25: i64, %in_26: i64, %out: i64):
      %57 = arith.select %in, %in_25, %in_26 : i64
      linalg.yield %57 : i64
    } -> tensor<2x5xi64>
    %collapsed_22 = tensor.collapse_shape %53 [[0, 1]] : tensor<2x5xi64> into tensor<10xi64>
    %54 = tensor.empty() : tensor<10x4xf32>
    %55 = linalg.generic {indexing_maps = [#map4, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed_22 : tensor<10xi64>) outs(%54 : tensor<10x4xf32>) {
    ^bb0(%in: i64, %out: f32):
      %57 = arith.index_cast %in : i64 to index
      %58 = linalg.index 1 : index
      %extracted = tensor.extract %cst_9[%57, %58] : tensor<9x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<10x4xf32>
    %expanded_23 = tensor.expand_shape %55 [[0, 1], [2]] output_shape [2, 5, 4] : tensor<10x4xf32> into tensor<2x5x4xf32>
    %56 = tensor.empty() : tensor<5x2x4xf32>
    %transposed_24 = linalg.transpose ins(%expanded_23 : tensor<2x5x4xf32>) outs(%56 : tensor<5x2x4xf32>) permutation = [1, 0, 2] 
    %concat = tensor.concat dim(1) %expanded_23, %expanded_23 : (tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x10x4xf32>
    return %30, %34, %48, %transposed_24, %concat, %24#1 : tensor<2x6xf32>, tensor<2x8x1x1xf32>, tensor<2x6xf32>, tensor<5x2x4xf32>, tensor<2x10x4xf32>, tensor<2xi64>
  }
}

