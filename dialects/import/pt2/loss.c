// Distances and losses: formulas, and what is summed of them.
#include "dialects/import/pt2/shape.h"

#include <math.h>
#include <string.h>

static const char *sum_over(pt2_node_t *n, const char *op, const char *value, int count, const int64_t *axes,
                            bool keep) {
  if (n->has_failed)
    return "";
  graph_node_t *node = count ? pt2_node(n, op, GRAPH_VALUES(value, graph_ints(n->g, count, axes)))
                             : pt2_node(n, op, GRAPH_VALUES(value));
  if (!node)
    return "";
  graph_set_int(node, "keepdims", keep);
  return graph_result(node, NULL);
}

static const char *binary(pt2_node_t *n, const char *op, const char *a, const char *b) {
  return pt2_op(n, op, GRAPH_VALUES(a, b));
}

//===-- Losses ---------------------------------------------------------------------------------------------------===//

// What "reduction" says: 0 is all of them, 1 their mean, 2 their sum.
static void set_reduced(pt2_node_t *n, const char *value) {
  static const char *const names[] = {NULL, "ReduceMean", "ReduceSum"};
  int64_t reduction = pt2_int(n, "reduction");
  if (reduction < 0 || reduction > 2)
    pt2_refuse(n, "reduction %lld", (long long)reduction);
  else
    pt2_set(n, 0, reduction ? sum_over(n, names[reduction], value, 0, NULL, false) : value);
}

// The row's formula, times weights where they are given.
void pt2_import_loss(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  const char *value = pt2_formula(n, dtype, n->info->detail);
  if (pt2_has(n, "weight"))
    value = binary(n, "Mul", value, pt2_operand(n, "weight", dtype));
  set_reduced(n, value);
}

// A width of 0 is no width.
void pt2_import_smooth_l1(pt2_node_t *n) {
  set_reduced(
      n, pt2_formula(n, pt2_result_dtype(n), pt2_number(n, "beta") == 0 ? "Abs(Sub(self, target))" : n->info->detail));
}

// |pos_weight| scales the part of what is true.
void pt2_import_loss_of_logits(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  const char *value = pt2_formula(
      n, dtype,
      pt2_has(n, "pos_weight")
          ? "Add(Mul(Sub(1, target), self), Mul(Add(Mul(Sub(pos_weight, 1), target), 1), Softplus(Neg(self))))"
          : "Add(Mul(Sub(1, target), self), Softplus(Neg(self)))");
  if (pt2_has(n, "weight"))
    value = binary(n, "Mul", value, pt2_operand(n, "weight", dtype));
  set_reduced(n, value);
}

void pt2_import_kl_div(pt2_node_t *n) {
  set_reduced(n, pt2_formula(n, pt2_result_dtype(n),
                             pt2_bool(n, "log_target")
                                 ? "Mul(Exp(target), Sub(target, self))"
                                 : "Sub(Where(Equal(target, 0), 0, Mul(target, Log(target))), Mul(target, self))"));
}

// Targets are classes, dim 1 of the operand: "logits" or their logarithms. One class is left out.
void pt2_import_loss_of_classes(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self"), target = pt2_tensor(n, "target");
  int64_t reduction = pt2_int(n, "reduction"), classes = 1;
  if (pt2_is_float(target.dtype) || self.rank < 2)
    pt2_refuse(n, "targets that are no classes, or one row without a dim");
  if (pt2_has(n, "label_smoothing") && pt2_number(n, "label_smoothing") != 0)
    pt2_refuse(n, "label_smoothing");
  const char *value = pt2_cast(n, &self, dtype), *zero = pt2_number_value(n, dtype, 0);
  if (!strcmp(n->info->detail, "logits"))
    value = pt2_along(n, "LogSoftmax", GRAPH_VALUES(value), 1);
  const char *place = pt2_cast(n, &target, STRATA_DTYPE_I64);
  const char *ignored = pt2_operand(n, "ignore_index", STRATA_DTYPE_I64);
  const char *is_kept = pt2_op(n, "Not", GRAPH_VALUES(binary(n, "Equal", place, ignored)));
  place = pt2_op(n, "Where", GRAPH_VALUES(is_kept, place, pt2_number_value(n, STRATA_DTYPE_I64, 0)));
  const char *weight =
      pt2_has(n, "weight") ? pt2_gather(n, pt2_operand(n, "weight", dtype), place, 0) : pt2_number_value(n, dtype, 1);
  weight = pt2_op(n, "Where", GRAPH_VALUES(is_kept, weight, zero));
  if (n->has_failed)
    return;
  value = pt2_along(n, "GatherElements", GRAPH_VALUES(value, graph_unsqueeze(n->g, place, 1, &classes)), 1);
  value = binary(n, "Mul", graph_squeeze(n->g, value, 1, &classes), weight);
  value = pt2_op(n, "Where", GRAPH_VALUES(is_kept, pt2_op(n, "Neg", GRAPH_VALUES(value)), zero));
  if (reduction == 1)
    pt2_set(n, 0,
            binary(n, "Div", sum_over(n, "ReduceSum", value, 0, NULL, false),
                   sum_over(n, "ReduceSum", weight, 0, NULL, false)));
  else
    set_reduced(n, value);
}

