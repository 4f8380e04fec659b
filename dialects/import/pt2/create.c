// Tensors made of sizes and numbers, and arithmetic of sizes.
#include "dialects/import/pt2/convert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *filled(pt2_node_t *n, const char *sizes, const char *value) {
  return pt2_op(n, "Expand", GRAPH_VALUES(value, sizes));
}

// What |fill_value| says, or the row, or 0.
static const char *fill_value(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  return pt2_has(n, "fill_value") ? pt2_operand(n, "fill_value", dtype)
                                  : pt2_number_value(n, dtype, *n->info->detail ? 1 : 0);
}

void pt2_import_full(pt2_node_t *n) { pt2_set(n, 0, filled(n, pt2_sizes(n, "size"), fill_value(n))); }

void pt2_import_full_like(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  pt2_set(n, 0, filled(n, pt2_shape(n, self.name, 0, self.rank), fill_value(n)));
}

void pt2_import_scalar_tensor(pt2_node_t *n) { pt2_set(n, 0, pt2_operand(n, "s", pt2_result_dtype(n))); }

void pt2_import_arange(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  strata_dtype_t type = pt2_is_float(dtype) ? dtype : STRATA_DTYPE_I64;
  pt2_set_as(
      n, 0,
      pt2_op(n, "Range",
             GRAPH_VALUES(pt2_operand(n, "start", type), pt2_operand(n, "end", type), pt2_operand(n, "step", type))),
      type);
}

void pt2_import_linspace(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int64_t count = pt2_int(n, "steps");
  double start = pt2_number(n, "start"), end = pt2_number(n, "end");
  strata_tensor_t tensor = {.dtype = dtype, .rank = 1, .shape = {count}};
  if (n->has_failed || count < 0 || count > 1 << 24 || !strata_dtype_size(dtype, count, &tensor.size)) {
    pt2_refuse(n, "%lld steps", (long long)count);
    return;
  }
  tensor.data = strata_arena_alloc(n->arena, tensor.size + 1);
  for (int64_t i = 0; i < count; i++)
    strata_dtype_store(dtype, tensor.data, (size_t)i,
                       i < count / 2
                           ? start + (end - start) / (double)(count - 1) * (double)i
                           : end - (end - start) / (double)(count > 1 ? count - 1 : 1) * (double)(count - 1 - i));
  pt2_set(n, 0, graph_constant(n->g, graph_fresh(n->g, n->call->name), &tensor));
}

// alpha - beta cos(2 pi i / size), and of a Blackman window the next term, whose factor the row has.
void pt2_import_window(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int64_t count = pt2_int(n, "window_length"), size = pt2_bool(n, "periodic") ? count : count - 1;
  double alpha = pt2_number(n, "alpha"), beta = pt2_number(n, "beta"), next = strtod(n->info->detail, NULL);
  strata_tensor_t tensor = {.dtype = dtype, .rank = 1, .shape = {count}};
  if (n->has_failed || count < 1 || count > 1 << 24 || !strata_dtype_size(dtype, count, &tensor.size)) {
    pt2_refuse(n, "a window of %lld", (long long)count);
    return;
  }
  tensor.data = strata_arena_alloc(n->arena, tensor.size + 1);
  for (int64_t i = 0; i < count; i++) {
    double angle = count == 1 ? M_PI : 2 * M_PI * (double)i / (double)size;
    strata_dtype_store(dtype, tensor.data, (size_t)i, alpha - beta * cos(angle) + next * cos(2 * angle));
  }
  pt2_set(n, 0, graph_constant(n->g, graph_fresh(n->g, n->call->name), &tensor));
}

// Rows and columns of the elements below or above a diagonal.
void pt2_import_triangle(pt2_node_t *n) {
  enum { MOST = 1 << 12 };
  int64_t rows = pt2_int(n, "row"), columns = pt2_int(n, "col"), offset = pt2_int(n, "offset"), count = 0;
  bool is_lower = !strcmp(n->info->detail, "lower");
  if (rows < 0 || columns < 0 || rows > MOST || columns > MOST)
    pt2_refuse(n, "a matrix of %lld by %lld", (long long)rows, (long long)columns);
  if (n->has_failed)
    return;
  int64_t *places = strata_arena_array(n->arena, int64_t, 2 * rows * columns + 1);
  for (int side = 0; side < 2; side++)
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < columns; j++)
        if (is_lower ? j - i <= offset : j - i >= offset)
          places[count++] = side ? j : i;
  const char *value = graph_reshape(n->g, graph_ints(n->g, (int)count, places), 2, (int64_t[]){2, count / 2});
  pt2_set_as(n, 0, value, STRATA_DTYPE_I64);
}

void pt2_import_eye(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int64_t one = 1;
  const char *rows = pt2_sizes(n, "n"), *columns = pt2_has(n, "m") ? pt2_sizes(n, "m") : rows;
  graph_node_t *shape = pt2_node(n, "Concat", GRAPH_VALUES(rows, columns));
  if (!shape)
    return;
  graph_set_int(shape, "axis", 0);
  const char *zeros = filled(n, graph_result(shape, NULL), pt2_number_value(n, dtype, (double)(one - one)));
  pt2_set(n, 0, pt2_op(n, "EyeLike", GRAPH_VALUES(zeros)));
}

void pt2_import_trilu(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  graph_node_t *node = pt2_node(n, "Trilu", GRAPH_VALUES(self.name, pt2_operand(n, "diagonal", STRATA_DTYPE_I64)));
  if (!node)
    return;
  graph_set_int(node, "upper", *n->info->detail != 0);
  pt2_set(n, 0, graph_result(node, NULL));
}

//===-- Random numbers -------------------------------------------------------------------------------------------===//

