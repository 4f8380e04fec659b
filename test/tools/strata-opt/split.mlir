// Each part is a module of its own: names may repeat, and an error in one does not stop the others.
// RUN: strata-opt %s --split-input-file --strata-dce | FileCheck %s
// RUN: not strata-opt %s --strata-dce 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: cat %s %S/Inputs/bad.mlir > %t.mlir
// RUN: not strata-opt %t.mlir --split-input-file --strata-dce 2>%t.err | FileCheck %s --check-prefixes=CHECK,LAST
// RUN: FileCheck %s --check-prefix=ERROR --input-file=%t.err

// CHECK: func.func @main(%arg0: tensor<2xf32>)
// CHECK-NOT: strata.neg
// CHECK: // -----
// CHECK: func.func @main(%arg0: tensor<3xf32>)
// LAST: // -----
// LAST: func.func @last
// LAST-NOT: // -----
// WHOLE: split.mlir:{{[0-9]+}}:1: redefinition of symbol named 'main'
// ERROR: strata: error: {{.*}}split.mlir.tmp.mlir:[[@LINE+12]]:8: strata.neg: result 0
// ERROR-NOT: error
func.func @main(%x: tensor<2xf32>) {
  %0 = "strata.neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @main(%x: tensor<3xf32>) {
  return
}
