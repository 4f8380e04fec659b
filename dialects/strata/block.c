// strata.block_contract: its rule and its builder.
#include "dialects/strata/build.h"

#include "dialects/mlir_util.h"

enum { X, SCALES, SUMS, WORDS, FACTORS, ZEROS };

typedef struct {
  int rank;
  strata_type_t type;
} operand_t;

static const operand_t expected[] = {
    [X] = {4, STRATA_TYPE_I32},     [SCALES] = {2, STRATA_TYPE_F32},  [SUMS] = {2, STRATA_TYPE_F32},
    [WORDS] = {4, STRATA_TYPE_I32}, [FACTORS] = {3, STRATA_TYPE_F32}, [ZEROS] = {3, STRATA_TYPE_I8},
};

static strata_status_t check_operand(const strata__record_t *r, int index) {
  const strata_shape_t *shape = &r->operands[index];
  if (shape->rank == expected[index].rank && shape->type == expected[index].type)
    return NULL;
  return strata__invalid("operand %d: expected %d dims of %s, got %d of %s", index, expected[index].rank,
                         strata__type_name(expected[index].type), shape->rank, strata__type_name(shape->type));
}

static strata_status_t check_dim(const strata__record_t *r, int index, int dim, strata_dim_t wanted) {
  if (strata_dim_equal(r->operands[index].dims[dim], wanted))
    return NULL;
  return strata__invalid("operand %d: dim %d differs from that of the others", index, dim);
}

// Of all but the rows the sizes are known, and not 0.
static strata_status_t check_known(const strata__record_t *r) {
  int64_t size;
  for (int index = X; index <= ZEROS; index++)
    for (int dim = 0; dim < expected[index].rank; dim++) {
      bool is_rows = (index == X && dim == 1) || ((index == SCALES || index == SUMS) && dim == 0);
      if (!is_rows && (!strata_dim_is_constant(r->operands[index].dims[dim], &size) || size < 1))
        return strata__invalid("operand %d: dim %d is to be known, and not 0", index, dim);
    }
  return NULL;
}

strata_status_t strata__infer_block(strata__record_t *r) {
  for (int index = X; index <= ZEROS; index++)
    STRATA_TRY(check_operand(r, index));
  STRATA_TRY(check_known(r));
  int64_t digits = 0;
  if (strata_dim_is_constant(r->operands[X].dims[0], &digits) && digits > STRATA_BLOCK_DIGITS)
    return strata__invalid("expected 1 to %d digits, got %lld", STRATA_BLOCK_DIGITS, (long long)digits);
  const strata_dim_t *x = r->operands[X].dims, *words = r->operands[WORDS].dims;
  STRATA_TRY(check_dim(r, WORDS, 1, x[2]));
  STRATA_TRY(check_dim(r, X, 3, strata_dim_times(words[2], 2)));
  for (int index = SCALES; index <= SUMS; index++)
    for (int dim = 0; dim < 2; dim++)
      STRATA_TRY(check_dim(r, index, dim, x[1 + dim]));
  const strata_dim_t strips[3] = {words[0], words[1], words[3]};
  for (int index = FACTORS; index <= ZEROS; index++)
    for (int dim = 0; dim < 3; dim++)
      STRATA_TRY(check_dim(r, index, dim, strips[dim]));
  r->results[0] =
      (strata_shape_t){.type = STRATA_TYPE_F32, .rank = 2, .dims = {x[1], strata_dim_mul(words[0], words[3])}};
  return NULL;
}

MlirValue strata_build_block_contract(strata_builder_t *b, const MlirValue *operands) {
  strata__record_t r = strata__record(STRATA_OP_BLOCK_CONTRACT);
  return strata__build(b, &r, operands);
}
