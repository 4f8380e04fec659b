"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{function_type = (tensor<?x17x16x3xf32>) -> tensor<?x3xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg12: tensor<?x17x16x3xf32>):
    %131 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %132 = "stablehlo.get_dimension_size"(%arg12) <{dimension = 0 : i64}> : (tensor<?x17x16x3xf32>) -> tensor<i32>
    %133 = "stablehlo.compare"(%132, %131) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.custom_call"(%133, %132) <{api_version = 2 : i32, call_target_name = "shape_assertion", has_side_effect = true}> {error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'. Using the following polymorphic shapes specifications: args[0].shape = (b, 17, 16, 3). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details."} : (tensor<i1>, tensor<i32>) -> ()
    %134 = "func.call"(%132, %arg12) <{callee = @_wrapped_jax_export_main}> : (tensor<i32>, tensor<?x17x16x3xf32>) -> tensor<?x3xf32>
    "func.return"(%134) : (tensor<?x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}], function_type = (tensor<i32>, tensor<?x17x16x3xf32>) -> tensor<?x3xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "_wrapped_jax_export_main", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<i32>, %arg5: tensor<?x17x16x3xf32>):
    %16 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %18 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %19 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %20 = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<f32>}> : () -> tensor<f32>
    %21 = "stablehlo.constant"() <{value = dense<2> : tensor<1xi32>}> : () -> tensor<1xi32>
    %22 = "stablehlo.constant"() <{value = dense<3> : tensor<1xi32>}> : () -> tensor<1xi32>
    %23 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %24 = "stablehlo.constant"() <{value = dense<4> : tensor<1xi32>}> : () -> tensor<1xi32>
    %25 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %26 = "stablehlo.constant"() <{value = dense<9> : tensor<1xi32>}> : () -> tensor<1xi32>
    %27 = "stablehlo.constant"() <{value = dense<"0x4C06BBBD01CB91BD16DA693D6DD7A93DA34DD43C3A7A7E3B98215FBDA15897BC86B604BE50A48F3DADFFC4BD769026BDA95B7DBDAB98613C8DCED6BD50B110BE3D78203C2BA84CBD7460A8BD84476D3DDF3C24BECBC50B3EC22606BEBE7B08BEDDA74FBDDB7536BDDF5F3CBBA79C8EBCCC0A54BDFBEE733BF0574FBDCFC175BD2030253C3245B03D6005F23D5F9A25BEB82323BD1EE9DDBC633A4ABC5471063DB6CB983DC239A63C89E304BE30EB093E7992E73DEFEAD8BA589C193D36FA06BD61F6453DBB0B47BC558C233DDBD7F03D33392CBCC6607FBC4153793DBB07ADBD2586FCBC38859EBDC556F73D99394DBD6D9CBE3D1B4DA43C4468D73D8831C9BD0AE1FFBC0274D4BD2374893DCDF5DBBC8DB8BEBDA4178A3D8772653CAD7D953DCE36873D9A0207BE4C5E20BE7066C03B755C223A3475FFBCF43F593CDEBF11BE077CE7BDD36DDE3D193D20BD7D15B8BB94F8993D2238803C9D754DBD60AFC13D010E24BD27C78A3C469E3B3D7F1961BD16D3D4BD117098BCFFFE613D511EABBD25A8B1BC7C14353DFA9A2B3D21465D3DB856903DEB8ACABDD825A33DC591C73DF208493D0A3C84BC9F7BFCBB32C113BEF6E0C5BD02B4533DDD5CA93DD46A86BDD124223A3351C73DD29B28BEC390E43DFC152C3C2B6E983DB981103DB3DC87BD0ECE08BD66DD003DD050B23D626038BD510AB43AEAD3603DBDD905BE7A8C0CBE83E33C3E6EACC6BCF2705B3DF0F281BDDA07C9BC49F13DBC01EFFABD003264BCDC85DCBD2EA707BDBEB35B3D46A0F8BC44FBA7BD15A9243EB3D1403D8F48BF3D9DFE903D94EE00BD5CFCE4BC4336AB3DFD9A2ABEF8E800BD814D2A3DDBAE1C3ED09502BE7C111F3E1838B7BDB95057BD8A4E0EBE69B62EBEC365D43C8BCE933CD7A1813C7E1D853D34A1743DB6CF253D675A57BD9FDF48BDEAC28E3DABE3873D439C1D3EA0FA86BD1DEB193E9393223E7047A7BB5D908DBD39EF953DFEF31FBDE5F1F13D17B29C3D0F3325BE89992CBE6B6321BEE8C21C3E76B706BEF153343B2C57353E219A823DDD00E1BCC7A569BD4A17753CF96BD53C3F0C2A3BC4BF9CBDD56199BCD17C33BD611DE23DD68BA4BD2B7431BE03AF043D4E44ADBD2E7114BE2F8A023EF0FFBE3D5C809E3CF7B2D7BC0FF9A53C09822ABE208B31BED3EBC8BCC5EE7C3CE857F0BD5E5E07BCA9BB163EC918113E73C3993C328E12BD7649F33D7606483D933A2A3C4A9813BE1920A3BDDD6823BE6D4CAFBCADE6153E622DB73D82DCEE3A0164C13CDE36B4BD912A523DB7A12C3ED21A15BD52ECBDBD6979023E34C572BC5B50C8BCB80A0E3E5DC59EBDB941EEBC9A569ABDE033443D12610EBEDC5A0E3EAED7B9BDCEB2D5BD0AD7D5BD4B974B3D97B6EFBB86E4CCBD724048BC14F5D3BD3C195A3DE8D4F5BDBDC38E3CFE07003EB57C0B3D7209063DD8D2C7BDFC8ACBBD5E5CF9BD574523BE58D5D4BDF6A386BD84F8173DBAF85D3DE59A423C8F94793DBDF04E3D7B6BF3BD1FE3F2BCF26184BD5F24C33D615001BD9CA992BDA97E173B669AFABC1C19B4BCED1DF03D45955ABD0A692D3D5665023E30E34E3DD66407BB403285BDA029513DFB50F43D6DC5523AD27B853C6502B13BB5E59B3C0FE7DC3D678276BDFD238ABD36EB9BBCF6A6693CA2A9073D675919BD11C16D3DFDB49B3C7C411ABED2C3BFBC274F833D5A1442BDD7782D3DD9259E3D2FF7E73D6D7604BEC78D123C6354F9BDADC7773D2A827A3DBEC3BF3DC0E1433D9F62B0BB5919533D0063BF3D3C1D6BBCCCAB2EBEF9440E3E88144B3D59B228BEAC4AA83D02BDE63D2A618CBBAB83C83DF635B33DDD08A2BC4214563DD5F6CB3DB8AC11BD7581C93CBCEF833D69AEAD3DB6B0743C4DFAD3BB33BE343DE6798B3D2D76F4BD0605803D8C7D363EA455F73D84FC183C94A51EBE4A019FBD50837ABDE16BF93D1FC28BBD1CF7723D6E9DBCBD90C94DBD96476DBD10C514BCE6210EBE5367763D85AF20BE470AE23D67A9E13DC7104E3CC221C43D6754E6BCBBBBABBD4531B3BBFF2A433DAFC67DBDDA29EBBD284191BD9D96153D380CAFBD280E02BEEA9BB3BDAF1D3C3D626CD9BDCA65D2BDB893DE3D8E28A8BD9F529BBDBF1BCDBDC9F5D03D98D281BDD7DC76BD25DBAFBCF542DEBD79E8DBBC0B9925BED284BA3DAFF330BE3199063D4EB2CA3D0DCEA1BD9C160E3D47EFEA3A17CD07BD43DB983D7B4A823D524416BE497DCFBD33685A3DAB0B853D4D60B83D57C879BD0D76CABDF5A9073EAF690BBCB8BBB0BD10513EBD53C885BDA6DFDF3D4BC239BDF51AC4BCF10812BEC6C39D3D46DA5D3C860FEE3D4DB507BC2781EDBD432880BCEE82CDBD5850DDBDB03025BDEC947BBDF0C6D3BCAEAA75BD1A8AF93D298669BD0BC7A9BDEB459CBD952AA13D168BA4BC714DE83D057A52BDDB9C723BA75FB4BD6C03D83D0C03BBBD21FD02BDFEE81E3E99F46E3C104C833BEF99BF3DC6F4323DD1E139BE5650863D61B7A9BD13FF9A3D670E1B3E8B9912BE3850703D60CD53BD839A0B3DCB72A23D6410B0BD17E7C53D415998BC65BEED3D8FF8D63D40F7BD3D45072C3D63FCC0BD38043E3DA047F6BC9DD93D3E8478923D56EA2EBE5A6AC6BD7BDC6DBDA66EBEBD0536323D75AB253D68481DBEC585D2BC573F163E9431443DAFAA2CBEAA39B1BC3A83D5BD56F9283D442A0FBDA459C9BC1E5EE6BDF3E3B5BDA93E52BDE098F93D9E38E03C396419BC838C3D3D841257BD38DF063D71AB5A3CB45A77BD74D725BB4BE4D23C64918A3D8D3F92BC50A5A13D249BEF3B53519FBC4FC9093D7EF9DFBD46E11EBED90A9BBDA1301EBE1214E3BC25E790BDEE54223D652E28BEFDBF26BC1EFD43BD854901BE93F888BDDE36E6BDA0C6D0BC9305B6BCE1F627BEECC5C4BD00BFACBDC3CDC0BD74D84D3D0764B43DCBD012BD4D7D263C8C3F0F3D811CA3BB9405B4BD87FAB13D54A4733D4CFB233DE7D00CBD400F073E60F7BA3D3F64923B04D8D5BDF6703F3E8717BF3D4446B5BCB4082D3E33DCEBBDD678C43D2D900B3D0DFACE3DF5FA85BD9DD6073D3AFF893BEA1C8C3C37EC8B3D0EE783BD5D9AAD3DA43D113A6409F43D0DD30F3DA5944B3DD73BA1BD33D930BE0EDF813D85EB16BC0846C93DB1916B3D90E09E3DF67AEFBB1D40C1BC1981BABCF37169BD6FFD7C3D2E5E11BE9530A9BCFBDBD83C236BE1BDB8B524BCFD57D53B5E0C743D46F96DBA08E05A3D806FB63DB4C4D83DED0EA53DD8FE163E3D84D4BCAF97B2BD71EC0ABC3E89013E7F53003E3CF43F3EAFBA123E6D9012BD7A07B6BC8CECF53D058CC03D1A3211BD39524F3DAFFF34BDBF74173E"> : tensor<7x7x3x4xf32>}> : () -> tensor<7x7x3x4xf32>
    %28 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<4xf32>}> : () -> tensor<4xf32>
    %29 = "stablehlo.constant"() <{value = dense<"0x0F414FBE97A3BF3EE9AB853EE7B01BBEC1838F3E0E13F7BCBB6642BEF4DC543E84D7CF3DA77020BE0DCC0DBCFCADDC3D7DA318BE9F6EA63D093F4DBE302198BDA640903A39E136BE0E7A29BE605109BEAECC0E3EB7E519BE1D934E3DD883A8BE3C8E4CBC502227BE6375123E2484AEBDA5834FBE08876EBD3A78A4BD7927F33DFCD27FBD692A893C4FD0183EA366B93D5A939CBD87E8AA3CAA1D903E73CC853E4B524CBEBA2DC5BD80F3883E6F11C13D71395D3D186E0FBED1CF06BE898863BE2075D6BC3C814CBE99C580BEDE740F3E543CECBC205E99BD77CB663BEF3E2B3D56314D3CD726CFBDBB1C66BD0047B3BEBB01453EAA660C3D6F68ADBD181F4D3E79C94F3E89DAB43E2A8590BEDA8722BEA3A109BC862164BD09CA94BEAA74A9BB6EE6B63CB5C39B3E2246BD3EE26CE93DF9B983BE38FCBC3EE6166ABDD6894ABED10F84BD04A681BEE408913D3646F2BD0FC9593D569BB33EA8CED03D124415BE7A85163E8552293D205CFF3D5C93523E16781EBEA55604BE6D701EBD5E1B003E850D8E3E21F4C6BD3ADD9C3D1E6BADBE6A0EB2BD77A715BEC22E893DC4A3763D7B6577BE4D9A183EFC98023E185ABEBD09455DBE4FC5373E0B56AF3E9AB399BC10A7A5BD542193BD45CE553D4AA2D93DB2F4A8BEA40A253A2D2BB43D24BF1ABEFCD0423E07CA87BEB3CB263DA45C96BD8AA2073E115A243E440CB53E6A070FBE0522953E06032C3E537D13BEC165F23C81E9E9BD71248ABE011D46BD0400883DBCF7BA3DAD4722BE3B4D88BCB7448C3D6357033E82C201BEDA5F60BE0071903E040F4A3EB4D09EBE3B4513BC685D18BD88B8EB3DC957AE3DC3FB36BE09E2BCBDD1AA853D8A99D83D4719833EC37E3EBE86D63D3E0BD1003E55720EBD89079DBD8985DC3BFB833ABD2307623E58042C3E07F1B7BCA40261BB099A93BECFCFB73E6A956A3D2A96B23D56B0D23D396202BE5748A83EC0F83C3DABDA9BBD1B876F3E5CE9F73C594587BDE2349F3E469E6F3E968774BC8FACDD3DDEFE9FBE4259873E5466B1BEFFE710BDB137B83DE248743EC61321BECC224D3CF6811EBDB89162BEDDD15FBDC603C1BD03F961BADE7387BD435879BE43D4353E4196063EC813BFBD72FFEA3C41E1EDBCF3BC63BDD1CBD5BD2CAF27BDADA4713E5D7578BD9ECD5B3EC3DD9F3E504DD3BCDF7AC03E50D6BB3DA696A33D989126BD3D872BBC0F79D23D7721023DB4F821BCAA04A13D4BA93FBE4176FABD81F8DF3D94FACE3DD0795A3E6F20023D9735EDBC2DFB343E67CB1C3E02388EBCFF03D93DD102E73D27F1363E16BA03BD9A0B80BDCA0A9DBE7B6439BD83114E3A3E71FB3D96C9C03D7BAC583E3238163E76E444BE2388E63D91371ABD020C3CBE775F37BE76196BBD6E2380BE2025A03E162915BE7BBE323DFD9F043CBF15403E2315543D1C025A3EF042A43ED0AF9F3EA2C380BE741F963CE09785BD2BB831BE36CA81BE1B0CB23E1494453D5EAF793D80379FBE108E0B3EC02810BDEF09463EE2668DBE7322F73D3698343D209DA53E648F2E3E44CD1A3C75DC35BEB93362BEA5FB363D79CF67BC662EF3BD4AE5803CCA243E3EAED23ABEB1FA103EB52D8D3E08D531BE06F184BE3B45053E"> : tensor<3x3x4x8xf32>}> : () -> tensor<3x3x4x8xf32>
    %30 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<8xf32>}> : () -> tensor<8xf32>
    %31 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<8xf32>}> : () -> tensor<8xf32>
    %32 = "stablehlo.constant"() <{value = dense<"0x45E1273E1C05323D3B992D3E6D208ABDBA7C423EB17A1CBEB2E1263EEED648BDE30F18BD692580BD670B32BE87662C3CEA94343D76F607BEBAC7273E84B7933D4A8FC73D665116BD6B6688BE188BC0BD0EAD19BD03AF3B3E220F3FBD82F50BBD72A3DDBDAFB4433E58C539BE6D7C5A3E59B8303E94BC663E473F04BED3B7FABDC5BC73BDE847063ED59E83BD7AC2D43C270AA83D2354123EB63930BA400E97BD285AB23DC30C0DBE72B46DBD0E980DBE14E992BD4E3C23BD854D2A3E77732C3D5FD5933D8B1C163EE463333E8A5BC2BD696500BE2E64A8396C2D433E78A5AABD1010E13DE8BF16BE5643953BA3C948BE298778BDEECC593DA02FEEBC4DD5303D1266503EF0DD193D832ADABDE1F8983D07E0A9BD2EB4E13D6D7299BD085D2B3DFB1C0B3EEB0E243EF69B3CBD76C9CE3DACCC203E07AD8EBCEAE518BE5C1D86BD9CE214BE239BFE3D59976B3EEADB50BE5C957FBDBDD6A7BDEB811A3DFDC8BB3DD728013EFCF50CBEBE01C2BC67B9C0BC5B23663E41A7A73D393D303EEF6C0ABE80853BBEA67CA7BDA4FCAE3D4946593EE9B1853D4C2A7A3CDC70243C3285FCBACAC51CBE2DA4BE3D74BE42BC188C16BD1203EEBD0368023D2FAF173E7738A03D039BEFBD98F389BD9969C0BD932A80BEC0A2103C9D24C2BD4D1FF4BDAEDE863ED783B7BDF858023E1E26413DCD2776BE913E823E45456DBEEF30203E22C8F9BC4496013EDBE81CBC78E876BDC2FE97BD8CA2C8BCFC4E5D3BE1F9B4BDAD1BD9BD13C4D23DC36A483DE07BA33D4932E8BDF7B6C43D768CB5BD161C61BE5BBBDE3D3647DA3C06CB3C3DEB6F0D3EBDDAA53CCAFFD2BC9928113ED0F8683EADAB96BD5AE700BE2802BBBD55697A3DBE2AA4BC647628BC8785F5BC6C679B3D380F693EFE5FAABD7F4AF3BD726379BD55145DBEC4020C3E938CA13C05F2ABBD67FB6F3DF1A3823EB7556CBE01D0863D4DA584BEFBA60A3DE7C794BC9665343D6E8EA0BDC5549D3D6F390BBE671AFBBD09BEAF3DCCECA83DE94A583D8AC407BEA6DB763EA983003EC28FB13C901D203E1EA65BBCABF2493D49C73CBDD566113DCCB400BE65B9C9BD1823B8BC3296BCBDBA09033E14C4A5BBC509B0BDF93A8A3DBE72E8BD27C13B3EFD21673E7250733D7FDACFBD5577163E7EBA743DA55E343DF6DCB5BD91002A3DEFE59FBDBB1734BD7480243D83CDBDBDF9D7D93CD4394DBD1746033EBDDF6DBE530EF13DD27591BDC9F65DBE762F253D686F3D3E32FB55BD8BCB24BEABBD37BD6850283E7518A1BD1A52C5BDAF916F3E5F2B853E9D3561BE671A0D3D5D5BC5BC7E1613BD101F57BD3BECDB3CE4031DBD9933EDBD265BB23DDA78A4BD4E2CF6BD0E3619BD144D083E4B6EB53DF7E4453D30EDA5BDAACA233EC5B907BE3BA216BDD18A383E0BDE08BDF2D0923DF88E513DFEAFABBD6059133E886AE83C588B993C546A30BDE551943D2266243DA05D3F3E8858F6BDFF3316BECDEC4F3DB009EA3D3DC538BE91F30B3E0AAE4DBDE73F323D9E16953D5120DFBD6CEEBB3DD01EE1BD79715F3E608C2F3E3B1EE3BDD73AD1BD15A62D3E82D20D3E4E3692BD663DC73D472DD13D0E9019BDA0069D3CA65EDDBDA1C5C5BDC3F798BD5D3D263C995F41BE4973FEBD1C85393EBC76E03C63553CBC965F243E6DC101BE634656BEE7A79ABCE152A1BDDAD73A3D39B553BE1319AB3C12145DBDE0F379BDD57905BE5AFC883D1A04E2BDBBD3CC3BE4624C3E58C1033DF0095E3D4049CDBD0D1CE9BD85A9EBBD529A7C3E017080BE5727063DB846E83CA6A33F3DC9710F3E14768BBDB0FDFE3D356576BC0922723CFE6027BEA803F4BD35F17A3CF14183BDB4C73E3D9E50133EB3D01ABE9937C8BDF264733E89C036BDA873F5BD7D086D3E060D1CBE547DD5BDFD502B3EA368E5BD62E0D3BC1C0BF5BDD820063EB1A6A1BD4B7D43BC20830ABEC0A8E9BD1BC637BD8304AFBBB09E583E75D6213EBDBB98BDB31F3A3DFC5955BEA0450B3E5FFF48BE1EF202BEFB7930BE2891EABDE9D58CBC30D76A3D18AAA53BC7FD1CBE5860D3BDAAA87EBDF0F6BABD498DB3BD27E4193DF8E63ABE2416313C0DE52C3C013B39BDDD95C13DBFAB1D3E571E45BD987145BCCADB3BBD1E45B53D01763FBD8B15B8BD917953BDB76CD83DC797AEBD1280FF3C78EC933D7067BE3DE488B23D6B15C43D02BAB43DE2B646BDA022ED3D968B993C3FF33BBDF3535FBE9BC8C63CFF67A23D1D3609BCC1BE59BD3969D0BDBC4108BD1852E0BDD43BF03D8A6FCA3D0DF8AA3DDFF1863D1C098DBBA20A9FBD592FBABD6E2753BE35FF06BE27F94EBEE7EB22BE7F9DD3BD06126E3E870C04BE7EDAB6BD2559E33D5A32E13B0404273E354EF1BD6E43EC3C0C1F8ABC5467FBBDB00FD1BD5F18753EC22F083D5194703E7BB72BBEE13AD83DEDCDA2BD14AD1F3DDA9A763ED18F713E7EA7A83B14187E3D72BF2B3D8EC31D3CFA2473BE97BE71BDB2771F3D847E1B3CE631D9BC6787253C25FD08BE4316033A90DACA3D24F4ABBDD5A6303E02A69F3D0060F93B0AC4A83B4EC6083EDAFEC8BDF14C313E2AB83EBE3B4D1EBD73E13CBE3CD4D3BDF43B9ABDE3DC07BB7D266CBDA9E0B33DC0E6E93D8E4BB83D807AD1BDEF37113D6DF0BDBDB2602EBE399D3ABD3A35E7BD782846BE6E832FBE3C4C163D08BA263D9FCA053CA3B78C3D3860193D9686DFBC58FACABCA422B7BDD5D63CBE9316FCBD874447BD05C585BE165D75BB7001F5BD19B6D53D558575BCF24EDFBC87C41BBE1F576ABE569EAFBDA29704BDCAB9FA3BB425D43DAE0810BD98FE3C3DE2DFBB3DC933493E39F3E6BD560D00BEF3EAE23C7FB786BE438C98BD3A83383B573170BE92FABCBDB84D03BDED78C0BD8E2C7E3D0B69383EB14522BEE3D3973D092EC1BDFC9AD3BC9D030CBE058A2B3E7A3766BD093A28BE44E232BD6E2529BE0654293D62B13ABD91E120BE137A56BD9133C83CC9A2C5BD1EF5C03D0CB1183D6FD2FEBC501F003E5F14FF3D2D793ABDAEEAFBBDB9E209BE8936683DF7AB19BE8F77213EB5F725BD6ECB9ABC8121F0BCFA27143D6879A4BD49E5093DEAD071BC9F8176BE98AB933DD7AEBBBD3DC292BDCD09B53CFF13CEBDDB31933C7FDC06BE4B8EDCBCA280B7BDFA9639BDB7DF4F3D35881D3E549CAB3C76C7143D93860ABE6D088FBD90EB38BEFD081B3E9F05F4B8F313A4BDF45A5CBE26AE70BE3B29873D40343CBCA2523C3E5DCF3FBE3DD2523DECC9AB3D1E91593DE7D91A3E793D993D"> : tensor<3x3x8x8xf32>}> : () -> tensor<3x3x8x8xf32>
    %33 = "stablehlo.constant"() <{value = dense<[[[[-0.150845826, 0.367616892, -7.01673795E-4, 0.319650263, -0.173488393, 0.230549484, -0.349857777, -0.165846139], [0.233028471, 0.717539846, 0.456603557, -0.351527691, -0.277778715, -0.330531865, -0.411130607, 0.238625824], [0.364320576, 0.222808391, -0.256335825, -0.58887881, -0.292050749, 0.280875355, -0.313812345, -0.8127563], [0.1487225, 0.0921926498, -0.374614507, 0.279420555, -0.225787103, 0.299280465, 0.173503146, -0.0992887914]]]]> : tensor<1x1x4x8xf32>}> : () -> tensor<1x1x4x8xf32>
    %34 = "stablehlo.constant"() <{value = dense<[[3.100530e-02, -0.0266823526, -0.197988659], [0.605748057, -0.78932619, -0.11752934], [-0.565741956, 0.0238483809, -0.237583235], [0.173649326, 0.505041361, -0.0558017641], [-5.860320e-01, 0.410461843, -0.0026852123], [0.066469267, -0.347787291, -0.446573168], [-0.0778701826, 0.238926053, 0.154598817], [0.533134043, 0.20891507, 4.291000e-01]]> : tensor<8x3xf32>}> : () -> tensor<8x3xf32>
    %35 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<3xf32>}> : () -> tensor<3xf32>
    %36 = "stablehlo.convolution"(%arg5, %27) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<3> : tensor<2x2xi64>, window_strides = array<i64: 2, 2>}> : (tensor<?x17x16x3xf32>, tensor<7x7x3x4xf32>) -> tensor<?x9x8x4xf32>
    %37 = "stablehlo.reshape"(%28) : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %38 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %39 = "stablehlo.concatenate"(%38, %26, %25, %24) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %40 = "stablehlo.dynamic_broadcast_in_dim"(%37, %39) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x4xf32>, tensor<4xi32>) -> tensor<?x9x8x4xf32>
    %41 = "stablehlo.add"(%36, %40) : (tensor<?x9x8x4xf32>, tensor<?x9x8x4xf32>) -> tensor<?x9x8x4xf32>
    %42 = "func.call"(%arg4, %41) <{callee = @relu}> : (tensor<i32>, tensor<?x9x8x4xf32>) -> tensor<?x9x8x4xf32>
    %43 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %44 = "stablehlo.reduce_window"(%42, %43) <{padding = dense<[[0, 0], [1, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %130 = "stablehlo.maximum"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%130) : (tensor<f32>) -> ()
    }) : (tensor<?x9x8x4xf32>, tensor<f32>) -> tensor<?x5x4x4xf32>
    %45 = "stablehlo.convolution"(%44, %29) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>, window_strides = array<i64: 2, 2>}> : (tensor<?x5x4x4xf32>, tensor<3x3x4x8xf32>) -> tensor<?x3x2x8xf32>
    %46 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %47 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %48 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %49 = "stablehlo.concatenate"(%48, %22, %21, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %50 = "stablehlo.dynamic_broadcast_in_dim"(%46, %49) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>, tensor<4xi32>) -> tensor<?x3x2x8xf32>
    %51 = "stablehlo.subtract"(%45, %50) : (tensor<?x3x2x8xf32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    %52 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %53 = "stablehlo.add"(%47, %52) : (tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %54 = "stablehlo.rsqrt"(%53) : (tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %55 = "stablehlo.reshape"(%31) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %56 = "stablehlo.multiply"(%54, %55) : (tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %57 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %58 = "stablehlo.concatenate"(%57, %22, %21, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %59 = "stablehlo.dynamic_broadcast_in_dim"(%56, %58) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>, tensor<4xi32>) -> tensor<?x3x2x8xf32>
    %60 = "stablehlo.multiply"(%51, %59) : (tensor<?x3x2x8xf32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    %61 = "stablehlo.reshape"(%30) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %62 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %63 = "stablehlo.concatenate"(%62, %22, %21, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %64 = "stablehlo.dynamic_broadcast_in_dim"(%61, %63) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>, tensor<4xi32>) -> tensor<?x3x2x8xf32>
    %65 = "stablehlo.add"(%60, %64) : (tensor<?x3x2x8xf32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    %66 = "func.call"(%arg4, %65) <{callee = @relu_0}> : (tensor<i32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    %67 = "stablehlo.convolution"(%66, %32) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<1> : tensor<2x2xi64>}> : (tensor<?x3x2x8xf32>, tensor<3x3x8x8xf32>) -> tensor<?x3x2x8xf32>
    %68 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %69 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %70 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %71 = "stablehlo.concatenate"(%70, %22, %21, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %72 = "stablehlo.dynamic_broadcast_in_dim"(%68, %71) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>, tensor<4xi32>) -> tensor<?x3x2x8xf32>
    %73 = "stablehlo.subtract"(%67, %72) : (tensor<?x3x2x8xf32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    %74 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %75 = "stablehlo.add"(%69, %74) : (tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %76 = "stablehlo.rsqrt"(%75) : (tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %77 = "stablehlo.reshape"(%31) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %78 = "stablehlo.multiply"(%76, %77) : (tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %79 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %80 = "stablehlo.concatenate"(%79, %22, %21, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %81 = "stablehlo.dynamic_broadcast_in_dim"(%78, %80) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>, tensor<4xi32>) -> tensor<?x3x2x8xf32>
    %82 = "stablehlo.multiply"(%73, %81) : (tensor<?x3x2x8xf32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    %83 = "stablehlo.reshape"(%30) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %84 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %85 = "stablehlo.concatenate"(%84, %22, %21, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %86 = "stablehlo.dynamic_broadcast_in_dim"(%83, %85) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>, tensor<4xi32>) -> tensor<?x3x2x8xf32>
    %87 = "stablehlo.add"(%82, %86) : (tensor<?x3x2x8xf32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    %88 = "stablehlo.convolution"(%44, %33) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>}> : (tensor<?x5x4x4xf32>, tensor<1x1x4x8xf32>) -> tensor<?x3x2x8xf32>
    %89 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %90 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %91 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %92 = "stablehlo.concatenate"(%91, %22, %21, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %93 = "stablehlo.dynamic_broadcast_in_dim"(%89, %92) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>, tensor<4xi32>) -> tensor<?x3x2x8xf32>
    %94 = "stablehlo.subtract"(%88, %93) : (tensor<?x3x2x8xf32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    %95 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %96 = "stablehlo.add"(%90, %95) : (tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %97 = "stablehlo.rsqrt"(%96) : (tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %98 = "stablehlo.reshape"(%31) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %99 = "stablehlo.multiply"(%97, %98) : (tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %100 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %101 = "stablehlo.concatenate"(%100, %22, %21, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %102 = "stablehlo.dynamic_broadcast_in_dim"(%99, %101) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>, tensor<4xi32>) -> tensor<?x3x2x8xf32>
    %103 = "stablehlo.multiply"(%94, %102) : (tensor<?x3x2x8xf32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    %104 = "stablehlo.reshape"(%30) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %105 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %106 = "stablehlo.concatenate"(%105, %22, %21, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %107 = "stablehlo.dynamic_broadcast_in_dim"(%104, %106) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>, tensor<4xi32>) -> tensor<?x3x2x8xf32>
    %108 = "stablehlo.add"(%103, %107) : (tensor<?x3x2x8xf32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    %109 = "stablehlo.add"(%108, %87) : (tensor<?x3x2x8xf32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    %110 = "func.call"(%arg4, %109) <{callee = @relu_0}> : (tensor<i32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    %111 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %112 = "stablehlo.reduce_window"(%110, %111) <{padding = dense<[[0, 0], [0, 1], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %129 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%129) : (tensor<f32>) -> ()
    }) : (tensor<?x3x2x8xf32>, tensor<f32>) -> tensor<?x2x1x8xf32>
    %113 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %114 = "stablehlo.concatenate"(%113, %21, %17, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %115 = "stablehlo.dynamic_broadcast_in_dim"(%18, %114) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<4xi32>) -> tensor<?x2x1x8xf32>
    %116 = "stablehlo.divide"(%112, %115) : (tensor<?x2x1x8xf32>, tensor<?x2x1x8xf32>) -> tensor<?x2x1x8xf32>
    %117 = "stablehlo.reduce"(%116, %19) <{dimensions = array<i64: 1, 2>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %128 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%128) : (tensor<f32>) -> ()
    }) : (tensor<?x2x1x8xf32>, tensor<f32>) -> tensor<?x8xf32>
    %118 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %119 = "stablehlo.concatenate"(%118, %25) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %120 = "stablehlo.dynamic_broadcast_in_dim"(%16, %119) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
    %121 = "stablehlo.divide"(%117, %120) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %122 = "stablehlo.dot_general"(%121, %34) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<?x8xf32>, tensor<8x3xf32>) -> tensor<?x3xf32>
    %123 = "stablehlo.reshape"(%35) : (tensor<3xf32>) -> tensor<1x3xf32>
    %124 = "stablehlo.reshape"(%arg4) : (tensor<i32>) -> tensor<1xi32>
    %125 = "stablehlo.concatenate"(%124, %22) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %126 = "stablehlo.dynamic_broadcast_in_dim"(%123, %125) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
    %127 = "stablehlo.add"(%122, %126) : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    "func.return"(%127) : (tensor<?x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}], function_type = (tensor<i32>, tensor<?x9x8x4xf32>) -> tensor<?x9x8x4xf32>, sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<?x9x8x4xf32>):
    %8 = "stablehlo.constant"() <{value = dense<4> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "stablehlo.constant"() <{value = dense<9> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.reshape"(%arg2) : (tensor<i32>) -> tensor<1xi32>
    %13 = "stablehlo.concatenate"(%12, %10, %9, %8) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %14 = "stablehlo.dynamic_broadcast_in_dim"(%11, %13) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<4xi32>) -> tensor<?x9x8x4xf32>
    %15 = "stablehlo.maximum"(%arg3, %14) : (tensor<?x9x8x4xf32>, tensor<?x9x8x4xf32>) -> tensor<?x9x8x4xf32>
    "func.return"(%15) : (tensor<?x9x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "b"}, {}], function_type = (tensor<i32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>, sym_name = "relu_0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<?x3x2x8xf32>):
    %0 = "stablehlo.constant"() <{value = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
    %1 = "stablehlo.constant"() <{value = dense<2> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "stablehlo.constant"() <{value = dense<3> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %5 = "stablehlo.concatenate"(%4, %2, %1, %0) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %6 = "stablehlo.dynamic_broadcast_in_dim"(%3, %5) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<4xi32>) -> tensor<?x3x2x8xf32>
    %7 = "stablehlo.maximum"(%arg1, %6) : (tensor<?x3x2x8xf32>, tensor<?x3x2x8xf32>) -> tensor<?x3x2x8xf32>
    "func.return"(%7) : (tensor<?x3x2x8xf32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
