// Building: broadcasting, numbers, movement of one axis, contractions by letters.
#include "dialects/import/onnx/sizes.h"
#include "dialects/mlir_util.h"

static bool is_null(MlirValue value) { return mlirValueIsNull(value); }
static MlirContext context_of(const onnx_node_t *n) { return n->b->compile->context; }

static strata_shape_t strata_shape(onnx_node_t *n, strata_type_t type, int rank, const int64_t *dims) {
  if (rank > STRATA_MAX_RANK) {
    onnx_unsupported(n, "expected at most %d dimensions, got %d", STRATA_MAX_RANK, rank);
    rank = 0;
  }
  return strata_shape_static(context_of(n), type, rank, dims);
}

// Dims that may have been read before some of them were found equal.
static strata_shape_t resolved(onnx_node_t *n, strata_type_t type, int rank, const strata_dim_t *dims) {
  strata_shape_t shape = {.type = type, .rank = rank};
  if (rank > STRATA_MAX_RANK) {
    onnx_unsupported(n, "expected at most %d dimensions, got %d", STRATA_MAX_RANK, rank);
    shape.rank = 0;
  }
  for (int i = 0; i < shape.rank; i++)
    shape.dims[i] = onnx_resolve(n->importer, dims[i]);
  return shape;
}

//===-- Elementwise ----------------------------------------------------------------------------------------------===//

MlirValue onnx_unary(onnx_node_t *n, strata_op_id_t op, MlirValue x) { return strata_build_unary(n->b, op, x); }

MlirValue onnx_binary(onnx_node_t *n, strata_op_id_t op, MlirValue x, MlirValue y) {
  onnx_agree_pair(n, x, y);
  strata_build_broadcast_pair(n->b, &x, &y);
  return strata_build_binary(n->b, op, x, y);
}

MlirValue onnx_select(onnx_node_t *n, MlirValue condition, MlirValue x, MlirValue y) {
  onnx_agree_pair(n, x, y);
  strata_build_broadcast_pair(n->b, &x, &y);
  onnx_agree_pair(n, condition, x);
  strata_build_broadcast_pair(n->b, &condition, &x);
  strata_build_broadcast_pair(n->b, &x, &y);
  return strata_build_select(n->b, condition, x, y);
}

MlirValue onnx_splat_dims(onnx_node_t *n, strata_type_t type, int rank, const strata_dim_t *dims, double number) {
  strata_shape_t shape = resolved(n, type, rank, dims);
  return strata_build_splat(n->b, &shape, number);
}

MlirValue onnx_splat(onnx_node_t *n, strata_type_t type, int rank, const int64_t *dims, double number) {
  strata_shape_t shape = strata_shape(n, type, rank, dims);
  return strata_build_splat(n->b, &shape, number);
}

MlirValue onnx_number(onnx_node_t *n, MlirValue like, double number) {
  strata_shape_t shape = strata_shape_of(like);
  return is_null(like) ? like : strata_build_splat(n->b, &shape, number);
}

MlirValue onnx_integer(onnx_node_t *n, MlirValue like, int64_t number) {
  strata_shape_t shape = strata_shape_of(like);
  return is_null(like) ? like : strata_build_splat_int(n->b, &shape, number);
}

MlirValue onnx_with_number(onnx_node_t *n, strata_op_id_t op, MlirValue x, double number) {
  return strata_build_binary(n->b, op, x, onnx_number(n, x, number));
}

MlirValue onnx_with_dim(onnx_node_t *n, strata_op_id_t op, MlirValue x, strata_dim_t dim) {
  int64_t known;
  dim = onnx_resolve(n->importer, dim);
  if (strata_dim_is_constant(dim, &known))
    return strata_build_binary(n->b, op, x, onnx_integer(n, x, known));
  return onnx_binary(n, op, x, strata_build_dim(n->b, dim, onnx_shape(x).type));
}

MlirValue onnx_convert(onnx_node_t *n, MlirValue x, bool from_unsigned, strata_type_t type, bool to_unsigned) {
  strata_type_t from = onnx_shape(x).type;
  bool from_integer = strata_type_info[from].kind == STRATA_TYPE_KIND_INTEGER;
  bool to_integer = strata_type_info[type].kind == STRATA_TYPE_KIND_INTEGER;
  if (from == type)
    return x;
  // Between integers the source says how to extend; a result of fewer bits keeps the low ones either way.
  if (from_integer && from_unsigned)
    return strata_build_convert(n->b, STRATA_OP_CONVERT_U, x, type);
  return strata_build_convert(
      n->b, to_integer && to_unsigned && !from_integer ? STRATA_OP_CONVERT_TO_U : STRATA_OP_CONVERT, x, type);
}

