// Result shapes and types, and every rule about an op that IRDL cannot express: one function a kind of op, over
// records, for the builders and the verifier alike.
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"

#include <stdio.h>

enum { TEXT_SIZE = 160 };

strata_status_t strata__invalid(const char *format, ...) {
  va_list args;
  va_start(args, format);
  strata_status_t status = strata_error_v(STRATA_INVALID_ARGUMENT, format, args);
  va_end(args);
  return status;
}

static strata_status_t mismatch(const char *what, const strata_shape_t *expected, const strata_shape_t *got) {
  char a[TEXT_SIZE], b[TEXT_SIZE];
  return strata__invalid("%s: expected %s, got %s", what, strata__shape_text(expected, a, sizeof a),
                         strata__shape_text(got, b, sizeof b));
}

const char *strata__type_name(strata_type_t type) {
  return type < STRATA_TYPE_COUNT ? strata_type_info[type].mlir_name : "an unsupported type";
}

static bool same_dims(const strata_shape_t *a, const strata_shape_t *b) {
  if (a->rank != b->rank)
    return false;
  for (int i = 0; i < a->rank; i++)
    if (!strata_dim_equal(a->dims[i], b->dims[i]))
      return false;
  return true;
}

static MlirContext context_of(const strata_shape_t *shape) { return mlirAffineExprGetContext(shape->dims[0]); }

static strata_status_t check_axis(const char *what, int64_t axis, int rank) {
  if (axis >= 0 && axis < rank)
    return NULL;
  return strata__invalid("%s: expected 0 to %d, got %lld", what, rank - 1, (long long)axis);
}

static strata_status_t check_length(const strata__record_t *r, const char *attr, int expected) {
  int got = strata__get(r, attr)->count;
  return got == expected ? NULL : strata__invalid("%s: expected %d entries, got %d", attr, expected, got);
}

//===-- Element types --------------------------------------------------------------------------------------------===//

static bool letter_accepts(char letter, strata_type_t type) {
  switch (letter) {
  case 'F':
    return strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT;
  case 'I':
    return strata_type_info[type].kind == STRATA_TYPE_KIND_INTEGER;
  case 'B':
    return strata_type_info[type].kind == STRATA_TYPE_KIND_BOOLEAN;
  default:
    return letter == '*';
  }
}

// Whether the row takes |type| as operand |index|. "B*": the first boolean, the others of any type.
static bool accepts(const strata_op_info_t *info, int index, strata_type_t type) {
  if (info->rule == STRATA_RULE_SECOND)
    return index > 0 || type == STRATA_TYPE_I1;
  for (const char *letter = info->accepts; *letter; letter++)
    if (letter_accepts(*letter, type))
      return true;
  return false;
}

// Types that are only stored may be moved and converted.
static bool moves_only(const strata__record_t *r) {
  const strata_op_info_t *info = &strata_op_info[r->id];
  return info->kind == STRATA_KIND_MOVEMENT || info->kind == STRATA_KIND_GATHER || info->kind == STRATA_KIND_SCATTER ||
         info->kind == STRATA_KIND_GENERATE || info->kind == STRATA_KIND_CONTRACT || info->rule == STRATA_RULE_SECOND ||
         (info->kind == STRATA_KIND_ELEMENTWISE && info->rule == STRATA_RULE_RESULT);
}

// Sizes that are not negative, and a number of bytes that an int64 holds: of the sizes that vary a call takes care, but
// not of the product of the others, which is folded.
static strata_status_t check_sizes(const strata_shape_t *shape) {
  char text[TEXT_SIZE];
  int64_t size;
  strata_shape_t numbers = {.type = shape->type};
  for (int i = 0; i < shape->rank; i++) {
    if (!strata_dim_is_constant(shape->dims[i], &size))
      continue;
    if (size < 0)
      return strata__invalid("a size is negative in %s", strata__shape_text(shape, text, sizeof text));
    numbers.dims[numbers.rank++] = shape->dims[i];
  }
  if (strata_type_storage_size(shape->type, strata_shape_count(&numbers)) < 0)
    return strata__invalid("%s is too large", strata__shape_text(shape, text, sizeof text));
  return NULL;
}

