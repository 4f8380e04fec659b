// Movement, gather, scatter and iota on constant data; see eval.c.
#include "dialects/strata/eval.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"

// How the operand of a transpose, slice or broadcast is walked along the dims of the result.
static walk_t operand_walk(const strata__record_t *r) {
  walk_t walk = {0};
  int64_t sizes[STRATA_MAX_RANK], strides[STRATA_MAX_RANK];
  strata_shape_sizes(&r->operands[0], sizes);
  strides_of(r->operands[0].rank, sizes, strides);
  for (int i = 0; i < r->operands[0].rank; i++) {
    if (r->id == STRATA_OP_TRANSPOSE) {
      walk.strides[i] = strides[strata__i64s(r, "permutation")[i]];
    } else if (r->id == STRATA_OP_SLICE) {
      walk.base += strata__i64s(r, "starts")[i] * strides[i];
      walk.strides[i] = strata__i64s(r, "steps")[i] * strides[i];
    } else {
      MlirAffineExpr expr = mlirAffineMapGetResult(strata__get(r, "map")->maps[0], i);
      if (mlirAffineExprIsADim(expr))
        walk.strides[mlirAffineDimExprGetPosition(expr)] += strides[i];
    }
  }
  return walk;
}

static void eval_view(const eval_t *e) {
  const strata__record_t *r = e->record;
  walk_t to = {0}, from = operand_walk(r);
  int64_t sizes[STRATA_MAX_RANK];
  strata_shape_sizes(&r->results[0], sizes);
  strides_of(r->results[0].rank, sizes, to.strides);
  strided_copy(r->operands[0].type, r->results[0].rank, sizes, e->results[0], &to, e->operands[0], &from);
}

// Copies operand |index| into the result with its first element at |at|.
static void place(const eval_t *e, int index, const int64_t *at) {
  const strata__record_t *r = e->record;
  int rank = r->results[0].rank;
  int64_t sizes[STRATA_MAX_RANK], to_sizes[STRATA_MAX_RANK];
  walk_t to = {0}, from = {0};
  strata_shape_sizes(&r->results[0], to_sizes);
  strata_shape_sizes(&r->operands[index], sizes);
  strides_of(rank, to_sizes, to.strides);
  strides_of(rank, sizes, from.strides);
  to.base = dot(rank, at, to.strides);
  strided_copy(r->results[0].type, rank, sizes, e->results[0], &to, e->operands[index], &from);
}

static void eval_pad(const eval_t *e) {
  const strata__record_t *r = e->record;
  strata_type_t type = r->results[0].type;
  MlirAttribute value = strata__get(r, "value")->any;
  number_t number = strata_type_is_float(type) ? (number_t){.f = mlirFloatAttrGetValueDouble(value)}
                                               : (number_t){.i = mlirIntegerAttrGetValueInt(value)};
  int64_t count = strata_shape_count(&r->results[0]);
  for (int64_t i = 0; i < count; i++)
    store(type, e->results[0], i, number);
  place(e, 0, strata__i64s(r, "low"));
}

static void eval_concat(const eval_t *e) {
  int64_t at[STRATA_MAX_RANK] = {0}, axis = strata__i64(e->record, "axis");
  place(e, 0, at);
  strata_dim_is_constant(e->record->operands[0].dims[axis], &at[axis]);
  place(e, 1, at);
}

void strata__eval_movement(const eval_t *e) {
  const strata__record_t *r = e->record;
  if (r->id == STRATA_OP_RESHAPE)
    memcpy(e->results[0], e->operands[0],
           (size_t)strata_type_storage_size(r->results[0].type, strata_shape_count(&r->results[0])));
  else if (r->id == STRATA_OP_PAD)
    eval_pad(e);
  else if (r->id == STRATA_OP_CONCAT)
    eval_concat(e);
  else
    eval_view(e);
}

//===-- Gather, scatter, generate --------------------------------------------------------------------------------===//

// With the data as [batch, outer, length, inner] and the indices as [batch, n], the result is [batch, outer, n, inner].
void strata__eval_gather(const eval_t *e) {
  const strata__record_t *r = e->record;
  int64_t data_sizes[STRATA_MAX_RANK], index_sizes[STRATA_MAX_RANK], to = 0;
  int64_t axis = strata__i64(r, "axis"), n_batch_dims = strata__i64(r, "batch_dims");
  strata_shape_sizes(&r->operands[0], data_sizes);
  strata_shape_sizes(&r->operands[1], index_sizes);
  lines_t lines = lines_along(&r->operands[0], axis);
  int64_t batch = count_of((int)n_batch_dims, data_sizes),
          outer = count_of((int)(axis - n_batch_dims), data_sizes + n_batch_dims);
  int64_t n = count_of(r->operands[1].rank - (int)n_batch_dims, index_sizes + n_batch_dims);
  for (int64_t row = 0; row < batch * outer; row++)
    for (int64_t j = 0; j < n; j++) {
      int64_t index = strata__load_i64(r->operands[1].type, e->operands[1], row / outer * n + j);
      int64_t from = (row * lines.length + strata_clamp(index, 0, lines.length - 1)) * lines.inner;
      for (int64_t k = 0; k < lines.inner; k++)
        copy_element(r->results[0].type, e->results[0], to++, e->operands[0], from + k);
    }
}

void strata__eval_scatter(const eval_t *e) {
  const strata__record_t *r = e->record;
  strata_type_t type = r->results[0].type;
  strata_combiner_t combiner = combiner_of(r);
  lines_t lines = lines_along(&r->operands[0], 0);
  int64_t n_updates = strata_shape_count(&r->operands[1]);
  memcpy(e->results[0], e->operands[0], (size_t)strata_type_storage_size(type, strata_shape_count(&r->results[0])));
  for (int64_t i = 0; i < n_updates; i++) {
    int64_t row = strata__load_i64(r->operands[1].type, e->operands[1], i);
    if (row < 0 || row >= lines.length)
      continue;
    for (int64_t k = 0; k < lines.inner; k++) {
      int64_t at = row * lines.inner + k, from = i * lines.inner + k;
      if (combiner == STRATA_COMBINER_COUNT)
        copy_element(type, e->results[0], at, e->operands[2], from);
      else
        store(type, e->results[0], at,
              combine(strata__combiner_scalar(combiner), type, load(type, e->results[0], at),
                      load(type, e->operands[2], from)));
    }
  }
}

void strata__eval_iota(const eval_t *e) {
  strata_type_t type = e->record->results[0].type;
  lines_t lines = lines_along(&e->record->results[0], strata__i64(e->record, "axis"));
  for (int64_t i = 0; i < lines.outer * lines.length * lines.inner; i++) {
    int64_t index = i / lines.inner % lines.length;
    store(type, e->results[0], i, strata_type_is_float(type) ? (number_t){.f = (double)index} : (number_t){.i = index});
  }
}

void strata__eval_dims(const eval_t *e) {
  const strata__attr_t *values = strata__get(e->record, "values");
  memcpy(e->results[0], values->i64s, (size_t)values->count * sizeof values->i64s[0]);
}