MlirValue onnx_to_float(onnx_node_t *n, MlirValue x) {
  return onnx_shape(x).type == STRATA_TYPE_F64 ? x : onnx_convert(n, x, false, STRATA_TYPE_F32, false);
}

MlirValue onnx_widen(onnx_node_t *n, MlirValue x) {
  strata_type_t type = onnx_shape(x).type;
  bool is_narrow = type == STRATA_TYPE_F16 || type == STRATA_TYPE_BF16;
  return is_narrow ? strata_build_implied_convert(n->b, x, STRATA_TYPE_F32) : x;
}

MlirValue onnx_round(onnx_node_t *n, MlirValue x, strata_type_t type) {
  return is_null(x) ? x : strata_build_implied_convert(n->b, x, type);
}

MlirValue onnx_composite(onnx_node_t *n, strata_composite_id_t id, MlirValue x) {
  return strata_build_composite(n->b, id, 1, &x, 0, NULL);
}

//===-- Movement -------------------------------------------------------------------------------------------------===//

// That the number of elements stays is a condition of every call where it does not follow from the sizes.
static MlirValue reshaped(onnx_node_t *n, MlirValue x, const strata_shape_t *to) {
  strata_shape_t from = onnx_shape(x);
  if (!onnx_failed(n)) {
    strata_dim_t before = strata_dim_product(context_of(n), from.rank, from.dims),
                 after = strata_dim_product(context_of(n), to->rank, to->dims);
    if (!strata_dim_equal(before, after) && !onnx_require(n->importer, before, after, 0, 0))
      onnx_invalid(n, "%s elements cannot become %s", onnx_dim_text(n, before), onnx_dim_text(n, after));
  }
  return strata_build_reshape(n->b, x, to->rank, to->dims);
}

MlirValue onnx_reshape(onnx_node_t *n, MlirValue x, int rank, const int64_t *dims) {
  strata_shape_t shape = strata_shape(n, STRATA_TYPE_F32, rank, dims);
  return reshaped(n, x, &shape);
}

MlirValue onnx_reshape_dims(onnx_node_t *n, MlirValue x, int rank, const strata_dim_t *dims) {
  strata_shape_t shape = resolved(n, STRATA_TYPE_F32, rank, dims);
  return reshaped(n, x, &shape);
}

MlirValue onnx_broadcast_to(onnx_node_t *n, MlirValue x, int rank, const int64_t *dims) {
  strata_shape_t shape = strata_shape(n, STRATA_TYPE_F32, rank, dims);
  return strata_build_broadcast_to(n->b, x, shape.rank, shape.dims);
}

MlirValue onnx_broadcast_dims(onnx_node_t *n, MlirValue x, int rank, const strata_dim_t *dims) {
  strata_shape_t shape = resolved(n, STRATA_TYPE_F32, rank, dims);
  return strata_build_broadcast_to(n->b, x, shape.rank, shape.dims);
}

static bool has_axis(onnx_node_t *n, const strata_shape_t *shape, int axis) {
  if (axis < 0 || axis >= shape->rank)
    onnx_invalid(n, "expected an operand of more than %d dimensions, got %d", axis < 0 ? 0 : axis, shape->rank);
  return !onnx_failed(n);
}

MlirValue onnx_slice_dims(onnx_node_t *n, MlirValue x, int axis, strata_dim_t start, int64_t step, strata_dim_t size) {
  strata_shape_t shape = onnx_shape(x);
  if (!has_axis(n, &shape, axis))
    return (MlirValue){0};
  strata_dim_t starts[STRATA_MAX_RANK];
  int64_t steps[STRATA_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) {
    starts[i] = i == axis ? onnx_resolve(n->importer, start) : onnx_dim(n, 0);
    steps[i] = i == axis ? step : 1;
  }
  shape.dims[axis] = onnx_resolve(n->importer, size);
  return strata_build_slice_dims(n->b, x, starts, steps, shape.dims);
}