static strata_status_t check_types(const strata__record_t *r) {
  const strata_op_info_t *info = &strata_op_info[r->id];
  for (int i = 0; i < r->n_operands; i++) {
    strata_type_t type = r->operands[i].type;
    if (type == STRATA_TYPE_COUNT)
      return strata__invalid("operand %d: expected a ranked tensor of at most %d dims of a supported type", i,
                             STRATA_MAX_RANK);
    if (!accepts(info, i, type) || (!strata_type_info[type].computes && !moves_only(r)))
      return strata__invalid("operand %d: the op does not take %s", i, strata__type_name(type));
    STRATA_TRY(check_sizes(&r->operands[i]));
  }
  return NULL;
}

strata_status_t strata__check_combiner(const strata__record_t *r, strata_type_t type) {
  MlirStringRef name = strata__get(r, "kind")->string;
  strata_combiner_t combiner = strata_combiner_from_name(name);
  if (combiner == STRATA_COMBINER_COUNT)
    return strata__invalid("kind: expected a combiner, got '%.*s'", (int)name.length, name.data);
  const strata_combiner_info_t *info = &strata_combiner_info[combiner];
  strata_type_kind_t kind = strata_type_info[type].kind;
  bool logical = !*info->float_op &&
                 (combiner == STRATA_COMBINER_AND || combiner == STRATA_COMBINER_OR || combiner == STRATA_COMBINER_XOR);
  if ((kind == STRATA_TYPE_KIND_FLOAT && !*info->float_op) || (kind == STRATA_TYPE_KIND_BOOLEAN && !logical))
    return strata__invalid("kind: '%s' is not defined for %s", info->name, strata__type_name(type));
  return NULL;
}

//===-- One rule a kind ------------------------------------------------------------------------------------------===//

static strata_status_t infer_conversion(strata__record_t *r) {
  strata_type_t from = r->operands[0].type, to = r->results[0].type;
  if (to == STRATA_TYPE_COUNT)
    return strata__invalid("the result has an unsupported type");
  if (r->id == STRATA_OP_BITCAST && strata_type_info[from].bits != strata_type_info[to].bits)
    return strata__invalid("result: expected a type of %d bits, got %s", strata_type_info[from].bits,
                           strata__type_name(to));
  if (r->id == STRATA_OP_BITCAST && to == STRATA_TYPE_I1)
    return strata__invalid("result: the op does not give i1");
  if (r->id == STRATA_OP_CONVERT_TO_U && strata_type_info[to].kind != STRATA_TYPE_KIND_INTEGER)
    return strata__invalid("result: expected an integer type, got %s", strata__type_name(to));
  r->results[0] = r->operands[0];
  r->results[0].type = to;
  return NULL;
}

static strata_status_t infer_elementwise(strata__record_t *r) {
  strata_type_rule_t rule = strata_op_info[r->id].rule;
  int first = rule == STRATA_RULE_SECOND ? 1 : 0;
  for (int i = 0; i < r->n_operands; i++) {
    strata_shape_t expected = r->operands[first];
    if (i < first)
      expected.type = STRATA_TYPE_I1;
    if (!same_dims(&expected, &r->operands[i]) || expected.type != r->operands[i].type) {
      char what[32];
      snprintf(what, sizeof what, "operand %d", i);
      return mismatch(what, &expected, &r->operands[i]);
    }
  }
  if (rule == STRATA_RULE_RESULT)
    return infer_conversion(r);
  r->results[0] = r->operands[first];
  if (rule == STRATA_RULE_BOOL)
    r->results[0].type = STRATA_TYPE_I1;
  return NULL;
}

static void remove_dim(strata_shape_t *shape, int axis) {
  shape->rank--;
  for (int i = axis; i < shape->rank; i++)
    shape->dims[i] = shape->dims[i + 1];
}

