// Operators element by element.
#include "dialects/import/pt2/convert.h"

#include <string.h>

void pt2_import_formula(pt2_node_t *n) { pt2_set(n, 0, pt2_formula(n, pt2_result_dtype(n), n->info->detail)); }

void pt2_import_refused(pt2_node_t *n) { pt2_refuse(n, "%s", n->info->detail); }

//===-- Arithmetic -----------------------------------------------------------------------------------------------===//

// self + alpha other, self - alpha other
void pt2_import_add(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int count;
  const pt2_item_t *alpha = pt2_items(n, "alpha", &count);
  const char *self = pt2_operand(n, "self", dtype), *other = pt2_operand(n, "other", dtype);
  if (count && (alpha->kind == PT2_SYMBOL || alpha->number != 1))
    other = pt2_op(n, "Mul", GRAPH_VALUES(other, pt2_operand(n, "alpha", dtype)));
  bool is_or = dtype == STRATA_DTYPE_BOOL; // a sum of truths
  pt2_set(n, 0, pt2_op(n, is_or ? "Or" : n->info->detail, GRAPH_VALUES(self, other)));
}

void pt2_import_mul(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_set(n, 0, pt2_formula(n, dtype, dtype == STRATA_DTYPE_BOOL ? "And(self, other)" : "Mul(self, other)"));
}

static bool is_integer(strata_dtype_t dtype) { return !pt2_is_float(dtype); }

void pt2_import_floor_divide(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_set(
      n, 0,
      pt2_formula(n, dtype, is_integer(dtype) ? "Div(Sub(self, Mod(self, other)), other)" : "Floor(Div(self, other))"));
}

void pt2_import_div(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  const char *mode = pt2_string(n, "rounding_mode", "");
  if (!strcmp(mode, "floor"))
    pt2_import_floor_divide(n);
  else if (!strcmp(mode, "trunc") && !is_integer(dtype))
    pt2_set(n, 0, pt2_formula(n, dtype, "Mul(Sign(Div(self, other)), Floor(Abs(Div(self, other))))"));
  else
    pt2_set(n, 0, pt2_formula(n, dtype, "Div(self, other)"));
}

// The remainder has the divisor's sign.
void pt2_import_remainder(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_set(n, 0,
          pt2_formula(n, dtype,
                      is_integer(dtype)
                          ? "Mod(self, other)"
                          : "Where(And(Not(Equal(Mod(self, other; fmod=1), 0)), Xor(Less(self, 0), Less(other, 0))), "
                            "Add(Mod(self, other; fmod=1), other), Mod(self, other; fmod=1))"));
}

// Integers are round already.
void pt2_import_rounded(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_set(n, 0, pt2_formula(n, dtype, is_integer(dtype) ? "Identity(self)" : n->info->detail));
}

void pt2_import_clamp(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  const char *value = pt2_operand(n, "self", dtype);
  if (pt2_has(n, "min"))
    value = pt2_op(n, "Max", GRAPH_VALUES(value, pt2_operand(n, "min", dtype)));
  if (pt2_has(n, "max"))
    value = pt2_op(n, "Min", GRAPH_VALUES(value, pt2_operand(n, "max", dtype)));
  pt2_set(n, 0, value);
}

void pt2_import_gelu(pt2_node_t *n) {
  bool is_tanh = !strcmp(pt2_string(n, "approximate", "none"), "tanh");
  pt2_set(n, 0,
          pt2_formula(n, pt2_result_dtype(n),
                      is_tanh ? "Gelu(self; approximate=\"tanh\")" : "Gelu(self; approximate=\"none\")"));
}

void pt2_import_logit(pt2_node_t *n) {
  pt2_set(n, 0,
          pt2_formula(n, pt2_result_dtype(n),
                      pt2_has(n, "eps") ? "Log(Div(Clip(self, eps, Sub(1, eps)), Sub(1, Clip(self, eps, Sub(1, eps)))))"
                                        : "Log(Div(self, Sub(1, self)))"));
}

void pt2_import_nan_to_num(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  if (pt2_is_float(dtype) && !(pt2_has(n, "posinf") && pt2_has(n, "neginf")))
    pt2_refuse(n, "without posinf and neginf");
  pt2_set(n, 0,
          pt2_formula(n, dtype,
                      is_integer(dtype) ? "Identity(self)"
                                        : "Where(IsNaN(self), nan, Where(IsInf(self; detect_negative=0), posinf, "
                                          "Where(IsInf(self; detect_positive=0), neginf, self)))"));
}

// Between both slopes, but for training.
void pt2_import_rrelu(pt2_node_t *n) {
  if (pt2_bool(n, "training"))
    pt2_refuse(n, "rrelu in training; export model.eval()");
  pt2_set(n, 0,
          pt2_formula(n, pt2_result_dtype(n), "Where(Greater(self, 0), self, Mul(Mul(0.5, Add(lower, upper)), self))"));
}

