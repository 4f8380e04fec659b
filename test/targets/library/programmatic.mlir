// Launches of a product begin before the kernel in front has ended, which it waits for itself, where nothing is read but in
// bulk: the library says so (the sixth number of a kernel). Not so where a bias is read, and on devices without.
// RUN: rm -rf %t && mkdir -p %t && strata %s --target=nvgpu --device=sm_90a --aot --aot-name f -o %t/out --save-temps=%t/temps
// RUN: FileCheck %s --check-prefix=TABLE < %t/temps/tables.ll
// RUN: FileCheck %s --check-prefix=CODE < %t/temps/sm_90a.s
// RUN: strata %s --target=nvgpu --device=sm_80 --aot --aot-name f -o %t/out --save-temps=%t/old
// RUN: FileCheck %s --check-prefix=OLD < %t/old/tables.ll

// TABLE: _kernels = private constant [2 x %kernel] [
// TABLE-SAME: %kernel { ptr @{{[^,]*}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 1,
// TABLE-SAME: %kernel { ptr @{{[^,]*}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 0,
// OLD: _kernels = private constant [2 x %kernel] [
// OLD-SAME: %kernel { ptr @{{[^,]*}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 0,
// OLD-SAME: %kernel { ptr @{{[^,]*}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 0,

// CODE: .entry k0
// CODE-NOT: {{ld|st}}.global
// CODE: griddepcontrol.wait;
// CODE: cp.async.bulk.tensor
// CODE: griddepcontrol.wait;
// CODE: .entry k1
#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>
!x = tensor<128x4096xbf16>
!w = tensor<4096x4096xbf16>
!s = tensor<128x4096xf32>
func.func @main(%x: !x {strata.name = "x"}, %w: !w {strata.name = "w"}, %v: !w {strata.name = "v"}, %b: !x {strata.name = "b"}) -> (!x {strata.name = "y"}) {
  %0 = "strata.contract"(%x, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!x, !w) -> !s
  %1 = "strata.convert"(%0) {} : (!s) -> !x
  %2 = "strata.contract"(%1, %v) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!x, !w) -> !s
  %3 = "strata.convert"(%2) {} : (!s) -> !x
  %4 = "strata.add"(%3, %b) {} : (!x, !x) -> !x
  return %4 : !x
}
