// Arithmetic on values in short words, for readers of operators that are formulas.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_ARITHMETIC_H
#define STRATA_DIALECTS_IMPORT_ONNX_ARITHMETIC_H

#include "dialects/import/onnx/onnx.h"

static inline MlirValue add(onnx_node_t *n, MlirValue x, MlirValue y) { return onnx_binary(n, STRATA_OP_ADD, x, y); }
static inline MlirValue sub(onnx_node_t *n, MlirValue x, MlirValue y) { return onnx_binary(n, STRATA_OP_SUB, x, y); }
static inline MlirValue mul(onnx_node_t *n, MlirValue x, MlirValue y) { return onnx_binary(n, STRATA_OP_MUL, x, y); }
static inline MlirValue divide(onnx_node_t *n, MlirValue x, MlirValue y) { return onnx_binary(n, STRATA_OP_DIV, x, y); }
static inline MlirValue plus(onnx_node_t *n, MlirValue x, double c) { return onnx_with_number(n, STRATA_OP_ADD, x, c); }
static inline MlirValue times(onnx_node_t *n, MlirValue x, double c) {
  return onnx_with_number(n, STRATA_OP_MUL, x, c);
}

#endif
