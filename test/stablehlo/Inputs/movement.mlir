"builtin.module"() <{sym_name = "jit_movement"}> ({
  "func.func"() <{function_type = (tensor<8x6xf32>, tensor<3xi32>) -> (tensor<8x6xf32>, tensor<4x2xf32>, tensor<8x6xf32>, tensor<11x7xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<22x7xf32>, tensor<8x2x6xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<6xi32>, tensor<16x6xf32>, tensor<3x3xi32>, tensor<3x6xf32>, tensor<8x8xf32>, tensor<2x4x4xf32>, tensor<f32>, tensor<6x6xf32>, tensor<2x3x4xi32>, tensor<5xf32>, tensor<4x4xf32>, tensor<6x8xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8][0]"}, {jax.result_info = "result[8][1]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}, {jax.result_info = "result[19]"}, {jax.result_info = "result[20]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg9: tensor<8x6xf32>, %arg10: tensor<3xi32>):
    %48 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %49 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %50 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %51 = "func.call"(%arg9) <{callee = @_flip}> : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %52 = "stablehlo.slice"(%arg9) <{limit_indices = array<i64: 8, 6>, start_indices = array<i64: 0, 1>, strides = array<i64: 2, 3>}> : (tensor<8x6xf32>) -> tensor<4x2xf32>
    %53 = "func.call"(%arg9) <{callee = @_roll_static}> : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %54 = "func.call"(%arg9, %50) <{callee = @_pad}> : (tensor<8x6xf32>, tensor<i32>) -> tensor<11x7xf32>
    %55 = "func.call"(%arg9) <{callee = @tril}> : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %56 = "func.call"(%arg9) <{callee = @triu}> : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %57 = "stablehlo.pad"(%arg9, %49) <{edge_padding_high = array<i64: -1, 2>, edge_padding_low = array<i64: 1, -1>, interior_padding = array<i64: 2, 0>}> : (tensor<8x6xf32>, tensor<f32>) -> tensor<22x7xf32>
    %58 = "stablehlo.broadcast_in_dim"(%arg9) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<8x6xf32>) -> tensor<8x1x6xf32>
    %59 = "stablehlo.broadcast_in_dim"(%arg9) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<8x6xf32>) -> tensor<8x1x6xf32>
    %60 = "stablehlo.concatenate"(%58, %59) <{dimension = 1 : i64}> : (tensor<8x1x6xf32>, tensor<8x1x6xf32>) -> tensor<8x2x6xf32>
    %61 = "stablehlo.slice"(%arg9) <{limit_indices = array<i64: 8, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x6xf32>) -> tensor<8x3xf32>
    %62 = "stablehlo.slice"(%arg9) <{limit_indices = array<i64: 8, 6>, start_indices = array<i64: 0, 3>, strides = array<i64: 1, 1>}> : (tensor<8x6xf32>) -> tensor<8x3xf32>
    %63 = "stablehlo.broadcast_in_dim"(%arg10) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x2xi32>
    %64 = "stablehlo.reshape"(%63) : (tensor<3x2xi32>) -> tensor<6xi32>
    %65 = "stablehlo.reshape"(%arg9) : (tensor<8x6xf32>) -> tensor<1x8x1x6xf32>
    %66 = "stablehlo.broadcast_in_dim"(%65) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x8x1x6xf32>) -> tensor<2x8x1x6xf32>
    %67 = "stablehlo.reshape"(%66) : (tensor<2x8x1x6xf32>) -> tensor<16x6xf32>
    %68 = "stablehlo.broadcast_in_dim"(%arg10) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xi32>) -> tensor<3x3xi32>
    %69 = "func.call"(%arg10) <{callee = @_one_hot}> : (tensor<3xi32>) -> tensor<3x6xf32>
    %70 = "stablehlo.dot_general"(%arg9, %arg9) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x8xf32>
    %71 = "stablehlo.reshape"(%arg9) : (tensor<8x6xf32>) -> tensor<2x4x6xf32>
    %72 = "stablehlo.reshape"(%arg9) : (tensor<8x6xf32>) -> tensor<2x4x6xf32>
    %73 = "stablehlo.dot_general"(%72, %71) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2]>}> : (tensor<2x4x6xf32>, tensor<2x4x6xf32>) -> tensor<2x4x4xf32>
    %74 = "stablehlo.slice"(%arg9) <{limit_indices = array<i64: 1, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %75 = "stablehlo.reshape"(%74) : (tensor<1x6xf32>) -> tensor<6xf32>
    %76 = "stablehlo.slice"(%arg9) <{limit_indices = array<i64: 2, 6>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %77 = "stablehlo.reshape"(%76) : (tensor<1x6xf32>) -> tensor<6xf32>
    %78 = "stablehlo.dot_general"(%75, %77) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<6xf32>, tensor<6xf32>) -> tensor<f32>
    %79 = "stablehlo.slice"(%arg9) <{limit_indices = array<i64: 1, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %80 = "stablehlo.reshape"(%79) : (tensor<1x6xf32>) -> tensor<6xf32>
    %81 = "stablehlo.slice"(%arg9) <{limit_indices = array<i64: 2, 6>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %82 = "stablehlo.reshape"(%81) : (tensor<1x6xf32>) -> tensor<6xf32>
    %83 = "stablehlo.broadcast_in_dim"(%80) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xf32>) -> tensor<6x1xf32>
    %84 = "stablehlo.broadcast_in_dim"(%82) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xf32>) -> tensor<1x6xf32>
    %85 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<6x1xf32>) -> tensor<6x6xf32>
    %86 = "stablehlo.broadcast_in_dim"(%84) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x6xf32>) -> tensor<6x6xf32>
    %87 = "stablehlo.multiply"(%85, %86) : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %88 = "stablehlo.broadcast_in_dim"(%arg10) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xi32>) -> tensor<2x3x4xi32>
    %89 = "func.call"(%50, %48) <{callee = @_linspace}> : (tensor<i32>, tensor<i32>) -> tensor<5xf32>
    %90 = "stablehlo.slice"(%arg9) <{limit_indices = array<i64: 1, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x6xf32>) -> tensor<1x1xf32>
    %91 = "stablehlo.reshape"(%90) : (tensor<1x1xf32>) -> tensor<f32>
    %92 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5xf32>
    %93 = "stablehlo.multiply"(%89, %92) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %94 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4x4xi32>
    %95 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x4xi32>
    %96 = "stablehlo.broadcast_in_dim"(%50) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x4xi32>
    %97 = "stablehlo.add"(%94, %96) : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
    %98 = "stablehlo.compare"(%97, %95) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %99 = "stablehlo.convert"(%98) : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %100 = "stablehlo.transpose"(%arg9) <{permutation = array<i64: 1, 0>}> : (tensor<8x6xf32>) -> tensor<6x8xf32>
    "func.return"(%51, %52, %53, %54, %55, %56, %57, %60, %61, %62, %64, %67, %68, %69, %70, %73, %78, %87, %88, %93, %99, %100) : (tensor<8x6xf32>, tensor<4x2xf32>, tensor<8x6xf32>, tensor<11x7xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<22x7xf32>, tensor<8x2x6xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<6xi32>, tensor<16x6xf32>, tensor<3x3xi32>, tensor<3x6xf32>, tensor<8x8xf32>, tensor<2x4x4xf32>, tensor<f32>, tensor<6x6xf32>, tensor<2x3x4xi32>, tensor<5xf32>, tensor<4x4xf32>, tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x6xf32>) -> tensor<8x6xf32>, sym_name = "_flip", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<8x6xf32>):
    %47 = "stablehlo.reverse"(%arg8) <{dimensions = array<i64: 1>}> : (tensor<8x6xf32>) -> tensor<8x6xf32>
    "func.return"(%47) : (tensor<8x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x6xf32>) -> tensor<8x6xf32>, sym_name = "_roll_static", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<8x6xf32>):
    %44 = "stablehlo.slice"(%arg7) <{limit_indices = array<i64: 8, 6>, start_indices = array<i64: 7, 0>, strides = array<i64: 1, 1>}> : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %45 = "stablehlo.slice"(%arg7) <{limit_indices = array<i64: 7, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x6xf32>) -> tensor<7x6xf32>
    %46 = "stablehlo.concatenate"(%44, %45) <{dimension = 0 : i64}> : (tensor<1x6xf32>, tensor<7x6xf32>) -> tensor<8x6xf32>
    "func.return"(%46) : (tensor<8x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x6xf32>, tensor<i32>) -> tensor<11x7xf32>, sym_name = "_pad", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<8x6xf32>, %arg6: tensor<i32>):
    %42 = "stablehlo.convert"(%arg6) : (tensor<i32>) -> tensor<f32>
    %43 = "stablehlo.pad"(%arg5, %42) <{edge_padding_high = array<i64: 2, 1>, edge_padding_low = array<i64: 1, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<8x6xf32>, tensor<f32>) -> tensor<11x7xf32>
    "func.return"(%43) : (tensor<11x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x6xf32>) -> tensor<8x6xf32>, sym_name = "tril", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<8x6xf32>):
    %33 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %34 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %35 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x6xi32>
    %36 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x6xi32>
    %37 = "stablehlo.add"(%35, %36) : (tensor<8x6xi32>, tensor<8x6xi32>) -> tensor<8x6xi32>
    %38 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x6xi32>
    %39 = "stablehlo.compare"(%37, %38) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x6xi32>, tensor<8x6xi32>) -> tensor<8x6xi1>
    %40 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x6xf32>
    %41 = "stablehlo.select"(%39, %arg4, %40) : (tensor<8x6xi1>, tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    "func.return"(%41) : (tensor<8x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x6xf32>) -> tensor<8x6xf32>, sym_name = "triu", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<8x6xf32>):
    %24 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %25 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %26 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x6xi32>
    %27 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x6xi32>
    %28 = "stablehlo.add"(%26, %27) : (tensor<8x6xi32>, tensor<8x6xi32>) -> tensor<8x6xi32>
    %29 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x6xi32>
    %30 = "stablehlo.compare"(%28, %29) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x6xi32>, tensor<8x6xi32>) -> tensor<8x6xi1>
    %31 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x6xf32>
    %32 = "stablehlo.select"(%30, %31, %arg3) : (tensor<8x6xi1>, tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    "func.return"(%32) : (tensor<8x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xi32>) -> tensor<3x6xf32>, sym_name = "_one_hot", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<3xi32>):
    %18 = "stablehlo.broadcast_in_dim"(%arg2) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x1xi32>
    %19 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<1x6xi32>
    %20 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<3x1xi32>) -> tensor<3x6xi32>
    %21 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x6xi32>) -> tensor<3x6xi32>
    %22 = "stablehlo.compare"(%20, %21) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<3x6xi32>, tensor<3x6xi32>) -> tensor<3x6xi1>
    %23 = "stablehlo.convert"(%22) : (tensor<3x6xi1>) -> tensor<3x6xf32>
    "func.return"(%23) : (tensor<3x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<i32>) -> tensor<5xf32>, sym_name = "_linspace", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
    %0 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.convert"(%arg0) : (tensor<i32>) -> tensor<f32>
    %3 = "stablehlo.convert"(%arg1) : (tensor<i32>) -> tensor<f32>
    %4 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xf32>
    %5 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %6 = "stablehlo.divide"(%4, %5) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %7 = "stablehlo.reshape"(%2) : (tensor<f32>) -> tensor<1xf32>
    %8 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %9 = "stablehlo.subtract"(%8, %6) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %10 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf32>) -> tensor<4xf32>
    %11 = "stablehlo.multiply"(%10, %9) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %12 = "stablehlo.reshape"(%3) : (tensor<f32>) -> tensor<1xf32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf32>) -> tensor<4xf32>
    %14 = "stablehlo.multiply"(%13, %6) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %15 = "stablehlo.add"(%11, %14) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %16 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %17 = "stablehlo.concatenate"(%15, %16) <{dimension = 0 : i64}> : (tensor<4xf32>, tensor<1xf32>) -> tensor<5xf32>
    "func.return"(%17) : (tensor<5xf32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
