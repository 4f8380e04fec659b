// Activation functions that operators name in attributes.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_ACTIVATION_H
#define STRATA_DIALECTS_IMPORT_ONNX_ACTIVATION_H

#include "dialects/import/onnx/onnx.h"

typedef struct {
  const struct onnx_activation_info *info;
  double alpha, beta;
} onnx_activation_t;

// The function of that name, upper or lower case, with its defaults. False where there is none.
bool onnx_find_activation(const char *name, size_t length, onnx_activation_t *out);
// How many of alpha and beta it has.
int onnx_activation_parameters(const onnx_activation_t *activation);
MlirValue onnx_activate(onnx_node_t *n, const onnx_activation_t *activation, MlirValue x);

// The same of the function that the attribute 'activation' names, whose parameters are |values| in the order of alpha
// and beta; |x| itself where there is no such attribute.
MlirValue onnx_activate_named(onnx_node_t *n, MlirValue x, size_t count, const float *values);

#endif
