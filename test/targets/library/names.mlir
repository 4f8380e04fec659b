// A function may have the name of anything in the library's own tables.
// RUN: for name in constants kernels launches inputs entries g0 variants v0_kernels constant_table; do \
// RUN:   strata %s --aot --aot-name=$name -o %t || exit 1; strata-run %t/lib$name.so --random || exit 1; \
// RUN:   strata %s --target=nvgpu --device=emulated --aot --aot-name=$name -o %t || exit 1; done
// RUN: not strata %s --aot --aot-name=strata_description -o %t 2>&1 | FileCheck %s
// CHECK: strata: error: --aot-name: 'strata_description' is reserved
func.func @main(%x: tensor<8x64xf32> {strata.name = "x"}) -> (tensor<8x64xf32> {strata.name = "y"}) {
  %y = "strata.neg"(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