static strata_status_t infer_reduce(strata__record_t *r) {
  const strata__attr_t *axes = strata__get(r, "axes");
  bool reduced[STRATA_MAX_RANK] = {false};
  STRATA_TRY(strata__check_combiner(r, r->operands[0].type));
  for (int i = 0; i < axes->count; i++) {
    STRATA_TRY(check_axis("axes", axes->i64s[i], r->operands[0].rank));
    if (reduced[axes->i64s[i]])
      return strata__invalid("axes: axis %lld is given twice", (long long)axes->i64s[i]);
    reduced[axes->i64s[i]] = true;
  }
  r->results[0] = r->operands[0];
  for (int i = r->operands[0].rank - 1; i >= 0; i--)
    if (reduced[i])
      remove_dim(&r->results[0], i);
  return NULL;
}

static strata_status_t infer_arg_reduce(strata__record_t *r) {
  int64_t axis = strata__i64(r, "axis"), size;
  STRATA_TRY(strata__check_combiner(r, r->operands[0].type));
  strata_combiner_t kind = strata_combiner_from_name(strata__get(r, "kind")->string);
  if (kind != STRATA_COMBINER_MAX && kind != STRATA_COMBINER_MIN && kind != STRATA_COMBINER_MAX_U &&
      kind != STRATA_COMBINER_MIN_U)
    return strata__invalid("kind: expected max, min, max_u or min_u, got '%s'", strata_combiner_info[kind].name);
  STRATA_TRY(check_axis("axis", axis, r->operands[0].rank));
  if (strata_dim_is_constant(r->operands[0].dims[axis], &size) && size == 0)
    return strata__invalid("axis: dim %lld is empty and has no extreme element", (long long)axis);
  r->results[0] = r->operands[0];
  r->results[0].type = STRATA_TYPE_I64;
  remove_dim(&r->results[0], (int)axis);
  return NULL;
}

static strata_status_t infer_scan(strata__record_t *r) {
  STRATA_TRY(strata__check_combiner(r, r->operands[0].type));
  STRATA_TRY(check_axis("axis", strata__i64(r, "axis"), r->operands[0].rank));
  r->results[0] = r->operands[0];
  return NULL;
}

static strata_status_t infer_sort(strata__record_t *r) {
  STRATA_TRY(check_axis("axis", strata__i64(r, "axis"), r->operands[0].rank));
  if (strata__i64(r, "unsigned") && strata_type_info[r->operands[0].type].kind != STRATA_TYPE_KIND_INTEGER)
    return strata__invalid("unsigned: the operand is not of integers");
  r->results[0] = r->results[1] = r->operands[0];
  r->results[1].type = STRATA_TYPE_I64;
  return NULL;
}

// (size + low + high - ((window - 1) * dilation + 1)) floordiv stride + 1
static strata_status_t infer_window_dim(strata__record_t *r, int i) {
  int64_t window = strata__i64s(r, "window")[i], stride = strata__i64s(r, "strides")[i];
  int64_t dilation = strata__i64s(r, "dilations")[i], low = strata__i64s(r, "low")[i],
          high = strata__i64s(r, "high")[i];
  int64_t span, padding, size;
  if (window < 1 || stride < 1 || dilation < 1 || low < 0 || high < 0)
    return strata__invalid(
        "dim %d: expected positive window, stride, dilation and padding that is not negative, got %lld, %lld, "
        "%lld, %lld and %lld",
        i, (long long)window, (long long)stride, (long long)dilation, (long long)low, (long long)high);
  if (__builtin_mul_overflow(window - 1, dilation, &span) || __builtin_add_overflow(low, high, &padding))
    return strata__invalid("dim %d: the window overflows", i);
  strata_dim_t dim = r->operands[0].dims[i];
  if (strata_dim_is_constant(dim, &size) &&
      (__builtin_add_overflow(size, padding, &size) || (size <= span && span > 0)))
    return strata__invalid("dim %d: a window that spans %lld does not fit into %lld padded elements", i,
                           (long long)span + 1, (long long)size);
  MlirContext context = mlirAffineExprGetContext(dim);
  strata_dim_t starts = strata_dim_add(dim, strata_dim_constant(context, padding - span - 1));
  r->results[0].dims[i] = strata_dim_add(strata_dim_floordiv(starts, stride), strata_dim_constant(context, 1));
  return NULL;
}