// One slope for each channel, dim 1.
void pt2_import_prelu(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self");
  const char *slope = pt2_operand(n, "weight", dtype);
  int64_t shape[STRATA_TENSOR_MAX_RANK];
  int rank = self.rank > 1 ? self.rank - 1 : 1;
  for (int i = 0; i < rank; i++)
    shape[i] = i ? 1 : -1;
  if (!n->has_failed)
    slope = graph_reshape(n->g, slope, rank, shape);
  const char *value = pt2_operand(n, "self", dtype);
  pt2_set(n, 0, pt2_op(n, "PRelu", GRAPH_VALUES(value, slope)));
}

//===-- Choices --------------------------------------------------------------------------------------------------===//

void pt2_import_where(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  const char *condition = pt2_operand(n, "condition", STRATA_DTYPE_BOOL);
  if (!pt2_has(n, "self"))
    pt2_refuse(n, "a result of a size that depends on data");
  const char *self = pt2_operand(n, "self", dtype), *other = pt2_operand(n, "other", dtype);
  pt2_set(n, 0, pt2_op(n, "Where", GRAPH_VALUES(condition, self, other)));
}

void pt2_import_masked_fill(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  const char *mask = pt2_operand(n, "mask", STRATA_DTYPE_BOOL), *value = pt2_operand(n, "value", dtype);
  pt2_set(n, 0, pt2_op(n, "Where", GRAPH_VALUES(mask, value, pt2_operand(n, "self", dtype))));
}

//===-- Comparisons, truth, bits ---------------------------------------------------------------------------------===//

void pt2_import_compare(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_promoted(n, "self other");
  pt2_set_as(n, 0, pt2_formula(n, dtype, n->info->detail), STRATA_DTYPE_BOOL);
}

void pt2_import_isclose(pt2_node_t *n) {
  if (pt2_bool(n, "equal_nan"))
    pt2_refuse(n, "equal_nan");
  pt2_set(n, 0,
          pt2_formula(n, pt2_promoted(n, "self other"),
                      "Or(Equal(self, other), LessOrEqual(Abs(Sub(self, other)), Add(atol, Mul(rtol, Abs(other)))))"));
}

void pt2_import_logical(pt2_node_t *n) {
  pt2_set_as(n, 0, pt2_formula(n, STRATA_DTYPE_BOOL, n->info->detail), STRATA_DTYPE_BOOL);
}

// Of integers nothing is infinite or not a number.
void pt2_import_test(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  pt2_set(n, 0, pt2_formula(n, pt2_is_float(self.dtype) ? self.dtype : STRATA_DTYPE_F32, n->info->detail));
}

void pt2_import_bitwise(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  const char *op = strata_arena_printf(n->arena, "%s%s", dtype == STRATA_DTYPE_BOOL ? "" : "Bitwise", n->info->detail);
  const char *self = pt2_operand(n, "self", dtype), *other = pt2_operand(n, "other", dtype);
  pt2_set(n, 0, pt2_op(n, op, GRAPH_VALUES(self, other)));
}

void pt2_import_bitwise_not(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_set(n, 0, pt2_formula(n, dtype, dtype == STRATA_DTYPE_BOOL ? "Not(self)" : "BitwiseNot(self)"));
}

//===-- The same values ------------------------------------------------------------------------------------------===//

void pt2_import_convert(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_set(n, 0, pt2_cast(n, &self, dtype));
}

// The values of |src|, in the shape and type of |self|.
void pt2_import_copy(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *source = pt2_operand(n, "src", pt2_result_dtype(n));
  pt2_set(n, 0, pt2_op(n, "Expand", GRAPH_VALUES(source, pt2_shape(n, self.name, 0, self.rank))));
}

void pt2_import_fill(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *value = pt2_operand(n, "value", pt2_result_dtype(n));
  pt2_set(n, 0, pt2_op(n, "Expand", GRAPH_VALUES(value, pt2_shape(n, self.name, 0, self.rank))));
}

void pt2_import_zero(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *zero = pt2_number_value(n, pt2_result_dtype(n), 0);
  pt2_set(n, 0, pt2_op(n, "Expand", GRAPH_VALUES(zero, pt2_shape(n, self.name, 0, self.rank))));
}

void pt2_import_dropout(pt2_node_t *n) {
  if (pt2_has(n, "train") && pt2_bool(n, "train"))
    pt2_refuse(n, "dropout in training; export model.eval()");
  pt2_value_t self = pt2_tensor(n, pt2_has(n, "input") ? "input" : "self");
  pt2_set(n, 0, self.name);
}
