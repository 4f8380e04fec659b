// Primitives on rows in sequences: their rules and their builders.
#include "dialects/strata/build.h"

#include "dialects/mlir_util.h"

static strata_status_t check_integers(const strata__record_t *r, int index) {
  strata_type_t type = r->operands[index].type;
  if (r->operands[index].rank == 1 && (type == STRATA_TYPE_I32 || type == STRATA_TYPE_I64))
    return NULL;
  return strata__invalid("operand %d: expected one dim of i32 or i64, got %d of %s", index, r->operands[index].rank,
                         strata__type_name(type));
}

static strata_status_t check_rank(const strata__record_t *r, int index, int rank) {
  return r->operands[index].rank == rank
             ? NULL
             : strata__invalid("operand %d: expected %d dims, got %d", index, rank, r->operands[index].rank);
}

static strata_status_t check_equal(const strata__record_t *r, int x, int x_dim, int y, int y_dim) {
  if (strata_dim_equal(r->operands[x].dims[x_dim], r->operands[y].dims[y_dim]))
    return NULL;
  return strata__invalid("dim %d of operand %d differs from dim %d of operand %d", x_dim, x, y_dim, y);
}

static strata_status_t check_type(const strata__record_t *r, int index) {
  return r->operands[index].type == r->operands[0].type
             ? NULL
             : strata__invalid("operand %d: expected %s, got %s", index, strata__type_name(r->operands[0].type),
                               strata__type_name(r->operands[index].type));
}

// There are sequences: B + 1 offsets are two or more.
static strata_status_t check_offsets(const strata__record_t *r, int index) {
  int64_t size;
  STRATA_TRY(check_integers(r, index));
  if (strata_dim_is_constant(r->operands[index].dims[0], &size) && size < 2)
    return strata__invalid("operand %d: expected 2 offsets or more, got %lld", index, (long long)size);
  return NULL;
}

static strata_status_t infer_rows(strata__record_t *r) {
  STRATA_TRY(check_offsets(r, 0));
  if (r->results[0].rank != 1 || r->results[0].type != STRATA_TYPE_I64)
    return strata__invalid("result: expected one dim of i64");
  return NULL;
}

static strata_status_t infer_segment_reduce(strata__record_t *r) {
  STRATA_TRY(strata__check_combiner(r, r->operands[0].type));
  STRATA_TRY(check_offsets(r, 1));
  if (r->operands[0].rank < 1)
    return strata__invalid("operand 0: expected rows, got no dims");
  r->results[0] = r->operands[0];
  r->results[0].dims[0] = strata_dim_plus(r->operands[1].dims[0], -1);
  return NULL;
}

static strata_status_t infer_segment_contract(strata__record_t *r) {
  STRATA_TRY(check_rank(r, 0, 2));
  STRATA_TRY(check_rank(r, 1, 3));
  STRATA_TRY(check_integers(r, 2));
  STRATA_TRY(check_type(r, 1));
  STRATA_TRY(check_equal(r, 0, 1, 1, 1));
  STRATA_TRY(check_equal(r, 0, 0, 2, 0));
  r->results[0] = r->operands[0];
  r->results[0].dims[1] = r->operands[1].dims[2];
  r->results[0].type = strata_type_info[r->operands[0].type].math_type;
  return NULL;
}

static strata_status_t infer_attention(strata__record_t *r) {
  enum { Q, K, V, MAP, OFFSETS, KEY_OFFSETS };
  int64_t heads, groups;
  for (int i = Q; i <= V; i++) {
    STRATA_TRY(check_rank(r, i, 3));
    STRATA_TRY(check_type(r, i));
  }
  if (strata_type_info[r->operands[Q].type].kind != STRATA_TYPE_KIND_FLOAT)
    return strata__invalid("operand 0: expected floats, got %s", strata__type_name(r->operands[Q].type));
  STRATA_TRY(check_integers(r, MAP));
  STRATA_TRY(check_offsets(r, OFFSETS));
  STRATA_TRY(check_offsets(r, KEY_OFFSETS));
  STRATA_TRY(check_equal(r, OFFSETS, 0, KEY_OFFSETS, 0));
  STRATA_TRY(check_equal(r, Q, 0, MAP, 0));
  STRATA_TRY(check_equal(r, Q, 2, K, 2));
  STRATA_TRY(check_equal(r, K, 0, V, 0));
  STRATA_TRY(check_equal(r, K, 1, V, 1));
  if (!strata_dim_is_constant(r->operands[Q].dims[1], &heads) ||
      !strata_dim_is_constant(r->operands[K].dims[1], &groups))
    return strata__invalid("the numbers of heads are to be known");
  if (groups < 1 || heads % groups)
    return strata__invalid("%lld heads are not groups of %lld", (long long)heads, (long long)groups);
  strata_type_t given = r->results[0].type, type = r->operands[Q].type;
  r->results[0] = r->operands[Q];
  r->results[0].dims[2] = r->operands[V].dims[2];
  r->results[0].type = given == type ? type : strata_type_info[type].math_type;
  return NULL;
}

strata_status_t strata__infer_segment(strata__record_t *r) {
  switch ((int)r->id) {
  case STRATA_OP_SEGMENT_ROWS:
    return infer_rows(r);
  case STRATA_OP_SEGMENT_REDUCE:
    return infer_segment_reduce(r);
  case STRATA_OP_SEGMENT_CONTRACT:
    return infer_segment_contract(r);
  default:
    return infer_attention(r);
  }
}

//===-- Building -------------------------------------------------------------------------------------------------===//

MlirValue strata_build_segment_rows(strata_builder_t *b, MlirValue offsets, strata_dim_t total) {
  strata__record_t r = strata__record(STRATA_OP_SEGMENT_ROWS);
  r.results[0] = (strata_shape_t){.type = STRATA_TYPE_I64, .rank = 1, .dims = {total}};
  return strata__build(b, &r, &offsets);
}

MlirValue strata_build_segment_reduce(strata_builder_t *b, strata_combiner_t kind, MlirValue rows, MlirValue offsets) {
  strata__record_t r = strata__record(STRATA_OP_SEGMENT_REDUCE);
  strata__set_string(&r, "kind", strata_combiner_info[kind].name);
  return strata__build(b, &r, (MlirValue[]){rows, offsets});
}

MlirValue strata_build_segment_contract(strata_builder_t *b, MlirValue rows, MlirValue matrices, MlirValue map) {
  strata__record_t r = strata__record(STRATA_OP_SEGMENT_CONTRACT);
  return strata__build(b, &r, (MlirValue[]){rows, matrices, map});
}

MlirValue strata_build_segment_attention(strata_builder_t *b, const MlirValue *operands, bool is_causal, double scale) {
  strata__record_t r = strata__record(STRATA_OP_SEGMENT_ATTENTION);
  r.results[0].type = strata_shape_of(operands[0]).type;
  strata__set_i64(&r, "causal", is_causal);
  strata__set_f64(&r, "scale", scale);
  return strata__build(b, &r, operands);
}