// By |op|, of the shape of |like| and the element type of the result.
static graph_node_t *random_like(pt2_node_t *n, const char *op, const char *like) {
  graph_node_t *node = pt2_node(n, op, GRAPH_VALUES(like));
  if (node)
    graph_set_int(node, "dtype", strata_dtype_info[pt2_result_dtype(n)].onnx_type);
  return node;
}

// The same, of the shape of the result.
static graph_node_t *random_node(pt2_node_t *n, const char *op) {
  const char *zero = pt2_has(n, "size") ? pt2_number_value(n, pt2_result_dtype(n), 0) : NULL;
  return random_like(n, op, zero ? filled(n, pt2_sizes(n, "size"), zero) : pt2_tensor(n, "self").name);
}

void pt2_import_random(pt2_node_t *n) {
  graph_node_t *node = random_node(n, n->info->detail);
  if (node)
    pt2_set(n, 0, graph_result(node, NULL));
}

void pt2_import_uniform(pt2_node_t *n) {
  double low = pt2_number(n, "from"), high = pt2_number(n, "to");
  graph_node_t *node = random_node(n, "RandomUniformLike");
  if (!node)
    return;
  graph_set_float(node, "low", low);
  graph_set_float(node, "high", high);
  pt2_set(n, 0, graph_result(node, NULL));
}

// What is below x has the probability 1 - exp(-lambd x).
void pt2_import_exponential(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  graph_node_t *node = random_node(n, "RandomUniformLike");
  if (!node)
    return;
  const char *below = pt2_op(n, "Neg", GRAPH_VALUES(graph_result(node, NULL)));
  const char *value = pt2_op(n, "Neg", GRAPH_VALUES(pt2_op(n, "strata.Log1p", GRAPH_VALUES(below))));
  pt2_set(n, 0, pt2_op(n, "Div", GRAPH_VALUES(value, pt2_operand(n, "lambd", dtype))));
}

void pt2_import_bernoulli(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *likely = self.name;
  if (pt2_has(n, "p")) {
    likely = pt2_operand(n, "p", pt2_is_float(self.dtype) ? self.dtype : STRATA_DTYPE_F32);
    likely = filled(n, pt2_shape(n, self.name, 0, self.rank), likely);
  }
  graph_node_t *node = random_like(n, "Bernoulli", likely);
  if (node)
    pt2_set(n, 0, graph_result(node, NULL));
}

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

void pt2_import_sym_size(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *size = pt2_dim(n, self.name, pt2_axis(n, "dim", self.rank));
  if (!n->has_failed)
    pt2_set_symbol(n, size, STRATA_DTYPE_I64);
}

void pt2_import_sym_numel(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  pt2_set_symbol(n, pt2_op(n, "Size", GRAPH_VALUES(self.name)), STRATA_DTYPE_I64);
}

// What is known of where the elements lie.
void pt2_import_sym_stride(pt2_node_t *n) {
  const pt2_meta_t *meta = pt2_argument_meta(n, "self");
  bool is_offset = !pt2_has(n, "dim");
  int64_t axis = meta && !is_offset ? pt2_axis(n, "dim", meta->rank) : 0;
  if (!meta || (!is_offset && !meta->rank))
    pt2_refuse(n, "of a tensor without dims");
  int64_t number = n->has_failed ? -1 : is_offset ? meta->offset.number : meta->strides[axis].number;
  if (number < 0)
    pt2_refuse(n, "a stride that varies");
  else
    pt2_set_symbol(n, graph_int(n->g, number), STRATA_DTYPE_I64);
}

// Floats, if there is one among the operands: PyTorch's numbers are Python's.
static strata_dtype_t number_dtype(pt2_node_t *n) {
  const char *operands = strchr(n->info->arguments, 'b') ? "a b" : "a";
  return pt2_is_float(pt2_promoted(n, operands)) ? STRATA_DTYPE_F64 : STRATA_DTYPE_I64;
}

void pt2_import_symbolic(pt2_node_t *n) {
  strata_dtype_t dtype = number_dtype(n);
  pt2_set_symbol(n, pt2_formula(n, dtype, n->info->detail), dtype);
}

// Rounded down also where it is negative, as in -(-n // 2), which a quotient of integers in ONNX is not.
void pt2_import_symbolic_floordiv(pt2_node_t *n) {
  strata_dtype_t dtype = number_dtype(n);
  const char *quotient = pt2_formula(n, STRATA_DTYPE_F64, "Floor(Div(a, b))");
  if (!n->has_failed)
    pt2_set_symbol(n, dtype == STRATA_DTYPE_F64 ? quotient : graph_cast(n->g, quotient, dtype), dtype);
}

// Of the sign of |b|, as Python's.
void pt2_import_symbolic_mod(pt2_node_t *n) {
  strata_dtype_t dtype = number_dtype(n);
  bool is_float = dtype == STRATA_DTYPE_F64;
  pt2_set_symbol(n, pt2_formula(n, dtype, is_float ? "Sub(a, Mul(b, Floor(Div(a, b))))" : "Mod(a, b)"), dtype);
}

void pt2_import_symbolic_int(pt2_node_t *n) {
  pt2_set_symbol(n, pt2_operand(n, "a", STRATA_DTYPE_I64), STRATA_DTYPE_I64);
}

void pt2_import_symbolic_float(pt2_node_t *n) {
  pt2_set_symbol(n, pt2_formula(n, STRATA_DTYPE_F64, n->info->detail), STRATA_DTYPE_F64);
}

void pt2_import_symbolic_truth(pt2_node_t *n) {
  pt2_set_symbol(n, pt2_formula(n, number_dtype(n), n->info->detail), STRATA_DTYPE_BOOL);
}