MlirValue onnx_slice_axis(onnx_node_t *n, MlirValue x, int axis, int64_t start, int64_t step, int64_t size) {
  return onnx_slice_dims(n, x, axis, onnx_dim(n, start), step, onnx_dim(n, size));
}

MlirValue onnx_pad_axis(onnx_node_t *n, MlirValue x, int axis, int64_t low, int64_t high, double value) {
  strata_shape_t shape = onnx_shape(x);
  int64_t lows[STRATA_MAX_RANK] = {0}, highs[STRATA_MAX_RANK] = {0};
  if (!has_axis(n, &shape, axis))
    return (MlirValue){0};
  lows[axis] = low;
  highs[axis] = high;
  return strata_build_pad(n->b, x, lows, highs, value);
}

MlirValue onnx_move_axis(onnx_node_t *n, MlirValue x, int from, int to) {
  int rank = onnx_shape(x).rank;
  int64_t permutation[STRATA_MAX_RANK];
  for (int i = 0, source = 0; i < rank; i++) {
    if (source == from)
      source++;
    permutation[i] = i == to ? from : source++;
  }
  return strata_build_transpose(n->b, x, permutation);
}

MlirValue onnx_insert_axis(onnx_node_t *n, MlirValue x, int axis) {
  strata_shape_t shape = onnx_shape(x);
  strata_dim_t dims[STRATA_MAX_RANK + 1];
  for (int i = 0; i <= shape.rank; i++)
    dims[i] = i < axis ? shape.dims[i] : i == axis ? onnx_dim(n, 1) : shape.dims[i - 1];
  return onnx_reshape_dims(n, x, shape.rank + 1, dims);
}

MlirValue onnx_remove_axis(onnx_node_t *n, MlirValue x, int axis) {
  strata_shape_t shape = onnx_shape(x);
  for (int i = axis; i + 1 < shape.rank; i++)
    shape.dims[i] = shape.dims[i + 1];
  return onnx_reshape_dims(n, x, shape.rank > 0 ? shape.rank - 1 : 0, shape.dims);
}

MlirValue onnx_along_axis(onnx_node_t *n, MlirValue x, int axis, int rank) {
  strata_shape_t shape = onnx_shape(x);
  strata_dim_t dims[STRATA_MAX_RANK];
  for (int i = 0; i < rank; i++)
    dims[i] = i == axis && shape.rank > 0 ? shape.dims[0] : onnx_dim(n, 1);
  return onnx_reshape_dims(n, x, rank, dims);
}

//===-- Constants ------------------------------------------------------------------------------------------------===//

MlirValue onnx_iota(onnx_node_t *n, strata_type_t type, int rank, const int64_t *dims, int axis) {
  strata_shape_t shape = strata_shape(n, type, rank, dims);
  return strata_build_iota(n->b, &shape, axis);
}

MlirValue onnx_iota_dims(onnx_node_t *n, strata_type_t type, int rank, const strata_dim_t *dims, int axis) {
  strata_shape_t shape = resolved(n, type, rank, dims);
  return strata_build_iota(n->b, &shape, axis);
}

static int64_t count_of(int rank, const int64_t *dims) {
  int64_t count = 1;
  for (int i = 0; i < rank; i++)
    count *= dims[i];
  return count;
}

MlirValue onnx_ints_constant(onnx_node_t *n, int rank, const int64_t *dims, const int64_t *values) {
  strata_shape_t shape = strata_shape(n, STRATA_TYPE_I64, rank, dims);
  const void *data = strata_arena_copy(n->b->compile->arena, values, (size_t)count_of(rank, dims) * sizeof *values);
  return strata_build_constant(n->b, &shape, n->name, data);
}

MlirValue onnx_floats(onnx_node_t *n, strata_type_t type, int rank, const int64_t *dims, const double *values) {
  bool is_float = type == STRATA_TYPE_F32;
  int64_t count = count_of(rank, dims);
  strata_shape_t shape = strata_shape(n, is_float ? STRATA_TYPE_F32 : STRATA_TYPE_F64, rank, dims);
  float *floats = strata_arena_array(n->b->compile->arena, float, is_float ? count : 0);
  for (int64_t i = 0; is_float && i < count; i++)
    floats[i] = (float)values[i];
  const void *data =
      is_float ? (void *)floats : strata_arena_copy(n->b->compile->arena, values, (size_t)count * sizeof *values);
  return strata_build_convert(n->b, STRATA_OP_CONVERT, strata_build_constant(n->b, &shape, n->name, data), type);
}

