"builtin.module"() <{sym_name = "jit_control"}> ({
  "func.func"() <{function_type = (tensor<6x8xf32>) -> (tensor<8xf32>, tensor<6xf32>, tensor<f32>, tensor<8xf32>, tensor<8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2][0]"}, {jax.result_info = "result[2][1]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg23: tensor<6x8xf32>):
    %35 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %36 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %37 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %38 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %39 = "stablehlo.constant"() <{value = dense<1.000000e+01> : tensor<f32>}> : () -> tensor<f32>
    %40 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %41 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %42 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %43 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %44 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %45 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %46 = "stablehlo.slice"(%arg23) <{limit_indices = array<i64: 1, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<1x8xf32>
    %47 = "stablehlo.reshape"(%46) : (tensor<1x8xf32>) -> tensor<8xf32>
    %48 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %49:4 = "stablehlo.while"(%arg23, %44, %47, %48) ({
    ^bb0(%arg50: tensor<6x8xf32>, %arg51: tensor<i32>, %arg52: tensor<8xf32>, %arg53: tensor<6xf32>):
      %107 = "stablehlo.compare"(%arg51, %43) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%107) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg46: tensor<6x8xf32>, %arg47: tensor<i32>, %arg48: tensor<8xf32>, %arg49: tensor<6xf32>):
      %103 = "func.call"(%arg46, %arg47) <{callee = @dynamic_index_in_dim}> : (tensor<6x8xf32>, tensor<i32>) -> tensor<8xf32>
      %104:2 = "func.call"(%arg48, %103) <{callee = @closed_call}> : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>)
      %105 = "func.call"(%arg49, %104#1, %arg47) <{callee = @dynamic_update_index_in_dim}> : (tensor<6xf32>, tensor<f32>, tensor<i32>) -> tensor<6xf32>
      %106 = "stablehlo.add"(%arg47, %42) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg46, %106, %104#0, %105) : (tensor<6x8xf32>, tensor<i32>, tensor<8xf32>, tensor<6xf32>) -> ()
    }) : (tensor<6x8xf32>, tensor<i32>, tensor<8xf32>, tensor<6xf32>) -> (tensor<6x8xf32>, tensor<i32>, tensor<8xf32>, tensor<6xf32>)
    %50 = "stablehlo.slice"(%arg23) <{limit_indices = array<i64: 1, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<1x8xf32>
    %51 = "stablehlo.reshape"(%50) : (tensor<1x8xf32>) -> tensor<8xf32>
    %52 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %53:4 = "stablehlo.while"(%51, %44, %45, %52) ({
    ^bb0(%arg42: tensor<8xf32>, %arg43: tensor<i32>, %arg44: tensor<f32>, %arg45: tensor<8xf32>):
      %102 = "stablehlo.compare"(%arg43, %41) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%102) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg38: tensor<8xf32>, %arg39: tensor<i32>, %arg40: tensor<f32>, %arg41: tensor<8xf32>):
      %96 = "stablehlo.subtract"(%41, %arg39) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %97 = "stablehlo.subtract"(%96, %42) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %98 = "func.call"(%arg38, %97) <{callee = @dynamic_index_in_dim_0}> : (tensor<8xf32>, tensor<i32>) -> tensor<f32>
      %99:2 = "func.call"(%arg40, %98) <{callee = @closed_call_1}> : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
      %100 = "func.call"(%arg41, %99#1, %97) <{callee = @dynamic_update_index_in_dim_2}> : (tensor<8xf32>, tensor<f32>, tensor<i32>) -> tensor<8xf32>
      %101 = "stablehlo.add"(%arg39, %42) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg38, %101, %99#0, %100) : (tensor<8xf32>, tensor<i32>, tensor<f32>, tensor<8xf32>) -> ()
    }) : (tensor<8xf32>, tensor<i32>, tensor<f32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<i32>, tensor<f32>, tensor<8xf32>)
    %54 = "stablehlo.slice"(%arg23) <{limit_indices = array<i64: 1, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<1x8xf32>
    %55 = "stablehlo.reshape"(%54) : (tensor<1x8xf32>) -> tensor<8xf32>
    %56 = "stablehlo.abs"(%55) : (tensor<8xf32>) -> tensor<8xf32>
    %57 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %58 = "stablehlo.add"(%56, %57) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %59 = "stablehlo.while"(%58) ({
    ^bb0(%arg37: tensor<8xf32>):
      %93 = "stablehlo.slice"(%arg37) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<8xf32>) -> tensor<1xf32>
      %94 = "stablehlo.reshape"(%93) : (tensor<1xf32>) -> tensor<f32>
      %95 = "stablehlo.compare"(%94, %39) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%95) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg36: tensor<8xf32>):
      %89 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
      %90 = "stablehlo.multiply"(%arg36, %89) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %91 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
      %92 = "stablehlo.add"(%90, %91) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      "stablehlo.return"(%92) : (tensor<8xf32>) -> ()
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %60 = "stablehlo.slice"(%arg23) <{limit_indices = array<i64: 1, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<1x1xf32>
    %61 = "stablehlo.reshape"(%60) : (tensor<1x1xf32>) -> tensor<f32>
    %62 = "stablehlo.compare"(%61, %45) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %63 = "stablehlo.convert"(%62) : (tensor<i1>) -> tensor<i32>
    %64 = "stablehlo.case"(%63) ({
      %87 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
      %88 = "stablehlo.subtract"(%arg23, %87) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
      "stablehlo.return"(%88) : (tensor<6x8xf32>) -> ()
    }, {
      %85 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
      %86 = "stablehlo.add"(%arg23, %85) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
      "stablehlo.return"(%86) : (tensor<6x8xf32>) -> ()
    }) : (tensor<i32>) -> tensor<6x8xf32>
    %65:3 = "stablehlo.while"(%44, %44, %arg23) ({
    ^bb0(%arg33: tensor<i32>, %arg34: tensor<i32>, %arg35: tensor<6x8xf32>):
      %84 = "stablehlo.compare"(%arg33, %43) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%84) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg30: tensor<i32>, %arg31: tensor<i32>, %arg32: tensor<6x8xf32>):
      %82:2 = "func.call"(%arg31, %arg32) <{callee = @closed_call_3}> : (tensor<i32>, tensor<6x8xf32>) -> (tensor<i32>, tensor<6x8xf32>)
      %83 = "stablehlo.add"(%arg30, %42) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%83, %82#0, %82#1) : (tensor<i32>, tensor<i32>, tensor<6x8xf32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<6x8xf32>) -> (tensor<i32>, tensor<i32>, tensor<6x8xf32>)
    %66 = "stablehlo.slice"(%arg23) <{limit_indices = array<i64: 1, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<1x1xf32>
    %67 = "stablehlo.reshape"(%66) : (tensor<1x1xf32>) -> tensor<f32>
    %68 = "stablehlo.abs"(%67) : (tensor<f32>) -> tensor<f32>
    %69 = "stablehlo.multiply"(%68, %36) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %70 = "stablehlo.convert"(%69) : (tensor<f32>) -> tensor<i32>
    %71 = "stablehlo.clamp"(%44, %70, %35) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %72 = "stablehlo.case"(%71) ({
      "stablehlo.return"(%arg23) : (tensor<6x8xf32>) -> ()
    }, {
      %81 = "stablehlo.negate"(%arg23) : (tensor<6x8xf32>) -> tensor<6x8xf32>
      "stablehlo.return"(%81) : (tensor<6x8xf32>) -> ()
    }, {
      %80 = "stablehlo.multiply"(%arg23, %arg23) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
      "stablehlo.return"(%80) : (tensor<6x8xf32>) -> ()
    }) : (tensor<i32>) -> tensor<6x8xf32>
    %73 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %74:3 = "stablehlo.while"(%arg23, %44, %73) ({
    ^bb0(%arg27: tensor<6x8xf32>, %arg28: tensor<i32>, %arg29: tensor<6xf32>):
      %79 = "stablehlo.compare"(%arg28, %43) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%79) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg24: tensor<6x8xf32>, %arg25: tensor<i32>, %arg26: tensor<6xf32>):
      %75 = "func.call"(%arg24, %arg25) <{callee = @dynamic_index_in_dim}> : (tensor<6x8xf32>, tensor<i32>) -> tensor<8xf32>
      %76 = "func.call"(%75) <{callee = @closed_call_4}> : (tensor<8xf32>) -> tensor<f32>
      %77 = "func.call"(%arg26, %76, %arg25) <{callee = @dynamic_update_index_in_dim}> : (tensor<6xf32>, tensor<f32>, tensor<i32>) -> tensor<6xf32>
      %78 = "stablehlo.add"(%arg25, %42) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg24, %78, %77) : (tensor<6x8xf32>, tensor<i32>, tensor<6xf32>) -> ()
    }) : (tensor<6x8xf32>, tensor<i32>, tensor<6xf32>) -> (tensor<6x8xf32>, tensor<i32>, tensor<6xf32>)
    "func.return"(%49#2, %49#3, %53#2, %53#3, %59, %64, %65#2, %72, %74#2) : (tensor<8xf32>, tensor<6xf32>, tensor<f32>, tensor<8xf32>, tensor<8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x8xf32>, tensor<i32>) -> tensor<8xf32>, sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg21: tensor<6x8xf32>, %arg22: tensor<i32>):
    %32 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %33 = "stablehlo.dynamic_slice"(%arg21, %arg22, %32) <{slice_sizes = array<i64: 1, 8>}> : (tensor<6x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %34 = "stablehlo.reshape"(%33) : (tensor<1x8xf32>) -> tensor<8xf32>
    "func.return"(%34) : (tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>), sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg17: tensor<8xf32>, %arg18: tensor<8xf32>):
    %25 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %26 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %27 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %28 = "stablehlo.multiply"(%arg17, %27) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %29 = "stablehlo.add"(%28, %arg18) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %30 = "stablehlo.reduce"(%arg17, %25) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg19: tensor<f32>, %arg20: tensor<f32>):
      %31 = "stablehlo.add"(%arg19, %arg20) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%29, %30) : (tensor<8xf32>, tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6xf32>, tensor<f32>, tensor<i32>) -> tensor<6xf32>, sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<6xf32>, %arg15: tensor<f32>, %arg16: tensor<i32>):
    %23 = "stablehlo.broadcast_in_dim"(%arg15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %24 = "stablehlo.dynamic_update_slice"(%arg14, %23, %arg16) : (tensor<6xf32>, tensor<1xf32>, tensor<i32>) -> tensor<6xf32>
    "func.return"(%24) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<i32>) -> tensor<f32>, sym_name = "dynamic_index_in_dim_0", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<8xf32>, %arg13: tensor<i32>):
    %21 = "stablehlo.dynamic_slice"(%arg12, %arg13) <{slice_sizes = array<i64: 1>}> : (tensor<8xf32>, tensor<i32>) -> tensor<1xf32>
    %22 = "stablehlo.reshape"(%21) : (tensor<1xf32>) -> tensor<f32>
    "func.return"(%22) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>), sym_name = "closed_call_1", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
    %19 = "stablehlo.convert"(%arg10) : (tensor<f32>) -> tensor<f32>
    %20 = "stablehlo.add"(%19, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%20, %arg10) : (tensor<f32>, tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<f32>, tensor<i32>) -> tensor<8xf32>, sym_name = "dynamic_update_index_in_dim_2", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<8xf32>, %arg8: tensor<f32>, %arg9: tensor<i32>):
    %17 = "stablehlo.broadcast_in_dim"(%arg8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %18 = "stablehlo.dynamic_update_slice"(%arg7, %17, %arg9) : (tensor<8xf32>, tensor<1xf32>, tensor<i32>) -> tensor<8xf32>
    "func.return"(%18) : (tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<6x8xf32>) -> (tensor<i32>, tensor<6x8xf32>), sym_name = "closed_call_3", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<i32>, %arg4: tensor<6x8xf32>):
    %4 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %6 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %7 = "stablehlo.add"(%arg3, %6) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %8 = "stablehlo.compare"(%arg3, %5) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %9 = "stablehlo.add"(%arg3, %4) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %10 = "stablehlo.select"(%8, %9, %arg3) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %11 = "stablehlo.convert"(%10) : (tensor<i32>) -> tensor<i32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %13 = "stablehlo.convert"(%arg3) : (tensor<i32>) -> tensor<f32>
    %14 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %15 = "stablehlo.scatter"(%arg4, %12, %14) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %16 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%16) : (tensor<f32>) -> ()
    }) : (tensor<6x8xf32>, tensor<1xi32>, tensor<8xf32>) -> tensor<6x8xf32>
    "func.return"(%7, %15) : (tensor<i32>, tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>) -> tensor<f32>, sym_name = "closed_call_4", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.tanh"(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = "stablehlo.reduce"(%1, %0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%3) : (tensor<f32>) -> ()
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%2) : (tensor<f32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
