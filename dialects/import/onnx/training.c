// Losses and optimisers.
#include "dialects/import/onnx/arithmetic.h"

#include <string.h>

static MlirValue scalar(onnx_node_t *n, MlirValue x) { return onnx_reshape(n, x, 0, NULL); }

//===-- Losses ---------------------------------------------------------------------------------------------------===//

static MlirValue sum_all(onnx_node_t *n, MlirValue x) {
  bool all[STRATA_MAX_RANK];
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    all[i] = true;
  return onnx_reduce(n, STRATA_COMBINER_ADD, x, all, false);
}

// The weight of each target: its class's, 0 where it is to be ignored. Null where all weigh 1.
static MlirValue target_weights(onnx_node_t *n, MlirValue target, MlirValue ignored, strata_type_t type) {
  onnx_shape_t shape = onnx_sizes(n, target);
  MlirValue weights = {0};
  if (onnx_has(n, 2))
    weights = strata_build_gather(n->b, onnx_operand(n, 2), target, 0, 0);
  if (mlirValueIsNull(ignored))
    return weights;
  if (mlirValueIsNull(weights))
    weights = onnx_splat(n, type, shape.rank, shape.dims, 1);
  return onnx_select(n, ignored, onnx_number(n, weights, 0), weights);
}

// -log_prob[n, target, ...] of [N, classes, ...], weighted and combined as the attributes say.
static MlirValue negative_log_likelihood(onnx_node_t *n, MlirValue log_prob, MlirValue target) {
  onnx_shape_t shape = onnx_sizes(n, log_prob);
  int last = shape.rank - 1;
  MlirValue ignored = {0};
  if (onnx_has_attr(n, "ignore_index")) {
    ignored = onnx_binary(n, STRATA_OP_EQ, target, onnx_integer(n, target, onnx_attr_int(n, "ignore_index", 0)));
    target = onnx_select(n, ignored, onnx_integer(n, target, 0), target);
  }
  MlirValue weights = target_weights(n, target, ignored, shape.type);
  MlirValue picked = strata_build_gather(n->b, onnx_move_axis(n, log_prob, 1, last), target, last, last);
  MlirValue loss = onnx_unary(n, STRATA_OP_NEG, picked);
  if (!mlirValueIsNull(weights))
    loss = mul(n, loss, weights);
  const char *reduction = onnx_attr_string(n, "reduction", "mean");
  if (!strcmp(reduction, "none"))
    return loss;
  loss = onnx_widen(n, loss);
  MlirValue sum = sum_all(n, loss);
  if (!strcmp(reduction, "mean"))
    sum = divide(n, sum, sum_all(n, mlirValueIsNull(weights) ? onnx_number(n, loss, 1) : onnx_widen(n, weights)));
  return onnx_round(n, sum, shape.type);
}

static bool check_loss(onnx_node_t *n) {
  onnx_shape_t scores = onnx_operand_sizes(n, 0), target = onnx_operand_sizes(n, 1);
  if (!onnx_failed(n) && (scores.rank < 2 || target.rank != scores.rank - 1))
    onnx_invalid(n, "the shapes of scores and target do not fit each other");
  return !onnx_failed(n);
}

void onnx_import_negative_log_likelihood_loss(onnx_node_t *n) {
  if (check_loss(n))
    onnx_set(n, 0, negative_log_likelihood(n, onnx_operand(n, 0), onnx_operand(n, 1)));
}

void onnx_import_softmax_cross_entropy_loss(onnx_node_t *n) {
  if (!check_loss(n))
    return;
  MlirValue scores = onnx_operand(n, 0);
  strata_attr_value_t axis = {.n_i64s = 1, .i64s = (int64_t[]){1}};
  MlirValue log_prob = strata_build_composite(n->b, STRATA_COMPOSITE_LOG_SOFTMAX, 1, &scores, 1, &axis);
  onnx_set(n, 0, negative_log_likelihood(n, log_prob, onnx_operand(n, 1)));
  onnx_set(n, 1, log_prob);
}

//===-- Optimisers -----------------------------------------------------------------------------------------------===//

// Operands: rate, step number, then all tensors, all gradients, and one or two lists of accumulated values. Results:
// new tensors, then the lists.
static int count_tensors(onnx_node_t *n, int n_lists) {
  int count = (n->n_inputs - 2) / n_lists;
  if (count < 1 || n->n_inputs != 2 + count * n_lists)
    onnx_invalid(n, "expected %d operands for each tensor, got %d", n_lists, n->n_inputs - 2);
  return onnx_failed(n) ? 0 : count;
}

