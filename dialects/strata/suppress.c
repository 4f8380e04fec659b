// strata.suppress: its rule and its builder.
#include "dialects/strata/build.h"

enum { SIDES, SCORES, OVERLAP, LEAST, MOST };

static strata_status_t check_operand(const strata__record_t *r, int index, int rank, strata_type_t type) {
  const strata_shape_t *shape = &r->operands[index];
  if (shape->rank == rank && shape->type == type)
    return NULL;
  return strata__invalid("operand %d: expected %d dims of %s, got %d of %s", index, rank, strata__type_name(type),
                         shape->rank, strata__type_name(shape->type));
}

static strata_status_t check_equal(const strata__record_t *r, int dim_of_sides, int dim_of_scores) {
  if (strata_dim_equal(r->operands[SIDES].dims[dim_of_sides], r->operands[SCORES].dims[dim_of_scores]))
    return NULL;
  return strata__invalid("dim %d of operand %d differs from dim %d of operand %d", dim_of_sides, SIDES, dim_of_scores,
                         SCORES);
}

strata_status_t strata__infer_suppress(strata__record_t *r) {
  STRATA_TRY(check_operand(r, SIDES, 3, STRATA_TYPE_F32));
  STRATA_TRY(check_operand(r, SCORES, 3, STRATA_TYPE_F32));
  STRATA_TRY(check_operand(r, OVERLAP, 0, STRATA_TYPE_F32));
  STRATA_TRY(check_operand(r, LEAST, 0, STRATA_TYPE_F32));
  STRATA_TRY(check_operand(r, MOST, 0, STRATA_TYPE_I64));
  STRATA_TRY(check_equal(r, 0, 0));
  STRATA_TRY(check_equal(r, 2, 2));
  if (!strata_dim_is(r->operands[SIDES].dims[1], STRATA_BOX_SIDES))
    return strata__invalid("operand %d: expected %d sides in dim 1", SIDES, STRATA_BOX_SIDES);
  if (strata__get(r, "room")->count != 1)
    return strata__invalid("room: expected one size, got %d", strata__get(r, "room")->count);
  const strata_shape_t *scores = &r->operands[SCORES];
  MlirContext context = mlirAffineExprGetContext(scores->dims[0]);
  const strata_dim_t sizes[3] = {scores->dims[0], scores->dims[1], strata__dim_at(context, r, "room", 0)};
  r->results[0] =
      (strata_shape_t){.type = STRATA_TYPE_I64,
                       .rank = 2,
                       .dims = {strata_dim_product(context, 3, sizes), strata_dim_constant(context, STRATA_BOX_FOUND)}};
  r->results[1] = (strata_shape_t){.type = STRATA_TYPE_I64};
  return NULL;
}

MlirValue strata_build_suppress(strata_builder_t *b, const MlirValue *operands, strata_dim_t room,
                                MlirValue *out_count) {
  strata__record_t r = strata__record(STRATA_OP_SUPPRESS);
  MlirValue results[STRATA__MAX_RESULTS];
  strata__set_dims(&r, "room", 1, &room);
  strata__build_results(b, &r, operands, results);
  *out_count = results[1];
  return results[0];
}