//===-- Distances ------------------------------------------------------------------------------------------------===//

// (sum of |x|^p)^(1/p) over axes, all where there are none.
static const char *norm(pt2_node_t *n, const char *x, strata_dtype_t dtype, double p, int count, const int64_t *axes,
                        bool keep) {
  x = pt2_op(n, "Abs", GRAPH_VALUES(x));
  if (p == 1 || p == 2)
    return sum_over(n, p == 1 ? "ReduceSum" : "ReduceL2", x, count, axes, keep);
  if (isinf(p))
    return sum_over(n, p > 0 ? "ReduceMax" : "ReduceMin", x, count, axes, keep);
  if (p == 0) {
    pt2_refuse(n, "a norm of order 0");
    return "";
  }
  x = sum_over(n, "ReduceSum", binary(n, "Pow", x, pt2_number_value(n, dtype, p)), count, axes, keep);
  return binary(n, "Pow", x, pt2_number_value(n, dtype, 1 / p));
}

void pt2_import_cosine_similarity(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t a = pt2_tensor(n, "x1"), b = pt2_tensor(n, "x2");
  int64_t axis = pt2_axis(n, "dim", a.rank > b.rank ? a.rank : b.rank) - (a.rank > b.rank ? a.rank : b.rank);
  const char *x1 = pt2_cast(n, &a, dtype), *x2 = pt2_cast(n, &b, dtype), *eps = pt2_operand(n, "eps", dtype);
  x1 = binary(n, "Div", x1, binary(n, "Max", norm(n, x1, dtype, 2, 1, &axis, true), eps));
  x2 = binary(n, "Div", x2, binary(n, "Max", norm(n, x2, dtype, 2, 1, &axis, true), eps));
  pt2_set(n, 0, sum_over(n, "ReduceSum", binary(n, "Mul", x1, x2), 1, &axis, false));
}

void pt2_import_pairwise_distance(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int64_t last = -1;
  const char *difference = pt2_formula(n, dtype, "Add(Sub(x1, x2), eps)");
  pt2_set(n, 0, norm(n, difference, dtype, pt2_number(n, "p"), 1, &last, pt2_bool(n, "keepdim")));
}

void pt2_import_dist(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_set(n, 0, norm(n, pt2_formula(n, dtype, "Sub(self, other)"), dtype, pt2_number(n, "p"), 0, NULL, false));
}

// Of vectors, and Frobenius' of matrices: "ord" is a number, a name, or nothing.
void pt2_import_linalg_norm(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axes[2] = {-2, -1};
  int count = -1, n_items;
  const pt2_item_t *order = pt2_items(n, "ord", &n_items);
  bool is_name = n_items == 1 && order->kind == PT2_STRING, has_order = n_items == 1 && !is_name && pt2_has(n, "ord");
  bool is_matrix_norm = strstr(n->info->name, "matrix");
  if (is_name && strcmp(pt2_string(n, "ord", "fro"), "fro"))
    pt2_refuse(n, "the norm '%s'", pt2_string(n, "ord", ""));
  const int64_t *dims = pt2_has(n, "dim") ? pt2_ints(n, "dim", &count) : NULL;
  if (!dims)
    count = is_matrix_norm || is_name || (has_order && self.rank == 2) ? 2 : has_order ? 1 : 0;
  if (count > 2 || (count == 2 && has_order) || (!dims && has_order && self.rank > 2))
    pt2_refuse(n, "a norm of matrices other than Frobenius'");
  for (int i = 0; i < count && !n->has_failed; i++)
    axes[i] = dims ? pt2_normal_axis(n, dims[i], self.rank) : i - count;
  bool keep = pt2_bool(n, "keepdim");
  double p = has_order ? pt2_number(n, "ord") : 2;
  if (!n->has_failed)
    pt2_set(n, 0, norm(n, pt2_cast(n, &self, dtype), dtype, p, count, axes, keep));
}