// The gradient with that of the norm coefficient's penalty.
static MlirValue gradient(onnx_node_t *n, int count, int i) {
  double norm = onnx_attr_float(n, "norm_coefficient", 0);
  MlirValue g = onnx_operand(n, 2 + count + i);
  return norm == 0 ? g : add(n, times(n, onnx_operand(n, 2 + i), norm), g);
}

static MlirValue as_float(onnx_node_t *n, MlirValue x, MlirValue like) {
  return onnx_convert(n, scalar(n, x), false, onnx_shape(like).type, false);
}

// base ^ steps.
static MlirValue decay(onnx_node_t *n, double base, MlirValue steps) {
  return onnx_binary(n, STRATA_OP_POW, onnx_number(n, steps, base), steps);
}

void onnx_import_adagrad(onnx_node_t *n) {
  int count = count_tensors(n, 3);
  double decay_factor = onnx_attr_float(n, "decay_factor", 0), epsilon = onnx_attr_float(n, "epsilon", 1e-6);
  for (int i = 0; i < count; i++) {
    MlirValue x = onnx_operand(n, 2 + i), g = gradient(n, count, i);
    MlirValue steps = as_float(n, onnx_operand(n, 1), x), one = onnx_number(n, steps, 1);
    MlirValue rate = divide(n, scalar(n, onnx_operand(n, 0)), add(n, one, times(n, steps, decay_factor)));
    MlirValue h = add(n, onnx_operand(n, 2 + 2 * count + i), mul(n, g, g));
    MlirValue size = onnx_with_number(n, STRATA_OP_ADD, onnx_unary(n, STRATA_OP_SQRT, h), epsilon);
    onnx_set(n, i, sub(n, x, divide(n, mul(n, rate, g), size)));
    onnx_set(n, count + i, h);
  }
}

void onnx_import_adam(onnx_node_t *n) {
  int count = count_tensors(n, 4);
  double alpha = onnx_attr_float(n, "alpha", 0.9), beta = onnx_attr_float(n, "beta", 0.999);
  double epsilon = onnx_attr_float(n, "epsilon", 1e-6), post = onnx_attr_float(n, "norm_coefficient_post", 0);
  for (int i = 0; i < count; i++) {
    MlirValue x = onnx_operand(n, 2 + i), g = gradient(n, count, i);
    MlirValue steps = as_float(n, onnx_operand(n, 1), x), one = onnx_number(n, steps, 1);
    MlirValue v = add(n, times(n, onnx_operand(n, 2 + 2 * count + i), alpha), times(n, g, 1 - alpha));
    MlirValue h = add(n, times(n, onnx_operand(n, 2 + 3 * count + i), beta), times(n, mul(n, g, g), 1 - beta));
    // The first steps are corrected for the averages having started at 0.
    MlirValue rate = scalar(n, onnx_operand(n, 0));
    MlirValue corrected = divide(n, mul(n, rate, onnx_unary(n, STRATA_OP_SQRT, sub(n, one, decay(n, beta, steps)))),
                                 sub(n, one, decay(n, alpha, steps)));
    rate = onnx_select(n, onnx_with_number(n, STRATA_OP_GT, steps, 0), corrected, rate);
    MlirValue size = onnx_with_number(n, STRATA_OP_ADD, onnx_unary(n, STRATA_OP_SQRT, h), epsilon);
    onnx_set(n, i, times(n, sub(n, x, divide(n, mul(n, rate, v), size)), 1 - post));
    onnx_set(n, count + i, v);
    onnx_set(n, 2 * count + i, h);
  }
}

void onnx_import_momentum(onnx_node_t *n) {
  int count = count_tensors(n, 3);
  double alpha = onnx_attr_float(n, "alpha", 0), beta = onnx_attr_float(n, "beta", 1);
  bool nesterov = onnx_attr_is(n, "mode", "nesterov");
  for (int i = 0; i < count; i++) {
    MlirValue x = onnx_operand(n, 2 + i), g = gradient(n, count, i), rate = scalar(n, onnx_operand(n, 0));
    MlirValue steps = as_float(n, onnx_operand(n, 1), x);
    MlirValue is_first = onnx_with_number(n, STRATA_OP_LE, steps, 0);
    MlirValue fresh = onnx_select(n, is_first, onnx_number(n, steps, 1), onnx_number(n, steps, beta));
    MlirValue v = add(n, times(n, onnx_operand(n, 2 + 2 * count + i), alpha), mul(n, fresh, g));
    MlirValue step = nesterov ? add(n, g, times(n, v, alpha)) : v;
    onnx_set(n, i, sub(n, x, mul(n, rate, step)));
    onnx_set(n, count + i, v);
  }
}
