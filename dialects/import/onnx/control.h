// What the readers of operators with bodies share.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_CONTROL_H
#define STRATA_DIALECTS_IMPORT_ONNX_CONTROL_H

#include "dialects/import/onnx/onnx.h"

bool onnx_has_poison(int count, const onnx_value_t *values);
// One body gave something unsupported: the node gives nothing.
void onnx_poison_all(onnx_node_t *n);
// An error where the node has more than |count| results, those that the body has for it.
void onnx_check_count(onnx_node_t *n, int count);
void onnx_set_all(onnx_node_t *n, int count, const onnx_value_t *values);
// Whether the single element of |value| is known, and true.
bool onnx_known_bool(onnx_node_t *n, MlirValue value, bool *out);

#endif