static strata_status_t infer_window(strata__record_t *r) {
  static const char *const attrs[] = {"window", "strides", "dilations", "low", "high"};
  STRATA_TRY(strata__check_combiner(r, r->operands[0].type));
  for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++)
    STRATA_TRY(check_length(r, attrs[i], r->operands[0].rank));
  r->results[0] = r->operands[0];
  for (int i = 0; i < r->operands[0].rank; i++)
    STRATA_TRY(infer_window_dim(r, i));
  return NULL;
}

//===-- Movement -------------------------------------------------------------------------------------------------===//

static strata_status_t infer_transpose(strata__record_t *r) {
  const int64_t *permutation = strata__i64s(r, "permutation");
  bool seen[STRATA_MAX_RANK] = {false};
  STRATA_TRY(check_length(r, "permutation", r->operands[0].rank));
  r->results[0] = r->operands[0];
  for (int i = 0; i < r->operands[0].rank; i++) {
    STRATA_TRY(check_axis("permutation", permutation[i], r->operands[0].rank));
    if (seen[permutation[i]])
      return strata__invalid("permutation: dim %lld is given twice", (long long)permutation[i]);
    seen[permutation[i]] = true;
    r->results[0].dims[i] = r->operands[0].dims[permutation[i]];
  }
  return NULL;
}

// Whether two shapes, not both static, have other numbers of elements whatever the symbols are: by a constant
// difference. Of others it is not known.
static bool differs_always(const strata_shape_t *a, const strata_shape_t *b) {
  int64_t sizes[STRATA_MAX_RANK];
  if (strata_shape_sizes(a, sizes) && strata_shape_sizes(b, sizes))
    return false;
  MlirContext context = context_of(a->rank ? a : b);
  int64_t difference;
  strata_dim_t more =
      strata_dim_sub(strata_dim_product(context, a->rank, a->dims), strata_dim_product(context, b->rank, b->dims));
  return strata_dim_is_constant(more, &difference) && difference != 0;
}

static strata_status_t infer_reshape(strata__record_t *r) {
  r->results[0].type = r->operands[0].type;
  int64_t before = strata_shape_count(&r->operands[0]), after = strata_shape_count(&r->results[0]);
  if (before >= 0 && after >= 0 && before != after)
    return mismatch("the number of elements changes", &r->operands[0], &r->results[0]);
  if (differs_always(&r->operands[0], &r->results[0]))
    return mismatch("the number of elements changes", &r->operands[0], &r->results[0]);
  return NULL;
}

static strata_status_t infer_slice(strata__record_t *r) {
  const strata__attr_t *at = strata__get(r, "starts");
  const int64_t *starts = at->i64s, *steps = strata__i64s(r, "steps");
  STRATA_TRY(check_length(r, "starts", r->operands[0].rank));
  STRATA_TRY(check_length(r, "steps", r->operands[0].rank));
  r->results[0].type = r->operands[0].type;
  if (r->results[0].rank != r->operands[0].rank)
    return mismatch("the rank changes", &r->operands[0], &r->results[0]);
  for (int i = 0; i < r->operands[0].rank; i++) {
    int64_t size, count, last;
    if (steps[i] == 0)
      return strata__invalid("steps: dim %d has step 0", i);
    if (!strata_dim_is_constant(r->operands[0].dims[i], &size) ||
        !strata_dim_is_constant(r->results[0].dims[i], &count) || count == 0 ||
        (at->is_symbolic && !strata_dim_is_constant(at->dims[i], &(int64_t){0})))
      continue;
    if (__builtin_mul_overflow(count - 1, steps[i], &last) || __builtin_add_overflow(last, starts[i], &last) ||
        starts[i] < 0 || starts[i] >= size || last < 0 || last >= size)
      return strata__invalid("dim %d: %lld elements from %lld by %lld are not inside 0 to %lld", i, (long long)count,
                             (long long)starts[i], (long long)steps[i], (long long)size - 1);
  }
  return NULL;
}

