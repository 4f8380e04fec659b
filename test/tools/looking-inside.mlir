// RUN: rm -rf %t && strata %s --aot -o %t --save-temps=%t/temps --plot=%t/graph.svg
// RUN: ls %t %t/temps | FileCheck %s --check-prefix=FILES
// RUN: FileCheck %s --check-prefix=PLOT --input-file=%t/graph.svg
// RUN: strata %s --compile-to=graph --plot=%t/op.svg -o %t/op.mlir && FileCheck %s --check-prefix=OPS --input-file=%t/op.svg
// RUN: strata %s --plot=%t/graph.dot | FileCheck %s --check-prefix=RAN && FileCheck %s --check-prefix=DOT --input-file=%t/graph.dot
// RUN: strata %s --aot -o %t --time-compilation | FileCheck %s --check-prefix=TIME
// RUN: strata %s --aot -o %t --dump-after=graph 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: strata %s --aot -o %t --dump-after=all 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: strata %s --aot -o %t --explain | FileCheck %s --check-prefix=EXPLAIN
// RUN: env STRATA_DUMP_AFTER=graph strata %s --aot -o %t 2>&1 | FileCheck %s --check-prefix=DUMP
// A report stays away from IR on standard output, and errors from both.
// RUN: strata %s --compile-to=affine --explain --time-compilation >%t.mlir 2>%t.report
// RUN: strata-opt %t.mlir | FileCheck %s --check-prefix=IR
// RUN: FileCheck %s --check-prefixes=EXPLAIN,TOTAL --input-file=%t.report
// RUN: not strata %s --aot -o %t --explain --alias=y=no 2>&1 >%t.report | FileCheck %s --check-prefix=ERROR
// RUN: FileCheck %s --check-prefix=EXPLAIN --input-file=%t.report
// In a pipe nothing else is said.
// RUN: strata %s --aot -o %t 2>&1 | count 0

// FILES-DAG: strata_mlir_artifact.h
// FILES-DAG: libstrata_mlir_artifact.so
// FILES-DAG: libstrata_mlir_artifact.a
// FILES-DAG: 0-import.mlir
// FILES-DAG: {{[0-9]}}-llvm.mlir
// PLOT: <svg
// PLOT: <path
// PLOT: input x</text>
// PLOT: k0</text>
// PLOT: line 64: neg</text>
// PLOT: line 65: exp</text>
// PLOT: 8x64xf32</text>
// PLOT: output y</text>
// PLOT: </svg>
// OPS: neg</text>
// OPS: 8x64xf32</text>
// OPS: exp</text>
// OPS: outputs</text>
// RAN: k0
// DOT: digraph
// DOT: subgraph cluster_1 {
// DOT-NEXT: label="k0 {{.*}}8x64xf32, {{.*}} ms, 100.0 %"
// DOT: [label="line {{[0-9]+}}: neg"]
// DOT: lhead=cluster_1
// TIME: phase seconds peak MiB
// TIME-NEXT: import
// TIME: library
// TIME-NEXT: total
// DUMP: // after graph
// DUMP: strata.neg
// DUMP-NOT: // after
// ALL: // after import
// ALL: // after graph
// ALL: // after affine
// ALL: // after tile
// ALL: // after cpu
// ALL: // after llvm
// EXPLAIN: k0
// TOTAL: total
// IR-NOT: fused
// IR: func.func private @k0
// ERROR-NOT: k0
// ERROR: strata: error: 
func.func @main(%x: tensor<8x64xf32> {strata.name = "x"}) -> (tensor<8x64xf32> {strata.name = "y"}) {
  %a = "strata.neg"(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %y = "strata.exp"(%a) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
