// See digits.h. Accesses are known by their order:
//
//   "sort_count": store counts   for %k { load keys   load counts, store counts }
//   "sort_place": load counts   [load before]   store before
//                 for %k { load keys   load before, store before   [store result]   [load positions]   [store
//                 positions] }
#include "dialects/affine/digits.h"

#include "dialects/affine/symbols.h"

// The loop's counter, or a digit or a number that was found in memory.
static MlirAffineExpr other(strata_place_reader_t *r, MlirValue value) {
  bool is_known = mlirValueIsAOpResult(value)
                      ? strata_op_is(mlirOpResultGetOwner(value), "arith.index_cast")
                      : mlirBlockArgumentGetArgNumber(value) == 0 &&
                            strata_op_is(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)), "scf.for");
  return is_known ? mlirAffineDimExprGet(r->context, r->n_dims - 1) : strata_place_fail(r);
}

static void read_bounds(strata_place_reader_t *r, MlirOperation loop, strata_digits_t *out) {
  MlirValue end = mlirOperationGetOperand(loop, 1);
  MlirAffineExpr results[3] = {strata_place_expr(r, mlirOperationGetOperand(loop, 0))};
  int n = 1;
  if (mlirValueIsAOpResult(end) && strata_op_is(mlirOpResultGetOwner(end), "arith.minsi"))
    for (; n < 3; n++)
      results[n] = strata_place_expr(r, mlirOperationGetOperand(mlirOpResultGetOwner(end), n - 1));
  else
    results[n++] = strata_place_expr(r, end);
  out->bounds = mlirAffineMapGet(r->context, r->n_dims, r->nest->space.n_symbols, n, results);
}

static bool has_order(const strata_nest_t *nest, int n, const bool *are_stores) {
  for (int i = 0; i < n; i++)
    if (i >= nest->n_accesses || nest->accesses[i].is_store != are_stores[i])
      return false;
  return true;
}

static void read_rest(strata_place_reader_t *r, int first, MlirValue key, strata_digits_t *out) {
  for (int i = first; i < r->nest->n_accesses; i++) {
    const strata_access_t *access = &r->nest->accesses[i];
    strata_place_t *place = !access->is_store                    ? &out->positions
                            : mlirValueEqual(access->value, key) ? &out->result
                                                                 : &out->result_positions;
    r->failed |= !mlirValueIsNull(place->buffer);
    *place = strata_place_read(r, access);
  }
}

static bool read_counting(strata_place_reader_t *r, strata_digits_t *out) {
  static const bool order[] = {true, false, false, true};
  if (!has_order(r->nest, 4, order) || r->nest->n_accesses != 4)
    return false;
  out->keys = strata_place_read(r, &r->nest->accesses[1]);
  out->counts = strata_place_read(r, &r->nest->accesses[3]);
  return true;
}

static bool read_placing(strata_place_reader_t *r, strata_digits_t *out) {
  static const bool few[] = {false, true, false, false, true}, many[] = {false, false, true, false, false, true};
  bool has_parts = has_order(r->nest, 6, many);
  if (!has_parts && !has_order(r->nest, 5, few))
    return false;
  const strata_access_t *at = r->nest->accesses;
  int key = has_parts ? 3 : 2;
  out->places = true;
  out->counts = strata_place_read(r, &at[0]);
  out->before = strata_place_read(r, &at[key - 1]);
  out->keys = strata_place_read(r, &at[key]);
  read_rest(r, key + 3, at[key].value, out);
  return true;
}

bool strata_digits_read(const strata_kernel_t *kernel, strata_digits_t *out) {
  const strata_nest_t *nest = &kernel->nests[0];
  *out = (strata_digits_t){0};
  bool places = strata_str_equal(nest->name, "sort_place");
  if (kernel->n_nests != 1 || (!places && !strata_str_equal(nest->name, "sort_count")))
    return false;
  strata_place_reader_t r = {
      .nest = nest, .context = mlirOperationGetContext(nest->op), .n_dims = nest->n_parallel + 1, .other = other};
  if (!(places ? read_placing(&r, out) : read_counting(&r, out)))
    return false;
  int key = places ? (mlirValueEqual(out->before.buffer, out->counts.buffer) ? 2 : 3) : 1;
  MlirOperation loop = mlirOperationGetParentOperation(nest->accesses[key].op);
  if (!strata_op_is(loop, "scf.for") || !strata_digit_read(strata_attr(loop, STRATA_DIGIT), &out->digit))
    return false;
  read_bounds(&r, loop, out);
  return !r.failed;
}
