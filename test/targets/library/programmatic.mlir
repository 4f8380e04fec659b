// Launches of what is over soon begin before the kernel in front has ended, which they wait for themselves: the library
// says so (the sixth number of a kernel). Their tensor maps are prefetched before the wait. Their loads are ordinary
// ones, which stay behind it, and blocks of which a processor is to hold one ask for more than half of its shared memory
// (the fourth number). Not so what takes long, and on devices without.
// RUN: rm -rf %t && mkdir -p %t && strata %s --target=nvgpu --device=sm_90a --aot --aot-name f -o %t/out --save-temps=%t/temps
// RUN: FileCheck %s --check-prefix=TABLE < %t/temps/tables.ll
// RUN: FileCheck %s --check-prefix=CODE < %t/temps/sm_90a.s
// RUN: strata %s --target=nvgpu --device=sm_80 --aot --aot-name f -o %t/out --save-temps=%t/old
// RUN: FileCheck %s --check-prefix=OLD < %t/old/tables.ll

// TABLE: _kernels = private constant [3 x %kernel] [
// TABLE-SAME: %kernel { ptr @{{[^,]*}}, i32 128, i32 {{[0-9]+}}, i32 180320, i32 2, i32 1,
// TABLE-SAME: %kernel { ptr @{{[^,]*}}, i32 128, i32 {{[0-9]+}}, i32 116736, i32 1, i32 1,
// TABLE-SAME: %kernel { ptr @{{[^,]*}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 0, i32 1, i32 0,
// OLD: _kernels = private constant [3 x %kernel] [
// OLD-SAME: %kernel { ptr @{{[^,]*}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 0,
// OLD-SAME: %kernel { ptr @{{[^,]*}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 0,
// OLD-SAME: %kernel { ptr @{{[^,]*}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 0,

// CODE: .entry k0
// CODE-NOT: {{ld|st}}.global
// CODE-COUNT-3: prefetch.tensormap
// CODE-NOT: {{ld|st}}.global
// CODE: griddepcontrol.wait;
// CODE: cp.async.bulk.tensor
// CODE: griddepcontrol.wait;
// CODE-NOT: ld.global.nc
// CODE: ld.global
// CODE-NOT: ld.global.nc
// CODE: .entry k1
// CODE-NOT: {{ld|st}}.global
// CODE: griddepcontrol.wait;
// CODE-NOT: ld.global.nc
// CODE: ld.global
// CODE-NOT: ld.global.nc
// CODE: .entry k2
// CODE-NOT: prefetch.tensormap
// CODE: ld.global.nc
#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
!x = tensor<128x4096xbf16>
!w = tensor<4096x4096xbf16>
!s = tensor<128x4096xf32>
!t = tensor<128xf32>
!l = tensor<4096x4096xf32>
func.func @main(%x: !x {strata.name = "x"}, %w: !w {strata.name = "w"}, %b: !x {strata.name = "b"}, %u: !s {strata.name = "u"}, %l: !l {strata.name = "l"}) -> (!x {strata.name = "y"}, !s {strata.name = "z"}, !l {strata.name = "k"}) {
  %0 = "strata.contract"(%x, %w) {maps = [#m, #n, #r], zero_pad = false, origin = "matmul"} : (!x, !w) -> !s
  %1 = "strata.convert"(%0) {} : (!s) -> !x
  %2 = "strata.add"(%1, %b) {} : (!x, !x) -> !x
  %3 = "strata.reduce"(%u) {axes = array<i64: 1>, kind = "max"} : (!s) -> !t
  %4 = "strata.broadcast"(%3) {map = #row} : (!t) -> !s
  %5 = "strata.sub"(%u, %4) {} : (!s, !s) -> !s
  %6 = "strata.add"(%l, %l) {} : (!l, !l) -> !l
  return %2, %5, %6 : !x, !s, !l
}