// Numbers that are known are checked; what is symbolic is as the front end says.
static strata_status_t infer_pad_dim(strata__record_t *r, int i) {
  const strata__attr_t *low = strata__get(r, "low"), *high = strata__get(r, "high");
  MlirContext context = context_of(&r->operands[0]);
  strata_dim_t dim = r->operands[0].dims[i];
  int64_t sum, size;
  bool is_constant = strata_dim_is_constant(dim, &size), is_known = !low->is_symbolic && !high->is_symbolic;
  if (is_known && (low->i64s[i] < 0 || high->i64s[i] < 0 || __builtin_add_overflow(low->i64s[i], high->i64s[i], &sum) ||
                   (is_constant && __builtin_add_overflow(size, sum, &size))))
    return strata__invalid("dim %d: expected padding that is not negative nor too much, got %lld and %lld", i,
                           (long long)low->i64s[i], (long long)high->i64s[i]);
  strata_dim_t more = strata_dim_add(strata__dim_at(context, r, "low", i), strata__dim_at(context, r, "high", i));
  r->results[0].dims[i] = strata_dim_add(dim, more);
  return NULL;
}

static strata_status_t infer_pad(strata__record_t *r) {
  STRATA_TRY(check_length(r, "low", r->operands[0].rank));
  STRATA_TRY(check_length(r, "high", r->operands[0].rank));
  MlirAttribute value = strata__get(r, "value")->any;
  if ((!mlirAttributeIsAFloat(value) && !mlirAttributeIsAInteger(value)) ||
      strata_type_from_mlir(mlirAttributeGetType(value)) != r->operands[0].type)
    return strata__invalid("value: expected a number of type %s", strata__type_name(r->operands[0].type));
  r->results[0] = r->operands[0];
  for (int i = 0; i < r->operands[0].rank; i++)
    STRATA_TRY(infer_pad_dim(r, i));
  return NULL;
}

static strata_status_t infer_concat(strata__record_t *r) {
  int64_t axis = strata__i64(r, "axis");
  STRATA_TRY(check_axis("axis", axis, r->operands[0].rank));
  strata_shape_t expected = r->operands[0];
  if (r->operands[1].rank == expected.rank)
    expected.dims[axis] = r->operands[1].dims[axis];
  if (expected.type != r->operands[1].type || !same_dims(&expected, &r->operands[1]))
    return mismatch("operand 1", &expected, &r->operands[1]);
  r->results[0] = r->operands[0];
  r->results[0].dims[axis] = strata_dim_add(r->operands[0].dims[axis], r->operands[1].dims[axis]);
  return NULL;
}

static strata_status_t infer_broadcast(strata__record_t *r) {
  MlirAffineMap map = strata__get(r, "map")->maps[0];
  r->results[0].type = r->operands[0].type;
  if (mlirAffineMapGetNumDims(map) != r->results[0].rank || mlirAffineMapGetNumSymbols(map) != 0 ||
      mlirAffineMapGetNumResults(map) != r->operands[0].rank)
    return strata__invalid("map: expected %d dims and %d results, got %d and %d", r->results[0].rank,
                           r->operands[0].rank, (int)mlirAffineMapGetNumDims(map),
                           (int)mlirAffineMapGetNumResults(map));
  for (int i = 0; i < r->operands[0].rank; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    int64_t value;
    if (mlirAffineExprIsADim(expr)) {
      if (!strata_dim_equal(r->operands[0].dims[i], r->results[0].dims[mlirAffineDimExprGetPosition(expr)]))
        return mismatch("map: a dim changes its size", &r->operands[0], &r->results[0]);
    } else if (!strata_dim_is_constant(expr, &value) || value != 0) {
      return strata__invalid("map: result %d must be a dim or 0", i);
    } else if (!strata_dim_is_constant(r->operands[0].dims[i], &value) || value != 1) {
      return strata__invalid("map: result %d is 0, but dim %d of the operand is not of size 1", i, i);
    }
  }
  return NULL;
}

