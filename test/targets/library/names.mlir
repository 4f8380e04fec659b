// A function may have the name of anything in the library's own tables.
// RUN: strata %s --aot --aot-name=constants -o %t && strata-run %t/libconstants.so --random
// RUN: strata %s --aot --aot-name=kernels -o %t && strata-run %t/libkernels.so --random
// RUN: strata %s --aot --aot-name=launches -o %t && strata-run %t/liblaunches.so --random
// RUN: strata %s --aot --aot-name=inputs -o %t && strata-run %t/libinputs.so --random
// RUN: strata %s --aot --aot-name=entries -o %t && strata-run %t/libentries.so --random
// RUN: strata %s --aot --aot-name=g0 -o %t && strata-run %t/libg0.so --random
// RUN: strata %s --aot --aot-name=constant_table -o %t && strata-run %t/libconstant_table.so --random
// RUN: strata %s --target=nvgpu --device=emulated --aot --aot-name=constants -o %t
// RUN: strata %s --target=nvgpu --device=emulated --aot --aot-name=kernels -o %t
// RUN: strata %s --target=nvgpu --device=emulated --aot --aot-name=variants -o %t
// RUN: strata %s --target=nvgpu --device=emulated --aot --aot-name=v0_kernels -o %t
// RUN: strata %s --target=nvgpu --device=emulated --aot --aot-name=g0 -o %t
// RUN: not strata %s --aot --aot-name=strata_description -o %t 2>&1 | FileCheck %s
// CHECK: strata: error: --aot-name: 'strata_description' is reserved
func.func @main(%x: tensor<8x64xf32> {strata.name = "x"}) -> (tensor<8x64xf32> {strata.name = "y"}) {
  %y = "strata.neg"(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
