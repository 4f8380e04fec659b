// Models that a front end of another format has made in memory (dialects/import/graph) instead of reading a file.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_MADE_MODEL_H
#define STRATA_DIALECTS_IMPORT_ONNX_MADE_MODEL_H

#include "dialects/import/import.h"
#include "runtime/base/tensor_proto.h"

#include <onnx.pb-c.h>

// What each node of such a model is the first member of: what it was made for, which errors speak of.
typedef struct {
  Onnx__NodeProto proto;
  const char *op;      // the operator in its own format
  const char *refusal; // why it is not supported; NULL: it is made of ONNX's operators
} onnx_made_node_t;

// What each tensor of such a model is the first member of.
typedef struct {
  Onnx__TensorProto proto;
  strata_tensor_proto_t tensor;
} onnx_made_tensor_t;

typedef struct {
  const Onnx__ModelProto *model;
  const strata_import_dim_t *dims; // what the model says of sizes that vary; --dim may say more
  size_t n_dims;
  const strata_import_dim_t
      *bounds; // of numbers that data decide, by the names of their values; --bound may say others
  size_t n_bounds;
} onnx_made_model_t;

// As strata_import_onnx does; |path| is where the model comes from, for messages.
STRATA_MUST_CHECK strata_status_t onnx_import_made_model(strata_compile_t *compile, const char *path,
                                                         const onnx_made_model_t *made,
                                                         const strata_import_options_t *options);

#endif