typedef strata_status_t (*infer_fn)(strata__record_t *r);

static const infer_fn infer_movement[STRATA_OP_COUNT] = {
    [STRATA_OP_TRANSPOSE] = infer_transpose, [STRATA_OP_RESHAPE] = infer_reshape,
    [STRATA_OP_SLICE] = infer_slice,         [STRATA_OP_PAD] = infer_pad,
    [STRATA_OP_CONCAT] = infer_concat,       [STRATA_OP_BROADCAST] = infer_broadcast};

//===-- Gather, scatter, generate --------------------------------------------------------------------------------===//

static strata_status_t check_index_type(const strata_shape_t *indices) {
  if (strata_type_info[indices->type].kind == STRATA_TYPE_KIND_INTEGER && strata_type_info[indices->type].computes)
    return NULL;
  return strata__invalid("indices: expected integers, got %s", strata__type_name(indices->type));
}

static strata_status_t infer_gather(strata__record_t *r) {
  const strata_shape_t *data = &r->operands[0], *indices = &r->operands[1];
  int64_t axis = strata__i64(r, "axis"), batch = strata__i64(r, "batch_dims"), size;
  STRATA_TRY(check_axis("axis", axis, data->rank));
  STRATA_TRY(check_index_type(indices));
  if (batch < 0 || batch > axis || batch > indices->rank)
    return strata__invalid("batch_dims: expected 0 to %lld, got %lld",
                           (long long)(axis < indices->rank ? axis : indices->rank), (long long)batch);
  for (int i = 0; i < batch; i++)
    if (!strata_dim_equal(data->dims[i], indices->dims[i]))
      return mismatch("the batch dims differ", data, indices);
  if (data->rank - 1 + indices->rank - batch > STRATA_MAX_RANK)
    return strata__invalid("result: expected at most %d dims", STRATA_MAX_RANK);
  if (strata_dim_is_constant(data->dims[axis], &size) && size == 0 && strata_shape_count(indices) != 0)
    return strata__invalid("axis: dim %lld of the data is empty", (long long)axis);
  strata_shape_t *result = &r->results[0];
  *result = (strata_shape_t){.type = data->type};
  for (int i = 0; i < axis; i++)
    result->dims[result->rank++] = data->dims[i];
  for (int i = (int)batch; i < indices->rank; i++)
    result->dims[result->rank++] = indices->dims[i];
  for (int i = (int)axis + 1; i < data->rank; i++)
    result->dims[result->rank++] = data->dims[i];
  return NULL;
}

static strata_status_t infer_scatter(strata__record_t *r) {
  const strata_shape_t *init = &r->operands[0], *indices = &r->operands[1];
  MlirStringRef kind = strata__get(r, "kind")->string;
  STRATA_TRY(check_index_type(indices));
  if (!strata_str_equal(kind, "none") && !strata_str_equal(kind, "distinct"))
    STRATA_TRY(strata__check_combiner(r, init->type));
  if (init->rank < 1 || indices->rank != 1)
    return strata__invalid("expected init of rank 1 or more and indices of rank 1, got %d and %d", init->rank,
                           indices->rank);
  strata_shape_t updates = *init;
  updates.dims[0] = indices->dims[0];
  if (updates.type != r->operands[2].type || !same_dims(&updates, &r->operands[2]))
    return mismatch("updates", &updates, &r->operands[2]);
  r->results[0] = *init;
  return NULL;
}

static strata_status_t infer_dims(strata__record_t *r) {
  int64_t size;
  if (r->results[0].type != STRATA_TYPE_I64 || r->results[0].rank != 1 ||
      !strata_dim_is_constant(r->results[0].dims[0], &size) || size != strata__get(r, "values")->count)
    return strata__invalid("result: expected one dim of %d i64s", strata__get(r, "values")->count);
  return NULL;
}

