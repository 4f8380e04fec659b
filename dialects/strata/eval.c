// Evaluates primitives on constant data, one element at a time: for shape arithmetic and small constants.
//
// Elements are loaded into host numbers, worked on (scalar.h) and stored. f16 and bf16 are computed in f32 and rounded
// once more; sums are accumulated in double. Movement is one copy between two strided walks.
#include "dialects/strata/eval.h"

//===-- Elementwise ----------------------------------------------------------------------------------------------===//

// An integer as a double that rounds to any smaller float as the integer itself does: what a double cannot hold becomes
// one sticky bit.
static double sticky_double(int64_t x, bool is_unsigned) {
  enum { LOST = 0xfff };
  bool is_small = is_unsigned ? (uint64_t)x < (uint64_t)1 << 53 : x < (int64_t)1 << 53 && x > -((int64_t)1 << 53);
  if (!is_small)
    x = (x & ~(int64_t)LOST) | (x & LOST ? (LOST + 1) / 2 : 0);
  return is_unsigned ? (double)(uint64_t)x : (double)x;
}

static number_t convert(const eval_t *e, int64_t index) {
  strata_op_id_t id = e->record->id;
  strata_type_t from = e->record->operands[0].type, to = e->record->results[0].type;
  number_t x = load(from, e->operands[0], index);
  if (to == STRATA_TYPE_I1)
    return (number_t){.i = strata_type_is_float(from) ? x.f != 0 : x.i != 0};
  if (strata_type_is_float(from))
    return strata_type_is_float(to)
               ? x
               : (number_t){.i = strata__float_to_int(x.f, strata_type_info[to].bits, id == STRATA_OP_CONVERT_TO_U)};
  uint64_t bits = strata__unsigned(x.i, strata__integer_bits(from));
  if (!strata_type_is_float(to))
    return id == STRATA_OP_CONVERT_U ? (number_t){.i = (int64_t)bits} : x;
  bool is_unsigned = id == STRATA_OP_CONVERT_U;
  if (to != STRATA_TYPE_F64)
    return (number_t){.f = sticky_double((int64_t)(is_unsigned ? bits : (uint64_t)x.i), is_unsigned)};
  return (number_t){.f = is_unsigned ? (double)bits : (double)x.i};
}

// A conversion rounds once, to the type of the result.
static void store_converted(strata_type_t type, void *data, int64_t index, number_t number) {
  if (strata_type_is_float(type))
    strata__store_f64(type, data, index, number.f);
  else
    strata__store_i64(type, data, index, number.i);
}

static number_t apply1(const strata__scalar_t *scalar, strata_type_t type, number_t x) {
  if (!strata_type_is_float(type))
    return (number_t){.i = scalar->int1(x.i)};
  return scalar->test1 ? (number_t){.i = scalar->test1(x.f)} : (number_t){.f = scalar->float1(x.f)};
}

static number_t apply2(const strata__scalar_t *scalar, strata_type_t type, number_t x, number_t y) {
  if (strata_type_is_float(type) && scalar->test2)
    return (number_t){.i = scalar->test2(x.f, y.f)};
  return combine(scalar, type, x, y);
}

static number_t elementwise_at(const eval_t *e, int64_t index) {
  const strata__record_t *r = e->record;
  const strata__scalar_t *scalar = &strata__scalar[r->id];
  strata_type_t type = r->operands[0].type;
  if (r->n_operands == 1)
    return apply1(scalar, type, load(type, e->operands[0], index));
  return apply2(scalar, type, load(type, e->operands[0], index), load(type, e->operands[1], index));
}

static void eval_elementwise(const eval_t *e) {
  const strata__record_t *r = e->record;
  strata_type_t type = r->results[0].type;
  int64_t count = strata_shape_count(&r->results[0]);
  for (int64_t i = 0; i < count; i++) {
    if (r->id == STRATA_OP_SELECT)
      copy_element(type, e->results[0], i, e->operands[strata__load_i64(STRATA_TYPE_I1, e->operands[0], i) ? 1 : 2], i);
    else if (r->id == STRATA_OP_BITCAST)
      copy_element(type, e->results[0], i, e->operands[0], i);
    else if (strata_op_info[r->id].rule == STRATA_RULE_RESULT)
      store_converted(type, e->results[0], i, convert(e, i));
    else
      store(type, e->results[0], i, elementwise_at(e, i));
  }
}

//===-- All ------------------------------------------------------------------------------------------------------===//