void pt2_import_vecdot(pt2_node_t *n) {
  const char *product = pt2_formula(n, pt2_result_dtype(n), "Mul(x, y)");
  pt2_value_t x = pt2_tensor(n, "x"), y = pt2_tensor(n, "y");
  int rank = x.rank > y.rank ? x.rank : y.rank;
  int64_t axis = pt2_axis(n, "dim", rank);
  pt2_set(n, 0, sum_over(n, "ReduceSum", product, 1, &axis, false));
}

//===-- Sums that leave NaN out, and counts ----------------------------------------------------------------------===//

// "sum", "mean" or "count": of numbers that are not 0.
void pt2_import_sum_of_some(pt2_node_t *n) {
  const char *detail = n->info->detail;
  bool is_count = !strcmp(detail, "count"), keep = pt2_has(n, "keepdim") && pt2_bool(n, "keepdim");
  pt2_value_t self = pt2_tensor(n, "self");
  strata_dtype_t dtype = pt2_result_dtype(n);
  int64_t axes[STRATA_TENSOR_MAX_RANK];
  int count = -1;
  const int64_t *dims = pt2_has(n, "dim") ? pt2_ints(n, "dim", &count) : NULL;
  count = dims && count <= STRATA_TENSOR_MAX_RANK ? count : 0;
  for (int i = 0; i < count; i++)
    axes[i] = pt2_normal_axis(n, dims[i], self.rank);
  if (is_count || !pt2_is_float(self.dtype)) {
    const char *value =
        is_count && self.dtype != STRATA_DTYPE_BOOL ? pt2_formula(n, self.dtype, "Not(Equal(self, 0))") : self.name;
    value = n->has_failed ? "" : graph_cast(n->g, value, dtype);
    pt2_set(n, 0, sum_over(n, "ReduceSum", value, count, axes, keep));
    return;
  }
  const char *value = sum_over(n, "ReduceSum", pt2_formula(n, dtype, "Where(IsNaN(self), 0, self)"), count, axes, keep);
  if (!strcmp(detail, "mean"))
    value = binary(n, "Div", value,
                   sum_over(n, "ReduceSum", pt2_formula(n, dtype, "Where(IsNaN(self), 0, 1)"), count, axes, keep));
  pt2_set(n, 0, value);
}

// Whether each element is one of some.
void pt2_import_isin(pt2_node_t *n) {
  bool has_tensor = pt2_has(n, "test_elements"), is_tensor = pt2_has(n, "elements");
  const char *other = has_tensor ? "test_elements" : "test_element", *self = is_tensor ? "elements" : "element";
  strata_dtype_t dtype = pt2_promoted(n, strata_arena_printf(n->arena, "%s %s", self, other));
  const char *value = pt2_operand(n, self, dtype), *tests = pt2_operand(n, other, dtype);
  int64_t last = -1, rest = -1;
  if (n->has_failed)
    return;
  const char *is_one = binary(n, "Equal", graph_unsqueeze(n->g, value, 1, &last), graph_reshape(n->g, tests, 1, &rest));
  is_one = sum_over(n, "ReduceMax", is_one, 1, &last, false);
  pt2_set_as(n, 0, pt2_bool(n, "invert") ? pt2_op(n, "Not", GRAPH_VALUES(is_one)) : is_one, STRATA_DTYPE_BOOL);
}

// How many elements are in each of equal parts of [min, max], the last of which has its end.
void pt2_import_histc(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int64_t bins = pt2_int(n, "bins"), rest = -1, last = -1, first = 0;
  if (pt2_number(n, "min") >= pt2_number(n, "max") || bins < 1)
    pt2_refuse(n, "of the data's own range");
  if (n->has_failed)
    return;
  const char *place = pt2_formula(n, dtype, "Min(Floor(Mul(Div(Sub(self, min), Sub(max, min)), bins)), Sub(bins, 1))");
  place = graph_reshape(n->g, graph_cast(n->g, place, STRATA_DTYPE_I64), 1, &rest);
  const char *is_in = pt2_formula(n, dtype, "And(GreaterOrEqual(self, min), LessOrEqual(self, max))");
  is_in = graph_unsqueeze(n->g, graph_reshape(n->g, is_in, 1, &rest), 1, &last);
  const char *numbers = pt2_op(n, "Range", GRAPH_VALUES(graph_int(n->g, 0), graph_int(n->g, bins), graph_int(n->g, 1)));
  const char *is_one = binary(n, "And", is_in, binary(n, "Equal", graph_unsqueeze(n->g, place, 1, &last), numbers));
  pt2_set(n, 0, sum_over(n, "ReduceSum", graph_cast(n->g, is_one, dtype), 1, &first, false));
}

//===-- Special functions ----------------------------------------------------------------------------------------===//