static strata_status_t infer_generate(strata__record_t *r) {
  if (r->results[0].type == STRATA_TYPE_COUNT)
    return strata__invalid("the result has an unsupported type");
  if (r->id == STRATA_OP_DIMS)
    return infer_dims(r);
  if (r->id != STRATA_OP_IOTA)
    return NULL;
  if (r->results[0].type == STRATA_TYPE_I1 || !strata_type_info[r->results[0].type].computes)
    return strata__invalid("result: the op does not give %s", strata__type_name(r->results[0].type));
  return check_axis("axis", strata__i64(r, "axis"), r->results[0].rank);
}

//===-- All ------------------------------------------------------------------------------------------------------===//

static const infer_fn infer_kind[] = {[STRATA_KIND_ELEMENTWISE] = infer_elementwise,
                                      [STRATA_KIND_REDUCE] = infer_reduce,
                                      [STRATA_KIND_ARG_REDUCE] = infer_arg_reduce,
                                      [STRATA_KIND_SCAN] = infer_scan,
                                      [STRATA_KIND_SORT] = infer_sort,
                                      [STRATA_KIND_WINDOW] = infer_window,
                                      [STRATA_KIND_CONTRACT] = strata__infer_contract,
                                      [STRATA_KIND_BLOCK] = strata__infer_block,
                                      [STRATA_KIND_GATHER] = infer_gather,
                                      [STRATA_KIND_SCATTER] = infer_scatter,
                                      [STRATA_KIND_SEGMENT] = strata__infer_segment,
                                      [STRATA_KIND_TREES] = strata__infer_trees,
                                      [STRATA_KIND_SUPPRESS] = strata__infer_suppress,
                                      [STRATA_KIND_GENERATE] = infer_generate};

strata_status_t strata__infer(strata__record_t *record) {
  const strata_op_info_t *info = &strata_op_info[record->id];
  STRATA_TRY(check_types(record));
  infer_fn infer = info->kind == STRATA_KIND_MOVEMENT ? infer_movement[record->id] : infer_kind[info->kind];
  STRATA_TRY(infer(record));
  for (int i = 0; i < record->n_results; i++)
    STRATA_TRY(check_sizes(&record->results[i]));
  return NULL;
}

//===-- Composites -----------------------------------------------------------------------------------------------===//

static bool is_one(strata_dim_t dim) { return strata_dim_is(dim, 1); }

strata_status_t strata__common_shape(const strata_shape_t *x, const strata_shape_t *y, strata_shape_t *out) {
  strata_shape_t common = x->rank >= y->rank ? *x : *y;
  const strata_shape_t *other = x->rank >= y->rank ? y : x;
  for (int i = 0; i < other->rank; i++) {
    strata_dim_t *dim = &common.dims[common.rank - other->rank + i];
    if (is_one(*dim))
      *dim = other->dims[i];
    else if (!is_one(other->dims[i]) && !strata_dim_equal(*dim, other->dims[i]))
      return mismatch("the operands do not broadcast", x, y);
  }
  common.type = x->type;
  *out = common;
  return NULL;
}

strata_status_t strata__infer_composite(strata_composite_id_t id, int n_operands, const strata_shape_t *operands,
                                        strata_shape_t *out) {
  bool by_channel = strstr(strata_composite_info[id].body, "per_channel") != NULL;
  if (strata__composite_is_jagged(id))
    return strata__infer_jagged(id, operands, out);
  *out = operands[0];
  for (int i = 0; i < n_operands; i++) {
    if (operands[i].type == STRATA_TYPE_COUNT)
      return strata__invalid("operand %d: expected a ranked tensor of at most %d dims of a supported type", i,
                             STRATA_MAX_RANK);
    if (operands[i].type != out->type)
      return strata__invalid("operand %d: expected %s, got %s", i, strata__type_name(out->type),
                             strata__type_name(operands[i].type));
    if (!by_channel)
      STRATA_TRY(strata__common_shape(out, &operands[i], out));
  }
  return check_sizes(out);
}
