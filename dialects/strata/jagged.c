// Composite ops on jagged tensors (docs/jagged.md): rows [total, ...] and the offsets [B + 1] of their sequences. Their
// types, and the functions that their formulas in composites.def call.
//
//   %y = "strata.jagged_expand"(%x, %offsets)      "spread(x, checked(offsets, result), result)"
//   ->  %o = clamped, ascending offsets   %r = "strata.segment_rows"(%o)   %y = "strata.gather"(%x, %r)
//
// What all of them begin with, checked offsets and the map of rows, is equal for equal offsets: strata-cse leaves one.
#include "dialects/strata/jagged.h"

#include "dialects/mlir_util.h"

//===-- Types ----------------------------------------------------------------------------------------------------===//

bool strata__composite_is_jagged(strata_composite_id_t id) {
  return id >= STRATA_COMPOSITE_MAKE_JAGGED && id <= STRATA_COMPOSITE_JAGGED_ATTENTION;
}

static int operand_named(const strata__signature_t *signature, const char *name) {
  int i = 0;
  while (i < signature->n_operands && !strata_str_equal(signature->operands[i], name))
    i++;
  return i;
}

static strata_status_t check_operands(const strata__signature_t *signature, const strata_shape_t *operands) {
  for (int i = 0; i < signature->n_operands; i++) {
    const strata_shape_t *shape = &operands[i];
    bool is_offsets =
        strata_str_equal(signature->operands[i], "offsets") || strata_str_equal(signature->operands[i], "key_offsets");
    if (shape->type == STRATA_TYPE_COUNT)
      return strata__invalid("operand %d: expected a ranked tensor of at most %d dims of a supported type", i,
                             STRATA_MAX_RANK);
    if (is_offsets && (shape->rank != 1 || (shape->type != STRATA_TYPE_I32 && shape->type != STRATA_TYPE_I64)))
      return strata__invalid("operand %d: expected offsets, one dim of i32 or i64, got %d of %s", i, shape->rank,
                             strata__type_name(shape->type));
    if (!is_offsets && (shape->rank < 1 || shape->type != operands[0].type))
      return strata__invalid("operand %d: expected rows of %s, got %s", i, strata__type_name(operands[0].type),
                             strata__type_name(shape->type));
  }
  return NULL;
}

