// Updates of tensors that a model has as an input and gives back as an output: caches of keys and values.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_CACHE_H
#define STRATA_DIALECTS_IMPORT_ONNX_CACHE_H

#include "dialects/import/onnx/onnx.h"

// Whether result |i| is an output of the model, and operand |operand| an input of it that is |cache|: then the result
// may have the input's memory, and what is written is all that is touched.
bool onnx_updates_input(const onnx_node_t *n, int i, int operand);

// |cache| [batch, a.., places, b..] with |update| [batch, a.., count, b..] from place |first| of the batch entry on, an
// i64 [batch or 1, 1]. |axis| is that of the places; those outside are not written, or, if |circular|, count from the
// beginning again: then |count| is at most the number of places.
MlirValue onnx_written(onnx_node_t *n, MlirValue cache, MlirValue update, int axis, MlirValue first, bool circular);

// Sets result |i| to |value|, an update of |operand|.
void onnx_set_update(onnx_node_t *n, int i, MlirValue value, int operand);

#endif