//===-- Reductions and contractions ------------------------------------------------------------------------------===//

MlirValue onnx_reduce(onnx_node_t *n, strata_combiner_t kind, MlirValue x, const bool *axes, bool keep_dims) {
  int64_t list[STRATA_MAX_RANK];
  int count = 0;
  for (int i = 0; i < onnx_shape(x).rank; i++)
    if (axes[i])
      list[count++] = i;
  return count ? strata_build_reduce(n->b, kind, x, count, list, keep_dims) : x;
}

strata_dim_t onnx_count_along(onnx_node_t *n, MlirValue x, const bool *axes) {
  strata_shape_t shape = onnx_shape(x);
  strata_dim_t count = onnx_dim(n, 1);
  for (int i = 0; i < shape.rank; i++)
    count = axes[i] ? strata_dim_mul(count, shape.dims[i]) : count;
  return count;
}

MlirValue onnx_mean(onnx_node_t *n, MlirValue x, const bool *axes, bool keep_dims) {
  strata_dim_t count = onnx_count_along(n, x, axes);
  return onnx_with_dim(n, STRATA_OP_DIV, onnx_reduce(n, STRATA_COMBINER_ADD, x, axes, keep_dims), count);
}

// The dims of a contraction: a letter each, the result's first.
typedef struct {
  int count;
  char letters[STRATA_MAX_RANK];
} letters_t;

static int letter_dim(onnx_node_t *n, letters_t *all, char letter) {
  for (int i = 0; i < all->count; i++)
    if (all->letters[i] == letter)
      return i;
  if (all->count == STRATA_MAX_RANK) {
    onnx_unsupported(n, "a contraction of more than %d dimensions", STRATA_MAX_RANK);
    return 0;
  }
  all->letters[all->count] = letter;
  return all->count++;
}

static MlirAffineMap letters_map(onnx_node_t *n, letters_t *all, const char *letters, size_t count, int n_dims) {
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  for (size_t i = 0; i < count; i++)
    exprs[i] = mlirAffineDimExprGet(context_of(n), letter_dim(n, all, letters[i]));
  return mlirAffineMapGet(context_of(n), n_dims, 0, (intptr_t)count, exprs);
}

MlirValue onnx_contract(onnx_node_t *n, const char *letters, MlirValue lhs, MlirValue rhs, strata_type_t type,
                        const char *origin) {
  const char *comma = strchr(letters, ','), *arrow = strstr(letters, "->");
  size_t n_lhs = (size_t)(comma - letters), n_rhs = (size_t)(arrow - comma) - 1, n_result = strlen(arrow + 2);
  strata_shape_t lhs_shape = onnx_shape(lhs), rhs_shape = onnx_shape(rhs);
  letters_t all = {0};
  if (onnx_failed(n) || is_null(lhs) || is_null(rhs))
    return (MlirValue){0};
  // A letter of both operands is one size.
  for (size_t i = 0; i < n_lhs; i++) {
    const char *in_rhs = memchr(comma + 1, letters[i], n_rhs);
    if (in_rhs)
      onnx_agree(n, lhs_shape.dims[i], rhs_shape.dims[in_rhs - comma - 1]);
  }
  strata_dim_t dims[STRATA_MAX_RANK];
  for (size_t i = 0; i < n_result; i++) {
    letter_dim(n, &all, arrow[2 + i]);
    const char *in_lhs = memchr(letters, arrow[2 + i], n_lhs), *in_rhs = memchr(comma + 1, arrow[2 + i], n_rhs);
    dims[i] = in_lhs ? lhs_shape.dims[in_lhs - letters] : in_rhs ? rhs_shape.dims[in_rhs - comma - 1] : onnx_dim(n, 1);
  }
  for (const char *letter = letters; letter < arrow; letter++)
    if (letter != comma)
      letter_dim(n, &all, *letter);
  strata_shape_t shape = resolved(n, type, (int)n_result, dims);
  return strata_build_contract(n->b, lhs, rhs, letters_map(n, &all, letters, n_lhs, all.count),
                               letters_map(n, &all, comma + 1, n_rhs, all.count),
                               letters_map(n, &all, arrow + 2, n_result, all.count), &shape, false, origin);
}