// c[0] + c[1] x + ..., the last coefficient first.
static const char *horner(pt2_node_t *n, strata_dtype_t dtype, const char *x, int count, const double *c) {
  const char *value = pt2_number_value(n, dtype, c[count - 1]);
  for (int i = count - 2; i >= 0; i--)
    value = binary(n, "Add", binary(n, "Mul", value, x), pt2_number_value(n, dtype, c[i]));
  return value;
}

// Giles' polynomials of -log(1 - x^2), which are right to f32's precision.
void pt2_import_erfinv(pt2_node_t *n) {
  static const double center[] = {1.50140941,      0.246640727,    -0.00417768164, -0.00125372503, 0.00021858087,
                                  -4.39150654e-06, -3.5233877e-06, 3.43273939e-07, 2.81022636e-08};
  static const double tail[] = {2.83297682,     1.00167406,    0.00943887047,  -0.0076224613,  0.00573950773,
                                -0.00367342844, 0.00134934322, 0.000100950558, -0.000200214257};
  strata_dtype_t dtype = pt2_result_dtype(n);
  if (dtype == STRATA_DTYPE_F64)
    pt2_refuse(n, "in f64");
  const char *x = pt2_operand(n, "self", dtype), *one = pt2_number_value(n, dtype, 1);
  const char *w = pt2_formula(n, dtype, "Neg(Add(Log(Sub(1, self)), strata.Log1p(self)))");
  const char *small = horner(n, dtype, binary(n, "Sub", w, pt2_number_value(n, dtype, 2.5)), 9, center);
  const char *root = pt2_op(n, "Sqrt", GRAPH_VALUES(w));
  const char *large = horner(n, dtype, binary(n, "Sub", root, pt2_number_value(n, dtype, 3)), 9, tail);
  const char *is_small = binary(n, "Less", w, pt2_number_value(n, dtype, 5));
  const char *value = binary(n, "Mul", x, pt2_op(n, "Where", GRAPH_VALUES(is_small, small, large)));
  const char *is_end = binary(n, "Equal", pt2_op(n, "Abs", GRAPH_VALUES(x)), one);
  const char *infinite = binary(n, "Mul", x, pt2_number_value(n, dtype, INFINITY));
  pt2_set(n, 0, pt2_op(n, "Where", GRAPH_VALUES(is_end, infinite, value)));
}

// Lanczos' series from 1/2 on, log(pi / |sin(pi x)|) less that of 1 - x below.
void pt2_import_lgamma(pt2_node_t *n) {
  static const double c[] = {76.18009172947146,  -86.50532032941677,    24.01409824083091,
                             -1.231739572450155, 0.1208650973866179e-2, -0.5395239384953e-5};
  strata_dtype_t dtype = pt2_result_dtype(n);
  if (dtype == STRATA_DTYPE_F64)
    pt2_refuse(n, "in f64");
  const char *is_low = pt2_formula(n, dtype, "Less(self, 0.5)");
  const char *x =
      pt2_op(n, "Where", GRAPH_VALUES(is_low, pt2_formula(n, dtype, "Sub(1, self)"), pt2_operand(n, "self", dtype)));
  const char *series = pt2_number_value(n, dtype, 1.000000000190015);
  for (int i = 0; i < 6; i++)
    series = binary(
        n, "Add", series,
        binary(n, "Div", pt2_number_value(n, dtype, c[i]), binary(n, "Add", x, pt2_number_value(n, dtype, i + 1))));
  const char *base = binary(n, "Add", x, pt2_number_value(n, dtype, 5.5));
  const char *power =
      binary(n, "Mul", binary(n, "Add", x, pt2_number_value(n, dtype, 0.5)), pt2_op(n, "Log", GRAPH_VALUES(base)));
  series = binary(n, "Mul", series, pt2_number_value(n, dtype, 2.5066282746310005));
  const char *above =
      binary(n, "Add", binary(n, "Sub", power, base), pt2_op(n, "Log", GRAPH_VALUES(binary(n, "Div", series, x))));
  const char *mirrored = pt2_formula(
      n, dtype, "Log(Div(3.14159265358979323846, Abs(Sin(Mul(3.14159265358979323846, Sub(self, Floor(self)))))))");
  mirrored = binary(n, "Sub", mirrored, above);
  const char *value = pt2_op(n, "Where", GRAPH_VALUES(is_low, mirrored, above));
  pt2_set(n, 0,
          pt2_op(n, "Where",
                 GRAPH_VALUES(pt2_formula(n, dtype, "IsInf(self)"), pt2_number_value(n, dtype, INFINITY), value)));
}
