// Every phase can be the last, and prints its IR.
// RUN: strata %s --compile-to=import | FileCheck %s --check-prefixes=GRAPH
// RUN: strata %s --compile-to=graph | FileCheck %s --check-prefixes=GRAPH
// RUN: strata %s --compile-to=affine | FileCheck %s --check-prefixes=AFFINE
// RUN: strata %s --compile-to=tile | FileCheck %s --check-prefixes=TILE
// RUN: strata %s --compile-to=cpu | FileCheck %s --check-prefixes=CPU
// RUN: strata %s --compile-to=llvm | FileCheck %s --check-prefixes=LLVM

// A graph that was written can be read again, as text and as bytecode, with its constants.
// RUN: rm -rf %t && strata %s --compile-to=graph -o %t
// RUN: strata %t/strata_mlir_artifact.graph.mlir --compile-to=graph -o %t/again.mlirbc
// RUN: strata %t/again.mlirbc --compile-to=graph | FileCheck %s --check-prefixes=GRAPH
// RUN: ls %t | FileCheck %s --check-prefixes=FILES

// GRAPH: func.func @main(%[[X:.*]]: tensor<8x64xf32> {strata.name = "x"}) -> (tensor<8x64xf32> {strata.name = "y"})
// GRAPH: "strata.neg"(%[[X]])
// AFFINE: call @[[K:[a-z0-9]+]](
// AFFINE: func.func private @[[K]](
// AFFINE: affine.parallel
// TILE: scf.forall
// TILE: "tile.load"
// CPU: module @kernels
// CPU: vector.load
// LLVM: module @kernels
// LLVM: llvm.load
// FILES: again.mlirbc
// FILES: strata_mlir_artifact.graph.mlir
func.func @main(%x: tensor<8x64xf32> {strata.name = "x"}) -> (tensor<8x64xf32> {strata.name = "y"}) {
  %y = "strata.neg"(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