static bool takes(const strata__scalar_t *scalar, strata_type_t type, int n_operands) {
  if (n_operands == 1)
    return strata_type_is_float(type) ? scalar->float1 || scalar->test1 : scalar->int1 != NULL;
  return n_operands == 2 && (strata_type_is_float(type) ? scalar->float2 || scalar->test2 : scalar->int2 != NULL);
}

// Whether scalar.c has what the op does to elements.
static bool has_row(const strata__record_t *r) {
  strata_combiner_t combiner;
  switch (strata_op_info[r->id].kind) {
  case STRATA_KIND_ELEMENTWISE:
    return r->id == STRATA_OP_SELECT || r->id == STRATA_OP_BITCAST ||
           strata_op_info[r->id].rule == STRATA_RULE_RESULT ||
           takes(&strata__scalar[r->id], r->operands[0].type, r->n_operands);
  case STRATA_KIND_REDUCE:
  case STRATA_KIND_SCAN:
  case STRATA_KIND_WINDOW:
  case STRATA_KIND_SCATTER:
    combiner = combiner_of(r);
    return combiner == STRATA_COMBINER_COUNT || takes(strata__combiner_scalar(combiner), r->operands[0].type, 2);
  default:
    return true;
  }
}

static const char *evaluate(const eval_t *e) {
  switch (strata_op_info[e->record->id].kind) {
  case STRATA_KIND_ELEMENTWISE:
    return eval_elementwise(e), NULL;
  case STRATA_KIND_REDUCE:
    return strata__eval_reduce(e), NULL;
  case STRATA_KIND_ARG_REDUCE:
    return strata__eval_arg_reduce(e), NULL;
  case STRATA_KIND_SCAN:
    return strata__eval_scan(e), NULL;
  case STRATA_KIND_SORT:
    return strata__eval_sort(e), NULL;
  case STRATA_KIND_WINDOW:
    return strata__eval_window(e), NULL;
  case STRATA_KIND_CONTRACT:
    if (e->record->id == STRATA_OP_SCALED_CONTRACT)
      return "it has scales";
    return strata__eval_contract(e) ? NULL : "its maps are not linear";
  case STRATA_KIND_BLOCK:
    return "its rows are data";
  case STRATA_KIND_MOVEMENT:
    return strata__eval_movement(e), NULL;
  case STRATA_KIND_GATHER:
    return strata__eval_gather(e), NULL;
  case STRATA_KIND_SCATTER:
    return strata__eval_scatter(e), NULL;
  case STRATA_KIND_SEGMENT:
    return "its offsets are data";
  case STRATA_KIND_TREES:
    return "its rows are data";
  case STRATA_KIND_SUPPRESS:
    return "its boxes are data";
  case STRATA_KIND_GENERATE:
    if (e->record->id == STRATA_OP_CONSTANT)
      return "it is a constant already";
    return (e->record->id == STRATA_OP_IOTA ? strata__eval_iota : strata__eval_dims)(e), NULL;
  }
  return "it has no rule";
}

strata_status_t strata__evaluate(strata_arena_t *arena, const strata__record_t *record, const void *const *operands,
                                 void *const *results) {
  eval_t e = {arena, record, operands, results};
  const char *reason = NULL;
  for (int i = 0; i < record->n_operands; i++)
    if (strata_shape_count(&record->operands[i]) < 0)
      reason = "a shape is not static";
  if (strata_shape_count(&record->results[0]) < 0 || strata__has_symbols(record))
    reason = "a shape is not static";
  if (!reason && !has_row(record))
    reason = "scalar.c has no row for it";
  // An empty result has nothing to write, and its operands may have no memory at all.
  if (!reason && strata_shape_count(&record->results[0]) > 0)
    reason = evaluate(&e);
  if (reason)
    return strata_error(STRATA_UNSUPPORTED, "%s: cannot be evaluated: %s", strata_op_info[record->id].name, reason);
  return NULL;
}

strata_status_t strata_evaluate(strata_compile_t *compile, MlirOperation op, const void *const *operands,
                                void *const *results) {
  strata__record_t record;
  if (strata_op_id(op) == STRATA_OP_COUNT)
    return strata_error(STRATA_UNSUPPORTED, "only primitives can be evaluated");
  STRATA_TRY(strata__decode(op, &record));
  STRATA_TRY(strata__infer(&record));
  return strata__evaluate(compile->arena, &record, operands, results);
}
