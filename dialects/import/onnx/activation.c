// Activation functions that operators name in attributes.
#include "dialects/import/onnx/activation.h"

#include <string.h>
#include <strings.h>

typedef enum { COMPOSITE, TANH, AFFINE, SCALED_TANH, CLIP } function_kind_t;

typedef struct onnx_activation_info {
  const char *name;
  function_kind_t kind;
  strata_composite_id_t composite;
  int n_attrs; // how many of alpha and beta it has
  double alpha, beta;
} function_t;

static const function_t functions[] = {
    {"Relu", COMPOSITE, STRATA_COMPOSITE_RELU, 0, 0, 0},
    {"Tanh", TANH, STRATA_COMPOSITE_COUNT, 0, 0, 0},
    {"Sigmoid", COMPOSITE, STRATA_COMPOSITE_SIGMOID, 0, 0, 0},
    {"Softsign", COMPOSITE, STRATA_COMPOSITE_SOFTSIGN, 0, 0, 0},
    {"Softplus", COMPOSITE, STRATA_COMPOSITE_SOFTPLUS, 0, 0, 0},
    {"LeakyRelu", COMPOSITE, STRATA_COMPOSITE_LEAKY_RELU, 1, 0.01, 0},
    {"ThresholdedRelu", COMPOSITE, STRATA_COMPOSITE_THRESHOLDED_RELU, 1, 1, 0},
    {"Elu", COMPOSITE, STRATA_COMPOSITE_ELU, 1, 1, 0},
    {"HardSigmoid", COMPOSITE, STRATA_COMPOSITE_HARD_SIGMOID, 2, 0.2, 0.5},
    {"HardSwish", COMPOSITE, STRATA_COMPOSITE_HARD_SWISH, 0, 0, 0},
    {"Affine", AFFINE, STRATA_COMPOSITE_COUNT, 2, 1, 0},
    {"ScaledTanh", SCALED_TANH, STRATA_COMPOSITE_COUNT, 2, 1, 1},
    {"Clip", CLIP, STRATA_COMPOSITE_COUNT, 2, -0x1.fffffep127, 0x1.fffffep127},
};

bool onnx_find_activation(const char *name, size_t length, onnx_activation_t *out) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strlen(functions[i].name) == length && !strncasecmp(functions[i].name, name, length)) {
      *out = (onnx_activation_t){&functions[i], functions[i].alpha, functions[i].beta};
      return true;
    }
  return false;
}

int onnx_activation_parameters(const onnx_activation_t *activation) { return activation->info->n_attrs; }

MlirValue onnx_activate(onnx_node_t *n, const onnx_activation_t *a, MlirValue x) {
  strata_attr_value_t attrs[2] = {{.f64 = a->alpha}, {.f64 = a->beta}};
  switch (a->info->kind) {
  case COMPOSITE:
    return strata_build_composite(n->b, a->info->composite, 1, &x, a->info->n_attrs, attrs);
  case TANH:
    return onnx_unary(n, STRATA_OP_TANH, x);
  case AFFINE:
    return onnx_with_number(n, STRATA_OP_ADD, onnx_with_number(n, STRATA_OP_MUL, x, a->alpha), a->beta);
  case CLIP:
    return onnx_with_number(n, STRATA_OP_MIN, onnx_with_number(n, STRATA_OP_MAX, x, a->alpha), a->beta);
  case SCALED_TANH:
    break;
  }
  return onnx_with_number(n, STRATA_OP_MUL,
                          onnx_unary(n, STRATA_OP_TANH, onnx_with_number(n, STRATA_OP_MUL, x, a->beta)), a->alpha);
}

MlirValue onnx_activate_named(onnx_node_t *n, MlirValue x, size_t count, const float *values) {
  const char *name = onnx_attr_string(n, "activation", "");
  onnx_activation_t found;
  if (!*name)
    return x;
  if (!onnx_find_activation(name, strlen(name), &found)) {
    onnx_unsupported(n, "the activation '%s'", name);
    return x;
  }
  if (found.info->n_attrs > 0 && count > 0)
    found.alpha = (double)values[0];
  if (found.info->n_attrs > 1 && count > 1)
    found.beta = (double)values[1];
  return onnx_round(n, onnx_activate(n, &found, onnx_widen(n, x)), onnx_shape(x).type);
}
