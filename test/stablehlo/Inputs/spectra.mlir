"builtin.module"() <{sym_name = "jit_spectra"}> ({
  "func.func"() <{function_type = (tensor<6x24xf32>, tensor<6x12xf32>) -> (tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x13xf32>, tensor<6x13xf32>, tensor<6x9xf32>, tensor<6x9xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x13xf32>, tensor<6x13xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<12x6xf32>, tensor<12x6xf32>, tensor<12x12xf32>, tensor<12x12xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<72xf32>, tensor<72xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<3x12xf32>, tensor<3x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<2x6x12xf32>, tensor<2x6x12xf32>, tensor<6x24xf32>, tensor<6x15xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x13xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}, {jax.result_info = "result[19]"}, {jax.result_info = "result[20]"}, {jax.result_info = "result[21]"}, {jax.result_info = "result[22]"}, {jax.result_info = "result[23]"}, {jax.result_info = "result[24]"}, {jax.result_info = "result[25]"}, {jax.result_info = "result[26]"}, {jax.result_info = "result[27]"}, {jax.result_info = "result[28]"}, {jax.result_info = "result[29]"}, {jax.result_info = "result[30]"}, {jax.result_info = "result[31]"}, {jax.result_info = "result[32]"}, {jax.result_info = "result[33]"}, {jax.result_info = "result[34]"}, {jax.result_info = "result[35]"}, {jax.result_info = "result[36]"}, {jax.result_info = "result[37]"}, {jax.result_info = "result[38]"}, {jax.result_info = "result[39]"}, {jax.result_info = "result[40]"}, {jax.result_info = "result[41]"}, {jax.result_info = "result[42]"}, {jax.result_info = "result[43]"}, {jax.result_info = "result[44]"}, {jax.result_info = "result[45]"}, {jax.result_info = "result[46]"}, {jax.result_info = "result[47]"}, {jax.result_info = "result[48]"}, {jax.result_info = "result[49]"}, {jax.result_info = "result[50]"}, {jax.result_info = "result[51]"}, {jax.result_info = "result[52]"}, {jax.result_info = "result[53]"}, {jax.result_info = "result[54]"}, {jax.result_info = "result[55]"}, {jax.result_info = "result[56]"}, {jax.result_info = "result[57]"}, {jax.result_info = "result[58]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg21: tensor<6x24xf32>, %arg22: tensor<6x12xf32>):
    %27 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<6x12xf32>}> : () -> tensor<6x12xf32>
    %28 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<6x12xf32>}> : () -> tensor<6x12xf32>
    %29 = "stablehlo.constant"() <{value = dense<0x7F800000> : tensor<6x12xf32>}> : () -> tensor<6x12xf32>
    %30 = "stablehlo.constant"() <{value = dense<2.19736814> : tensor<f32>}> : () -> tensor<f32>
    %31 = "stablehlo.constant"() <{value = dense<0x7F800000> : tensor<f32>}> : () -> tensor<f32>
    %32 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %33 = "stablehlo.constant"() <{value = dense<1.41421354> : tensor<f32>}> : () -> tensor<f32>
    %34 = "stablehlo.constant"() <{value = dense<1.553774> : tensor<f32>}> : () -> tensor<f32>
    %35 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %36 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %37 = "stablehlo.constant"() <{value = dense<2.300000e+01> : tensor<f32>}> : () -> tensor<f32>
    %38 = "stablehlo.constant"() <{value = dense<6.28318548> : tensor<f32>}> : () -> tensor<f32>
    %39 = "stablehlo.constant"() <{value = dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %40 = "stablehlo.constant"() <{value = dense<(2.000000e+00,-1.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %41 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %42 = "stablehlo.constant"() <{value = dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %43 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %44 = "stablehlo.constant"() <{value = dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %45 = "stablehlo.constant"() <{value = dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %46 = "stablehlo.constant"() <{value = dense<[(6.000000e+00,0.000000e+00), (1.200000e+01,0.000000e+00)]> : tensor<2xcomplex<f32>>}> : () -> tensor<2xcomplex<f32>>
    %47 = "stablehlo.constant"() <{value = dense<[(1.000000e+00,0.000000e+00), (0.921060979,0.389418334), (0.696706712,0.717356086), (0.362357765,0.932039082), (-0.029199522,0.999573588), (-0.416146845,0.909297406), (-0.737393737,0.675463199), (-0.942222357,0.334988147), (-0.99829477,-0.0583741441), (-0.896758437,-0.44252044), (-0.653643608,-0.756802499), (-0.307332873,-0.951602101)]> : tensor<12xcomplex<f32>>}> : () -> tensor<12xcomplex<f32>>
    %48 = "stablehlo.slice"(%arg21) <{limit_indices = array<i64: 6, 12>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x24xf32>) -> tensor<6x12xf32>
    %49 = "stablehlo.slice"(%arg21) <{limit_indices = array<i64: 6, 24>, start_indices = array<i64: 0, 12>, strides = array<i64: 1, 1>}> : (tensor<6x24xf32>) -> tensor<6x12xf32>
    %50 = "stablehlo.convert"(%49) : (tensor<6x12xf32>) -> tensor<6x12xcomplex<f32>>
    %51 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<6x12xcomplex<f32>>
    %52 = "stablehlo.multiply"(%51, %50) : (tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %53 = "stablehlo.convert"(%48) : (tensor<6x12xf32>) -> tensor<6x12xcomplex<f32>>
    %54 = "stablehlo.add"(%53, %52) : (tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %55 = "stablehlo.reverse"(%arg22) <{dimensions = array<i64: 0>}> : (tensor<6x12xf32>) -> tensor<6x12xf32>
    %56 = "stablehlo.complex"(%arg22, %55) : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xcomplex<f32>>
    %57 = "stablehlo.broadcast_in_dim"(%44) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<6x12xcomplex<f32>>
    %58 = "stablehlo.add"(%56, %57) : (tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %59 = "func.call"(%arg21) <{callee = @fft}> : (tensor<6x24xf32>) -> tensor<6x24xcomplex<f32>>
    %60 = "func.call"(%arg21) <{callee = @fft_0}> : (tensor<6x24xf32>) -> tensor<6x13xcomplex<f32>>
    %61 = "stablehlo.slice"(%arg21) <{limit_indices = array<i64: 6, 17>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x24xf32>) -> tensor<6x17xf32>
    %62 = "func.call"(%61, %43) <{callee = @_pad}> : (tensor<6x17xf32>, tensor<i32>) -> tensor<6x17xf32>
    %63 = "func.call"(%62) <{callee = @fft_1}> : (tensor<6x17xf32>) -> tensor<6x9xcomplex<f32>>
    %64 = "func.call"(%54) <{callee = @fft_2}> : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %65 = "func.call"(%54) <{callee = @fft_3}> : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %66 = "stablehlo.transpose"(%54) <{permutation = array<i64: 1, 0>}> : (tensor<6x12xcomplex<f32>>) -> tensor<12x6xcomplex<f32>>
    %67 = "func.call"(%66) <{callee = @fft_4}> : (tensor<12x6xcomplex<f32>>) -> tensor<12x6xcomplex<f32>>
    %68 = "stablehlo.transpose"(%67) <{permutation = array<i64: 1, 0>}> : (tensor<12x6xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %69 = "stablehlo.transpose"(%68) <{permutation = array<i64: 1, 0>}> : (tensor<6x12xcomplex<f32>>) -> tensor<12x6xcomplex<f32>>
    %70 = "func.call"(%69) <{callee = @fft_5}> : (tensor<12x6xcomplex<f32>>) -> tensor<12x6xcomplex<f32>>
    %71 = "stablehlo.transpose"(%70) <{permutation = array<i64: 1, 0>}> : (tensor<12x6xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %72 = "func.call"(%arg21) <{callee = @fft_6}> : (tensor<6x24xf32>) -> tensor<6x13xcomplex<f32>>
    %73 = "func.call"(%54) <{callee = @fft_3}> : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %74 = "stablehlo.reduce"(%46, %42) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg23: tensor<complex<f32>>, %arg24: tensor<complex<f32>>):
      %308 = "stablehlo.multiply"(%arg23, %arg24) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
      "stablehlo.return"(%308) : (tensor<complex<f32>>) -> ()
    }) : (tensor<2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
    %75 = "stablehlo.real"(%74) : (tensor<complex<f32>>) -> tensor<f32>
    %76 = "stablehlo.compare"(%75, %41) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %77 = "stablehlo.abs"(%75) : (tensor<f32>) -> tensor<f32>
    %78 = "stablehlo.imag"(%74) : (tensor<complex<f32>>) -> tensor<f32>
    %79 = "stablehlo.abs"(%78) : (tensor<f32>) -> tensor<f32>
    %80 = "stablehlo.compare"(%77, %79) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %81 = "stablehlo.sqrt"(%77) : (tensor<f32>) -> tensor<f32>
    %82 = "stablehlo.multiply"(%81, %34) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %83 = "stablehlo.divide"(%82, %33) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %84 = "stablehlo.maximum"(%77, %79) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %85 = "stablehlo.minimum"(%77, %79) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %86 = "stablehlo.compare"(%84, %85) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %87 = "stablehlo.multiply"(%33, %84) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %88 = "stablehlo.divide"(%85, %84) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %89 = "stablehlo.multiply"(%88, %88) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %90 = "stablehlo.add"(%36, %89) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %91 = "stablehlo.sqrt"(%90) : (tensor<f32>) -> tensor<f32>
    %92 = "stablehlo.compare"(%91, %36) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %93 = "stablehlo.compare"(%89, %41) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %94 = "stablehlo.and"(%92, %93) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %95 = "stablehlo.multiply"(%84, %89) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %96 = "stablehlo.divide"(%95, %32) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %97 = "stablehlo.add"(%84, %96) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %98 = "stablehlo.multiply"(%84, %91) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %99 = "stablehlo.select"(%94, %97, %98) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %100 = "stablehlo.select"(%86, %87, %99) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %101 = "stablehlo.divide"(%100, %32) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %102 = "stablehlo.divide"(%77, %32) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %103 = "stablehlo.add"(%101, %102) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %104 = "stablehlo.sqrt"(%103) : (tensor<f32>) -> tensor<f32>
    %105 = "stablehlo.compare"(%104, %41) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %106 = "stablehlo.compare"(%104, %31) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %107 = "stablehlo.or"(%105, %106) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %108 = "stablehlo.compare"(%77, %79) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %109 = "stablehlo.compare"(%77, %79) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %110 = "stablehlo.divide"(%77, %79) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %111 = "stablehlo.divide"(%79, %77) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %112 = "stablehlo.select"(%109, %110, %111) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %113 = "stablehlo.select"(%80, %36, %112) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %114 = "stablehlo.abs"(%113) : (tensor<f32>) -> tensor<f32>
    %115 = "stablehlo.maximum"(%36, %114) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %116 = "stablehlo.minimum"(%36, %114) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %117 = "stablehlo.compare"(%115, %116) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %118 = "stablehlo.multiply"(%33, %115) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %119 = "stablehlo.divide"(%116, %115) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %120 = "stablehlo.multiply"(%119, %119) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %121 = "stablehlo.add"(%36, %120) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %122 = "stablehlo.sqrt"(%121) : (tensor<f32>) -> tensor<f32>
    %123 = "stablehlo.compare"(%122, %36) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %124 = "stablehlo.compare"(%120, %41) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %125 = "stablehlo.and"(%123, %124) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %126 = "stablehlo.multiply"(%115, %120) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %127 = "stablehlo.divide"(%126, %32) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %128 = "stablehlo.add"(%115, %127) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %129 = "stablehlo.multiply"(%115, %122) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %130 = "stablehlo.select"(%125, %128, %129) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %131 = "stablehlo.select"(%117, %118, %130) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %132 = "stablehlo.add"(%36, %131) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %133 = "stablehlo.sqrt"(%132) : (tensor<f32>) -> tensor<f32>
    %134 = "stablehlo.divide"(%133, %33) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %135 = "stablehlo.multiply"(%81, %134) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %136 = "stablehlo.sqrt"(%79) : (tensor<f32>) -> tensor<f32>
    %137 = "stablehlo.add"(%113, %131) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %138 = "stablehlo.sqrt"(%137) : (tensor<f32>) -> tensor<f32>
    %139 = "stablehlo.divide"(%138, %33) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %140 = "stablehlo.multiply"(%136, %139) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %141 = "stablehlo.select"(%108, %135, %140) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %142 = "stablehlo.select"(%107, %141, %104) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %143 = "stablehlo.select"(%80, %83, %142) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %144 = "stablehlo.divide"(%136, %30) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %145 = "stablehlo.divide"(%81, %136) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %146 = "stablehlo.divide"(%136, %81) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %147 = "stablehlo.select"(%109, %145, %146) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %148 = "stablehlo.select"(%80, %36, %147) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %149 = "stablehlo.multiply"(%136, %148) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %150 = "stablehlo.multiply"(%133, %33) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %151 = "stablehlo.divide"(%149, %150) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %152 = "stablehlo.multiply"(%138, %33) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %153 = "stablehlo.divide"(%136, %152) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %154 = "stablehlo.select"(%108, %151, %153) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %155 = "stablehlo.multiply"(%104, %32) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %156 = "stablehlo.divide"(%79, %155) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %157 = "stablehlo.select"(%107, %154, %156) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %158 = "stablehlo.select"(%80, %144, %157) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %159 = "stablehlo.select"(%76, %143, %158) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %160 = "stablehlo.compare"(%75, %41) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %161 = "stablehlo.compare"(%78, %41) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %162 = "stablehlo.negate"(%143) : (tensor<f32>) -> tensor<f32>
    %163 = "stablehlo.select"(%161, %162, %143) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %164 = "stablehlo.negate"(%158) : (tensor<f32>) -> tensor<f32>
    %165 = "stablehlo.select"(%161, %164, %158) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %166 = "stablehlo.select"(%160, %163, %165) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %167 = "stablehlo.complex"(%159, %166) : (tensor<f32>, tensor<f32>) -> tensor<complex<f32>>
    %168 = "stablehlo.divide"(%42, %167) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
    %169 = "stablehlo.broadcast_in_dim"(%168) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<6x12xcomplex<f32>>
    %170 = "stablehlo.multiply"(%73, %169) : (tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %171 = "stablehlo.multiply"(%54, %58) : (tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %172 = "stablehlo.divide"(%54, %58) : (tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %173 = "stablehlo.subtract"(%54, %58) : (tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %174 = "stablehlo.negate"(%54) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %175 = "stablehlo.real"(%54) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %176 = "stablehlo.imag"(%54) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %177 = "stablehlo.negate"(%176) : (tensor<6x12xf32>) -> tensor<6x12xf32>
    %178 = "stablehlo.complex"(%175, %177) : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xcomplex<f32>>
    %179 = "stablehlo.real"(%54) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %180 = "stablehlo.exponential"(%179) : (tensor<6x12xf32>) -> tensor<6x12xf32>
    %181 = "stablehlo.compare"(%180, %29) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %182 = "stablehlo.multiply"(%179, %28) : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xf32>
    %183 = "stablehlo.exponential"(%182) : (tensor<6x12xf32>) -> tensor<6x12xf32>
    %184 = "stablehlo.imag"(%54) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %185 = "stablehlo.cosine"(%184) : (tensor<6x12xf32>) -> tensor<6x12xf32>
    %186 = "stablehlo.multiply"(%183, %185) : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xf32>
    %187 = "stablehlo.multiply"(%186, %183) : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xf32>
    %188 = "stablehlo.multiply"(%180, %185) : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xf32>
    %189 = "stablehlo.select"(%181, %187, %188) : (tensor<6x12xi1>, tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xf32>
    %190 = "stablehlo.compare"(%184, %27) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %191 = "stablehlo.sine"(%184) : (tensor<6x12xf32>) -> tensor<6x12xf32>
    %192 = "stablehlo.multiply"(%183, %191) : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xf32>
    %193 = "stablehlo.multiply"(%192, %183) : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xf32>
    %194 = "stablehlo.multiply"(%180, %191) : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xf32>
    %195 = "stablehlo.select"(%181, %193, %194) : (tensor<6x12xi1>, tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xf32>
    %196 = "stablehlo.select"(%190, %27, %195) : (tensor<6x12xi1>, tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xf32>
    %197 = "stablehlo.complex"(%189, %196) : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xcomplex<f32>>
    %198 = "stablehlo.broadcast_in_dim"(%47) <{broadcast_dimensions = array<i64: 1>}> : (tensor<12xcomplex<f32>>) -> tensor<1x12xcomplex<f32>>
    %199 = "stablehlo.broadcast_in_dim"(%198) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %200 = "stablehlo.multiply"(%54, %199) : (tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %201 = "stablehlo.transpose"(%54) <{permutation = array<i64: 1, 0>}> : (tensor<6x12xcomplex<f32>>) -> tensor<12x6xcomplex<f32>>
    %202 = "stablehlo.concatenate"(%54, %58) <{dimension = 0 : i64}> : (tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<12x12xcomplex<f32>>
    %203 = "stablehlo.slice"(%54) <{limit_indices = array<i64: 6, 7>, start_indices = array<i64: 0, 3>, strides = array<i64: 1, 1>}> : (tensor<6x12xcomplex<f32>>) -> tensor<6x4xcomplex<f32>>
    %204 = "stablehlo.reverse"(%54) <{dimensions = array<i64: 0>}> : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %205 = "stablehlo.reshape"(%54) : (tensor<6x12xcomplex<f32>>) -> tensor<72xcomplex<f32>>
    %206 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x12xf32>
    %207 = "stablehlo.compare"(%arg22, %206) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %208 = "func.call"(%207, %54, %58) <{callee = @_where}> : (tensor<6x12xi1>, tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %209 = "stablehlo.convert"(%arg22) : (tensor<6x12xf32>) -> tensor<6x12xcomplex<f32>>
    %210 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<6x12xcomplex<f32>>
    %211 = "stablehlo.multiply"(%210, %209) : (tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %212 = "stablehlo.slice"(%54) <{limit_indices = array<i64: 1, 12>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x12xcomplex<f32>>) -> tensor<1x12xcomplex<f32>>
    %213 = "stablehlo.broadcast_in_dim"(%212) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x12xcomplex<f32>>) -> tensor<3x12xcomplex<f32>>
    %214 = "func.call"(%54) <{callee = @_roll_static}> : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %215 = "stablehlo.broadcast_in_dim"(%54) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<6x12xcomplex<f32>>) -> tensor<1x6x12xcomplex<f32>>
    %216 = "stablehlo.broadcast_in_dim"(%58) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<6x12xcomplex<f32>>) -> tensor<1x6x12xcomplex<f32>>
    %217 = "stablehlo.concatenate"(%215, %216) <{dimension = 0 : i64}> : (tensor<1x6x12xcomplex<f32>>, tensor<1x6x12xcomplex<f32>>) -> tensor<2x6x12xcomplex<f32>>
    %218 = "func.call"(%arg21) <{callee = @fft_0}> : (tensor<6x24xf32>) -> tensor<6x13xcomplex<f32>>
    %219 = "func.call"(%218) <{callee = @fft_7}> : (tensor<6x13xcomplex<f32>>) -> tensor<6x24xf32>
    %220 = "func.call"(%arg21) <{callee = @fft_0}> : (tensor<6x24xf32>) -> tensor<6x13xcomplex<f32>>
    %221 = "stablehlo.slice"(%220) <{limit_indices = array<i64: 6, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x13xcomplex<f32>>) -> tensor<6x8xcomplex<f32>>
    %222 = "func.call"(%221, %43) <{callee = @_pad_8}> : (tensor<6x8xcomplex<f32>>, tensor<i32>) -> tensor<6x8xcomplex<f32>>
    %223 = "func.call"(%222) <{callee = @fft_9}> : (tensor<6x8xcomplex<f32>>) -> tensor<6x15xf32>
    %224 = "func.call"(%arg21) <{callee = @fft_6}> : (tensor<6x24xf32>) -> tensor<6x13xcomplex<f32>>
    %225 = "func.call"(%224) <{callee = @fft_10}> : (tensor<6x13xcomplex<f32>>) -> tensor<6x24xf32>
    %226 = "func.call"(%arg21) <{callee = @fft}> : (tensor<6x24xf32>) -> tensor<6x24xcomplex<f32>>
    %227 = "stablehlo.transpose"(%226) <{permutation = array<i64: 1, 0>}> : (tensor<6x24xcomplex<f32>>) -> tensor<24x6xcomplex<f32>>
    %228 = "func.call"(%227) <{callee = @fft_11}> : (tensor<24x6xcomplex<f32>>) -> tensor<24x6xcomplex<f32>>
    %229 = "stablehlo.transpose"(%228) <{permutation = array<i64: 1, 0>}> : (tensor<24x6xcomplex<f32>>) -> tensor<6x24xcomplex<f32>>
    %230 = "stablehlo.real"(%229) : (tensor<6x24xcomplex<f32>>) -> tensor<6x24xf32>
    %231 = "stablehlo.abs"(%54) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %232 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<6x12xcomplex<f32>>
    %233 = "stablehlo.multiply"(%232, %54) : (tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %234 = "stablehlo.abs"(%233) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %235 = "func.call"(%54) <{callee = @angle}> : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %236 = "stablehlo.real"(%54) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %237 = "stablehlo.imag"(%54) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %238 = "stablehlo.negate"(%237) : (tensor<6x12xf32>) -> tensor<6x12xf32>
    %239 = "stablehlo.complex"(%236, %238) : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xcomplex<f32>>
    %240 = "stablehlo.multiply"(%54, %239) : (tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %241 = "stablehlo.real"(%240) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %242 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<24xf32>
    %243 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %244 = "stablehlo.multiply"(%243, %242) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %245 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %246 = "stablehlo.divide"(%244, %245) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %247 = "stablehlo.cosine"(%246) : (tensor<24xf32>) -> tensor<24xf32>
    %248 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %249 = "stablehlo.subtract"(%248, %247) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %250 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %251 = "stablehlo.multiply"(%250, %249) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %252 = "stablehlo.broadcast_in_dim"(%251) <{broadcast_dimensions = array<i64: 1>}> : (tensor<24xf32>) -> tensor<1x24xf32>
    %253 = "stablehlo.broadcast_in_dim"(%252) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x24xf32>) -> tensor<6x24xf32>
    %254 = "stablehlo.multiply"(%arg21, %253) : (tensor<6x24xf32>, tensor<6x24xf32>) -> tensor<6x24xf32>
    %255 = "func.call"(%254) <{callee = @fft_0}> : (tensor<6x24xf32>) -> tensor<6x13xcomplex<f32>>
    %256 = "stablehlo.abs"(%255) : (tensor<6x13xcomplex<f32>>) -> tensor<6x13xf32>
    %257 = "stablehlo.multiply"(%256, %256) : (tensor<6x13xf32>, tensor<6x13xf32>) -> tensor<6x13xf32>
    %258 = "stablehlo.real"(%59) : (tensor<6x24xcomplex<f32>>) -> tensor<6x24xf32>
    %259 = "stablehlo.imag"(%59) : (tensor<6x24xcomplex<f32>>) -> tensor<6x24xf32>
    %260 = "stablehlo.real"(%60) : (tensor<6x13xcomplex<f32>>) -> tensor<6x13xf32>
    %261 = "stablehlo.imag"(%60) : (tensor<6x13xcomplex<f32>>) -> tensor<6x13xf32>
    %262 = "stablehlo.real"(%63) : (tensor<6x9xcomplex<f32>>) -> tensor<6x9xf32>
    %263 = "stablehlo.imag"(%63) : (tensor<6x9xcomplex<f32>>) -> tensor<6x9xf32>
    %264 = "stablehlo.real"(%64) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %265 = "stablehlo.imag"(%64) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %266 = "stablehlo.real"(%65) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %267 = "stablehlo.imag"(%65) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %268 = "stablehlo.real"(%71) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %269 = "stablehlo.imag"(%71) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %270 = "stablehlo.real"(%72) : (tensor<6x13xcomplex<f32>>) -> tensor<6x13xf32>
    %271 = "stablehlo.imag"(%72) : (tensor<6x13xcomplex<f32>>) -> tensor<6x13xf32>
    %272 = "stablehlo.real"(%170) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %273 = "stablehlo.imag"(%170) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %274 = "stablehlo.real"(%171) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %275 = "stablehlo.imag"(%171) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %276 = "stablehlo.real"(%172) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %277 = "stablehlo.imag"(%172) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %278 = "stablehlo.real"(%173) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %279 = "stablehlo.imag"(%173) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %280 = "stablehlo.real"(%174) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %281 = "stablehlo.imag"(%174) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %282 = "stablehlo.real"(%178) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %283 = "stablehlo.imag"(%178) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %284 = "stablehlo.real"(%197) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %285 = "stablehlo.imag"(%197) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %286 = "stablehlo.real"(%200) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %287 = "stablehlo.imag"(%200) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %288 = "stablehlo.real"(%201) : (tensor<12x6xcomplex<f32>>) -> tensor<12x6xf32>
    %289 = "stablehlo.imag"(%201) : (tensor<12x6xcomplex<f32>>) -> tensor<12x6xf32>
    %290 = "stablehlo.real"(%202) : (tensor<12x12xcomplex<f32>>) -> tensor<12x12xf32>
    %291 = "stablehlo.imag"(%202) : (tensor<12x12xcomplex<f32>>) -> tensor<12x12xf32>
    %292 = "stablehlo.real"(%203) : (tensor<6x4xcomplex<f32>>) -> tensor<6x4xf32>
    %293 = "stablehlo.imag"(%203) : (tensor<6x4xcomplex<f32>>) -> tensor<6x4xf32>
    %294 = "stablehlo.real"(%204) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %295 = "stablehlo.imag"(%204) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %296 = "stablehlo.real"(%205) : (tensor<72xcomplex<f32>>) -> tensor<72xf32>
    %297 = "stablehlo.imag"(%205) : (tensor<72xcomplex<f32>>) -> tensor<72xf32>
    %298 = "stablehlo.real"(%208) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %299 = "stablehlo.imag"(%208) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %300 = "stablehlo.real"(%211) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %301 = "stablehlo.imag"(%211) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %302 = "stablehlo.real"(%213) : (tensor<3x12xcomplex<f32>>) -> tensor<3x12xf32>
    %303 = "stablehlo.imag"(%213) : (tensor<3x12xcomplex<f32>>) -> tensor<3x12xf32>
    %304 = "stablehlo.real"(%214) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %305 = "stablehlo.imag"(%214) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %306 = "stablehlo.real"(%217) : (tensor<2x6x12xcomplex<f32>>) -> tensor<2x6x12xf32>
    %307 = "stablehlo.imag"(%217) : (tensor<2x6x12xcomplex<f32>>) -> tensor<2x6x12xf32>
    "func.return"(%258, %259, %260, %261, %262, %263, %264, %265, %266, %267, %268, %269, %270, %271, %272, %273, %274, %275, %276, %277, %278, %279, %280, %281, %282, %283, %284, %285, %286, %287, %288, %289, %290, %291, %292, %293, %294, %295, %296, %297, %298, %299, %300, %301, %302, %303, %304, %305, %306, %307, %219, %223, %225, %230, %231, %234, %235, %241, %257) : (tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x13xf32>, tensor<6x13xf32>, tensor<6x9xf32>, tensor<6x9xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x13xf32>, tensor<6x13xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<12x6xf32>, tensor<12x6xf32>, tensor<12x12xf32>, tensor<12x12xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<72xf32>, tensor<72xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<3x12xf32>, tensor<3x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<2x6x12xf32>, tensor<2x6x12xf32>, tensor<6x24xf32>, tensor<6x15xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x12xf32>, tensor<6x13xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x24xf32>) -> tensor<6x24xcomplex<f32>>, sym_name = "fft", sym_visibility = "private"}> ({
  ^bb0(%arg20: tensor<6x24xf32>):
    %25 = "stablehlo.convert"(%arg20) : (tensor<6x24xf32>) -> tensor<6x24xcomplex<f32>>
    %26 = "stablehlo.fft"(%25) <{fft_length = array<i64: 24>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<6x24xcomplex<f32>>) -> tensor<6x24xcomplex<f32>>
    "func.return"(%26) : (tensor<6x24xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x24xf32>) -> tensor<6x13xcomplex<f32>>, sym_name = "fft_0", sym_visibility = "private"}> ({
  ^bb0(%arg19: tensor<6x24xf32>):
    %24 = "stablehlo.fft"(%arg19) <{fft_length = array<i64: 24>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<6x24xf32>) -> tensor<6x13xcomplex<f32>>
    "func.return"(%24) : (tensor<6x13xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x17xf32>, tensor<i32>) -> tensor<6x17xf32>, sym_name = "_pad", sym_visibility = "private"}> ({
  ^bb0(%arg17: tensor<6x17xf32>, %arg18: tensor<i32>):
    %22 = "stablehlo.convert"(%arg18) : (tensor<i32>) -> tensor<f32>
    %23 = "stablehlo.pad"(%arg17, %22) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<6x17xf32>, tensor<f32>) -> tensor<6x17xf32>
    "func.return"(%23) : (tensor<6x17xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x17xf32>) -> tensor<6x9xcomplex<f32>>, sym_name = "fft_1", sym_visibility = "private"}> ({
  ^bb0(%arg16: tensor<6x17xf32>):
    %21 = "stablehlo.fft"(%arg16) <{fft_length = array<i64: 17>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<6x17xf32>) -> tensor<6x9xcomplex<f32>>
    "func.return"(%21) : (tensor<6x9xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>, sym_name = "fft_2", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<6x12xcomplex<f32>>):
    %20 = "stablehlo.fft"(%arg15) <{fft_length = array<i64: 12>, fft_type = #stablehlo<fft_type IFFT>}> : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    "func.return"(%20) : (tensor<6x12xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>, sym_name = "fft_3", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<6x12xcomplex<f32>>):
    %19 = "stablehlo.fft"(%arg14) <{fft_length = array<i64: 6, 12>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    "func.return"(%19) : (tensor<6x12xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<12x6xcomplex<f32>>) -> tensor<12x6xcomplex<f32>>, sym_name = "fft_4", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<12x6xcomplex<f32>>):
    %18 = "stablehlo.fft"(%arg13) <{fft_length = array<i64: 6>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<12x6xcomplex<f32>>) -> tensor<12x6xcomplex<f32>>
    "func.return"(%18) : (tensor<12x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<12x6xcomplex<f32>>) -> tensor<12x6xcomplex<f32>>, sym_name = "fft_5", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<12x6xcomplex<f32>>):
    %17 = "stablehlo.fft"(%arg12) <{fft_length = array<i64: 6>, fft_type = #stablehlo<fft_type IFFT>}> : (tensor<12x6xcomplex<f32>>) -> tensor<12x6xcomplex<f32>>
    "func.return"(%17) : (tensor<12x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x24xf32>) -> tensor<6x13xcomplex<f32>>, sym_name = "fft_6", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<6x24xf32>):
    %16 = "stablehlo.fft"(%arg11) <{fft_length = array<i64: 6, 24>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<6x24xf32>) -> tensor<6x13xcomplex<f32>>
    "func.return"(%16) : (tensor<6x13xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x12xi1>, tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<6x12xi1>, %arg9: tensor<6x12xcomplex<f32>>, %arg10: tensor<6x12xcomplex<f32>>):
    %15 = "stablehlo.select"(%arg8, %arg9, %arg10) : (tensor<6x12xi1>, tensor<6x12xcomplex<f32>>, tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    "func.return"(%15) : (tensor<6x12xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>, sym_name = "_roll_static", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<6x12xcomplex<f32>>):
    %9 = "stablehlo.slice"(%arg7) <{limit_indices = array<i64: 6, 12>, start_indices = array<i64: 3, 0>, strides = array<i64: 1, 1>}> : (tensor<6x12xcomplex<f32>>) -> tensor<3x12xcomplex<f32>>
    %10 = "stablehlo.slice"(%arg7) <{limit_indices = array<i64: 3, 12>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x12xcomplex<f32>>) -> tensor<3x12xcomplex<f32>>
    %11 = "stablehlo.concatenate"(%9, %10) <{dimension = 0 : i64}> : (tensor<3x12xcomplex<f32>>, tensor<3x12xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    %12 = "stablehlo.slice"(%11) <{limit_indices = array<i64: 6, 12>, start_indices = array<i64: 0, 6>, strides = array<i64: 1, 1>}> : (tensor<6x12xcomplex<f32>>) -> tensor<6x6xcomplex<f32>>
    %13 = "stablehlo.slice"(%11) <{limit_indices = array<i64: 6, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x12xcomplex<f32>>) -> tensor<6x6xcomplex<f32>>
    %14 = "stablehlo.concatenate"(%12, %13) <{dimension = 1 : i64}> : (tensor<6x6xcomplex<f32>>, tensor<6x6xcomplex<f32>>) -> tensor<6x12xcomplex<f32>>
    "func.return"(%14) : (tensor<6x12xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x13xcomplex<f32>>) -> tensor<6x24xf32>, sym_name = "fft_7", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<6x13xcomplex<f32>>):
    %8 = "stablehlo.fft"(%arg6) <{fft_length = array<i64: 24>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<6x13xcomplex<f32>>) -> tensor<6x24xf32>
    "func.return"(%8) : (tensor<6x24xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x8xcomplex<f32>>, tensor<i32>) -> tensor<6x8xcomplex<f32>>, sym_name = "_pad_8", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<6x8xcomplex<f32>>, %arg5: tensor<i32>):
    %6 = "stablehlo.convert"(%arg5) : (tensor<i32>) -> tensor<complex<f32>>
    %7 = "stablehlo.pad"(%arg4, %6) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<6x8xcomplex<f32>>, tensor<complex<f32>>) -> tensor<6x8xcomplex<f32>>
    "func.return"(%7) : (tensor<6x8xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x8xcomplex<f32>>) -> tensor<6x15xf32>, sym_name = "fft_9", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<6x8xcomplex<f32>>):
    %5 = "stablehlo.fft"(%arg3) <{fft_length = array<i64: 15>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<6x8xcomplex<f32>>) -> tensor<6x15xf32>
    "func.return"(%5) : (tensor<6x15xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x13xcomplex<f32>>) -> tensor<6x24xf32>, sym_name = "fft_10", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<6x13xcomplex<f32>>):
    %4 = "stablehlo.fft"(%arg2) <{fft_length = array<i64: 6, 24>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<6x13xcomplex<f32>>) -> tensor<6x24xf32>
    "func.return"(%4) : (tensor<6x24xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<24x6xcomplex<f32>>) -> tensor<24x6xcomplex<f32>>, sym_name = "fft_11", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<24x6xcomplex<f32>>):
    %3 = "stablehlo.fft"(%arg1) <{fft_length = array<i64: 6>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<24x6xcomplex<f32>>) -> tensor<24x6xcomplex<f32>>
    "func.return"(%3) : (tensor<24x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>, sym_name = "angle", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<6x12xcomplex<f32>>):
    %0 = "stablehlo.real"(%arg0) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %1 = "stablehlo.imag"(%arg0) : (tensor<6x12xcomplex<f32>>) -> tensor<6x12xf32>
    %2 = "stablehlo.atan2"(%1, %0) : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xf32>
    "func.return"(%2) : (tensor<6x12xf32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