static strata_status_t check_ranks(strata_composite_id_t id, const strata_shape_t *operands,
                                   const strata_shape_t *out) {
  static const struct {
    strata_composite_id_t id;
    int ranks[3];
  } wanted[] = {{STRATA_COMPOSITE_JAGGED_MATMUL, {2, 3, 1}}, {STRATA_COMPOSITE_JAGGED_ATTENTION, {3, 3, 3}}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    for (int j = 0; j < 3 && wanted[i].id == id; j++)
      if (operands[j].rank != wanted[i].ranks[j])
        return strata__invalid("operand %d: expected %d dims, got %d", j, wanted[i].ranks[j], operands[j].rank);
  bool is_padded = id == STRATA_COMPOSITE_PADDED_TO_JAGGED;
  if ((is_padded || id == STRATA_COMPOSITE_JAGGED_TO_PADDED) && operands[0].rank + !is_padded < 2)
    return strata__invalid("operand 0: expected 2 dims or more");
  if (id == STRATA_COMPOSITE_JAGGED_TO_PADDED && (operands[0].rank == STRATA_MAX_RANK || out->rank < 2))
    return strata__invalid("result: expected 2 dims or more, at most %d", STRATA_MAX_RANK);
  if ((is_padded || id == STRATA_COMPOSITE_JAGGED_EXPAND) && out->rank < 1)
    return strata__invalid("result: expected rows");
  return NULL;
}

strata_status_t strata__infer_jagged(strata_composite_id_t id, const strata_shape_t *operands, strata_shape_t *out) {
  const strata__signature_t *signature = strata__composite_signature(id);
  STRATA_TRY(check_operands(signature, operands));
  STRATA_TRY(check_ranks(id, operands, out));
  const strata_shape_t *x = &operands[0], *offsets = &operands[operand_named(signature, "offsets")];
  strata_dim_t count = strata_dim_plus(offsets->dims[0], -1);
  strata_shape_t result = *x;
  switch ((int)id) {
  case STRATA_COMPOSITE_MAKE_JAGGED:
    result = *offsets;
    result.type = STRATA_TYPE_I64;
    break;
  case STRATA_COMPOSITE_JAGGED_TO_PADDED:
    result.rank = x->rank + 1;
    result.dims[0] = count;
    result.dims[1] = out->dims[1];
    for (int i = 1; i < x->rank; i++)
      result.dims[i + 1] = x->dims[i];
    break;
  case STRATA_COMPOSITE_PADDED_TO_JAGGED:
    result.rank = x->rank - 1;
    result.dims[0] = out->dims[0];
    for (int i = 1; i < result.rank; i++)
      result.dims[i] = x->dims[i + 1];
    break;
  case STRATA_COMPOSITE_JAGGED_EXPAND:
    result.dims[0] = out->dims[0];
    break;
  case STRATA_COMPOSITE_JAGGED_MATMUL:
    result.dims[1] = operands[1].dims[2];
    break;
  case STRATA_COMPOSITE_JAGGED_ATTENTION:
    result.dims[2] = operands[2].dims[2];
    break;
  case STRATA_COMPOSITE_JAGGED_SOFTMAX:
    break;
  default:
    result.dims[0] = count;
  }
  *out = result;
  return NULL;
}

//===-- Functions ------------------------------------------------------------------------------------------------===//

// The entries of |offsets| but for the last, |first| 0, or the first, 1.
static MlirValue ends(strata_builder_t *b, MlirValue offsets, int64_t first) {
  if (!strata__build_can_look(b, offsets))
    return offsets;
  MlirContext context = b->compile->context;
  strata_dim_t start = strata_dim_constant(context, first),
               size = strata_dim_plus(strata_shape_of(offsets).dims[0], -1);
  return strata_build_slice_dims(b, offsets, &start, &(int64_t){1}, &size);
}

// |x|, of one dim, along dim |dim| of |shape|.
static MlirValue along(strata_builder_t *b, MlirValue x, const strata_shape_t *shape, int dim) {
  if (!strata__build_can_look(b, x))
    return x;
  MlirAffineExpr at = mlirAffineDimExprGet(b->compile->context, dim);
  strata_shape_t wide = *shape;
  wide.type = strata_shape_of(x).type;
  return strata_build_broadcast(b, x, &wide, mlirAffineMapGet(b->compile->context, shape->rank, 0, 1, &at));
}

static MlirValue number_like(strata_builder_t *b, MlirValue x, int64_t value) {
  if (!strata__build_can_look(b, x))
    return x;
  strata_shape_t shape = strata_shape_of(x);
  return strata_build_splat_int(b, &shape, value);
}

static MlirValue dim_like(strata_builder_t *b, MlirValue x, strata_dim_t dim) {
  if (!strata__build_can_look(b, x))
    return x;
  strata_shape_t shape = strata_shape_of(x);
  return strata_build_broadcast_to(b, strata_build_dim(b, dim, STRATA_TYPE_I64), shape.rank, shape.dims);
}

// Offsets that ascend between 0 and |total|, as i64; of such, they themselves.
static MlirValue checked(strata__jagged_t *j, MlirValue offsets, strata_dim_t total) {
  strata_builder_t *b = j->builder;
  for (size_t i = 0; i < j->checked->count; i++)
    if (mlirValueEqual(j->checked->data[i].offsets, offsets) && strata_dim_equal(j->checked->data[i].total, total))
      return offsets;
  MlirValue x = strata_build_convert(b, STRATA_OP_CONVERT, offsets, STRATA_TYPE_I64);
  x = strata_build_binary(b, STRATA_OP_MAX, x, number_like(b, x, 0));
  x = strata_build_binary(b, STRATA_OP_MIN, x, dim_like(b, x, total));
  x = strata_build_scan(b, STRATA_COMBINER_MAX, x, 0, false, false);
  if (!b->status)
    *strata_vector_push(b->compile->arena, j->checked) = (strata__checked_t){x, total};
  return x;
}

static MlirValue padded(strata_builder_t *b, MlirValue x, MlirValue offsets, double value,
                        const strata_shape_t *result) {
  if (!strata__build_can_look(b, x) || !strata__build_can_look(b, offsets))
    return x;
  strata_shape_t places = {.type = STRATA_TYPE_I64, .rank = 2, .dims = {result->dims[0], result->dims[1]}};
  MlirValue begin = ends(b, offsets, 0), length = strata_build_binary(b, STRATA_OP_SUB, ends(b, offsets, 1), begin);
  MlirValue place = strata_build_iota(b, &places, 1);
  MlirValue row = strata_build_binary(b, STRATA_OP_ADD, place, along(b, begin, &places, 0));
  MlirValue inside = strata_build_binary(b, STRATA_OP_LT, place, along(b, length, &places, 0));
  strata_shape_t wide = *result;
  wide.type = STRATA_TYPE_I1;
  if (b->status)
    return x;
  const MlirAffineExpr two[2] = {mlirAffineDimExprGet(b->compile->context, 0),
                                 mlirAffineDimExprGet(b->compile->context, 1)};
  MlirAffineMap map = mlirAffineMapGet(b->compile->context, result->rank, 0, 2, (MlirAffineExpr *)(uintptr_t)two);
  return strata_build_select(b, strata_build_broadcast(b, inside, &wide, map), strata_build_gather(b, x, row, 0, 0),
                             strata_build_splat(b, result, value));
}

// Row i of sequence s is row s * length + i of the padded one; what would be behind its last row is that.
static MlirValue packed(strata_builder_t *b, MlirValue x, MlirValue offsets, strata_dim_t total) {
  if (!strata__build_can_look(b, x))
    return x;
  strata_shape_t shape = strata_shape_of(x), rows = {.type = STRATA_TYPE_I64, .rank = 1, .dims = {total}};
  strata_dim_t length = shape.dims[1], flat[STRATA_MAX_RANK];
  flat[0] = strata_dim_mul(shape.dims[0], length);
  for (int i = 2; i < shape.rank; i++)
    flat[i - 1] = shape.dims[i];
  MlirValue sequence = strata_build_segment_rows(b, offsets, total);
  MlirValue place = strata_build_binary(b, STRATA_OP_SUB, strata_build_iota(b, &rows, 0),
                                        strata_build_gather(b, offsets, sequence, 0, 0));
  place = strata_build_binary(b, STRATA_OP_MAX, place, number_like(b, place, 0));
  place = strata_build_binary(b, STRATA_OP_MIN, place, dim_like(b, place, strata_dim_plus(length, -1)));
  MlirValue row = strata_build_binary(b, STRATA_OP_MUL, sequence, dim_like(b, sequence, length));
  return strata_build_gather(b, strata_build_reshape(b, x, shape.rank - 1, flat),
                             strata_build_binary(b, STRATA_OP_ADD, row, place), 0, 0);
}

static MlirValue spread(strata_builder_t *b, MlirValue x, MlirValue offsets, strata_dim_t total) {
  return strata_build_gather(b, x, strata_build_segment_rows(b, offsets, total), 0, 0);
}

// How many rows each sequence has, in the type and along the dims of |x|: [B, 1, ...].
static MlirValue lengths(strata_builder_t *b, MlirValue offsets, MlirValue x) {
  if (!strata__build_can_look(b, x) || !strata__build_can_look(b, offsets))
    return x;
  strata_shape_t shape = strata_shape_of(x);
  shape.dims[0] = strata_dim_plus(strata_shape_of(offsets).dims[0], -1);
  for (int i = 1; i < shape.rank; i++)
    shape.dims[i] = strata_dim_constant(b->compile->context, 1);
  MlirValue length = strata_build_binary(b, STRATA_OP_SUB, ends(b, offsets, 1), ends(b, offsets, 0));
  return strata_build_reshape(b, strata_build_convert(b, STRATA_OP_CONVERT, length, shape.type), shape.rank,
                              shape.dims);
}

static MlirValue attention(strata_builder_t *b, const strata__jagged_arg_t *args) {
  if (!strata__build_can_look(b, args[0].tensor))
    return args[0].tensor;
  MlirValue map = strata_build_segment_rows(b, args[3].tensor, strata_shape_of(args[0].tensor).dims[0]);
  const MlirValue operands[6] = {args[0].tensor, args[1].tensor, args[2].tensor, map, args[3].tensor, args[4].tensor};
  return strata_build_segment_attention(b, operands, args[5].flag, args[6].number);
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

// A letter an argument: t tensor, r tensor or the result, n number, b boolean. What moves elements keeps their type.
static const struct {
  const char *name, *arguments;
  bool keeps_type;
} functions[] = {
    [STRATA__JAGGED_CHECKED] = {"checked", "tr", true},
    [STRATA__JAGGED_PADDED] = {"padded", "ttnr", true},
    [STRATA__JAGGED_PACKED] = {"packed", "ttr", true},
    [STRATA__JAGGED_SPREAD] = {"spread", "ttr", true},
    [STRATA__JAGGED_MULTIPLIED] = {"multiplied", "ttt", true},
    [STRATA__JAGGED_SUM] = {"sum_within", "tt", false},
    [STRATA__JAGGED_GREATEST] = {"greatest_within", "tt", false},
    [STRATA__JAGGED_LEAST] = {"least_within", "tt", false},
    [STRATA__JAGGED_LENGTHS] = {"lengths", "tt", false},
    [STRATA__JAGGED_ATTENTION] = {"attention", "tttttbn", true},
};

strata__jagged_function_t strata__jagged_function(MlirStringRef name, const char **out_arguments) {
  int i = 0;
  while (i < STRATA__JAGGED_FUNCTIONS && !strata_str_equal(name, functions[i].name))
    i++;
  if (i < STRATA__JAGGED_FUNCTIONS)
    *out_arguments = functions[i].arguments;
  return (strata__jagged_function_t)i;
}

bool strata__body_keeps_type(const char *body) {
  for (int i = 0; i < STRATA__JAGGED_FUNCTIONS; i++) {
    size_t length = strlen(functions[i].name);
    if (!strncmp(body, functions[i].name, length) && body[length] == '(')
      return functions[i].keeps_type;
  }
  return false;
}

MlirValue strata__jagged_call(strata__jagged_t *j, strata__jagged_function_t function,
                              const strata__jagged_arg_t *args) {
  strata_builder_t *b = j->builder;
  MlirValue x = args[0].tensor, y = args[1].tensor;
  switch (function) {
  case STRATA__JAGGED_CHECKED:
    return checked(j, x, args[1].shape.dims[0]);
  case STRATA__JAGGED_PADDED:
    return padded(b, x, y, args[2].number, &args[3].shape);
  case STRATA__JAGGED_PACKED:
    return packed(b, x, y, args[2].shape.dims[0]);
  case STRATA__JAGGED_SPREAD:
    return spread(b, x, y, args[2].shape.dims[0]);
  case STRATA__JAGGED_MULTIPLIED:
    return strata_build_segment_contract(b, x, y, strata_build_segment_rows(b, args[2].tensor, args[0].shape.dims[0]));
  case STRATA__JAGGED_SUM:
    return strata_build_segment_reduce(b, STRATA_COMBINER_ADD, x, y);
  case STRATA__JAGGED_GREATEST:
    return strata_build_segment_reduce(b, STRATA_COMBINER_MAX, x, y);
  case STRATA__JAGGED_LEAST:
    return strata_build_segment_reduce(b, STRATA_COMBINER_MIN, x, y);
  case STRATA__JAGGED_LENGTHS:
    return lengths(b, x, y);
  case STRATA__JAGGED_ATTENTION:
    return attention(b, args);
  case STRATA__JAGGED_FUNCTIONS:
    break;
  }
  return (MlirValue){0};
}
