// RUN: strata-opt --help | FileCheck %s --check-prefix=HELP
// RUN: strata-opt --list-passes | FileCheck %s --check-prefix=LIST
// RUN: strata-opt - --strata-decompose < %s | FileCheck %s
// RUN: strata-opt %s --strata-decompose -o %t.mlir | count 0
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: rm -f %t.none && not strata-opt %s --no-such-pass -o %t.none 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not ls %t.none
// RUN: not strata-opt - --strata-decompose < %S/Inputs/wrong.mlir 2>&1 | FileCheck %s --check-prefix=STDIN
// RUN: not strata-opt %s -o %t.no/folder.mlir 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not strata-opt %s --strata-decompse 2>&1 | FileCheck %s --check-prefix=NEAR

// HELP: usage: strata-opt FILE
// HELP: --list-passes
// LIST: --strata-decompose {{.*[a-z]}}
// LIST: --strata-to-affine {{.*[a-z]}}
// LIST: --kernels-to-llvm {{.*[a-z]}}
// LIST: --canonicalize
// LIST: --cse
// CHECK: strata.max
// PASS: strata: error: {{.*}}no-such-pass
// STDIN: strata: error: <stdin>:1:{{[0-9]+}}:
// FOLDER: strata: error: {{.*}}folder.mlir:{{.*}} No such file or directory
// NEAR: strata: error: {{.*}}strata-decompse{{.*}}did you mean 'strata-decompose'?
func.func @main(%x: tensor<4xf32> {strata.name = "x"}) -> (tensor<4xf32> {strata.name = "y"}) {
  %y = "strata.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
